//! What the client itself costs: a typed row beyond reading it, and a one-row SELECT beside a bare socket that exchanges the same
//! bytes. Run with `cargo run --release -p informix --example row_figures`.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use informix::blocking::Connection;
use informix::{Date, Decimal};
use informix_devserver::DevServer;

const ROWS: i32 = 100_000;
const REPEATS: usize = 20_000;
const ONE: &str = "select n, t from one where n = ?";

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let server = DevServer::start()?;
    let c = Connection::connect(server.url().parse()?)?;
    c.execute(
        "create table many (a integer, b char(20), c float, d decimal(16,2), e date)",
        (),
    )?;
    c.execute_batch(
        "insert into many values (?, ?, ?, ?, ?)",
        (0..ROWS).map(|n| {
            (
                n,
                format!("row {n}"),
                f64::from(n) / 3.0,
                Decimal::from(n),
                Date::EPOCH,
            )
        }),
    )?;
    typed_rows(&c)?;
    one_row(&server, &c)
}

fn typed_rows(c: &Connection) -> Result<(), Failure> {
    let rows = c
        .query("select a, b, c, d, e from many", ())?
        .collect::<informix::Result<Vec<_>>>()?;
    let mut best = Duration::MAX;
    for _ in 0..9 {
        let begun = Instant::now();
        let mut sum = 0.0;
        for row in &rows {
            let text: &str = row.get(1)?;
            let (n, d): (i32, Decimal) = (row.get(0)?, row.get(3)?);
            let (c, e): (f64, Date) = (row.get(2)?, row.get(4)?);
            sum += f64::from(n) + c + f64::from(e.days()) + (text.len() + d.coefficient() as usize) as f64;
        }
        assert!(sum > 0.0);
        best = best.min(begun.elapsed());
    }
    println!(
        "typed row of (INTEGER, CHAR(20), FLOAT, DECIMAL(16,2), DATE): {} ns",
        best.as_nanos() / rows.len() as u128
    );
    Ok(())
}

fn one_row(server: &DevServer, c: &Connection) -> Result<(), Failure> {
    c.execute("create table one (n integer primary key, t varchar(40))", ())?;
    c.execute("insert into one values (1, 'text number 1')", ())?;
    // What a connection and five executions say; the later ones all say the same.
    let (address, recorder) = record(&server.url())?;
    let recorded = Connection::connect(address.parse()?)?;
    let statement = recorded.prepare(ONE)?;
    for _ in 0..5 {
        statement.query_one((1,))?;
    }
    drop(statement);
    drop(recorded);
    let turns = recorder.join().map_err(|_| "the recorder failed")?;
    // Connecting takes 3 turns, PREPARE one.
    let Some(&(request, ref reply)) = turns.get(7) else {
        return Err("too few turns were recorded".into());
    };
    let sizes = (request, reply.len());

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = with_port(&server.url(), listener.local_addr()?.port());
    let steady = reply.clone();
    std::thread::spawn(move || -> std::io::Result<()> {
        let (mut socket, _) = listener.accept()?;
        socket.set_nodelay(true)?;
        for (request, reply) in turns.iter().take(7) {
            read(&mut socket, *request)?;
            socket.write_all(reply)?;
        }
        loop {
            read(&mut socket, request)?;
            socket.write_all(&steady)?;
        }
    });
    let replayed = Connection::connect(url.parse()?)?;
    let statement = replayed.prepare(ONE)?;
    for _ in 0..3 {
        statement.query_one((1,))?;
    }
    let ours = median(|| {
        let row = statement.query_one((1,))?;
        assert_eq!(row.get::<i32>(0)?, 1);
        Ok(())
    })?;

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut bare = TcpStream::connect(listener.local_addr()?)?;
    bare.set_nodelay(true)?;
    std::thread::spawn(move || -> std::io::Result<()> {
        let (mut socket, _) = listener.accept()?;
        socket.set_nodelay(true)?;
        let reply = vec![0; sizes.1];
        loop {
            read(&mut socket, sizes.0)?;
            socket.write_all(&reply)?;
        }
    });
    let request = vec![0; sizes.0];
    let floor = median(|| {
        bare.write_all(&request)?;
        Ok(read(&mut bare, sizes.1)?)
    })?;
    println!(
        "one-row SELECT, {} bytes out and {} back: {ours:?}; bare socket {floor:?}; ratio {:.2}",
        sizes.0,
        sizes.1,
        ours.as_secs_f64() / floor.as_secs_f64()
    );
    std::process::exit(0)
}

fn median(mut turn: impl FnMut() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let begun = Instant::now();
        turn()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[REPEATS / 2])
}

fn read(socket: &mut TcpStream, length: usize) -> std::io::Result<()> {
    let mut bytes = [0; 4096];
    let mut left = length;
    while left > 0 {
        let size = left.min(bytes.len());
        let n = socket.read(&mut bytes[..size])?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        left -= n;
    }
    Ok(())
}

fn with_port(url: &str, port: u16) -> String {
    let (head, rest) = url.split_once("127.0.0.1:").unwrap_or((url, ""));
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{head}127.0.0.1:{port}{rest}")
}

type Turns = Vec<(usize, Vec<u8>)>;

/// A relay that notes the size of each request and the bytes of its reply.
fn record(url: &str) -> Result<(String, std::thread::JoinHandle<Turns>), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let place = url.split(['@', '/']).find(|part| part.starts_with("127.0.0.1:"));
    let mut server = TcpStream::connect(place.ok_or("the server's address")?)?;
    let ours = with_port(url, listener.local_addr()?.port());
    let relay = std::thread::spawn(move || {
        let turns = Mutex::new(Turns::new());
        let Ok((mut client, _)) = listener.accept() else {
            return Turns::new();
        };
        let (Ok(from_client), Ok(from_server)) = (client.try_clone(), server.try_clone()) else {
            return Turns::new();
        };
        std::thread::scope(|scope| {
            scope.spawn(|| relay_bytes(from_client, &mut server, |bytes| note(&turns, Err(bytes.len()))));
            relay_bytes(from_server, &mut client, |bytes| note(&turns, Ok(bytes)));
        });
        turns.into_inner().unwrap_or_default()
    });
    Ok((ours, relay))
}

fn relay_bytes(mut from: TcpStream, to: &mut TcpStream, mut seen: impl FnMut(&[u8])) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        let part = bytes.get(..n).unwrap_or_default();
        seen(part);
        if to.write_all(part).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Notes bytes of a reply, or the size of a request. What comes in several parts is one turn.
fn note(turns: &Mutex<Turns>, part: Result<&[u8], usize>) {
    let Ok(mut turns) = turns.lock() else { return };
    match (part, turns.last_mut()) {
        (Ok(bytes), Some((_, reply))) => reply.extend_from_slice(bytes),
        (Ok(_), None) => {}
        (Err(size), Some((request, reply))) if reply.is_empty() => *request += size,
        (Err(size), _) => turns.push((size, Vec::new())),
    }
}
