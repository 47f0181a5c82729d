//! DATE: days since 1899-12-31, and the civil (proleptic Gregorian) calendar.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Days from 0000-03-01 to 1899-12-31.
const EPOCH_FROM_MARCH_0: i32 = 693_900;

/// A DATE between 0001-01-01 and 9999-12-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    days: i32,
}

/// Whether `year` is a leap year of the Gregorian calendar.
#[must_use]
pub const fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month (1-12) in a year; 0 for another month.
#[must_use]
pub const fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap_year(year) => 29,
        2 => 28,
        _ => 0,
    }
}

impl Date {
    /// 0001-01-01
    pub const MIN: Self = Self { days: -693_594 };
    /// 9999-12-31
    pub const MAX: Self = Self { days: 2_958_464 };
    /// 1899-12-31, day 0
    pub const EPOCH: Self = Self { days: 0 };

    /// Date from its day number, day 0 = 1899-12-31.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] outside the years 1 to 9999.
    pub fn from_days(days: i32) -> Result<Self> {
        if (Self::MIN.days..=Self::MAX.days).contains(&days) {
            Ok(Self { days })
        } else {
            Err(Error::range(format!("day number {days} (years 1 to 9999)")))
        }
    }

    /// Date from year 1-9999, month 1-12 and day.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when there is no such day.
    pub fn from_ymd(year: i32, month: u8, day: u8) -> Result<Self> {
        if !(1..=9999).contains(&year) || day == 0 || day > days_in_month(year, month) {
            return Err(Error::range(format!("date {year:04}-{month:02}-{day:02}")));
        }
        // Years start in March, so that the leap day is the last one (Howard Hinnant's civil-day algorithm).
        let (month, day) = (i32::from(month), i32::from(day));
        let shifted = year - i32::from(month <= 2);
        let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Ok(Self {
            days: era * 146_097 + day_of_era - EPOCH_FROM_MARCH_0,
        })
    }

    /// Days since 1899-12-31.
    #[must_use]
    pub const fn days(self) -> i32 {
        self.days
    }

    /// Year, month and day.
    #[must_use]
    pub const fn ymd(self) -> (i32, u8, u8) {
        let days = self.days + EPOCH_FROM_MARCH_0;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 {
            shifted_month + 3
        } else {
            shifted_month - 9
        };
        let year = era * 400 + year_of_era + (month <= 2) as i32;
        (year, month as u8, day as u8)
    }

    /// Year 1-9999.
    #[must_use]
    pub const fn year(self) -> i32 {
        self.ymd().0
    }

    /// Month 1-12.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.ymd().1
    }

    /// Day of the month.
    #[must_use]
    pub const fn day(self) -> u8 {
        self.ymd().2
    }

    /// Day of the week as SQL's WEEKDAY counts: 0 Sunday … 6 Saturday.
    #[must_use]
    pub const fn weekday(self) -> u8 {
        // 1899-12-31 was a Sunday.
        self.days.rem_euclid(7) as u8
    }

    /// The date `days` later.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] outside the years 1 to 9999.
    pub fn add_days(self, days: i64) -> Result<Self> {
        let sum = i64::from(self.days).saturating_add(days);
        i32::try_from(sum)
            .map_err(|_| Error::range("date (years 1 to 9999)"))
            .and_then(Self::from_days)
    }

    /// The date `months` later; `None` when the day does not exist in that month or the year is out of range.
    #[must_use]
    pub fn add_months(self, months: i64) -> Option<Self> {
        let (year, month, day) = self.ymd();
        let index = (i64::from(year) * 12 + i64::from(month) - 1).checked_add(months)?;
        let year = i32::try_from(index.div_euclid(12)).ok()?;
        Self::from_ymd(year, index.rem_euclid(12) as u8 + 1, day).ok()
    }
}

/// ISO form `2024-05-06`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Parses the ISO form `2024-05-06`.
impl FromStr for Date {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let mut parts = text.trim().splitn(3, '-');
            let mut part = |max: usize| {
                let part = parts.next()?;
                if part.is_empty() || part.len() > max || !part.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                part.parse::<i32>().ok()
            };
            Some((part(4)?, part(2)? as u8, part(2)? as u8))
        };
        let (year, month, day) = parse().ok_or_else(|| Error::syntax("DATE", text))?;
        Self::from_ymd(year, month, day)
    }
}
