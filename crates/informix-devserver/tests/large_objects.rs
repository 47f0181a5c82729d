//! Smart large objects by descriptor: fast path and SQ_LODATA, in the forms of the Java and of the native client.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{Client, command, integer, login, text_login};
use informix_devserver::DevServer;
use informix_protocol::login::LoginRequest;
use informix_protocol::message::{BindValue, ExecRoutine, GetRoutine, LoDataReply, LoDataRequest};
use informix_protocol::{Capabilities, ClientMessage, ServerMessage};
use informix_types::TypeCode;

fn handle(client: &mut Client, signature: &str) -> Result<i32, i16> {
    let reply = client.group(&[ClientMessage::GetRoutine(GetRoutine {
        signature: signature.into(),
        ..GetRoutine::default()
    })]);
    match reply.messages.as_slice() {
        [ServerMessage::RoutineHandle(handle)] => Ok(handle.handle),
        _ => Err(reply.sqlcode()),
    }
}

fn call(client: &mut Client, signature: &str, values: Vec<BindValue>) -> Result<Vec<Vec<u8>>, i16> {
    let handle = handle(client, signature)?;
    let call = ExecRoutine {
        handle,
        values,
        ..ExecRoutine::default()
    };
    let reply = client.group(&[ClientMessage::ExecRoutine(call)]);
    match reply.messages.as_slice() {
        [ServerMessage::RoutineResult(result)] => Ok(result
            .values
            .iter()
            .map(|value| value.data.clone().unwrap_or_default())
            .collect()),
        _ => Err(reply.sqlcode()),
    }
}

fn opaque(name: &str, data: Vec<u8>) -> BindValue {
    BindValue {
        name: name.into(),
        ..BindValue::new(TypeCode::SendRecv, 0, data)
    }
}

fn int8(value: u32) -> BindValue {
    BindValue::new(
        TypeCode::Int8,
        0x1300,
        [&[0, 1], &value.to_be_bytes()[..], &[0; 4]].concat(),
    )
}

fn read(client: &mut Client, descriptor: i16, length: i32) -> Vec<u8> {
    let request = LoDataRequest::Read {
        descriptor,
        length,
        chunk: 32000,
    };
    let reply = client.group(&[ClientMessage::LoData(request)]).ok();
    match reply.messages.as_slice() {
        [ServerMessage::LoData(LoDataReply::Data { data, .. })] => data.clone(),
        other => panic!("{other:?}"),
    }
}

fn round_trip(request: &LoginRequest, offer: Capabilities) {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect_as(&server, request, offer);
    let specification = opaque("ifx_lo_spec", vec![0xda; 596]);
    let column = BindValue {
        name: "lvarchar".into(),
        ..BindValue::new(TypeCode::LVarChar, 0, b"table.column".to_vec())
    };
    let info = call(
        &mut client,
        "function informix.ifx_lo_col_sbinfo(lvarchar,ifx_lo_spec)",
        vec![column, specification.clone()],
    );
    assert_eq!(info.unwrap(), [vec![0xda; 596]]);
    let created = call(
        &mut client,
        "function informix.ifx_lo_create( ifx_lo_spec,integer,blob)",
        vec![specification, integer(8), opaque("blob", vec![0; 72])],
    );
    let [locator, descriptor] = created.unwrap().try_into().unwrap();
    assert_eq!(locator.len(), 72);
    let descriptor = i32::from_be_bytes(descriptor.try_into().unwrap());
    let contents: Vec<u8> = (0..100_001u32).map(|i| (i * 7 % 256) as u8).collect();
    for part in contents.chunks(40_000) {
        let request = LoDataRequest::Write {
            descriptor: descriptor as i16,
            data: part.to_vec(),
            chunk: 32000,
        };
        let reply = client.group(&[ClientMessage::LoData(request)]).ok();
        assert_eq!(
            reply.messages,
            [ServerMessage::LoData(LoDataReply::Written(part.len() as i32))]
        );
    }
    let close = "function informix.ifx_lo_close(integer)";
    assert_eq!(
        call(&mut client, close, vec![integer(descriptor)]).unwrap(),
        [vec![0; 4]]
    );
    assert_eq!(call(&mut client, close, vec![integer(descriptor)]), Err(-9810));

    // Another connection reads it.
    let mut client = Client::connect_as(&server, request, offer);
    let opened = call(
        &mut client,
        "function informix.ifx_lo_open(blob ,integer)",
        vec![opaque("blob", locator), integer(4)],
    );
    let descriptor = i32::from_be_bytes(opened.unwrap().remove(0).try_into().unwrap());
    assert!(descriptor > 0);
    let stat = "function informix.ifx_lo_stat(int, ifx_lo_stat)";
    let stat = call(
        &mut client,
        stat,
        vec![integer(descriptor), opaque("ifx_lo_stat", vec![0; 644])],
    )
    .unwrap()
    .remove(0);
    assert_eq!(stat.len(), 644);
    assert_eq!(
        stat[4..14],
        [&100_001u32.to_be_bytes()[..], &[0, 0, 0, 0, 0, 1]].concat()
    );
    let descriptor = descriptor as i16;
    assert_eq!(read(&mut client, descriptor, 200_000), contents);
    assert!(read(&mut client, descriptor, 10).is_empty(), "at the end");
    let seek = vec![integer(i32::from(descriptor)), int8(99_999), integer(0), int8(0)];
    let seek = call(
        &mut client,
        "function informix.ifx_lo_seek(integer,int8,integer,int8)",
        seek,
    )
    .unwrap();
    assert_eq!(seek, [[&[0, 1], &99_999u32.to_be_bytes()[..], &[0; 4]].concat()]);
    assert_eq!(read(&mut client, descriptor, 10), contents[99_999..]);
    let request = LoDataRequest::ReadAt {
        descriptor,
        length: 3,
        chunk: 32000,
        offset: -4,
        whence: 2,
    };
    let reply = client.group(&[ClientMessage::LoData(request)]).ok();
    let [
        ServerMessage::LoData(LoDataReply::Data {
            operation: 1, data, ..
        }),
    ] = reply.messages.as_slice()
    else {
        panic!("{reply:?}")
    };
    assert_eq!(data, &contents[99_997..100_000]);
}

#[test]
fn objects_go_both_ways_in_the_java_form() {
    round_trip(&login(), Capabilities::JDBC);
}

#[test]
fn objects_go_both_ways_in_the_native_form() {
    round_trip(&text_login(Some("testdb")), Capabilities::NATIVE);
}

#[test]
fn what_does_not_exist_is_an_error() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    assert_eq!(
        handle(&mut client, "function informix.nosuch(integer)"),
        Err(-674)
    );
    let call_unknown = ExecRoutine {
        handle: 4711,
        ..ExecRoutine::default()
    };
    assert_eq!(
        client
            .group(&[ClientMessage::ExecRoutine(call_unknown)])
            .sqlcode(),
        -674
    );
    let open = "function informix.ifx_lo_open(blob,integer)";
    assert_eq!(
        call(&mut client, open, vec![opaque("blob", vec![7; 72]), integer(4)]),
        Err(-9810)
    );
    assert_eq!(call(&mut client, open, vec![]), Err(-254));
    assert_eq!(call(&mut client, open, vec![integer(1), integer(4)]), Err(-9810));
    for request in [
        LoDataRequest::Read {
            descriptor: 1,
            length: 10,
            chunk: 32000,
        },
        LoDataRequest::Write {
            descriptor: 1,
            data: b"x".to_vec(),
            chunk: 32000,
        },
    ] {
        assert_eq!(client.group(&[ClientMessage::LoData(request)]).sqlcode(), -9810);
    }
}

#[test]
fn client_files_are_asked_for_in_the_middle_of_a_reply() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    let contents: Vec<u8> = (0..70_000u32).map(|i| (i * 3 % 256) as u8).collect();
    client.files = vec![("in".to_owned(), contents.clone())];
    client.command("create table f (id integer, b blob, c clob)").ok();
    client
        .command("insert into f values (1, filetoblob('in', 'client'), filetoclob('unknown', 'client'))")
        .ok();
    client.command("insert into f values (2, null, null)").ok();
    let rows = client
        .select("select id, lotofile(b, 'out', 'client'), lotofile(c, 'empty!', 'client') from f order by 1");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1], ["2", "NULL", "NULL"]);
    assert!(
        rows[0][1].starts_with("out.") && rows[0][2] == "empty",
        "{rows:?}"
    );
    let written: Vec<_> = client
        .written
        .iter()
        .map(|(name, data)| (name.as_str(), data.len()))
        .collect();
    assert_eq!(written, [(rows[0][1].as_str(), 70_000), ("empty", 0)]);
    assert_eq!(client.written[0].1, contents);
    // Files of the server's machine are out of reach.
    assert_eq!(
        client
            .command("insert into f values (3, filetoblob('/etc/hostname', 'server'), null)")
            .sqlcode(),
        -999
    );
    assert_eq!(client.select("select count(*) from f"), [["2"]]);
}

#[test]
fn fault_rules_apply_to_the_dialogue_about_client_files() {
    const READ: &str = "insert into f values (1, filetoblob('in', 'client'))";
    const WRITE: &str = "insert into names select lotofile(b, 'out', 'client') from f";
    // The rule, the statement and what comes of it: a SQLCODE, or the end of the connection.
    let cases = [
        ("file#1 error -271 -131 't'", READ, Some(-271)),
        ("file#2 error -271", READ, Some(-271)),
        ("file_read error -9810 -1", READ, Some(-9810)),
        ("file#3 error -244", READ, Some(-244)),
        ("reply file_write error -9810", WRITE, Some(-9810)),
        ("file_write error -271", WRITE, Some(-271)),
        ("file_read delay 20", READ, Some(0)),
        ("file split 3 20", READ, Some(0)),
        ("reply file_write slow 1000000", WRITE, Some(0)),
        ("file#2 close", READ, None),
        ("file close at 3", READ, None),
        ("file_read close", READ, None),
        ("file_read close at 2", READ, None),
        ("file#2 drop", READ, None),
        ("reply file_write garbage", WRITE, None),
        ("file_write drop", WRITE, None),
    ];
    for (rule, statement, expected) in cases {
        let server = DevServer::start().unwrap();
        let mut client = Client::connect(&server);
        client.files = vec![("in".to_owned(), vec![7; 100])];
        client.command("create table f (id integer, b blob)").ok();
        client.command("create table names (name lvarchar(100))").ok();
        client.command(READ).ok();
        let id = server.faults().add(rule.parse().unwrap());
        if rule.ends_with("drop") {
            // Nothing will come.
            client
                .socket
                .set_read_timeout(Some(Duration::from_millis(300)))
                .unwrap();
        }
        client.send(&command(statement));
        let outcome = client.try_reply();
        assert!(server.faults().hits(id) > 0, "{rule}: not met");
        let outcome = outcome.ok().filter(|reply| !reply.exit);
        assert_eq!(outcome.map(|reply| reply.sqlcode()), expected, "{rule}");
        server.faults().clear();
        // The connection goes on, and the statement has done all of its work or none.
        let mut other = Client::connect(&server);
        let next = if expected.is_some() {
            &mut client
        } else {
            &mut other
        };
        let rows = next.select("select count(*), (select count(*) from names) from f");
        let (stored, written) = match (expected, statement) {
            (Some(0), READ) => ("2", "0"),
            (Some(0), _) => ("1", "1"),
            _ => ("1", "0"),
        };
        assert_eq!(rows, [[stored, written]], "{rule}");
    }
}
