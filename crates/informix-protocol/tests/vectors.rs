//! The golden messages of `testdata/vectors.json`, every one of them.

mod support;

use informix_protocol::login::{LoginReply, LoginRequest};
use informix_protocol::{
    Capabilities, ClientMessage, Limits, LoginForm, Negotiated, Reader, ReplyContext, ServerMessage,
};
use serde_json::Value;

/// Server messages whose entry does not say so by a note "S>C".
const FROM_SERVER: &[&str] = &[
    "sq_protocols_reply",
    "sq_exit_reply",
    "sq_tuple",
    "sq_done",
    "sq_cost",
    "sq_err",
    "sq_xactstat",
    "sq_insertdone",
    "sq_tupid",
    "sq_describe",
    "login_conrej",
    "obs_keydescribe",
    "obs_keytuple",
];

fn round_trip(name: &str, bytes: &[u8], from_server: bool) -> Result<usize, String> {
    let offer = if name.contains("nmap") {
        Capabilities::NARROW
    } else {
        Capabilities::JDBC
    };
    let n = Negotiated::new(&offer, &Capabilities::SERVER_15, LoginForm::Binary);
    let context = ReplyContext {
        recover: name.contains("xrecover"),
    };
    let mut r = Reader::new(bytes, Limits::default());
    let mut out = Vec::new();
    let mut count = 0;
    let fail = |error: &dyn std::fmt::Debug| format!("{name}: {error:?}");
    while r.remaining() > 0 {
        let encoded = match (name.contains("login"), from_server) {
            (true, false) => LoginRequest::decode(&mut r)
                .map_err(|e| fail(&e))?
                .encode(&mut out),
            (true, true) => LoginReply::decode(&mut r).map_err(|e| fail(&e))?.encode(&mut out),
            (false, false) => ClientMessage::decode(&mut r, &n)
                .map_err(|e| fail(&e))?
                .encode(&mut out, &n),
            (false, true) => ServerMessage::decode(&mut r, &n, context)
                .map_err(|e| fail(&e))?
                .encode(&mut out, &n),
        };
        encoded.map_err(|e| fail(&e))?;
        count += 1;
    }
    if out != bytes {
        return Err(format!(
            "{name}: {} became {}",
            hex::encode(bytes),
            hex::encode(out)
        ));
    }
    Ok(count)
}

#[test]
fn every_golden_message_round_trips() {
    let text = std::fs::read_to_string(support::testdata().join("vectors.json")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut walked = 0;
    let mut failures = Vec::new();
    for entry in entries.iter().filter(|entry| entry["kind"] == "message") {
        let name = entry["name"].as_str().unwrap();
        let bytes = hex::decode(entry["hex"].as_str().unwrap()).unwrap();
        let note = entry["note"].as_str().unwrap_or_default();
        let from_server = note.starts_with("S>C") || FROM_SERVER.iter().any(|start| name.starts_with(start));
        match round_trip(name, &bytes, from_server) {
            Ok(count) => assert!(count > 0),
            Err(error) => failures.push(error),
        }
        walked += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(walked, 105);
}
