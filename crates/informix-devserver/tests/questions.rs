//! A login that goes on with questions (PAM): what clients say and hear (`captures/jdbc-connect-pam`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::Read;

use common::{Client, Reply, command, login, text_login};
use informix_devserver::DevServer;
use informix_protocol::login::{LoginRequest, Password};
use informix_protocol::message::{Challenge, Protocols, Response};
use informix_protocol::{Capabilities, ClientMessage, ServerMessage};

fn server() -> DevServer {
    DevServer::builder()
        .port(0)
        .challenge("Enter code", "1234", false)
        .challenge("Favourite côlour", "röt", true)
        .start()
        .unwrap()
}

/// Logged in, and the capabilities exchanged.
fn arrived(server: &DevServer, request: &LoginRequest, offer: Capabilities) -> (Client, Reply) {
    let mut client = Client::raw(server);
    assert!(client.login(request).accepted());
    let reply = client.group(&[ClientMessage::Protocols(Protocols(offer))]);
    (client, reply)
}

fn question(reply: &Reply) -> Option<(i16, Vec<u8>)> {
    reply.messages.iter().find_map(|message| match message {
        ServerMessage::Challenge(Challenge { style, prompt }) => Some((*style, prompt.as_bytes().to_vec())),
        _ => None,
    })
}

fn answer(bytes: &[u8]) -> [ClientMessage; 1] {
    [ClientMessage::Response(Response(bytes.into()))]
}

#[test]
fn the_questions_are_asked_in_their_order_and_then_all_is_open() {
    let server = server();
    // The password is not looked at where questions are asked.
    for password in [Some(Password::new("anything")), None] {
        let request = LoginRequest { password, ..login() };
        let (mut client, reply) = arrived(&server, &request, Capabilities::JDBC);
        assert!(
            matches!(&reply.messages[..], [ServerMessage::Protocols(Protocols(mask))] if mask.has(Capabilities::PAM))
        );
        let reply = client.group(&[ClientMessage::Ack]);
        assert_eq!(
            question(&reply),
            Some((Challenge::ECHO_OFF, b"Enter code".to_vec()))
        );
        // In the client's code set, here 8859-1.
        let reply = client.group(&answer(b"1234"));
        assert_eq!(
            question(&reply),
            Some((Challenge::ECHO_ON, b"Favourite c\xf4lour".to_vec()))
        );
        let reply = client.group(&answer(b"r\xf6t"));
        assert_eq!(reply.messages, [ServerMessage::Accept]);
        client.open_database("testdb").ok();
        assert_eq!(
            client.select("select count(*) from systables where tabid = 1"),
            [["1"]]
        );
    }
}

#[test]
fn a_wrong_answer_ends_the_connection() {
    let server = server();
    for wrong in [&b""[..], b"123", b"12345", b"1234\0", b"4321"] {
        let (mut client, _) = arrived(&server, &login(), Capabilities::JDBC);
        client.group(&[ClientMessage::Ack]);
        assert!(client.group(&answer(wrong)).exit, "{wrong:?}");
        // After SQ_EXIT and SQ_EOT the server hangs up.
        let mut rest = Vec::new();
        client.socket.read_to_end(&mut rest).unwrap();
        assert!([&b""[..], &[0, 12]].contains(&&rest[..]), "{rest:?}");
    }
}

#[test]
fn nobody_gets_past_the_questions() {
    let server = server();
    let ways_in: [&[ClientMessage]; 6] = [
        &[ClientMessage::DbList],
        &command("create table t (a int)"),
        &answer(b"1234"),
        &[ClientMessage::Begin],
        &[ClientMessage::Version],
        // The first question is not answered by asking again.
        &[ClientMessage::Ack, ClientMessage::DbList],
    ];
    for messages in ways_in {
        let (mut client, _) = arrived(&server, &login(), Capabilities::JDBC);
        let reply = client.group(messages);
        assert!(reply.exit || reply.sqlcode() == -1809, "{messages:?}: {reply:?}");
        let mut rest = Vec::new();
        client.socket.read_to_end(&mut rest).unwrap();
        assert!(rest.len() <= 2, "{messages:?}: {rest:?}");
    }
    assert_eq!(server.engine().database_names(), ["sysmaster", "testdb"]);
}

#[test]
fn clients_that_cannot_answer_are_refused() {
    let server = server();
    let clients = [
        (login(), Capabilities::NARROW.without(Capabilities::PAM)),
        (login(), Capabilities::JDBC.without(Capabilities::PAM)),
        (text_login(Some("testdb")), Capabilities::NATIVE),
    ];
    for (request, offer) in clients {
        for message in [ClientMessage::Ack, ClientMessage::DbList] {
            let (mut client, _) = arrived(&server, &request, offer);
            assert_eq!(client.group(&[message]).sqlcode(), -1809, "{offer:?}");
            assert!(client.try_reply().unwrap().exit, "{offer:?}");
        }
    }
}

#[test]
fn without_questions_nothing_is_announced() {
    let server = DevServer::start().unwrap();
    let (mut client, reply) = arrived(&server, &login(), Capabilities::JDBC);
    assert!(
        matches!(&reply.messages[..], [ServerMessage::Protocols(Protocols(mask))] if !mask.has(Capabilities::PAM))
    );
    client.open_database("testdb").ok();
}
