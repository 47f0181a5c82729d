//! The readers of both faces against the embedded server: places, batches, and back again.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{RecordBatch, RecordBatchReader};
use informix::BatchOptions;
use informix_arrow::{ArrowRows, Options};
use informix_devserver::DevServer;

type Failure = Box<dyn std::error::Error>;

const SQL: &str = "select n, name from numbers order by n";

fn numbers(batch: &RecordBatch) -> Vec<i32> {
    batch.column(0).as_primitive::<Int32Type>().values().to_vec()
}

fn options() -> Options {
    Options {
        rows: 400,
        ..Options::default()
    }
}

#[test]
fn blocking() -> Result<(), Failure> {
    let server = DevServer::start()?;
    let db = informix::blocking::connect(&server.url())?;
    db.execute(
        "create temp table numbers (n integer not null, name varchar(20))",
        (),
    )?;
    db.execute_batch(
        "insert into numbers values (?, ?)",
        (0..1000).map(|n| (n, format!("number {n}"))),
    )?;

    let mut rows = db.query(SQL, ())?;
    assert_eq!(rows.next_row()?.ok_or("a row")?.get::<i32>(0)?, 0);
    let batches: Vec<_> =
        informix_arrow::blocking::Batches::new(&mut rows, &options())?.collect::<informix::Result<_>>()?;
    assert_eq!(
        batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(),
        [400, 400, 199]
    );
    assert_eq!(
        batches.iter().flat_map(numbers).collect::<Vec<_>>(),
        (1..1000).collect::<Vec<_>>()
    );
    assert!(rows.next_row()?.is_none());

    // Rows that were not taken are still there.
    let mut rows = db.query(SQL, ())?;
    let first = informix_arrow::blocking::Batches::new(&mut rows, &options())?.next_batch()?;
    assert_eq!(first.map(|batch| batch.num_rows()), Some(400));
    assert_eq!(rows.next_row()?.ok_or("a row")?.get::<i32>(0)?, 400);

    let mut rows = db.query(SQL, ())?;
    let reader = informix_arrow::blocking::Batches::new(&mut rows, &options())?.into_reader();
    assert!(!reader.schema().field(0).is_nullable() && reader.schema().field(1).is_nullable());

    let copy = db.prepare("insert into numbers values (?, ?)")?;
    for batch in &batches {
        let outcome = copy.execute_rows(ArrowRows::new(batch)?, BatchOptions::default())?;
        assert_eq!(outcome.rows_affected(), batch.num_rows() as u64);
    }
    assert_eq!(
        db.query_one("select count(*) from numbers where name = 'number 7'", ())?
            .get::<i64>(0)?,
        2
    );
    Ok(())
}

#[tokio::test]
async fn tokio() -> Result<(), Failure> {
    let server = DevServer::start()?;
    let db = informix::aio::connect(&server.url()).await?;
    db.execute("create temp table numbers (n integer, name varchar(20))", ())
        .await?;
    db.execute_batch(
        "insert into numbers values (?, ?)",
        (0..1000).map(|n| (n, format!("number {n}"))),
    )
    .await?;
    let mut rows = db.query(SQL, ()).await?;
    let mut batches = informix_arrow::aio::Batches::new(&mut rows, &options())?;
    let mut read = Vec::new();
    while let Some(batch) = batches.next_batch().await? {
        read.extend(numbers(&batch));
    }
    assert_eq!(read, (0..1000).collect::<Vec<_>>());
    assert!(batches.next_batch().await?.is_none());

    let mut rows = db
        .query("select 10 / (900 - n), name::char(200) from numbers", ())
        .await?;
    let mut batches = informix_arrow::aio::Batches::new(&mut rows, &options())?;
    let failed = loop {
        match batches.next_batch().await {
            Ok(Some(_)) => {}
            Ok(None) => return Err("no error".into()),
            Err(e) => break e,
        }
    };
    assert_eq!(failed.sqlcode(), -1202);
    assert!(batches.next_batch().await?.is_none());
    Ok(())
}
