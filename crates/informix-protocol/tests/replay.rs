//! Whole captured conversations through both machines, cut into pieces of several sizes.

mod support;

use informix_protocol::client::{ClientMachine, Event};
use informix_protocol::login::LoginRequest;
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{Capabilities, ClientMessage, Limits, Reader, ServerMessage, tag};
use support::{Capture, Line, Side, captures};

const PIECES: [usize; 5] = [1, 2, 3, 61, 1 << 20];

/// The lines of a conversation up to the first that the capture shows only in part.
fn whole_lines(capture: &Capture) -> Vec<&Line> {
    capture
        .lines
        .iter()
        .take_while(|line| line.bytes.is_some())
        .collect()
}

fn conversations() -> impl Iterator<Item = Capture> {
    // Fragments, and a login that the server did not understand.
    captures()
        .into_iter()
        .filter(|capture| !["jdbc-reply-variants", "jdbc-connect-useV5server"].contains(&&*capture.name))
}

fn bytes(lines: &[&Line], side: Side) -> Vec<u8> {
    lines
        .iter()
        .filter(|line| line.side == side)
        .flat_map(|line| line.bytes.clone().unwrap())
        .collect()
}

#[test]
fn requests_of_every_capture() {
    let mut messages = 0;
    for capture in conversations() {
        let lines = whole_lines(&capture);
        let stream = bytes(&lines, Side::Client);
        let answer = lines
            .iter()
            .filter(|line| line.side == Side::Server && line.tag() == Some(tag::PROTOCOLS))
            .find_map(|line| Capabilities::from_bytes(&line.bytes.as_ref()?[4..13]));
        for piece in PIECES {
            let mut decoder = RequestDecoder::new(Limits::default());
            let mut kinds = Vec::new();
            for part in stream.chunks(piece) {
                decoder.receive(part);
                while let Some(request) = decoder.next_request().unwrap() {
                    match request {
                        Request::Login(_) => kinds.push("login"),
                        Request::Message(message) => {
                            if let (ClientMessage::Protocols(offer), Some(answer)) = (&message, answer) {
                                decoder.negotiate(&offer.0, &answer);
                            }
                            kinds.push(tag::name(message.tag()));
                        }
                    }
                }
            }
            let expected: Vec<&str> = lines
                .iter()
                .filter(|line| line.side == Side::Client)
                .map(|line| line.kind())
                .collect();
            assert_eq!(kinds, expected, "{} in pieces of {piece}", capture.name);
            assert!(decoder.is_empty());
            messages += kinds.len();
        }
    }
    assert!(messages > 30_000, "{messages}");
}

/// What a client machine made of the server's side of a capture.
#[derive(Default, PartialEq, Eq, Debug)]
struct Seen {
    kinds: Vec<&'static str>,
    rows: Vec<Vec<u8>>,
}

fn drain(machine: &mut ClientMachine, seen: &mut Seen) {
    while let Some(event) = machine.next_event().unwrap() {
        match event {
            Event::Login(_) => seen.kinds.push("login"),
            Event::Rows { rows, .. } => {
                seen.kinds.extend((0..rows.len()).map(|_| tag::name(tag::TUPLE)));
                seen.rows.extend(rows.iter().map(<[u8]>::to_vec));
                machine.recycle(rows);
            }
            Event::Completions { completions, .. } => {
                let messages = completions.into_iter().flat_map(|c| c.messages());
                seen.kinds
                    .extend(messages.map(|message| tag::name(message.tag())));
            }
            Event::Message { message, .. } => seen.kinds.push(tag::name(message.tag())),
            Event::End { .. } => seen.kinds.push(tag::name(tag::EOT)),
            Event::Exit => seen.kinds.push(tag::name(tag::EXIT)),
            Event::FileTurn { .. } => panic!("no capture has a file dialogue"),
        }
    }
}

#[test]
fn replies_of_every_capture() {
    let mut all_rows = 0;
    for capture in conversations() {
        let lines = whole_lines(&capture);
        let mut expected = Seen::default();
        for line in lines.iter().filter(|line| line.side == Side::Server) {
            expected.kinds.push(line.kind());
            if line.tag() == Some(tag::TUPLE) {
                let mut r = Reader::new(line.bytes.as_ref().unwrap(), Limits::default());
                let message = ServerMessage::decode(&mut r, &line.negotiated, line.context).unwrap();
                let ServerMessage::Tuple(tuple) = message else {
                    unreachable!()
                };
                expected.rows.push(tuple.payload);
            }
        }
        for piece in PIECES {
            let mut machine = ClientMachine::new(Limits::default());
            let mut seen = Seen::default();
            let mut group = Vec::new();
            for line in &lines {
                let bytes = line.bytes.as_ref().unwrap();
                let mut r = Reader::new(bytes, Limits::default());
                match line.side {
                    Side::Client if line.login => {
                        machine.login(&LoginRequest::decode(&mut r).unwrap()).unwrap();
                        assert_eq!(machine.output(), bytes);
                        machine.advance_output(bytes.len());
                    }
                    Side::Client => {
                        let message = ClientMessage::decode(&mut r, &line.negotiated).unwrap();
                        let exit = message == ClientMessage::Exit;
                        if message != ClientMessage::Eot {
                            group.push(message);
                        }
                        if exit || line.tag() == Some(tag::EOT) {
                            machine.submit_messages(&group).unwrap();
                            machine.advance_output(usize::MAX);
                            group.clear();
                        }
                    }
                    Side::Server => {
                        for part in bytes.chunks(piece) {
                            machine.receive(part);
                            // An early reply inside an unfinished group has to wait for the group.
                            if machine.outstanding() > 0 || line.login {
                                drain(&mut machine, &mut seen);
                            }
                        }
                    }
                }
            }
            drain(&mut machine, &mut seen);
            assert_eq!(seen, expected, "{} in pieces of {piece}", capture.name);
            all_rows += seen.rows.len();
        }
    }
    assert!(all_rows > 2_000, "{all_rows}");
}
