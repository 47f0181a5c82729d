//! Logins, capabilities, databases, the end of a session; clients that hang up or talk nonsense.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{Read, Write};

use common::{Client, id, login, text_login};
use informix_devserver::{DatabaseMode, DevServer};
use informix_protocol::login::{LoginRequest, Password, ReplyKind};
use informix_protocol::message::{DbOpen, Info, InfoBlock, Protocols, RollbackWork, SetSavepoint};
use informix_protocol::{Capabilities, ClientMessage, ServerMessage, tag};

#[test]
fn both_login_forms_are_accepted() {
    let server = DevServer::start().unwrap();
    let reply = Client::raw(&server).login(&login());
    assert!(reply.accepted());
    assert_eq!(
        (reply.attribute, reply.options, reply.warnings),
        (0x3c, 0x1000, 0x14)
    );
    assert!(
        reply
            .version
            .to_str_lossy()
            .starts_with("IBM Informix Dynamic Server Version ")
    );
    assert_eq!(reply.server_name, "informix");
    assert!(reply.process.is_some() && reply.bind && reply.misc.is_some());

    let mut client = Client::raw(&server);
    let reply = client.login(&text_login(Some("testdb")));
    assert!(reply.accepted());
    assert_eq!(
        (reply.attribute, reply.warnings),
        (0x3d, 0x15),
        "the database flags stand in the reply"
    );
    client.group(&[ClientMessage::Protocols(Protocols(Capabilities::NATIVE))]);
    assert_eq!(
        client.open_database("testdb").sqlcode(),
        -759,
        "the login has opened one already"
    );
}

#[test]
fn refusals_name_their_reason() {
    let server = DevServer::start().unwrap();
    let wrong = |change: fn(&mut LoginRequest)| {
        let mut request = login();
        change(&mut request);
        let reply = Client::raw(&server).login(&request);
        assert_eq!(reply.kind, ReplyKind::Reject);
        assert_eq!(
            reply.server_name, "informix",
            "nmap learns the true name from a refusal"
        );
        (
            reply.svcerror,
            reply
                .messages
                .first()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )
    };
    assert_eq!(
        wrong(|r| r.server = Some("nmap_probe".into())),
        (-761, "nmap_probe".to_owned())
    );
    let (code, insert) = wrong(|r| r.password = Some(Password::new("wrong")));
    assert_eq!((code, insert.split('@').next()), (-951, Some("informix")));
    assert_eq!(wrong(|r| r.user = Some("nobody".into())).0, -951);
    assert_eq!(wrong(|r| r.password = None).0, -951);
    assert_eq!(
        wrong(|r| r.password = Some(Password::new("in4mix\0more"))).0,
        -951,
        "nothing of a password is cut off"
    );
    assert_eq!(
        wrong(|r| r.environment = vec![("DB_LOCALE".into(), "xx_YY.nosuch".into())]).0,
        -23101
    );
    assert_eq!(
        wrong(|r| r.database = Some("nosuch".into())),
        (-329, "nosuch".to_owned())
    );
}

#[test]
fn a_refused_client_may_say_goodbye() {
    let server = DevServer::start().unwrap();
    let mut client = Client::raw(&server);
    client.login(&LoginRequest {
        server: Some("other".into()),
        ..login()
    });
    client.socket.write_all(&tag::EXIT.to_be_bytes()).unwrap();
    let mut rest = Vec::new();
    client.socket.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0, 56, 0, 12]);
}

#[test]
fn a_client_may_leave_without_a_login() {
    let server = DevServer::start().unwrap();
    let mut client = Client::raw(&server);
    client.socket.write_all(&tag::EXIT.to_be_bytes()).unwrap();
    let mut rest = Vec::new();
    client.socket.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0, 56, 0, 12]);
}

#[test]
fn a_server_name_may_have_a_second_nul() {
    let server = DevServer::start().unwrap();
    let request = LoginRequest {
        server: Some("informix\0".into()),
        ..login()
    };
    assert!(Client::raw(&server).login(&request).accepted(), "nmap");
}

#[test]
fn capabilities_are_the_servers_own_list() {
    let server = DevServer::start().unwrap();
    for (offer, last) in [
        (Capabilities::JDBC, 0xff),
        (Capabilities::NARROW, 0xff),
        (Capabilities::JDBC.with(69), 0xfb),
    ] {
        let mut client = Client::raw(&server);
        client.login(&login());
        let reply = client.group(&[ClientMessage::Protocols(Protocols(offer))]);
        let [ServerMessage::Protocols(answer)] = reply.messages.as_slice() else {
            panic!("{reply:?}")
        };
        assert_eq!(
            answer.0.as_bytes()[..8],
            [0xbd, 0xbe, 0x9f, 0xfe, 0x7f, 0xb7, 0xff, 0xef]
        );
        assert_eq!(answer.0.as_bytes()[8], last);
        // The next group already has the agreed widths.
        client.open_database("testdb").ok();
    }
}

#[test]
fn databases() {
    let server = DevServer::builder()
        .port(0)
        .database("plain", DatabaseMode::Unlogged, "en_US.8859-1".parse().unwrap())
        .database("logged", DatabaseMode::Logged, "en_US.utf8".parse().unwrap())
        .database("strict", DatabaseMode::Ansi, "en_US.8859-1".parse().unwrap())
        .start()
        .unwrap();
    let mut client = Client::raw(&server);
    client.login(&login());
    client.group(&[ClientMessage::Protocols(Protocols(Capabilities::JDBC))]);
    assert_eq!(
        client.group(&[ClientMessage::Begin]).sqlcode(),
        -349,
        "no database yet"
    );
    let flags = |client: &mut Client, name: &str| client.open_database(name).ok().done().unwrap().warnings;
    assert_eq!(flags(&mut client, "plain"), 0x14);
    assert_eq!(client.group(&[ClientMessage::Begin]).sqlcode(), -256);
    assert_eq!(flags(&mut client, "logged"), 0x15);
    assert_eq!(flags(&mut client, "strict"), 0x17);
    let unknown = client.open_database("nosuch");
    assert_eq!(unknown.sqlcode(), -329);
    assert_eq!(unknown.error().unwrap().token, "nosuch");
    let list = client.group(&[ClientMessage::DbList]);
    let [ServerMessage::DbList(list)] = list.messages.as_slice() else {
        panic!("{list:?}")
    };
    let names: Vec<_> = list.names.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["logged", "plain", "strict", "sysmaster"]);
    client.open_database("plain").ok();
    client.group(&[ClientMessage::DbClose]).ok();
    assert_eq!(client.group(&[ClientMessage::DbClose]).sqlcode(), -349);
}

#[test]
fn transactions_and_savepoints_by_message() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    let rollback = || ClientMessage::RollbackWork(RollbackWork::default());
    let savepoint = |name: &str, unique| {
        ClientMessage::SetSavepoint(SetSavepoint {
            name: name.into(),
            unique,
        })
    };
    assert_eq!(client.group(&[ClientMessage::CommitWork]).sqlcode(), -255);
    assert_eq!(client.group(&[ClientMessage::Begin]).ok().tags(), [tag::XACTSTAT]);
    assert_eq!(client.group(&[ClientMessage::Begin]).sqlcode(), -535);
    assert_eq!(
        client.group(&[savepoint("s1", 0)]).ok().tags(),
        [tag::DONE, tag::COST]
    );
    assert_ne!(client.group(&[savepoint("s1", 1)]).sqlcode(), 0);
    client
        .group(&[ClientMessage::RollbackToSavepoint(
            informix_protocol::message::RollbackToSavepoint("s1".into()),
        )])
        .ok();
    client
        .group(&[ClientMessage::ReleaseSavepoint(
            informix_protocol::message::ReleaseSavepoint("s1".into()),
        )])
        .ok();
    assert_eq!(
        client.group(&[ClientMessage::CommitWork]).ok().tags(),
        [tag::XACTSTAT]
    );
    client.group(&[ClientMessage::Begin]).ok();
    assert_eq!(client.group(&[rollback()]).ok().tags(), [tag::XACTSTAT]);
    assert_eq!(client.group(&[rollback()]).sqlcode(), -255);
}

#[test]
fn liveness_version_and_end() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    assert!(client.group(&[ClientMessage::Version]).messages.is_empty());
    assert!(
        client.group(&[]).messages.is_empty(),
        "an empty group is answered too"
    );
    let version = client.group(&[ClientMessage::Info(Info {
        blocks: vec![InfoBlock::Request],
    })]);
    let [ServerMessage::Info(info)] = version.messages.as_slice() else {
        panic!("{version:?}")
    };
    assert!(matches!(
        info.blocks.as_slice(),
        [InfoBlock::Version { number: 316, .. }]
    ));
    client.socket.write_all(&tag::EXIT.to_be_bytes()).unwrap();
    let mut rest = Vec::new();
    client.socket.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0, 56, 0, 12], "nmap reads four bytes");
}

#[test]
fn the_first_error_ends_the_useful_work_of_a_group() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    let reply = client.group(&[
        ClientMessage::Version,
        id(77),
        ClientMessage::Execute,
        ClientMessage::Begin,
    ]);
    assert_eq!(reply.tags(), [tag::ERR]);
    assert_eq!(reply.sqlcode(), -285);
    assert_eq!(
        client.group(&[ClientMessage::CommitWork]).sqlcode(),
        -255,
        "BEGIN behind the error was not done"
    );
}

#[test]
fn groups_back_to_back_are_all_answered() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    for _ in 0..200 {
        client.machine.submit_messages(&[ClientMessage::Begin]).unwrap();
        client
            .machine
            .submit_messages(&[id(5), ClientMessage::Execute])
            .unwrap();
        client
            .machine
            .submit_messages(&[ClientMessage::CommitWork])
            .unwrap();
    }
    client.flush();
    for _ in 0..200 {
        assert_eq!(client.reply().ok().tags(), [tag::XACTSTAT]);
        assert_eq!(client.reply().sqlcode(), -285);
        assert_eq!(client.reply().ok().tags(), [tag::XACTSTAT]);
    }
}

#[test]
fn requests_may_arrive_byte_by_byte() {
    let server = DevServer::start().unwrap();
    let mut client = Client::raw(&server);
    client.machine.login(&login()).unwrap();
    let dribble = |client: &mut Client| {
        let bytes = client.machine.output().to_vec();
        client.machine.advance_output(bytes.len());
        bytes
            .iter()
            .for_each(|byte| client.socket.write_all(&[*byte]).unwrap());
    };
    dribble(&mut client);
    client.event();
    client
        .machine
        .submit_messages(&[ClientMessage::Protocols(Protocols(Capabilities::JDBC))])
        .unwrap();
    dribble(&mut client);
    client.reply();
    let open = ClientMessage::DbOpen(DbOpen {
        name: "testdb".into(),
        exclusive: 0,
    });
    client.machine.submit_messages(&[open]).unwrap();
    dribble(&mut client);
    client.reply().ok();
}

#[test]
fn nonsense_ends_the_connection_and_nothing_else() {
    let server = DevServer::start().unwrap();
    let garbage: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        &[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3],
        &[0xff; 400],
        &[0, 10, 1, 0x3c, 0, 0, 0, 0, 0, 0],
        &[0; 64],
        b"sqAXwBPQAAsqlexec x :!!!!\0",
    ];
    for bytes in garbage {
        let mut client = Client::raw(&server);
        client.socket.write_all(bytes).unwrap();
        // A stream that only looks unfinished is told so by the end of input.
        client.socket.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = client.socket.read_to_end(&mut rest);
        assert!(rest.len() <= 2, "{bytes:?} was answered with {rest:?}");
    }
    Client::connect(&server);
}

#[test]
fn unknown_tags_and_absurd_lengths_end_the_session() {
    let server = DevServer::start().unwrap();
    let cases: [&[u8]; 4] = [
        &[0x12, 0x34, 0, 12],
        // PREPARE of 2 GiB.
        &[0, 2, 0, 0, 0x7f, 0xff, 0xff, 0xff],
        // PREPARE of a negative length.
        &[0, 2, 0, 0, 0xff, 0xff, 0xff, 0xff],
        // BIND of a negative count.
        &[0, 4, 0, 0, 0, 5, 0xff, 0xff],
    ];
    for bytes in cases {
        let mut client = Client::connect(&server);
        client.socket.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        client.socket.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, [0, 56], "{bytes:?}");
    }
}

#[test]
fn a_client_that_hangs_up_anywhere_leaves_nothing_open() {
    let server = DevServer::start().unwrap();
    let mut login_bytes = Vec::new();
    login().encode(&mut login_bytes).unwrap();
    let mut group = Vec::new();
    let negotiated = Client::connect(&server).machine.negotiated();
    for message in [
        ClientMessage::Begin,
        id(0),
        common::bind(vec![common::integer(1), common::char("odd")]),
    ] {
        message.encode(&mut group, &negotiated).unwrap();
    }
    for end in 0..login_bytes.len() {
        let mut client = Client::raw(&server);
        client.socket.write_all(&login_bytes[..end]).unwrap();
    }
    for end in 0..group.len() {
        let mut client = Client::connect(&server);
        client.socket.write_all(&group[..end]).unwrap();
    }
    let mut client = Client::connect(&server);
    client.group(&[ClientMessage::Begin]).ok();
}

#[test]
fn fifty_clients_at_once() {
    let server = DevServer::start().unwrap();
    let mut clients: Vec<_> = (0..50).map(|_| Client::connect(&server)).collect();
    for client in &mut clients {
        client.send(&[ClientMessage::Begin]);
    }
    for client in &mut clients {
        client.reply().ok();
    }
    for client in &mut clients {
        client.group(&[ClientMessage::CommitWork]).ok();
    }
}

#[test]
fn stopping_ends_all_connections() {
    let mut server = DevServer::start().unwrap();
    let mut clients: Vec<_> = (0..3).map(|_| Client::connect(&server)).collect();
    let silent = Client::raw(&server);
    server.stop();
    for client in &mut clients {
        let mut rest = Vec::new();
        let _ = client.socket.read_to_end(&mut rest);
        assert!(rest.is_empty());
    }
    drop(silent);
    assert!(std::net::TcpStream::connect(server.address()).is_err());
}

#[test]
fn a_taken_port_is_an_error() {
    let server = DevServer::start().unwrap();
    let second = DevServer::builder().port(server.port()).start();
    let message = second.err().unwrap().to_string();
    assert!(
        message.starts_with(&format!("cannot listen on 127.0.0.1:{}", server.port())),
        "{message}"
    );
}

#[test]
fn the_url_tells_everything_a_client_needs() {
    let server = DevServer::builder()
        .port(0)
        .user("jo", "p@ss/word")
        .server_name("dev")
        .start()
        .unwrap();
    let expected = format!(
        "informix://jo:p%40ss%2Fword@127.0.0.1:{}/testdb?server=dev",
        server.port()
    );
    assert_eq!(server.url(), expected);
}
