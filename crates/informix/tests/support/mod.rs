//! A scripted server: real sockets and real messages, answers made up by the test.
//!
//! It knows a few texts. `select N` gives N rows `(n integer, t varchar)`, `select fixed N` rows of `(n integer)`;
//! `sleep` waits for the urgent byte and answers -213; `fail CODE` answers that error; the question for the locale of the
//! database gets what the script says; anything else is a statement without rows. A bound INTEGER 13 is a duplicate key.

#![allow(dead_code, unreachable_pub)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use informix_protocol::login::{LoginReply, LoginRequest, ReplyKind};
use informix_protocol::message::{
    ColumnDescription, Cost, Describe, Done, Protocols, RoutineHandle, SqlErr, Tuple, XactStat,
};
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{Capabilities, ClientMessage, Limits, Negotiated, ServerMessage, tag};
use informix_types::{ColumnType, RowForm, TextCodec, Value};

/// What a test changes in the server.
#[derive(Default)]
pub struct Script {
    /// Answer to the login instead of an acceptance.
    pub login: Option<LoginScript>,
    /// Answer to a group instead of the built-in one.
    pub group: Option<GroupScript>,
    /// Capabilities of the server.
    pub capabilities: Option<Capabilities>,
    /// Flags word of the database; default logged.
    pub flags: Option<u16>,
    /// The locale of the database; `sleep` waits for the urgent byte the first time. Without one its catalog has none.
    pub locale: Option<String>,
    /// Lowest id of a statement.
    pub first_id: i16,
}

pub type LoginScript = Box<dyn Fn(&LoginRequest) -> Option<LoginReply> + Send + Sync>;
pub type GroupScript = Box<dyn Fn(&[ClientMessage]) -> Option<Action> + Send + Sync>;

/// What the server does with a group.
pub enum Action {
    /// Answers with these and EOT.
    Reply(Vec<ServerMessage>),
    /// Sends these bytes as they are.
    Raw(Vec<u8>),
    /// Sends these bytes and closes.
    RawThenClose(Vec<u8>),
    /// Says nothing.
    Silence,
    /// Closes.
    Close,
}

/// A running server.
pub struct Server {
    pub port: u16,
    /// The tags of every group received, in order.
    pub groups: Arc<Mutex<Vec<Vec<u16>>>>,
    /// Connections that were opened, and those that ended.
    pub opened: Arc<AtomicUsize>,
    pub ended: Arc<AtomicUsize>,
    pub logins: Arc<Mutex<Vec<LoginRequest>>>,
}

impl Server {
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Self {
            port,
            groups: Arc::default(),
            opened: Arc::default(),
            ended: Arc::default(),
            logins: Arc::default(),
        };
        let shared = (
            Arc::clone(&server.groups),
            Arc::clone(&server.opened),
            Arc::clone(&server.ended),
            Arc::clone(&server.logins),
        );
        let script = Arc::new(script);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (groups, opened, ended, logins) = shared.clone();
                let script = Arc::clone(&script);
                std::thread::spawn(move || {
                    opened.fetch_add(1, Ordering::SeqCst);
                    stream.set_nodelay(true).unwrap();
                    socket2::SockRef::from(&stream)
                        .set_out_of_band_inline(true)
                        .unwrap();
                    let mut session = Peer::new(Box::new(stream), script, groups, logins);
                    let _ = session.serve();
                    drop(session);
                    ended.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!(
            "informix://kim:secret@127.0.0.1:{}/testdb?server=scripted&connect_timeout=10",
            self.port
        )
    }

    pub fn config(&self) -> informix::Config {
        self.url().parse().unwrap()
    }

    /// Groups received since the last call, as names.
    pub fn take_groups(&self) -> Vec<String> {
        std::mem::take(&mut *self.groups.lock().unwrap())
            .iter()
            .map(|tags| {
                tags.iter()
                    .map(|t| tag::name(*t).trim_start_matches("SQ_"))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }
}

pub trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

struct Statement {
    sql: String,
    columns: Vec<(String, ColumnType)>,
    rows: i32,
    next: i32,
    open: bool,
    binary: bool,
    text: Option<String>,
}

/// One connection of the server.
pub struct Peer {
    stream: Box<dyn Stream>,
    decoder: RequestDecoder,
    script: Arc<Script>,
    groups: Arc<Mutex<Vec<Vec<u16>>>>,
    logins: Arc<Mutex<Vec<LoginRequest>>>,
    n: Negotiated,
    statements: BTreeMap<i16, Statement>,
    in_transaction: bool,
    has_slept: bool,
}

enum End {
    Closed,
}

type Step<T> = Result<T, End>;

impl From<std::io::Error> for End {
    fn from(_: std::io::Error) -> Self {
        Self::Closed
    }
}

fn done(rows: i32) -> Vec<ServerMessage> {
    vec![
        ServerMessage::Done(Done {
            rows,
            ..Done::default()
        }),
        ServerMessage::Cost(Cost::default()),
    ]
}

pub fn error(sqlcode: i16, isamcode: i16, token: &str) -> ServerMessage {
    ServerMessage::Err(SqlErr {
        sqlcode,
        isamcode,
        offset: 0,
        token: token.into(),
    })
}

impl Peer {
    pub fn new(
        stream: Box<dyn Stream>,
        script: Arc<Script>,
        groups: Arc<Mutex<Vec<Vec<u16>>>>,
        logins: Arc<Mutex<Vec<LoginRequest>>>,
    ) -> Self {
        Self {
            stream,
            decoder: RequestDecoder::new(Limits::default()),
            script,
            groups,
            logins,
            n: Negotiated::default(),
            statements: BTreeMap::new(),
            in_transaction: false,
            has_slept: false,
        }
    }

    pub fn serve(&mut self) -> Result<(), ()> {
        self.run().map_err(|_| ())
    }

    fn run(&mut self) -> Step<()> {
        let mut group = Vec::new();
        loop {
            match self.decoder.next_request() {
                Ok(Some(Request::Login(login))) => self.login(&login)?,
                Ok(Some(Request::Message(ClientMessage::Exit))) => {
                    self.stream.write_all(&[0, 56, 0, 12])?;
                    return Ok(());
                }
                Ok(Some(Request::Message(ClientMessage::Eot))) => self.group(&std::mem::take(&mut group))?,
                Ok(Some(Request::Message(message))) => group.push(message),
                Ok(None) => self.read()?,
                Err(_) => return Err(End::Closed),
            }
        }
    }

    fn read(&mut self) -> Step<()> {
        let mut buffer = [0; 65536];
        let n = self.stream.read(&mut buffer)?;
        if n == 0 {
            return Err(End::Closed);
        }
        let mut bytes = &buffer[..n];
        // An urgent byte that came too late: no message starts with it.
        while self.decoder.is_empty() && bytes.first() == Some(&0x42) {
            bytes = &bytes[1..];
        }
        self.decoder.receive(bytes);
        Ok(())
    }

    fn login(&mut self, login: &LoginRequest) -> Step<()> {
        self.logins.lock().unwrap().push(login.clone());
        let accept = LoginReply {
            version: "IBM Informix Dynamic Server Version 14.10.FC7W1".into(),
            server_name: "scripted".into(),
            ..LoginReply::default()
        };
        let scripted = self.script.login.as_ref().and_then(|f| f(login));
        let reply = scripted.unwrap_or(accept);
        let mut out = Vec::new();
        reply.encode(&mut out).unwrap();
        self.stream.write_all(&out)?;
        if reply.kind == ReplyKind::Accept {
            Ok(())
        } else {
            Err(End::Closed)
        }
    }

    fn send(&mut self, messages: &[ServerMessage]) -> Step<()> {
        let mut out = Vec::new();
        for message in messages.iter().chain([&ServerMessage::Eot]) {
            message.encode(&mut out, &self.n).unwrap();
        }
        self.stream.write_all(&out)?;
        Ok(())
    }

    fn group(&mut self, group: &[ClientMessage]) -> Step<()> {
        self.groups
            .lock()
            .unwrap()
            .push(group.iter().map(ClientMessage::tag).collect());
        match self.script.group.as_ref().and_then(|f| f(group)) {
            Some(Action::Reply(messages)) => return self.send(&messages),
            Some(Action::Raw(bytes)) => return Ok(self.stream.write_all(&bytes)?),
            Some(Action::RawThenClose(bytes)) => {
                self.stream.write_all(&bytes)?;
                return Err(End::Closed);
            }
            Some(Action::Silence) => return Ok(()),
            Some(Action::Close) => return Err(End::Closed),
            None => {}
        }
        let mut reply = Vec::new();
        let failure = self.answer(group, &mut reply)?;
        reply.extend(failure);
        self.send(&reply)
    }

    /// Answers a group. The error that ends it is returned.
    fn answer(
        &mut self,
        group: &[ClientMessage],
        reply: &mut Vec<ServerMessage>,
    ) -> Step<Option<ServerMessage>> {
        let mut current = None;
        let mut command: Option<String> = None;
        let mut bound: Vec<Value> = Vec::new();
        for message in group {
            match message {
                ClientMessage::Protocols(offer) => {
                    let answer = self.script.capabilities.unwrap_or(Capabilities::SERVER_14_10);
                    let mut out = Vec::new();
                    ServerMessage::Protocols(Protocols(answer))
                        .encode(&mut out, &self.n)
                        .unwrap();
                    self.stream.write_all(&out)?;
                    self.n = self.decoder.negotiate(&offer.0, &answer);
                }
                ClientMessage::DbOpen(open) if open.name == "nosuchdb" => {
                    return Ok(Some(error(-329, -111, "nosuchdb")));
                }
                ClientMessage::DbOpen(_) => {
                    let warnings = self.script.flags.unwrap_or(0x15);
                    reply.push(ServerMessage::Done(Done {
                        warnings,
                        ..Done::default()
                    }));
                    reply.push(ServerMessage::Cost(Cost { rows: 1, cost: 1 }));
                }
                ClientMessage::Prepare(prepare) => {
                    let sql = prepare.0.sql.to_string();
                    if let Some(failure) = failure(&sql) {
                        return Ok(Some(failure));
                    }
                    let id = (self.script.first_id..)
                        .find(|id| !self.statements.contains_key(id))
                        .unwrap();
                    current = Some(id);
                    let statement = Statement::new(sql, self.script.locale.as_deref());
                    reply.push(ServerMessage::Describe(statement.describe(id)));
                    reply.extend(done(0));
                    self.statements.insert(id, statement);
                }
                ClientMessage::Command(text) => command = Some(text.0.sql.to_string()),
                ClientMessage::Id(id) => current = Some(id.0),
                ClientMessage::Bind(bind) => {
                    bound = bind
                        .values
                        .iter()
                        .map(|v| v.raw().value(&TextCodec::default()).unwrap_or(Value::Null))
                        .collect();
                }
                ClientMessage::Execute => {
                    if command.as_deref() == Some("sleep") {
                        return self.sleep().map(Some);
                    }
                    if let Some(failure) = command.as_deref().and_then(failure) {
                        return Ok(Some(failure));
                    }
                    if bound.contains(&Value::Integer(13)) {
                        return Ok(Some(error(-268, -100, "u1")));
                    }
                    if command.is_some() {
                        let kind = ServerMessage::Describe(Describe {
                            statement_type: 6,
                            ..Describe::default()
                        });
                        reply.push(kind);
                    }
                    reply.extend(done(1));
                }
                ClientMessage::RetType(_) => self.current(current, |s| s.binary = true),
                ClientMessage::Open => self.current(current, |s| {
                    s.open = true;
                    s.next = 0;
                }),
                ClientMessage::NFetch(fetch) => {
                    let statement = self.statements.get(&current.unwrap_or(-1));
                    let asleep = statement.is_some_and(|s| s.text.as_deref() == Some("sleep"));
                    if statement.is_some_and(|s| s.sql == "select sleep") || (asleep && !self.has_slept) {
                        self.has_slept |= asleep;
                        return self.sleep().map(Some);
                    }
                    self.fetch(current, fetch.buffer, reply);
                }
                ClientMessage::Close => self.current(current, |s| s.open = false),
                ClientMessage::Release => {
                    if let Some(id) = current {
                        self.statements.remove(&id);
                    }
                }
                ClientMessage::Begin if self.in_transaction => return Ok(Some(error(-535, 0, ""))),
                ClientMessage::Begin => {
                    self.in_transaction = true;
                    reply.push(ServerMessage::XactStat(XactStat {
                        event: 1,
                        new_level: 1,
                        old_level: 0,
                    }));
                }
                ClientMessage::CommitWork | ClientMessage::RollbackWork(_) if !self.in_transaction => {
                    return Ok(Some(error(-255, 0, "")));
                }
                ClientMessage::CommitWork | ClientMessage::RollbackWork(_) => {
                    self.in_transaction = false;
                    reply.push(ServerMessage::XactStat(XactStat {
                        event: 2,
                        new_level: 0,
                        old_level: 1,
                    }));
                }
                ClientMessage::GetRoutine(_) => {
                    reply.push(ServerMessage::RoutineHandle(RoutineHandle::default()));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// A statement that runs until it is interrupted.
    fn sleep(&mut self) -> Step<ServerMessage> {
        let mut byte = [0];
        self.stream.read_exact(&mut byte)?;
        assert_eq!(byte, [0x42], "the urgent byte");
        Ok(error(-213, 0, ""))
    }

    fn current(&mut self, id: Option<i16>, change: impl FnOnce(&mut Statement)) {
        if let Some(statement) = id.and_then(|id| self.statements.get_mut(&id)) {
            change(statement);
        }
    }

    fn fetch(&mut self, id: Option<i16>, budget: i32, reply: &mut Vec<ServerMessage>) {
        let Some(statement) = id.and_then(|id| self.statements.get_mut(&id)) else {
            return reply.push(error(-285, 0, ""));
        };
        if !statement.open {
            return reply.push(error(-259, 0, ""));
        }
        let mut size = 0;
        while statement.next < statement.rows {
            let payload = statement.row();
            size += payload.len() as i32 + 8;
            reply.push(ServerMessage::Tuple(Tuple { warnings: 0, payload }));
            statement.next += 1;
            if size >= budget {
                break;
            }
        }
        if statement.next >= statement.rows {
            reply.extend(done(statement.rows));
        }
    }
}

fn failure(sql: &str) -> Option<ServerMessage> {
    let code = sql.strip_prefix("fail ")?;
    Some(error(code.parse().unwrap(), 0, "x"))
}

impl Statement {
    fn new(sql: String, locale: Option<&str>) -> Self {
        let words: Vec<&str> = sql.split_whitespace().collect();
        let n = ("n".to_owned(), ColumnType::integer());
        let (columns, rows) = match words.as_slice() {
            ["select", "fixed", count, ..] => (vec![n], count.parse().unwrap()),
            ["select", "sleep"] => (vec![n], 1),
            ["select", "FIRST", "1", "site", ..] => (
                vec![("site".to_owned(), ColumnType::varchar(128, 0))],
                i32::from(locale.is_some()),
            ),
            ["select", count, ..] => (
                vec![n, ("t".to_owned(), ColumnType::varchar(40, 0))],
                count.parse().unwrap(),
            ),
            _ => (Vec::new(), 0),
        };
        let text = locale.filter(|_| sql.contains("GL_COLLATE")).map(str::to_owned);
        Self {
            text,
            sql,
            columns,
            rows,
            next: 0,
            open: false,
            binary: false,
        }
    }

    fn describe(&self, id: i16) -> Describe {
        let kind = if self.columns.is_empty() { 6 } else { 2 };
        Describe {
            statement_type: kind,
            statement_id: id,
            columns: self
                .columns
                .iter()
                .map(|(name, ty)| ColumnDescription {
                    name: name.as_str().into(),
                    start: 0,
                    ty: ty.into(),
                })
                .collect(),
            ..Describe::default()
        }
    }

    fn row(&self) -> Vec<u8> {
        let values = match &self.text {
            Some(text) => vec![Value::Text(text.clone())],
            None => vec![
                Value::Integer(self.next + 1),
                Value::Text(format!("row {}", self.next + 1)),
            ],
        };
        let form = RowForm {
            padded_varchar: false,
            binary: self.binary,
        };
        let mut payload = Vec::new();
        for ((_, ty), value) in self.columns.iter().zip(&values) {
            informix_types::row::encode_value(ty, value, form, &TextCodec::default(), &mut payload).unwrap();
        }
        payload
    }
}

/// A TCP listener whose connections are handled by a function.
pub fn raw_server(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            handle(stream);
        }
    });
    port
}
