//! Large objects through client files: the texts of `read_blob_column` and `write_blob_column`. The names are ours alone: what the
//! server writes stays in memory, and it reads nothing but what was registered.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

const PLACE: &str = "BLOB_PLACEHOLDER";

fn literal(py: Python<'_>, name: &str) -> PyResult<String> {
    if name.is_empty() || name.contains(|c: char| c == '\'' || c.is_control()) {
        return Err(errors::programming(py, "the sentinel must be a plain file name"));
    }
    Ok(format!("'{name}'"))
}

/// Position of a word outside strings, comments and parentheses.
fn find_word(sql: &str, word: &str) -> Option<usize> {
    let bytes = sql.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let skip = |from: usize, end: &str| {
        sql.get(from..)
            .and_then(|r| r.find(end))
            .map_or(sql.len(), |n| from + n + end.len())
    };
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&b) = bytes.get(at) {
        let two = bytes.get(at..at + 2).unwrap_or_default();
        at = match b {
            b'\'' => skip(at + 1, "'"),
            b'"' => skip(at + 1, "\""),
            b'{' => skip(at + 1, "}"),
            _ if two == b"--" => skip(at + 2, "\n"),
            _ if two == b"/*" => skip(at + 2, "*/"),
            b'(' => {
                depth += 1;
                at + 1
            }
            b')' => {
                depth = depth.saturating_sub(1);
                at + 1
            }
            _ if is_word(b) => {
                let length = bytes.iter().skip(at).position(|c| !is_word(*c));
                let end = length.map_or(bytes.len(), |n| at + n);
                let found = sql.get(at..end).unwrap_or_default();
                if depth == 0 && found.eq_ignore_ascii_case(word) {
                    return Some(at);
                }
                end
            }
            _ => at + 1,
        };
    }
    None
}

/// `SELECT column FROM …` with the column's contents sent to a client file.
pub(crate) fn reading(py: Python<'_>, sql: &str, sentinel: &str) -> PyResult<String> {
    let missing =
        |word: &str| errors::programming(py, &format!("read_blob_column needs a query: {word} is missing"));
    let select = find_word(sql, "select").ok_or_else(|| missing("SELECT"))?;
    let from = find_word(sql, "from").ok_or_else(|| missing("FROM"))?;
    let name = literal(py, sentinel)?;
    let head = sql.get(..select + 6).unwrap_or_default();
    let column = sql.get(select + 6..from).unwrap_or_default().trim();
    let tail = sql.get(from..).unwrap_or_default();
    Ok(format!("{head} lotofile({column}, {name}, 'client') {tail}"))
}

/// The statement with the placeholder replaced by the client file.
pub(crate) fn writing(py: Python<'_>, sql: &str, sentinel: &str, clob: bool) -> PyResult<String> {
    let name = literal(py, sentinel)?;
    match sql.matches(PLACE).count() {
        1 => {}
        0 => {
            return Err(errors::programming(
                py,
                "write_blob_column needs BLOB_PLACEHOLDER where the large object goes",
            ));
        }
        n => {
            return Err(errors::programming(
                py,
                &format!("the statement has BLOB_PLACEHOLDER {n} times, once is right"),
            ));
        }
    }
    let function = if clob { "filetoclob" } else { "filetoblob" };
    Ok(sql.replace(PLACE, &format!("{function}({name}, 'client')")))
}

/// What came of a query with `lotofile`: the file that the first row names.
pub(crate) fn contents<'py>(
    py: Python<'py>,
    row: Option<Bound<'py, PyAny>>,
    files: &Bound<'py, PyDict>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(row) = row else { return Ok(None) };
    let name = row.get_item(0)?;
    if name.is_none() {
        return Ok(None);
    }
    if let Some(found) = files.get_item(&name)? {
        return Ok(Some(found));
    }
    let name: String = name.str()?.extract()?;
    if let Some(found) = files.get_item(name.trim_end())? {
        return Ok(Some(found));
    }
    // The name that the row tells may be cut or changed; with one file there is no doubt.
    match files.values().iter().next() {
        Some(only) if files.len() == 1 => Ok(Some(only)),
        _ => Err(errors::raise(
            py,
            "OperationalError",
            "the server did not send the large object",
        )),
    }
}
