//! Accepting connections: one thread accepts and does nothing else, each connection has a thread to itself.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::threads::Threads;

/// Pause after a failed accept (out of file descriptors, mostly), so that the loop doesn't burn a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long `stop` waits for connections to end after their sockets were shut down.
const STOP_WAIT: Duration = Duration::from_secs(10);

/// The open connections, so that stopping the server ends them.
#[derive(Debug, Default)]
struct Connections {
    sockets: Mutex<HashMap<u64, TcpStream>>,
    ended: Condvar,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a connection out of the table when its thread ends, also by a panic.
struct Registration {
    id: u64,
    connections: Arc<Connections>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.id);
        self.connections.ended.notify_all();
    }
}

/// A listening socket with its accept thread.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    connections: Arc<Connections>,
    threads: Arc<Threads>,
    accepting: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts accepting on `listener`; each connection runs `serve` in a thread of its own.
    ///
    /// `stopping` is set by [`Self::stop`] and may be watched by running statements.
    ///
    /// # Errors
    /// When the socket has no address or the thread can't be started.
    pub(crate) fn start<F>(listener: TcpListener, stopping: Arc<AtomicBool>, serve: F) -> io::Result<Self>
    where
        F: Fn(TcpStream, SocketAddr, u64) + Send + Sync + 'static,
    {
        let address = listener.local_addr()?;
        let connections = Arc::new(Connections::default());
        let threads = Arc::<Threads>::default();
        let accepting = thread::Builder::new().name("ifx-accept".into()).spawn({
            let threads = Arc::clone(&threads);
            let stopping = Arc::clone(&stopping);
            let connections = Arc::clone(&connections);
            move || accept_loop(&listener, &stopping, &connections, &threads, &Arc::new(serve))
        })?;
        Ok(Self {
            address,
            stopping,
            connections,
            threads,
            accepting: Some(accepting),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting, ends every connection (open transactions roll back) and waits for their threads.
    pub(crate) fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else {
            return;
        };
        self.stopping.store(true, Ordering::SeqCst);
        // accept() has no portable wake-up but a connection.
        let mut target = self.address;
        if target.ip().is_unspecified() {
            target.set_ip(match target {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let _ = TcpStream::connect_timeout(&target, Duration::from_secs(1));
        let _ = accepting.join();
        self.threads.end();
        let mut open = self.connections.lock();
        for socket in open.values() {
            let _ = socket.shutdown(Shutdown::Both);
        }
        while !open.is_empty() {
            let (guard, waited) = self
                .connections
                .ended
                .wait_timeout(open, STOP_WAIT)
                .unwrap_or_else(PoisonError::into_inner);
            open = guard;
            if waited.timed_out() {
                tracing::warn!(
                    connections = open.len(),
                    "connections still busy at the end of the server"
                );
                break;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept_loop<F>(
    listener: &TcpListener,
    stopping: &AtomicBool,
    connections: &Arc<Connections>,
    threads: &Arc<Threads>,
    serve: &Arc<F>,
) where
    F: Fn(TcpStream, SocketAddr, u64) + Send + Sync + 'static,
{
    let ids = AtomicU64::new(1);
    loop {
        let accepted = listener.accept();
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                thread::sleep(ACCEPT_PAUSE);
                continue;
            }
        };
        let id = ids.fetch_add(1, Ordering::Relaxed);
        let Ok(handle) = stream.try_clone() else { continue };
        connections.lock().insert(id, handle);
        let registration = Registration {
            id,
            connections: Arc::clone(connections),
        };
        let serve = Arc::clone(serve);
        let started = threads.run(Box::new(move || {
            let _registration = registration;
            serve(stream, peer, id);
        }));
        if let Err(error) = started {
            tracing::warn!(%error, "no thread for a connection");
        }
    }
}
