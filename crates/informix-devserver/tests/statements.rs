//! Statements and cursors over the wire: ids, groups, fetches, scroll and insert cursors, keys, blobs, cancel, locks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::Write;

use common::{
    Client, bind, char, column_types, command, cursor, id, integer, nfetch, null, prepare, sfetch, texts,
};
use informix_devserver::DevServer;
use informix_protocol::message::{
    AutogenKeys, BBind, BindValue, BlobChunk, Command, FetchBlob, Prepare, PutRow, RetType, SFetch, SqlText,
};
use informix_protocol::{Capabilities, ClientMessage, ServerMessage, tag};
use informix_types::TypeCode;

fn served() -> (DevServer, Client) {
    let server = DevServer::start().unwrap();
    let client = Client::connect(&server);
    (server, client)
}

fn table(client: &mut Client, rows: i32) {
    client.command("create table t (a integer, b varchar(20))").ok();
    let statement = client
        .prepare("insert into t values (?, ?)")
        .ok()
        .describe()
        .statement_id;
    let mut messages = vec![id(statement)];
    for row in 1..=rows {
        messages.push(bind(vec![integer(row), char(&format!("row {row}"))]));
        messages.push(ClientMessage::Execute);
    }
    let reply = client.group(&messages).ok();
    let done = reply
        .messages
        .iter()
        .filter(|message| matches!(message, ServerMessage::Done(_)))
        .count();
    assert_eq!(done, usize::try_from(rows).unwrap(), "one DONE per EXECUTE");
    client.group(&[id(statement), ClientMessage::Release]).ok();
}

#[test]
fn a_command_describes_executes_and_uses_no_id() {
    let (_server, mut client) = served();
    let reply = client.command("create table t (a serial, b varchar(20));").ok();
    assert_eq!(reply.tags(), [tag::DESCRIBE, tag::DONE, tag::COST]);
    let reply = client.command("insert into t (b) values ('x')").ok();
    assert_eq!(
        reply.tags(),
        [tag::DESCRIBE, tag::INSERTDONE, tag::DONE, tag::COST]
    );
    let done = reply.done().unwrap();
    assert_eq!((done.rows, done.serial), (1, 1));
    // The native client binds in the same group.
    let sql = SqlText::new("insert into t (b) values (?)", 1);
    let reply = client.group(&[
        ClientMessage::Command(Command(sql)),
        ClientMessage::NDescribe,
        bind(vec![char("y")]),
        ClientMessage::Execute,
        ClientMessage::Release,
    ]);
    assert_eq!(reply.ok().done().unwrap().serial, 2);
    assert_eq!(
        client.prepare("select a, b from t").ok().describe().statement_id,
        0,
        "no id was used"
    );
    assert_eq!(
        client.select("select a, b from t order by a"),
        [["1", "x"], ["2", "y"]]
    );
}

#[test]
fn ids_are_the_lowest_free_ones() {
    let (_server, mut client) = served();
    let prepared = |client: &mut Client| {
        client
            .prepare("select tabid from systables")
            .ok()
            .describe()
            .statement_id
    };
    assert_eq!(
        [
            prepared(&mut client),
            prepared(&mut client),
            prepared(&mut client)
        ],
        [0, 1, 2]
    );
    client.group(&[id(1), ClientMessage::Release]).ok();
    assert_eq!(
        client.prepare("select nosuch from nosuch").sqlcode(),
        -206,
        "leaves nothing behind"
    );
    assert_eq!([prepared(&mut client), prepared(&mut client)], [1, 3]);
    client.group(&[id(0), ClientMessage::Release]).ok();
    // Clients release what they take for the id of a statement that failed.
    client.group(&[id(0), ClientMessage::Release]).ok();
    assert_eq!(prepared(&mut client), 0);
}

#[test]
fn prepare_replies_have_their_shape() {
    let (_server, mut client) = served();
    table(&mut client, 1);
    let tags = |client: &mut Client, sql: &str| client.prepare(sql).ok().tags();
    assert_eq!(
        tags(&mut client, "select a from t"),
        [tag::DESCRIBE, tag::DONE, tag::COST]
    );
    let literal = tags(&mut client, "insert into t values (7, 'x')");
    assert_eq!(literal, [tag::DESCRIBE, tag::INSERTDONE, tag::DONE, tag::COST]);
    assert_eq!(
        client.select("select count(*) from t"),
        [["1"]],
        "nothing was inserted"
    );
    let reply = client.prepare("insert into t values (?, ?)").ok();
    assert_eq!(reply.tags(), [tag::DESCRIBE, tag::DONE, tag::COST]);
    let describe = reply.describe();
    assert_eq!(describe.statement_type, 6);
    let names: Vec<_> = describe
        .columns
        .iter()
        .map(|column| column.name.to_string())
        .collect();
    assert_eq!(names, ["a", "b"], "the target columns");
    let described = client
        .group(&[id(describe.statement_id), ClientMessage::CiDescribe])
        .ok();
    let [ServerMessage::InputDescribe(parameters)] = described.messages.as_slice() else {
        panic!("{described:?}")
    };
    let types: Vec<_> = parameters
        .parameters
        .iter()
        .map(|parameter| parameter.ty.code())
        .collect();
    assert_eq!(types, [2, 13]);
}

#[test]
fn errors_carry_offset_and_token() {
    let (_server, mut client) = served();
    let reply = client.prepare("select * from nosuch_table");
    let error = reply.error().unwrap();
    assert_eq!((error.sqlcode, error.isamcode), (-206, -111));
    assert_eq!(error.token, "nosuch_table");
    let reply = client.prepare("selct 1");
    let error = reply.error().unwrap();
    assert_eq!((error.sqlcode, error.offset > 0), (-201, true));
    let statement = client
        .prepare("select tabid from systables")
        .ok()
        .describe()
        .statement_id;
    assert_eq!(
        client.group(&[id(statement), ClientMessage::Execute]).sqlcode(),
        -260
    );
    assert_eq!(client.group(&[id(statement), nfetch(4096)]).sqlcode(), -259);
    assert_eq!(client.group(&[id(9), ClientMessage::Open]).sqlcode(), -285);
    // What a native client does after a deferred prepare that failed.
    client.group(&[id(-1), ClientMessage::Close]).ok();
    client.group(&[id(-1), ClientMessage::Release]).ok();
}

#[test]
fn rows_come_in_replies_of_the_wanted_size() {
    let (_server, mut client) = served();
    table(&mut client, 500);
    let prepared = client.prepare("select a, b from t order by a").ok();
    let columns = column_types(prepared.describe());
    let mut messages = vec![id(0), cursor("c"), ClientMessage::Open, id(0), nfetch(1000)];
    let (mut rows, mut replies) = (Vec::new(), 0);
    loop {
        let reply = client.group(&messages).ok();
        replies += 1;
        let size: usize = reply.rows.iter().map(Vec::len).sum();
        assert!(size <= 1000, "{size} bytes in one reply");
        rows.extend(reply.rows.iter().map(|row| texts(&columns, row)));
        messages = vec![id(0), nfetch(1000)];
        if let Some(done) = reply.done() {
            assert_eq!(done.rows, 500);
            assert!(!reply.rows.is_empty(), "DONE comes with the last rows");
            break;
        }
    }
    assert!(replies > 5);
    assert_eq!(rows.len(), 500);
    assert_eq!(rows[499], ["500", "row 500"]);
    let again = client.group(&[id(0), nfetch(1000)]).ok();
    assert!(again.rows.is_empty());
    assert_eq!(
        again.done().unwrap().rows,
        500,
        "asking once more gives the same end"
    );
    // A row that is larger than the budget still comes, alone.
    client.group(&[id(0), ClientMessage::Close]).ok();
    let reply = client
        .group(&[id(0), cursor("c"), ClientMessage::Open, nfetch(1)])
        .ok();
    assert_eq!(reply.rows.len(), 1);
}

#[test]
fn all_forms_of_opening() {
    let (_server, mut client) = served();
    table(&mut client, 3);
    // The deferred prepare of the native client: everything in one group.
    let sql = SqlText::new("select a from t where a > 1 order by a", 0);
    let reply = client
        .group(&[
            ClientMessage::Prepare(Prepare(sql)),
            ClientMessage::NDescId,
            ClientMessage::WantDone,
            cursor("sql_cur2"),
            ClientMessage::Open,
        ])
        .ok();
    assert_eq!(reply.tags(), [tag::DESCRIBE, tag::DONE, tag::COST]);
    assert_eq!(
        client.group(&[id(0), nfetch(4096)]).ok().rows,
        [[0, 0, 0, 2], [0, 0, 0, 3]]
    );
    client.group(&[id(0), ClientMessage::Close]).ok();
    // Later without naming the statement.
    client.group(&[cursor("sql_cur2"), ClientMessage::Open]).ok();
    assert_eq!(client.group(&[id(0), nfetch(4096)]).ok().rows.len(), 2);
    client.group(&[id(0), ClientMessage::Release]).ok();

    // BIND in a group of its own (peer) and in the group of OPEN (Java client); again with other values.
    client.prepare("select a from t where a = ?").ok();
    client.group(&[id(0), bind(vec![integer(2)])]).ok();
    let reply = client
        .group(&[id(0), cursor("c"), ClientMessage::Open, id(0), nfetch(4096)])
        .ok();
    assert_eq!(reply.rows, [[0, 0, 0, 2]]);
    client.group(&[id(0), ClientMessage::Close]).ok();
    for value in [1, 3] {
        let messages = [
            id(0),
            cursor("c"),
            bind(vec![integer(value)]),
            ClientMessage::Open,
            id(0),
            nfetch(4096),
        ];
        assert_eq!(client.group(&messages).ok().rows, [value.to_be_bytes()]);
        client.group(&[id(0), ClientMessage::Close]).ok();
    }
}

#[test]
fn many_cursors_at_once() {
    let (_server, mut client) = served();
    table(&mut client, 10);
    for _ in 0..20 {
        client.prepare("select a from t order by a").ok();
    }
    for statement in 0..20 {
        client
            .group(&[
                id(statement),
                cursor(&format!("c{statement}")),
                ClientMessage::Open,
            ])
            .ok();
    }
    for row in 1..=10i32 {
        for statement in 0..20 {
            // One row per reply.
            assert_eq!(
                client.group(&[id(statement), nfetch(4)]).ok().rows,
                [row.to_be_bytes()]
            );
        }
    }
    // Several statements in one group.
    let messages: Vec<_> = (0..20)
        .flat_map(|statement| [id(statement), ClientMessage::Close])
        .collect();
    client.group(&messages).ok();
}

#[test]
fn autofree_releases_with_close() {
    let (_server, mut client) = served();
    table(&mut client, 1);
    client.prepare("select a from t").ok();
    client
        .group(&[id(0), cursor("c"), ClientMessage::AutoFree, ClientMessage::Open])
        .ok();
    client.group(&[id(0), ClientMessage::Close]).ok();
    assert_eq!(client.group(&[id(0), ClientMessage::Open]).sqlcode(), -285);
    assert_eq!(client.prepare("select a from t").ok().describe().statement_id, 0);
}

#[test]
fn hold_decides_over_the_end_of_a_transaction() {
    let (_server, mut client) = served();
    table(&mut client, 5);
    for (hold, expected) in [(true, 0), (false, -259)] {
        client.group(&[ClientMessage::Begin]).ok();
        client.prepare("select a from t order by a").ok();
        let mut messages = vec![id(0), cursor("c")];
        messages.extend(hold.then_some(ClientMessage::Hold));
        messages.extend([ClientMessage::Open, nfetch(4)]);
        client.group(&messages).ok();
        client.group(&[ClientMessage::CommitWork]).ok();
        assert_eq!(client.group(&[id(0), nfetch(4)]).sqlcode(), expected);
        client.group(&[id(0), ClientMessage::Close]).ok();
        client.group(&[id(0), ClientMessage::Release]).ok();
    }
}

#[test]
fn scroll_cursors_give_the_row_asked_for() {
    let (_server, mut client) = served();
    table(&mut client, 5);
    client.prepare("select a from t order by a").ok();
    client
        .group(&[id(0), cursor("c"), ClientMessage::Scroll, ClientMessage::Open])
        .ok();
    let mut at = |kind, row| {
        let reply = client.group(&[id(0), sfetch(kind, row)]).ok();
        let position = reply.messages.iter().find_map(|message| match message {
            ServerMessage::TupId(position) => Some(position.0),
            _ => None,
        });
        position.map(|position| {
            assert_eq!(reply.rows.len(), 1);
            (
                position,
                i32::from_be_bytes(reply.rows[0].as_slice().try_into().unwrap()),
            )
        })
    };
    for (kind, row, expected) in [
        (SFetch::NEXT, 1, Some(1)),
        (SFetch::NEXT, 2, Some(2)),
        (SFetch::LAST, 0, Some(5)),
        (SFetch::ABSOLUTE, 3, Some(3)),
        (SFetch::ABSOLUTE, 6, None),
        (SFetch::ABSOLUTE, 0, None),
        (SFetch::ABSOLUTE, -1, None),
        (SFetch::ABSOLUTE, 1, Some(1)),
    ] {
        assert_eq!(
            at(kind, row),
            expected.map(|row| (row, row)),
            "kind {kind}, row {row}"
        );
    }
    client.group(&[id(0), ClientMessage::Close]).ok();
    assert_eq!(
        client.group(&[id(0), sfetch(SFetch::ABSOLUTE, 1)]).sqlcode(),
        -259
    );
    client.prepare("select a from t where a < 0").ok();
    client
        .group(&[id(1), cursor("d"), ClientMessage::Scroll, ClientMessage::Open])
        .ok();
    assert!(
        client
            .group(&[id(1), sfetch(SFetch::LAST, 0)])
            .ok()
            .rows
            .is_empty()
    );
}

#[test]
fn insert_cursors_take_rows_by_put() {
    let (_server, mut client) = served();
    client.command("create table t (a integer, b varchar(20))").ok();
    let prepared = client.prepare("insert into t values (?, ?)").ok();
    let types = column_types(prepared.describe());
    let put = |row: i32, text: &str| {
        let payload = [&row.to_be_bytes()[..], &[text.len() as u8], text.as_bytes()].concat();
        ClientMessage::Put(PutRow { rows: 1, payload })
    };
    // Java client: all in one group; no CLOSE before the next one.
    for round in 0..2 {
        let mut messages = vec![id(0), cursor("c"), ClientMessage::Open];
        if round == 0 {
            messages.push(ClientMessage::RetType(RetType::binary(0, &types)));
        }
        messages.extend((0..3).map(|row| put(row, &format!("r{row}"))));
        let reply = client.group(&messages).ok();
        assert_eq!(reply.tags(), [tag::DONE, tag::COST], "one DONE with the total");
        assert_eq!(reply.done().unwrap().rows, 3);
    }
    // Native client: OPEN with HOLD alone, PUTs, CLOSE.
    client
        .group(&[id(0), cursor("c"), ClientMessage::Hold, ClientMessage::Open])
        .ok();
    assert_eq!(
        client
            .group(&[id(0), put(7, ""), put(8, "odd")])
            .ok()
            .done()
            .unwrap()
            .rows,
        2
    );
    client.group(&[id(0), ClientMessage::Close]).ok();
    assert_eq!(client.group(&[id(0), put(9, "x")]).sqlcode(), -259);
    assert_eq!(client.select("select count(*) from t"), [["8"]]);
}

#[test]
fn a_batch_ends_with_its_first_error() {
    let (_server, mut client) = served();
    client.command("create table t (a integer primary key)").ok();
    client.prepare("insert into t values (?)").ok();
    let mut messages = vec![id(0)];
    for row in [1, 2, 2, 3] {
        messages.extend([bind(vec![integer(row)]), ClientMessage::Execute]);
    }
    let reply = client.group(&messages);
    let expected = [
        tag::INSERTDONE,
        tag::DONE,
        tag::COST,
        tag::INSERTDONE,
        tag::DONE,
        tag::COST,
        tag::ERR,
    ];
    assert_eq!(reply.tags(), expected);
    assert_eq!((reply.sqlcode(), reply.error().unwrap().isamcode), (-268, -100));
    assert_eq!(client.select("select a from t order by a"), [["1"], ["2"]]);
    // As groups of their own, written back to back, later ones run.
    for row in [10, 2, 11] {
        client
            .machine
            .submit_messages(&[id(0), bind(vec![integer(row)]), ClientMessage::Execute])
            .unwrap();
    }
    client.flush();
    let codes: Vec<_> = (0..3).map(|_| client.reply().sqlcode()).collect();
    assert_eq!(codes, [0, -268, 0]);
}

#[test]
fn one_text_may_hold_several_statements() {
    let (_server, mut client) = served();
    client.command("create table t (a integer, b varchar(20))").ok();
    // Java client with IFX_BATCHUPDATE_PER_SPEC=0.
    client
        .prepare("insert into t values (?,?);insert into t values (?,';');insert into t values (3,?);")
        .ok();
    let values = vec![integer(1), char("x"), integer(2), char("z")];
    let reply = client.group(&[id(0), bind(values), ClientMessage::Execute]).ok();
    assert_eq!(reply.tags(), [tag::INSERTDONE, tag::DONE, tag::COST]);
    assert_eq!(reply.done().unwrap().rows, 3);
    assert_eq!(
        client.select("select a, b from t order by a"),
        [["1", "x"], ["2", ";"], ["3", "z"]]
    );
    assert_eq!(
        client
            .group(&[id(0), bind(vec![integer(1)]), ClientMessage::Execute])
            .sqlcode(),
        -254
    );
    let wrong = client.prepare("delete from t; delete from nosuch");
    assert_eq!(
        (wrong.sqlcode(), wrong.error().unwrap().offset >= 16),
        (-206, true)
    );
}

#[test]
fn generated_keys_are_described_and_returned() {
    let (_server, mut client) = served();
    client
        .command("create table k (id serial primary key, a integer)")
        .ok();
    for (keys, expected) in [
        (AutogenKeys::All, 1),
        (AutogenKeys::Columns(vec![1]), 2),
        (AutogenKeys::Names(vec!["id".into()]), 3),
    ] {
        let sql = SqlText::new("insert into k (a) values (5)", 0);
        let reply = client
            .group(&[
                ClientMessage::Command(Command(sql)),
                ClientMessage::AutogenKeys(keys),
                ClientMessage::NDescribe,
                ClientMessage::Execute,
                ClientMessage::Release,
            ])
            .ok();
        let shape = [
            tag::DESCRIBE,
            tag::KEYDESCRIBE,
            tag::KEYTUPLE,
            tag::INSERTDONE,
            tag::DONE,
            tag::COST,
        ];
        assert_eq!(reply.tags(), shape);
        let key = reply.messages.iter().find_map(|message| match message {
            ServerMessage::KeyTuple(row) => Some(row.payload.clone()),
            _ => None,
        });
        assert_eq!(key.unwrap(), i32::to_be_bytes(expected));
    }
    let sql = SqlText::new("insert into k (a) values (?)", 1);
    let messages = [
        ClientMessage::Prepare(Prepare(sql)),
        ClientMessage::AutogenKeys(AutogenKeys::All),
        ClientMessage::NDescribe,
        ClientMessage::WantDone,
    ];
    let reply = client.group(&messages).ok();
    assert_eq!(
        reply.tags(),
        [tag::DESCRIBE, tag::KEYDESCRIBE, tag::DONE, tag::COST]
    );
    let ServerMessage::KeyDescribe(keys) = &reply.messages[1] else {
        panic!("{reply:?}")
    };
    assert_eq!(keys.columns[0].name, "id");
    let reply = client
        .group(&[id(0), bind(vec![integer(1)]), ClientMessage::Execute])
        .ok();
    assert_eq!(
        reply.tags(),
        [tag::KEYTUPLE, tag::INSERTDONE, tag::DONE, tag::COST]
    );
}

#[test]
fn byte_and_text_values_travel_in_chunks() {
    let (_server, mut client) = served();
    client.command("create table l (a integer, b byte, c text)").ok();
    client.prepare("insert into l values (?, ?, ?)").ok();
    let blob = |code| BindValue::new(code, 0, vec![0; 56]);
    let bytes: Vec<u8> = (0..3000u32).map(|i| i as u8).collect();
    let mut messages = vec![id(0)];
    messages.push(bind(vec![integer(1), blob(TypeCode::Byte), blob(TypeCode::Text)]));
    messages.push(ClientMessage::BBind(BBind { count: 2 }));
    messages.extend(
        bytes
            .chunks(1027)
            .map(|chunk| ClientMessage::Blob(BlobChunk(chunk.to_vec()))),
    );
    messages.push(ClientMessage::Blob(BlobChunk::default()));
    messages.push(ClientMessage::Blob(BlobChunk(b"text".to_vec())));
    messages.push(ClientMessage::Blob(BlobChunk::default()));
    messages.push(ClientMessage::Execute);
    client.group(&messages).ok();
    // Empty, and NULL, for which nothing follows.
    let messages = [
        id(0),
        bind(vec![integer(2), blob(TypeCode::Byte), null()]),
        ClientMessage::BBind(BBind { count: 1 }),
        ClientMessage::Blob(BlobChunk::default()),
        ClientMessage::Execute,
    ];
    client.group(&messages).ok();

    let prepared = client.prepare("select b, c from l order by a").ok();
    let statement = prepared.describe().statement_id;
    let rows = client
        .group(&[id(statement), cursor("c"), ClientMessage::Open, nfetch(4096)])
        .ok()
        .rows;
    assert_eq!(rows.len(), 2);
    let mut fetch = |cell: &[u8]| {
        let descriptor: [u8; 56] = cell.try_into().unwrap();
        let reply = client
            .group(&[id(statement), ClientMessage::FetchBlob(FetchBlob { descriptor })])
            .ok();
        let chunks = reply.messages.iter().filter_map(|message| match message {
            ServerMessage::Blob(chunk) => Some(chunk.0.clone()),
            _ => None,
        });
        let chunks: Vec<_> = chunks.collect();
        assert_eq!(
            chunks.last().map(Vec::len),
            Some(0),
            "a value ends with an empty chunk"
        );
        chunks.concat()
    };
    assert_eq!(fetch(&rows[0][..56]), bytes);
    assert_eq!(fetch(&rows[0][56..]), b"text");
    assert_eq!(fetch(&rows[1][..56]), b"");
    assert_eq!(rows[1][56 + 39], 1, "NULL");
}

#[test]
fn an_urgent_byte_ends_the_statement_and_not_the_session() {
    let (_server, mut client) = served();
    table(&mut client, 400);
    client.prepare("select count(*) from t a, t b, t c, t d").ok();
    client.send(&[id(0), cursor("c"), ClientMessage::Open, id(0), nfetch(4096)]);
    let socket = socket2::Socket::from(client.socket.try_clone().unwrap());
    socket
        .send_out_of_band(&[informix_protocol::CANCEL_BYTE])
        .unwrap();
    let reply = client.reply();
    assert_eq!(reply.sqlcode(), -213);
    assert!(reply.rows.is_empty());
    client.group(&[id(0), ClientMessage::Close]).ok();
    client.group(&[id(0), ClientMessage::Release]).ok();
    // One that comes when nothing runs hurts nobody.
    socket
        .send_out_of_band(&[informix_protocol::CANCEL_BYTE])
        .unwrap();
    assert_eq!(client.select("select count(*) from t"), [["400"]]);
}

#[test]
fn a_client_that_dies_leaves_nothing_locked() {
    let (server, mut client) = served();
    table(&mut client, 1);
    // The server has to notice the death first.
    client.command("set lock mode to wait").ok();
    let negotiated = client.machine.negotiated();
    let mut group = Vec::new();
    for message in command("update t set a = 2") {
        message.encode(&mut group, &negotiated).unwrap();
    }
    // With an open transaction that has written, in the middle of the next message.
    for end in [0, 1, 7, group.len()] {
        let mut dying = Client::connect(&server);
        dying.group(&[ClientMessage::Begin]).ok();
        dying.command("update t set a = 99").ok();
        dying.socket.write_all(&group[..end]).unwrap();
        drop(dying);
        client.command("update t set a = a + 1").ok();
    }
    assert_eq!(client.select("select a from t"), [["5"]]);
}

#[test]
fn two_clients_see_each_others_commits() {
    let (server, mut one) = served();
    table(&mut one, 1);
    let mut two = Client::connect(&server);
    one.group(&[ClientMessage::Begin]).ok();
    one.command("insert into t values (2, 'new')").ok();
    assert_eq!(one.select("select count(*) from t"), [["2"]]);
    one.group(&[ClientMessage::CommitWork]).ok();
    assert_eq!(two.select("select count(*) from t"), [["2"]]);
    one.command("create temp table mine (a integer)").ok();
    assert_eq!(two.prepare("select * from mine").sqlcode(), -206);
}

#[test]
fn the_narrow_and_the_compact_dialect() {
    let server = DevServer::start().unwrap();
    let mut client = Client::connect(&server);
    table(&mut client, 2);
    let mut narrow = Client::connect_as(&server, &common::login(), Capabilities::NARROW);
    let prepared = narrow.prepare("select a from t order by a").ok();
    assert_eq!(prepared.describe().columns[0].name, "a");
    let reply = narrow
        .group(&[id(0), cursor("c"), ClientMessage::Open, id(0), nfetch(4096)])
        .ok();
    assert_eq!(reply.rows, [[0, 0, 0, 1], [0, 0, 0, 2]]);
    assert_eq!(narrow.prepare("select x from nosuch").sqlcode(), -206);
    let mut native = Client::connect_as(&server, &common::text_login(Some("testdb")), Capabilities::NATIVE);
    assert_eq!(
        native.select("select a, b from t order by a"),
        [["1", "row 1"], ["2", "row 2"]]
    );
    let long = format!("select a from t {}", " ".repeat(40_000));
    client.group(&prepare(&long)).ok();
}
