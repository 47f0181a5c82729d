//! Runs statements and writes what they give, for every source of statements.

use std::io::{self, Write};
use std::time::Instant;

use informix::blocking::{Answer, Connection};
use informix::types::Locale;
use informix::{Config, Error};

use super::output::{Format, ResultWriter};
use super::{caret, cells, script};
use crate::exit::Exit;

/// How results are shown.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) format: Format,
    /// Text for NULL; `None` = the format's own.
    pub(crate) null: Option<String>,
    pub(crate) header: bool,
    pub(crate) timing: bool,
}

/// A connection and where its results go.
pub(crate) struct Shell<'a> {
    pub(crate) connection: Connection,
    pub(crate) look: Look,
    pub(crate) keep_going: bool,
    pub(crate) out: &'a mut dyn Write,
}

/// Why a script stopped. What failed is reported already.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A statement failed.
    Statement,
    /// The connection is gone.
    Lost,
    /// The output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Stop {
    /// The exit code of a run that stopped so; a closed pipe is a reader that has enough.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Statement => Exit::Failed,
            Self::Lost => Exit::Lost,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
            Self::Output(error) => {
                eprintln!("ifx: cannot write the result: {error}");
                Exit::Failed
            }
        }
    }
}

/// Why a statement gave no complete result.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(Error),
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Shell<'_> {
    /// Runs every statement of a text, the last one also without `;`. `source` names it in errors.
    pub(crate) fn run_script(&mut self, text: &str, source: &str) -> Result<(), Stop> {
        let (pieces, rest) = script::split(text);
        let mut failed = false;
        for piece in pieces.into_iter().chain(rest) {
            let place = format!("{source}:{}: ", piece.line);
            match self.run_or_report(&piece.text, &place) {
                Err(Stop::Statement) if self.keep_going => failed = true,
                done => done?,
            }
        }
        if failed { Err(Stop::Statement) } else { Ok(()) }
    }

    /// Runs one statement; an error is told on stderr behind `place`.
    pub(crate) fn run_or_report(&mut self, sql: &str, place: &str) -> Result<(), Stop> {
        match self.run_statement(sql) {
            Ok(()) => Ok(()),
            Err(Failure::Output(error)) => Err(Stop::Output(error)),
            Err(Failure::Sql(error)) => Err(self.report(&error, sql, place)),
        }
    }

    fn run_statement(&mut self, sql: &str) -> Result<(), Failure> {
        let start = Instant::now();
        let Self {
            connection,
            look,
            out,
            ..
        } = self;
        match connection.run(sql, ())? {
            Answer::Done(outcome) => {
                if look.format == Format::Table {
                    writeln!(out, "{}", done(sql, outcome.rows_affected()))?;
                }
            }
            Answer::Rows(mut rows) => {
                let null =
                    look.null
                        .as_deref()
                        .unwrap_or(if look.format == Format::Table { "NULL" } else { "" });
                let headings = rows.columns().iter().map(cells::heading).collect();
                let mut writer = ResultWriter::start(*out, look.format, headings, null, look.header)?;
                let mut failure = None;
                loop {
                    let row = match rows.next_ref() {
                        Ok(Some(row)) => row,
                        Ok(None) => break,
                        Err(error) => {
                            failure = Some(error);
                            break;
                        }
                    };
                    match cells::cells(connection, row) {
                        Ok(cells) => writer.row(cells)?,
                        Err(error) => {
                            failure = Some(error);
                            break;
                        }
                    }
                }
                // Rows that came before an error are shown before it.
                let count = writer.finish()?;
                if let Some(error) = failure {
                    return Err(error.into());
                }
                if look.format == Format::Table && look.header {
                    writeln!(out, "({})\n", counted(count))?;
                }
            }
        }
        if look.timing {
            writeln!(out, "Time: {:.3} ms", start.elapsed().as_secs_f64() * 1000.0)?;
        }
        out.flush()?;
        Ok(())
    }

    /// Tells on stderr what failed and where.
    pub(crate) fn report(&mut self, error: &Error, sql: &str, place: &str) -> Stop {
        if let Err(error) = self.out.flush() {
            return Stop::Output(error);
        }
        eprintln!("{place}{error}");
        let utf8 = sends_utf8(self.connection.config());
        if let Some(drawing) = error.offset().and_then(|at| caret::point_at(sql, at, utf8)) {
            eprintln!("{drawing}");
        }
        if error.is_disconnect() {
            Stop::Lost
        } else {
            Stop::Statement
        }
    }
}

/// Whether statements travel in UTF-8: offsets in errors count bytes of what was sent.
fn sends_utf8(config: &Config) -> bool {
    let locale = config
        .client_locale
        .as_deref()
        .or(config.db_locale.as_deref())
        .unwrap_or("en_US.8859-1");
    locale
        .parse::<Locale>()
        .ok()
        .and_then(|l| l.codeset().ok())
        .is_some_and(|set| set.is_utf8())
}

/// What is said about a statement without rows.
fn done(sql: &str, rows: u64) -> String {
    let word = script::first_word(sql).unwrap_or_default().to_lowercase();
    match word.as_str() {
        "insert" => format!("{} inserted.", counted(rows)),
        "update" => format!("{} updated.", counted(rows)),
        "delete" => format!("{} deleted.", counted(rows)),
        "merge" => format!("{} affected.", counted(rows)),
        _ => "Done.".to_owned(),
    }
}

fn counted(rows: u64) -> String {
    if rows == 1 {
        "1 row".to_owned()
    } else {
        format!("{rows} rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_without_rows_say_what_they_did() {
        let cases = [
            ("INSERT into t values (1)", 1, "1 row inserted."),
            ("-- all\nupdate t set a = 1", 0, "0 rows updated."),
            ("{x} delete from t", 5, "5 rows deleted."),
            ("create table t (a int)", 0, "Done."),
            ("", 0, "Done."),
        ];
        for (sql, rows, expected) in cases {
            assert_eq!(done(sql, rows), expected, "{sql}");
        }
    }

    #[test]
    fn the_code_set_decides_how_offsets_count() {
        for (locale, expected) in [
            ("en_US.utf8", true),
            ("en_US.57372", true),
            ("de_DE.8859-1", false),
        ] {
            let config = Config {
                client_locale: Some(locale.to_owned()),
                ..Config::default()
            };
            assert_eq!(sends_utf8(&config), expected, "{locale}");
        }
        assert!(!sends_utf8(&Config::default()));
    }
}
