//! Transactions, savepoints and session modes (`sqli-protocol.md` 11).

use std::time::Instant;

use informix_protocol::ClientMessage;
use informix_protocol::message::{
    Command, ReleaseSavepoint, RollbackToSavepoint, RollbackWork, SetSavepoint, SqlText,
};

use super::group::Group;
use super::link::{Purpose, Ticket};
use super::{Chore, Limit, RESET_LIMIT, Session};
use crate::config::{Isolation, LockMode};
use crate::error::{Error, Result};

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Every statement is its own transaction.
    #[default]
    None,
    /// BEGIN is to ride on the next request.
    Pending,
    /// BEGIN was sent (or in an ANSI database: a transaction is open whenever a statement ran).
    Open,
}

/// What the session knows of its transaction and modes.
#[derive(Debug, Default)]
pub(crate) struct TransactionState {
    state: State,
    /// Counts transactions, so that a late rollback cannot hit the wrong one.
    number: u64,
    isolation: Option<Isolation>,
    lock_mode: Option<LockMode>,
    /// Something was sent to an ANSI database since the last COMMIT or ROLLBACK: it may have opened a transaction.
    implicit: bool,
}

impl Session {
    /// Whether a transaction was begun and not ended.
    pub(crate) fn in_transaction(&self) -> bool {
        self.transaction.state != State::None
    }

    /// Whether something was sent to an ANSI database that may have opened a transaction there.
    pub(super) fn has_implicit_work(&self) -> bool {
        self.transaction.implicit
    }

    /// Something was sent that opens a transaction in an ANSI database.
    pub(super) fn note_implicit_work(&mut self) {
        self.transaction.implicit |= self.info.is_ansi();
    }

    /// Begins a transaction. Nothing is sent: BEGIN rides on the next request. Returns the transaction's number.
    pub(crate) fn begin(&mut self) -> Result<u64> {
        self.link.check()?;
        if !self.info.is_logged() && self.info.database.is_some() {
            return Err(Error::server(-256, 0, 0, "").with_context("the database has no log"));
        }
        if self.chores.has_ending() {
            // A dropped transaction is ended in front of the new one.
            self.submit_chores()?;
        }
        if self.in_transaction() {
            return Err(Error::server(-535, 0, 0, ""));
        }
        // In an ANSI database a transaction begins by itself; BEGIN is never sent (J).
        self.transaction.state = if self.info.is_ansi() {
            State::Open
        } else {
            State::Pending
        };
        self.transaction.number += 1;
        Ok(self.transaction.number)
    }

    /// Queues the BEGIN that waits, as a group of its own in front of the request at hand. Both go out in one write.
    pub(super) fn submit_begin(&mut self) -> Result<Option<Ticket>> {
        self.note_implicit_work();
        if self.transaction.state != State::Pending {
            return Ok(None);
        }
        let group = Group::of(self.group(), &[ClientMessage::Begin])?;
        let ticket = self.link.submit(group, Purpose::Plain)?;
        self.transaction.state = State::Open;
        Ok(Some(ticket))
    }

    /// Waits for the answer to BEGIN.
    pub(super) async fn begun(&mut self, ticket: Option<Ticket>, limit: Limit) -> Result<()> {
        let Some(ticket) = ticket else {
            return Ok(());
        };
        let begun = self.finish(&ticket, limit).await.and_then(super::Reply::check);
        begun.map(drop).map_err(|e| {
            // -535: there is one, begun where the client could not see it (in a routine).
            self.transaction.state = if e.sqlcode() == -535 {
                State::Open
            } else {
                State::None
            };
            e.with_context("BEGIN was refused; the statement behind it may have run without it")
        })
    }

    /// Commits. Nothing is sent when nothing was done since the begin.
    pub(crate) async fn commit(&mut self) -> Result<()> {
        self.end(&ClientMessage::CommitWork, "commit").await
    }

    /// Rolls back. Nothing is sent when nothing was done since the begin.
    pub(crate) async fn rollback(&mut self) -> Result<()> {
        if self.transaction.state == State::Open && self.chores.has_ending() {
            self.start().await?;
            if self.transaction.state == State::None {
                // It was to be ended anyhow: its guard was dropped.
                return self.link.flush().await;
            }
        }
        self.end(&ClientMessage::RollbackWork(RollbackWork::default()), "rollback")
            .await
    }

    async fn end(&mut self, message: &ClientMessage, what: &'static str) -> Result<()> {
        match self.transaction.state {
            State::None if !self.info.is_ansi() => return Err(Error::server(-255, 0, 0, "")),
            State::Pending => {
                self.transaction.state = State::None;
                return self.link.check();
            }
            State::None | State::Open => {}
        }
        let group = Group::of(self.group(), std::slice::from_ref(message))?;
        // Not under the statement's limit: an interrupted COMMIT would leave the caller with a question.
        let limit = Limit { deadline: None };
        self.end_within(group, what, limit).await
    }

    async fn end_within(&mut self, group: Group, what: &'static str, limit: Limit) -> Result<()> {
        let reply = self.exchange_within(group, Purpose::Plain, what, limit).await?;
        // After another error the transaction is as open as it was: the caller may still roll it back.
        if reply.transaction_ended || reply.error.as_ref().is_none_or(|(e, _)| e.sqlcode == -255) {
            self.transaction.state = State::None;
            self.transaction.implicit = false;
        }
        match &reply.error {
            // An ANSI database with nothing to end.
            Some((e, _)) if e.sqlcode == -255 && self.info.is_ansi() => Ok(()),
            _ => reply.check().map(drop),
        }
    }

    /// The group of a chore, `None` when it has become pointless.
    pub(super) fn chore_group(&mut self, chore: Chore) -> Result<Option<Group>> {
        let group = match chore {
            Chore::Close(id) => Group::on(self.group(), id, &[ClientMessage::Close])?,
            Chore::Release(id) => Group::on(self.group(), id, &[ClientMessage::Release])?,
            Chore::Rollback(number) | Chore::Commit(number) => {
                let open = self.transaction.state == State::Open;
                if self.transaction.number != number || self.transaction.state == State::None {
                    return Ok(None);
                }
                self.transaction.state = State::None;
                if !open {
                    return Ok(None);
                }
                let message = match chore {
                    Chore::Commit(_) => ClientMessage::CommitWork,
                    _ => ClientMessage::RollbackWork(RollbackWork::default()),
                };
                Group::of(self.group(), &[message])?
            }
        };
        Ok(Some(group))
    }

    /// BEGIN, COMMIT and ROLLBACK as SQL text have succeeded.
    pub(super) fn note_transaction(&mut self, sql: &str) {
        let lower = sql.to_ascii_lowercase();
        let mut words = lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|w| !w.is_empty());
        match words.next() {
            Some("begin") => {
                self.transaction.state = State::Open;
                self.transaction.number += 1;
            }
            Some("commit") => self.transaction.state = State::None,
            Some("rollback") if !words.any(|w| w == "savepoint") => self.transaction.state = State::None,
            _ => {}
        }
    }

    /// Sets a savepoint by message 137 (needs bit 56), or by SQL text.
    pub(crate) async fn savepoint(&mut self, name: &str, unique: bool) -> Result<()> {
        if !self.link.negotiated().savepoints() {
            let tail = if unique { " unique" } else { "" };
            return self.statement(format!("savepoint {name}{tail}")).await;
        }
        self.know_locale_for(name.is_ascii()).await?;
        let name = self.encode_sql(name)?.into();
        let message = ClientMessage::SetSavepoint(SetSavepoint {
            name,
            unique: i16::from(unique),
        });
        self.savepoint_message(message, "savepoint").await
    }

    /// Releases a savepoint by message 138.
    pub(crate) async fn release_savepoint(&mut self, name: &str) -> Result<()> {
        if !self.link.negotiated().savepoints() {
            return self.statement(format!("release savepoint {name}")).await;
        }
        self.know_locale_for(name.is_ascii()).await?;
        let name = self.encode_sql(name)?.into();
        self.savepoint_message(
            ClientMessage::ReleaseSavepoint(ReleaseSavepoint(name)),
            "release savepoint",
        )
        .await
    }

    /// Rolls back to a savepoint by message 139.
    pub(crate) async fn rollback_to(&mut self, name: &str) -> Result<()> {
        if !self.link.negotiated().savepoints() {
            return self.statement(format!("rollback work to savepoint {name}")).await;
        }
        self.know_locale_for(name.is_ascii()).await?;
        let name = self.encode_sql(name)?.into();
        self.savepoint_message(
            ClientMessage::RollbackToSavepoint(RollbackToSavepoint(name)),
            "rollback to savepoint",
        )
        .await
    }

    async fn savepoint_message(&mut self, message: ClientMessage, what: &'static str) -> Result<()> {
        if !self.in_transaction() {
            return Err(Error::server(-255, 0, 0, "").with_context("a savepoint needs a transaction"));
        }
        let group = Group::of(self.group(), &[message])?;
        self.ask(group, Purpose::Plain, what).await.map(|_| ())
    }

    /// Sets the isolation level.
    pub(crate) async fn set_isolation(&mut self, level: Isolation, retain_update_locks: bool) -> Result<()> {
        self.statement(level.statement(retain_update_locks)).await?;
        self.transaction.isolation = Some(level);
        Ok(())
    }

    /// Sets what happens at a locked row.
    pub(crate) async fn set_lock_mode(&mut self, mode: LockMode) -> Result<()> {
        self.statement(mode.statement()).await?;
        self.transaction.lock_mode = Some(mode);
        Ok(())
    }

    /// A statement of our own as SQ_COMMAND, as the vendor's clients set modes (J V).
    fn statement_group(&self, sql: String) -> Result<Group> {
        let text = SqlText::new(sql, 0);
        Group::of(
            self.group(),
            &[
                ClientMessage::Command(Command(text)),
                ClientMessage::NDescribe,
                ClientMessage::Execute,
                ClientMessage::Release,
            ],
        )
    }

    async fn statement(&mut self, sql: String) -> Result<()> {
        let group = self.statement_group(sql)?;
        self.ask(group, Purpose::Plain, "set").await.map(|_| ())
    }

    /// Sets the configured modes of a new session, all in one write.
    pub(super) async fn apply_modes(&mut self) -> Result<()> {
        let isolation = self.config.isolation.map(|level| level.statement(false));
        let lock_mode = self.config.lock_mode.map(LockMode::statement);
        let mut tickets = Vec::new();
        for sql in isolation.into_iter().chain(lock_mode) {
            let group = self.statement_group(sql)?;
            tickets.push(self.link.submit(group, Purpose::Plain)?);
        }
        for ticket in tickets {
            self.link.finish(&ticket).await?.check()?;
        }
        Ok(())
    }

    /// Makes the session as good as new for the next user of a pool: transaction rolled back, modes as configured.
    /// `false` when that cannot be done, and the session must be closed.
    pub(crate) async fn reset(&mut self) -> Result<bool> {
        if self.is_broken() || self.tainted || !self.is_at_home() {
            return Ok(false);
        }
        // Nobody who gives a connection back waits for ever.
        self.statement_timeout = Some(RESET_LIMIT);
        if self.chores.has_ending() {
            self.tidy().await?;
        }
        if self.transaction.state == State::Pending {
            self.transaction.state = State::None;
        }
        if self.in_transaction() || self.transaction.implicit {
            self.roll_back_all().await?;
        }
        let isolation = self
            .transaction
            .isolation
            .take()
            .filter(|now| Some(*now) != self.config.isolation);
        let lock_mode = self
            .transaction
            .lock_mode
            .take()
            .filter(|now| Some(*now) != self.config.lock_mode);
        if isolation.is_some() {
            // The server's default: repeatable read in an ANSI database, committed read otherwise (D).
            let default = if self.info.is_ansi() {
                Isolation::RepeatableRead
            } else {
                Isolation::CommittedRead
            };
            self.statement(self.config.isolation.unwrap_or(default).statement(false))
                .await?;
        }
        if lock_mode.is_some() {
            self.statement(self.config.lock_mode.unwrap_or(LockMode::NotWait).statement())
                .await?;
        }
        if self.transaction.implicit {
            self.roll_back_all().await?;
        }
        self.set_statement_timeout(self.config.statement_timeout);
        Ok(true)
    }

    /// Rolls back whatever may be open.
    async fn roll_back_all(&mut self) -> Result<()> {
        let back = ClientMessage::RollbackWork(RollbackWork::default());
        let group = Group::of(self.group(), &[back])?;
        let limit = self.limit();
        match self.end_within(group, "rollback", limit).await {
            // The server knows of none: it is as good as rolled back.
            Err(e) if e.sqlcode() == -255 => Ok(()),
            done => done,
        }
    }

    /// Whether a reset would have to talk to the server.
    pub(crate) fn needs_reset(&self) -> bool {
        self.tainted
            || self.is_broken()
            || !self.is_at_home()
            || self.in_transaction()
            || self.transaction.implicit
            || self.chores.has_ending()
            || self.transaction.isolation.is_some()
            || self.transaction.lock_mode.is_some()
            || self.statement_timeout != self.config.statement_timeout
    }

    /// Whether the database is the configured one.
    fn is_at_home(&self) -> bool {
        self.info.database == self.config.database
    }

    /// As [`Session::ping`], for a connection that may be dead: it breaks when no answer comes in time.
    pub(crate) async fn probe(&mut self, deadline: Instant) -> Result<()> {
        self.start().await?;
        let group = Group::of(self.group(), &[ClientMessage::Version])?;
        let ticket = self.link.submit(group, Purpose::Plain)?;
        self.link.set_limits(Some(deadline), self.config.read_timeout);
        match self.link.finish(&ticket).await {
            Err(e) if e.is_timeout() => Err(self.link.break_with(e)),
            done => done?.check().map(drop),
        }
    }

    /// Asks for a sign of life: SQ_VERSION, answered by EOT alone (`sqli-protocol.md` 12.2, J).
    pub(crate) async fn ping(&mut self) -> Result<()> {
        let group = Group::of(self.group(), &[ClientMessage::Version])?;
        self.ask(group, Purpose::Plain, "ping").await.map(|_| ())
    }
}
