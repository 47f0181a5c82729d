//! A server whose answers are in memory.
//!
//! It speaks real SQLI, built on the server's role of `informix-protocol`: login, PROTOCOLS, INFO, DBOPEN, statements, cursors,
//! transactions. Rows are encoded once and copied from then on; parameters are cut and looked at, not stored.
//!
//! | file | does |
//! |---|---|
//! | `rows` | the rows of the benchmark tables, as values and as messages |
//! | `statement` | which statements are known, and what they answer |
//! | `input` | requests from bytes; SQ_BIND is read without copying it |
//! | `session` | one connection |

mod input;
pub mod rows;
mod session;
pub mod statement;

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use self::rows::Blocks;
use self::session::Session;

/// Each connection has a thread that needs little.
const STACK: usize = 256 * 1024;

/// What all connections share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    blocks: Blocks,
    /// The number of rows that INSERTs have put into each table.
    tables: Mutex<HashMap<String, Arc<AtomicI64>>>,
}

impl Shared {
    /// The number of rows of a table.
    fn table(&self, name: &str) -> Arc<AtomicI64> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(tables.entry(name.to_owned()).or_default())
    }
}

/// A running replay server. It ends with the process.
#[derive(Debug)]
pub struct Replay {
    address: SocketAddr,
}

impl Replay {
    /// Serves what connects to `listener`.
    ///
    /// # Errors
    /// The listener has no address, or the thread can't be started.
    pub fn start(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        thread::Builder::new()
            .name("replay-accept".into())
            .spawn(move || {
                for stream in listener.incoming() {
                    let shared = Arc::clone(&shared);
                    let started = stream.and_then(|stream| {
                        thread::Builder::new()
                            .name("replay".into())
                            .stack_size(STACK)
                            .spawn(move || serve(stream, &shared))
                    });
                    if let Err(error) = started {
                        eprintln!("replay server: cannot serve a connection: {error}");
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

fn serve(stream: TcpStream, shared: &Arc<Shared>) {
    let peer = stream
        .peer_addr()
        .map_or_else(|_| "a client".to_owned(), |peer| peer.to_string());
    let session = stream
        .set_nodelay(true)
        .map(|()| Session::new(stream, Arc::clone(shared)));
    if let Err(error) = session.and_then(|mut session| session.run()) {
        // Clients may hang up as they like; what they sent wrong is worth a word.
        if error.kind() == io::ErrorKind::InvalidData {
            eprintln!("replay server: {peer}: {error}");
        }
    }
}
