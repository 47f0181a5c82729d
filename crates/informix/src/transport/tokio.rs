//! Tokio sockets.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Sleep, sleep_until, timeout};

use super::cancel::Shared;
use super::dial::{self, Dialer};
use super::{Interrupter, Transport};
use crate::config::{Config, Target};
use crate::error::{Error, Result};

impl Shared for OwnedWriteHalf {
    fn socket(&self) -> SockRef<'_> {
        self.as_ref().into()
    }
}

/// A socket whose writing half is shared with interrupters, which use its descriptor.
struct Tcp {
    read: OwnedReadHalf,
    write: Arc<OwnedWriteHalf>,
}

impl AsyncRead for Tcp {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(cx, buf)
    }
}

impl AsyncWrite for Tcp {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.write.as_ref().as_ref().poll_write_ready(cx))?;
            match self.write.try_write(buf) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A socket holds nothing back.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.write.socket().shutdown(std::net::Shutdown::Write))
    }
}

enum Stream {
    Tcp(Tcp),
    #[cfg(feature = "tls")]
    Tls(Box<tokio_rustls::client::TlsStream<Tcp>>),
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Tcp(tcp) => tcp.read.as_ref(),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.get_ref().0.read.as_ref(),
        }
    }
}

/// A connected tokio socket, plain or inside TLS.
pub(crate) struct TokioTransport {
    stream: Stream,
    interrupter: Interrupter,
    deadline: Option<Instant>,
    idle: Option<Duration>,
    /// Armed while a call waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl TokioTransport {
    /// Turns a waiting call into `TimedOut` when a limit has passed.
    fn limited<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.timer = None;
            return polled;
        }
        if self.timer.is_none() {
            let idle = self.idle.map(|idle| Instant::now() + idle);
            let until = match (self.deadline, idle) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            self.timer = until.map(|until| Box::pin(sleep_until(until.into())));
        }
        if let Some(timer) = &mut self.timer
            && timer.as_mut().poll(cx).is_ready()
        {
            self.timer = None;
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl Transport for TokioTransport {
    fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(buf);
        let polled = match &mut self.stream {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_read(cx, &mut buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => Pin::new(tls).poll_read(cx, &mut buf),
        };
        let n = buf.filled().len();
        self.limited(cx, polled.map_ok(|()| n))
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = match &mut self.stream {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_write(cx, buf),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => Pin::new(tls).poll_write(cx, buf),
        };
        self.limited(cx, polled)
    }

    fn is_duplex(&self) -> bool {
        true
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = match &mut self.stream {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_flush(cx),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => Pin::new(tls).poll_flush(cx),
        };
        self.limited(cx, polled)
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.deadline = deadline;
        self.idle = idle;
        self.timer = None;
    }

    fn is_alive(&mut self) -> bool {
        // `Ok` is the end of the stream, or bytes that nobody asked for.
        let mut byte = [0];
        let mut peeked = ReadBuf::new(&mut byte);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        self.stream.tcp().poll_peek(&mut cx, &mut peeked).is_pending()
    }

    fn interrupter(&self) -> Option<Interrupter> {
        Some(self.interrupter.clone())
    }
}

/// Opens tokio sockets.
pub(crate) struct TokioDialer;

impl Dialer for TokioDialer {
    async fn dial(&self, target: &Target, config: &Config, deadline: Instant) -> Result<Box<dyn Transport>> {
        let looked_up = timeout(
            dial::share(deadline, 1)?,
            lookup_host((target.host.as_str(), target.port)),
        )
        .await
        .map_err(|_| {
            Error::timeout(
                -908,
                format!("resolving {:?}: the time limit passed", target.host),
            )
        })?;
        let addresses: Vec<_> = looked_up
            .map_err(|e| dial::unresolved(target, Some(e)))?
            .collect();
        let mut last = None;
        for (at, address) in addresses.iter().enumerate() {
            let limit = dial::share(deadline, addresses.len() - at)?;
            let connected = match timeout(limit, TcpStream::connect(address)).await {
                Ok(connected) => connected,
                Err(_) => Err(io::ErrorKind::TimedOut.into()),
            };
            match connected {
                Ok(tcp) => return finish(tcp, target, config, deadline).await,
                Err(e) => last = Some(dial::refused(target, *address, e)),
            }
        }
        Err(last.unwrap_or_else(|| dial::unresolved(target, None)))
    }
}

async fn finish(
    tcp: TcpStream,
    target: &Target,
    config: &Config,
    deadline: Instant,
) -> Result<Box<dyn Transport>> {
    let setup = |e| Error::io(e, "setting up the socket");
    dial::prepare(&tcp, config.keepalive).map_err(setup)?;
    let (read, write) = tcp.into_split();
    let write = Arc::new(write);
    let interrupter = Interrupter::sharing(Arc::<OwnedWriteHalf>::clone(&write), target.tls);
    let tcp = Tcp { read, write };
    let stream = if target.tls {
        secure(tcp, target, config, deadline).await?
    } else {
        Stream::Tcp(tcp)
    };
    Ok(Box::new(TokioTransport {
        stream,
        interrupter,
        deadline: None,
        idle: None,
        timer: None,
    }))
}

#[cfg(feature = "tls")]
async fn secure(tcp: Tcp, target: &Target, config: &Config, deadline: Instant) -> Result<Stream> {
    let settings = config.tls.clone().unwrap_or_default();
    let name = super::tls::server_name(&settings, &target.host)?;
    let connector = tokio_rustls::TlsConnector::from(super::tls::client_config(&settings)?);
    match timeout(dial::share(deadline, 1)?, connector.connect(name, tcp)).await {
        Ok(Ok(tls)) => Ok(Stream::Tls(Box::new(tls))),
        Ok(Err(e)) => Err(super::tls::failed(&target.host, e)),
        Err(_) => Err(super::tls::silent(&target.host)),
    }
}

#[cfg(not(feature = "tls"))]
async fn secure(_: Tcp, _: &Target, _: &Config, _: Instant) -> Result<Stream> {
    Err(Error::config(
        "TLS is asked for, but this build has no TLS (crate feature `tls`)",
    ))
}
