//! The masks of TO_CHAR and TO_DATE.
//!
//! Directives are those of GL_DATE and GL_DATETIME in the vendor's GLS guide, with English names:
//! `%a %A %b %B %C %d %D %e %Fn %h %H %I %iy %iY %m %M %n %p %r %R %S %t %T %w %x %X %y %Y %%`.
//! `%Fn` gives n digits (default 2) of the fraction; a point is put before them unless one stands there already (whether a server does
//! so is unconfirmed; both spellings, `%S%F3` and `%S.%F3`, are in use).

use informix_types::{Date, Field, Qualifier};

use super::moment::Moment;
use super::number::Number;
use crate::error::{SqlError, SqlResult};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The first three letters of a name.
fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// A directive: letter, `i` before it, digits behind it.
struct Directive {
    letter: char,
    informix: bool,
    digits: Option<u8>,
}

/// Splits a mask into literal characters and directives.
fn directives(mask: &str) -> Vec<Result<Directive, char>> {
    let mut out = Vec::new();
    let mut chars = mask.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(Err(c));
            continue;
        }
        // Width and precision before the letter, as `%3F` or `%-d`.
        let mut digits = None;
        while let Some(&d) = chars.peek() {
            match d.to_digit(10) {
                Some(value) => digits = Some(value as u8),
                None if d == '-' || d == '.' => {}
                None => break,
            }
            chars.next();
        }
        let Some(mut letter) = chars.next() else {
            out.push(Err('%'));
            break;
        };
        let informix = letter == 'i';
        if informix || letter == 'E' || letter == 'O' {
            letter = chars.next().unwrap_or('i');
        }
        if letter == 'F'
            && let Some(value) = chars.peek().and_then(|d| d.to_digit(10))
        {
            digits = Some(value as u8);
            chars.next();
        }
        if letter == '%' {
            out.push(Err('%'));
        } else {
            out.push(Ok(Directive {
                letter,
                informix,
                digits,
            }));
        }
    }
    out
}

/// A point in time by a mask.
pub(crate) fn format(mask: &str, at: Moment) -> String {
    let mut out = String::new();
    let date = at.date().ok();
    let weekday = date.map_or(0, |d| usize::from(d.weekday()));
    let month = MONTHS
        .get(usize::from(at.month).wrapping_sub(1))
        .copied()
        .unwrap_or("");
    let day = DAYS.get(weekday).copied().unwrap_or("");
    for part in directives(mask) {
        let directive = match part {
            Ok(directive) => directive,
            Err(c) => {
                out.push(c);
                continue;
            }
        };
        let hour12 = if at.hour.is_multiple_of(12) {
            12
        } else {
            at.hour % 12
        };
        match directive.letter {
            'a' => out.push_str(short(day)),
            'A' => out.push_str(day),
            'b' | 'h' => out.push_str(short(month)),
            'B' => out.push_str(month),
            'C' => out.push_str(&format!("{:02}", at.year / 100)),
            'd' => out.push_str(&format!("{:02}", at.day)),
            'D' | 'x' => out.push_str(&format!("{:02}/{:02}/{:02}", at.month, at.day, at.year % 100)),
            'e' => out.push_str(&format!("{:2}", at.day)),
            'F' => {
                let digits = usize::from(directive.digits.unwrap_or(2).min(5));
                if digits > 0 {
                    if !out.ends_with('.') {
                        out.push('.');
                    }
                    out.push_str(format!("{:05}", at.fraction).get(..digits).unwrap_or_default());
                }
            }
            'H' => out.push_str(&format!("{:02}", at.hour)),
            'I' => out.push_str(&format!("{hour12:02}")),
            'j' => {
                let first = Date::from_ymd(at.year, 1, 1).ok();
                let number = date.zip(first).map_or(0, |(d, f)| d.days() - f.days() + 1);
                out.push_str(&format!("{number:03}"));
            }
            'm' => out.push_str(&format!("{:02}", at.month)),
            'M' => out.push_str(&format!("{:02}", at.minute)),
            'n' => out.push('\n'),
            'p' => out.push_str(if at.hour < 12 { "AM" } else { "PM" }),
            'r' => out.push_str(&format!(
                "{hour12:02}:{:02}:{:02} {}",
                at.minute,
                at.second,
                if at.hour < 12 { "AM" } else { "PM" }
            )),
            'R' => out.push_str(&format!("{:02}:{:02}", at.hour, at.minute)),
            'S' => out.push_str(&format!("{:02}", at.second)),
            't' => out.push('\t'),
            'T' | 'X' => out.push_str(&format!("{:02}:{:02}:{:02}", at.hour, at.minute, at.second)),
            'w' => out.push_str(&weekday.to_string()),
            'y' => out.push_str(&format!("{:02}", at.year % 100)),
            'Y' => out.push_str(&format!("{:04}", at.year)),
            other => {
                out.push('%');
                if directive.informix {
                    out.push('i');
                }
                out.push(other);
            }
        }
    }
    out
}

/// Reads a text by a mask. Fields that the mask lacks: month and day 1, time 0, year from `today`.
///
/// -1277 when the text does not match, -1263 when a field is out of range.
pub(crate) fn parse(text: &str, mask: &str, today: Date) -> SqlResult<Moment> {
    let fail = |why: &str| SqlError::new(-1277).because(format!("{text:?} by {mask:?}: {why}"));
    let mut at = Moment {
        year: today.year(),
        month: 1,
        day: 1,
        ..Moment::default()
    };
    let mut rest = text.trim();
    let mut afternoon = None;
    // Compound directives are read as their parts.
    let mask = mask
        .replace("%D", "%m/%d/%y")
        .replace("%T", "%H:%M:%S")
        .replace("%R", "%H:%M")
        .replace("%r", "%I:%M:%S %p");
    for part in directives(mask.trim()) {
        let directive = match part {
            Ok(directive) => directive,
            Err(c) if c.is_whitespace() => {
                rest = rest.trim_start();
                continue;
            }
            Err(c) => {
                rest = rest
                    .strip_prefix(c)
                    .ok_or_else(|| fail(&format!("{c:?} expected")))?;
                continue;
            }
        };
        let mut number = |max: usize| -> SqlResult<i64> {
            let trimmed = rest.trim_start();
            let count = trimmed.bytes().take(max).take_while(u8::is_ascii_digit).count();
            let (digits, tail) = trimmed.split_at(count);
            rest = tail;
            digits.parse().map_err(|_| fail("digits expected"))
        };
        let ranged = |value: i64, low: i64, high: i64| {
            if (low..=high).contains(&value) {
                Ok(value)
            } else {
                Err(SqlError::new(-1263).because(format!("{value} in {text:?}")))
            }
        };
        match directive.letter {
            'Y' => at.year = ranged(number(4)?, 1, 9999)? as i32,
            'y' => at.year = today.year() / 100 * 100 + number(2)? as i32,
            'm' => at.month = ranged(number(2)?, 1, 12)? as u8,
            'd' | 'e' => at.day = ranged(number(2)?, 1, 31)? as u8,
            'H' => at.hour = ranged(number(2)?, 0, 23)? as u8,
            'I' => at.hour = (ranged(number(2)?, 0, 12)? % 12) as u8,
            'M' => at.minute = ranged(number(2)?, 0, 59)? as u8,
            'S' => at.second = ranged(number(2)?, 0, 59)? as u8,
            'F' => {
                rest = rest.strip_prefix('.').unwrap_or(rest);
                let count = rest.bytes().take_while(u8::is_ascii_digit).count();
                let (digits, tail) = rest.split_at(count);
                rest = tail;
                let five: String = digits.chars().chain(std::iter::repeat('0')).take(5).collect();
                at.fraction = five.parse().map_err(|_| fail("fraction expected"))?;
            }
            'b' | 'B' | 'h' => {
                let (index, length) = name(rest, &MONTHS).ok_or_else(|| fail("month name expected"))?;
                at.month = index as u8 + 1;
                rest = rest.get(length..).unwrap_or_default();
            }
            'a' | 'A' => {
                let (_, length) = name(rest, &DAYS).ok_or_else(|| fail("weekday name expected"))?;
                rest = rest.get(length..).unwrap_or_default();
            }
            'p' => {
                let word = rest.get(..2).unwrap_or_default().to_ascii_uppercase();
                afternoon = match word.as_str() {
                    "AM" => Some(false),
                    "PM" => Some(true),
                    _ => return Err(fail("AM or PM expected")),
                };
                rest = rest.get(2..).unwrap_or_default();
            }
            'n' | 't' => rest = rest.trim_start(),
            other => return Err(fail(&format!("%{other} cannot be read"))),
        }
    }
    if !rest.trim().is_empty() {
        return Err(fail("text is left over"));
    }
    if afternoon == Some(true) {
        at.hour = at.hour % 12 + 12;
    }
    at.date()?;
    Ok(at)
}

/// Which name the text begins with, in full or by its first three letters, and how long it is.
fn name(text: &str, names: &[&str]) -> Option<(usize, usize)> {
    names.iter().enumerate().find_map(|(index, name)| {
        let begins = |n: &str| text.get(..n.len()).is_some_and(|t| t.eq_ignore_ascii_case(n));
        if begins(name) {
            Some((index, name.len()))
        } else {
            begins(short(name)).then_some((index, 3))
        }
    })
}

/// A number by a mask of `#` (digit or blank), `&` (digit or zero), `*` (digit or star), `<` (digit, left-justified), `.`, `,`,
/// `-`, `+`, `(`, `)`, `$` and `9`, `0` as the digits of other dialects. Stars where it does not fit.
pub(crate) fn format_number(mask: &str, number: Number) -> String {
    let fraction_places = mask
        .split_once('.')
        .map_or(0, |(_, f)| f.chars().filter(|c| "#&*<90".contains(*c)).count());
    let whole_places = mask
        .split('.')
        .next()
        .map_or(0, |w| w.chars().filter(|c| "#&*<90".contains(*c)).count());
    let Some(scaled) = number.with_scale(fraction_places as i32) else {
        return "*".repeat(mask.len());
    };
    let digits = format!("{:0>width$}", scaled.coefficient, width = fraction_places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - fraction_places);
    let whole = whole.trim_start_matches('0');
    if whole.len() > whole_places {
        return "*".repeat(mask.len());
    }
    let mut whole_digits: Vec<Option<char>> = vec![None; whole_places - whole.len()];
    whole_digits.extend(whole.chars().map(Some));
    let mut whole_digits = whole_digits.into_iter();
    let mut fraction_digits = fraction.chars();
    let (mut out, mut behind, mut started, mut signed) = (String::new(), false, false, false);
    for c in mask.chars() {
        match c {
            '.' => {
                behind = true;
                out.push('.');
            }
            '#' | '&' | '*' | '<' | '9' | '0' if behind => out.extend(fraction_digits.next()),
            '#' | '&' | '*' | '<' | '9' | '0' => match whole_digits.next().flatten() {
                Some(d) => {
                    started = true;
                    out.push(d);
                }
                None => match c {
                    '&' | '0' => {
                        started = true;
                        out.push('0');
                    }
                    '*' => out.push('*'),
                    '<' => {}
                    _ => out.push(' '),
                },
            },
            ',' if started => out.push(','),
            ',' => out.push(' '),
            '-' | '(' | ')' => {
                signed = true;
                out.push(if number.negative { c } else { ' ' });
            }
            '+' => {
                signed = true;
                out.push(if number.negative { '-' } else { '+' });
            }
            other => out.push(other),
        }
    }
    if number.negative && !signed {
        let blanks = out.len() - out.trim_start().len();
        out.insert(blanks, '-');
    }
    out
}

/// The unit names of ROUND and TRUNC on times: the field that stays. None for an unknown one.
pub(crate) fn unit(name: &str) -> Option<Field> {
    Some(match name.trim().to_ascii_uppercase().as_str() {
        "YEAR" | "YYYY" => Field::Year,
        "MONTH" | "MM" => Field::Month,
        "DD" | "DAY" => Field::Day,
        "HH" | "HH24" | "HH12" => Field::Hour,
        "MI" => Field::Minute,
        _ => return None,
    })
}

/// A moment cut to a field, or rounded to it: from July, the 16th, noon, the 30th minute or second on upwards.
pub(crate) fn round_moment(at: Moment, field: Field, up: bool) -> SqlResult<Moment> {
    let to =
        Qualifier::datetime(Field::Year, field).map_err(|e| SqlError::new(-1268).because(e.to_string()))?;
    let whole = Qualifier::YEAR_TO_FRACTION5;
    let cut = at.extended(whole, to, at)?.extended(to, whole, at)?;
    if !up {
        return Ok(cut);
    }
    let half = match field {
        Field::Year => at.month >= 7,
        Field::Month => at.day >= 16,
        Field::Day => at.hour >= 12,
        Field::Hour => at.minute >= 30,
        _ => at.second >= 30,
    };
    if !half {
        return Ok(cut);
    }
    let (amount, months) = match field {
        Field::Year => (12, true),
        Field::Month => (1, true),
        other => (super::moment::unit_of(other), false),
    };
    super::runtime::shift(cut, whole, amount, months)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Moment {
        Moment {
            year: 2024,
            month: 5,
            day: 6,
            hour: 17,
            minute: 8,
            second: 9,
            fraction: 12_345,
        }
    }

    #[test]
    fn dates_by_mask() {
        for (mask, expected) in [
            ("%A %B %d, %Y %R", "Monday May 06, 2024 17:08"),
            ("%iY-%m-%d %H:%M:%S%F3", "2024-05-06 17:08:09.123"),
            ("%Y%m%d%H%M%S.%F5", "20240506170809.12345"),
            ("%a %b %e %y %I:%M %p", "Mon May  6 24 05:08 PM"),
            ("%D %T %j %w", "05/06/24 17:08:09 127 1"),
            ("100%%", "100%"),
            ("%Q", "%Q"),
        ] {
            assert_eq!(format(mask, at()), expected, "{mask}");
        }
    }

    #[test]
    fn texts_by_mask() {
        let today = Date::from_ymd(2024, 5, 6).expect("day");
        let read = |text: &str, mask: &str| {
            parse(text, mask, today)
                .and_then(|m| m.value(Qualifier::YEAR_TO_FRACTION5))
                .map(|v| v.to_string())
                .map_err(|e| e.sqlcode)
        };
        let good = |text: &str| Ok(text.to_owned());
        assert_eq!(read("2024-05-06", "%Y-%m-%d"), good("2024-05-06 00:00:00.00000"));
        assert_eq!(
            read("20031231030112", "%Y%m%d%H%M%S"),
            good("2003-12-31 03:01:12.00000")
        );
        assert_eq!(
            read("6 May 2024 5:08 pm", "%d %B %Y %I:%M %p"),
            good("2024-05-06 17:08:00.00000")
        );
        assert_eq!(
            read("2024-05-06 07:08:09.123", "%Y-%m-%d %H:%M:%S%F3"),
            good("2024-05-06 07:08:09.12300")
        );
        assert_eq!(read("2024-05-06x", "%Y-%m-%d"), Err(-1277));
        assert_eq!(read("2024/05/06", "%Y-%m-%d"), Err(-1277));
        assert_eq!(read("2024-13-06", "%Y-%m-%d"), Err(-1263));
        assert_eq!(read("2024-02-30", "%Y-%m-%d"), Err(-1263));
    }

    #[test]
    fn numbers_by_mask() {
        for (mask, number, expected) in [
            ("###,###.&&", "1234.5", "  1,234.50"),
            ("$&&&&.&&", "-12.345", "-$0012.35"),
            ("****", "12", "**12"),
            ("<<<", "5", "5"),
            ("##", "123", "**"),
            ("-###", "-5", "-  5"),
            ("99.9", "0.25", "  .3"),
        ] {
            let number = Number::parse(number).expect("number");
            assert_eq!(format_number(mask, number), expected, "{mask} {number:?}");
        }
    }
}
