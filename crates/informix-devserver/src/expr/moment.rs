//! DATETIME fields and INTERVAL amounts while they are computed with: parts, text forms, packed forms.
//!
//! Text forms and error numbers: `informix-sql.md` 4 (-1261 too many digits in the first field, -1262 not a digit,
//! -1263 out of range, -1264 extra characters, -1265 overflow, -1270 inner minus, -1271 missing point).

use informix_types::date::days_in_month;
use informix_types::datetime::Parts;
use informix_types::{Date, DateTime, Field, Interval, Qualifier};

use crate::error::{SqlError, SqlResult};

/// Units in a second: FRACTION(5) is the finest resolution.
pub(crate) const UNITS_PER_SECOND: i64 = 100_000;
/// Units in a day.
pub(crate) const UNITS_PER_DAY: i64 = 86_400 * UNITS_PER_SECOND;

/// The fields of a DATETIME; which of them mean something is said by its qualifier. Absent fields are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Moment {
    /// 1-9999
    pub(crate) year: i32,
    /// 1-12
    pub(crate) month: u8,
    /// 1-31
    pub(crate) day: u8,
    /// 0-23
    pub(crate) hour: u8,
    /// 0-59
    pub(crate) minute: u8,
    /// 0-59
    pub(crate) second: u8,
    /// 10^-5 seconds
    pub(crate) fraction: u32,
}

fn error(sqlcode: i32, why: impl Into<String>) -> SqlError {
    SqlError::new(sqlcode).because(why)
}

impl Moment {
    /// Midnight of a date.
    pub(crate) fn from_date(date: Date) -> Self {
        let (year, month, day) = date.ymd();
        Self {
            year,
            month,
            day,
            ..Self::default()
        }
    }

    /// From a day number and units since midnight.
    pub(crate) fn from_units(date: Date, units: i64) -> Self {
        let seconds = units / UNITS_PER_SECOND;
        Self {
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            fraction: (units % UNITS_PER_SECOND) as u32,
            ..Self::from_date(date)
        }
    }

    /// Its date; -1263 when the fields are none.
    pub(crate) fn date(self) -> SqlResult<Date> {
        Date::from_ymd(self.year, self.month, self.day).map_err(|e| error(-1263, e.to_string()))
    }

    /// Units since midnight.
    pub(crate) fn units_of_day(self) -> i64 {
        let seconds = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        seconds * UNITS_PER_SECOND + i64::from(self.fraction)
    }

    /// Units since the start of day 0 (1899-12-31).
    pub(crate) fn absolute_units(self) -> SqlResult<i64> {
        Ok(i64::from(self.date()?.days()) * UNITS_PER_DAY + self.units_of_day())
    }

    /// Value of one field; a fraction in 10^-5 s.
    pub(crate) fn field(self, field: Field) -> i64 {
        match field {
            Field::Year => i64::from(self.year),
            Field::Month => i64::from(self.month),
            Field::Day => i64::from(self.day),
            Field::Hour => i64::from(self.hour),
            Field::Minute => i64::from(self.minute),
            Field::Second => i64::from(self.second),
            Field::Fraction(_) => i64::from(self.fraction),
        }
    }

    fn set(&mut self, field: Field, value: i64) {
        match field {
            Field::Year => self.year = value as i32,
            Field::Month => self.month = value as u8,
            Field::Day => self.day = value as u8,
            Field::Hour => self.hour = value as u8,
            Field::Minute => self.minute = value as u8,
            Field::Second => self.second = value as u8,
            Field::Fraction(_) => self.fraction = value as u32,
        }
    }

    /// From one qualifier to another: fields above the first known one come from `now`, fields below the last known one are
    /// the smallest, fields outside `to` are cleared (EXTEND; also the store conversion of DATETIME columns).
    pub(crate) fn extended(self, from: Qualifier, to: Qualifier, now: Self) -> SqlResult<Self> {
        let mut result = Self::default();
        for field in to.fields() {
            let value = if from.contains(field) {
                match (field, to.fraction_digits()) {
                    (Field::Fraction(_), digits) => {
                        let step = 10i64.pow(5 - u32::from(digits.min(5)));
                        self.field(field) / step * step
                    }
                    _ => self.field(field),
                }
            } else if rank(field) < rank(from.start()) {
                now.field(field)
            } else {
                i64::from(matches!(field, Field::Month | Field::Day))
            };
            result.set(field, value);
        }
        if to.contains(Field::Day) && to.contains(Field::Month) {
            let year = if to.contains(Field::Year) { result.year } else { 4 };
            if result.day == 0 || result.day > days_in_month(year, result.month) {
                return Err(error(-1267, "the day does not exist in that month"));
            }
        }
        Ok(result)
    }

    /// Reads the text form of a qualifier; every field must be there. A year of two digits belongs to this century.
    pub(crate) fn parse(text: &str, qualifier: Qualifier) -> SqlResult<Self> {
        let mut reader = Reader::new(text);
        let mut result = Self::default();
        for (index, field) in qualifier.fields().enumerate() {
            if index > 0 || matches!(field, Field::Fraction(_)) {
                reader.separator(field, index > 0)?;
            }
            let (value, digits) = match field {
                Field::Year => reader.digits(4, if index == 0 { -1261 } else { -1264 })?,
                Field::Fraction(n) => reader.fraction(n)?,
                _ => reader.digits(2, if index == 0 { -1261 } else { -1264 })?,
            };
            let value = if field == Field::Year && digits <= 2 {
                value + 2000
            } else {
                value
            };
            let (low, high) = match field {
                Field::Year => (1, 9999),
                Field::Month => (1, 12),
                Field::Day => (1, 31),
                Field::Hour => (0, 23),
                Field::Minute | Field::Second => (0, 59),
                Field::Fraction(_) => (0, 99_999),
            };
            if !(low..=high).contains(&value) {
                return Err(error(-1263, format!("{} {value}", field.name())));
            }
            result.set(field, value);
        }
        reader.end()?;
        if qualifier.contains(Field::Month) && qualifier.contains(Field::Day) {
            let year = if qualifier.contains(Field::Year) {
                result.year
            } else {
                4
            };
            if result.day > days_in_month(year, result.month) {
                return Err(error(-1263, "the day does not exist in that month"));
            }
        }
        Ok(result)
    }

    /// From the stored form of this qualifier.
    pub(crate) fn unpack(bytes: &[u8], qualifier: Qualifier) -> SqlResult<Self> {
        let value = DateTime::from_packed_bytes(bytes, qualifier).map_err(|e| error(-1263, e.to_string()))?;
        Ok(value.map(|v| Self::from_value(&v)).unwrap_or_default())
    }

    /// The fields of a DATETIME.
    pub(crate) fn from_value(value: &DateTime) -> Self {
        let parts = value.parts();
        Self {
            year: i32::from(parts.year),
            month: parts.month,
            day: parts.day,
            hour: parts.hour,
            minute: parts.minute,
            second: parts.second,
            fraction: parts.fraction,
        }
    }

    /// As a DATETIME of this qualifier.
    pub(crate) fn value(self, qualifier: Qualifier) -> SqlResult<DateTime> {
        let parts = Parts {
            year: u16::try_from(self.year).unwrap_or(0),
            month: self.month,
            day: self.day,
            hour: self.hour,
            minute: self.minute,
            second: self.second,
            fraction: self.fraction,
        };
        DateTime::new(qualifier, parts).map_err(|e| error(-1263, e.to_string()))
    }

    /// The stored form.
    pub(crate) fn pack(self, qualifier: Qualifier) -> SqlResult<Vec<u8>> {
        self.value(qualifier)?
            .to_packed_bytes()
            .map_err(|e| error(-1263, e.to_string()))
    }
}

/// 0 YEAR … 6 FRACTION.
pub(crate) fn rank(field: Field) -> u8 {
    match field {
        Field::Year => 0,
        Field::Month => 1,
        Field::Day => 2,
        Field::Hour => 3,
        Field::Minute => 4,
        Field::Second => 5,
        Field::Fraction(_) => 6,
    }
}

/// The field of a rank; a fraction gets `digits`.
pub(crate) fn field_of_rank(rank: u8, digits: u8) -> Field {
    match rank {
        0 => Field::Year,
        1 => Field::Month,
        2 => Field::Day,
        3 => Field::Hour,
        4 => Field::Minute,
        5 => Field::Second,
        _ => Field::Fraction(digits),
    }
}

/// What stands before a field that is not the first.
fn separator(field: Field) -> char {
    match field {
        Field::Year | Field::Month | Field::Day => '-',
        Field::Hour => ' ',
        Field::Minute | Field::Second => ':',
        Field::Fraction(_) => '.',
    }
}

/// Units of 10^-5 s in one of a field of a day-time interval; months for YEAR and MONTH.
pub(crate) fn unit_of(field: Field) -> i64 {
    match field {
        Field::Year => 12,
        Field::Month => 1,
        Field::Day => UNITS_PER_DAY,
        Field::Hour => 3600 * UNITS_PER_SECOND,
        Field::Minute => 60 * UNITS_PER_SECOND,
        Field::Second => UNITS_PER_SECOND,
        Field::Fraction(_) => 1,
    }
}

/// Size of the smallest step that a qualifier shows.
fn step_of(qualifier: Qualifier) -> i64 {
    match qualifier.end() {
        Field::Fraction(digits) => 10i64.pow(5 - u32::from(digits.min(5))),
        other => unit_of(other),
    }
}

/// An INTERVAL amount (months, or 10^-5 s) cut to what a qualifier shows; -1265 when the first field needs more
/// digits than its precision.
pub(crate) fn fit_interval(amount: i64, qualifier: Qualifier) -> SqlResult<i64> {
    let step = step_of(qualifier);
    let cut = amount / step * step;
    let first = match qualifier.start() {
        Field::Fraction(_) => cut.unsigned_abs() / UNITS_PER_SECOND.unsigned_abs(),
        start => cut.unsigned_abs() / unit_of(start).unsigned_abs(),
    };
    let limit = match qualifier.start() {
        Field::Fraction(_) => 1,
        _ => 10u64.pow(u32::from(qualifier.precision())),
    };
    if first >= limit {
        return Err(error(
            -1265,
            format!("does not fit interval {}", qualifier.interval_name()),
        ));
    }
    Ok(cut)
}

/// Reads the text of an INTERVAL.
pub(crate) fn parse_interval(text: &str, qualifier: Qualifier) -> SqlResult<i64> {
    let trimmed = text.trim();
    let (negative, body) = match trimmed.as_bytes().first() {
        Some(b'-') => (true, trimmed.get(1..).unwrap_or_default()),
        Some(b'+') => (false, trimmed.get(1..).unwrap_or_default()),
        _ => (false, trimmed),
    };
    let mut reader = Reader::new(body);
    let mut amount = 0i64;
    for (index, field) in qualifier.fields().enumerate() {
        // `INTERVAL (1) SECOND(9) TO FRACTION` (H: Hibernate's dialect adds seconds with it).
        if index > 0 && matches!(field, Field::Fraction(_)) && reader.peek().is_none() {
            break;
        }
        if index > 0 || matches!(field, Field::Fraction(_)) {
            reader.separator(field, index > 0)?;
        }
        if reader.peek() == Some('-') {
            return Err(error(-1270, "a minus sign stands before the first field only"));
        }
        let (value, _) = match field {
            Field::Fraction(n) => reader.fraction(n)?,
            _ if index == 0 => reader.digits(usize::from(qualifier.precision()), -1261)?,
            _ => reader.digits(2, -1264)?,
        };
        let limit = match field {
            _ if index == 0 => i64::MAX,
            Field::Month => 11,
            Field::Hour => 23,
            Field::Minute | Field::Second => 59,
            _ => i64::MAX,
        };
        if value > limit {
            return Err(error(-1263, format!("{} {value}", field.name())));
        }
        amount += value * unit_of(field);
    }
    reader.end()?;
    Ok(if negative { -amount } else { amount })
}

/// From the stored form of an INTERVAL of this qualifier to months or 10^-5 s.
pub(crate) fn unpack_interval(bytes: &[u8], qualifier: Qualifier) -> SqlResult<i64> {
    let value = Interval::from_packed_bytes(bytes, qualifier).map_err(|e| error(-1265, e.to_string()))?;
    Ok(value.map_or(0, |v| interval_amount(&v)))
}

/// Months or 10^-5 s.
pub(crate) fn interval_amount(interval: &Interval) -> i64 {
    interval.months().or_else(|| interval.units()).unwrap_or(0)
}

/// An amount as an INTERVAL of this qualifier; -1265 when it does not fit.
pub(crate) fn interval_value(amount: i64, qualifier: Qualifier) -> SqlResult<Interval> {
    let amount = fit_interval(amount, qualifier)?;
    let value = if qualifier.is_year_month() {
        Interval::from_months(amount, qualifier)
    } else {
        Interval::from_units(amount, qualifier)
    };
    value.map_err(|e| error(-1265, e.to_string()))
}

/// The stored form of an interval amount; -1265 when it does not fit the qualifier.
pub(crate) fn pack_interval(amount: i64, qualifier: Qualifier) -> SqlResult<Vec<u8>> {
    interval_value(amount, qualifier)?
        .to_packed_bytes()
        .map_err(|e| error(-1265, e.to_string()))
}

/// Reads digits and separators of DATETIME and INTERVAL texts.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.trim() }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// A number of at most `max` digits and how many it had; more digits give `too_many`.
    fn digits(&mut self, max: usize, too_many: i32) -> SqlResult<(i64, usize)> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err(match self.peek() {
                None => error(-1263, "a field is missing"),
                Some(c) => error(-1262, format!("{c:?} is no digit")),
            });
        }
        if count > max {
            return Err(error(too_many, format!("more than {max} digits")));
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits
            .parse()
            .map(|value| (value, count))
            .map_err(|_| error(-1261, "too many digits"))
    }

    /// Up to `digits` digits behind the point, in 10^-5 s; fewer are filled with zeros.
    fn fraction(&mut self, digits: u8) -> SqlResult<(i64, usize)> {
        let (value, count) = self.digits(usize::from(digits), -1264)?;
        Ok((value * 10i64.pow(5 - (count as u32).min(5)), count))
    }

    /// The separator before `field`; a point may be left out when the text begins with the fraction.
    fn separator(&mut self, field: Field, required: bool) -> SqlResult<()> {
        let wanted = separator(field);
        match self.peek() {
            Some(c) if c == wanted => {
                self.rest = self.rest.get(1..).unwrap_or_default();
                if wanted == ' ' {
                    self.rest = self.rest.trim_start();
                }
                Ok(())
            }
            _ if !required => Ok(()),
            None => Err(error(-1263, format!("{} is missing", field.name()))),
            Some(_) if wanted == '.' => Err(error(-1271, "the point before the fraction is missing")),
            Some(c) if c.is_ascii_digit() => Err(error(-1261, "too many digits")),
            Some(c) => Err(error(-1262, format!("{c:?} instead of {wanted:?}"))),
        }
    }

    fn end(&self) -> SqlResult<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(error(-1264, format!("{:?} is left over", self.rest)))
        }
    }
}
