//! What the vendor's native client sent in the captures, fed to the server group by group. Every reply must parse in the
//! layouts that the client accepted, must consist of the same messages in the same order as the reply that it accepted, and
//! must not be an error where the client was given none.
//!
//! [`FEATURES`] is the table of what `native-observed.md` lists, with the capture that shows it.
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

/// What the captures expect to be there. `contents` is a file of the client.
const PRELUDE: [&str; 9] = [
    "create table slow_3 (a int)",
    "create table lob_blob (v blob)",
    "create table lob_clob (v clob)",
    "create table lob_null (v blob)",
    "create table bind_blob (v blob)",
    "create table bind_clob (v clob)",
    "insert into lob_null values (null)",
    "insert into lob_blob values (filetoblob('contents', 'client'))",
    "insert into lob_clob values (filetoclob('contents', 'client'))",
];

/// Rows that the captures leave out: file, the statement before which they are inserted, the statements.
const LEFT_OUT: [(&str, &str, &str, std::ops::RangeInclusive<i32>); 5] = [
    (
        "native-scroll",
        "select a, b from nt_s",
        "insert into nt_s values ({n}, 'row {n}')",
        4..=11,
    ),
    (
        "native-fetch-many",
        "select * from nt_f",
        "insert into nt_f values ({n}, 'filler')",
        3..=4,
    ),
    (
        "native-fetch-many-buf32k",
        "select * from nt_f",
        "insert into nt_f values ({n}, 'filler')",
        3..=4,
    ),
    (
        "native-fetch-many-rowset",
        "select * from nt_f",
        "insert into nt_f values ({n}, 'filler')",
        3..=4,
    ),
    (
        "native-fetch-wide",
        "select * from nt_f",
        "insert into nt_f values ({n}, 'filler')",
        3..=4,
    ),
];

/// Messages of replies that differ from the capture, by file, and why.
const OTHER_MESSAGES: [(&str, &str); 8] = [
    (
        "native-connect-opt-appname",
        "no row of systables in the scripted server",
    ),
    (
        "native-connect-opt-delimident",
        "no row of systables in the scripted server",
    ),
    (
        "native-connect-opt-fetchbuffer",
        "no row of systables in the scripted server",
    ),
    (
        "native-connect-opt-optofc",
        "no row of systables in the scripted server",
    ),
    (
        "native-connect-opt-trusted",
        "no row of systables in the scripted server",
    ),
    ("native-select", "no row of systables in the scripted server"),
    ("native-catalog", "the scripted server's catalog had fewer rows"),
    ("native-smartlob", "locators of the scripted server"),
];

/// What the client does (`native-observed.md`), the capture that shows it, and messages that it sends there one behind the
/// other, by name. Logins have none.
const FEATURES: [(&str, &str, &str); 36] = [
    (
        "text login with the database in it, long accept",
        "native-connect",
        "",
    ),
    (
        "a wrong password, server and database",
        "native-connect-bad-password",
        "",
    ),
    ("a wrong server", "native-connect-bad-server", ""),
    ("a wrong database in the login", "native-connect-bad-database", ""),
    (
        "a login without a database, DATABASE later",
        "native-connect-no-database",
        "COMMAND NDESCRIBE EXECUTE RELEASE EOT",
    ),
    (
        "locale of the client",
        "native-connect-locale-en_US.utf8",
        "PROTOCOLS EOT",
    ),
    (
        "capability offer of its own, in one write",
        "native-connect",
        "PROTOCOLS EOT",
    ),
    (
        "environment, and the question for the version",
        "native-connect",
        "INFO EOT",
    ),
    (
        "SQL without parameters in one group",
        "native-prepared-update",
        "COMMAND NDESCRIBE EXECUTE RELEASE EOT",
    ),
    (
        "SQL with parameters in one group",
        "native-parameters",
        "COMMAND NDESCRIBE BIND EXECUTE RELEASE EOT",
    ),
    (
        "compact descriptions of every type",
        "native-types-select",
        "PREPARE NDESCRIBE WANTDONE EOT",
    ),
    (
        "rows of every type",
        "native-types-select",
        "ID RET_TYPE NFETCH EOT",
    ),
    ("parameters of every type", "native-parameters", "BIND EXECUTE"),
    ("input descriptions", "native-parameters", "CIDESCRIBE EOT"),
    ("select, straight", "native-select", "ID CURNAME OPEN EOT"),
    (
        "prepared select again",
        "native-prepared-select",
        "ID CURNAME BIND OPEN EOT",
    ),
    (
        "prepared change again",
        "native-prepared-update",
        "ID BIND EXECUTE EOT",
    ),
    (
        "deferred prepare, up to OPEN in one group",
        "native-deferred-prepare",
        "PREPARE NDESC_ID WANTDONE CURNAME OPEN EOT",
    ),
    (
        "the current statement again, without SQ_ID",
        "native-deferred-prepare",
        "EOT CURNAME OPEN EOT",
    ),
    (
        "array of parameter rows",
        "native-array-insert",
        "ID BIND EXECUTE EOT",
    ),
    (
        "an error in an array of rows",
        "native-array-insert-error",
        "ID BIND EXECUTE EOT",
    ),
    (
        "array of rows of many types",
        "native-array-insert-types",
        "ID BIND EXECUTE EOT",
    ),
    (
        "insert cursor: open",
        "native-array-insert-icur",
        "ID CURNAME HOLD OPEN EOT",
    ),
    (
        "insert cursor: rows",
        "native-array-insert-icur",
        "ID RET_TYPE PUT PUT",
    ),
    ("rowsets", "native-fetch-many-rowset", "ID NFETCH EOT"),
    ("rows wider than the buffer", "native-fetch-wide", "ID NFETCH EOT"),
    ("scroll", "native-scroll", "ID CURNAME SCROLL OPEN EOT"),
    ("scroll: one row a message", "native-scroll", "SFETCH EOT"),
    ("two cursors at once", "native-two-cursors", "ID NFETCH EOT"),
    (
        "change of the current row",
        "native-for-update",
        "COMMAND NDESCRIBE EXECUTE RELEASE EOT",
    ),
    (
        "BYTE and TEXT in, without a size",
        "native-byte-text",
        "BIND BBIND BLOB",
    ),
    ("BYTE and TEXT out", "native-byte-text", "ID FETCHBLOB EOT"),
    (
        "large objects as long data",
        "native-smartlob-auto",
        "BIND BBIND BLOB",
    ),
    (
        "fast path without a database name, 4-byte chunks",
        "native-smartlob",
        "LODATA EOT",
    ),
    (
        "transactions by message and by text",
        "native-transactions",
        "CMMTWORK EOT",
    ),
    (
        "serial values",
        "native-serial",
        "COMMAND NDESCRIBE EXECUTE RELEASE EOT",
    ),
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
    /// The messages of the reply that the client accepted.
    replies: Vec<u16>,
    /// The rows of the reply.
    rows: Vec<Vec<u8>>,
    /// The capture shows only a part of it: the rest of the file can't be replayed.
    partial: bool,
    /// The capture leaves messages of the reply out.
    reply_partial: bool,
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
            "S" if rest.trim() == "?" => current.reply_partial = true,
            "C" => {
                let bytes = hex::decode(rest.trim()).unwrap();
                current.groups += usize::from(bytes == tag::EOT.to_be_bytes());
                current.written.extend(bytes);
            }
            "S" => {
                let bytes = hex::decode(rest.trim()).unwrap();
                let number = bytes.first_chunk().map(|two| u16::from_be_bytes(*two));
                current.replies.extend(number);
                if number == Some(tag::TUPLE) {
                    // Number, warnings, size.
                    current.rows.push(bytes.get(8..).unwrap_or_default().to_vec());
                }
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

    /// Adds the next reply.
    fn reply(&mut self, answer: &mut Answer) {
        loop {
            let message = self.read(|r, n| ServerMessage::decode(r, n, ReplyContext::default()));
            answer.replies.push(message.tag());
            match message {
                ServerMessage::Eot => return,
                ServerMessage::Exit => panic!("the server gave up"),
                ServerMessage::Err(sql) => answer.error = answer.error.or(Some(sql.sqlcode)),
                ServerMessage::Tuple(row) => answer.rows.push(row.payload),
                _ => {}
            }
        }
    }
}

/// What the server said to an exchange.
#[derive(Debug, Default)]
struct Answer {
    error: Option<i16>,
    replies: Vec<u16>,
    rows: Vec<Vec<u8>>,
}

/// Messages with rows and pieces counted once, as their number depends on buffers, and as a real server answers messages of
/// transactions (T): without the SQ_DONE of the scripted one.
fn outline(tags: &[u16]) -> Vec<u16> {
    let mut outline = tags.to_vec();
    outline.dedup_by(|a, b| a == b && [tag::TUPLE, tag::BLOB].contains(a));
    if outline == [tag::DONE, tag::XACTSTAT, tag::EOT] {
        outline.remove(0);
    }
    outline
}

/// Length of a smart large object's locator.
const LOCATOR: usize = 72;

/// Locators of the scripted server, and those of this one in their place.
#[derive(Default)]
struct Locators(Vec<(Vec<u8>, Vec<u8>)>);

impl Locators {
    /// A row of nothing but a locator, in its envelope of NULL flag and length.
    fn learn(&mut self, theirs: &[Vec<u8>], ours: &[Vec<u8>]) {
        for (theirs, ours) in theirs.iter().zip(ours) {
            if let (Some(a), Some(b)) = (theirs.get(5..5 + LOCATOR), ours.get(5..5 + LOCATOR))
                && ours.len() == 5 + LOCATOR
            {
                self.0.push((a.to_vec(), b.to_vec()));
            }
        }
    }

    /// What the client would have written, had it got our locators.
    fn translate(&self, written: &[u8]) -> Vec<u8> {
        let mut written = written.to_vec();
        for (theirs, ours) in &self.0 {
            for at in 0..written.len().saturating_sub(LOCATOR - 1) {
                if written.get(at..at + LOCATOR) == Some(theirs.as_slice()) {
                    written.splice(at..at + LOCATOR, ours.iter().copied());
                }
            }
        }
        written
    }
}

/// The statement that is slow in the captures, until the client interrupts it.
const SLOW: &str = "'select a from slow_3' delay 60s";
/// What the client was told then.
const INTERRUPTED: i16 = -213;

/// How an answer differs from that of the capture.
#[derive(Debug)]
enum Difference {
    /// Code expected, code got.
    Error(Option<i16>, Option<i16>),
    /// Messages expected, messages got.
    Messages(Vec<u16>, Vec<u16>),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |tags: &[u16]| tags.iter().map(|tag| tag::name(*tag)).collect::<Vec<_>>();
        match self {
            Self::Error(wanted, got) => write!(f, "SQLCODE {wanted:?} in the capture, {got:?} here"),
            Self::Messages(wanted, got) => {
                write!(f, "{:?} in the capture, {:?} here", names(wanted), names(got))
            }
        }
    }
}

/// Replays a file; gives the exchanges whose outcome differs.
fn replay(
    server: &DevServer,
    client: &mut Client,
    slow: FaultId,
    name: &str,
    text: &str,
) -> Vec<(usize, Difference)> {
    let mut differences = Vec::new();
    let exchanges = exchanges(text);
    let socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut wire = Wire {
        socket,
        received: Vec::new(),
        negotiated: Negotiated::none(LoginForm::Text),
    };
    let mut locators = Locators::default();
    let mut left_out = LEFT_OUT.iter().find(|(file, ..)| *file == name);
    for (number, exchange) in exchanges.iter().enumerate() {
        if exchange.partial {
            break;
        }
        if let Some((_, before, insert, numbers)) = left_out
            && String::from_utf8_lossy(&exchange.written).contains(before)
        {
            for n in numbers.clone() {
                client.command(&insert.replace("{n}", &n.to_string())).ok();
            }
            left_out = None;
        }
        let begun = server.faults().hits(slow);
        wire.socket
            .write_all(&locators.translate(&exchange.written))
            .unwrap();
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
        let mut answer = Answer::default();
        for _ in 0..exchange.groups {
            wire.reply(&mut answer);
        }
        assert!(
            wire.received.is_empty(),
            "bytes behind the reply: {:02x?}",
            wire.received
        );
        locators.learn(&exchange.rows, &answer.rows);
        let (expected, got) = (outline(&exchange.replies), outline(&answer.replies));
        if answer.error != exchange.error {
            differences.push((number, Difference::Error(exchange.error, answer.error)));
        } else if !exchange.reply_partial && expected != got {
            differences.push((number, Difference::Messages(expected, got)));
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

/// The captures of the native client: name and text.
fn captures() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures");
    let mut captures: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(name, _)| name.starts_with("native-"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    captures.sort();
    captures
}

#[test]
fn the_native_client_is_answered_as_it_understands() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    client.files = vec![("contents".to_owned(), vec![7; 3000])];
    for sql in PRELUDE {
        client.group(&command(sql)).ok();
    }
    let slow = server.faults().add(SLOW.parse().unwrap());
    let mut wrong = BTreeMap::new();
    let captures = captures();
    assert!(
        captures.len() > 30,
        "only {} captures of the native client found",
        captures.len()
    );
    for (name, text) in &captures {
        let found = replay(&server, &mut client, slow, name, text);
        let codes = DIFFERENT
            .iter()
            .find(|(known, ..)| known == name)
            .map_or(&[][..], |(_, codes, _)| codes);
        let others = OTHER_MESSAGES.iter().any(|(known, _)| known == name);
        let unexpected: Vec<_> = found
            .into_iter()
            .filter(|(_, difference)| match difference {
                Difference::Error(_, got) => !codes.contains(&got.unwrap_or(0)),
                Difference::Messages(..) => !others,
            })
            .map(|(place, difference)| (place, difference.to_string()))
            .collect();
        if !unexpected.is_empty() {
            wrong.insert(name, unexpected);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_captures_show_what_the_table_says() {
    let captures = captures();
    for (feature, file, messages) in FEATURES {
        let (_, text) = captures
            .iter()
            .find(|(name, _)| name == file)
            .unwrap_or_else(|| panic!("{feature}: there is no {file}"));
        let wanted: Vec<&str> = messages.split_whitespace().collect();
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("C "))
            .filter_map(|bytes| u16::from_str_radix(bytes.trim().get(..4)?, 16).ok())
            .map(|number| tag::name(number).trim_start_matches("SQ_").to_owned())
            .collect();
        assert!(
            wanted.is_empty() || names.windows(wanted.len()).any(|sent| sent == wanted),
            "{feature}: {file} has no {messages} among {names:?}"
        );
    }
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
