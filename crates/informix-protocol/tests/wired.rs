//! Client machine and server decoder wired in memory, with input split at every byte.

use informix_protocol::client::{ClientMachine, Event};
use informix_protocol::login::{LoginReply, LoginRequest, Password};
use informix_protocol::message::*;
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{Capabilities, ClientMessage, Limits, Negotiated, ServerMessage};

/// Answers one request the way a very small server would.
fn answer(request: Request, server: &mut RequestDecoder, out: &mut Vec<u8>) {
    let n: Negotiated = server.negotiated();
    let mut put = |message: ServerMessage| message.encode(out, &n).unwrap();
    match request {
        Request::Login(login) => {
            assert_eq!(login.user.as_ref().unwrap(), &"informix");
            assert_eq!(login.password.as_ref().unwrap().reveal(), b"in4mix");
            LoginReply {
                version: "Test Version 1".into(),
                ..LoginReply::default()
            }
            .encode(out)
            .unwrap();
        }
        Request::Message(message) => match message {
            ClientMessage::Protocols(offer) => {
                put(ServerMessage::Protocols(Protocols(Capabilities::SERVER_15)));
                server.negotiate(&offer.0, &Capabilities::SERVER_15);
            }
            ClientMessage::Prepare(prepare) if prepare.0.sql == "bad" => {
                put(ServerMessage::Err(SqlErr {
                    sqlcode: -201,
                    offset: 1,
                    ..SqlErr::default()
                }));
            }
            ClientMessage::Prepare(_) => put(ServerMessage::Describe(Describe {
                statement_type: 2,
                statement_id: 3,
                columns: vec![ColumnDescription {
                    name: "a".into(),
                    ..ColumnDescription::default()
                }],
                ..Describe::default()
            })),
            ClientMessage::NFetch(_) => {
                for i in 0..3u8 {
                    put_tuple(out, 0, |row| {
                        row.extend(std::iter::repeat_n(i, usize::from(i) + 4));
                        Ok::<_, informix_protocol::EncodeError>(())
                    })
                    .unwrap();
                }
                ServerMessage::Done(Done {
                    rows: 3,
                    ..Done::default()
                })
                .encode(out, &n)
                .unwrap();
            }
            ClientMessage::Exit => put(ServerMessage::Exit),
            ClientMessage::Eot => put(ServerMessage::Eot),
            _ => {}
        },
    }
}

/// Runs a whole session; each side hands the other `piece` bytes at a time.
fn session(piece: usize) -> Vec<String> {
    let mut client = ClientMachine::new(Limits::default());
    let mut server = RequestDecoder::default();
    let mut log = Vec::new();
    let mut replies = Vec::new();
    client
        .login(&LoginRequest {
            user: Some("informix".into()),
            password: Some(Password::new("in4mix")),
            ..LoginRequest::default()
        })
        .unwrap();
    let sql = |text: &str| ClientMessage::Prepare(Prepare(SqlText::new(text, 0)));
    let fetch = ClientMessage::NFetch(NFetch {
        buffer: 4096,
        array: 0,
    });
    let id = ClientMessage::Id(StatementId(3));
    let mut script: Vec<Vec<Vec<ClientMessage>>> = vec![
        vec![vec![ClientMessage::Protocols(Protocols(Capabilities::JDBC))]],
        // Three groups in one write.
        vec![
            vec![sql("select a"), ClientMessage::NDescribe, ClientMessage::WantDone],
            vec![sql("bad"), ClientMessage::NDescribe],
            vec![id.clone(), ClientMessage::Open, id, fetch],
        ],
        vec![vec![ClientMessage::Exit]],
    ];
    script.reverse();
    loop {
        while !client.output().is_empty() {
            let n = client.output().len().min(piece);
            server.receive(&client.output()[..n]);
            client.advance_output(n);
            while let Some(request) = server.next_request().unwrap() {
                answer(request, &mut server, &mut replies);
            }
        }
        let mut moved = false;
        while !replies.is_empty() {
            let rest = replies.split_off(replies.len().min(piece));
            client.receive(&std::mem::replace(&mut replies, rest));
            moved = true;
            while let Some(event) = client.next_event().unwrap() {
                match event {
                    Event::Rows { rows, .. } => {
                        log.extend(rows.iter().map(|row| format!("row {row:?}")));
                        client.recycle(rows);
                    }
                    Event::Login(reply) => log.push(format!("login {}", reply.accepted())),
                    other => log.push(format!("{other:?}")),
                }
            }
        }
        if client.is_closed() {
            return log;
        }
        assert!(moved || client.is_idle());
        if client.is_idle() {
            for group in script.pop().expect("the script ends with EXIT") {
                client.submit_messages(&group).unwrap();
            }
        }
    }
}

#[test]
fn any_split_gives_the_same_events() {
    let whole = session(usize::MAX);
    assert_eq!(whole.iter().filter(|line| line.starts_with("row")).count(), 3);
    assert!(whole.iter().any(|line| line.contains("-201")));
    assert_eq!(whole.last().unwrap(), "Exit");
    for piece in 1..200 {
        assert_eq!(session(piece), whole, "pieces of {piece} bytes");
    }
}
