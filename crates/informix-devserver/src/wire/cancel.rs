//! Cancel: one TCP urgent byte `42` while a group runs (J, V: `captures/jdbc-cancel.txt`, `native-cancel.txt`).
//!
//! The byte travels beside the stream, so nobody has to read the stream to see it: the engine asks [`CancelWatch::interrupted`]
//! while a statement runs. A byte that comes while nothing runs needs no attention: reading past its place in the stream
//! discards it (that is how TCP urgent data works when it is not read in line), so it can't hit a later group.

use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use socket2::Socket;

/// Every so many questions it is also looked whether the client is still there.
const LOOKS_PER_PEEK: u32 = 16;

/// Asked by the engine now and then while a statement runs, on the thread that otherwise reads the connection.
#[derive(Debug)]
pub(crate) struct CancelWatch {
    /// A second handle of the connection's socket; `None` over TLS, where no urgent byte can be told from garbage.
    socket: Option<Socket>,
    /// The whole server is being stopped.
    stopping: Arc<AtomicBool>,
    /// Set by the first urgent byte, until the group has ended.
    cancelled: AtomicBool,
    looks: AtomicU32,
}

impl CancelWatch {
    /// Watches `stream` for the urgent byte (when there is one to watch) and `stopping` for the end of the server.
    pub(crate) fn new(stream: Option<TcpStream>, stopping: Arc<AtomicBool>) -> Self {
        Self {
            socket: stream.map(Socket::from),
            stopping,
            cancelled: AtomicBool::new(false),
            looks: AtomicU32::new(0),
        }
    }

    /// Whether the running group shall end with -213.
    pub(crate) fn interrupted(&self) -> bool {
        if self.cancelled.load(Ordering::Relaxed) || self.stopping.load(Ordering::Relaxed) {
            return true;
        }
        let Some(socket) = &self.socket else { return false };
        let mut byte = [MaybeUninit::<u8>::uninit()];
        // Never blocks: without an urgent byte the call fails at once, also on a blocking socket.
        let mut seen = matches!(socket.recv_out_of_band(&mut byte), Ok(n) if n > 0);
        if !seen && self.looks.fetch_add(1, Ordering::Relaxed) % LOOKS_PER_PEEK == LOOKS_PER_PEEK - 1 {
            seen = hung_up(socket);
        }
        if seen {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        seen
    }

    /// Whether the whole server is being stopped.
    pub(crate) fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// The group has ended: the next one starts with a clean slate.
    pub(crate) fn reset(&self) {
        self.cancelled.store(false, Ordering::Relaxed);
    }
}

/// Whether the client has closed its side and sent nothing that waits to be read. Nobody else uses the socket meanwhile:
/// the thread that reads it is the one that asks.
fn hung_up(socket: &Socket) -> bool {
    if socket.set_nonblocking(true).is_err() {
        return true;
    }
    let mut byte = [MaybeUninit::<u8>::uninit()];
    let gone = match socket.peek(&mut byte) {
        Ok(read) => read == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    };
    socket.set_nonblocking(false).is_err() || gone
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use super::*;

    struct Pair {
        client: Socket,
        server: TcpStream,
        watch: CancelWatch,
        stopping: Arc<AtomicBool>,
    }

    fn pair() -> Pair {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_nodelay(true).unwrap();
        let server = listener.accept().unwrap().0;
        let stopping = Arc::new(AtomicBool::new(false));
        let watch = CancelWatch::new(Some(server.try_clone().unwrap()), Arc::clone(&stopping));
        Pair {
            client: client.into(),
            server,
            watch,
            stopping,
        }
    }

    fn wait_for(watch: &CancelWatch) -> bool {
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            if watch.interrupted() {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    #[test]
    fn urgent_byte_is_seen_beside_the_stream_and_until_reset() {
        let mut pair = pair();
        pair.client.write_all(b"group").unwrap();
        let mut bytes = [0; 5];
        pair.server.read_exact(&mut bytes).unwrap();
        assert!(!pair.watch.interrupted());
        pair.client.send_out_of_band(b"B").unwrap();
        assert!(wait_for(&pair.watch));
        assert!(pair.watch.interrupted(), "stays until the group has ended");
        pair.watch.reset();
        assert!(!pair.watch.interrupted());
        pair.client.write_all(b"after").unwrap();
        pair.server.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"after", "the urgent byte is no part of the stream");
    }

    #[test]
    fn urgent_byte_while_idle_does_not_hit_the_next_group() {
        let mut pair = pair();
        pair.client.send_out_of_band(b"B").unwrap();
        pair.client.write_all(b"group").unwrap();
        let mut bytes = [0; 5];
        pair.server.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"group");
        assert!(!pair.watch.interrupted());
    }

    #[test]
    fn a_client_that_has_gone_interrupts() {
        let pair = pair();
        assert!(!pair.watch.interrupted());
        drop(pair.client);
        assert!(wait_for(&pair.watch));
    }

    #[test]
    fn the_end_of_the_server_interrupts() {
        let pair = pair();
        pair.stopping.store(true, Ordering::Relaxed);
        assert!(pair.watch.interrupted());
    }
}
