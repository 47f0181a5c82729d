//! The session, written once for every face: `async` functions over a [`Transport`](crate::transport::Transport). With a
//! blocking transport nothing ever waits inside a poll, so the blocking face runs them without a runtime.
//!
//! | file | what |
//! |---|---|
//! | `link.rs` | transport, protocol machine, groups in flight |
//! | `reply.rs` | the messages of one reply, gathered |
//! | `connect.rs`, `login.rs` | login, capabilities, environment, database |
//! | `prepare.rs` | statements, their cache, release when dropped |
//! | `locale.rs` | the code set of the database |
//! | `execute.rs` | statements without rows |
//! | `cursor.rs`, `scroll.rs` | rows |
//! | `batch/` | many rows of parameters |
//! | `transaction.rs` | begin, commit, rollback, savepoints, modes |
//! | `lob.rs` | BYTE, TEXT, BLOB, CLOB |
//! | `files.rs` | client files, in memory |
//! | `driver.rs` | the session for drivers of other languages |

mod batch;
mod cancel;
mod cleanup;
mod connect;
mod cursor;
pub mod driver;
mod execute;
mod files;
mod group;
mod link;
mod lob;
mod locale;
mod login;
mod prepare;
mod reply;
mod scroll;
mod text;
mod transaction;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use informix_protocol::ClientMessage;
use informix_protocol::client::GroupBuilder;
use informix_types::TextCodec;
use tracing::Instrument;

pub(crate) use batch::ParamRows;
pub use batch::{BatchOptions, BatchOutcome, BatchRows};
pub use cancel::CancelHandle;
pub(crate) use cancel::CancelState;
pub(crate) use cleanup::{Chore, Chores};
pub(crate) use cursor::Cursor;
pub use cursor::QueryOptions;
pub use execute::Outcome;
pub(crate) use execute::Ran;
use group::Group;
use link::{Link, Purpose, Ticket};
pub use lob::LobKind;
pub(crate) use lob::OpenLob;
use locale::DatabaseLocale;
pub(crate) use prepare::Prepared;
use prepare::StatementCache;
use reply::Reply;
pub(crate) use scroll::ScrollCursor;
pub use scroll::ScrollTo;
use transaction::TransactionState;

use crate::config::Config;
use crate::error::{Error, Kind, Result};
use crate::transport::Meter;

/// The server's public version text.
pub(crate) const SERVER_VERSION: &str =
    "select dbinfo('version', 'full') from informix.systables where tabid = 1";
/// The catalog row with the database's locale, as the vendor's Java client asks for it (`jdbc-observed.md` 2).
pub(crate) const DATABASE_LOCALE: &str =
    "select FIRST 1 site from informix.systables where tabname = ' GL_COLLATE'";

/// How long a server may take to answer an interrupt.
const INTERRUPT_GRACE: Duration = Duration::from_secs(10);
/// How long the server may take to undo what the user of a pooled connection left.
const RESET_LIMIT: Duration = Duration::from_secs(60);
/// How long an abandoned request may take to end by itself before it is interrupted: longer than a round trip over a wide
/// area, since an interrupt that comes too late costs one more.
const ORPHAN_GRACE: Duration = Duration::from_millis(250);

/// What the server told about itself and the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    pub(crate) version: String,
    pub(crate) name: String,
    pub(crate) database: Option<String>,
    pub(crate) flags: u16,
    pub(crate) serial: String,
    pub(crate) application: String,
    pub(crate) levels: [i32; 3],
}

impl ServerInfo {
    /// Version text of the login reply, `IBM Informix Dynamic Server Version …`. Real servers give their internal
    /// number there (9.59 for 14.10); `DBINFO('version','full')` gives the public one.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// DBSERVERNAME.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The open database.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// Whether the database has transactions (flag bit 0 of the DBOPEN reply; N J).
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Whether the database is an ANSI one, where every statement is inside a transaction (flag bit 1; J).
    #[must_use]
    pub fn is_ansi(&self) -> bool {
        self.flags & 2 != 0
    }
}

/// One session with a server.
pub(crate) struct Session {
    link: Link,
    config: Arc<Config>,
    codec: TextCodec,
    locale: DatabaseLocale,
    info: ServerInfo,
    transaction: TransactionState,
    cache: StatementCache,
    chores: Arc<Chores>,
    cancel: Arc<CancelState>,
    meter: Arc<Meter>,
    /// Number for the next cursor name.
    next_cursor: u64,
    /// Handles of routines, by signature.
    routines: HashMap<&'static str, i32>,
    /// Something was left in the session that cannot be undone for the next user of a pool.
    tainted: bool,
    /// Statement limit for the next calls.
    statement_timeout: Option<Duration>,
    /// The limit of the present call has passed and the server was asked to stop.
    overdue: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("info", &self.info)
            .field("transaction", &self.transaction)
            .finish_non_exhaustive()
    }
}

/// The time limit of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    deadline: Option<Instant>,
}

/// The statement's time limit has passed, and the server has ended it.
fn exceeded() -> Error {
    Error::timeout(-213, "the statement exceeded its time limit and was cancelled")
}

impl Session {
    pub(crate) fn info(&self) -> &ServerInfo {
        &self.info
    }

    pub(crate) fn chores(&self) -> &Arc<Chores> {
        &self.chores
    }

    pub(crate) fn cancel_state(&self) -> &Arc<CancelState> {
        &self.cancel
    }

    pub(crate) fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    pub(crate) fn buffer_bytes(&self) -> usize {
        self.link.buffer_bytes()
    }

    pub(crate) fn set_statement_timeout(&mut self, limit: Option<Duration>) {
        self.statement_timeout = limit;
    }

    /// Whether a request can be sent: the session is not broken and the server has not closed it.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.link.is_alive()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.link.check().is_err()
    }

    fn group(&self) -> GroupBuilder {
        self.link.group()
    }

    fn limit(&mut self) -> Limit {
        self.overdue = false;
        Limit {
            deadline: self.statement_timeout.map(|limit| Instant::now() + limit),
        }
    }

    /// Sends one group and waits for its reply. Errors of the server are in the reply.
    async fn exchange(&mut self, group: Group, purpose: Purpose, what: &'static str) -> Result<Reply> {
        let limit = self.limit();
        self.exchange_within(group, purpose, what, limit).await
    }

    /// As [`Session::exchange`], with a time limit of its own.
    async fn exchange_within(
        &mut self,
        group: Group,
        purpose: Purpose,
        what: &'static str,
        limit: Limit,
    ) -> Result<Reply> {
        let span = tracing::debug_span!("informix", request = what);
        async {
            self.start().await?;
            let begin = self.submit_begin()?;
            let ticket = self.link.submit(group, purpose)?;
            self.begun(begin, limit).await?;
            self.finish(&ticket, limit).await
        }
        .instrument(span)
        .await
    }

    /// As [`Session::exchange`], with the server's error as an error.
    async fn ask(&mut self, group: Group, purpose: Purpose, what: &'static str) -> Result<Reply> {
        self.exchange(group, purpose, what).await?.check()
    }

    /// Before every request: deals with what abandoned calls and dropped values left behind.
    async fn start(&mut self) -> Result<()> {
        self.link.check()?;
        self.link.forget_unwanted();
        if self.link.has_orphans() {
            self.settle().await?;
        }
        if self.cancel.is_asked() {
            self.flush_interrupt().await?;
        }
        self.submit_chores()?;
        self.ask_ahead().await
    }

    /// An interrupt was sent, and what it was meant for ended otherwise: a round trip that it may hit, so that it does
    /// not hit the caller's next statement.
    async fn flush_interrupt(&mut self) -> Result<()> {
        let group = Group::of(self.group(), &[ClientMessage::Version])?;
        let ticket = self.link.submit(group, Purpose::Plain)?;
        self.link.set_limits(Some(Instant::now() + INTERRUPT_GRACE), None);
        match self.link.finish(&ticket).await {
            Ok(_) => {
                self.cancel.was_read();
                Ok(())
            }
            Err(e) if e.is_timeout() => Err(self.link.break_with(e)),
            Err(e) => Err(e),
        }
    }

    /// Reads the replies of requests that nobody waits for any more; interrupts them when they take long.
    async fn settle(&mut self) -> Result<()> {
        self.link.set_limits(Some(Instant::now() + ORPHAN_GRACE), None);
        match self.link.drain_orphans().await {
            Err(e) if e.is_timeout() => {}
            done => return done,
        }
        // An interrupt hits whatever runs: it must not hit what somebody waits for.
        if self.link.only_orphans() && self.cancel.can_ask() {
            self.cancel.interrupt()?;
        }
        self.link.set_limits(Some(Instant::now() + INTERRUPT_GRACE), None);
        match self.link.drain_orphans().await {
            Err(e) if e.is_timeout() => {
                let error = Error::closed("an abandoned request did not end, the connection was closed");
                Err(self.link.break_with(error))
            }
            done => done,
        }
    }

    /// Queues the closes, releases and rollbacks that dropped values asked for. They ride on the next write; nobody
    /// waits for their replies. Each is a group of its own: no client sends CLOSE and RELEASE in one
    /// (`sqli-protocol.md` 9.6).
    fn submit_chores(&mut self) -> Result<()> {
        for chore in self.chores.take() {
            if let Some(group) = self.chore_group(chore)? {
                let purpose = match chore {
                    Chore::Close(_) | Chore::Release(_) => Purpose::Chore,
                    Chore::Rollback(_) | Chore::Commit(_) => Purpose::Ending,
                };
                // The ticket is dropped: the reply is read and forgotten.
                drop(self.link.submit(group, purpose)?);
            }
        }
        Ok(())
    }

    /// Waits for a reply within the statement's and the socket's limits. What is known of the code set then suffices to read it.
    async fn finish(&mut self, ticket: &Ticket, limit: Limit) -> Result<Reply> {
        self.hear_locale(limit).await?;
        self.wait(ticket, limit).await
    }

    /// As [`Session::finish`], for the question for the code set too.
    async fn wait(&mut self, ticket: &Ticket, limit: Limit) -> Result<Reply> {
        let idle = self.config.read_timeout;
        self.link.set_limits(limit.deadline, idle);
        self.cancel.set_running(true);
        let mut done = self.link.finish(ticket).await;
        if let Err(e) = &done
            && e.is_timeout()
        {
            done = self.overdue(ticket, limit).await;
        }
        self.cancel.set_running(false);
        // The interrupt may have hit a later group of the same call than the one that was waited for.
        let interrupted = matches!(&done, Ok(Reply { error: Some((e, _)), .. }) if e.sqlcode == -213);
        if interrupted {
            self.cancel.was_read();
        }
        if interrupted && self.overdue {
            return Err(exceeded());
        }
        match done {
            Err(e) if e.is_disconnect() && self.cancel.was_closed() => Err(e
                .with_kind(Kind::Cancelled)
                .with_context("cancelled by closing the connection")),
            done => done,
        }
    }

    /// A time limit has passed while a reply was awaited.
    async fn overdue(&mut self, ticket: &Ticket, limit: Limit) -> Result<Reply> {
        let statement_is_late = limit.deadline.is_some_and(|deadline| deadline <= Instant::now());
        if !statement_is_late {
            let error = Error::timeout(
                -25587,
                "the server sent nothing within the read timeout; the connection was closed",
            );
            return Err(self.link.break_with(error));
        }
        if !self.cancel.can_ask() {
            let error = Error::timeout(
                -25587,
                "the statement exceeded its time limit; over TLS it cannot be cancelled, so the connection was closed",
            );
            return Err(self.link.break_with(error));
        }
        self.cancel.interrupt()?;
        self.link.set_limits(Some(Instant::now() + INTERRUPT_GRACE), None);
        self.overdue = true;
        match self.link.finish(ticket).await {
            Err(e) if e.is_timeout() => {
                let error = Error::timeout(
                    -25587,
                    "the statement exceeded its time limit and the server did not cancel it; the connection was closed",
                );
                Err(self.link.break_with(error))
            }
            // It ended by itself just in time, or something else went wrong.
            other => other,
        }
    }

    /// Sends what waits (rollback, closes) now instead of with the next request.
    pub(crate) async fn tidy(&mut self) -> Result<()> {
        self.start().await?;
        self.link
            .set_limits(None, self.config.read_timeout.or(Some(INTERRUPT_GRACE)));
        match self.link.drain().await {
            Err(e) if e.is_timeout() => Err(self.link.break_with(e)),
            done => done,
        }
    }

    /// Encodes SQL text in the code set of the connection.
    fn encode_sql(&self, sql: &str) -> Result<Vec<u8>> {
        self.codec
            .encode(sql)
            .map(std::borrow::Cow::into_owned)
            .map_err(|e| {
                Error::conversion("the statement has a character that the client's code set does not have")
                    .with_source(e)
            })
    }
}
