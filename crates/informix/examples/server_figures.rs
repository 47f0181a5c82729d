//! What the embedded server costs: CPU time of a repeated one-row SELECT beside that of SQLite alone, rows per second of a large
//! SELECT, and CPU time of changes of many rows in one transaction. Linux only (`/proc`). Run with `cargo run --release -p informix --example server_figures`.

use std::time::{Duration, Instant};

use informix::blocking::Connection;
use informix_devserver::DevServer;

const REPEATS: u32 = 50_000;
const ROWS: i32 = 1_000_000;
const CHANGES: i32 = 100_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let server = DevServer::start()?;
    let c = Connection::connect(server.url().parse()?)?;
    c.execute("create table one (n integer primary key, t varchar(40))", ())?;
    c.execute_batch(
        "insert into one values (?, ?)",
        (0..1000).map(|n| (n, format!("text number {n}"))),
    )?;

    let statement = c.prepare("select n, t from one where n = ?")?;
    let run = |n: u32| -> Result<(), Failure> {
        let row = statement.query_one((i32::try_from(n % 1000)?,))?;
        assert_eq!(row.get::<u32>(0)?, n % 1000);
        Ok(())
    };
    (0..1000).try_for_each(run)?;
    let (before, begun) = (server_cpu()?, Instant::now());
    (0..REPEATS).try_for_each(run)?;
    let (cpu, wall) = ((server_cpu()? - before) / REPEATS, begun.elapsed() / REPEATS);
    let sqlite = sqlite_alone()?;
    println!(
        "one-row SELECT, {REPEATS} times: server CPU {cpu:?}, of which in SQLite {sqlite:?}; round trip {wall:?}"
    );

    c.execute(
        "create table large (a integer, b bigint, c varchar(20), d date, e decimal(12,2))",
        (),
    )?;
    c.execute_batch(
        "insert into large values (?, ?, ?, ?, ?)",
        (0..ROWS).map(|n| {
            (
                n,
                i64::from(n) * 1_000_003,
                format!("row {n}"),
                informix::Date::EPOCH,
                n,
            )
        }),
    )?;
    for _ in 0..3 {
        let (before, begun) = (server_cpu()?, Instant::now());
        let mut rows = 0;
        for row in c.query("select a, b, c, d, e from large", ())? {
            row?;
            rows += 1;
        }
        assert_eq!(rows, ROWS);
        let (wall, cpu) = (begun.elapsed(), server_cpu()? - before);
        let rate = |time: Duration| f64::from(ROWS) / time.as_secs_f64() / 1e6;
        println!(
            "large SELECT, {ROWS} rows of 5 columns: {:.2} million rows/s, {:.2} million per second of server CPU",
            rate(wall),
            rate(cpu)
        );
    }
    changes(&c)
}

/// What the changes of many rows in one transaction cost.
fn changes(c: &Connection) -> Result<(), Failure> {
    c.execute("create table changed (n integer primary key, t varchar(40))", ())?;
    c.execute("begin work", ())?;
    let cost = |what: &str, change: &dyn Fn() -> Result<(), Failure>| -> Result<(), Failure> {
        let (before, begun) = (server_cpu()?, Instant::now());
        change()?;
        let (cpu, wall) = ((server_cpu()? - before), begun.elapsed());
        println!("{what} {CHANGES} rows in a transaction: server CPU {cpu:?}, {wall:?} in all");
        Ok(())
    };
    cost("INSERT (executemany) of", &|| {
        let rows = (0..CHANGES).map(|n| (n, format!("text number {n}")));
        c.execute_batch("insert into changed values (?, ?)", rows)?;
        Ok(())
    })?;
    for (what, sql) in [
        ("UPDATE of", "update changed set t = 'changed'"),
        ("DELETE of", "delete from changed where n >= 0"),
    ] {
        cost(what, &|| {
            c.execute(sql, ())?;
            Ok(())
        })?;
    }
    cost("COMMIT after", &|| {
        c.execute("commit work", ())?;
        Ok(())
    })
}

/// CPU time of the server's connection threads.
fn server_cpu() -> Result<Duration, Failure> {
    let mut total = 0;
    for task in std::fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if std::fs::read_to_string(task.join("comm"))?.starts_with("ifx-connection") {
            let times = std::fs::read_to_string(task.join("schedstat"))?;
            total += times.split_whitespace().next().unwrap_or("0").parse::<u64>()?;
        }
    }
    Ok(Duration::from_nanos(total))
}

/// CPU time of the same query in SQLite, from a prepared statement.
fn sqlite_alone() -> Result<Duration, Failure> {
    let directory = tempfile::tempdir()?;
    let db = rusqlite::Connection::open(directory.path().join("one.db"))?;
    db.execute_batch("pragma journal_mode = wal; create table one (n integer primary key, t text)")?;
    for n in 0..1000 {
        db.execute("insert into one values (?1, ?2)", (n, format!("text number {n}")))?;
    }
    let mut statement = db.prepare("select n, t from one where n = ?1")?;
    let own = |what: &str| -> Result<u64, Failure> {
        let times = std::fs::read_to_string(format!("/proc/thread-self/{what}"))?;
        Ok(times.split_whitespace().next().unwrap_or("0").parse()?)
    };
    let before = own("schedstat")?;
    for n in 0..REPEATS {
        let (_, text): (u32, String) =
            statement.query_row((n % 1000,), |row| Ok((row.get(0)?, row.get(1)?)))?;
        assert!(text.starts_with("text"));
    }
    Ok(Duration::from_nanos(own("schedstat")? - before) / REPEATS)
}
