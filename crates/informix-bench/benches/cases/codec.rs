//! Values and messages without a connection.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use informix_bench::replay::rows;
use informix_protocol::client::{ClientMachine, Event};
use informix_protocol::login::{LoginReply, LoginRequest};
use informix_protocol::message::{Cost, CursorName, Done, NFetch, Protocols, StatementId, put_tuple};
use informix_protocol::{Capabilities, ClientMessage, EncodeError, Limits, ServerMessage};
use informix_types::row::{RowForm, RowPlan, encode_value};
use informix_types::{ColumnType, DateTime, Interval, Qualifier, TextCodec, Value, bind};

use super::{Case, Work};

/// Rows that a case goes through again and again.
const ROWS: usize = 100;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "row_split",
        unit: "row of 5 columns, one of them VARCHAR",
        count: 10_000,
        prepare: |_| split(),
    },
    Case {
        name: "row_decode",
        unit: "row of INTEGER, CHAR(20), FLOAT, DECIMAL(16,2), DATE into values",
        count: 10_000,
        prepare: |_| {
            decode(&rows::columns().map(|(_, ty)| ty), |n| {
                Ok(rows::values(n)?.to_vec())
            })
        },
    },
    Case {
        name: "decode_integer",
        unit: "cell",
        count: 20_000,
        prepare: |_| decode(&[ColumnType::integer()], |n| Ok(vec![Value::Integer(n as i32)])),
    },
    Case {
        name: "decode_varchar",
        unit: "cell",
        count: 20_000,
        prepare: |_| {
            decode(&[ColumnType::varchar(40, 0)], |n| {
                Ok(vec![Value::Text(format!("text {n}"))])
            })
        },
    },
    Case {
        name: "decode_decimal",
        unit: "cell",
        count: 20_000,
        prepare: |_| {
            decode(&[ColumnType::decimal(16, Some(2))], |n| {
                Ok(vec![Value::Decimal(format!("{n}12345.67").parse()?)])
            })
        },
    },
    Case {
        name: "decode_datetime",
        unit: "cell DATETIME YEAR TO FRACTION(5)",
        count: 20_000,
        prepare: |_| {
            let qualifier: Qualifier = "YEAR TO FRACTION(5)".parse()?;
            decode(&[ColumnType::datetime(qualifier)], |n| {
                let text = format!("2026-11-30 12:34:{:02}.12345", n % 60);
                Ok(vec![Value::DateTime(DateTime::parse(
                    &text,
                    "YEAR TO FRACTION(5)".parse()?,
                )?)])
            })
        },
    },
    Case {
        name: "decode_interval",
        unit: "cell INTERVAL DAY(5) TO SECOND",
        count: 20_000,
        prepare: |_| {
            let qualifier: Qualifier = "DAY(5) TO SECOND".parse()?;
            decode(&[ColumnType::interval(qualifier)], |n| {
                Ok(vec![Value::Interval(Interval::parse(
                    &format!("{n} 12:34:56"),
                    "DAY(5) TO SECOND".parse()?,
                )?)])
            })
        },
    },
    Case {
        name: "bind_encode",
        unit: "row of 5 parameters",
        count: 10_000,
        prepare: |_| bind_encode(),
    },
    Case {
        name: "message_encode",
        unit: "group that opens a cursor and fetches",
        count: 10_000,
        prepare: |_| message_encode(),
    },
    Case {
        name: "machine_select",
        unit: "row of a SELECT's reply through the client machine",
        count: 20_000,
        prepare: |_| machine_select(),
    },
];

struct Failed(anyhow::Error);

impl From<EncodeError> for Failed {
    fn from(error: EncodeError) -> Self {
        Self(error.into())
    }
}

/// The payloads of rows.
fn payloads(columns: &[ColumnType], values: impl Fn(usize) -> Result<Vec<Value>>) -> Result<Vec<Vec<u8>>> {
    let codec = TextCodec::default();
    (0..ROWS)
        .map(|n| {
            let mut out = Vec::new();
            for (ty, value) in columns.iter().zip(values(n)?) {
                encode_value(ty, &value, RowForm::default(), &codec, &mut out)?;
            }
            Ok(out)
        })
        .collect()
}

fn split() -> Result<Work> {
    let mut columns = rows::columns().map(|(_, ty)| ty);
    if let Some(name) = columns.get_mut(1) {
        *name = ColumnType::varchar(20, 0);
    }
    let payloads = payloads(&columns, |n| Ok(rows::values(n)?.to_vec()))?;
    let plan = RowPlan::new(&columns, RowForm::default())?;
    let mut cells = Vec::new();
    Ok(Box::new(move |count| {
        for payload in payloads.iter().cycle().take(count) {
            cells.clear();
            plan.split(black_box(payload), &mut cells)?;
        }
        Ok(())
    }))
}

fn decode(columns: &[ColumnType], values: impl Fn(usize) -> Result<Vec<Value>>) -> Result<Work> {
    let payloads = payloads(columns, values)?;
    let plan = RowPlan::new(columns, RowForm::default())?;
    let codec = TextCodec::default();
    let mut cells = Vec::new();
    Ok(Box::new(move |count| {
        for payload in payloads.iter().cycle().take(count) {
            cells.clear();
            plan.split(black_box(payload), &mut cells)?;
            for (index, range) in cells.iter().enumerate() {
                let cell = payload.get(range.clone()).context("a cell outside of its row")?;
                black_box(plan.decode(index, cell)?.to_value(&codec)?);
            }
        }
        Ok(())
    }))
}

fn bind_encode() -> Result<Work> {
    let parameters: Vec<_> = (0..ROWS)
        .map(rows::values)
        .collect::<informix_types::Result<_>>()?;
    let codec = TextCodec::default();
    let mut out = Vec::new();
    Ok(Box::new(move |count| {
        for values in parameters.iter().cycle().take(count) {
            out.clear();
            for value in black_box(values) {
                bind::encode(value, None, &codec, &mut out)?;
            }
        }
        Ok(())
    }))
}

/// A machine that has logged in and knows the capabilities; nothing is in flight.
fn connected() -> Result<ClientMachine> {
    let mut machine = ClientMachine::new(Limits::default());
    machine.login(&LoginRequest::default())?;
    let mut reply = Vec::new();
    LoginReply::default().encode(&mut reply)?;
    machine.receive(&reply);
    ensure!(matches!(machine.next_event()?, Some(Event::Login(_))));
    machine.submit_messages(&[ClientMessage::Protocols(Protocols(Capabilities::JDBC))])?;
    let mut reply = Vec::new();
    for message in [
        ServerMessage::Protocols(Protocols(Capabilities::SERVER_15)),
        ServerMessage::Eot,
    ] {
        message.encode(&mut reply, &machine.negotiated())?;
    }
    machine.receive(&reply);
    while machine.next_event()?.is_some() {}
    machine.advance_output(usize::MAX);
    ensure!(machine.is_idle());
    Ok(machine)
}

fn select() -> [ClientMessage; 4] {
    [
        ClientMessage::Id(StatementId(1)),
        ClientMessage::CursorName(CursorName("c1".into())),
        ClientMessage::Open,
        ClientMessage::NFetch(NFetch {
            buffer: 32 << 10,
            array: 0,
        }),
    ]
}

fn message_encode() -> Result<Work> {
    let machine = connected()?;
    let messages = select();
    Ok(Box::new(move |count| {
        for _ in 0..count {
            let mut group = machine.group();
            for message in black_box(&messages) {
                group.push(message)?;
            }
            black_box(group);
        }
        Ok(())
    }))
}

fn machine_select() -> Result<Work> {
    let mut machine = connected()?;
    let columns = rows::columns().map(|(_, ty)| ty);
    let mut reply = Vec::new();
    for payload in payloads(&columns, |n| Ok(rows::values(n)?.to_vec()))? {
        put_tuple::<Failed>(&mut reply, 0, |out| {
            out.extend_from_slice(&payload);
            Ok(())
        })
        .map_err(|Failed(error)| error)?;
    }
    for message in [
        ServerMessage::Done(Done::default()),
        ServerMessage::Cost(Cost::default()),
        ServerMessage::Eot,
    ] {
        message.encode(&mut reply, &machine.negotiated())?;
    }
    let messages = select();
    Ok(Box::new(move |count| {
        let mut rows = 0;
        while rows < count {
            machine.submit_messages(&messages)?;
            machine.advance_output(usize::MAX);
            machine.receive(&reply);
            while let Some(event) = machine.next_event()? {
                if let Event::Rows { rows: batch, .. } = event {
                    rows += batch.len();
                    machine.recycle(black_box(batch));
                }
            }
            ensure!(machine.is_idle());
        }
        Ok(())
    }))
}
