//! Parameter markers: `:1` and `:name` become `?`. The lexer knows strings, quoted identifiers, the three kinds of comments
//! (`server-behaviour.md` 2), `::` casts and qualified names (`database:table`).

use std::borrow::Cow;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::errors;

/// What one marker stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    /// A position, from 1.
    Number(usize),
    /// A name.
    Name(String),
}

/// A statement whose markers are all `?`.
pub(crate) struct Markers<'a> {
    pub(crate) sql: Cow<'a, str>,
    /// What each marker stands for; `None` when the text has nothing but `?`.
    pub(crate) keys: Option<Vec<Key>>,
    /// Number of `?` in the text as given.
    pub(crate) plain: usize,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// End of what starts at `from` and ends with `end`, the end included.
fn skip(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    bytes
        .get(from..)
        .and_then(|rest| rest.windows(end.len()).position(|w| w == end))
        .map_or(bytes.len(), |at| from + at + end.len())
}

/// Finds and replaces the markers of a statement.
pub(crate) fn scan(sql: &str) -> Markers<'_> {
    let bytes = sql.as_bytes();
    if !bytes.contains(&b':') {
        return Markers {
            sql: Cow::Borrowed(sql),
            keys: None,
            plain: 0,
        };
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut keys = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    // Where the last word ended, and whether it opens a collection literal.
    let (mut word_end, mut collection) = (usize::MAX, false);
    while let Some(&b) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match b {
            b'\'' | b'"' => at = skip(bytes, at + 1, &[b]),
            b'-' if next == Some(b'-') => at = skip(bytes, at + 2, b"\n"),
            b'/' if next == Some(b'*') => at = skip(bytes, at + 2, b"*/"),
            b'{' if !collection => at = skip(bytes, at + 1, b"}"),
            b':' if next == Some(b':') => at += 2,
            // `database:table` and `10:30` are no markers.
            b':' if word_end != at && next.is_some_and(is_word) => {
                let start = at + 1;
                let length = bytes.iter().skip(start).position(|c| !is_word(*c));
                let end = length.map_or(bytes.len(), |n| start + n);
                let name = sql.get(start..end).unwrap_or_default();
                keys.push(match name.parse() {
                    Ok(number) => Key::Number(number),
                    Err(_) => Key::Name(name.to_owned()),
                });
                out.push_str(sql.get(copied..at).unwrap_or_default());
                out.push('?');
                copied = end;
                at = end;
            }
            b'?' => {
                plain += 1;
                at += 1;
            }
            _ if is_word(b) => {
                let length = bytes.iter().skip(at).position(|c| !is_word(*c));
                let end = length.map_or(bytes.len(), |n| at + n);
                let word = sql.get(at..end).unwrap_or_default();
                collection = ["set", "multiset", "list"]
                    .iter()
                    .any(|w| word.eq_ignore_ascii_case(w));
                word_end = end;
                at = end;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            _ => at += 1,
        }
        collection = false;
    }
    if keys.is_empty() {
        return Markers {
            sql: Cow::Borrowed(sql),
            keys: None,
            plain,
        };
    }
    out.push_str(sql.get(copied..).unwrap_or_default());
    Markers {
        sql: Cow::Owned(out),
        keys: Some(keys),
        plain,
    }
}

/// As [`scan`], refusing a mixture.
pub(crate) fn rewrite<'a>(py: Python<'_>, sql: &'a str) -> PyResult<Markers<'a>> {
    let markers = scan(sql);
    if markers.keys.is_some() && markers.plain > 0 {
        return Err(errors::programming(
            py,
            "the statement mixes ? with :1 or :name markers",
        ));
    }
    Ok(markers)
}

/// For Python: the text, and what its markers stand for.
#[pyfunction]
pub(crate) fn rewrite_placeholders(
    py: Python<'_>,
    operation: &str,
) -> PyResult<(String, Option<Vec<Py<PyAny>>>)> {
    let markers = rewrite(py, operation)?;
    let keys = markers.keys.map(|keys| {
        keys.into_iter()
            .map(|key| match key {
                Key::Number(n) => n.into_py_any(py),
                Key::Name(n) => n.into_py_any(py),
            })
            .collect::<PyResult<Vec<_>>>()
    });
    Ok((markers.sql.into_owned(), keys.transpose()?))
}
