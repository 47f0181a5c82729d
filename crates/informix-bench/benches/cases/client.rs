//! Whole operations of the client against a replay server in another process.

use std::hint::black_box;
use std::net::SocketAddr;

use anyhow::{Result, ensure};
use informix::blocking::{self, connect};
use informix::{Date, Decimal, RowRef, Value};
use informix_bench::replay::rows;

use super::{Case, Work};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "select_one_row",
        unit: "SELECT of one row, blocking",
        count: 200,
        prepare: select_one_row,
    },
    Case {
        name: "select_one_row_tokio",
        unit: "SELECT of one row, tokio",
        count: 200,
        prepare: select_one_row_tokio,
    },
    Case {
        name: "typed_rows",
        unit: "row of 5 columns fetched into Rust types",
        count: 10_000,
        prepare: typed_rows,
    },
    Case {
        name: "typed_refs",
        unit: "row of 5 columns read into Rust types where it lies",
        count: 10_000,
        prepare: typed_refs,
    },
    Case {
        name: "typed_options",
        unit: "row of 5 columns read where it lies into Rust types that may be NULL",
        count: 10_000,
        prepare: typed_options,
    },
    Case {
        name: "batch_insert",
        unit: "row of 5 parameters in a batch",
        count: 5_000,
        prepare: batch_insert,
    },
];

fn url(address: SocketAddr) -> String {
    format!("informix://informix:in4mix@{address}/testdb")
}

fn client(address: SocketAddr) -> Result<blocking::Connection> {
    Ok(connect(&url(address))?)
}

const ONE_ROW: &str = "SELECT * FROM bench_1000 WHERE id = ?";

fn select_one_row(address: SocketAddr) -> Result<Work> {
    let client = client(address)?;
    Ok(Box::new(move |count| {
        for id in 0..count {
            let row = client.query_one(ONE_ROW, (black_box((id % 1000) as i32),))?;
            ensure!(row.get::<i32>(0)? == (id % 1000) as i32);
        }
        Ok(())
    }))
}

fn select_one_row_tokio(address: SocketAddr) -> Result<Work> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let client = runtime.block_on(informix::aio::connect(&url(address)))?;
    Ok(Box::new(move |count| {
        runtime.block_on(async {
            for id in 0..count {
                let row = client
                    .query_one(ONE_ROW, (black_box((id % 1000) as i32),))
                    .await?;
                ensure!(row.get::<i32>(0)? == (id % 1000) as i32);
            }
            Ok(())
        })
    }))
}

fn typed_rows(address: SocketAddr) -> Result<Work> {
    let client = client(address)?;
    Ok(Box::new(move |count| {
        let mut rows = client.query(&format!("SELECT * FROM bench_{count}"), ())?;
        let mut seen = 0;
        while let Some(row) = rows.next_row()? {
            black_box(typed(row.as_ref())?);
            seen += 1;
        }
        ensure!(seen == count);
        Ok(())
    }))
}

fn typed_refs(address: SocketAddr) -> Result<Work> {
    each_ref(address, |row| typed(row).map(|row| _ = black_box(row)))
}

fn typed_options(address: SocketAddr) -> Result<Work> {
    each_ref(address, |row| optional(row).map(|row| _ = black_box(row)))
}

fn each_ref(address: SocketAddr, read: fn(RowRef<'_>) -> informix::Result<()>) -> Result<Work> {
    let client = client(address)?;
    Ok(Box::new(move |count| {
        let mut rows = client.query(&format!("SELECT * FROM bench_{count}"), ())?;
        let mut seen = 0;
        rows.for_each_ref(|row| {
            seen += 1;
            read(row)
        })?;
        ensure!(seen == count);
        Ok(())
    }))
}

fn typed(row: RowRef<'_>) -> informix::Result<(i32, &str, f64, Decimal, Date)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

type Optional<'a> = (
    Option<i32>,
    Option<&'a str>,
    Option<f64>,
    Option<Decimal>,
    Option<Date>,
);

fn optional(row: RowRef<'_>) -> informix::Result<Optional<'_>> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

/// Rows of the longest run.
const BATCH_ROWS: usize = 15_000;

fn batch_insert(address: SocketAddr) -> Result<Work> {
    let client = client(address)?;
    // The replay server compares them with these.
    let values: Vec<[Value; 5]> = (0..BATCH_ROWS)
        .map(rows::values)
        .collect::<informix::types::Result<_>>()?;
    Ok(Box::new(move |count| {
        client.execute("DELETE FROM bench_in", ())?;
        let rows = values.iter().take(count);
        black_box(client.execute_batch("INSERT INTO bench_in VALUES (?, ?, ?, ?, ?)", rows)?);
        Ok(())
    }))
}
