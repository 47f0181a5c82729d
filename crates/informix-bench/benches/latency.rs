//! Latency of a one-row SELECT beside the bare exchange of its bytes: `cargo bench -p informix-bench --bench latency [-- --json]`.
//!
//! All three clients talk to one replay server in a process of its own. The bare one sends what the blocking client was seen to
//! send and reads as many bytes as came back: the difference is the client. `taskset` on the whole run keeps the clients and the
//! server on one processor, where the time of a round trip is the work of both and no wake-up across processors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use informix::blocking::connect;

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

/// What a client sends at once, and how many bytes come back.
type Turns = Arc<Mutex<Vec<(Vec<u8>, usize)>>>;

fn copy(mut from: TcpStream, mut to: TcpStream, turns: &Turns, is_request: bool) -> Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let n = from.read(&mut bytes)?;
        let Some(part) = bytes.get(..n).filter(|part| !part.is_empty()) else {
            return Ok(());
        };
        if let Ok(mut turns) = turns.lock() {
            match turns.last_mut() {
                Some((request, 0)) if is_request => request.extend_from_slice(part),
                Some((_, reply)) if !is_request => *reply += n,
                _ => turns.push((part.to_vec(), 0)),
            }
        }
        to.write_all(part)?;
    }
}

/// The turns of a connection that does a few SELECTs; the last one is a SELECT.
fn record(server: SocketAddr) -> Result<Vec<(Vec<u8>, usize)>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let relay = listener.local_addr()?;
    let turns = Turns::default();
    std::thread::scope(|scope| {
        let recording = scope.spawn(|| -> Result<()> {
            let (client, _) = listener.accept()?;
            let upstream = TcpStream::connect(server)?;
            let back = (upstream.try_clone()?, client.try_clone()?);
            let theirs = Arc::clone(&turns);
            // Ends with the server's side.
            std::thread::spawn(move || copy(back.0, back.1, &theirs, false));
            copy(client, upstream, &turns, true)
        });
        let client = connect(&url(relay))?;
        for id in 0..20 {
            client.query_one(SQL, (id,))?;
        }
        let done = turns.lock().map(|turns| turns.clone());
        drop(client);
        // Hanging up may be an error to it.
        let _ = recording.join();
        done.ok().context("a thread panicked")
    })
}

/// A bare connection that has gone through all turns.
struct Bare {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Bare {
    fn open(server: SocketAddr, turns: &[(Vec<u8>, usize)]) -> Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let mut bare = Self {
            stream,
            request: Vec::new(),
            reply: Vec::new(),
        };
        for (request, reply) in turns {
            bare.request.clone_from(request);
            bare.reply.resize(*reply, 0);
            bare.exchange()?;
        }
        Ok(bare)
    }

    fn exchange(&mut self) -> Result<()> {
        self.stream.write_all(&self.request)?;
        Ok(self.stream.read_exact(&mut self.reply)?)
    }
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
    println!(
        "{} bytes out, {} bytes back, one round trip",
        bare.request.len(),
        bare.reply.len()
    );
    for (name, us) in ["bare socket", "blocking", "tokio"].iter().zip(medians) {
        println!("{name:<12} {us:>7.2} µs  {:>5.2}", us / bare_us);
    }
    Ok(())
}
