//! Random bytes and damaged messages: no panic, no wrong promise, and what was understood can be said again.

mod support;

use informix_protocol::client::{ClientMachine, Event, FileAnswer};
use informix_protocol::login::{LoginReply, LoginRequest};
use informix_protocol::message::Protocols;
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{
    Capabilities, ClientMessage, DecodeError, EncodeError, Limits, LoginForm, Negotiated, Reader,
    ReplyContext, ServerMessage,
};
use proptest::prelude::*;
use std::fmt::Debug;
use std::sync::LazyLock;
use support::{Side, captures};

struct Sample {
    side: Side,
    login: bool,
    negotiated: Negotiated,
    bytes: Vec<u8>,
}

/// One message of every kind in every dialect found in the captures.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let mut seen = std::collections::BTreeSet::new();
    captures()
        .iter()
        .flat_map(|capture| &capture.lines)
        .filter_map(|line| Some((line, line.bytes.clone()?)))
        .filter(|(line, bytes)| {
            let dialect = (line.negotiated.compact_describe(), line.negotiated.wide_sql());
            bytes.len() < 2000 && seen.insert((line.side, line.kind(), dialect, bytes.len() / 16))
        })
        .map(|(line, bytes)| Sample {
            side: line.side,
            login: line.login,
            negotiated: line.negotiated,
            bytes,
        })
        .collect()
});

fn dialects() -> [Negotiated; 4] {
    let server = Capabilities::SERVER_15;
    [
        Negotiated::none(LoginForm::Binary),
        Negotiated::new(&Capabilities::NARROW, &server, LoginForm::Binary),
        Negotiated::new(&Capabilities::JDBC, &server, LoginForm::Binary),
        Negotiated::new(&Capabilities::NATIVE, &server, LoginForm::Text),
    ]
}

/// Decodes; what comes out must encode to something that decodes to the same (or not fit its fields).
fn decode_again<T: PartialEq + Debug>(
    bytes: &[u8],
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
    encode: impl Fn(&T, &mut Vec<u8>) -> Result<(), EncodeError>,
) {
    let mut r = Reader::new(bytes, Limits::default());
    match decode(&mut r) {
        Err(DecodeError::NeedMore(n)) => assert!(n > 0),
        Err(DecodeError::Malformed(_)) => {}
        Ok(item) => {
            assert!(r.position() <= bytes.len());
            let mut out = Vec::new();
            if encode(&item, &mut out).is_ok() {
                assert_eq!(
                    decode(&mut Reader::new(&out, Limits::default())).as_ref(),
                    Ok(&item)
                );
            }
        }
    }
}

fn try_everything(bytes: &[u8]) {
    for n in dialects() {
        decode_again(
            bytes,
            |r| ClientMessage::decode(r, &n),
            |m, out| m.encode(out, &n),
        );
        for recover in [false, true] {
            let context = ReplyContext { recover };
            decode_again(
                bytes,
                |r| ServerMessage::decode(r, &n, context),
                |m, out| m.encode(out, &n),
            );
        }
    }
    decode_again(bytes, LoginRequest::decode, |m, out| m.encode(out));
    decode_again(bytes, LoginReply::decode, |m, out| m.encode(out));
}

/// Feeds a connected client machine; answers whatever it asks.
fn feed_client(bytes: &[u8], piece: usize) {
    let mut machine = ClientMachine::new(Limits::default());
    machine.login(&LoginRequest::default()).unwrap();
    let mut reply = Vec::new();
    LoginReply::default().encode(&mut reply).unwrap();
    machine.receive(&reply);
    assert!(matches!(machine.next_event(), Ok(Some(Event::Login(_)))));
    let offer = ClientMessage::Protocols(Protocols(Capabilities::JDBC));
    let first = machine.submit_messages(&[offer]).unwrap();
    machine.submit_messages(&[ClientMessage::Execute]).unwrap();
    if bytes.len().is_multiple_of(3) {
        machine.discard(first);
    }
    let mut events = 0;
    for part in bytes.chunks(piece) {
        machine.receive(part);
        loop {
            match machine.next_event() {
                Ok(Some(Event::FileTurn { .. })) => machine.answer_file(&FileAnswer::Acknowledge).unwrap(),
                Ok(Some(Event::Rows { rows, .. })) => {
                    assert!(rows.iter().map(<[u8]>::len).sum::<usize>() <= bytes.len());
                    machine.recycle(rows);
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => {
                    assert!(machine.is_broken());
                    return;
                }
            }
            events += 1;
            assert!(events <= bytes.len(), "more events than bytes");
        }
    }
}

fn feed_server(bytes: &[u8], piece: usize) {
    let mut decoder = RequestDecoder::default();
    let mut login = Vec::new();
    LoginRequest::default().encode(&mut login).unwrap();
    decoder.receive(&login);
    assert!(matches!(decoder.next_request(), Ok(Some(Request::Login(_)))));
    decoder.negotiate(&Capabilities::JDBC, &Capabilities::SERVER_15);
    for part in bytes.chunks(piece) {
        decoder.receive(part);
        loop {
            match decoder.next_request() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
}

fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| (0u8, at, byte)),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| (1, at, byte)),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| (2, at, byte)),
    ];
    (any::<prop::sample::Index>(), prop::collection::vec(damage, 0..6)).prop_map(|(which, damages)| {
        let mut bytes = which.get(&SAMPLES).bytes.clone();
        for (kind, at, byte) in damages {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn damaged_messages(bytes in damaged()) {
        try_everything(&bytes);
    }

    #[test]
    fn random_bytes_behind_a_tag(tag in 0u16..145, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_everything(&[&tag.to_be_bytes(), &bytes[..]].concat());
    }

    #[test]
    fn small_numbers_behind_a_tag(tag in 0u16..145, bytes in prop::collection::vec(0u8..4, 0..400)) {
        try_everything(&[&tag.to_be_bytes(), &bytes[..]].concat());
    }

    #[test]
    fn machines_take_anything(
        messages in prop::collection::vec(damaged(), 1..8),
        piece in prop_oneof![Just(1usize), 2usize..40, Just(1 << 16)],
    ) {
        let bytes = messages.concat();
        feed_client(&bytes, piece);
        feed_server(&bytes, piece);
    }
}

#[test]
fn the_samples_are_of_many_kinds() {
    assert!(SAMPLES.len() > 150, "{}", SAMPLES.len());
    for Sample {
        side,
        login,
        negotiated: n,
        bytes,
    } in SAMPLES.iter()
    {
        if !login && *side == Side::Client {
            decode_again(bytes, |r| ClientMessage::decode(r, n), |m, out| m.encode(out, n));
        }
    }
}
