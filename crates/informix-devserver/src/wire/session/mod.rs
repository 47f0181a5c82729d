//! The session loop: requests in, calls of the engine, replies out.
//!
//! A group is what stands between two SQ_EOTs. Its messages act one after the other as they arrive; the first error ends
//! its useful work: the rest is read and not acted on, and the SQ_EOT of the reply follows (`sqli-protocol.md` 1).
//!
//! | file | messages |
//! |---|---|
//! | `statement` | the table of statements |
//! | `prepare` | PREPARE, COMMAND, NDESCRIBE, WANTDONE, CIDESCRIBE, AUTOGENKEYS, RELEASE |
//! | `execute` | BIND, BBIND and its chunks, EXECUTE, PUT |
//! | `cursor` | CURNAME, SCROLL, HOLD, AUTOFREE, OPEN, NFETCH, SFETCH, RET_TYPE, FETCHBLOB, CLOSE |
//! | `database` | DBOPEN, DBCLOSE, DBLIST, INFO, transactions, savepoints |
//! | `xa` | XOPEN, XCLOSE, XSTART, XEND, XPREPARE, XCOMMIT, XROLLBACK, XFORGET, XRECOVER |
//! | `routine` | GETROUTINE, EXFPROUTINE, LODATA |
//! | `pam` | ACK, RESPONSE, and whatever comes before they have let the client in |
//! | `faults` | any of them, when there are fault rules |

mod cursor;
mod database;
mod describe;
mod execute;
mod faults;
mod outputs;
mod pam;
mod prepare;
mod routine;
mod sink;
mod statement;
mod text;
mod xa;

use std::sync::Arc;

use informix_protocol::message::SqlErr;
use informix_protocol::server::Request;
use informix_protocol::{ClientMessage, ServerMessage};
use informix_types::{BoundValue, RowForm, TextCodec};

pub(super) use self::pam::Gate;
use self::statement::{Statement, Statements};
use super::cancel::CancelWatch;
use super::channel::{Broken, SharedChannel};
#[cfg(unix)]
use super::idle::Bell;
use super::tamper::SharedTamper;
use crate::engine;
use crate::error::{SqlError, SqlResult};

/// Why a message was not carried out.
#[derive(Debug)]
enum Fault {
    /// The client is told by SQ_ERR and the rest of the group is discarded.
    Sql(SqlError),
    /// The connection is over.
    Broken(Broken),
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

impl From<Broken> for Fault {
    fn from(error: Broken) -> Self {
        Self::Broken(error)
    }
}

type Handled = Result<(), Fault>;

/// Which statement the messages of a group act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Current {
    /// None so far.
    #[default]
    None,
    /// The one prepared last, or named by SQ_ID. It stays the current one in later groups: native clients open a
    /// statement again without naming it (V, `captures/native-deferred-prepare.txt`).
    Prepared(i16),
    /// That of a SQ_COMMAND.
    Command,
}

/// One client's session.
pub(super) struct Session {
    channel: SharedChannel,
    engine: engine::Session,
    cancel: Arc<CancelWatch>,
    tamper: SharedTamper,
    statements: Statements,
    current: Current,
    /// The statement of the group's last SQ_COMMAND; it has no id of its own and ends with the group.
    command: Option<Statement>,
    /// An error ended the useful work of the running group.
    failed: bool,
    /// Rows that PUT has inserted in the running group.
    put_rows: Option<i64>,
    /// The parameter whose BYTE or TEXT contents are being received.
    receiving: Vec<u8>,
    /// Room for the values of the next BIND.
    spare: Vec<BoundValue>,
    /// IFX_PAD_VARCHAR=1.
    pad_varchar: bool,
    /// The login named a database: it is not changed by messages (-759).
    explicit: bool,
    /// Rung by others when they ask for its changes; made when it has some.
    #[cfg(unix)]
    bell: Option<Bell>,
    /// The questions of the login that are not answered yet.
    gate: Option<Gate>,
    /// They were answered wrongly or not at all: the connection ends with the group.
    expelled: bool,
}

/// Whether the session goes on after a message.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    End,
}

impl Session {
    pub(super) fn new(
        channel: SharedChannel,
        mut engine: engine::Session,
        cancel: Arc<CancelWatch>,
        tamper: SharedTamper,
        explicit: bool,
        gate: Option<Gate>,
    ) -> Self {
        #[cfg(unix)]
        engine.will_attend();
        Self {
            channel,
            engine,
            cancel,
            tamper,
            statements: Statements::default(),
            current: Current::None,
            command: None,
            failed: false,
            put_rows: None,
            receiving: Vec::new(),
            spare: Vec::new(),
            pad_varchar: false,
            explicit,
            #[cfg(unix)]
            bell: None,
            gate,
            expelled: false,
        }
    }

    /// Serves the client until it leaves. Dropping the session afterwards rolls back and releases everything.
    pub(super) fn run(&mut self) -> Result<(), Broken> {
        loop {
            if self.bind_at_once()? {
                continue;
            }
            #[cfg(unix)]
            self.wait_for_client()?;
            // Not held while the message acts: the engine may have to ask the client for a file.
            let request = self.channel.lock().next()?;
            let Some(request) = request else { break };
            // A login can't come twice: the decoder reads messages after the first one.
            let Request::Message(message) = request else { break };
            let next = if self.tamper.lock().is_needed() {
                self.step_with_faults(message)?
            } else {
                self.step(message)?
            };
            if next == Next::End {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the next request and answers meanwhile what others ask about uncommitted changes.
    #[cfg(unix)]
    fn wait_for_client(&mut self) -> Result<(), Broken> {
        if !self.engine.may_be_asked() {
            return Ok(());
        }
        let mut channel = self.channel.lock();
        let Some(socket) = channel.idle_socket()? else {
            return Ok(());
        };
        let bell = match &mut self.bell {
            Some(bell) => bell,
            none => none.insert(Bell::new(&self.engine)?),
        };
        loop {
            self.engine.attend();
            if !bell.wait(socket)? {
                return Ok(());
            }
        }
    }

    fn step(&mut self, message: ClientMessage) -> Result<Next, Broken> {
        match message {
            ClientMessage::Exit => {
                // What it had locked is free when the client hears that it has left.
                self.engine.leave();
                // nmap reads two bytes more than SQ_EXIT.
                self.channel.lock().send(&ServerMessage::Exit)?;
                self.channel.lock().send(&ServerMessage::Eot)?;
                return Ok(Next::End);
            }
            ClientMessage::Eot => {
                self.end_group()?;
                if self.expelled {
                    return Ok(Next::End);
                }
            }
            _ if self.failed => {}
            message => match self.act(message) {
                Ok(()) => {}
                Err(Fault::Sql(error)) => self.fail(&error),
                Err(Fault::Broken(error)) => return Err(error),
            },
        }
        Ok(Next::Go)
    }

    fn act(&mut self, message: ClientMessage) -> Handled {
        if self.gate.is_some() {
            return self.at_the_gate(message);
        }
        match message {
            ClientMessage::Prepare(prepare) => self.prepare(&prepare.0),
            ClientMessage::Command(command) => self.command(&command.0),
            ClientMessage::AutogenKeys(keys) => self.autogen_keys(keys),
            ClientMessage::NDescribe | ClientMessage::NDescId => self.describe(),
            ClientMessage::WantDone => self.done(0, 0),
            ClientMessage::CiDescribe => self.describe_input(),
            ClientMessage::Release => self.release(),
            ClientMessage::Id(id) => {
                self.current = Current::Prepared(id.0);
                Ok(())
            }
            ClientMessage::Bind(bind) => self.bind(&bind),
            ClientMessage::BBind(bbind) => self.expect_blobs(bbind.count),
            ClientMessage::Blob(chunk) => self.receive_blob(&chunk.0),
            ClientMessage::Execute => self.execute(),
            ClientMessage::Put(row) => self.put(&row),
            ClientMessage::CursorName(name) => self.cursor_name(&name.0),
            ClientMessage::Scroll => self.with_statement(|statement| statement.opening.scroll = true),
            ClientMessage::Hold => self.with_statement(|statement| statement.opening.hold = true),
            ClientMessage::AutoFree => self.with_statement(|statement| statement.autofree = true),
            ClientMessage::Open => self.open(),
            ClientMessage::NFetch(fetch) => self.fetch(fetch.buffer),
            ClientMessage::SFetch(fetch) => self.fetch_scroll(fetch),
            ClientMessage::RetType(types) => self.ret_type(&types),
            ClientMessage::FetchBlob(blob) => self.fetch_blob(&blob),
            ClientMessage::Close => self.close(),
            ClientMessage::DbOpen(open) => self.open_database(&open),
            ClientMessage::DbClose => self.close_database(),
            ClientMessage::DbList => self.list_databases(),
            ClientMessage::Info(info) => self.info(&info),
            ClientMessage::Protocols(offer) => self.protocols(&offer),
            ClientMessage::Begin => self.begin(),
            ClientMessage::CommitWork => self.commit(),
            ClientMessage::RollbackWork(_) => self.rollback(),
            ClientMessage::SetSavepoint(savepoint) => self.savepoint(&savepoint),
            ClientMessage::ReleaseSavepoint(savepoint) => self.release_savepoint(&savepoint.0),
            ClientMessage::RollbackToSavepoint(savepoint) => self.rollback_to_savepoint(&savepoint.0),
            ClientMessage::GetRoutine(routine) => self.get_routine(&routine),
            ClientMessage::ExecRoutine(call) => self.call_routine(&call),
            ClientMessage::DescribeCall(describe) => self.describe_call(&describe),
            // Nothing in it is needed: a call runs at once and to its end.
            ClientMessage::RoutineState(_) => Ok(()),
            ClientMessage::LoData(request) => self.lo_data(&request),
            ClientMessage::XaOpen(open) => self.xa_open(&open),
            ClientMessage::XaClose(_) => self.xa_close(),
            ClientMessage::XaStart(branch) => self.xa(&branch, |e, id, how| e.xa_start(id, how)),
            ClientMessage::XaEnd(branch) => self.xa(&branch, |e, id, how| e.xa_end(id, how)),
            ClientMessage::XaPrepare(branch) => self.xa_prepare(&branch),
            ClientMessage::XaCommit(branch) => self.xa(&branch, |e, id, how| e.xa_commit(id, how)),
            ClientMessage::XaRollback(branch) => self.xa(&branch, |e, id, _| e.xa_rollback(id)),
            ClientMessage::XaForget(branch) => self.xa(&branch, |e, id, _| e.xa_forget(id)),
            ClientMessage::XaRecover(scan) => self.xa_recover(scan),
            // Liveness; and brackets that add nothing to the group they stand in.
            ClientMessage::Version
            | ClientMessage::BatchStart
            | ClientMessage::BatchEnd
            | ClientMessage::Ack => Ok(()),
            ClientMessage::Exit | ClientMessage::Eot => Ok(()),
            other => Err(SqlError::new(-999)
                .because(format!("message {} is not served", other.tag()))
                .into()),
        }
    }

    /// The group is complete: what it left to say, then the turn goes to the client.
    fn end_group(&mut self) -> Result<(), Broken> {
        if let Some(rows) = self.put_rows.take()
            && !self.failed
        {
            self.send_done(0, rows)?;
        }
        self.channel.lock().send(&ServerMessage::Eot)?;
        self.failed = false;
        if self.command.take().is_some() {
            self.current = Current::None;
        }
        self.receiving.clear();
        self.cancel.reset();
        self.engine.interrupt().clear();
        Ok(())
    }

    /// Reports an error; nothing more of the group is carried out.
    fn fail(&mut self, error: &SqlError) {
        tracing::debug!(%error, "statement failed");
        self.failed = true;
        let small = |code: i32| i16::try_from(code).unwrap_or(i16::MIN);
        self.channel.lock().send_error(&SqlErr {
            sqlcode: small(error.sqlcode),
            isamcode: small(error.isam),
            offset: i32::try_from(error.offset).unwrap_or(i32::MAX),
            token: text::encode(&error.token, &self.codec()),
        });
    }

    fn send(&mut self, message: &ServerMessage) -> Handled {
        Ok(self.channel.lock().send(message)?)
    }

    /// The code set in which text travels: that of the open database, 8859-1 before.
    fn codec(&self) -> TextCodec {
        self.engine.codec().copied().unwrap_or_default()
    }

    /// The form of rows as long as SQ_RET_TYPE has not asked for another one.
    fn plain_form(&self) -> RowForm {
        RowForm {
            padded_varchar: self.pad_varchar || !self.channel.lock().negotiated().variable_varchar(),
            ..RowForm::default()
        }
    }

    fn with_statement(&mut self, change: impl FnOnce(&mut Statement)) -> Handled {
        change(self.statement()?);
        Ok(())
    }

    fn statement(&mut self) -> SqlResult<&mut Statement> {
        current(&mut self.statements, &mut self.command, self.current)
    }
}

/// The statement that messages act on. Free of `self`, so that the engine can be used beside it.
fn current<'s>(
    statements: &'s mut Statements,
    command: &'s mut Option<Statement>,
    current: Current,
) -> SqlResult<&'s mut Statement> {
    match current {
        Current::None => None,
        Current::Prepared(id) => statements.get_mut(id),
        Current::Command => command.as_mut(),
    }
    .ok_or_else(|| SqlError::new(-285).because("no statement of this id"))
}
