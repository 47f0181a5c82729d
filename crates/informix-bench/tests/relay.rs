//! The delaying relay between our client and the replay server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use informix::blocking::connect;
use informix_bench::relay::Relay;
use informix_bench::replay::{Replay, rows};

type Tested = Result<(), Box<dyn std::error::Error>>;

const DELAY: Duration = Duration::from_millis(8);

fn free() -> std::io::Result<TcpListener> {
    TcpListener::bind("127.0.0.1:0")
}

#[test]
fn each_round_trip_takes_the_delay() -> Tested {
    let replay = Replay::start(free()?)?;
    let relay = Relay::start(free()?, &replay.address().to_string(), DELAY)?;
    let client = connect(&format!("informix://informix:in4mix@{}/testdb", relay.address()))?;
    client.ping()?;
    for trips in 1..4 {
        let begin = Instant::now();
        for _ in 0..trips {
            client.ping()?;
        }
        assert!(begin.elapsed() >= DELAY * trips);
    }
    Ok(())
}

#[test]
fn large_results_pass_unchanged() -> Tested {
    let replay = Replay::start(free()?)?;
    let relay = Relay::start(free()?, &replay.address().to_string(), Duration::from_millis(1))?;
    let client = connect(&format!("informix://informix:in4mix@{}/testdb", relay.address()))?;
    let found = client.query_all("SELECT id, amount FROM bench_50000", ())?;
    assert_eq!(found.len(), 50_000);
    for (index, row) in found.iter().enumerate() {
        let [id, _, _, amount, _] = rows::values(index)?;
        assert_eq!((row.get(0)?, row.get(1)?), (id, amount));
    }
    Ok(())
}

#[test]
fn each_direction_ends_by_itself() -> Tested {
    let target = free()?;
    let relay = Relay::start(free()?, &target.local_addr()?.to_string(), DELAY)?;
    let mut client = TcpStream::connect(relay.address())?;
    let (mut server, _) = target.accept()?;
    client.write_all(b"all of it")?;
    client.shutdown(Shutdown::Write)?;
    let mut received = Vec::new();
    server.read_to_end(&mut received)?;
    assert_eq!(received, b"all of it");
    let answer = vec![7u8; 3 << 20];
    let sending = {
        let answer = answer.clone();
        thread::spawn(move || server.write_all(&answer))
    };
    let mut received = Vec::new();
    client.read_to_end(&mut received)?;
    assert_eq!(received, answer);
    sending.join().map_err(|_| "the sender failed")??;
    Ok(())
}
