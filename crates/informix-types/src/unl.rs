//! Files of LOAD, UNLOAD and `dbexport` (`.unl`): one row a line, each field ended by a delimiter (`informix-sql.md` 12).
//!
//! | in the file | field |
//! |---|---|
//! | nothing | NULL |
//! | backslash, blank, and nothing else | the empty text |
//! | backslash and the delimiter, a backslash or a newline | that character |
//! | `t`, `f` | BOOLEAN |
//! | hexadecimal digits | BYTE |
//! | `offset,length,name`, both numbers hexadecimal | BLOB or CLOB: a piece of a file beside this one |
//! | anything else | the text of the value: DATE as DBDATE says, DATETIME and INTERVAL without keywords |
//!
//! The delimiter behind the last field may be missing. Only LOAD statements and `dbexport` headers name another delimiter than `|`.

use crate::{ColumnType, TypeCode, Value};

/// The delimiter when none is named.
pub const DELIMITER: char = '|';

/// Whether a character can be a delimiter: no backslash, newline or hexadecimal digit.
#[must_use]
pub fn is_delimiter(c: char) -> bool {
    !matches!(c, '\\' | '\n' | '\r') && !c.is_ascii_hexdigit()
}

/// A row of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its fields.
    pub fields: Vec<FieldText>,
}

/// A field of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldText {
    /// Where it begins: line and column, both from 1, counted in characters.
    pub place: (usize, usize),
    /// Its text without escapes; `None` is NULL.
    pub text: Option<String>,
}

/// The rows of a text.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    delimiter: char,
    line: usize,
    column: usize,
}

impl<'a> Rows<'a> {
    /// Reads `text` with this delimiter.
    #[must_use]
    pub fn new(text: &'a str, delimiter: char) -> Self {
        Self {
            chars: text.chars().peekable(),
            delimiter,
            line: 1,
            column: 1,
        }
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    /// The next field, and whether the row goes on behind it.
    fn field(&mut self) -> (FieldText, bool) {
        let place = (self.line, self.column);
        let mut text = String::new();
        let mut empty = true;
        let more = loop {
            match self.next_char() {
                None | Some('\n') => break false,
                Some('\r') if self.chars.peek() == Some(&'\n') => {}
                Some(c) if c == self.delimiter => {
                    break true;
                }
                Some('\\') => {
                    empty = false;
                    match self.next_char() {
                        Some(' ') if text.is_empty() && self.at_end_of_field() => {}
                        Some(c) => text.push(c),
                        None => text.push('\\'),
                    }
                }
                Some(c) => {
                    empty = false;
                    text.push(c);
                }
            }
        };
        let text = (!empty).then_some(text);
        (FieldText { place, text }, more)
    }

    fn at_end_of_field(&mut self) -> bool {
        let delimiter = self.delimiter;
        self.chars.peek().is_none_or(|c| *c == delimiter || *c == '\n')
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        self.chars.peek()?;
        let line = self.line;
        let mut fields = Vec::new();
        loop {
            let (field, more) = self.field();
            // What stands behind the last delimiter is no field unless there is something.
            if more || field.text.is_some() || fields.is_empty() {
                fields.push(field);
            }
            if !more {
                return Some(Row { line, fields });
            }
            if self.chars.peek().is_none() {
                return Some(Row { line, fields });
            }
        }
    }
}

/// What a field means for its column.
#[derive(Debug, Clone, PartialEq)]
pub enum Loaded {
    /// The value itself; a text for all types that a server makes from their text.
    Value(Value),
    /// A piece of a file beside the `.unl` file: contents of a BLOB or CLOB.
    File {
        /// Its name without a directory.
        name: String,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
}

/// What a field means for a column of this type.
///
/// # Errors
/// What is wrong with the field, in words.
pub fn load(field: Option<&str>, column: &ColumnType) -> Result<Loaded, String> {
    let Some(text) = field else {
        return Ok(Loaded::Value(Value::Null));
    };
    if column.is_boolean() {
        return match text.trim() {
            "t" | "T" => Ok(Loaded::Value(Value::Boolean(true))),
            "f" | "F" => Ok(Loaded::Value(Value::Boolean(false))),
            other => Err(format!("{other:?} is no BOOLEAN: t or f is expected")),
        };
    }
    if column.is_blob() || column.is_clob() {
        return lob_file(text).ok_or_else(|| {
            format!("{text:?} names no piece of a file: offset,length,name in hexadecimal is expected")
        });
    }
    Ok(Loaded::Value(match column.code {
        TypeCode::Byte => Value::Bytes(from_hex(text)?),
        _ => Value::Text(text.to_owned()),
    }))
}

fn lob_file(text: &str) -> Option<Loaded> {
    let mut parts = text.splitn(3, ',');
    let mut number = || u64::from_str_radix(parts.next()?.trim(), 16).ok();
    let (offset, length) = (number()?, number()?);
    let name = parts.next()?.trim();
    // Only files beside the `.unl` file.
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    plain.then(|| Loaded::File {
        name: name.to_owned(),
        offset,
        length,
    })
}

fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| "a BYTE value has other characters than hexadecimal digits".to_owned())?;
    if digits.len() % 2 == 1 {
        return Err(format!(
            "a BYTE value has {} hexadecimal digits, an odd number",
            digits.len()
        ));
    }
    Ok(digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect())
}

/// Appends a field with its delimiter. `date` writes a DATE as DBDATE says.
pub fn put_field(out: &mut String, value: &Value, delimiter: char, date: impl Fn(crate::Date) -> String) {
    match value {
        Value::Null => {}
        Value::Date(day) => put_text(out, &date(*day), delimiter),
        Value::Text(text) if text.is_empty() => out.push_str("\\ "),
        other => put_text(out, &other.to_string(), delimiter),
    }
    out.push(delimiter);
}

fn put_text(out: &mut String, text: &str, delimiter: char) {
    for c in text.chars() {
        if c == delimiter || matches!(c, '\\' | '\n') {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, delimiter: char) -> Vec<Vec<Option<String>>> {
        Rows::new(text, delimiter)
            .map(|row| row.fields.into_iter().map(|field| field.text).collect())
            .collect()
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn fields_and_escapes() {
        let cases = [
            ("", vec![]),
            ("1|a|\n", vec![vec![some("1"), some("a")]]),
            (
                "1|a|\n2|b|",
                vec![vec![some("1"), some("a")], vec![some("2"), some("b")]],
            ),
            ("1|a\n", vec![vec![some("1"), some("a")]]),
            ("||\n", vec![vec![None, None]]),
            ("|\\ |\n", vec![vec![None, some("")]]),
            ("\\ x| |\n", vec![vec![some(" x"), some(" ")]]),
            ("a\\|b\\\\|c\\\nd|\n", vec![vec![some("a|b\\"), some("c\nd")]]),
            ("1|\r\n2|\r\n", vec![vec![some("1")], vec![some("2")]]),
            ("\n", vec![vec![None]]),
            ("a\\", vec![vec![some("a\\")]]),
        ];
        for (text, expected) in cases {
            assert_eq!(texts(text, '|'), expected, "{text:?}");
        }
        assert_eq!(texts("a|b;c;\n", ';'), [vec![some("a|b"), some("c")]]);
    }

    #[test]
    fn places_count_lines_and_characters() {
        let rows: Vec<Row> = Rows::new("ä|b\\\nc|d|\n5|6|\n", '|').collect();
        let places: Vec<Vec<(usize, usize)>> = rows
            .iter()
            .map(|row| row.fields.iter().map(|field| field.place).collect())
            .collect();
        assert_eq!(places, [vec![(1, 1), (1, 3), (2, 3)], vec![(3, 1), (3, 3)]]);
        assert_eq!(rows[1].line, 3);
    }

    #[test]
    fn values_by_type() {
        let value = |text, ty| load(Some(text), &ty);
        assert_eq!(load(None, &ColumnType::byte()), Ok(Loaded::Value(Value::Null)));
        assert_eq!(
            value("00fF", ColumnType::byte()),
            Ok(Loaded::Value(Value::Bytes(vec![0, 255])))
        );
        assert!(value("0", ColumnType::byte()).unwrap_err().contains("odd"));
        assert!(value("0g", ColumnType::byte()).is_err());
        assert_eq!(
            value("t", ColumnType::boolean()),
            Ok(Loaded::Value(Value::Boolean(true)))
        );
        assert!(value("1", ColumnType::boolean()).is_err());
        let piece = Loaded::File {
            name: "blob1.2".to_owned(),
            offset: 0,
            length: 31,
        };
        assert_eq!(value("0,1f,blob1.2", ColumnType::blob()), Ok(piece));
        for wrong in ["", "1", "0,x,name", "0,1,../name", "0,1,.."] {
            assert!(value(wrong, ColumnType::clob()).is_err(), "{wrong}");
        }
        assert_eq!(
            value("12.5", ColumnType::decimal(5, Some(2))),
            Ok(Loaded::Value("12.5".into()))
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["", " ", "a|b", "back\\slash", "two\nlines", "\\ ", "ä;"] {
            for delimiter in ['|', ';', '\t'] {
                let mut out = String::new();
                put_field(&mut out, &Value::Null, delimiter, |d| d.to_string());
                put_field(&mut out, &text.into(), delimiter, |d| d.to_string());
                out.push('\n');
                let expected = vec![vec![None, some(text)]];
                assert_eq!(texts(&out, delimiter), expected, "{text:?} {delimiter:?}");
            }
        }
    }
}
