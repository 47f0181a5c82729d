//! Every message in every dialect: round trip, truncation at each byte, a golden form for each tag.

mod support;

use informix_protocol::message::blob::DESCRIPTOR_BYTES;
use informix_protocol::message::*;
use informix_protocol::{
    Capabilities, ClientMessage, DecodeError, ErrorKind, Limits, LoginForm, Negotiated, Reader, ReplyContext,
    ServerMessage, tag,
};
use informix_types::TypeCode;
use std::collections::BTreeSet;

fn java() -> Negotiated {
    Negotiated::new(&Capabilities::JDBC, &Capabilities::SERVER_15, LoginForm::Binary)
}

/// The dialects that are in use: nothing agreed, nmap's, the Java client's, the native client's.
fn dialects() -> [(&'static str, Negotiated); 4] {
    let server = Capabilities::SERVER_15;
    [
        ("none", Negotiated::none(LoginForm::Binary)),
        (
            "narrow",
            Negotiated::new(&Capabilities::NARROW, &server, LoginForm::Binary),
        ),
        ("java", java()),
        (
            "native",
            Negotiated::new(&Capabilities::NATIVE, &server, LoginForm::Text),
        ),
    ]
}

fn values() -> Vec<BindValue> {
    vec![
        BindValue::new(TypeCode::Integer, 0x0a00, vec![0, 0, 0, 42]),
        BindValue::new(TypeCode::Char, 0, b"hello".to_vec()),
        BindValue::new(TypeCode::Char, 0, Vec::new()),
        BindValue::new(TypeCode::Date, 0, None),
        BindValue::new(TypeCode::Int8, 0x1300, vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0]),
        BindValue::new(TypeCode::SmallInt, 0x0500, vec![0, 7]),
        BindValue::new(
            TypeCode::Float,
            0,
            vec![0x40, 9, 0x1e, 0xb8, 0x51, 0xeb, 0x85, 0x1f],
        ),
        BindValue::new(TypeCode::BigInt, 0x1300, vec![0xff; 8]),
        BindValue::new(TypeCode::Byte, 0, vec![0; DESCRIPTOR_BYTES]),
        BindValue {
            owner: "informix".into(),
            name: "boolean".into(),
            ..BindValue::new(TypeCode::Boolean, 1, vec![1])
        },
        BindValue {
            name: "blob".into(),
            ..BindValue::new(TypeCode::SendRecv, 72, None)
        },
    ]
}

fn describe() -> Describe {
    let column = |name: &str, wire_type, encoded_length, start| ColumnDescription {
        name: name.into(),
        start,
        ty: TypeDescription {
            wire_type,
            encoded_length,
            ..TypeDescription::default()
        },
    };
    let mut columns = vec![
        column("id", 0x0102, 4, 0),
        column("", 13, 20, 4),
        column("(count(*))", 5, 0x10ff, 25),
        column("flag", 41, 1, 36),
        column("d", 0x0802, 4, 40),
    ];
    columns[3].ty.owner = "informix".into();
    columns[3].ty.extended_name = "boolean".into();
    columns[3].ty.extended_id = 5;
    columns[3].ty.alignment = 1;
    columns[4].ty.extended_id = 2048;
    columns[4].ty.source_type = 2;
    Describe {
        statement_type: 2,
        statement_id: 7,
        cost: 1,
        tuple_size: 44,
        columns,
    }
}

fn xid() -> XaBranch {
    XaBranch {
        xid: Xid::new(4660, b"gtrid-1", b"bq-1").unwrap(),
        rmid: 1,
        flags: 0x0400_0000,
    }
}

/// Samples that mean the same in every dialect.
fn client_samples() -> Vec<ClientMessage> {
    use ClientMessage as C;
    let sql = |text: &str| SqlText::new(text, 2);
    let database = XaDatabase {
        database: "testdb".into(),
        rmid: 1,
        flags: 0,
    };
    vec![
        C::Command(Command(sql("delete from t"))),
        C::Prepare(Prepare(sql("select * from t where a = ? and b = ?;"))),
        C::CursorName(CursorName("_ifxc0000000000001".into())),
        C::Id(StatementId(-1)),
        C::Bind(Bind { values: values() }),
        C::Bind(Bind::default()),
        C::NFetch(NFetch {
            buffer: 4096,
            array: 0,
        }),
        C::Put(PutRow {
            rows: 1,
            payload: b"\x05row 3".to_vec(),
        }),
        C::Put(PutRow {
            rows: 1,
            payload: b"\x02v0".to_vec(),
        }),
        C::RollbackWork(RollbackWork { savepoint: 0 }),
        C::SFetch(SFetch {
            kind: SFetch::ABSOLUTE,
            row: 70_000,
            buffer: 4096,
        }),
        C::DbOpen(DbOpen {
            name: "testdb".into(),
            exclusive: 0,
        }),
        C::FetchBlob(FetchBlob {
            descriptor: [3; DESCRIPTOR_BYTES],
        }),
        C::Blob(BlobChunk(vec![1, 2, 3])),
        C::Blob(BlobChunk::default()),
        C::BBind(BBind { count: 2 }),
        C::XaRecover(XaRecover {
            max: 10,
            rmid: 1,
            flags: 0x0100_0000,
        }),
        C::Info(Info::environment([
            ("DBTEMP".into(), "/tmp".into()),
            ("SUBQCACHESZ".into(), "10".into()),
        ])),
        C::Info(Info {
            blocks: vec![
                InfoBlock::Request,
                InfoBlock::Other {
                    subtype: 3,
                    body: vec![1, 2, 3],
                },
            ],
        }),
        C::LoData(LoDataRequest::Read {
            descriptor: 1,
            length: 38,
            chunk: 32000,
        }),
        C::LoData(LoDataRequest::ReadAt {
            descriptor: 1,
            length: 38,
            chunk: 32000,
            offset: 1 << 33,
            whence: 0,
        }),
        C::LoData(LoDataRequest::Write {
            descriptor: 0,
            data: vec![9; 7],
            chunk: 3,
        }),
        C::LoData(LoDataRequest::Write {
            descriptor: 0,
            data: vec![],
            chunk: 32000,
        }),
        C::RetType(RetType {
            direction: 1,
            columns: vec![
                RetTypeColumn {
                    wire_type: 2,
                    encoded_length: 4,
                    ..RetTypeColumn::default()
                },
                RetTypeColumn {
                    wire_type: 45,
                    owner: "informix".into(),
                    name: "boolean".into(),
                    encoded_length: 1,
                },
            ],
        }),
        C::GetRoutine(GetRoutine {
            signature: "function informix.ifx_lo_close(integer)".into(),
            ..GetRoutine::default()
        }),
        C::RoutineState(RoutineState([7; 15])),
        C::DescribeCall(DescribeCall {
            database: "testdb".into(),
            id: 70_000,
        }),
        C::ExecRoutine(ExecRoutine {
            handle: 1,
            values: values(),
            ..ExecRoutine::default()
        }),
        C::FileContents(FileContents {
            data: b"hello, file".to_vec(),
            chunk: 5,
        }),
        C::FileContents(FileContents {
            data: vec![],
            chunk: 0,
        }),
        C::FileWritten(FileWritten { total: 23 }),
        C::Protocols(Protocols(Capabilities::NARROW)),
        C::Response(Response("my-response".into())),
        C::AutogenKeys(AutogenKeys::All),
        C::AutogenKeys(AutogenKeys::Columns(vec![1, 3])),
        C::AutogenKeys(AutogenKeys::Names(vec!["id".into(), "key".into()])),
        C::SetSavepoint(SetSavepoint {
            name: "sp1".into(),
            unique: 1,
        }),
        C::ReleaseSavepoint(ReleaseSavepoint("sp1".into())),
        C::RollbackToSavepoint(RollbackToSavepoint("sp1".into())),
        C::XaOpen(database.clone()),
        C::XaClose(database),
        C::XaStart(xid()),
        C::XaEnd(xid()),
        C::XaPrepare(xid()),
        C::XaCommit(xid()),
        C::XaRollback(xid()),
        C::XaForget(xid()),
        C::Open,
        C::Execute,
        C::Close,
        C::Release,
        C::Eot,
        C::CommitWork,
        C::NDescribe,
        C::Scroll,
        C::DbList,
        C::Begin,
        C::DbClose,
        C::Hold,
        C::WantDone,
        C::Version,
        C::Exit,
        C::AutoFree,
        C::NDescId,
        C::CiDescribe,
        C::Ack,
        C::BatchStart,
        C::BatchEnd,
    ]
}

fn server_samples() -> Vec<ServerMessage> {
    use ServerMessage as S;
    let parameter = |column: &ColumnDescription| ParameterDescription {
        ty: column.ty.clone(),
        named: None,
    };
    vec![
        S::Err(SqlErr {
            sqlcode: -206,
            isamcode: -111,
            offset: 14,
            token: "no_such_table".into(),
        }),
        S::Done(Done {
            warnings: 0x15,
            rows: 1,
            rowid: 257,
            serial: 9,
        }),
        S::TupId(TupId(3)),
        S::DbList(DbList {
            names: vec!["sysmaster".into(), "testdb".into()],
        }),
        S::DbList(DbList::default()),
        S::Blob(BlobChunk(vec![0, 1, 0xff])),
        S::Cost(Cost { rows: 5, cost: 2 }),
        S::Info(Info {
            blocks: vec![InfoBlock::Version {
                number: 316,
                text: "Version 14.10.FC7W1".into(),
            }],
        }),
        S::InsertDone(InsertDone {
            serial8: -7,
            bigserial: 0,
        }),
        S::LoData(LoDataReply::Data {
            operation: 0,
            data: vec![5; 9],
            chunk: 4,
        }),
        S::LoData(LoDataReply::Data {
            operation: 0,
            data: vec![],
            chunk: 0,
        }),
        S::LoData(LoDataReply::Written(3)),
        S::File(FileRequest::Open {
            name: "client.bin".into(),
            mode: 1,
            flags: 2,
            offset: 3,
        }),
        S::File(FileRequest::Close),
        S::File(FileRequest::Read {
            chunk: 1024,
            amount: -1,
        }),
        S::File(FileRequest::Write),
        S::XactStat(XactStat {
            event: 1,
            new_level: 1,
            old_level: 0,
        }),
        S::RoutineHandle(RoutineHandle {
            handle: 1,
            ..RoutineHandle::default()
        }),
        S::RoutineResult(RoutineResult { values: values() }),
        S::RoutineParameters(RoutineParameters {
            returned: 2,
            outputs: vec![false, true],
        }),
        S::RoutineParameters(RoutineParameters::default()),
        S::FileChunk(FileChunk(b"abc".to_vec())),
        S::InputDescribe(InputDescribe {
            parameters: describe().columns.iter().map(parameter).collect(),
            ..InputDescribe::default()
        }),
        S::InputDescribe(InputDescribe::default()),
        S::Protocols(Protocols(Capabilities::SERVER_15)),
        S::Challenge(Challenge {
            style: 1,
            prompt: "Enter code".into(),
        }),
        S::IfpDescribe(IfpDescribe { parameters: 4 }),
        S::Describe(describe()),
        S::Describe(Describe {
            statement_type: 14,
            ..Describe::default()
        }),
        S::KeyDescribe(describe()),
        S::Tuple(Tuple {
            warnings: 0,
            payload: b"\x0asyscolumns".to_vec(),
        }),
        S::KeyTuple(Tuple {
            warnings: 0,
            payload: vec![0, 0, 0, 23],
        }),
        S::XaResult(XaResult {
            code: 3,
            xids: vec![],
        }),
        S::Eot,
        S::Exit,
        S::Accept,
        S::Reassoc,
    ]
}

/// Decodes at every cut: only the whole message may come out, and the hint never exceeds what is missing.
fn check_cuts<T: std::fmt::Debug + PartialEq>(
    what: &str,
    bytes: &[u8],
    message: &T,
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) {
    for cut in 0..bytes.len() {
        match decode(&mut Reader::new(&bytes[..cut], Limits::default())) {
            Err(DecodeError::NeedMore(n)) if n >= 1 && n <= bytes.len() - cut => {}
            other => panic!("{what}: cut at {cut} of {}: {other:?}", bytes.len()),
        }
    }
    // What follows belongs to the next message.
    let followed = [bytes, &[0xff, 0xff]].concat();
    let mut r = Reader::new(&followed, Limits::default());
    assert_eq!(&decode(&mut r).unwrap(), message, "{what}");
    assert_eq!(r.position(), bytes.len(), "{what}");
}

#[test]
fn every_client_message_in_every_dialect() {
    let samples = client_samples();
    let covered: BTreeSet<u16> = samples.iter().map(ClientMessage::tag).collect();
    assert_eq!(
        covered,
        ClientMessage::TAGS.iter().copied().collect(),
        "a sample for every message"
    );
    for (dialect, n) in dialects() {
        for message in &samples {
            let what = format!("{dialect} {}", tag::name(message.tag()));
            let mut bytes = Vec::new();
            message.encode(&mut bytes, &n).unwrap();
            check_cuts(&what, &bytes, message, |r| ClientMessage::decode(r, &n));
        }
    }
}

#[test]
fn every_server_message_in_every_dialect() {
    let samples = server_samples();
    let covered: BTreeSet<u16> = samples.iter().map(ServerMessage::tag).collect();
    assert_eq!(
        covered,
        ServerMessage::TAGS.iter().copied().collect(),
        "a sample for every message"
    );
    for (dialect, n) in dialects() {
        for message in &samples {
            let what = format!("{dialect} {}", tag::name(message.tag()));
            let mut bytes = Vec::new();
            message.encode(&mut bytes, &n).unwrap();
            check_cuts(&what, &bytes, message, |r| {
                ServerMessage::decode(r, &n, ReplyContext::default())
            });
        }
    }
}

/// Forms that neither the captures nor `vectors.json` hold, and the same message in other dialects, by hand from the
/// layout tables.
#[test]
fn golden_forms_of_the_rarer_messages() {
    let [(_, none), (_, narrow), (_, java), (_, native)] = dialects();
    let client: &[(&Negotiated, &str, ClientMessage)] = &[
        (&java, "0025", ClientMessage::DbClose),
        (&java, "008d", ClientMessage::BatchStart),
        (&java, "008e", ClientMessage::BatchEnd),
        (
            &java,
            "0061 0001 0002 00000010 7d00 0001 00000000 00000002 0000",
            ClientMessage::LoData(LoDataRequest::ReadAt {
                descriptor: 2,
                length: 16,
                chunk: 32000,
                offset: 1 << 33,
                whence: 0,
            }),
        ),
        (
            &java,
            "0009 00001000 0000",
            ClientMessage::NFetch(NFetch {
                buffer: 4096,
                array: 0,
            }),
        ),
        (
            &narrow,
            "0009 1000 0000",
            ClientMessage::NFetch(NFetch {
                buffer: 4096,
                array: 0,
            }),
        ),
        (
            &none,
            "0009 1000",
            ClientMessage::NFetch(NFetch {
                buffer: 4096,
                array: 0,
            }),
        ),
        (
            &native,
            "0009 00007fff 0064",
            ClientMessage::NFetch(NFetch {
                buffer: 32767,
                array: 100,
            }),
        ),
        (
            &narrow,
            "0002 0000 0001 7800",
            ClientMessage::Prepare(Prepare(SqlText::new("x", 0))),
        ),
        (
            &java,
            "0011 00000003 0001 027630 00",
            ClientMessage::Put(PutRow {
                rows: 1,
                payload: b"\x02v0".into(),
            }),
        ),
        (
            &none,
            "0011 0003 0001 027630 00",
            ClientMessage::Put(PutRow {
                rows: 1,
                payload: b"\x02v0".into(),
            }),
        ),
        (
            &java,
            "0065 00 00000001 6600 0000",
            ClientMessage::GetRoutine(GetRoutine {
                signature: "f".into(),
                ..GetRoutine::default()
            }),
        ),
        (
            &java,
            "0065 01 00000006 746573746462 00000007 0001",
            ClientMessage::GetRoutine(GetRoutine {
                signature: "testdb".into(),
                id: Some(7),
                parameters: 1,
            }),
        ),
        (
            &java,
            "0068 ffff 0000000080000000 00000000 01",
            ClientMessage::RoutineState(RoutineState([
                0xff, 0xff, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 1,
            ])),
        ),
        (
            &java,
            "0083 01 0006 746573746462 00000007",
            ClientMessage::DescribeCall(DescribeCall {
                database: "testdb".into(),
                id: 7,
            }),
        ),
        (
            &native,
            "0065 00000001 6600 0000",
            ClientMessage::GetRoutine(GetRoutine {
                signature: "f".into(),
                ..GetRoutine::default()
            }),
        ),
        (
            &narrow,
            "0065 00 0001 6600 0000",
            ClientMessage::GetRoutine(GetRoutine {
                signature: "f".into(),
                ..GetRoutine::default()
            }),
        ),
    ];
    for (n, golden, message) in client {
        let bytes = hex::decode(golden.replace(' ', "")).unwrap();
        let mut out = Vec::new();
        message.encode(&mut out, n).unwrap();
        assert_eq!(hex::encode(&out), hex::encode(&bytes));
        assert_eq!(
            &ClientMessage::decode(&mut Reader::new(&bytes, Limits::default()), n).unwrap(),
            message
        );
    }
    let long = InputDescribe {
        flags: 1,
        extra: 0,
        parameters: vec![ParameterDescription {
            ty: TypeDescription {
                wire_type: 2,
                encoded_length: 4,
                ..TypeDescription::default()
            },
            named: Some((0, "p1".into())),
        }],
    };
    let one = Describe {
        statement_type: 2,
        statement_id: 0,
        cost: 1,
        tuple_size: 4,
        columns: vec![ColumnDescription {
            name: "a".into(),
            start: 0,
            ty: TypeDescription {
                wire_type: 2,
                encoded_length: 4,
                ..TypeDescription::default()
            },
        }],
    };
    let server: &[(&Negotiated, &str, ServerMessage)] = &[
        (&java, "0056", ServerMessage::Reassoc),
        (
            &java,
            "0084 0000",
            ServerMessage::IfpDescribe(IfpDescribe::default()),
        ),
        (
            &java,
            "0062 0000 0003 612e62 00 00000001 00000002 00000000",
            ServerMessage::File(FileRequest::Open {
                name: "a.b".into(),
                mode: 1,
                flags: 2,
                offset: 0,
            }),
        ),
        (&java, "0062 0001", ServerMessage::File(FileRequest::Close)),
        (
            &java,
            "0062 0002 7d00 ffffffff",
            ServerMessage::File(FileRequest::Read {
                chunk: 32000,
                amount: -1,
            }),
        ),
        (&java, "0062 0003", ServerMessage::File(FileRequest::Write)),
        (
            &java,
            "006b 0003 616263 00",
            ServerMessage::FileChunk(FileChunk(b"abc".to_vec())),
        ),
        (
            &none,
            "000d ff32 ff91 000c 0001 7800",
            ServerMessage::Err(SqlErr {
                sqlcode: -206,
                isamcode: -111,
                offset: 12,
                token: "x".into(),
            }),
        ),
        (
            &none,
            "005e 0001 00000007 00000000",
            ServerMessage::InsertDone(InsertDone {
                serial8: 7,
                bigserial: 0,
            }),
        ),
        (
            &java,
            "0061 0000 00000000 0000",
            ServerMessage::LoData(LoDataReply::Data {
                operation: 0,
                data: vec![],
                chunk: 0,
            }),
        ),
        (
            &native,
            "0061 0000 00000001 00000001 ff00",
            ServerMessage::LoData(LoDataReply::Data {
                operation: 0,
                data: vec![255],
                chunk: 1,
            }),
        ),
        (
            &java,
            "007d 0001 0001 0000 00 0002 7031 0002 00000000 0000 0000 0000 0000 00000000 00000004",
            ServerMessage::InputDescribe(long),
        ),
        (
            &narrow,
            "0008 0002 0000 00000001 0004 0001 0002 0000 00000000 0002 00000000 0000 0000 0000 0000 00000000 00000004 6100",
            ServerMessage::Describe(one.clone()),
        ),
        (
            &native,
            "0008 0002 0000 00000001 0004 0001 00000002 00000000 00000000 0002 00000004 6100",
            ServerMessage::Describe(one),
        ),
    ];
    for (n, golden, message) in server {
        let bytes = hex::decode(golden.replace(' ', "")).unwrap();
        let mut out = Vec::new();
        message.encode(&mut out, n).unwrap();
        assert_eq!(hex::encode(&out), hex::encode(&bytes));
        let decoded = ServerMessage::decode(
            &mut Reader::new(&bytes, Limits::default()),
            n,
            ReplyContext::default(),
        );
        assert_eq!(&decoded.unwrap(), message);
    }
    // Which tags have a golden form from outside: the rest is in the tables above.
    let above = client
        .iter()
        .map(|entry| entry.2.tag())
        .chain(server.iter().map(|entry| entry.2.tag()));
    let captured = support::captures();
    let captured = captured
        .iter()
        .flat_map(|capture| &capture.lines)
        .filter_map(|line| line.tag());
    // Only in vectors.json: client-file messages of the peer.
    let known: BTreeSet<u16> = above
        .chain(captured)
        .chain([tag::FILE_READ, tag::FILE_WRITE])
        .collect();
    let all: BTreeSet<u16> = ClientMessage::TAGS
        .iter()
        .chain(ServerMessage::TAGS)
        .copied()
        .collect();
    assert_eq!(
        all.difference(&known)
            .map(|tag| tag::name(*tag))
            .collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_no_trace() {
    let narrow = Negotiated::none(LoginForm::Binary);
    let long = ClientMessage::Prepare(Prepare(SqlText::new("x".repeat(40_000), 0)));
    let mut out = b"before".to_vec();
    let error = long.encode(&mut out, &narrow).unwrap_err();
    assert_eq!(
        (error.field, error.length, error.limit),
        ("SQL text", 40_000, 32_767)
    );
    assert_eq!(out, b"before");
    long.encode(&mut out, &java()).unwrap();
    let wide = ClientMessage::NFetch(NFetch {
        buffer: 65_536,
        array: 0,
    });
    assert!(wide.encode(&mut Vec::new(), &narrow).is_err());
    let wrong_width = ClientMessage::Bind(Bind {
        values: vec![BindValue::new(TypeCode::Integer, 0, vec![1])],
    });
    assert!(wrong_width.encode(&mut Vec::new(), &java()).is_err());
}

#[test]
fn absurd_lengths_and_unknown_tags_are_fatal() {
    let n = java();
    let client = |hex: &str| {
        let bytes = hex::decode(hex.replace(' ', "")).unwrap();
        ClientMessage::decode(&mut Reader::new(&bytes, Limits::default()), &n)
    };
    let server = |hex: &str| {
        let bytes = hex::decode(hex.replace(' ', "")).unwrap();
        ServerMessage::decode(
            &mut Reader::new(&bytes, Limits::default()),
            &n,
            ReplyContext::default(),
        )
    };
    assert_eq!(
        client("03e7"),
        Err(DecodeError::Malformed(ErrorKind::UnknownTag(999)))
    );
    assert_eq!(
        server("0002"),
        Err(DecodeError::Malformed(ErrorKind::UnknownTag(2))),
        "a request is no reply"
    );
    assert!(matches!(
        client("0002 0000 7fffffff"),
        Err(DecodeError::Malformed(ErrorKind::TooLong { .. }))
    ));
    assert!(matches!(
        client("0002 0000 ffffffff"),
        Err(DecodeError::Malformed(ErrorKind::Invalid { .. }))
    ));
    assert!(matches!(
        server("000e 0000 7fffffff"),
        Err(DecodeError::Malformed(ErrorKind::TooLong { .. }))
    ));
    assert!(matches!(
        server("0008 0002 0000 00000001 0004 ffff"),
        Err(DecodeError::Malformed(ErrorKind::Invalid { .. }))
    ));
    assert!(matches!(
        server("0062 0009"),
        Err(DecodeError::Malformed(ErrorKind::Invalid { .. }))
    ));
    assert!(matches!(
        server("0061 0000 00000003 0004"),
        Err(DecodeError::NeedMore(_) | DecodeError::Malformed(_))
    ));
    assert!(matches!(
        client("0066 0000 00000001 0002 0000 0005 0001"),
        Err(DecodeError::Malformed(_))
    ));
    // A small limit of the application's own.
    let small = Limits {
        field: 8,
        ..Limits::default()
    };
    let bytes = hex::decode("000200000000000973656c6563742031").unwrap();
    assert!(matches!(
        ClientMessage::decode(&mut Reader::new(&bytes, small), &n),
        Err(DecodeError::Malformed(ErrorKind::TooLong {
            length: 9,
            limit: 8,
            ..
        }))
    ));
}
