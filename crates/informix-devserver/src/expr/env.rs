//! What expressions need to know about the session: clock, user, date order, code set, database mode.

use std::sync::Arc;

use informix_types::{Date, TextCodec};

use super::moment::{Moment, UNITS_PER_DAY};
use crate::error::{SqlError, SqlResult};

/// How many bytes a character takes in the database's code set: lengths of CHAR and VARCHAR are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CharWidth {
    /// One byte each (ISO 8859, PC code pages).
    Single,
    /// UTF-8.
    #[default]
    Utf8,
    /// One byte for ASCII, two for others (East Asian double-byte sets).
    Double,
}

impl CharWidth {
    /// Bytes of one character.
    #[must_use]
    pub fn of(self, c: char) -> usize {
        match self {
            Self::Single => 1,
            Self::Utf8 => c.len_utf8(),
            Self::Double => 1 + usize::from(!c.is_ascii()),
        }
    }

    /// Bytes of a text.
    #[must_use]
    pub fn length(self, text: &str) -> usize {
        if self == Self::Utf8 || text.is_ascii() {
            text.len()
        } else {
            text.chars().map(|c| self.of(c)).sum()
        }
    }

    /// The longest beginning of a text that fits `bytes`, cut between characters.
    #[must_use]
    pub fn prefix(self, text: &str, bytes: usize) -> &str {
        if text.len() <= bytes {
            return text;
        }
        let mut used = 0;
        for (at, c) in text.char_indices() {
            used += self.of(c);
            if used > bytes {
                return text.get(..at).unwrap_or_default();
            }
        }
        text
    }
}

/// Order, separator and year width of DATE texts: DBDATE, default `MDY4/` (`informix-sql.md` 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFormat {
    /// The letters D, M, Y in their order.
    order: [u8; 3],
    /// Digits of the year, 2 or 4.
    year_digits: u8,
    /// Between the parts; None for `0`.
    separator: Option<char>,
}

impl Default for DateFormat {
    fn default() -> Self {
        Self {
            order: *b"MDY",
            year_digits: 4,
            separator: Some('/'),
        }
    }
}

impl DateFormat {
    /// Reads a DBDATE value such as `DMY4.`, `Y4MD-`, `MDY2/`; None when it is none.
    #[must_use]
    pub fn parse(dbdate: &str) -> Option<Self> {
        let mut order = Vec::with_capacity(3);
        let mut format = Self {
            year_digits: 4,
            ..Self::default()
        };
        let mut chars = dbdate.trim().chars().peekable();
        while let Some(&c) = chars.peek() {
            match c.to_ascii_uppercase() {
                letter @ ('D' | 'M' | 'Y') if order.len() < 3 => {
                    order.push(letter as u8);
                    chars.next();
                    if letter == 'Y'
                        && let Some(digits @ ('2' | '4')) = chars.peek().copied()
                    {
                        format.year_digits = digits as u8 - b'0';
                        chars.next();
                    }
                }
                _ => break,
            }
        }
        format.order = order.try_into().ok()?;
        let mut sorted = format.order;
        sorted.sort_unstable();
        if sorted != *b"DMY" {
            return None;
        }
        match chars.next() {
            None => {}
            Some('0') => format.separator = None,
            Some(c) if "/.-".contains(c) => format.separator = Some(c),
            Some(_) => return None,
        }
        Some(format)
    }

    /// Text of a date.
    #[must_use]
    pub fn text(self, date: Date) -> String {
        let (year, month, day) = date.ymd();
        let mut out = String::with_capacity(10);
        for (index, part) in self.order.iter().enumerate() {
            if index > 0 {
                out.extend(self.separator);
            }
            match part {
                b'Y' if self.year_digits == 2 => out.push_str(&format!("{:02}", year % 100)),
                b'Y' => out.push_str(&format!("{year:04}")),
                b'M' => out.push_str(&format!("{month:02}")),
                _ => out.push_str(&format!("{day:02}")),
            }
        }
        out
    }

    /// Reads a date: three numbers in this order with any of `/ . - ,` or blanks between, or 6 or 8 digits without.
    ///
    /// Two-digit years get the century of `today` (DBCENTURY's default R).
    ///
    /// # Errors
    /// -1218 no date, -1204 year, -1205 month, -1206 day, -1209 number of digits (`error-codes.md`).
    pub fn read(self, text: &str, today: Date) -> SqlResult<Date> {
        let bad = |code: i32| SqlError::new(code).because(format!("{text:?} is no date"));
        let trimmed = text.trim();
        let mut parts: Vec<&str> = Vec::with_capacity(3);
        if trimmed.bytes().all(|b| b.is_ascii_digit()) && !trimmed.is_empty() {
            let year_digits = match trimmed.len() {
                6 => 2,
                8 => 4,
                _ => return Err(bad(-1209)),
            };
            let mut rest = trimmed;
            for part in self.order {
                let (head, tail) = rest.split_at(if part == b'Y' { year_digits } else { 2 });
                parts.push(head);
                rest = tail;
            }
        } else {
            parts.extend(trimmed.split(['/', '.', '-', ',', ' ']).filter(|p| !p.is_empty()));
        }
        let (mut year, mut month, mut day) = (0i32, 0i32, 0i32);
        if parts.len() != 3
            || parts
                .iter()
                .any(|p| p.len() > 4 || !p.bytes().all(|b| b.is_ascii_digit()))
        {
            return Err(bad(-1218));
        }
        for (order, part) in self.order.iter().zip(&parts) {
            let number: i32 = part.parse().map_err(|_| bad(-1218))?;
            match order {
                b'Y' => {
                    year = if part.len() <= 2 {
                        number + today.year() / 100 * 100
                    } else {
                        number
                    }
                }
                b'M' => month = number,
                _ => day = number,
            }
        }
        if !(1..=9999).contains(&year) {
            return Err(bad(-1204));
        }
        if !(1..=12).contains(&month) {
            return Err(bad(-1205));
        }
        Date::from_ymd(year, month as u8, u8::try_from(day).unwrap_or(0)).map_err(|_| bad(-1206))
    }
}

/// A point in the session's local time: what CURRENT, SYSDATE and TODAY stand for during one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// The day.
    pub date: Date,
    /// Time since midnight in 10^-5 seconds.
    pub units: i64,
    /// Seconds since 1970-01-01 UTC, for `DBINFO('utc_current')`.
    pub utc_seconds: i64,
}

impl LocalTime {
    /// The time `seconds` (and 10^-5 s) after 1970-01-01 UTC, seen `offset_seconds` east of Greenwich.
    #[must_use]
    pub fn from_utc(seconds: i64, units: i64, offset_seconds: i64) -> Self {
        let local = seconds + offset_seconds;
        // 1970-01-01 is day 25568.
        let day = local.div_euclid(86_400).saturating_add(25_568);
        let date = i32::try_from(day)
            .ok()
            .and_then(|d| Date::from_days(d).ok())
            .unwrap_or(Date::EPOCH);
        let of_day = local.rem_euclid(86_400) * 100_000 + units.rem_euclid(100_000);
        Self {
            date,
            units: of_day.min(UNITS_PER_DAY - 1),
            utc_seconds: seconds,
        }
    }

    /// The system's clock now, in UTC.
    #[must_use]
    pub fn now_utc() -> Self {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Self::from_utc(since.as_secs() as i64, i64::from(since.subsec_micros()) / 10, 0)
    }

    pub(crate) fn moment(self) -> Moment {
        Moment::from_units(self.date, self.units)
    }
}

/// Answer of [`SessionFacts::dbinfo`].
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// SQL NULL.
    Null,
    /// A number.
    Integer(i64),
    /// A text.
    Text(String),
}

/// Smart large objects as SQL functions use them. A locator is the 72 bytes that a row holds.
pub trait LargeObjects {
    /// `ifx_lo_open`: a descriptor above 0.
    ///
    /// # Errors
    /// -9810, as all of these.
    fn open(&self, locator: &[u8]) -> SqlResult<i64>;
    /// `ifx_lo_close`.
    ///
    /// # Errors
    /// -9810 for a descriptor that is not open.
    fn close(&self, descriptor: i64) -> SqlResult<()>;
    /// LOTOFILE: the name of the file made.
    ///
    /// # Errors
    /// -9810 when there is no such object or no way to the file.
    fn export(&self, locator: &[u8], name: &str, place: &str) -> SqlResult<String>;
    /// FILETOBLOB, FILETOCLOB: the locator of the object made.
    ///
    /// # Errors
    /// -9810 when there is no way to the file.
    fn import(&self, name: &str, place: &str) -> SqlResult<Vec<u8>>;
    /// LOCOPY: the locator of the copy.
    ///
    /// # Errors
    /// -9810 when there is no such object.
    fn copy(&self, locator: &[u8]) -> SqlResult<Vec<u8>>;
}

/// What the functions of an expression ask about their session. Asked while a statement runs.
pub trait SessionFacts: Send + Sync + 'static {
    /// Start of the running statement: the same for all its rows.
    fn statement_time(&self) -> LocalTime;
    /// USER.
    fn user(&self) -> String;
    /// DBSERVERNAME, SITENAME.
    fn server_name(&self) -> String;
    /// CURRENT_ROLE and DEFAULT_ROLE; None is NULL.
    fn role(&self, default: bool) -> Option<String> {
        let _ = default;
        None
    }
    /// DBDATE of the session.
    fn date_format(&self) -> DateFormat {
        DateFormat::default()
    }
    /// Character widths of the open database's code set.
    fn char_width(&self) -> CharWidth {
        CharWidth::default()
    }
    /// Code set of the open database, in which the contents of TEXT are kept.
    fn text_codec(&self) -> TextCodec {
        TextCodec::UTF8
    }
    /// The open database is MODE ANSI: strings that are too long are an error.
    fn ansi(&self) -> bool {
        false
    }
    /// `DBINFO(option [, argument])`; the option in lower case, the argument as its text form.
    ///
    /// # Errors
    /// -728 for an unknown option.
    fn dbinfo(&self, option: &str, argument: Option<&str>) -> SqlResult<Fact> {
        let _ = argument;
        Err(SqlError::new(-728).because(format!("dbinfo option {option:?}")))
    }
    /// The session's smart large objects.
    fn large_objects(&self) -> Option<&dyn LargeObjects> {
        None
    }
    /// A built-in of the engine's side (sequence values, `ifx_lo_…`, file transfer): `name` in lower case, arguments as
    /// their text forms.
    ///
    /// # Errors
    /// -674 when there is none.
    fn call(&self, name: &str, arguments: &[Fact]) -> SqlResult<Fact> {
        let _ = arguments;
        Err(SqlError::new(-674).token(name))
    }
}

/// Facts without a session, for tests and tools: UTC clock, user and server `informix`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSession;

impl SessionFacts for NoSession {
    fn statement_time(&self) -> LocalTime {
        LocalTime::now_utc()
    }

    fn user(&self) -> String {
        "informix".to_owned()
    }

    fn server_name(&self) -> String {
        "informix".to_owned()
    }
}

/// The facts as the functions share them.
pub type SharedFacts = Arc<dyn SessionFacts>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_formats() {
        let day = Date::from_ymd(2024, 5, 6).expect("day");
        for (dbdate, text) in [
            ("MDY4/", "05/06/2024"),
            ("DMY4.", "06.05.2024"),
            ("Y4MD-", "2024-05-06"),
            ("MDY2/", "05/06/24"),
            ("Y4MD0", "20240506"),
        ] {
            let format = DateFormat::parse(dbdate).expect(dbdate);
            assert_eq!(format.text(day), text, "{dbdate}");
            assert_eq!(format.read(text, day), Ok(day), "{dbdate}");
        }
        for bad in ["", "MDD4/", "YMDX", "MY"] {
            assert_eq!(DateFormat::parse(bad), None, "{bad}");
        }
        let code = |text: &str| DateFormat::default().read(text, day).map_err(|e| e.sqlcode);
        assert_eq!(code("5-6-24"), Ok(day));
        assert_eq!(code("050624"), Ok(day));
        assert_eq!(code("13/01/2024"), Err(-1205));
        assert_eq!(code("02/30/2024"), Err(-1206));
        assert_eq!(code("01/01/0000"), Err(-1204));
        assert_eq!(code("2024-05-06"), Err(-1205));
        assert_eq!(code("hello"), Err(-1218));
        assert_eq!(code("12345"), Err(-1209));
    }

    #[test]
    fn widths() {
        assert_eq!(CharWidth::Utf8.prefix("aäb", 2), "a");
        assert_eq!(CharWidth::Single.prefix("aäb", 2), "aä");
        assert_eq!(CharWidth::Double.length("aä"), 3);
    }

    #[test]
    fn clock() {
        let time = LocalTime::from_utc(86_399, 99_999, 0);
        assert_eq!((time.date.ymd(), time.units), ((1970, 1, 1), UNITS_PER_DAY - 1));
        assert_eq!(LocalTime::from_utc(0, 0, -3600).date.ymd(), (1969, 12, 31));
    }
}
