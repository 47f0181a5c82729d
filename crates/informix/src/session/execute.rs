//! Statements without rows.

use std::sync::Arc;

use informix_protocol::ClientMessage;
use informix_protocol::message::{Command, SqlText};

use super::cursor::QueryOptions;
use super::group::Group;
use super::link::Purpose;
use super::prepare::{Prepared, STALE, check_count};
use super::reply::{Completed, Reply};
use super::text::{Scan, Shape, scan};
use super::{Cursor, Session};
use crate::error::{Error, Result};
use crate::param::Parameter;

/// What a statement did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    completed: Completed,
}

impl From<Completed> for Outcome {
    fn from(completed: Completed) -> Self {
        Self { completed }
    }
}

impl Outcome {
    /// Rows inserted, updated or deleted; rows read for a statement that returns rows.
    #[must_use]
    pub fn rows_affected(&self) -> u64 {
        u64::try_from(self.completed.done.rows).unwrap_or(0)
    }

    /// ROWID of the last row.
    #[must_use]
    pub fn rowid(&self) -> i32 {
        self.completed.done.rowid
    }

    /// The last value that a SERIAL, SERIAL8 or BIGSERIAL column got from an INSERT.
    #[must_use]
    pub fn last_serial(&self) -> Option<i64> {
        let insert = &self.completed.insert;
        [
            i64::from(self.completed.done.serial),
            insert.bigserial,
            insert.serial8,
        ]
        .into_iter()
        .find(|v| *v != 0)
    }

    /// The value of a SERIAL column.
    #[must_use]
    pub fn serial(&self) -> Option<i32> {
        Some(self.completed.done.serial).filter(|v| *v != 0)
    }

    /// The value of a SERIAL8 column.
    #[must_use]
    pub fn serial8(&self) -> Option<i64> {
        Some(self.completed.insert.serial8).filter(|v| *v != 0)
    }

    /// The value of a BIGSERIAL column.
    #[must_use]
    pub fn bigserial(&self) -> Option<i64> {
        Some(self.completed.insert.bigserial).filter(|v| *v != 0)
    }
}

/// What came of a statement whose kind was not known before.
pub(crate) enum Ran {
    Rows(Box<Cursor>),
    Done(Outcome),
}

impl Session {
    /// Runs a statement and gives its outcome; rows that it returns are read and counted.
    ///
    /// A statement that cannot return rows goes out as `COMMAND NDESCRIBE [BIND] EXECUTE RELEASE`, one round trip
    /// (`sqli-protocol.md` 9.2 J N; with parameters `native-observed.md` 3, V), unless it is prepared already.
    pub(crate) async fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        match self.run(sql, parameters, QueryOptions::default()).await? {
            Ran::Done(outcome) => Ok(outcome),
            Ran::Rows(mut cursor) => {
                let mut rows = 0;
                while let Some(batch) = self.next_batch(&mut cursor).await? {
                    rows += batch.len();
                }
                let mut completed = Completed::default();
                completed.done.rows = i32::try_from(rows).unwrap_or(i32::MAX);
                Ok(completed.into())
            }
        }
    }

    /// Runs a statement of any kind.
    pub(crate) async fn run(
        &mut self,
        sql: &str,
        parameters: &[Parameter],
        options: QueryOptions,
    ) -> Result<Ran> {
        let scan = scan(sql);
        check_count(scan, parameters.len())?;
        let cached = self.cache.get(sql);
        if scan.shape != Shape::Query && cached.is_none() {
            return self.command(sql, scan, parameters).await.map(Ran::Done);
        }
        let was_cached = cached.is_some();
        let statement = match cached {
            Some(statement) => statement,
            None => self.prepare(sql).await?,
        };
        match self.run_prepared(&statement, parameters, options.clone()).await {
            // A statement of ours from before a change of its tables; it has done nothing.
            Err(e) if was_cached && e.sqlcode() == STALE => {
                let statement = self.prepare(sql).await?;
                self.run_prepared(&statement, parameters, options).await
            }
            done => done,
        }
    }

    /// Queries by text.
    pub(crate) async fn query(
        &mut self,
        sql: &str,
        parameters: &[Parameter],
        options: QueryOptions,
    ) -> Result<Cursor> {
        let was_cached = self.cache.get(sql).is_some();
        let statement = self.prepare(sql).await?;
        match self.open_cursor(&statement, parameters, options.clone()).await {
            Err(e) if was_cached && e.sqlcode() == STALE => {
                let statement = self.prepare(sql).await?;
                self.open_cursor(&statement, parameters, options).await
            }
            done => done,
        }
    }

    /// Runs a prepared statement of any kind.
    pub(crate) async fn run_prepared(
        &mut self,
        statement: &Arc<Prepared>,
        parameters: &[Parameter],
        options: QueryOptions,
    ) -> Result<Ran> {
        if statement.returns_rows() {
            Ok(Ran::Rows(Box::new(
                self.open_cursor(statement, parameters, options).await?,
            )))
        } else {
            self.execute_prepared(statement, parameters).await.map(Ran::Done)
        }
    }

    async fn command(&mut self, sql: &str, scan: Scan, parameters: &[Parameter]) -> Result<Outcome> {
        let markers =
            u16::try_from(scan.markers).map_err(|_| Error::usage("more than 65535 parameter markers"))?;
        self.know_locale_for(sql.is_ascii() && parameters.iter().all(Parameter::is_ascii))
            .await?;
        let text = SqlText::new(self.encode_sql(sql)?, markers);
        let mut group = Group::of(
            self.group(),
            &[ClientMessage::Command(Command(text)), ClientMessage::NDescribe],
        )?;
        group.bind(parameters, &[], &self.codec)?;
        group.push(&ClientMessage::Execute)?;
        group.push(&ClientMessage::Release)?;
        let reply = self.ask(group, Purpose::Plain, "command").await?;
        self.note_effects(sql, scan, &reply);
        Ok(reply.last().into())
    }

    /// Executes a prepared statement without rows: one round trip.
    pub(crate) async fn execute_prepared(
        &mut self,
        statement: &Arc<Prepared>,
        parameters: &[Parameter],
    ) -> Result<Outcome> {
        statement.check_count(parameters.len())?;
        if statement.returns_rows() {
            return Err(Error::usage("the statement returns rows: query it"));
        }
        let group = self.execute_group(statement, parameters)?;
        match self.ask(group, Purpose::Plain, "execute").await {
            Ok(reply) => {
                self.note_effects(statement.sql(), statement.scan, &reply);
                Ok(reply.last().into())
            }
            Err(e) => {
                self.forget_stale(statement, &e);
                Err(e)
            }
        }
    }

    /// Keeps up with statements that change the session by their text.
    fn note_effects(&mut self, sql: &str, scan: Scan, reply: &Reply) {
        match scan.shape {
            Shape::Transaction => self.note_transaction(sql),
            Shape::SessionState => {
                self.tainted = true;
                self.note_database(sql, reply);
            }
            Shape::Query | Shape::Other => {}
        }
    }

    /// `DATABASE x`, `CREATE DATABASE x` (which opens it too) and `CLOSE DATABASE` as text.
    fn note_database(&mut self, sql: &str, reply: &Reply) {
        let words = sql
            .split_whitespace()
            .map(|word| word.trim_matches(['\'', '"', ';']));
        let mut words = words.filter(|word| !word.is_empty());
        let mut next = || words.next().unwrap_or_default();
        let (first, second) = (next().to_ascii_lowercase(), next());
        let name = match first.as_str() {
            "database" => second,
            "create" if second.eq_ignore_ascii_case("database") => match next() {
                // CREATE DATABASE IF NOT EXISTS name
                word if word.eq_ignore_ascii_case("if") => {
                    let _ = (next(), next());
                    next()
                }
                word => word,
            },
            "close" => {
                self.clear_statements();
                self.info.database = None;
                self.info.flags = 0;
                return;
            }
            _ => return,
        };
        self.clear_statements();
        let flags = reply.last().done.warnings;
        // Bits 2 and 4 are always set in the flags word of an opened database (N T); without them the reply
        // says nothing, and the flags stay.
        let flags = if flags & 0x14 == 0 { self.info.flags } else { flags };
        self.set_database(name.to_owned(), flags);
        self.forget_locale();
    }
}
