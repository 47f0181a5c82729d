//! `ifx serve`: the embedded server until a signal ends it.

use std::io::Write;
use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use informix_devserver::{DevServer, Storage, TlsIdentity};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::cli::ServeArgs;

/// Starts the server, prints where it listens, and returns when it was told to end.
pub(crate) fn run(args: &ServeArgs) -> Result<()> {
    // Before the server starts, so that no signal is missed.
    let mut signals = Signals::new([SIGTERM, SIGINT]).context("cannot wait for signals")?;
    let mut builder = DevServer::builder()
        .host(address(&args.host)?)
        .port(args.port)
        .user(&args.user, &args.password)
        .server_name(&args.server_name);
    if let Some(path) = &args.dir {
        builder = builder.storage(Storage::Directory(path.clone()));
    }
    for database in &args.database {
        builder = builder.database(&database.name, database.mode, database.locale.clone());
    }
    if let (Some(chain), Some(key)) = (&args.tls_cert, &args.tls_key) {
        builder = builder.tls(identity(chain, key)?);
    }
    for path in &args.load {
        builder = builder.load(path);
    }
    for (prompt, answer) in &args.challenge {
        builder = builder.challenge(prompt, answer, false);
    }
    for fault in &args.fault {
        builder = builder.fault(fault.clone());
    }
    // Its text has the cause in it.
    let mut server = builder.start().map_err(|error| anyhow!("{error}"))?;
    let mut out = std::io::stdout();
    // Scripts wait for this line; who started us may have closed the pipe.
    let _ = writeln!(out, "listening on {}", server.address()).and_then(|()| out.flush());
    if let Some(signal) = signals.forever().next() {
        tracing::info!(signal, "stopping");
    }
    server.stop();
    Ok(())
}

fn identity(chain: &Path, key: &Path) -> Result<TlsIdentity> {
    let read = |path: &Path| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    TlsIdentity::from_pem(&read(chain)?, &read(key)?)
        .with_context(|| format!("cannot use {} with the key {}", chain.display(), key.display()))
}

fn address(host: &str) -> Result<IpAddr> {
    if let Ok(address) = host.parse() {
        return Ok(address);
    }
    let mut found = (host, 0)
        .to_socket_addrs()
        .with_context(|| format!("cannot resolve the host {host:?}"))?;
    found
        .next()
        .map(|a| a.ip())
        .with_context(|| format!("the host {host:?} has no address"))
}
