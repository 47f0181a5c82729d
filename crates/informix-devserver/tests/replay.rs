//! What the vendor's native client sent in the captures, fed to the server group by group. Every reply must parse in the
//! layouts that the client accepted, and must not be an error where the client was given none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use common::{Client, command};
use informix_devserver::DevServer;
use informix_devserver::fault::FaultId;
use informix_protocol::login::LoginReply;
use informix_protocol::message::{Protocols, ReplyContext};
use informix_protocol::{
    CANCEL_BYTE, Capabilities, ClientMessage, DecodeError, Limits, LoginForm, Negotiated, Reader,
    ServerMessage, tag,
};
use socket2::SockRef;

/// What the captures expect to be there.
const PRELUDE: [&str; 7] = [
    "create table slow_3 (a int)",
    "create table lob_blob (v blob)",
    "create table lob_clob (v clob)",
    "create table lob_null (v blob)",
    "create table bind_blob (v blob)",
    "create table bind_clob (v clob)",
    "insert into lob_null values (null)",
];

/// Errors (0 = none) that differ from the capture, by file, and why.
const DIFFERENT: [(&str, &[i16], &str); 7] = [
    (
        "native-connect-no-database",
        &[0, -285],
        "the scripted server knew no DATABASE statement",
    ),
    (
        "native-connect-no-database-2",
        &[-349],
        "the scripted server needed no database",
    ),
    (
        "native-errors",
        &[-217, -285, -267],
        "the scripted server accepted an unknown column",
    ),
    (
        "native-parameters",
        &[-1205],
        "a text in another order than the default DBDATE",
    ),
    (
        "native-procedure",
        &[-674, -285, -267],
        "routines of the scripted server",
    ),
    ("native-smartlob", &[-9810], "locators of the scripted server"),
    (
        "native-transactions-2",
        &[-206],
        "the table is in the capture's other file",
    ),
];

/// One exchange: what the client wrote before it waited, and the error it was answered with.
#[derive(Debug, Default)]
struct Exchange {
    written: Vec<u8>,
    groups: usize,
    error: Option<i16>,
    /// The capture shows only a part of it: the rest of the file can't be replayed.
    partial: bool,
}

fn exchanges(text: &str) -> Vec<Exchange> {
    let mut all = vec![Exchange::default()];
    for line in text.lines() {
        let Some((kind, rest)) = line.split_at_checked(1) else {
            continue;
        };
        let current = all.last_mut().unwrap();
        match kind {
            "C" if rest.trim() == "?" => current.partial = true,
            "S" if rest.trim() == "?" => {}
            "C" => {
                let bytes = hex::decode(rest.trim()).unwrap();
                current.groups += usize::from(bytes == tag::EOT.to_be_bytes());
                current.written.extend(bytes);
            }
            "S" => {
                let bytes = hex::decode(rest.trim()).unwrap();
                if bytes.starts_with(&tag::ERR.to_be_bytes()) && current.error.is_none() {
                    current.error = bytes
                        .get(2..4)
                        .map(|code| i16::from_be_bytes(code.try_into().unwrap()));
                }
            }
            "-" => all.push(Exchange::default()),
            _ => {}
        }
    }
    all.retain(|exchange| !exchange.written.is_empty() || exchange.partial);
    all
}

struct Wire {
    socket: TcpStream,
    received: Vec<u8>,
    negotiated: Negotiated,
}

impl Wire {
    fn read<T>(&mut self, decode: impl Fn(&mut Reader<'_>, &Negotiated) -> Result<T, DecodeError>) -> T {
        loop {
            let mut reader = Reader::new(&self.received, Limits::default());
            match decode(&mut reader, &self.negotiated) {
                Ok(value) => {
                    let used = reader.position();
                    self.received.drain(..used);
                    return value;
                }
                Err(DecodeError::NeedMore(_)) => {
                    let mut buffer = [0; 65536];
                    let read = self.socket.read(&mut buffer).expect("a reply in time");
                    assert_ne!(read, 0, "closed; held {:02x?}", self.received);
                    self.received.extend_from_slice(&buffer[..read]);
                }
                Err(DecodeError::Malformed(error)) => panic!("{error}: {:02x?}", self.received),
            }
        }
    }

    /// The error of the next reply, if it has one.
    fn reply(&mut self) -> Option<i16> {
        let mut error = None;
        loop {
            match self.read(|r, n| ServerMessage::decode(r, n, ReplyContext::default())) {
                ServerMessage::Eot => return error,
                ServerMessage::Exit => panic!("the server gave up"),
                ServerMessage::Err(sql) => error = error.or(Some(sql.sqlcode)),
                _ => {}
            }
        }
    }
}

/// The statement that is slow in the captures, until the client interrupts it.
const SLOW: &str = "'select a from slow_3' delay 60s";
/// What the client was told then.
const INTERRUPTED: i16 = -213;

/// Replays a file; gives the exchanges whose outcome differs: number, code expected, code got.
fn replay(server: &DevServer, slow: FaultId, text: &str) -> Vec<(usize, Option<i16>, Option<i16>)> {
    let mut differences = Vec::new();
    let exchanges = exchanges(text);
    let socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut wire = Wire {
        socket,
        received: Vec::new(),
        negotiated: Negotiated::none(LoginForm::Text),
    };
    for (number, exchange) in exchanges.iter().enumerate() {
        if exchange.partial {
            break;
        }
        let begun = server.faults().hits(slow);
        wire.socket.write_all(&exchange.written).unwrap();
        if exchange.error == Some(INTERRUPTED) {
            // The client's urgent byte, when the statement runs.
            while server.faults().hits(slow) == begun {
                std::thread::yield_now();
            }
            SockRef::from(&wire.socket)
                .send_out_of_band(&[CANCEL_BYTE])
                .unwrap();
        }
        if number == 0 {
            let reply = wire.read(|r, _| LoginReply::decode(r));
            if !reply.accepted() {
                break;
            }
            continue;
        }
        if exchange.written == tag::EXIT.to_be_bytes() {
            let mut rest = Vec::new();
            wire.socket.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, [0, 56, 0, 12]);
            break;
        }
        let mut error = None;
        for _ in 0..exchange.groups {
            error = wire.reply().or(error);
        }
        assert!(
            wire.received.is_empty(),
            "bytes behind the reply: {:02x?}",
            wire.received
        );
        if error != exchange.error {
            differences.push((number, exchange.error, error));
        }
        let mut reader = Reader::new(&exchange.written, Limits::default());
        if let Ok(ClientMessage::Protocols(Protocols(offer))) =
            ClientMessage::decode(&mut reader, &Negotiated::none(LoginForm::Text))
        {
            wire.negotiated = Negotiated::new(&offer, &Capabilities::SERVER_15, LoginForm::Text);
        }
    }
    differences
}

#[test]
fn the_native_client_is_answered_as_it_understands() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    for sql in PRELUDE {
        client.group(&command(sql)).ok();
    }
    let slow = server.faults().add(SLOW.parse().unwrap());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures");
    let mut differences = BTreeMap::new();
    let mut files = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("native-") {
            continue;
        }
        files += 1;
        let found = replay(&server, slow, &std::fs::read_to_string(&path).unwrap());
        let allowed = DIFFERENT
            .iter()
            .find(|(known, ..)| *known == name)
            .map_or(&[][..], |(_, codes, _)| codes);
        let unexpected: Vec<_> = found
            .into_iter()
            .filter(|(_, _, got)| !allowed.contains(&got.unwrap_or(0)))
            .collect();
        if !unexpected.is_empty() {
            differences.insert(name, unexpected);
        }
    }
    assert!(files > 30, "only {files} captures of the native client found");
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn exchanges_are_read_from_the_file() {
    let read = exchanges("C 0023\nS 00630001\nC 000c\nS 000c\n-\nC 0013\nS 000dff01\nC 000c\nS 000c\n-\n");
    assert_eq!(read.len(), 2);
    assert_eq!(
        (read[0].groups, read[0].error, read[0].written.len()),
        (1, None, 4)
    );
    assert_eq!(read[1].error, Some(-255));
}
