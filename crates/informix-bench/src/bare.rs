//! A connection without a driver: it sends the bytes that a client was seen to send, and reads as many as came back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};

/// What a client sends at once, and how many bytes come back.
pub type Turn = (Vec<u8>, usize);

type Turns = Arc<Mutex<Vec<Turn>>>;

/// The turns of the connection that `work` makes to the address it is given; the server is `server`. What `work` gives is the
/// connection: what it says when it ends is not recorded.
///
/// # Errors
/// What `work` fails with, and failures of sockets.
pub fn record<C>(server: SocketAddr, work: impl FnOnce(SocketAddr) -> Result<C>) -> Result<Vec<Turn>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let relay = listener.local_addr()?;
    let turns = Turns::default();
    std::thread::scope(|scope| {
        let recording = scope.spawn(|| -> Result<()> {
            let (client, _) = listener.accept()?;
            let upstream = TcpStream::connect(server)?;
            let back = (upstream.try_clone()?, client.try_clone()?);
            let theirs = Arc::clone(&turns);
            // Ends with the server's side.
            std::thread::spawn(move || copy(back.0, back.1, &theirs, false));
            copy(client, upstream, &turns, true)
        });
        let client = work(relay)?;
        let done = turns.lock().map(|turns| turns.clone());
        drop(client);
        // Hanging up may be an error to it.
        let _ = recording.join();
        done.ok().context("a thread panicked")
    })
}

fn copy(mut from: TcpStream, mut to: TcpStream, turns: &Turns, is_request: bool) -> Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let n = from.read(&mut bytes)?;
        let Some(part) = bytes.get(..n).filter(|part| !part.is_empty()) else {
            return Ok(());
        };
        if let Ok(mut turns) = turns.lock() {
            match turns.last_mut() {
                Some((request, 0)) if is_request => request.extend_from_slice(part),
                Some((_, reply)) if !is_request => *reply += n,
                _ => turns.push((part.to_vec(), 0)),
            }
        }
        to.write_all(part)?;
    }
}

/// A bare connection that has gone through some turns.
#[derive(Debug)]
pub struct Bare {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl Bare {
    /// Connects and goes through `turns`; the last one is what [`Self::exchange`] repeats.
    ///
    /// # Errors
    /// Failures of the socket.
    pub fn open(server: SocketAddr, turns: &[Turn]) -> Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let mut bare = Self {
            stream,
            request: Vec::new(),
            reply: Vec::new(),
        };
        for (request, reply) in turns {
            bare.request.clone_from(request);
            bare.reply.resize(*reply, 0);
            bare.exchange()?;
        }
        Ok(bare)
    }

    /// Bytes of a request and of its reply.
    pub fn sizes(&self) -> (usize, usize) {
        (self.request.len(), self.reply.len())
    }

    /// The last turn again.
    ///
    /// # Errors
    /// Failures of the socket.
    pub fn exchange(&mut self) -> Result<()> {
        self.stream.write_all(&self.request)?;
        Ok(self.stream.read_exact(&mut self.reply)?)
    }
}

/// Answers on one connection: as soon as `request` bytes are there, `work` is done and `reply` bytes go back. Ends with the client.
///
/// # Errors
/// Failures of the socket and of `work`.
pub fn echo(
    listener: &TcpListener,
    (request, reply): (usize, usize),
    mut work: impl FnMut() -> Result<()>,
) -> Result<()> {
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let mut bytes = vec![0; request.max(1)];
    let answer = vec![0; reply];
    let mut received = 0;
    loop {
        let n = stream.read(&mut bytes)?;
        if n == 0 {
            return Ok(());
        }
        received += n;
        if received >= request {
            received -= request;
            work()?;
            stream.write_all(&answer)?;
        }
    }
}
