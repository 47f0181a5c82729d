//! Login requests of all forms and login replies.
#![no_main]

use informix_protocol::login::{LoginReply, LoginRequest};
use informix_protocol::{Limits, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(login) = LoginRequest::decode(&mut Reader::new(input, Limits::default())) {
        let mut bytes = Vec::new();
        if login.encode(&mut bytes).is_ok() {
            assert_eq!(
                LoginRequest::decode(&mut Reader::new(&bytes, Limits::default())),
                Ok(login)
            );
        }
    }
    if let Ok(reply) = LoginReply::decode(&mut Reader::new(input, Limits::default())) {
        let mut bytes = Vec::new();
        if reply.encode(&mut bytes).is_ok() {
            assert_eq!(
                LoginReply::decode(&mut Reader::new(&bytes, Limits::default())),
                Ok(reply)
            );
        }
    }
});
