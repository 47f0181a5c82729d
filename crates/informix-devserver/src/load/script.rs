//! The statements of a script in order, and what comments and LOAD statements say besides.

use std::path::Path;

use super::LoadError;
use super::table::{self, Source};
use crate::engine::{PrepareOptions, Session};
use crate::error::{SqlError, SqlResult};
use crate::sql::lexer::{Tok, lex};
use crate::sql::split_script;

/// Runs the script.
pub(super) fn run(session: &mut Session, path: &Path) -> Result<(), LoadError> {
    let bytes = std::fs::read(path).map_err(|error| LoadError::file(path, error))?;
    let script = text_of(session, &bytes);
    let fail =
        |position: usize, error: &SqlError| LoadError::new(path, place(&script, position), error.to_string());
    let pieces = split_script(&script).map_err(|error| fail(error_position(&error), &error))?;
    let mut delimiter = informix_types::unl::DELIMITER;
    let mut end = 0;
    for piece in pieces {
        let here = |error: SqlError| {
            let position = piece.span.start + error_position(&error);
            LoadError::new(path, place(&script, position), error.to_string())
        };
        let comments = Comments::read(script.get(end..piece.span.start).unwrap_or_default());
        if let Some((name, of_file)) = &comments.database {
            delimiter = of_file.unwrap_or(delimiter);
            enter(session, name).map_err(&here)?;
        }
        end = piece.span.end;
        if let Some(load) = Load::parse(piece.text).map_err(&here)? {
            let source = Source {
                path: path.with_file_name(&load.file),
                delimiter: load.delimiter.unwrap_or(delimiter),
                rows: None,
            };
            table::load(session, &source, &load.table, &load.columns)?;
            continue;
        }
        execute(session, piece.text).map_err(&here)?;
        if let (Some(table), Some((file, rows))) = (comments.table, comments.unload) {
            let source = Source {
                path: path.with_file_name(file),
                delimiter,
                rows,
            };
            table::load(session, &source, &table, "")?;
        }
    }
    Ok(())
}

/// The text of a file: UTF-8, or in the code set of the database.
pub(super) fn text_of(session: &Session, bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let codec = session.codec().copied().unwrap_or_default();
    codec.decode(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        |text| text.into_owned(),
    )
}

fn error_position(error: &SqlError) -> usize {
    usize::try_from(error.offset.saturating_sub(1)).unwrap_or(0)
}

/// Line and column of a byte position.
fn place(text: &str, position: usize) -> (usize, usize) {
    let before = text.get(..position).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Runs a statement of any kind; rows of a query are of no interest.
pub(super) fn execute(session: &mut Session, sql: &str) -> SqlResult<()> {
    let prepared = session.prepare(sql, &PrepareOptions::default())?;
    if !prepared.opens_cursor() {
        session.execute(&prepared, &[])?;
    }
    Ok(())
}

/// Opens a database, which is made when there is none.
fn enter(session: &mut Session, name: &str) -> SqlResult<()> {
    let name = name.to_lowercase();
    if session.engine().database_info(&name).is_none() {
        return execute(session, &format!("create database {name} with log"));
    }
    session.open_database(&name, false).map(drop)
}

/// What the comments in front of a statement of a `dbexport` script say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comments {
    /// Name and delimiter.
    database: Option<(String, Option<char>)>,
    table: Option<String>,
    /// File and number of rows.
    unload: Option<(String, Option<usize>)>,
}

impl Comments {
    fn read(text: &str) -> Self {
        let mut comments = Self::default();
        for comment in text.split('{').skip(1) {
            let comment = comment.split('}').next().unwrap_or_default().trim();
            let words: Vec<&str> = comment.split_whitespace().collect();
            match words.as_slice() {
                ["DATABASE", name, rest @ ..] => {
                    let delimiter = match rest {
                        ["delimiter", c, ..] => c.chars().next(),
                        _ => None,
                    };
                    comments.database = Some(((*name).to_owned(), delimiter));
                }
                ["TABLE", ..] => {
                    let name = comment.trim_start_matches("TABLE").trim_start();
                    let name = name.split_once(" row size").map_or(name, |(name, _)| name);
                    comments.table = Some(name.trim().to_owned());
                }
                ["unload", "file", "name", "=", file, rest @ ..] => {
                    let rows = match rest {
                        ["number", "of", "rows", "=", rows, ..] => rows.parse().ok(),
                        _ => None,
                    };
                    comments.unload = Some(((*file).to_owned(), rows));
                }
                _ => {}
            }
        }
        comments
    }
}

/// `LOAD FROM 'file' [DELIMITER 'c'] INSERT INTO table [(columns)]`.
#[derive(Debug, PartialEq, Eq)]
struct Load {
    file: String,
    delimiter: Option<char>,
    table: String,
    /// With their parentheses; empty when all are meant.
    columns: String,
}

impl Load {
    /// `None` for other statements.
    fn parse(sql: &str) -> SqlResult<Option<Self>> {
        let tokens = lex(sql)?;
        let is = |at: usize, word: &str| {
            tokens.get(at).is_some_and(|token| {
                token.tok == Tok::Word && token.span.text(sql).eq_ignore_ascii_case(word)
            })
        };
        if !(is(0, "load") && is(1, "from")) {
            return Ok(None);
        }
        let wrong = |at: usize| {
            let position = tokens.get(at).map_or(sql.len(), |token| token.span.start);
            SqlError::new(-201).at(position)
        };
        let quoted = |at: usize| {
            tokens
                .get(at)
                .filter(|token| matches!(token.tok, Tok::Single | Tok::Double))
                .map(|token| token.span.text(sql).trim_matches(['\'', '"']).to_owned())
                .ok_or_else(|| wrong(at))
        };
        let file = quoted(2)?;
        let mut next = 3;
        let mut delimiter = None;
        if is(next, "delimiter") {
            let text = quoted(next + 1)?;
            let c = match text.as_str() {
                "\\t" => '\t',
                text => text.chars().next().unwrap_or('\\'),
            };
            if !informix_types::unl::is_delimiter(c) {
                return Err(wrong(next + 1).because("not a delimiter"));
            }
            delimiter = Some(c);
            next += 2;
        }
        if !(is(next, "insert") && is(next + 1, "into")) {
            return Err(wrong(next));
        }
        let from = tokens.get(next + 2).map_or(sql.len(), |token| token.span.start);
        let target = sql.get(from..).unwrap_or_default().trim();
        let (table, columns) = match target.find('(') {
            Some(at) => target.split_at(at),
            None => (target, ""),
        };
        if table.trim().is_empty() {
            return Err(wrong(next + 2));
        }
        Ok(Some(Self {
            file,
            delimiter,
            table: table.trim().to_owned(),
            columns: columns.trim().to_owned(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_dbexport() {
        let text = "\n{ DATABASE stores  delimiter ; }\n{ TABLE \"kim\".items row size = 134 number of columns = 6 index size = 60 }\n\
                    { unload file name = items00103.unl number of rows = 67 }\n";
        let expected = Comments {
            database: Some(("stores".to_owned(), Some(';'))),
            table: Some("\"kim\".items".to_owned()),
            unload: Some(("items00103.unl".to_owned(), Some(67))),
        };
        assert_eq!(Comments::read(text), expected);
        assert_eq!(Comments::read("{ a remark }"), Comments::default());
    }

    #[test]
    fn load_statements() {
        let parse = |sql| Load::parse(sql);
        let load = Load {
            file: "a b.unl".to_owned(),
            delimiter: Some(';'),
            table: "kim.t".to_owned(),
            columns: "(a, b)".to_owned(),
        };
        assert_eq!(
            parse("load from 'a b.unl' delimiter \";\" insert into kim.t (a, b)"),
            Ok(Some(load))
        );
        assert_eq!(parse("insert into t values (1)"), Ok(None));
        for (sql, at) in [
            ("load from x insert into t", 11),
            ("load from 'x' delimiter 'a' insert into t", 25),
            ("load from 'x' into t", 15),
            ("load from 'x' insert into", 26),
        ] {
            assert_eq!(parse(sql).unwrap_err().offset, at, "{sql}");
        }
    }
}
