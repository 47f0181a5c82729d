//! INTERVAL: a signed span of months, or of days down to fractions of a second.

use std::cmp::Ordering;
use std::fmt;

use crate::error::{Error, Result};
use crate::fields::{self, FRACTION, FieldValues, UNITS_PER_SECOND};
use crate::packed::Packed;
use crate::qualifier::{Field, Qualifier};

/// An INTERVAL value with its qualifier.
///
/// The amount is a number of months (YEAR, MONTH) or of units of 10^-5 s (DAY … FRACTION); it always fits 64 bits, since the first field
/// has at most nine digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    amount: i64,
    qualifier: Qualifier,
}

/// Amount of one unit of a field.
const fn unit(field: Field) -> i64 {
    match field {
        Field::Year => 12,
        Field::Month => 1,
        Field::Day => 86_400 * UNITS_PER_SECOND as i64,
        Field::Hour => 3_600 * UNITS_PER_SECOND as i64,
        Field::Minute => 60 * UNITS_PER_SECOND as i64,
        Field::Second => UNITS_PER_SECOND as i64,
        Field::Fraction(digits) => 10i64.pow(5 - if digits > 5 { 5 } else { digits as u32 }),
    }
}

impl Interval {
    /// An interval of `months`, for a qualifier of YEAR and MONTH. Months that the qualifier has no field for are cut off.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the first field gets more digits than its precision; [`Error::Qualifier`] for the other class.
    pub fn from_months(months: i64, qualifier: Qualifier) -> Result<Self> {
        if !qualifier.is_interval() || !qualifier.is_year_month() {
            return Err(Error::Qualifier(format!(
                "{months} months as interval {}",
                qualifier.interval_name()
            )));
        }
        Self::build(months, qualifier)
    }

    /// An interval of units of 10^-5 s, for a qualifier of DAY … FRACTION. What lies below its last field is cut off.
    ///
    /// # Errors
    /// As [`Self::from_months`].
    pub fn from_units(units: i64, qualifier: Qualifier) -> Result<Self> {
        if !qualifier.is_interval() || qualifier.is_year_month() {
            return Err(Error::Qualifier(format!(
                "seconds as interval {}",
                qualifier.interval_name()
            )));
        }
        Self::build(units, qualifier)
    }

    fn build(amount: i64, qualifier: Qualifier) -> Result<Self> {
        let amount = amount - amount % unit(qualifier.end());
        let value = Self { amount, qualifier };
        let limit = match qualifier.start() {
            Field::Fraction(_) => u64::from(UNITS_PER_SECOND),
            start => 10u64.pow(u32::from(qualifier.precision())) * unit(start).unsigned_abs(),
        };
        if amount.unsigned_abs() < limit {
            Ok(value)
        } else {
            Err(Error::range(format!(
                "interval {value} as {}",
                qualifier.interval_name()
            )))
        }
    }

    /// The qualifier.
    #[must_use]
    pub const fn qualifier(&self) -> Qualifier {
        self.qualifier
    }

    /// Months, for the year-month class.
    #[must_use]
    pub const fn months(&self) -> Option<i64> {
        if self.qualifier.is_year_month() {
            Some(self.amount)
        } else {
            None
        }
    }

    /// Units of 10^-5 s, for the day-time class.
    #[must_use]
    pub const fn units(&self) -> Option<i64> {
        if self.qualifier.is_year_month() {
            None
        } else {
            Some(self.amount)
        }
    }

    /// Whether the interval is below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.amount < 0
    }

    /// The same span with another qualifier of its class; smaller fields are cut off.
    ///
    /// # Errors
    /// As [`Self::from_months`].
    pub fn to_qualifier(&self, qualifier: Qualifier) -> Result<Self> {
        match self.months() {
            Some(months) => Self::from_months(months, qualifier),
            None => Self::from_units(self.amount, qualifier),
        }
    }

    /// The interval with the sign changed.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self {
            amount: -self.amount,
            ..self
        }
    }

    /// Sum in this interval's qualifier.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] on overflow, [`Error::Qualifier`] for intervals of two classes.
    pub fn checked_add(&self, other: &Self) -> Result<Self> {
        if self.qualifier.is_year_month() != other.qualifier.is_year_month() {
            return Err(Error::Qualifier(
                "intervals of months and of seconds cannot be added".to_owned(),
            ));
        }
        let sum = self
            .amount
            .checked_add(other.amount)
            .ok_or_else(|| Error::range("interval"))?;
        Self::build(sum, self.qualifier)
    }

    /// Compares the spans, whatever the qualifiers; `None` for two classes.
    #[must_use]
    pub fn cmp_value(&self, other: &Self) -> Option<Ordering> {
        (self.qualifier.is_year_month() == other.qualifier.is_year_month())
            .then(|| self.amount.cmp(&other.amount))
    }

    fn values(&self) -> FieldValues {
        let mut values = FieldValues::default();
        let mut rest = self.amount.unsigned_abs();
        for field in self.qualifier.fields() {
            let Some(slot) = values.get_mut(usize::from(field.rank())) else {
                continue;
            };
            if let Field::Fraction(_) = field {
                *slot = rest;
            } else {
                let unit = unit(field).unsigned_abs();
                *slot = rest / unit;
                rest %= unit;
            }
        }
        values
    }

    fn from_values(negative: bool, values: &FieldValues, qualifier: Qualifier) -> Result<Self> {
        if !qualifier.is_interval() {
            return Err(Error::Qualifier(format!("interval {qualifier}")));
        }
        let overflow = || Error::range(format!("interval {}", qualifier.interval_name()));
        let mut amount = 0i64;
        for field in qualifier.fields() {
            let value = values.get(usize::from(field.rank())).copied().unwrap_or_default();
            let value = i64::try_from(value).map_err(|_| overflow())?;
            let limit = match field {
                field if field == qualifier.start() => i64::MAX,
                Field::Month => 11,
                Field::Hour => 23,
                Field::Minute | Field::Second => 59,
                _ => i64::MAX,
            };
            if value > limit {
                return Err(Error::range(format!("{} {value} of an interval", field.name())));
            }
            let unit = if matches!(field, Field::Fraction(_)) {
                1
            } else {
                unit(field)
            };
            amount = value
                .checked_mul(unit)
                .and_then(|part| amount.checked_add(part))
                .ok_or_else(overflow)?;
        }
        Self::build(if negative { -amount } else { amount }, qualifier)
    }

    /// Parses Informix's text form of the qualifier: `3 04:05:06`, `-1-06`, `-.00001`; leading blanks are ignored.
    ///
    /// # Errors
    /// [`Error::Syntax`] or [`Error::OutOfRange`].
    pub fn parse(text: &str, qualifier: Qualifier) -> Result<Self> {
        let syntax = || Error::syntax(format!("INTERVAL {}", qualifier.interval_name()), text);
        let trimmed = text.trim_matches(' ');
        let (negative, unsigned) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest.trim_start_matches(' ')),
            None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let values = fields::parse(unsigned, qualifier, 9).ok_or_else(syntax)?;
        Self::from_values(negative, &values, qualifier)
    }

    /// The packed form in normal form.
    ///
    /// # Errors
    /// None in practice: every value fits.
    pub fn to_packed(&self) -> Result<Packed> {
        fields::to_packed(self.is_negative(), &self.values(), self.qualifier)
    }

    /// The value of a packed number in normal or positional form. Digits below the last field are cut off.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for fields that do not exist.
    pub fn from_packed(packed: &Packed, qualifier: Qualifier) -> Result<Self> {
        let values = fields::from_packed(packed, qualifier)?;
        debug_assert!(values[FRACTION] < u64::from(UNITS_PER_SECOND));
        Self::from_values(packed.is_negative(), &values, qualifier)
    }

    /// The stored byte form (point after SECOND, no trailing zero pairs) whose byte order is the order of the spans.
    ///
    /// # Errors
    /// As [`Self::to_packed`].
    pub fn to_packed_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(12);
        self.to_packed()?.write(&mut out);
        Ok(out)
    }

    /// Reads head and pairs in any accepted form; `None` is NULL.
    ///
    /// # Errors
    /// As [`Packed::decode`] and [`Self::from_packed`].
    pub fn from_packed_bytes(bytes: &[u8], qualifier: Qualifier) -> Result<Option<Self>> {
        Packed::decode(bytes)?
            .map(|packed| Self::from_packed(&packed, qualifier))
            .transpose()
    }
}

/// Informix's text form: `3 04:05:06`, `-1-06`, `-.00001`. The first field is not padded.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        if self.is_negative() {
            f.write_str("-")?;
        }
        let start = self.qualifier.start();
        if let (false, Some(first)) = (
            matches!(start, Field::Fraction(_)),
            values.get(usize::from(start.rank())),
        ) {
            write!(f, "{first}")?;
        }
        fields::write_later_fields(f, &values, self.qualifier)
    }
}
