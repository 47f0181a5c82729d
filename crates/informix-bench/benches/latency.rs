//! Latency of a one-row SELECT beside the bare exchange of its bytes: `cargo bench -p informix-bench --bench latency [-- --json]`.
//!
//! All three clients talk to one replay server in a process of its own. The bare one sends what the blocking client was seen to
//! send and reads as many bytes as came back: the difference is the client. `taskset` on the whole run keeps the clients and the
//! server on one processor, where the time of a round trip is the work of both and no wake-up across processors.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use informix::blocking::connect;
use informix_bench::bare::{self, Bare, Turn};

const SQL: &str = "SELECT * FROM bench_1000 WHERE id = ?";
/// Of each client; the first round does not count.
const ROUNDS: usize = 12;
const SELECTS: i32 = 1000;

/// The replay server.
struct Server(Child, SocketAddr);

impl Server {
    fn start() -> Result<Self> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_informix-bench"))
            .arg("replay")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("listening on ")
            .context("no address")?
            .parse()?;
        Ok(Self(child, address))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn url(address: SocketAddr) -> String {
    format!("informix://informix:in4mix@{address}/testdb")
}

/// The turns of a connection that does a few SELECTs; the last one is a SELECT.
fn record(server: SocketAddr) -> Result<Vec<Turn>> {
    bare::record(server, |relay| {
        let client = connect(&url(relay))?;
        for id in 0..20 {
            client.query_one(SQL, (id,))?;
        }
        Ok(client)
    })
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed() / SELECTS.unsigned_abs())
}

fn main() -> Result<()> {
    let json = std::env::args().any(|a| a == "--json");
    let server = Server::start()?;
    let turns = record(server.1)?;
    let mut bare = Bare::open(server.1, &turns)?;
    let blocking = connect(&url(server.1))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let tokio = runtime.block_on(informix::aio::connect(&url(server.1)))?;
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..ROUNDS {
        let one = [
            timed(|| (0..SELECTS).try_for_each(|_| bare.exchange()))?,
            timed(|| {
                (0..SELECTS).try_for_each(|id| {
                    ensure!(blocking.query_one(SQL, (id % 1000,))?.get::<i32>(0)? == id % 1000);
                    Ok(())
                })
            })?,
            timed(|| {
                runtime.block_on(async {
                    for id in 0..SELECTS {
                        ensure!(tokio.query_one(SQL, (id % 1000,)).await?.get::<i32>(0)? == id % 1000);
                    }
                    Ok(())
                })
            })?,
        ];
        if round > 0 {
            for (all, time) in times.iter_mut().zip(one) {
                all.push(time);
            }
        }
    }
    let medians = times.map(|mut all| {
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e6
    });
    let [bare_us, blocking_us, tokio_us] = medians;
    if json {
        println!(
            "{{\"bare_us\": {bare_us:.2}, \"blocking_us\": {blocking_us:.2}, \"tokio_us\": {tokio_us:.2}}}"
        );
        return Ok(());
    }
    let (out, back) = bare.sizes();
    println!("{out} bytes out, {back} bytes back, one round trip");
    for (name, us) in ["bare socket", "blocking", "tokio"].iter().zip(medians) {
        println!("{name:<12} {us:>7.2} µs  {:>5.2}", us / bare_us);
    }
    Ok(())
}
