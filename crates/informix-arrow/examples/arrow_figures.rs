//! What it costs to turn rows into Arrow: `cargo run --release -p informix-arrow --example arrow_figures`.
//!
//! 100 000 rows of (INTEGER, CHAR(20), FLOAT, DECIMAL(16,2), DATE) from the embedded server, then each column alone. Only the time
//! inside of the builder is counted; the best of ten rounds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use informix::blocking::Connection;
use informix_arrow::{BatchBuilder, Options};

const ROWS: i32 = 100_000;
const ROUNDS: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = informix_devserver::DevServer::start()?;
    let db = informix::blocking::connect(&server.url())?;
    db.execute(
        "create temp table r (i integer, c char(20), f float, d decimal(16,2), t date, s datetime year to fraction(3), v varchar(40))",
        (),
    )?;
    let rows = (0..ROWS).map(|n| {
        let amount = format!("{}.{:02}", i64::from(n) * 12_345, n % 100);
        let day = format!("{}-05-{:02}", 1950 + n % 100, 1 + n % 28);
        let at = format!("{day} 10:20:{:02}.{:03}", n % 60, n % 1000);
        (
            n,
            format!("row number {n}"),
            f64::from(n) / 7.0,
            amount,
            day,
            at,
            format!("some text {n}"),
        )
    });
    db.execute_batch("insert into r values (?, ?, ?, ?, ?, ?, ?)", rows)?;
    for columns in ["i, c, f, d, t", "i", "c", "f", "d", "t", "s", "v"] {
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            best = best.min(building(&db, &format!("select {columns} from r"))?);
        }
        println!(
            "{columns:<14} {:6.1} ns per row",
            best.as_nanos() as f64 / f64::from(ROWS)
        );
    }
    Ok(())
}

/// Time inside of the builder for all rows of a query.
fn building(db: &Connection, sql: &str) -> informix::Result<Duration> {
    let mut rows = db.query(sql, ())?;
    let columns = Arc::new(rows.columns().clone());
    let mut builder = BatchBuilder::new(&columns, rows.codec(), &Options::default())?;
    let mut spent = Duration::ZERO;
    while let Some(raw) = rows.next_raw(usize::MAX)? {
        let start = Instant::now();
        builder.append(&raw)?;
        spent += start.elapsed();
    }
    let start = Instant::now();
    while builder.rest()?.is_some() {}
    Ok(spent + start.elapsed())
}
