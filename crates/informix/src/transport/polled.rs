//! Non-blocking std sockets for somebody else's event loop. The transport does what can be done without waiting, says in
//! [`Interest`] what it waits for, and returns `Pending`; the owner polls again when that has happened.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::{Interrupter, Transport, dial};
use crate::config::{Config, Target};
use crate::error::{Error, Result};

/// `EINPROGRESS` on Linux and on the BSD family.
const IN_PROGRESS: [i32; 2] = [115, 36];

/// What a polled transport waits for.
#[derive(Debug)]
pub struct Interest {
    fd: AtomicI32,
    generation: AtomicU64,
    write: AtomicBool,
    wake_at: Mutex<Option<Instant>>,
}

impl Default for Interest {
    fn default() -> Self {
        Self {
            fd: AtomicI32::new(-1),
            generation: AtomicU64::new(0),
            write: AtomicBool::new(false),
            wake_at: Mutex::new(None),
        }
    }
}

impl Interest {
    /// The socket to watch for reading, -1 when there is none.
    #[must_use]
    pub fn fd(&self) -> i32 {
        self.fd.load(Ordering::SeqCst)
    }

    /// Changes with every new socket, which may have the number of one that was closed.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Whether to watch it for writing too.
    #[must_use]
    pub fn wants_write(&self) -> bool {
        self.write.load(Ordering::SeqCst)
    }

    /// When to poll again at the latest.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        *self.wake_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, fd: i32) {
        self.fd.store(fd, Ordering::SeqCst);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.set_write(false);
    }

    fn set_write(&self, write: bool) {
        self.write.store(write, Ordering::SeqCst);
    }

    fn set_wake(&self, at: Option<Instant>) {
        *self.wake_at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// A connected non-blocking socket.
struct PolledTcp {
    tcp: Arc<TcpStream>,
    interest: Arc<Interest>,
    generation: u64,
    interrupter: Interrupter,
    deadline: Option<Instant>,
    idle: Option<Duration>,
    /// Since when nothing has moved.
    still_since: Option<Instant>,
    /// A request has just gone out: its reply is not here yet, so the loop is asked first and not the socket.
    has_sent: bool,
}

impl Drop for PolledTcp {
    fn drop(&mut self) {
        // The next session may already use the same place.
        if self.interest.generation() == self.generation {
            self.interest.watch(-1);
        }
    }
}

impl PolledTcp {
    /// Nothing moves: `Pending`, or `TimedOut` when a limit has passed.
    fn still<T>(&mut self) -> Poll<io::Result<T>> {
        if self.deadline.is_none() && self.idle.is_none() {
            return Poll::Pending;
        }
        let now = Instant::now();
        let idle_end = self.idle.map(|idle| *self.still_since.get_or_insert(now) + idle);
        let end = match (self.deadline, idle_end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.interest.set_wake(end);
        if end.is_some_and(|end| end <= now) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    fn moved<T>(&mut self, result: io::Result<T>) -> Poll<io::Result<T>> {
        match result {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.still(),
            other => {
                self.still_since = None;
                Poll::Ready(other)
            }
        }
    }
}

fn again<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

impl Transport for PolledTcp {
    fn poll_read(&mut self, _: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        // The loop tells of bytes that are there already, too: nothing is missed.
        if std::mem::take(&mut self.has_sent) {
            return self.still();
        }
        let read = again(|| (&*self.tcp).read(buf));
        self.moved(read)
    }

    fn poll_write(&mut self, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = again(|| (&*self.tcp).write(buf));
        self.has_sent = written.is_ok();
        self.interest
            .set_write(matches!(&written, Err(e) if e.kind() == io::ErrorKind::WouldBlock));
        self.moved(written)
    }

    fn is_duplex(&self) -> bool {
        true
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.deadline = deadline;
        self.idle = idle;
        self.still_since = None;
        self.interest.set_wake(None);
    }

    fn is_alive(&mut self) -> bool {
        self.tcp
            .peek(&mut [0])
            .is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock)
    }

    fn interrupter(&self) -> Option<Interrupter> {
        Some(self.interrupter.clone())
    }
}

/// TLS over a non-blocking socket.
#[cfg(feature = "tls")]
struct PolledTls {
    tcp: PolledTcp,
    tls: rustls::ClientConnection,
}

#[cfg(feature = "tls")]
impl PolledTls {
    /// Sends what TLS wants to send, as far as the socket takes it. `true` when nothing is left.
    fn push(&mut self) -> io::Result<bool> {
        while self.tls.wants_write() {
            match again(|| self.tls.write_tls(&mut &*self.tcp.tcp)) {
                Ok(_) => {
                    self.tcp.still_since = None;
                    self.tcp.has_sent = true;
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.tcp.interest.set_write(true);
                    return Ok(false);
                }
                Err(e) => return Err(e),
            }
        }
        self.tcp.interest.set_write(false);
        Ok(true)
    }

    /// Takes in what has arrived. 0 = the stream has ended.
    fn pull(&mut self) -> io::Result<usize> {
        let n = again(|| self.tls.read_tls(&mut &*self.tcp.tcp))?;
        self.tls
            .process_new_packets()
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        Ok(n)
    }

    fn poll_handshake(&mut self) -> Poll<io::Result<()>> {
        while self.tls.is_handshaking() {
            if let Err(e) = self.push() {
                return Poll::Ready(Err(e));
            }
            if !self.tls.is_handshaking() {
                break;
            }
            match self.pull() {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => self.tcp.still_since = None,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return self.tcp.still(),
                Err(e) => {
                    // The alert that says why goes out if it can.
                    let _ = self.push();
                    return Poll::Ready(Err(e));
                }
            }
        }
        Poll::Ready(self.push().map(|_| ()))
    }
}

#[cfg(feature = "tls")]
impl Transport for PolledTls {
    fn poll_read(&mut self, _: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            match self.tls.reader().read(buf) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
            if let Err(e) = self.push() {
                return Poll::Ready(Err(e));
            }
            if std::mem::take(&mut self.tcp.has_sent) {
                return self.tcp.still();
            }
            match self.pull() {
                Ok(0) => return Poll::Ready(Ok(0)),
                Ok(_) => self.tcp.still_since = None,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return self.tcp.still(),
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }

    fn poll_write(&mut self, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.push() {
            Ok(true) => {}
            Ok(false) => return self.tcp.still(),
            Err(e) => return Poll::Ready(Err(e)),
        }
        let taken = self.tls.writer().write(buf);
        match self.push() {
            Ok(_) => Poll::Ready(taken),
            Err(e) => Poll::Ready(Err(e)),
        }
    }

    fn is_duplex(&self) -> bool {
        true
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.push() {
            Ok(true) => Poll::Ready(Ok(())),
            Ok(false) => self.tcp.still(),
            Err(e) => Poll::Ready(Err(e)),
        }
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.tcp.set_limits(deadline, idle);
    }

    fn is_alive(&mut self) -> bool {
        self.tcp.is_alive()
    }

    fn interrupter(&self) -> Option<Interrupter> {
        self.tcp.interrupter()
    }
}

type Resolved = Arc<Mutex<(Option<io::Result<Vec<SocketAddr>>>, Option<Waker>)>>;

/// Addresses of a host. A name is looked up on a thread of its own, since the system offers nothing better.
async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let name = host.to_owned();
    let shared = Resolved::default();
    let theirs = Arc::clone(&shared);
    std::thread::Builder::new()
        .name("informix-resolve".to_owned())
        .spawn(move || {
            let found = (name.as_str(), port).to_socket_addrs().map(Iterator::collect);
            let mut shared = theirs.lock().unwrap_or_else(PoisonError::into_inner);
            shared.0 = Some(found);
            if let Some(waker) = shared.1.take() {
                drop(shared);
                waker.wake();
            }
        })?;
    std::future::poll_fn(move |cx| {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.0.take() {
            Some(found) => Poll::Ready(found),
            None => {
                shared.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    })
    .await
}

/// Connects without blocking.
pub(crate) async fn open(
    target: &Target,
    config: &Config,
    deadline: Instant,
    interest: &Arc<Interest>,
) -> Result<Box<dyn Transport>> {
    let addresses = resolve(&target.host, target.port)
        .await
        .map_err(|e| dial::unresolved(target, Some(e)))?;
    let mut last = None;
    for (at, address) in addresses.iter().enumerate() {
        let limit = Instant::now() + dial::share(deadline, addresses.len() - at)?;
        match connect(*address, limit, interest).await {
            Ok(tcp) => return finish(tcp, target, config, deadline, interest).await,
            Err(e) => last = Some(dial::refused(target, *address, e)),
        }
    }
    Err(last.unwrap_or_else(|| dial::unresolved(target, None)))
}

async fn connect(address: SocketAddr, limit: Instant, interest: &Arc<Interest>) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    match socket.connect(&address.into()) {
        Ok(()) => return Ok(socket.into()),
        Err(e)
            if e.kind() == io::ErrorKind::WouldBlock
                || e.raw_os_error().is_some_and(|n| IN_PROGRESS.contains(&n)) => {}
        Err(e) => return Err(e),
    }
    interest.watch(socket.as_raw_fd());
    interest.set_write(true);
    interest.set_wake(Some(limit));
    let connected = std::future::poll_fn(|_| match socket.take_error() {
        Ok(Some(e)) | Err(e) => Poll::Ready(Err(e)),
        Ok(None) => match socket.peer_addr() {
            Ok(_) => Poll::Ready(Ok(())),
            Err(_) if Instant::now() >= limit => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Err(_) => Poll::Pending,
        },
    })
    .await;
    interest.watch(-1);
    interest.set_wake(None);
    connected.map(|()| socket.into())
}

async fn finish(
    tcp: TcpStream,
    target: &Target,
    config: &Config,
    deadline: Instant,
    interest: &Arc<Interest>,
) -> Result<Box<dyn Transport>> {
    let setup = |e| Error::io(e, "setting up the socket");
    dial::prepare(&tcp, config.keepalive).map_err(setup)?;
    interest.watch(tcp.as_raw_fd());
    let tcp = Arc::new(tcp);
    let interrupter = Interrupter::sharing(Arc::<TcpStream>::clone(&tcp), target.tls);
    let tcp = PolledTcp {
        tcp,
        interest: Arc::clone(interest),
        generation: interest.generation(),
        interrupter,
        deadline: Some(deadline),
        idle: None,
        still_since: None,
        has_sent: false,
    };
    if !target.tls {
        return Ok(Box::new(tcp));
    }
    #[cfg(feature = "tls")]
    {
        let settings = config.tls.clone().unwrap_or_default();
        let name = super::tls::server_name(&settings, &target.host)?;
        let tls = rustls::ClientConnection::new(super::tls::client_config(&settings)?, name)
            .map_err(|e| super::tls::failed(&target.host, e))?;
        let mut stream = PolledTls { tcp, tls };
        match std::future::poll_fn(|_| stream.poll_handshake()).await {
            Ok(()) => Ok(Box::new(stream)),
            Err(e) if e.kind() == io::ErrorKind::TimedOut => Err(super::tls::silent(&target.host)),
            Err(e) => Err(super::tls::failed(&target.host, e)),
        }
    }
    #[cfg(not(feature = "tls"))]
    Err(Error::config(
        "TLS is asked for, but this build has no TLS (crate feature `tls`)",
    ))
}
