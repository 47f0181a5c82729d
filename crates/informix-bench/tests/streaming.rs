//! Rows that are read one by one take a bounded amount of memory. Alone in its program: the whole process is looked at.

use std::net::TcpListener;

use informix::blocking::connect;
use informix_bench::replay::Replay;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// 53 bytes each on the wire.
const ROWS: usize = 400_000;
/// Of both sides: the server runs in this process too.
const BOUND_KIB: usize = 10 << 10;

/// A figure of this process in KiB: `VmRSS` now, `VmHWM` at most so far. `None` where the system does not tell.
fn resident(field: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim_start_matches(':')
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[test]
fn streaming_is_bounded() -> Tested {
    let replay = Replay::start(TcpListener::bind("127.0.0.1:0")?)?;
    let client = connect(&format!("informix://informix:in4mix@{}/testdb", replay.address()))?;
    // The server encodes its rows once.
    client.query_all("SELECT * FROM bench_1000", ())?;
    let Some(before) = resident("VmRSS") else {
        return Ok(());
    };
    let mut rows = client.query(&format!("SELECT * FROM bench_{ROWS}"), ())?;
    let mut sum = 0;
    rows.for_each_ref(|row| {
        sum += usize::try_from(row.get::<i32>(0)?).unwrap_or(0) % 2;
        Ok(())
    })?;
    assert_eq!(sum, ROWS / 2);
    let grown = resident("VmHWM").map_or(0, |most| most.saturating_sub(before));
    assert!(grown < BOUND_KIB, "{grown} KiB");
    Ok(())
}
