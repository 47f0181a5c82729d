//! `informix-bench`: replay server, delaying relay, and the probe of the replay server's own speed.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use informix_bench::probe;
use informix_bench::relay::Relay;
use informix_bench::replay::Replay;

/// Helpers of the benchmarks. Servers print "listening on HOST:PORT" and end when their standard input ends.
#[derive(Parser)]
#[command(name = "informix-bench", version)]
enum Arguments {
    /// Serves answers from memory.
    Replay {
        /// Where to listen; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
    },
    /// Passes connections on, later.
    Relay {
        /// The server.
        #[arg(long)]
        target: String,
        /// Milliseconds that a round trip takes longer, half of them each way.
        #[arg(long)]
        delay_ms: f64,
        /// Where to listen; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
    },
    /// Measures the replay server at an address and prints one line of JSON.
    Probe {
        /// Where it listens.
        address: SocketAddr,
    },
}

fn main() -> Result<()> {
    match Arguments::parse() {
        Arguments::Replay { listen } => {
            let replay = Replay::start(bind(listen)?)?;
            serve(replay.address())?;
        }
        Arguments::Relay {
            target,
            delay_ms,
            listen,
        } => {
            let delay = Duration::try_from_secs_f64(delay_ms / 1000.0).context("the delay is no duration")?;
            let relay = Relay::start(bind(listen)?, &target, delay)?;
            serve(relay.address())?;
        }
        Arguments::Probe { address } => say(&probe::run(address)?.to_json())?,
    }
    Ok(())
}

fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))
}

/// Says where, and waits for the end of standard input.
fn serve(address: SocketAddr) -> Result<()> {
    say(&format!("listening on {address}"))?;
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink()).context("standard input")?;
    Ok(())
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("standard output")
}
