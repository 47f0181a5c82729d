//! Opening a transport to one address; what both faces share of it.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};

use super::Transport;
use crate::config::{Config, Target};
use crate::error::{Error, Kind, Result};

/// Opens transports: std sockets or tokio.
pub(crate) trait Dialer: Sync {
    /// Connects to a target before the deadline, TLS included.
    fn dial(
        &self,
        target: &Target,
        config: &Config,
        deadline: Instant,
    ) -> impl Future<Output = Result<Box<dyn Transport>>> + Send;
}

/// Time for the next address when `left` more are to be tried.
pub(super) fn share(deadline: Instant, left: usize) -> Result<Duration> {
    let remaining = deadline.saturating_duration_since(Instant::now());
    if remaining.is_zero() {
        return Err(Error::timeout(-908, "connecting: the time limit passed"));
    }
    Ok(remaining / u32::try_from(left.max(1)).unwrap_or(u32::MAX))
}

/// Options of a connected socket. NODELAY, since requests are written whole.
pub(super) fn prepare<'s>(socket: impl Into<SockRef<'s>>, keepalive: bool) -> io::Result<()> {
    let socket = socket.into();
    socket.set_tcp_nodelay(true)?;
    if keepalive {
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(Duration::from_secs(60)))?;
    }
    Ok(())
}

pub(super) fn unresolved(target: &Target, source: Option<io::Error>) -> Error {
    let error = Error::new(
        Kind::Connect,
        -25591,
        format!("host name {:?} does not resolve to an address", target.host),
    );
    match source {
        Some(source) => error.with_source(source),
        None => error,
    }
}

/// The error of an address that could not be connected.
pub(super) fn refused(target: &Target, address: SocketAddr, source: io::Error) -> Error {
    let place = format!("{} ({address})", target.host);
    match source.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            Error::timeout(-908, format!("no answer from {place} within the time limit"))
        }
        io::ErrorKind::ConnectionRefused => {
            Error::new(Kind::Connect, -908, format!("nothing listens at {place}")).with_source(source)
        }
        _ => Error::new(Kind::Connect, -908, format!("cannot connect to {place}")).with_source(source),
    }
}
