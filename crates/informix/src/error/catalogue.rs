//! The error catalogue: number, SQLSTATE, DB-API class, flags and text of every known code.
//!
//! The data is `data/errors.tsv`, read once. The same table serves every face of the client, so that
//! a code means the same in Rust, in Python and in the shell.

use std::sync::OnceLock;

const SOURCE: &str = include_str!("../../data/errors.tsv");

/// DB-API 2.0 exception class of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// `DatabaseError` itself.
    Database,
    /// `DataError`.
    Data,
    /// `OperationalError`.
    Operational,
    /// `IntegrityError`.
    Integrity,
    /// `InternalError`.
    Internal,
    /// `ProgrammingError`.
    Programming,
    /// `NotSupportedError`.
    NotSupported,
    /// `InterfaceError`.
    Interface,
}

impl Class {
    /// Name of the exception class.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Database => "DatabaseError",
            Self::Data => "DataError",
            Self::Operational => "OperationalError",
            Self::Integrity => "IntegrityError",
            Self::Internal => "InternalError",
            Self::Programming => "ProgrammingError",
            Self::NotSupported => "NotSupportedError",
            Self::Interface => "InterfaceError",
        }
    }
}

/// One line of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// SQL or ISAM code.
    pub code: i32,
    /// SQLSTATE; `None` where the ISAM code or the message decides.
    pub sqlstate: Option<&'static str>,
    /// Class; `None` where the ISAM code decides, or the code is no error.
    pub class: Option<Class>,
    /// The same statement may succeed later.
    pub retry: bool,
    /// The connection is gone.
    pub disconnect: bool,
    /// Text; `{}` stands for the token.
    pub text: &'static str,
}

impl Entry {
    /// The text with the token of the error in its place, or behind it when the text has none.
    #[must_use]
    pub fn message(&self, token: &str) -> String {
        match (self.text.contains("{}"), token.is_empty()) {
            (true, true) => self
                .text
                .replace(" ({})", "")
                .replace(" {}", "")
                .replace("{}", "error raised by a routine"),
            (true, false) => self.text.replace("{}", token),
            (false, true) => self.text.to_owned(),
            (false, false) => format!("{} ({token})", self.text),
        }
    }
}

fn parse(line: &'static str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let code = fields.next()?.parse().ok()?;
    let sqlstate = fields.next().filter(|s| s.len() == 5);
    let class = match fields.next()? {
        "database" => Some(Class::Database),
        "data" => Some(Class::Data),
        "operational" => Some(Class::Operational),
        "integrity" => Some(Class::Integrity),
        "internal" => Some(Class::Internal),
        "programming" => Some(Class::Programming),
        "not_supported" => Some(Class::NotSupported),
        "interface" => Some(Class::Interface),
        _ => None,
    };
    let flags = fields.next()?;
    let text = fields.next()?;
    Some(Entry {
        code,
        sqlstate,
        class,
        retry: flags.contains("retry"),
        disconnect: flags.contains("disconnect"),
        text,
    })
}

/// Every entry, by ascending code.
#[must_use]
pub fn entries() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<Entry> = SOURCE.lines().filter_map(parse).collect();
        table.sort_by_key(|e| e.code);
        table
    })
}

/// The entry of a code.
#[must_use]
pub fn entry(code: i32) -> Option<&'static Entry> {
    let table = entries();
    table
        .binary_search_by_key(&code, |e| e.code)
        .ok()
        .and_then(|at| table.get(at))
}

/// Class of an SQL code with its ISAM code. Codes without an entry are classed by range.
#[must_use]
pub fn class(sqlcode: i32, isam: i32) -> Class {
    if let Some(found) = entry(sqlcode).and_then(|e| e.class) {
        return found;
    }
    if isam != 0
        && isam != sqlcode
        && entry(sqlcode).is_some()
        && let Some(found) = entry(isam).and_then(|e| e.class)
    {
        return found;
    }
    match -i64::from(sqlcode) {
        _ if entry(sqlcode).is_some() => Class::Database,
        200..=399 | 500..=599 | 650..=699 | 9600..=9999 | 19800..=19849 => Class::Programming,
        100..=199 | 600..=649 | 900..=960 | 12000..=12250 | 25500..=28099 => Class::Operational,
        1200..=1285 => Class::Data,
        1800..=1833 => Class::Interface,
        _ => Class::Database,
    }
}

/// SQLSTATE of an SQL code with its ISAM code; `IX000` where no standard class fits.
#[must_use]
pub fn sqlstate(sqlcode: i32, isam: i32) -> &'static str {
    if let Some(found) = entry(sqlcode).and_then(|e| e.sqlstate) {
        return found;
    }
    if entry(sqlcode).is_some()
        && isam != 0
        && let Some(found) = entry(isam).and_then(|e| e.sqlstate)
    {
        return found;
    }
    match -i64::from(sqlcode) {
        1200..=1285 => "22000",
        9600..=9999 | 200..=299 => "42000",
        _ => "IX000",
    }
}

/// Whether the same statement may succeed when tried again: lock conflicts, deadlocks, lock timeouts.
#[must_use]
pub fn is_retryable(sqlcode: i32, isam: i32) -> bool {
    let of = |code| entry(code).is_some_and(|e| e.retry);
    // Several SQL codes only say what failed; the ISAM code says why, and overrules.
    if isam != 0 && entry(isam).is_some() {
        of(isam)
    } else {
        of(sqlcode)
    }
}

/// Whether the code means that the session is gone.
#[must_use]
pub fn is_disconnect(sqlcode: i32) -> bool {
    entry(sqlcode).is_some_and(|e| e.disconnect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_parses_and_no_code_stands_twice() {
        let lines = SOURCE.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(entries().len(), lines);
        for pair in entries().windows(2) {
            assert!(pair[0].code < pair[1].code, "{} twice", pair[1].code);
        }
        for e in entries() {
            assert!(!e.text.is_empty() && e.text.len() < 160, "{}", e.code);
        }
    }

    #[test]
    fn tokens_go_into_the_text() {
        assert_eq!(
            entry(-206).unwrap().message("nosuch"),
            "table nosuch is not in the database"
        );
        assert_eq!(entry(-206).unwrap().message(""), "table is not in the database");
        assert_eq!(entry(-951).unwrap().message(""), "user unknown or password wrong");
        assert_eq!(entry(-746).unwrap().message("stock is empty"), "stock is empty");
        assert_eq!(entry(-201).unwrap().message("x"), "syntax error (x)");
    }

    #[test]
    fn the_isam_code_decides_where_the_sql_code_does_not() {
        for (sql, isam, class_, state, retry) in [
            (-346, -100, Class::Integrity, "23000", false),
            (-271, -131, Class::Operational, "IX000", false),
            (-243, -107, Class::Operational, "40001", true),
            (-243, -131, Class::Operational, "40001", false),
            (-243, 0, Class::Operational, "40001", true),
            (-245, -143, Class::Operational, "40001", true),
            (-206, -111, Class::Programming, "42S02", false),
            (-691, -111, Class::Integrity, "23000", false),
            (-31999, 0, Class::Database, "IX000", false),
            (-1283, 0, Class::Data, "22000", false),
        ] {
            assert_eq!(class(sql, isam), class_, "{sql}/{isam}");
            assert_eq!(sqlstate(sql, isam), state, "{sql}/{isam}");
            assert_eq!(is_retryable(sql, isam), retry, "{sql}/{isam}");
        }
        assert!(is_disconnect(-25582) && !is_disconnect(-761) && !is_disconnect(-201));
    }
}
