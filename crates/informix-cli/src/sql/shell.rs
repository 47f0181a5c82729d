//! Runs statements and writes what they give, for every source of statements.

use std::io::{self, Write};
use std::time::Instant;

use informix::{Config, Error};

use super::output::{Format, Heading, ResultWriter};
use super::session::{Answer, Session};
use super::{caret, script};
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
    pub(crate) session: Session,
    pub(crate) look: Look,
    pub(crate) keep_going: bool,
    pub(crate) out: &'a mut dyn Write,
}

/// Why a script stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A statement failed; it is reported already.
    Statement,
    /// The connection is gone; reported already.
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

impl<'a> Shell<'a> {
    /// Connects.
    pub(crate) fn connect(config: &Config, look: Look, keep_going: bool, out: &'a mut dyn Write) -> Result<Self, Error> {
        Ok(Self { session: Session::connect(config)?, look, keep_going, out })
    }

    /// Runs every statement of a text, the last one also without `;`. `source` names it in errors.
    pub(crate) fn run_script(&mut self, text: &str, source: &str) -> Result<(), Stop> {
        let (pieces, rest) = script::split(text);
        let mut failed = false;
        for piece in pieces.into_iter().chain(rest) {
            match self.run_statement(&piece.text) {
                Ok(()) => {}
                Err(Failure::Output(error)) => return Err(Stop::Output(error)),
                Err(Failure::Sql(error)) => {
                    self.report(&error, &piece.text, &format!("{source}:{}: ", piece.line))?;
                    if error.is_disconnect() {
                        return Err(Stop::Lost);
                    }
                    if !self.keep_going {
                        return Err(Stop::Statement);
                    }
                    failed = true;
                }
            }
        }
        if failed { Err(Stop::Statement) } else { Ok(()) }
    }

    /// Runs one statement and writes its result.
    pub(crate) fn run_statement(&mut self, sql: &str) -> Result<(), Failure> {
        let start = Instant::now();
        let Self { session, look, out, .. } = self;
        match session.run(sql)? {
            Answer::Done { rows } => {
                if look.format == Format::Table {
                    writeln!(out, "{}", done(sql, rows))?;
                }
            }
            Answer::Rows(mut rows) => {
                let null = look.null.as_deref().unwrap_or(if look.format == Format::Table { "NULL" } else { "" });
                let headings: Vec<Heading> = rows.headings();
                let mut writer = ResultWriter::start(*out, look.format, headings, null, look.header)?;
                let mut failure = None;
                loop {
                    match rows.next() {
                        Ok(Some(cells)) => writer.row(cells)?,
                        Ok(None) => break,
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
    pub(crate) fn report(&mut self, error: &Error, sql: &str, place: &str) -> io::Result<()> {
        self.out.flush()?;
        eprintln!("{place}{error}");
        if let Some(drawing) = error.offset().and_then(|at| caret::point_at(sql, at, self.session.is_utf8())) {
            eprintln!("{drawing}");
        }
        Ok(())
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

/// What is said about a statement without rows.
fn done(sql: &str, rows: u64) -> String {
    let word = script::first_word(sql).unwrap_or_default().to_lowercase();
    match word.as_str() {
        "insert" => format!("{} inserted.", counted(rows)),
        "update" => format!("{} updated.", counted(rows)),
        "delete" => format!("{} deleted.", counted(rows)),
        "merge" | "load" | "unload" => format!("{} affected.", counted(rows)),
        _ => "Done.".to_owned(),
    }
}

fn counted(rows: u64) -> String {
    if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") }
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
}
