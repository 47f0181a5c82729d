//! A client of the tests: a socket, the protocol's client machine, and few words to write groups with.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use informix_devserver::DevServer;
use informix_protocol::client::{ClientMachine, Event, FileAnswer};
use informix_protocol::login::{LoginReply, LoginRequest, Password, RequestForm};
use informix_protocol::message::{
    Bind, BindValue, Command, CursorName, DbOpen, Describe, Done, Info, NFetch, Prepare, Protocols, RetType,
    SFetch, SqlErr, SqlText, StatementId,
};
use informix_protocol::{Capabilities, ClientMessage, ServerMessage};
use informix_types::{ColumnType, RowForm, TextCodec, TypeCode, Value, row};

/// Nothing in these tests may take longer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Why there is no reply.
pub type Lost = Box<dyn std::error::Error>;

/// A reply of one group.
#[derive(Debug, Default, Clone)]
pub struct Reply {
    pub messages: Vec<ServerMessage>,
    pub rows: Vec<Vec<u8>>,
    pub exit: bool,
}

impl Reply {
    pub fn error(&self) -> Option<&SqlErr> {
        self.messages.iter().find_map(|message| match message {
            ServerMessage::Err(error) => Some(error),
            _ => None,
        })
    }

    pub fn sqlcode(&self) -> i16 {
        self.error().map_or(0, |error| error.sqlcode)
    }

    pub fn done(&self) -> Option<Done> {
        self.messages.iter().rev().find_map(|message| match message {
            ServerMessage::Done(done) => Some(*done),
            _ => None,
        })
    }

    pub fn describe(&self) -> &Describe {
        self.messages
            .iter()
            .find_map(|message| match message {
                ServerMessage::Describe(describe) => Some(describe),
                _ => None,
            })
            .unwrap_or_else(|| panic!("no DESCRIBE in {self:?}"))
    }

    /// Tags of the messages, to compare the shape of a reply.
    pub fn tags(&self) -> Vec<u16> {
        self.messages.iter().map(ServerMessage::tag).collect()
    }

    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.error().is_none(), "{:?}", self.error());
        self
    }
}

/// One connection.
pub struct Client {
    pub socket: TcpStream,
    pub machine: ClientMachine,
    /// Contents of client files that the server may read, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Client files that the server has written.
    pub written: Vec<(String, Vec<u8>)>,
    open_file: String,
}

/// A login as the vendor's Java client sends it.
pub fn login() -> LoginRequest {
    LoginRequest {
        user: Some("informix".into()),
        password: Some(Password::new("in4mix")),
        server: Some("informix".into()),
        environment: vec![
            ("CLIENT_LOCALE".into(), "en_US.8859-1".into()),
            ("DBDATE".into(), "Y4MD-".into()),
        ],
        ..LoginRequest::default()
    }
}

/// A login as the vendor's native client sends it.
pub fn text_login(database: Option<&str>) -> LoginRequest {
    LoginRequest {
        form: RequestForm::Text,
        database: database.map(Into::into),
        ..login()
    }
}

impl Client {
    /// A socket on which nothing was said.
    pub fn raw(server: &DevServer) -> Self {
        let socket = TcpStream::connect(server.address()).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        socket.set_write_timeout(Some(TIMEOUT)).unwrap();
        Self {
            socket,
            machine: ClientMachine::default(),
            files: Vec::new(),
            written: Vec::new(),
            open_file: String::new(),
        }
    }

    /// Says who it is.
    pub fn login(&mut self, request: &LoginRequest) -> LoginReply {
        self.machine.login(request).unwrap();
        self.flush();
        match self.event() {
            Event::Login(reply) => *reply,
            other => panic!("{other:?} instead of a login reply"),
        }
    }

    /// Logged in and negotiated, with a database.
    pub fn connect(server: &DevServer) -> Self {
        Self::connect_as(server, &login(), Capabilities::JDBC)
    }

    /// The same with another login or other capabilities.
    pub fn connect_as(server: &DevServer, request: &LoginRequest, offer: Capabilities) -> Self {
        let mut client = Self::raw(server);
        let reply = client.login(request);
        assert!(reply.accepted(), "{reply:?}");
        client.group(&[ClientMessage::Protocols(Protocols(offer))]);
        client.group(&[ClientMessage::Info(Info::environment([(
            "SUBQCACHESZ".into(),
            "10".into(),
        )]))]);
        if request.database.is_none() {
            client.open_database("testdb").ok();
        }
        client
    }

    pub fn open_database(&mut self, name: &str) -> Reply {
        self.group(&[ClientMessage::DbOpen(DbOpen {
            name: name.into(),
            exclusive: 0,
        })])
    }

    /// Writes what the machine has to say.
    pub fn flush(&mut self) {
        while !self.machine.output().is_empty() {
            let written = self.socket.write(self.machine.output()).unwrap();
            self.machine.advance_output(written);
        }
    }

    /// The next event, read from the socket if need be.
    pub fn event(&mut self) -> Event {
        self.try_event().unwrap()
    }

    fn try_event(&mut self) -> Result<Event, Lost> {
        loop {
            if let Some(event) = self.machine.next_event()? {
                return Ok(event);
            }
            let read = self.socket.read(self.machine.spare())?;
            if read == 0 {
                self.machine.end_of_input()?;
                return Ok(Event::Exit);
            }
            self.machine.filled(read);
        }
    }

    /// Sends a group without reading.
    pub fn send(&mut self, messages: &[ClientMessage]) {
        self.machine.submit_messages(messages).unwrap();
        self.flush();
    }

    /// Reads the reply of the oldest group in flight.
    pub fn reply(&mut self) -> Reply {
        self.try_reply().unwrap()
    }

    /// The same from a server that may hang up, fall silent or talk nonsense.
    pub fn try_reply(&mut self) -> Result<Reply, Lost> {
        let mut reply = Reply::default();
        let mut asked = Vec::new();
        loop {
            match self.try_event()? {
                Event::Rows { rows, .. } => reply.rows.extend(rows.iter().map(<[u8]>::to_vec)),
                Event::Completions { completions, .. } => {
                    reply
                        .messages
                        .extend(completions.into_iter().flat_map(|c| c.messages()));
                }
                Event::Message { message, .. } => {
                    if matches!(message, ServerMessage::File(_) | ServerMessage::FileChunk(_)) {
                        asked.push(message);
                    } else {
                        reply.messages.push(message);
                    }
                }
                Event::FileTurn { .. } => self.answer_file(&std::mem::take(&mut asked)),
                Event::End { .. } => return Ok(reply),
                Event::Exit => {
                    reply.exit = true;
                    return Ok(reply);
                }
                Event::Login(_) => panic!("a second login reply"),
            }
        }
    }

    fn answer_file(&mut self, asked: &[ServerMessage]) {
        use informix_protocol::message::{FileContents, FileRequest};
        let mut received = Vec::new();
        let mut answer = FileAnswer::Acknowledge;
        for message in asked {
            match message {
                ServerMessage::File(FileRequest::Open { name, .. }) => self.open_file = name.to_string(),
                ServerMessage::File(FileRequest::Read { chunk, .. }) => {
                    let data = self.files.iter().find(|(name, _)| *name == self.open_file);
                    let data = data.map(|(_, data)| data.clone()).unwrap_or_default();
                    answer = FileAnswer::Contents(FileContents {
                        data,
                        chunk: usize::from(*chunk),
                    });
                }
                ServerMessage::FileChunk(chunk) => received.extend_from_slice(&chunk.0),
                _ => {}
            }
        }
        if asked
            .iter()
            .any(|message| matches!(message, ServerMessage::File(FileRequest::Write)))
        {
            answer = FileAnswer::Written(i32::try_from(received.len()).unwrap());
            self.written.push((self.open_file.clone(), received));
        }
        self.machine.answer_file(&answer).unwrap();
        self.flush();
    }

    /// A group and its reply.
    pub fn group(&mut self, messages: &[ClientMessage]) -> Reply {
        self.send(messages);
        self.reply()
    }

    /// `COMMAND NDESCRIBE EXECUTE RELEASE`.
    pub fn command(&mut self, sql: &str) -> Reply {
        self.group(&command(sql))
    }

    /// PREPARE; the id is in the description.
    pub fn prepare(&mut self, sql: &str) -> Reply {
        self.group(&prepare(sql))
    }

    /// A SELECT with all its rows, each column as text.
    #[track_caller]
    pub fn select(&mut self, sql: &str) -> Vec<Vec<String>> {
        let prepared = self.prepare(sql).ok();
        let describe = prepared.describe().clone();
        let id = describe.statement_id;
        self.group(&[
            ClientMessage::Id(StatementId(id)),
            ClientMessage::CursorName(CursorName("c1".into())),
            ClientMessage::Open,
        ])
        .ok();
        let columns = column_types(&describe);
        let mut messages = vec![ClientMessage::Id(StatementId(id))];
        messages.push(ClientMessage::RetType(RetType::binary(1, &columns)));
        messages.push(nfetch(4096));
        let mut rows = Vec::new();
        loop {
            let reply = self.group(&messages).ok();
            rows.extend(reply.rows.iter().map(|payload| texts(&columns, payload)));
            if reply.done().is_some() {
                break;
            }
            messages = vec![ClientMessage::Id(StatementId(id)), nfetch(4096)];
        }
        self.group(&[ClientMessage::Id(StatementId(id)), ClientMessage::Close])
            .ok();
        self.group(&[ClientMessage::Id(StatementId(id)), ClientMessage::Release])
            .ok();
        rows
    }
}

pub fn column_types(describe: &Describe) -> Vec<ColumnType> {
    describe
        .columns
        .iter()
        .map(|column| column.ty.column_type().unwrap())
        .collect()
}

pub fn values(columns: &[ColumnType], payload: &[u8]) -> Vec<Value> {
    let cells = row::split(columns, payload, RowForm::default()).unwrap();
    let codec = TextCodec::default();
    columns
        .iter()
        .zip(cells)
        .map(|(ty, cell)| row::decode_value(ty, &payload[cell], &codec).unwrap())
        .collect()
}

pub fn texts(columns: &[ColumnType], payload: &[u8]) -> Vec<String> {
    values(columns, payload)
        .iter()
        .map(|v| {
            if v.is_null() {
                "NULL".to_owned()
            } else {
                v.to_string()
            }
        })
        .collect()
}

pub fn nfetch(buffer: i32) -> ClientMessage {
    ClientMessage::NFetch(NFetch { buffer, array: 0 })
}

pub fn sfetch(kind: i16, row: i32) -> ClientMessage {
    ClientMessage::SFetch(SFetch {
        kind,
        row,
        buffer: 4096,
    })
}

pub fn id(id: i16) -> ClientMessage {
    ClientMessage::Id(StatementId(id))
}

pub fn cursor(name: &str) -> ClientMessage {
    ClientMessage::CursorName(CursorName(name.into()))
}

pub fn command(sql: &str) -> Vec<ClientMessage> {
    vec![
        ClientMessage::Command(Command(SqlText::new(sql, 0))),
        ClientMessage::NDescribe,
        ClientMessage::Execute,
        ClientMessage::Release,
    ]
}

pub fn prepare(sql: &str) -> Vec<ClientMessage> {
    let markers = sql.matches('?').count();
    vec![
        ClientMessage::Prepare(Prepare(SqlText::new(sql, u16::try_from(markers).unwrap()))),
        ClientMessage::NDescribe,
        ClientMessage::WantDone,
    ]
}

pub fn integer(value: i32) -> BindValue {
    BindValue::new(TypeCode::Integer, 0x0a00, value.to_be_bytes().to_vec())
}

pub fn char(value: &str) -> BindValue {
    BindValue::new(TypeCode::Char, 0, value.as_bytes().to_vec())
}

pub fn null() -> BindValue {
    BindValue::new(TypeCode::Char, 0, None)
}

pub fn bind(values: Vec<BindValue>) -> ClientMessage {
    ClientMessage::Bind(Bind { values })
}
