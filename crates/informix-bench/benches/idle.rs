//! Memory of idle connections on tokio, in the client: `cargo bench -p informix-bench --bench idle -- HOST:PORT COUNT…`.
//!
//! The server is `bench/idle_server.py`, which keeps next to nothing per connection; `bench/idle_memory.py` does the same for asyncio.

use anyhow::{Context, Result};
use informix::aio::{Connection, connect};

/// Connections that are opened first, so that what all share is there.
const WARM: usize = 20;

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let Some(address) = arguments.next() else {
        println!("arguments: HOST:PORT of bench/idle_server.py, and numbers of connections");
        return Ok(());
    };
    let counts: Vec<usize> = arguments.map(|a| a.parse()).collect::<Result<_, _>>()?;
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(measure(
            &format!("informix://informix:in4mix@{address}/testdb"),
            &counts,
        ))
}

async fn measure(url: &str, counts: &[usize]) -> Result<()> {
    let mut opened: Vec<Connection> = vec![connect(url).await?];
    // The server has recorded the conversation when the first one is silent for a second.
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    for _ in 0..WARM {
        opened.push(connect(url).await?);
    }
    let before = resident()?;
    let warm = opened.len();
    for &count in counts {
        while opened.len() < warm + count {
            opened.push(connect(url).await?);
        }
        let per = (resident()? - before) / count;
        println!("{{\"connections\": {count}, \"bytes_per_connection\": {per}}}");
    }
    Ok(())
}

/// Bytes of this process in memory that are its own.
fn resident() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .and_then(|rest| rest.split_whitespace().next())
        .context("the system does not tell the memory of a process")?;
    Ok(kib.parse::<usize>()? * 1024)
}
