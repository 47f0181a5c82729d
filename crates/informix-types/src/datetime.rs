//! DATETIME: a point in time with any first and last field.

mod cell;

use std::fmt;

use crate::date::{Date, days_in_month};
use crate::error::{Error, Result};
use crate::fields::{self, FRACTION, FieldValues, UNITS_PER_SECOND, truncate_fraction};
use crate::interval::Interval;
use crate::packed::Packed;
use crate::qualifier::{Field, Qualifier};

/// Units of 10^-5 s in a day.
const UNITS_PER_DAY: i64 = 86_400 * UNITS_PER_SECOND as i64;

/// The fields of a [`DateTime`]; those outside its qualifier are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Parts {
    /// Year 1-9999
    pub year: u16,
    /// Month 1-12
    pub month: u8,
    /// Day of the month
    pub day: u8,
    /// Hour 0-23
    pub hour: u8,
    /// Minute 0-59
    pub minute: u8,
    /// Second 0-59
    pub second: u8,
    /// Fraction of the second in units of 10^-5 s, 0-99999
    pub fraction: u32,
}

/// A DATETIME value with its qualifier. Ordered by fields; compare values of one qualifier only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DateTime {
    parts: Parts,
    qualifier: Qualifier,
}

impl Parts {
    fn from_values(values: &FieldValues) -> Option<Self> {
        let [year, month, day, hour, minute, second, fraction] = *values;
        Some(Self {
            year: u16::try_from(year).ok()?,
            month: u8::try_from(month).ok()?,
            day: u8::try_from(day).ok()?,
            hour: u8::try_from(hour).ok()?,
            minute: u8::try_from(minute).ok()?,
            second: u8::try_from(second).ok()?,
            fraction: u32::try_from(fraction).ok()?,
        })
    }

    fn values(&self) -> FieldValues {
        [
            u64::from(self.year),
            u64::from(self.month),
            u64::from(self.day),
            u64::from(self.hour),
            u64::from(self.minute),
            u64::from(self.second),
            u64::from(self.fraction),
        ]
    }
}

impl DateTime {
    /// A DATETIME from its fields. Fields outside the qualifier are ignored, the fraction is cut to its digits.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a field or a day that does not exist, [`Error::Qualifier`] for an INTERVAL's qualifier.
    pub fn new(qualifier: Qualifier, parts: Parts) -> Result<Self> {
        if !qualifier.is_datetime() {
            return Err(Error::Qualifier(format!("datetime {qualifier}")));
        }
        let mut values = parts.values();
        for (rank, value) in values.iter_mut().enumerate() {
            if rank < usize::from(qualifier.start().rank()) || rank > usize::from(qualifier.end().rank()) {
                *value = 0;
            }
        }
        values[FRACTION] = truncate_fraction(values[FRACTION], qualifier.fraction_digits());
        let parts = Parts::from_values(&values).unwrap_or_default();
        let value = Self { parts, qualifier };
        if value.is_valid() {
            Ok(value)
        } else {
            Err(Error::range(format!("datetime {value} {qualifier}")))
        }
    }

    fn is_valid(&self) -> bool {
        let (parts, has) = (&self.parts, |field| self.qualifier.contains(field));
        let (year_known, month_known) = (has(Field::Year), has(Field::Month));
        // Without a year 29 February is possible, without a month day 31.
        let year = if year_known { i32::from(parts.year) } else { 4 };
        let longest = if month_known {
            days_in_month(year, parts.month)
        } else {
            31
        };
        (!year_known || (1..=9999).contains(&parts.year))
            && (!month_known || (1..=12).contains(&parts.month))
            && (!has(Field::Day) || (1..=longest).contains(&parts.day))
            && parts.hour < 24
            && parts.minute < 60
            && parts.second < 60
            && parts.fraction < UNITS_PER_SECOND
    }

    /// Midnight of a date as DATETIME YEAR TO DAY.
    #[must_use]
    pub const fn from_date(date: Date) -> Self {
        let (year, month, day) = date.ymd();
        let parts = Parts {
            year: year as u16,
            month,
            day,
            hour: 0,
            minute: 0,
            second: 0,
            fraction: 0,
        };
        Self {
            parts,
            qualifier: Qualifier::YEAR_TO_DAY,
        }
    }

    /// A DATETIME YEAR TO FRACTION(5) from a date and units of 10^-5 s since its midnight.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] outside the years 1 to 9999.
    pub fn from_date_and_units(date: Date, units: i64) -> Result<Self> {
        let date = date.add_days(units.div_euclid(UNITS_PER_DAY))?;
        let (year, month, day) = date.ymd();
        let (seconds, fraction) = (
            units.rem_euclid(UNITS_PER_DAY) / i64::from(UNITS_PER_SECOND),
            units.rem_euclid(i64::from(UNITS_PER_SECOND)),
        );
        let parts = Parts {
            year: year as u16,
            month,
            day,
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            fraction: fraction as u32,
        };
        Self::new(Qualifier::YEAR_TO_FRACTION5, parts)
    }

    /// The fields.
    #[must_use]
    pub const fn parts(&self) -> Parts {
        self.parts
    }

    /// The qualifier.
    #[must_use]
    pub const fn qualifier(&self) -> Qualifier {
        self.qualifier
    }

    /// The date, when the qualifier has year, month and day.
    #[must_use]
    pub fn date(&self) -> Option<Date> {
        if self.qualifier.contains(Field::Year) && self.qualifier.contains(Field::Day) {
            Date::from_ymd(i32::from(self.parts.year), self.parts.month, self.parts.day).ok()
        } else {
            None
        }
    }

    /// Time of day in units of 10^-5 s; absent fields count 0.
    #[must_use]
    pub const fn time_units(&self) -> i64 {
        let parts = &self.parts;
        let seconds = parts.hour as i64 * 3600 + parts.minute as i64 * 60 + parts.second as i64;
        seconds * UNITS_PER_SECOND as i64 + parts.fraction as i64
    }

    /// The value with another qualifier, as EXTEND and a store into a column do: missing leading fields come from `current`
    /// (which should have them), missing trailing ones are 1 for month and day and 0 for the rest, surplus ones are cut.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the result is no date (31 extended with a shorter month).
    pub fn extend(&self, qualifier: Qualifier, current: &Self) -> Result<Self> {
        let (from, mut values) = (current.parts.values(), self.parts.values());
        for (rank, (value, current)) in values.iter_mut().zip(from).enumerate() {
            if rank < usize::from(self.qualifier.start().rank()) {
                *value = current;
            } else if rank > usize::from(self.qualifier.end().rank()) {
                *value = u64::from(rank == 1 || rank == 2);
            }
        }
        Self::new(qualifier, Parts::from_values(&values).unwrap_or_default())
    }

    /// Parses Informix's text form of the qualifier: `2024-05-06 07:08:09.12345`, `07:08`, `.5`.
    ///
    /// Missing fraction digits are zero, extra ones are cut.
    ///
    /// # Errors
    /// [`Error::Syntax`] or [`Error::OutOfRange`].
    pub fn parse(text: &str, qualifier: Qualifier) -> Result<Self> {
        let leading = usize::from(qualifier.precision());
        let values = fields::parse(text.trim_matches(' '), qualifier, leading)
            .ok_or_else(|| Error::syntax(format!("DATETIME {qualifier}"), text))?;
        let parts = Parts::from_values(&values).ok_or_else(|| Error::range(format!("datetime {text:?}")))?;
        Self::new(qualifier, parts)
    }

    /// The packed form.
    ///
    /// # Errors
    /// None in practice: every value fits.
    pub fn to_packed(&self) -> Result<Packed> {
        fields::to_packed(false, &self.parts.values(), self.qualifier)
    }

    /// The value of a packed number. Digits below the qualifier's last field are cut off.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for fields that do not exist, [`Error::Malformed`] for a negative number.
    pub fn from_packed(packed: &Packed, qualifier: Qualifier) -> Result<Self> {
        if packed.is_negative() {
            return Err(Error::malformed("DATETIME", "negative number"));
        }
        let values = fields::from_packed(packed, qualifier)?;
        let parts =
            Parts::from_values(&values).ok_or_else(|| Error::range(format!("datetime {qualifier}")))?;
        Self::new(qualifier, parts)
    }

    /// The stored byte form (point after SECOND, no trailing zero pairs) whose byte order is the time order.
    ///
    /// # Errors
    /// As [`Self::to_packed`].
    pub fn to_packed_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(11);
        self.to_packed()?.write(&mut out);
        Ok(out)
    }

    /// Reads head and pairs in any accepted form; `None` is NULL.
    ///
    /// # Errors
    /// As [`Packed::decode`] and [`Self::from_packed`].
    pub fn from_packed_bytes(bytes: &[u8], qualifier: Qualifier) -> Result<Option<Self>> {
        if let Some(value) = cell::quick(bytes, qualifier) {
            return Ok(Some(value));
        }
        Packed::decode(bytes)?
            .map(|packed| Self::from_packed(&packed, qualifier))
            .transpose()
    }

    /// DATETIME + INTERVAL, in the DATETIME's qualifier. A day-time interval needs a DAY (or moves within the hours only when the
    /// qualifier starts below DAY, where it wraps nowhere: leaving the day is an error).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the result does not exist (31 January + 1 month, year 10000, 23:00 + 2 hours without a date).
    pub fn checked_add(&self, interval: &Interval) -> Result<Self> {
        let out_of_range = || Error::range(format!("{self} + {interval}"));
        let mut parts = self.parts;
        if let Some(months) = interval.months() {
            if !self.qualifier.contains(Field::Year) {
                return Err(out_of_range());
            }
            let month = if self.qualifier.contains(Field::Month) {
                i64::from(parts.month)
            } else {
                1
            };
            let index = (i64::from(parts.year) * 12 + month - 1)
                .checked_add(months)
                .ok_or_else(out_of_range)?;
            parts.year = u16::try_from(index.div_euclid(12)).map_err(|_| out_of_range())?;
            parts.month = index.rem_euclid(12) as u8 + 1;
            return Self::new(self.qualifier, parts).map_err(|_| out_of_range());
        }
        let units = interval.units().unwrap_or_default();
        let sum = self.time_units().checked_add(units).ok_or_else(out_of_range)?;
        if let Some(date) = self.date() {
            return Self::from_date_and_units(date, sum)
                .and_then(|sum| Self::new(self.qualifier, sum.parts))
                .map_err(|_| out_of_range());
        }
        if self.qualifier.start().rank() < Field::Hour.rank() || !(0..UNITS_PER_DAY).contains(&sum) {
            return Err(out_of_range());
        }
        let moved = Self::from_date_and_units(Date::EPOCH, sum)?;
        Self::new(self.qualifier, moved.parts).map_err(|_| out_of_range())
    }

    /// Difference in units of 10^-5 s between two values that both have a date, or both have none and no month or year.
    #[must_use]
    pub fn units_since(&self, earlier: &Self) -> Option<i64> {
        let days = match (self.date(), earlier.date()) {
            (Some(date), Some(other)) => i64::from(date.days()) - i64::from(other.days()),
            (None, None) if self.qualifier.start().rank() >= 2 && earlier.qualifier.start().rank() >= 2 => {
                i64::from(self.parts.day) - i64::from(earlier.parts.day)
            }
            _ => return None,
        };
        Some(days * UNITS_PER_DAY + self.time_units() - earlier.time_units())
    }
}

/// Informix's text form: `2024-05-06 07:08:09.12345`, `07:08`, `.50000`.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.parts.values();
        let start = self.qualifier.start();
        if let (false, Some(first)) = (
            matches!(start, Field::Fraction(_)),
            values.get(usize::from(start.rank())),
        ) {
            write!(
                f,
                "{first:0width$}",
                width = usize::from(self.qualifier.precision())
            )?;
        }
        fields::write_later_fields(f, &values, self.qualifier)
    }
}
