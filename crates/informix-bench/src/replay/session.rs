//! One connection of the replay server.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use informix_protocol::login::{LoginReply, LoginRequest, MiscBlock, ProcessBlock, RequestForm};
use informix_protocol::message::{
    Cost, Describe, Done, Info, InfoBlock, InputDescribe, InsertDone, ParameterDescription, Protocols,
    SqlErr, SqlText, XactStat, put_tuple,
};
use informix_protocol::{
    Capabilities, ClientMessage, EncodeError, LoginForm, Negotiated, Put, ServerMessage, WireText, tag,
};
use informix_types::bind::RawBind;
use informix_types::{Decimal, RowForm, TextCodec, Value, row};

use super::Shared;
use super::input::{Input, Request};
use super::rows::{self, Block};
use super::statement::{Filter, Statement, Table};

/// What servers say of themselves: the embedded server's texts, and the version that its capabilities are those of.
const VERSION: &str = "IBM Informix Dynamic Server Version 15.0.1.0.3";
const SERVER: &str = "informix";
/// Protocol level, and the flags of a database with transactions (sqli-protocol: measured N, T, J).
const LEVEL: i32 = 316;
const LOGGED: u16 = 0x15;
const NO_DATABASE: u16 = 0x14;
/// Every so many inserted rows are compared as a whole; of the others the key alone.
const SAMPLE: i64 = 1024;
/// Replies are written when so many bytes are there, at the latest.
const FLUSH_BYTES: usize = 256 << 10;

/// A statement with an id, or that of a SQ_COMMAND.
#[derive(Debug)]
struct Prepared {
    statement: Statement,
    /// The rows of a query for a table.
    block: Option<Arc<Block>>,
    /// The number of rows in the table of an INSERT and its like.
    table: Option<Arc<AtomicI64>>,
    /// Number of markers, number of bound values, and the first one when it is an integer.
    parameters: usize,
    bound: usize,
    key: Option<i64>,
    /// What is wrong with the bound values.
    wrong: Option<String>,
    /// The answer to an executed INSERT of one row.
    inserted: Vec<u8>,
    /// Next row, end, and rows delivered so far.
    cursor: Option<(usize, usize, usize)>,
}

/// Which statement messages act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Current {
    None,
    Id(usize),
    Command,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Session {
    stream: TcpStream,
    shared: Arc<Shared>,
    input: Input,
    out: Vec<u8>,
    negotiated: Negotiated,
    statements: Vec<Option<Prepared>>,
    command: Option<Prepared>,
    current: Current,
    /// An error ended the useful work of the running group.
    failed: bool,
}

/// An error that the client is told.
struct Refusal(i16, String);

type Handled = Result<(), Refusal>;

impl From<EncodeError> for Refusal {
    fn from(error: EncodeError) -> Self {
        Self(-999, error.to_string())
    }
}

impl Session {
    pub(crate) fn new(stream: TcpStream, shared: Arc<Shared>) -> Self {
        Self {
            stream,
            shared,
            input: Input::new(),
            out: Vec::new(),
            negotiated: Negotiated::none(LoginForm::Binary),
            statements: Vec::new(),
            command: None,
            current: Current::None,
            failed: false,
        }
    }

    /// Serves the client until it leaves.
    ///
    /// # Errors
    /// The socket failed; `InvalidData` for bytes that are no message.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let login = loop {
            if let Some(login) = self.input.login()? {
                break login;
            }
            if !self.input.fill(&mut self.stream)? {
                return Ok(());
            }
        };
        self.negotiated = Negotiated::none(login.form.login_form());
        accept(&login).encode(&mut self.out).map_err(io::Error::other)?;
        loop {
            while let Some(request) = self.next()? {
                let handled = match request {
                    Request::Eot => {
                        self.end_group();
                        Ok(())
                    }
                    Request::Message(message) if *message == ClientMessage::Exit => {
                        self.out.put_u16(tag::EXIT);
                        self.out.put_u16(tag::EOT);
                        return self.flush();
                    }
                    _ if self.failed => Ok(()),
                    Request::Bind(_) => Ok(()),
                    Request::Id(id) => {
                        self.current = usize::try_from(id).map_or(Current::None, Current::Id);
                        Ok(())
                    }
                    Request::Execute => self.execute(),
                    Request::Message(message) => self.act(*message),
                };
                if let Err(refusal) = handled {
                    self.refuse(refusal)?;
                }
                if self.out.len() > FLUSH_BYTES {
                    self.flush()?;
                }
            }
            self.flush()?;
            if !self.input.fill(&mut self.stream)? {
                return Ok(());
            }
        }
    }

    /// The next request. Bound values are taken on the way.
    fn next(&mut self) -> io::Result<Option<Request>> {
        let Ok(prepared) = find(&mut self.statements, &mut self.command, self.current) else {
            return self.input.request(&self.negotiated, |_, _| {});
        };
        let request = self
            .input
            .request(&self.negotiated, |place, raw| prepared.bind(place, raw))?;
        if let Some(Request::Bind(count)) = request {
            prepared.bound = count;
        }
        Ok(request)
    }

    fn act(&mut self, message: ClientMessage) -> Handled {
        match message {
            ClientMessage::Protocols(offer) => {
                let answer = Capabilities::SERVER_15.answer_to(&offer.0);
                self.send(&ServerMessage::Protocols(Protocols(answer)))?;
                self.negotiated = Negotiated::new(&offer.0, &answer, self.negotiated.login_form());
            }
            ClientMessage::Info(info) => self.info(&info)?,
            ClientMessage::DbOpen(_) => self.done(LOGGED, 0)?,
            ClientMessage::Prepare(prepare) => {
                let prepared = self.parse(&prepare.0)?;
                let free = self.statements.iter().position(Option::is_none);
                let id = free.unwrap_or(self.statements.len());
                match self.statements.get_mut(id) {
                    Some(slot) => *slot = Some(prepared),
                    None => self.statements.push(Some(prepared)),
                }
                self.current = Current::Id(id);
            }
            ClientMessage::Command(command) => {
                self.command = Some(self.parse(&command.0)?);
                self.current = Current::Command;
            }
            ClientMessage::NDescribe | ClientMessage::NDescId => self.describe()?,
            ClientMessage::CiDescribe => self.describe_input()?,
            ClientMessage::WantDone => self.done(0, 0)?,
            ClientMessage::Open => self.open()?,
            ClientMessage::NFetch(fetch) => self.fetch(usize::try_from(fetch.buffer).unwrap_or(0))?,
            ClientMessage::Close => self.statement()?.cursor = None,
            ClientMessage::Release => match self.current {
                Current::Id(id) => {
                    if let Some(slot) = self.statements.get_mut(id) {
                        *slot = None;
                    }
                }
                Current::None | Current::Command => {}
            },
            // The event numbers are those of the embedded server.
            ClientMessage::Begin => self.transaction(1, 1, 0)?,
            ClientMessage::CommitWork => self.transaction(2, 0, 1)?,
            ClientMessage::RollbackWork(_) => self.transaction(3, 0, 1)?,
            // Answered by the end of the group alone.
            ClientMessage::CursorName(_)
            | ClientMessage::RetType(_)
            | ClientMessage::AutoFree
            | ClientMessage::Hold
            | ClientMessage::Version
            | ClientMessage::BatchStart
            | ClientMessage::BatchEnd => {}
            other => return Err(Refusal(-999, format!("message {} is not served", other.tag()))),
        }
        Ok(())
    }

    fn info(&mut self, info: &Info) -> Handled {
        if !info.blocks.contains(&InfoBlock::Request) {
            return Ok(());
        }
        let version = InfoBlock::Version {
            number: LEVEL,
            text: VERSION.into(),
        };
        self.send(&ServerMessage::Info(Info {
            blocks: vec![version],
        }))
    }

    fn parse(&mut self, text: &SqlText) -> Result<Prepared, Refusal> {
        self.current = Current::None;
        let sql = text.sql.to_str_lossy();
        let statement = Statement::parse(&sql)
            .ok_or_else(|| Refusal(-201, format!("not known to the replay server: {sql}")))?;
        let block = match &statement {
            Statement::Rows { columns, .. } => Some(
                self.shared
                    .blocks
                    .get(columns)
                    .map_err(|error| Refusal(-999, error))?,
            ),
            _ => None,
        };
        let table = match &statement {
            Statement::Insert { table, .. }
            | Statement::Empty(table)
            | Statement::Count(table)
            | Statement::Rows {
                table: Table::Filled(table),
                ..
            } => Some(self.shared.table(table)),
            _ => None,
        };
        Ok(Prepared {
            parameters: statement.parameters().len(),
            statement,
            block,
            table,
            inserted: self.inserted()?,
            bound: 0,
            key: None,
            wrong: None,
            cursor: None,
        })
    }

    /// The answer to an executed INSERT, made once for each statement.
    fn inserted(&self) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::new();
        ServerMessage::InsertDone(InsertDone::default()).encode(&mut out, &self.negotiated)?;
        put_done(&mut out, &self.negotiated, 0, 1)?;
        Ok(out)
    }

    fn describe(&mut self) -> Handled {
        let id = match self.current {
            Current::Id(id) => i16::try_from(id).unwrap_or(i16::MAX),
            _ => 0,
        };
        let statement = &self.statement()?.statement;
        let columns = statement.columns();
        let columns = columns.iter().map(|(name, ty)| (WireText::from(*name), ty));
        let described = Describe::from_columns(statement.kind(), id, columns)
            .map_err(|error| Refusal(-999, error.to_string()))?;
        self.send(&ServerMessage::Describe(described))
    }

    fn describe_input(&mut self) -> Handled {
        let parameters = self.statement()?.statement.parameters();
        let parameters = parameters.iter().map(|ty| ParameterDescription {
            ty: ty.into(),
            named: None,
        });
        let described = InputDescribe {
            parameters: parameters.collect(),
            ..InputDescribe::default()
        };
        self.send(&ServerMessage::InputDescribe(described))
    }

    fn execute(&mut self) -> Handled {
        let prepared = find(&mut self.statements, &mut self.command, self.current)?;
        if let Some(wrong) = prepared.wrong.take() {
            return Err(Refusal(-999, wrong));
        }
        if prepared.bound != prepared.parameters {
            let text = format!("{} values for {} parameters", prepared.bound, prepared.parameters);
            return Err(Refusal(-254, text));
        }
        match (&prepared.statement, &prepared.table) {
            (Statement::Insert { .. }, Some(table)) => {
                table.fetch_add(1, Ordering::Relaxed);
                self.out.extend_from_slice(&prepared.inserted);
                Ok(())
            }
            (Statement::Empty(_), Some(table)) => {
                let rows = table.swap(0, Ordering::Relaxed);
                self.done(0, i32::try_from(rows).unwrap_or(i32::MAX))
            }
            _ => self.done(0, 0),
        }
    }

    fn open(&mut self) -> Handled {
        let prepared = self.statement()?;
        let key = prepared.key.and_then(|key| usize::try_from(key).ok());
        let (first, end) = match &prepared.statement {
            Statement::Rows { table, filter, .. } => {
                let rows = match (table, &prepared.table) {
                    (Table::Sized(rows), _) => *rows,
                    (Table::Filled(_), Some(table)) => {
                        usize::try_from(table.load(Ordering::Relaxed)).unwrap_or(0)
                    }
                    (Table::Filled(_), None) => 0,
                };
                match filter {
                    Filter::All => (0, rows),
                    Filter::Is(wanted) => match wanted.or(key).filter(|key| *key < rows) {
                        Some(key) => (key, key + 1),
                        None => (0, 0),
                    },
                    Filter::From(wanted) => (wanted.or(key).unwrap_or(0).min(rows), rows),
                }
            }
            Statement::Number(_) | Statement::Count(_) => (0, 1),
            _ => (0, 0),
        };
        prepared.cursor = Some((first, end, 0));
        Ok(())
    }

    /// SQ_NFETCH: rows up to the size of the buffer, and SQ_DONE with the last ones.
    fn fetch(&mut self, buffer: usize) -> Handled {
        let prepared = find(&mut self.statements, &mut self.command, self.current)?;
        let (next, end, delivered) = prepared
            .cursor
            .ok_or_else(|| Refusal(-259, "the cursor is not open".into()))?;
        let count = match (&prepared.statement, &prepared.block, &prepared.table) {
            (_, Some(block), _) => {
                let count = block.rows_for(buffer).min(end - next);
                block.copy(next, count, &mut self.out);
                count
            }
            (Statement::Number(number), ..) if next < end => {
                put_tuple::<EncodeError>(&mut self.out, 0, |out| {
                    out.extend_from_slice(&number.to_be_bytes());
                    Ok(())
                })?;
                1
            }
            (Statement::Count(_), _, Some(table)) if next < end => {
                let rows = table.load(Ordering::Relaxed);
                put_count(&mut self.out, &prepared.statement, rows)?;
                1
            }
            _ => 0,
        };
        let delivered = delivered + count;
        prepared.cursor = Some((next + count, end, delivered));
        if next + count == end {
            self.done(0, i32::try_from(delivered).unwrap_or(i32::MAX))?;
        }
        Ok(())
    }

    fn transaction(&mut self, event: i16, new_level: i16, old_level: i16) -> Handled {
        self.send(&ServerMessage::XactStat(XactStat {
            event,
            new_level,
            old_level,
        }))
    }

    fn statement(&mut self) -> Result<&mut Prepared, Refusal> {
        find(&mut self.statements, &mut self.command, self.current)
    }

    fn end_group(&mut self) {
        self.failed = false;
        if self.command.take().is_some() {
            self.current = Current::None;
        }
        self.out.put_u16(tag::EOT);
    }

    fn refuse(&mut self, Refusal(sqlcode, text): Refusal) -> io::Result<()> {
        eprintln!("replay server: {sqlcode}: {text}");
        self.failed = true;
        let error = ServerMessage::Err(SqlErr {
            sqlcode,
            token: text
                .as_bytes()
                .get(..text.len().min(128))
                .unwrap_or_default()
                .into(),
            ..SqlErr::default()
        });
        error
            .encode(&mut self.out, &self.negotiated)
            .map_err(io::Error::other)
    }

    fn done(&mut self, warnings: u16, rows: i32) -> Handled {
        put_done(&mut self.out, &self.negotiated, warnings, rows)
    }

    fn send(&mut self, message: &ServerMessage) -> Handled {
        Ok(message.encode(&mut self.out, &self.negotiated)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

impl Prepared {
    /// Looks at a bound value: the key of an inserted row must be the number of rows before it, and some rows are compared as a whole.
    fn bind(&mut self, place: usize, raw: &RawBind<'_>) {
        if place == 0 {
            self.key = raw
                .value(&TextCodec::default())
                .ok()
                .and_then(|value| value.as_i64());
        }
        let Some(table) = self
            .table
            .as_ref()
            .filter(|_| matches!(self.statement, Statement::Insert { .. }))
        else {
            return;
        };
        let row = table.load(Ordering::Relaxed);
        if place == 0 && self.key != Some(row) {
            self.wrong = Some(format!("row {row} has the key {:?}", self.key));
        } else if place > 0 && row % SAMPLE == 0 {
            let (found, wanted) = same(place, row, raw);
            if found != wanted {
                self.wrong = Some(format!(
                    "row {row}, value {place}: {found:?} instead of {wanted:?}"
                ));
            }
        }
    }
}

/// A bound value and the one that should be there, both as text, because drivers bind them under different types.
fn same(place: usize, row: i64, raw: &RawBind<'_>) -> (String, String) {
    let found = raw.value(&TextCodec::default()).unwrap_or_default();
    let wanted = rows::values(usize::try_from(row).unwrap_or(0))
        .ok()
        .and_then(|values| values.get(place).cloned())
        .unwrap_or_default();
    let text = |value: &Value| match value {
        Value::Decimal(decimal) => decimal.normalized().to_string(),
        Value::Text(text) => text.parse::<Decimal>().map_or_else(
            |_| text.trim_end().to_owned(),
            |decimal| decimal.normalized().to_string(),
        ),
        other => other.to_string(),
    };
    (text(&found), text(&wanted))
}

/// SQ_DONE and the SQ_COST that follows it.
fn put_done(out: &mut Vec<u8>, n: &Negotiated, warnings: u16, rows: i32) -> Handled {
    let done = Done {
        warnings,
        rows,
        ..Done::default()
    };
    ServerMessage::Done(done).encode(out, n)?;
    Ok(ServerMessage::Cost(Cost { rows: 1, cost: 1 }).encode(out, n)?)
}

fn put_count(out: &mut Vec<u8>, statement: &Statement, rows: i64) -> Handled {
    let columns = statement.columns();
    put_tuple::<Refusal>(out, 0, |out| {
        for (_, ty) in &columns {
            row::encode_value(
                ty,
                &Value::BigInt(rows),
                RowForm::default(),
                &TextCodec::default(),
                out,
            )
            .map_err(|error| Refusal(-999, error.to_string()))?;
        }
        Ok(())
    })
}

/// The statement that messages act on. Free of the session, so that replies can be written beside it.
fn find<'s>(
    statements: &'s mut [Option<Prepared>],
    command: &'s mut Option<Prepared>,
    current: Current,
) -> Result<&'s mut Prepared, Refusal> {
    match current {
        Current::None => None,
        Current::Id(id) => statements.get_mut(id).and_then(Option::as_mut),
        Current::Command => command.as_mut(),
    }
    .ok_or_else(|| Refusal(-285, "no statement of this id".into()))
}

/// The accept of a login: everyone is let in. The blocks at its end are those of the embedded server.
fn accept(request: &LoginRequest) -> LoginReply {
    let named = request
        .database
        .as_ref()
        .is_some_and(|name| !name.as_bytes().is_empty());
    LoginReply {
        attribute: if request.form == RequestForm::Binary {
            0x3c
        } else {
            0x3d
        },
        options: 0x1000,
        version: VERSION.into(),
        server_name: SERVER.into(),
        levels: [LEVEL, 0, 0],
        warnings: if named { LOGGED } else { NO_DATABASE },
        process: Some(ProcessBlock {
            process_id: i32::try_from(std::process::id()).unwrap_or(0),
            thread_id: 0,
            host: Some("localhost".into()),
            terminal: Some("/dev/null".into()),
            directory: Some("/".into()),
        }),
        bind: true,
        misc: Some(MiscBlock {
            user_id: 0,
            group_id: 0,
            application: Some("replay".into()),
        }),
        ..LoginReply::default()
    }
}
