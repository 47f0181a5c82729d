//! What the embedded server costs beside SQLite alone and beside the bare exchange of the same bytes:
//! `cargo bench -p informix-bench --bench server [-- NAME …]`, NAME being `select`, `changes` or `large`. Linux only (`/proc`).
//!
//! Figures are CPU time of the server's connection thread, kernel included. `taskset -c 0` on the whole run keeps client and
//! server on one processor.

mod alone;
mod cost;

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use informix::blocking::Connection;
use informix_bench::bare::{self, Bare, Turn};
use informix_bench::replay::rows;
use informix_devserver::DevServer;
use informix_types::Value;
use rusqlite::types::Value as Stored;

use alone::Alone;
use cost::Cost;

/// Threads of connections have names that begin so.
const SERVER: &str = "ifx-connection";
/// One-row SELECTs of a run.
const SELECTS: u32 = 20_000;
const SELECT: &str = "SELECT id, name FROM one WHERE id = ?";
/// Rows of a batch.
const BATCH: usize = 10_000;
/// Rows of a large SELECT.
const LARGE: [usize; 2] = [100_000, 1_000_000];
/// Runs of each; the best counts, as everything else on the machine only makes it slower.
const RUNS: usize = 5;
const COLUMNS: &str = "id INTEGER, name CHAR(20), ratio FLOAT, amount DECIMAL(16,2), since DATE";

fn main() -> Result<()> {
    // cargo itself passes `--bench`.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if is_wanted("select") {
        select()?;
    }
    if is_wanted("changes") {
        changes()?;
    }
    if is_wanted("large") {
        large()?;
    }
    Ok(())
}

/// The key of the n-th SELECT.
fn key(n: u32) -> u32 {
    n % 1000
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The run with the least CPU time.
fn best<T>(mut run: impl FnMut() -> Result<T>, cpu: impl Fn(&T) -> Duration) -> Result<T> {
    let mut runs = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>>>()?;
    runs.sort_by_key(|run| cpu(run));
    runs.into_iter().next().context("no runs")
}

/// A repeated one-row SELECT: the server, SQLite alone, and a thread that exchanges the same bytes.
fn select() -> Result<()> {
    let server = DevServer::start()?;
    let client = Connection::connect(server.url().parse()?)?;
    client.execute("CREATE TABLE one (id INTEGER PRIMARY KEY, name VARCHAR(40))", ())?;
    client.execute_batch(
        "INSERT INTO one VALUES (?, ?)",
        (0..1000).map(|n| (n, format!("text number {n}"))),
    )?;
    let url = server.url();
    let turns = bare::record(server.address(), |relay| {
        let url = url.replace(&server.address().to_string(), &relay.to_string());
        let client = Connection::connect(url.parse()?)?;
        for n in 0..20 {
            client.query_one(SELECT, (n,))?;
        }
        Ok(client)
    })?;
    let mut bare = Bare::open(server.address(), &turns)?;
    let sizes = bare.sizes();
    let statement = client.prepare(SELECT)?;
    report("embedded server, our client", SERVER, |n| {
        let n = key(n);
        ensure!(statement.query_one((n,))?.get::<u32>(0)? == n);
        Ok(())
    })?;
    report("embedded server, bare client", SERVER, |_| bare.exchange())?;
    let last = turns.last().context("no turns")?;
    let mut bare = echo("echo", last, || Ok(()))?;
    report("bare echo, bare client", "echo", |_| bare.exchange())?;
    let alone = Alone::new()?;
    alone.fill(1000)?;
    let mut bare = echo("sqlite", last, move || alone.select(0))?;
    report("echo with SQLite, bare client", "sqlite", |_| bare.exchange())?;
    let sqlite = best(|| Alone::new()?.selects(), |cpu| *cpu)?;
    println!(
        "SELECT of one row: SQLite alone, in a loop {:.2} µs",
        micros(sqlite)
    );
    println!("({} bytes out, {} bytes back)", sizes.0, sizes.1);
    Ok(())
}

/// A client of a thread of that name, which does `work` and answers with as many bytes as the server did.
fn echo(name: &str, turn: &Turn, work: impl FnMut() -> Result<()> + Send + 'static) -> Result<Bare> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let sizes = (turn.0.len(), turn.1);
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || bare::echo(&listener, sizes, work))?;
    Bare::open(address, std::slice::from_ref(turn))
}

fn report(what: &str, threads: &str, mut exchange: impl FnMut(u32) -> Result<()>) -> Result<()> {
    (0..1000).try_for_each(&mut exchange)?;
    let mut times = Vec::new();
    let run = || {
        let before = Cost::of_threads(threads)?;
        for n in 0..SELECTS {
            let begun = Instant::now();
            exchange(n)?;
            times.push(begun.elapsed());
        }
        Ok(Cost::of_threads(threads)? - before)
    };
    let cost = best(run, |cost| cost.cpu)?;
    times.sort_unstable();
    let percentile = |per_mille: usize| {
        times
            .get(times.len() * per_mille / 1000)
            .map_or(0.0, |t| micros(*t))
    };
    let per = |count: u64| count as f64 / f64::from(SELECTS);
    println!(
        "SELECT of one row: {what:<29} CPU {:6.2} µs, round trip p50 {:6.2}, p99 {:6.2}, p99.9 {:6.2} µs, {:.2} sleeps, {:.2} preemptions",
        micros(cost.cpu / SELECTS),
        percentile(500),
        percentile(990),
        percentile(999),
        per(cost.sleeps),
        per(cost.preemptions),
    );
    Ok(())
}

/// What is done to each row of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Insert,
    Update,
    Delete,
}

/// With what around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Transaction,
    Autocommit,
}

impl Change {
    fn sql(self) -> &'static str {
        match self {
            Self::Insert => "INSERT INTO t VALUES (?, ?, ?, ?, ?)",
            Self::Update => "UPDATE t SET name = ? WHERE id = ?",
            Self::Delete => "DELETE FROM t WHERE id = ?",
        }
    }

    /// Those of its parameters, from the values of a row.
    fn parameters<T>(self, row: &[T]) -> Vec<&T> {
        match self {
            Self::Insert => row.iter().collect(),
            Self::Update => row.iter().take(2).rev().collect(),
            Self::Delete => row.iter().take(1).collect(),
        }
    }
}

/// Many rows with one prepared statement.
fn changes() -> Result<()> {
    let values = (0..BATCH)
        .map(|n| Ok(rows::values(n)?.to_vec()))
        .collect::<Result<Vec<_>>>()?;
    let stored = values
        .iter()
        .map(|row| row.iter().map(stored).collect())
        .collect::<Result<Vec<_>>>()?;
    for change in [Change::Insert, Change::Update, Change::Delete] {
        for way in [Way::Transaction, Way::Autocommit] {
            let (cpu, wall) = best(|| changed(change, way, &values), |(cpu, _)| *cpu)?;
            let sqlite = best(|| Alone::new()?.change(change, way, &stored), |cpu| *cpu)?;
            println!(
                "{change:?} of {BATCH} rows, {way:?}: server CPU {:.2} µs per row, in all {:.2} µs; SQLite alone {:.2} µs; {:.2} times",
                micros(cpu),
                micros(wall),
                micros(sqlite),
                cpu.as_secs_f64() / sqlite.as_secs_f64()
            );
        }
    }
    Ok(())
}

/// Server CPU and time per row of a batch.
fn changed(change: Change, way: Way, values: &[Vec<Value>]) -> Result<(Duration, Duration)> {
    let server = DevServer::start()?;
    let client = Connection::connect(server.url().parse()?)?;
    let columns = match change {
        Change::Insert => COLUMNS.to_owned(),
        _ => COLUMNS.replace("id INTEGER", "id INTEGER PRIMARY KEY"),
    };
    client.execute(&format!("CREATE TABLE t ({columns})"), ())?;
    if change != Change::Insert {
        client.execute_batch(Change::Insert.sql(), values)?;
    }
    let statement = client.prepare(change.sql())?;
    let batch: Vec<Vec<&Value>> = values.iter().map(|row| change.parameters(row)).collect();
    let (before, begun) = (Cost::of_threads(SERVER)?, Instant::now());
    if way == Way::Transaction {
        client.execute("BEGIN WORK", ())?;
    }
    statement.execute_batch(batch)?;
    if way == Way::Transaction {
        client.execute("COMMIT WORK", ())?;
    }
    let wall = begun.elapsed();
    let cpu = (Cost::of_threads(SERVER)? - before).cpu;
    let count = u32::try_from(values.len())?;
    Ok((cpu / count, wall / count))
}

/// A value as the server stores it.
fn stored(value: &Value) -> Result<Stored> {
    Ok(match value {
        Value::Integer(n) => Stored::Integer(i64::from(*n)),
        Value::Text(text) => Stored::Text(text.clone()),
        Value::Float(n) => Stored::Real(*n),
        Value::Decimal(n) => Stored::Blob(n.to_packed_bytes()?),
        Value::Date(date) => Stored::Integer(i64::from(date.days())),
        other => anyhow::bail!("no stored form of {other:?} here"),
    })
}

/// Large results.
fn large() -> Result<()> {
    let server = DevServer::start()?;
    let client = Connection::connect(server.url().parse()?)?;
    for size in LARGE {
        client.execute(&format!("CREATE TABLE large_{size} ({COLUMNS})"), ())?;
        let values = (0..size).map(rows::values).collect::<Result<Vec<_>, _>>()?;
        client.execute_batch(
            &format!("INSERT INTO large_{size} VALUES (?, ?, ?, ?, ?)"),
            values,
        )?;
        let query = format!("SELECT id, name, ratio, amount, since FROM large_{size}");
        let run = || {
            let (before, begun) = (Cost::of_threads(SERVER)?, Instant::now());
            let mut found = 0;
            for row in client.query(query.as_str(), ())? {
                row?;
                found += 1;
            }
            ensure!(found == size, "{found} rows instead of {size}");
            Ok((Cost::of_threads(SERVER)? - before, begun.elapsed()))
        };
        let (cost, wall) = best(run, |(cost, _)| cost.cpu)?;
        let rate = |time: Duration| size as f64 / time.as_secs_f64() / 1e6;
        println!(
            "SELECT of {size} rows of 5 columns: {:.2} million rows/s, {:.2} million per second of server CPU",
            rate(wall),
            rate(cost.cpu)
        );
    }
    Ok(())
}
