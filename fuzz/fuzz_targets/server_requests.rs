//! Bytes of a hostile client that has logged in; what is understood must encode to something that reads the same.
//!
//! Input: one byte (bits 0-1 dialect, bits 3-7 size of the pieces), then the stream.
#![no_main]

use informix_protocol::login::{LoginRequest, RequestForm};
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{Capabilities, ClientMessage, Limits, Reader};
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
    let mut decoder = RequestDecoder::default();
    let mut login = Vec::new();
    let user = Some("informix".into());
    LoginRequest {
        form,
        user,
        ..LoginRequest::default()
    }
    .encode(&mut login)
    .unwrap();
    decoder.receive(&login);
    assert!(matches!(decoder.next_request(), Ok(Some(Request::Login(_)))));
    let n = decoder.negotiate(&offer, &Capabilities::SERVER_15);
    for part in stream.chunks(usize::from(choice >> 3) * 7 + 1) {
        decoder.receive(part);
        while let Ok(Some(request)) = decoder.next_request() {
            let Request::Message(message) = request else {
                panic!("a second login")
            };
            let mut bytes = Vec::new();
            if message.encode(&mut bytes, &n).is_ok() {
                let again = ClientMessage::decode(&mut Reader::new(&bytes, Limits::default()), &n);
                assert_eq!(again.as_ref(), Ok(&message));
            }
        }
    }
});
