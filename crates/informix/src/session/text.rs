//! What the client must know of a statement's text before the server describes it: how many `?` markers it has and
//! which message family it needs. Lexical rules: `server-behaviour.md` 2 (measured).

/// How a statement is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// May return rows: SELECT, WITH, a parenthesis, EXECUTE, CALL. Prepared first.
    Query,
    /// BEGIN WORK and its kin.
    Transaction,
    /// Leaves something behind in the session that a pool cannot undo: SET …, DATABASE, temporary tables.
    SessionState,
    /// Everything else: one round trip with SQ_COMMAND.
    Other,
}

/// What [`scan`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scan {
    /// `?` outside strings and comments.
    pub(crate) markers: usize,
    pub(crate) shape: Shape,
}

fn skip_to(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    bytes
        .get(from..)
        .and_then(|rest| memchr::memmem::find(rest, end))
        .map_or(bytes.len(), |at| from + at + end.len())
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// Scans a statement once.
pub(crate) fn scan(sql: &str) -> Scan {
    let bytes = sql.as_bytes();
    let mut markers = 0;
    let mut words: [&str; 4] = [""; 4];
    let mut found = 0;
    let mut last_word = "";
    let mut parenthesis_first = false;
    let mut into_temp = false;
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match b {
            b'\'' | b'"' => {
                at = skip_to(bytes, at + 1, &[b]);
                last_word = "";
                continue;
            }
            b'-' if next == Some(b'-') => {
                at = skip_to(bytes, at + 2, b"\n");
                continue;
            }
            b'/' if next == Some(b'*') => {
                at = skip_to(bytes, at + 2, b"*/");
                continue;
            }
            // A brace opens a comment, except in a collection literal: SET{1, 2}.
            b'{' if !["set", "multiset", "list"]
                .iter()
                .any(|w| last_word.eq_ignore_ascii_case(w)) =>
            {
                at = skip_to(bytes, at + 1, b"}");
                continue;
            }
            b'?' => markers += 1,
            b'(' if found == 0 => parenthesis_first = true,
            _ if is_word(b) => {
                let end = bytes
                    .iter()
                    .skip(at)
                    .position(|c| !is_word(*c))
                    .map_or(bytes.len(), |n| at + n);
                let word = sql.get(at..end).unwrap_or_default();
                if let Some(slot) = words.get_mut(found) {
                    *slot = word;
                    found += 1;
                }
                into_temp |= last_word.eq_ignore_ascii_case("into") && word.eq_ignore_ascii_case("temp");
                last_word = word;
                at = end;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            _ => {}
        }
        last_word = "";
        at += 1;
    }
    let is = |index: usize, names: &[&str]| {
        words
            .get(index)
            .is_some_and(|w| names.iter().any(|n| w.eq_ignore_ascii_case(n)))
    };
    let shape = if is(0, &["set", "database"])
        || (is(0, &["close"]) && is(1, &["database"]))
        || (is(0, &["create"]) && (is(1, &["temp", "database"]) || is(2, &["temp"])))
        || into_temp
    {
        Shape::SessionState
    } else if parenthesis_first || is(0, &["select", "with", "execute", "call"]) {
        Shape::Query
    } else if is(0, &["begin", "commit", "rollback"]) {
        Shape::Transaction
    } else {
        Shape::Other
    };
    Scan { markers, shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_shapes() {
        use Shape::{Other, Query, SessionState, Transaction};
        for (sql, markers, shape) in [
            ("select ? from t where a = ?", 2, Query),
            ("/* ? */ SELECT '?', \"?\" -- ?\n, ? {?} from t", 1, Query),
            ("{ x } (select 1 from t) union (select ? from t)", 1, Query),
            ("with q as (select 1) select * from q", 0, Query),
            ("insert into t values (?, 'it''s ?', ?::int)", 2, Other),
            ("insert into t values (SET{?, 2}, LIST {?})", 2, Other),
            ("execute procedure p(?)", 1, Query),
            ("begin work", 0, Transaction),
            ("rollback work to savepoint x", 0, Transaction),
            ("set isolation to dirty read", 0, SessionState),
            ("database stores", 0, SessionState),
            ("CREATE TEMP TABLE x (a int)", 0, SessionState),
            ("create database x with log", 0, SessionState),
            ("select * from t into temp x", 0, SessionState),
            ("create table temperature (a int)", 0, Other),
            ("update t set a = '? where b = ?", 0, Other),
            ("", 0, Other),
            ("-- only a comment ?", 0, Other),
            ("select 'ä?' , ? from tü", 1, Query),
        ] {
            assert_eq!(scan(sql), Scan { markers, shape }, "{sql}");
        }
    }
}
