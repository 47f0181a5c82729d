//! Bytes of a hostile server against a connected client machine.
//!
//! Input: one byte (bits 0-1 dialect, bit 2 abandon the first group, bits 3-7 size of the pieces), then the stream.
#![no_main]

use informix_protocol::client::{ClientMachine, Event, FileAnswer};
use informix_protocol::login::{LoginReply, LoginRequest, RequestForm};
use informix_protocol::message::{Protocols, XaRecover};
use informix_protocol::{Capabilities, ClientMessage, Limits, ServerMessage};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((choice, stream)) = input.split_first() else {
        return;
    };
    let (offer, form) = match choice & 3 {
        0 => (Capabilities::default(), RequestForm::Binary),
        1 => (Capabilities::NARROW, RequestForm::Binary),
        2 => (Capabilities::JDBC, RequestForm::Binary),
        _ => (Capabilities::NATIVE, RequestForm::Text),
    };
    let mut machine = ClientMachine::new(Limits::default());
    machine
        .login(&LoginRequest {
            form,
            ..LoginRequest::default()
        })
        .unwrap();
    let mut start = Vec::new();
    LoginReply::default().encode(&mut start).unwrap();
    let answer = ServerMessage::Protocols(Protocols(Capabilities::SERVER_15));
    answer.encode(&mut start, &machine.negotiated()).unwrap();
    ServerMessage::Eot
        .encode(&mut start, &machine.negotiated())
        .unwrap();
    machine.receive(&start);
    machine
        .submit_messages(&[ClientMessage::Protocols(Protocols(offer))])
        .unwrap();
    while machine.next_event().unwrap().is_some() {}

    let first = machine.submit_messages(&[ClientMessage::Execute]).unwrap();
    machine
        .submit_messages(&[ClientMessage::XaRecover(XaRecover::default())])
        .unwrap();
    if choice & 4 != 0 {
        machine.discard(first);
    }
    let piece = usize::from(choice >> 3) * 7 + 1;
    for part in stream.chunks(piece) {
        machine.receive(part);
        loop {
            match machine.next_event() {
                Ok(Some(Event::FileTurn { .. })) => machine.answer_file(&FileAnswer::Acknowledge).unwrap(),
                Ok(Some(Event::Rows { rows, .. })) => machine.recycle(rows),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return assert!(machine.is_broken()),
            }
        }
        machine.advance_output(usize::MAX);
    }
    let _ = machine.end_of_input();
});
