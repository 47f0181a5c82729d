//! Qualifiers of DATETIME and INTERVAL: `YEAR TO SECOND`, `DAY(3) TO FRACTION(5)`.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// One field of a DATETIME or INTERVAL. `Fraction(n)` has n decimal digits, 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Year, four digits in a DATETIME
    Year,
    /// Month 1-12 (or a count of months)
    Month,
    /// Day 1-31 (or a count of days)
    Day,
    /// Hour 0-23
    Hour,
    /// Minute 0-59
    Minute,
    /// Second 0-59
    Second,
    /// Decimal fraction of a second, with its number of digits
    Fraction(u8),
}

impl Field {
    /// Code as the first field of a qualifier: YEAR 0, MONTH 2, … SECOND 10, FRACTION 12.
    const fn start_code(self) -> u16 {
        match self {
            Self::Year => 0,
            Self::Month => 2,
            Self::Day => 4,
            Self::Hour => 6,
            Self::Minute => 8,
            Self::Second => 10,
            Self::Fraction(_) => 12,
        }
    }

    /// Code as the last field: as [`Self::start_code`], but FRACTION(n) is 10 + n.
    const fn end_code(self) -> u16 {
        match self {
            Self::Fraction(digits) => 10 + digits as u16,
            other => other.start_code(),
        }
    }

    /// Rank for comparisons: all fractions are equal.
    pub(crate) const fn rank(self) -> u8 {
        match self {
            Self::Year => 0,
            Self::Month => 1,
            Self::Day => 2,
            Self::Hour => 3,
            Self::Minute => 4,
            Self::Second => 5,
            Self::Fraction(_) => 6,
        }
    }

    /// Position of the field's lowest base-100 pair, counted from the point, which stands after SECOND:
    /// SECOND 1, MINUTE 2, … YEAR 6; the first fraction pair is 0.
    pub(crate) const fn position(self) -> i32 {
        6 - self.rank() as i32
    }

    /// Lower-case keyword without precision.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Fraction(_) => "fraction",
        }
    }

    /// The field of a keyword in any case; `fraction` gets 3 digits, Informix's default.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Year,
            Self::Month,
            Self::Day,
            Self::Hour,
            Self::Minute,
            Self::Second,
            Self::Fraction(3),
        ]
        .into_iter()
        .find(|field| field.name().eq_ignore_ascii_case(name))
    }

    /// Default number of digits as first field: YEAR 4, FRACTION(n) n, others 2.
    const fn default_digits(self) -> u8 {
        match self {
            Self::Year => 4,
            Self::Fraction(digits) => digits,
            _ => 2,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction(digits) => write!(f, "fraction({digits})"),
            other => f.write_str(other.name()),
        }
    }
}

/// First and last field of a DATETIME or INTERVAL and the digits of the first one.
///
/// The wire code (M14, J) is `digits << 8 | start << 4 | end`; `digits` is the sum over all fields, so that an INTERVAL's
/// leading precision can be read back from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Qualifier {
    start: Field,
    end: Field,
    precision: u8,
}

impl Qualifier {
    /// DATETIME YEAR TO DAY
    pub const YEAR_TO_DAY: Self = Self {
        start: Field::Year,
        end: Field::Day,
        precision: 4,
    };
    /// DATETIME YEAR TO SECOND
    pub const YEAR_TO_SECOND: Self = Self {
        start: Field::Year,
        end: Field::Second,
        precision: 4,
    };
    /// DATETIME YEAR TO FRACTION(3)
    pub const YEAR_TO_FRACTION3: Self = Self {
        start: Field::Year,
        end: Field::Fraction(3),
        precision: 4,
    };
    /// DATETIME YEAR TO FRACTION(5)
    pub const YEAR_TO_FRACTION5: Self = Self {
        start: Field::Year,
        end: Field::Fraction(5),
        precision: 4,
    };
    /// DATETIME HOUR TO SECOND
    pub const HOUR_TO_SECOND: Self = Self {
        start: Field::Hour,
        end: Field::Second,
        precision: 2,
    };
    /// INTERVAL YEAR(4) TO MONTH
    pub const YEAR4_TO_MONTH: Self = Self {
        start: Field::Year,
        end: Field::Month,
        precision: 4,
    };
    /// INTERVAL YEAR(9) TO MONTH
    pub const YEAR9_TO_MONTH: Self = Self {
        start: Field::Year,
        end: Field::Month,
        precision: 9,
    };
    /// INTERVAL DAY(2) TO FRACTION(5)
    pub const DAY2_TO_FRACTION5: Self = Self {
        start: Field::Day,
        end: Field::Fraction(5),
        precision: 2,
    };
    /// INTERVAL DAY(9) TO FRACTION(5): every day-time interval fits
    pub const DAY9_TO_FRACTION5: Self = Self {
        start: Field::Day,
        end: Field::Fraction(5),
        precision: 9,
    };

    /// Qualifier of a DATETIME (also of an INTERVAL with default leading precision).
    ///
    /// # Errors
    /// [`Error::Qualifier`] when `end` is larger than `start` or a fraction has not 1 to 5 digits.
    pub fn datetime(start: Field, end: Field) -> Result<Self> {
        // FRACTION TO FRACTION(n): the digits are those of the end.
        let start = if matches!(start, Field::Fraction(_)) {
            end
        } else {
            start
        };
        Self::build(start, end, start.default_digits())
    }

    /// Qualifier of an INTERVAL whose first field has `precision` digits (1 to 9; ignored for FRACTION).
    ///
    /// # Errors
    /// [`Error::Qualifier`] as in [`Self::datetime`], for a bad precision, and for a mix of the year-month and day-time class.
    pub fn interval(start: Field, precision: u8, end: Field) -> Result<Self> {
        if (start.rank() <= 1) != (end.rank() <= 1) {
            return Err(Error::Qualifier(format!(
                "interval {start} to {end} mixes months and days"
            )));
        }
        let start = if matches!(start, Field::Fraction(_)) {
            end
        } else {
            start
        };
        let precision = if let Field::Fraction(digits) = start {
            digits
        } else {
            precision
        };
        Self::build(start, end, precision)
    }

    fn build(start: Field, end: Field, precision: u8) -> Result<Self> {
        if start.rank() > end.rank() {
            return Err(Error::Qualifier(format!(
                "{start} to {end}: the first field is the smaller one"
            )));
        }
        if let Field::Fraction(digits) = end
            && !(1..=5).contains(&digits)
        {
            return Err(Error::Qualifier(format!(
                "fraction({digits}): 1 to 5 digits are possible"
            )));
        }
        if !(1..=9).contains(&precision) {
            return Err(Error::Qualifier(format!(
                "{}({precision}): 1 to 9 digits are possible",
                start.name()
            )));
        }
        Ok(Self {
            start,
            end,
            precision,
        })
    }

    /// Qualifier from its 16-bit code (the encoded length of a described column, the precision word of a bind).
    ///
    /// # Errors
    /// [`Error::Qualifier`] for a code that no qualifier has.
    pub fn from_code(code: u16) -> Result<Self> {
        let bad = || Error::Qualifier(format!("code 0x{code:04x}"));
        let field = |code: u16| match code {
            0 => Some(Field::Year),
            2 => Some(Field::Month),
            4 => Some(Field::Day),
            6 => Some(Field::Hour),
            8 => Some(Field::Minute),
            10 => Some(Field::Second),
            _ => None,
        };
        let end_code = code & 0x0f;
        let end = match end_code {
            11..=15 => Field::Fraction((end_code - 10) as u8),
            other => field(other).ok_or_else(bad)?,
        };
        let start = match (code >> 4) & 0x0f {
            12 => end,
            other => field(other).ok_or_else(bad)?,
        };
        let total = i32::from(code >> 8);
        if start.rank() > end.rank() || (((code >> 4) & 0x0f) == 12 && !matches!(end, Field::Fraction(_))) {
            return Err(bad());
        }
        let later = i32::from(
            Self {
                start,
                end,
                precision: 0,
            }
            .digits_after_first(),
        );
        let precision = u8::try_from(total - later).map_err(|_| bad())?;
        if !(1..=9).contains(&precision) {
            return Err(bad());
        }
        Ok(Self {
            start,
            end,
            precision,
        })
    }

    /// The 16-bit code.
    #[must_use]
    pub const fn code(self) -> u16 {
        (self.total_digits() as u16) << 8 | self.start.start_code() << 4 | self.end.end_code()
    }

    /// First (largest) field.
    #[must_use]
    pub const fn start(self) -> Field {
        self.start
    }

    /// Last (smallest) field.
    #[must_use]
    pub const fn end(self) -> Field {
        self.end
    }

    /// Digits of the first field: the `(n)` of an INTERVAL.
    #[must_use]
    pub const fn precision(self) -> u8 {
        self.precision
    }

    /// Digits of the fraction, 0 without one.
    #[must_use]
    pub const fn fraction_digits(self) -> u8 {
        match self.end {
            Field::Fraction(digits) => digits,
            _ => 0,
        }
    }

    /// Digits of all fields.
    #[must_use]
    pub const fn total_digits(self) -> u8 {
        self.precision + self.digits_after_first()
    }

    const fn digits_after_first(self) -> u8 {
        let (start, end) = (self.start.rank(), self.end.rank());
        if start == 6 {
            return 0;
        }
        match self.end {
            Field::Fraction(digits) => (5 - start) * 2 + digits,
            _ => end.saturating_sub(start) * 2,
        }
    }

    /// Whether `field` is one of the qualifier's fields; the digits of a fraction do not matter.
    #[must_use]
    pub const fn contains(self, field: Field) -> bool {
        self.start.rank() <= field.rank() && field.rank() <= self.end.rank()
    }

    /// The fields from first to last.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        let fraction = Field::Fraction(self.fraction_digits());
        [
            Field::Year,
            Field::Month,
            Field::Day,
            Field::Hour,
            Field::Minute,
            Field::Second,
            fraction,
        ]
        .into_iter()
        .filter(move |field| self.contains(*field))
    }

    /// An INTERVAL of this qualifier counts months (YEAR, MONTH), not seconds.
    #[must_use]
    pub const fn is_year_month(self) -> bool {
        self.end.rank() <= 1
    }

    /// Valid for a DATETIME: the first field has its natural number of digits.
    #[must_use]
    pub const fn is_datetime(self) -> bool {
        self.precision == self.start.default_digits()
    }

    /// Valid for an INTERVAL: does not mix months and days.
    #[must_use]
    pub const fn is_interval(self) -> bool {
        (self.start.rank() <= 1) == (self.end.rank() <= 1)
    }

    /// Bytes of the packed value in a row, head included (P: the width rule of DECIMAL applies).
    #[must_use]
    pub const fn packed_width(self) -> usize {
        packed_width(self.code())
    }

    /// Exponent of the un-normalised packed form: pairs left of the point, which stands after SECOND (M14, J).
    #[must_use]
    pub const fn full_exponent(self) -> i32 {
        (self.total_digits() as i32 + 10 - self.end.end_code() as i32 + 1).div_euclid(2)
    }

    /// Text with the precision of the first field, as an INTERVAL is declared: `day(3) to second`, `fraction to fraction(5)`.
    #[must_use]
    pub fn interval_name(self) -> String {
        match self.start {
            Field::Fraction(_) => format!("fraction to {}", self.end),
            start => format!("{}({}) to {}", start.name(), self.precision, self.end),
        }
    }
}

/// Width of a packed value in a row from the low 16 bits of its encoded length (P): `(hi + (lo & 1) + 3) / 2`.
#[must_use]
pub const fn packed_width(encoded_length: u16) -> usize {
    let (hi, lo) = ((encoded_length >> 8) as usize, (encoded_length & 0xff) as usize);
    (hi + (lo & 1) + 3) / 2
}

/// `year to second`; the leading precision is shown only where it is not the default.
impl fmt::Display for Qualifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_datetime() {
            write!(f, "{} to {}", self.start.name(), self.end)
        } else {
            f.write_str(&self.interval_name())
        }
    }
}

/// Parses `YEAR TO FRACTION(3)`, `day(3) to second` in any case; plain `FRACTION` at the end means FRACTION(3).
impl FromStr for Qualifier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::Qualifier(format!("{text:?}"));
        let lower = text.to_ascii_lowercase();
        let (first, last) = lower.split_once(" to ").ok_or_else(bad)?;
        let part = |part: &str| -> Option<(Field, Option<u8>)> {
            match part.trim().split_once('(') {
                None => Some((Field::from_name(part.trim())?, None)),
                Some((name, rest)) => {
                    let digits = rest.trim().strip_suffix(')')?.trim().parse().ok()?;
                    Some((Field::from_name(name.trim())?, Some(digits)))
                }
            }
        };
        let (start, precision) = part(first).ok_or_else(bad)?;
        let (mut end, digits) = part(last).ok_or_else(bad)?;
        match (&mut end, digits) {
            (Field::Fraction(n), Some(digits)) => *n = digits,
            (_, Some(_)) => return Err(bad()),
            (_, None) => {}
        }
        match precision {
            Some(precision) => Self::interval(start, precision, end),
            None => Self::datetime(start, end),
        }
    }
}
