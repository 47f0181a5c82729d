//! The client machine away from the straight path: file dialogues, abandoned groups, hang-ups, foreign protocols.

use informix_protocol::client::{ClientMachine, Event, FileAnswer, GroupId, RowBatch, SubmitError};
use informix_protocol::login::{LoginReply, LoginRequest, ReplyKind};
use informix_protocol::message::*;
use informix_protocol::server::{Request, RequestDecoder};
use informix_protocol::{
    Capabilities, ClientMessage, EncodeError, ErrorKind, Limits, LoginForm, Negotiated, ServerMessage,
};

fn negotiated() -> Negotiated {
    Negotiated::new(&Capabilities::JDBC, &Capabilities::SERVER_15, LoginForm::Binary)
}

/// A machine that has logged in and knows the capabilities; nothing is in flight.
fn connected() -> ClientMachine {
    let mut machine = ClientMachine::new(Limits::default());
    machine.login(&LoginRequest::default()).unwrap();
    let mut reply = Vec::new();
    LoginReply::default().encode(&mut reply).unwrap();
    machine.receive(&reply);
    assert!(matches!(machine.next_event(), Ok(Some(Event::Login(_)))));
    machine
        .submit_messages(&[ClientMessage::Protocols(Protocols(Capabilities::JDBC))])
        .unwrap();
    receive(
        &mut machine,
        &[
            ServerMessage::Protocols(Protocols(Capabilities::SERVER_15)),
            ServerMessage::Eot,
        ],
    );
    assert_eq!(events(&mut machine).len(), 2);
    assert_eq!(machine.negotiated(), negotiated());
    machine.advance_output(usize::MAX);
    assert!(machine.is_idle());
    machine
}

fn receive(machine: &mut ClientMachine, messages: &[ServerMessage]) {
    let mut bytes = Vec::new();
    for message in messages {
        message.encode(&mut bytes, &negotiated()).unwrap();
    }
    machine.receive(&bytes);
}

fn events(machine: &mut ClientMachine) -> Vec<Event> {
    std::iter::from_fn(|| machine.next_event().unwrap()).collect()
}

fn execute(machine: &mut ClientMachine) -> GroupId {
    machine
        .submit_messages(&[ClientMessage::Id(StatementId(0)), ClientMessage::Execute])
        .unwrap()
}

fn written(machine: &mut ClientMachine) -> String {
    let output = hex::encode(machine.output());
    machine.advance_output(usize::MAX);
    output
}

fn tuple(size: usize) -> ServerMessage {
    ServerMessage::Tuple(Tuple {
        warnings: 0,
        payload: (0..size).map(|i| i as u8).collect(),
    })
}

#[test]
fn replies_belong_to_groups_in_order() {
    let mut machine = connected();
    let first = execute(&mut machine);
    let second = execute(&mut machine);
    assert!(first < second);
    assert_eq!(written(&mut machine), "000400000007000c".repeat(2));
    let error = ServerMessage::Err(SqlErr {
        sqlcode: -268,
        ..SqlErr::default()
    });
    let done = ServerMessage::Done(Done::default());
    receive(
        &mut machine,
        &[
            error.clone(),
            ServerMessage::Eot,
            done.clone(),
            ServerMessage::Eot,
        ],
    );
    assert_eq!(
        events(&mut machine),
        [
            Event::Message {
                group: first,
                message: error
            },
            Event::End { group: first },
            Event::Message {
                group: second,
                message: done
            },
            Event::End { group: second },
        ]
    );
    assert!(machine.is_idle());
}

#[test]
fn discarded_groups_are_drained_in_silence() {
    let mut machine = connected();
    let first = execute(&mut machine);
    let second = execute(&mut machine);
    receive(&mut machine, &[tuple(10)]);
    assert!(matches!(&events(&mut machine)[..], [Event::Rows { .. }]));
    machine.discard(first);
    receive(
        &mut machine,
        &[
            tuple(11),
            tuple(1),
            ServerMessage::Done(Done::default()),
            ServerMessage::Eot,
        ],
    );
    receive(&mut machine, &[tuple(12), ServerMessage::Eot]);
    let left = events(&mut machine);
    assert!(
        left.iter()
            .all(|event| !matches!(event, Event::End { group } if *group == first))
    );
    assert!(matches!(&left[..], [Event::Rows { group, .. }, Event::End { .. }] if *group == second));
    // A group that has ended can be discarded without effect.
    machine.discard(first);
    machine.discard(second);
    assert!(machine.is_idle() && !machine.is_broken());
}

#[test]
fn a_file_dialogue_interrupts_the_reply() {
    let mut machine = connected();
    let group = execute(&mut machine);
    written(&mut machine);
    let open = FileRequest::Open {
        name: "a".into(),
        mode: 1,
        flags: 0,
        offset: 0,
    };
    receive(
        &mut machine,
        &[ServerMessage::File(open.clone()), ServerMessage::Eot],
    );
    assert_eq!(
        events(&mut machine),
        [
            Event::Message {
                group,
                message: ServerMessage::File(open)
            },
            Event::FileTurn { group }
        ]
    );
    machine.answer_file(&FileAnswer::Acknowledge).unwrap();
    assert_eq!(written(&mut machine), "000c");
    let read = ServerMessage::File(FileRequest::Read {
        chunk: 32000,
        amount: -1,
    });
    receive(&mut machine, &[read, ServerMessage::Eot]);
    assert_eq!(events(&mut machine).len(), 2);
    let contents = FileContents {
        data: b"hello".to_vec(),
        chunk: 32000,
    };
    machine.answer_file(&FileAnswer::Contents(contents)).unwrap();
    assert_eq!(
        written(&mut machine),
        "006a00000005006a000568656c6c6f00000c",
        "vector sq_file_read_reply_hello"
    );
    let chunk = ServerMessage::FileChunk(FileChunk(vec![7; 23]));
    receive(
        &mut machine,
        &[ServerMessage::File(FileRequest::Write), chunk, ServerMessage::Eot],
    );
    assert_eq!(events(&mut machine).len(), 3);
    machine.answer_file(&FileAnswer::Written(23)).unwrap();
    assert_eq!(
        written(&mut machine),
        "006b00000017000c",
        "vector sq_file_write_ack_23"
    );
    receive(
        &mut machine,
        &[ServerMessage::Done(Done::default()), ServerMessage::Eot],
    );
    assert!(matches!(
        events(&mut machine)[..],
        [Event::Message { .. }, Event::End { .. }]
    ));
    assert!(matches!(
        machine.answer_file(&FileAnswer::Acknowledge),
        Err(SubmitError::Protocol(error)) if matches!(error.kind, ErrorKind::State(_))
    ));
}

#[test]
fn file_requests_of_an_abandoned_group_get_nothing() {
    let mut machine = connected();
    let group = execute(&mut machine);
    written(&mut machine);
    let read = ServerMessage::File(FileRequest::Read { chunk: 0, amount: -1 });
    receive(&mut machine, &[read, ServerMessage::Eot]);
    assert_eq!(events(&mut machine).len(), 2);
    // Abandoned while the server waits for the answer.
    machine.discard(group);
    assert_eq!(
        written(&mut machine),
        "006a00000000000c",
        "vector sq_file_read_reply_empty"
    );
    // Asked after it was abandoned.
    let chunk = ServerMessage::FileChunk(FileChunk(vec![7; 23]));
    receive(
        &mut machine,
        &[ServerMessage::File(FileRequest::Write), chunk, ServerMessage::Eot],
    );
    assert!(events(&mut machine).is_empty());
    assert_eq!(written(&mut machine), "006b00000017000c");
    receive(
        &mut machine,
        &[
            ServerMessage::File(FileRequest::Close),
            ServerMessage::Eot,
            ServerMessage::Eot,
        ],
    );
    assert!(events(&mut machine).is_empty());
    assert_eq!(written(&mut machine), "000c");
    assert!(machine.is_idle());
}

#[test]
fn a_file_request_can_not_be_answered_behind_later_groups() {
    let mut machine = connected();
    execute(&mut machine);
    execute(&mut machine);
    receive(
        &mut machine,
        &[ServerMessage::File(FileRequest::Close), ServerMessage::Eot],
    );
    assert!(matches!(machine.next_event(), Ok(Some(Event::Message { .. }))));
    let error = machine.next_event().unwrap_err();
    assert_eq!(error.kind, ErrorKind::FileWhilePipelined);
    assert!(machine.is_broken());
}

#[test]
fn an_error_breaks_the_machine_for_ever() {
    let mut machine = connected();
    execute(&mut machine);
    receive(&mut machine, &[ServerMessage::Done(Done::default())]);
    machine.receive(&[0x03, 0xe7]);
    assert!(matches!(machine.next_event(), Ok(Some(_))));
    let error = machine.next_event().unwrap_err();
    assert_eq!(
        (error.kind.clone(), error.tag),
        (ErrorKind::UnknownTag(999), Some(999))
    );
    let place = error.offset;
    assert!(
        place > 100 && error.to_string().contains(&place.to_string()),
        "{error}"
    );
    receive(&mut machine, &[ServerMessage::Eot]);
    for _ in 0..2 {
        assert_eq!(machine.next_event().unwrap_err().kind, ErrorKind::Broken);
    }
    assert!(matches!(
        machine.submit_messages(&[ClientMessage::Version]),
        Err(SubmitError::Protocol(error)) if error.kind == ErrorKind::Broken
    ));
    assert!(machine.output().is_empty());
}

#[test]
fn hang_ups_are_told_apart() {
    // Between groups: a clean end.
    let mut machine = connected();
    assert!(machine.end_of_input().is_ok());
    assert!(machine.is_closed());
    // With a reply outstanding.
    let mut machine = connected();
    execute(&mut machine);
    assert_eq!(machine.end_of_input().unwrap_err().kind, ErrorKind::UnexpectedEnd);
    // Inside the login reply, at each byte.
    let mut reply = Vec::new();
    LoginReply::default().encode(&mut reply).unwrap();
    for cut in 0..reply.len() {
        let mut machine = ClientMachine::default();
        machine.login(&LoginRequest::default()).unwrap();
        machine.receive(&reply[..cut]);
        assert_eq!(machine.next_event(), Ok(None));
        assert_eq!(machine.end_of_input().unwrap_err().kind, ErrorKind::UnexpectedEnd);
    }
}

#[test]
fn exit_ends_the_session() {
    let mut machine = connected();
    machine.submit_messages(&[ClientMessage::Exit]).unwrap();
    assert_eq!(written(&mut machine), "0038");
    receive(&mut machine, &[ServerMessage::Exit, ServerMessage::Eot]);
    assert_eq!(events(&mut machine), [Event::Exit]);
    assert!(machine.is_closed() && !machine.is_broken());
    assert!(machine.end_of_input().is_ok());
    assert!(machine.submit_messages(&[ClientMessage::Version]).is_err());
    // A server that did not understand says EXIT instead of a reply.
    let mut machine = connected();
    execute(&mut machine);
    receive(&mut machine, &[ServerMessage::Exit]);
    assert_eq!(events(&mut machine), [Event::Exit]);
    // And one that goes down says it unasked.
    let mut machine = connected();
    receive(&mut machine, &[ServerMessage::Exit]);
    assert_eq!(events(&mut machine), [Event::Exit]);
}

#[test]
fn a_reply_without_a_request_is_an_error() {
    let mut machine = connected();
    receive(&mut machine, &[ServerMessage::Eot]);
    assert_eq!(machine.next_event().unwrap_err().kind, ErrorKind::Unsolicited);
}

#[test]
fn refused_logins_and_foreign_protocols() {
    let answer = |bytes: &[u8]| {
        let mut machine = ClientMachine::default();
        machine.login(&LoginRequest::default()).unwrap();
        machine.receive(bytes);
        (machine.next_event(), machine.is_closed())
    };
    let mut reject = Vec::new();
    LoginReply {
        kind: ReplyKind::Reject,
        svcerror: -951,
        messages: vec!["user@host".into()],
        ..LoginReply::default()
    }
    .encode(&mut reject)
    .unwrap();
    let (event, closed) = answer(&reject);
    let Ok(Some(Event::Login(reply))) = event else {
        panic!("{event:?}")
    };
    assert!(closed && !reply.accepted());
    assert_eq!(
        (reply.svcerror, &reply.messages[..]),
        (-951, &["user@host".into()][..])
    );
    // A redirect is recognised.
    let (event, closed) = answer(&[0, 8, 13, 0x3c, 0, 0, 0, 0]);
    assert!(closed && matches!(event, Ok(Some(Event::Login(reply))) if reply.kind == ReplyKind::Redirect));
    for (bytes, name) in [
        (&b"HTTP/1.1 400 Bad Request\r\n"[..], "HTTP"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "TLS"),
        (b"\x15\x03\x03\x00\x02\x02\x0a", "TLS"),
        (b"SSH-2.0-OpenSSH\r\n", "SSH"),
        (b"\x00\x10\xd0\x02", "DRDA"),
        (b"garbage", "no login reply"),
        (b"\x00\x00\x00\x00", "no login reply"),
    ] {
        let (event, _) = answer(bytes);
        assert_eq!(event.unwrap_err().kind, ErrorKind::NotSqli(name));
    }
    // On the other side: a browser, a TLS client, a DRDA client, noise; also byte by byte.
    for (bytes, name) in [
        (&b"GET / HTTP/1.1\r\n"[..], "HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS"),
        (b"\x00\x50\xd0\x01\x00\x01", "DRDA"),
        (b"SSH-2.0-client", "SSH"),
        (
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
            "neither form of a login request",
        ),
    ] {
        let mut decoder = RequestDecoder::default();
        let error = bytes.iter().find_map(|byte| {
            decoder.receive(&[*byte]);
            decoder.next_request().err()
        });
        assert_eq!(error.map(|error| error.kind), Some(ErrorKind::NotSqli(name)));
    }
    // A login that is as long as a TLS hello begins is a login.
    let mut login = Vec::new();
    let mut request = LoginRequest::default();
    request.encode(&mut login).unwrap();
    // Name and value each have a length word and a NUL.
    let filler = 0x1603 - login.len() - (2 + 1 + 1) - (2 + 1);
    request.environment.push(("X".into(), "y".repeat(filler).into()));
    login.clear();
    request.encode(&mut login).unwrap();
    assert_eq!(login[..3], [0x16, 0x03, 0x01]);
    let mut decoder = RequestDecoder::default();
    decoder.receive(&login);
    assert!(matches!(decoder.next_request(), Ok(Some(Request::Login(_)))));
}

#[test]
fn batches_own_their_rows() {
    let mut machine = connected();
    let group = execute(&mut machine);
    // Small runs are copied, large ones take the receive buffer with them: both must survive later reads.
    let mut kept = Vec::new();
    let mut expected = Vec::new();
    for round in 0..40usize {
        let sizes: Vec<usize> = (0..(round * 7) % 50 + 1)
            .map(|i| (i * 97 + round) % 900)
            .collect();
        let messages: Vec<ServerMessage> = sizes.iter().map(|size| tuple(*size)).collect();
        receive(&mut machine, &messages);
        receive(&mut machine, &[ServerMessage::Cost(Cost::default())]);
        expected.extend(sizes);
        for event in events(&mut machine) {
            if let Event::Rows { rows, group: of } = event {
                assert_eq!(of, group);
                assert!(rows.capacity() < 1 << 20);
                kept.push(rows);
            }
        }
        if round % 3 == 0
            && let Some(batch) = kept.pop()
        {
            expected.truncate(expected.len() - batch.len());
            machine.recycle(batch);
        }
    }
    let rows: Vec<&[u8]> = kept.iter().flat_map(RowBatch::iter).collect();
    assert_eq!(rows.iter().map(|row| row.len()).collect::<Vec<_>>(), expected);
    assert!(
        rows.iter()
            .all(|row| row.iter().enumerate().all(|(i, byte)| *byte == i as u8))
    );
    assert!(kept[0].row(kept[0].len()).is_none());
}

/// Messages of a reply, whatever events they came in.
fn messages(events: Vec<Event>) -> Vec<ServerMessage> {
    let messages = events.into_iter().flat_map(|event| match event {
        Event::Message { message, .. } => vec![message],
        Event::Completions { completions, .. } => {
            completions.into_iter().flat_map(|c| c.messages()).collect()
        }
        Event::End { .. } => vec![ServerMessage::Eot],
        other => panic!("{other:?}"),
    });
    messages.collect()
}

/// Completions of every form, with something else among them: cut anywhere, they are the messages that were sent.
#[test]
fn runs_of_completions_lose_nothing() {
    let insert = |n: i64| {
        ServerMessage::InsertDone(InsertDone {
            serial8: n,
            bigserial: -n,
        })
    };
    let done = |n: i32| {
        ServerMessage::Done(Done {
            warnings: n as u16,
            rows: n,
            rowid: n << 8,
            serial: n + 1,
        })
    };
    let cost = |n: i32| ServerMessage::Cost(Cost { rows: n, cost: n * 2 });
    let error = ServerMessage::Err(SqlErr {
        sqlcode: -239,
        isamcode: -100,
        ..SqlErr::default()
    });
    let mut sent: Vec<ServerMessage> = (1..5)
        .flat_map(|n| [insert(n.into()), done(n), cost(n)])
        .collect();
    sent.extend((5..8).flat_map(|n| [done(n), cost(n)]));
    sent.extend([
        insert(i64::MAX),
        insert(0),
        done(8),
        done(9),
        insert(9),
        done(i32::MIN),
    ]);
    sent.extend([
        cost(3),
        cost(4),
        insert(5),
        error,
        insert(6),
        done(10),
        cost(10),
        ServerMessage::Eot,
    ]);
    let mut bytes = Vec::new();
    for message in &sent {
        message.encode(&mut bytes, &negotiated()).unwrap();
    }
    for cut in 0..=bytes.len() {
        let mut machine = connected();
        let group = execute(&mut machine);
        machine.receive(&bytes[..cut]);
        let mut seen = events(&mut machine);
        machine.receive(&bytes[cut..]);
        seen.extend(events(&mut machine));
        if cut == 0 {
            assert!(
                matches!(&seen[0], Event::Completions { group: of, completions } if *of == group && completions.len() == 7)
            );
        }
        assert_eq!(messages(seen), sent, "cut at {cut}");
        assert!(machine.is_idle());
        let mut machine = connected();
        let group = execute(&mut machine);
        machine.receive(&bytes[..cut]);
        machine.discard(group);
        while machine.next_event().unwrap().is_some() {}
        machine.receive(&bytes[cut..]);
        assert!(events(&mut machine).is_empty(), "discarded, cut at {cut}");
        assert!(machine.is_idle());
    }
}

/// A completion that cannot be one breaks the machine, also behind good ones.
#[test]
fn a_bad_completion_is_told() {
    let mut machine = connected();
    execute(&mut machine);
    let done = ServerMessage::Done(Done::default());
    receive(&mut machine, &[done.clone(), done.clone(), done]);
    // INSERTDONE with a magnitude beyond 63 bits.
    machine.receive(&[&[0, 94, 0, 1][..], &[0xff; 8], &[0; 8], &[0, 15]].concat());
    let found = machine.next_event();
    assert!(matches!(found, Ok(Some(Event::Completions { completions, .. })) if completions.len() == 3));
    let error = machine.next_event().unwrap_err();
    assert_eq!(error.tag, Some(94));
    assert!(matches!(error.kind, ErrorKind::Invalid { .. }), "{error}");
}

#[test]
fn a_large_row_arrives_in_pieces_without_decoding_each_time() {
    let mut machine = connected();
    execute(&mut machine);
    let mut bytes = Vec::new();
    tuple(3_000_000).encode(&mut bytes, &negotiated()).unwrap();
    machine.receive(&bytes[..8]);
    assert_eq!(machine.next_event(), Ok(None));
    assert_eq!(machine.bytes_needed(), 3_000_000);
    machine.receive(&bytes[8..2_000_000]);
    assert_eq!(machine.next_event(), Ok(None));
    assert_eq!(machine.bytes_needed(), 3_000_008 - 2_000_000);
    machine.receive(&bytes[2_000_000..]);
    let Ok(Some(Event::Rows { rows, .. })) = machine.next_event() else {
        panic!()
    };
    assert_eq!(rows.row(0).unwrap().len(), 3_000_000);
}

#[test]
fn an_announced_length_reserves_nothing() {
    let mut machine = connected();
    execute(&mut machine);
    // A row of 200 MB is announced; ten bytes of it come.
    machine.receive(&[0, 14, 0, 0, 0x0b, 0xeb, 0xc2, 0x00]);
    machine.receive(&[0; 10]);
    assert_eq!(machine.next_event(), Ok(None));
    assert!(machine.spare().len() < 1 << 20);
    assert_eq!(machine.bytes_needed(), 0x0beb_c200 - 10);
}

#[test]
fn a_list_without_an_end_is_cut_off() {
    let limits = Limits {
        message: 10_000,
        ..Limits::default()
    };
    let mut decoder = RequestDecoder::new(limits);
    let mut login = Vec::new();
    LoginRequest::default().encode(&mut login).unwrap();
    decoder.receive(&login);
    assert!(decoder.next_request().unwrap().is_some());
    decoder.receive(&[0, 81]);
    let mut sent = 0;
    let error = loop {
        // SQ_INFO blocks of an unknown kind, for ever.
        decoder.receive(&[&[0, 9, 0, 100], &[7; 100][..]].concat());
        sent += 104;
        match decoder.next_request() {
            Ok(None) => assert!(sent < 20_000),
            other => break other.unwrap_err(),
        }
    };
    assert!(
        matches!(error.kind, ErrorKind::TooLong { field: "message", .. }),
        "{error}"
    );
}

#[test]
fn groups_are_built_in_place() {
    let mut machine = connected();
    let mut group = machine.group();
    assert!(group.is_empty());
    group.statement(3);
    let failed = group.bind_with(1, |out| {
        out.extend_from_slice(&[1, 2, 3]);
        Err(EncodeError {
            field: "test",
            length: 1,
            limit: 0,
        })
    });
    assert!(failed.is_err());
    assert_eq!(group.len(), 4, "a failed bind leaves no trace");
    group
        .bind_with::<EncodeError>(1, |out| {
            out.extend_from_slice(&[0, 2, 0, 0, 0x0a, 0, 0, 0, 0, 40]);
            Ok(())
        })
        .unwrap();
    group.blobs([&b"hello"[..]].into_iter()).unwrap();
    group.push(&ClientMessage::Execute).unwrap();
    machine.submit(group).unwrap();
    assert_eq!(
        written(&mut machine),
        "00040003 00050001 000200000a0000000028 00290001 0027000568656c6c6f00 00270000 0007 000c"
            .replace(' ', "")
    );
}
