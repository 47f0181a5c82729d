//! A line with a delay: bytes pass in order and unchanged, each of them half of the round trip's delay later, in each direction.
//!
//! The delay is that of a long line, not of a slow one: what is sent while earlier bytes are under way waits no longer than they do.
//! Nothing spins; a thread sleeps until the next bytes are due.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of one read.
const CHUNK_BYTES: usize = 64 << 10;
/// Chunks that may be under way in one direction; then the sender is not read any more, as with a full window.
const CHUNKS: usize = 1024;

/// Bytes, and when they are due.
type Chunk = (Instant, Vec<u8>);

/// A running relay. It ends with the process.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
}

impl Relay {
    /// Passes each connection that `listener` gets on to `target` and adds `round_trip` to each round trip.
    ///
    /// # Errors
    /// The listener has no address, or a thread can't be started.
    pub fn start(listener: TcpListener, target: &str, round_trip: Duration) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let target = target.to_owned();
        thread::Builder::new()
            .name("relay-accept".into())
            .spawn(move || {
                for client in listener.incoming() {
                    let joined = client.and_then(|client| join(client, &target, round_trip / 2));
                    if let Err(error) = joined {
                        eprintln!("relay: cannot serve a connection: {error}");
                    }
                }
            })?;
        Ok(Self { address })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Connects a client to the server. The time for the connection's own handshake is added too, before anything is passed on.
fn join(client: TcpStream, target: &str, delay: Duration) -> io::Result<()> {
    client.set_nodelay(true)?;
    let server = TcpStream::connect(target)?;
    server.set_nodelay(true)?;
    let there = Way {
        from: client.try_clone()?,
        to: server.try_clone()?,
        delay,
        opened: Instant::now() + delay * 2,
    };
    let back = Way {
        from: server,
        to: client,
        delay,
        opened: Instant::now(),
    };
    there.start()?;
    back.start()
}

/// One direction of a connection.
struct Way {
    from: TcpStream,
    to: TcpStream,
    delay: Duration,
    /// Nothing is due before this and the delay: the handshake of the connection itself.
    opened: Instant,
}

impl Way {
    /// Starts its two threads: one reads and notes when the bytes are due, the other writes them then.
    fn start(self) -> io::Result<()> {
        let (sender, receiver) = sync_channel(CHUNKS);
        let Self {
            from,
            to,
            delay,
            opened,
        } = self;
        spawn("relay-read", move || read(from, delay, opened, &sender))?;
        spawn("relay-write", move || write(to, &receiver))
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name(name.into())
        .stack_size(CHUNK_BYTES * 4)
        .spawn(work)
        .map(|_| ())
}

fn read(mut from: TcpStream, delay: Duration, opened: Instant, sender: &SyncSender<Chunk>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        let due = Instant::now().max(opened) + delay;
        let bytes = buffer.get(..count).unwrap_or_default().to_vec();
        if sender.send((due, bytes)).is_err() {
            return;
        }
    }
}

fn write(mut to: TcpStream, receiver: &Receiver<Chunk>) {
    // Linux wakes a thread up to 50 µs late, to gather wake-ups, unless it says that it minds (proc(5), timerslack_ns). Elsewhere
    // there is no such file, and nothing is lost but precision.
    let _ = std::fs::write("/proc/thread-self/timerslack_ns", "1000");
    for (due, bytes) in receiver {
        // Bytes that are due go at once; `sleep` wakes late, never early.
        let wait = due.saturating_duration_since(Instant::now());
        if !wait.is_zero() {
            thread::sleep(wait);
        }
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    // The sender has closed: so does this side, and the other direction lives on until it is closed too.
    let _ = to.shutdown(Shutdown::Write);
}
