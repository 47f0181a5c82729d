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

/// Bytes of an oracle entry; long ones are abbreviated as `<hex>...(n bytes)` and repeat their last byte.
fn expand(text: &str) -> Vec<u8> {
    let Some((start, length)) = text.split_once("...(") else {
        return hex::decode(text).unwrap();
    };
    let mut bytes = hex::decode(start).unwrap();
    let length: usize = length.strip_suffix(" bytes)").unwrap().parse().unwrap();
    bytes.resize(length, *bytes.last().unwrap());
    bytes
}

#[test]
fn every_bound_value_of_the_oracles_round_trips() {
    let n = Negotiated::none(LoginForm::Binary);
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(support::testdata().join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let vectors = read("vectors.json");
    let java = read("type-oracle.json");
    let native = read("native-oracle.json");
    let golden = vectors
        .as_array()
        .unwrap()
        .iter()
        .filter(|e| e["kind"] == "type-bind")
        .map(|e| &e["hex"]);
    let java = java["bind"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|e| e[4].as_array().unwrap());
    let native = native["bind"].as_array().unwrap().iter().map(|e| &e[2]);
    let mut walked = 0;
    for text in golden.chain(java).chain(native).map(|hex| hex.as_str().unwrap()) {
        // A value that the client refused to send.
        if text.is_empty() {
            continue;
        }
        let value = expand(text);
        let message = [&[0, 5, 0, 1], &value[..]].concat();
        let mut r = Reader::new(&message, Limits::default());
        let decoded = ClientMessage::decode(&mut r, &n).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(r.remaining(), 0, "{text}");
        let mut out = Vec::new();
        decoded.encode(&mut out, &n).unwrap();
        assert_eq!(hex::encode(out), hex::encode(&message));
        walked += 1;
    }
    assert!(walked > 1200, "{walked}");
}
