//! Std sockets: real blocking I/O. Reads and writes never return `Pending`.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::dial::{self, Dialer};
use super::{Interrupter, Transport};
use crate::config::{Config, Target};
use crate::error::{Error, Result};

/// Asked when a signal has ended a wait: `true` gives up waiting, and the call stays `Pending`.
pub type Interrupted = Arc<dyn Fn() -> bool + Send + Sync>;

/// `MSG_DONTWAIT | MSG_NOSIGNAL`, where they are known.
const SEND_NOW: Option<i32> = if cfg!(target_os = "linux") {
    Some(0x40 | 0x4000)
} else {
    None
};

enum Stream {
    Tcp(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>),
}

impl Stream {
    fn is_plain(&self) -> bool {
        matches!(self, Self::Tcp(_))
    }

    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Tcp(tcp) => tcp,
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.get_ref(),
        }
    }

    fn is_tls(&self) -> bool {
        !matches!(self, Self::Tcp(_))
    }
}

/// A connected std socket, plain or inside TLS.
pub(crate) struct BlockingTransport {
    stream: Stream,
    interrupter: Interrupter,
    deadline: Option<Instant>,
    idle: Option<Duration>,
    /// The socket's current limits for reads and for writes.
    armed: [Option<Duration>; 2],
    interrupted: Option<Interrupted>,
}

impl BlockingTransport {
    fn new(stream: Stream, interrupter: Interrupter, interrupted: Option<Interrupted>) -> Self {
        Self {
            interrupted,
            stream,
            interrupter,
            deadline: None,
            idle: None,
            armed: [None; 2],
        }
    }

    /// Makes a call that may block, again when a signal or the socket's limit has ended it early.
    fn blocking<T>(
        &mut self,
        asked: Side,
        mut call: impl FnMut(&mut Stream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        let since = self.idle.map(|_| Instant::now());
        loop {
            // Inside TLS a read may write and a write may read.
            for side in [Side::Read, Side::Write] {
                if (self.stream.is_tls() || side == asked)
                    && let Err(e) = self.arm(side, since)
                {
                    return Poll::Ready(Err(e));
                }
            }
            match call(&mut self.stream) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {
                    if self.interrupted.as_ref().is_some_and(|ask| ask()) {
                        return Poll::Pending;
                    }
                }
                // The socket's limit: whether ours has passed is found when it is set again.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }

    /// Brings the socket's limit up to date. It is never longer than what is left, and may be shorter, so that calls with
    /// nearly the same deadline need not set it anew.
    fn arm(&mut self, side: Side, since: Option<Instant>) -> io::Result<()> {
        let left = match (self.left(since), self.armed[side as usize]) {
            (None, None) => return Ok(()),
            (Some(left), _) if left.is_zero() => return Err(io::ErrorKind::TimedOut.into()),
            (Some(left), Some(armed)) if armed <= left && armed >= left / 2 => return Ok(()),
            (left, _) => left,
        };
        let limit = left.map(|left| {
            if left > SHORT {
                left - left / 4
            } else {
                left.max(TICK)
            }
        });
        let tcp = self.stream.tcp();
        match side {
            Side::Read => tcp.set_read_timeout(limit)?,
            Side::Write => tcp.set_write_timeout(limit)?,
        }
        self.armed[side as usize] = limit;
        Ok(())
    }

    /// Time until a call has to end that began at `since`.
    fn left(&self, since: Option<Instant>) -> Option<Duration> {
        let idle_end = self
            .idle
            .zip(since)
            .and_then(|(idle, since)| since.checked_add(idle));
        let end = match (self.deadline, idle_end) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        };
        Some(end.saturating_duration_since(Instant::now()))
    }
}

/// Limits up to this are set as they are.
const SHORT: Duration = Duration::from_millis(100);
/// The shortest limit that is set.
const TICK: Duration = Duration::from_millis(1);

/// Which limit of the socket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Read,
    Write,
}

impl Transport for BlockingTransport {
    fn poll_read(&mut self, _: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.blocking(Side::Read, |stream| match stream {
            Stream::Tcp(tcp) => tcp.read(buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.read(buf),
        })
    }

    fn poll_write(&mut self, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.blocking(Side::Write, |stream| match stream {
            Stream::Tcp(tcp) => tcp.write(buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => tls.write(buf),
        })
    }

    fn is_duplex(&self) -> bool {
        SEND_NOW.is_some() && self.stream.is_plain()
    }

    fn poll_write_now(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let (Some(flags), true) = (SEND_NOW, self.stream.is_plain()) else {
            return self.poll_write(cx, buf);
        };
        match SockRef::from(self.stream.tcp()).send_with_flags(buf, flags) {
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Poll::Pending
            }
            done => Poll::Ready(done),
        }
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            // A socket holds nothing back.
            Stream::Tcp(_) => Poll::Ready(Ok(())),
            #[cfg(feature = "tls")]
            Stream::Tls(_) => self.blocking(Side::Write, |stream| match stream {
                Stream::Tcp(_) => Ok(()),
                Stream::Tls(tls) => tls.flush(),
            }),
        }
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.deadline = deadline;
        self.idle = idle;
    }

    fn is_alive(&mut self) -> bool {
        let tcp = self.stream.tcp();
        if tcp.set_nonblocking(true).is_err() {
            return false;
        }
        let silent = tcp
            .peek(&mut [0])
            .is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock);
        tcp.set_nonblocking(false).is_ok() && silent
    }

    fn interrupter(&self) -> Option<Interrupter> {
        Some(self.interrupter.clone())
    }
}

/// Opens std sockets.
pub(crate) struct BlockingDialer;

impl BlockingDialer {
    /// Connects; `interrupted` is asked when a signal ends a wait.
    pub(crate) fn open(
        target: &Target,
        config: &Config,
        deadline: Instant,
        interrupted: Option<Interrupted>,
    ) -> Result<Box<dyn Transport>> {
        let addresses: Vec<_> = (target.host.as_str(), target.port)
            .to_socket_addrs()
            .map_err(|e| dial::unresolved(target, Some(e)))?
            .collect();
        let mut last = None;
        for (at, address) in addresses.iter().enumerate() {
            let limit = dial::share(deadline, addresses.len() - at)?;
            match TcpStream::connect_timeout(address, limit) {
                Ok(tcp) => {
                    return Self::finish(tcp, target, config, deadline, interrupted);
                }
                Err(e) => last = Some(dial::refused(target, *address, e)),
            }
        }
        Err(last.unwrap_or_else(|| dial::unresolved(target, None)))
    }

    fn finish(
        tcp: TcpStream,
        target: &Target,
        config: &Config,
        deadline: Instant,
        interrupted: Option<Interrupted>,
    ) -> Result<Box<dyn Transport>> {
        let setup = |e| Error::io(e, "setting up the socket");
        dial::prepare(&tcp, config.keepalive).map_err(setup)?;
        let interrupter = Interrupter::new(&tcp, target.tls).map_err(setup)?;
        if !target.tls {
            return Ok(Box::new(BlockingTransport::new(
                Stream::Tcp(tcp),
                interrupter,
                interrupted,
            )));
        }
        #[cfg(feature = "tls")]
        {
            let settings = config.tls.clone().unwrap_or_default();
            let name = super::tls::server_name(&settings, &target.host)?;
            let mut session = rustls::ClientConnection::new(super::tls::client_config(&settings)?, name)
                .map_err(|e| super::tls::failed(&target.host, e))?;
            let mut tcp = tcp;
            while session.is_handshaking() {
                let left = dial::share(deadline, 1)?;
                tcp.set_read_timeout(Some(left))
                    .and_then(|()| tcp.set_write_timeout(Some(left)))
                    .map_err(setup)?;
                match session.complete_io(&mut tcp) {
                    Ok(_) => {}
                    Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                        return Err(super::tls::silent(&target.host));
                    }
                    Err(e) => return Err(super::tls::failed(&target.host, e)),
                }
            }
            tcp.set_read_timeout(None)
                .and_then(|()| tcp.set_write_timeout(None))
                .map_err(setup)?;
            let stream = Stream::Tls(Box::new(rustls::StreamOwned::new(session, tcp)));
            Ok(Box::new(BlockingTransport::new(stream, interrupter, interrupted)))
        }
        #[cfg(not(feature = "tls"))]
        {
            let _ = deadline;
            Err(Error::config(
                "TLS is asked for, but this build has no TLS (crate feature `tls`)",
            ))
        }
    }
}

impl Dialer for BlockingDialer {
    async fn dial(&self, target: &Target, config: &Config, deadline: Instant) -> Result<Box<dyn Transport>> {
        Self::open(target, config, deadline, None)
    }
}
