//! The bytes of one connection: plain TCP or TLS, reads bounded by a timeout, replies gathered before they are written.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use socket2::{Socket, TcpKeepalive};

#[cfg(feature = "tls")]
use super::tls::TlsStream;

/// Replies are written when the input is exhausted, or when this many bytes wait. It is a lot because a client may write
/// many groups before it reads (the peer's `executemany`): while it doesn't read, writing would stop both sides.
const FLUSH_AT: usize = 8 * 1024 * 1024;
/// Memory that an idle connection keeps for its next replies.
const KEEP: usize = 256 * 1024;
/// A dead peer is noticed after about two minutes of silence, so that a half-open connection doesn't hold its locks for ever.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// What carries the bytes.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Plain TCP.
    Plain(TcpStream),
    /// TLS over TCP.
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => &stream.sock,
        }
    }
}

/// One connection's socket with its output buffer.
#[derive(Debug)]
pub(crate) struct Transport {
    stream: Stream,
    out: Vec<u8>,
    /// What begins here is not written before [`Transport::take_held`]: an answer that may be tampered with.
    held: Option<usize>,
}

impl Transport {
    /// Sets the socket options of a server connection.
    pub(crate) fn new(stream: Stream) -> io::Result<Self> {
        let tcp = stream.tcp();
        tcp.set_nodelay(true)?;
        let handle = Socket::from(tcp.try_clone()?);
        handle.set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE))?;
        Ok(Self {
            stream,
            out: Vec::new(),
            held: None,
        })
    }

    /// The socket, when what comes next has to come through it.
    #[cfg(unix)]
    pub(crate) fn idle_socket(&self) -> Option<&TcpStream> {
        match &self.stream {
            Stream::Plain(stream) => Some(stream),
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => stream.conn.wants_read().then_some(&stream.sock),
        }
    }

    /// A second handle for the cancel watch; none over TLS.
    pub(crate) fn urgent_handle(&self) -> Option<TcpStream> {
        match &self.stream {
            Stream::Plain(stream) => stream.try_clone().ok(),
            #[cfg(feature = "tls")]
            Stream::Tls(_) => None,
        }
    }

    /// How long a read may take; `None` waits for ever (an idle session).
    pub(crate) fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.stream.tcp().set_read_timeout(timeout)
    }

    /// Reads what the client sent into `buffer`; 0 at the end of the stream. Everything gathered so far is written
    /// first, because the client may be waiting for it.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.flush()?;
        loop {
            let result = match &mut self.stream {
                Stream::Plain(stream) => stream.read(buffer),
                #[cfg(feature = "tls")]
                Stream::Tls(stream) => stream.read(buffer),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// The buffer that replies are encoded into.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Writes when so much has gathered that waiting for the end of the input would only cost memory.
    pub(crate) fn flush_if_large(&mut self) -> io::Result<()> {
        if self.out.len() >= FLUSH_AT {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes what has gathered and is not held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if let Some(held) = &mut self.held {
            let answer = self.out.split_off(*held);
            let before = std::mem::replace(&mut self.out, answer);
            *held = 0;
            return self.write(&before);
        }
        let out = std::mem::take(&mut self.out);
        let written = self.write(&out);
        self.out = out;
        written?;
        self.out.clear();
        // A single huge reply must not pin its memory for the rest of the session.
        self.out.shrink_to(KEEP);
        Ok(())
    }

    /// Writes at once, past everything that has gathered.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.stream {
            Stream::Plain(stream) => stream.write_all(bytes),
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()
            }
        }
    }

    /// Holds back everything from here on.
    pub(crate) fn hold(&mut self) {
        self.held = Some(self.out.len());
    }

    /// Holds nothing back any more.
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// What has gathered since [`Self::hold`], or at all when it was released since.
    pub(crate) fn take_held(&mut self) -> Vec<u8> {
        let from = self.held.take().unwrap_or(0);
        self.out.split_off(from.min(self.out.len()))
    }

    /// Ends the connection at once, without what has gathered.
    pub(crate) fn hang_up(&mut self) {
        self.release();
        self.out.clear();
        let _ = self.stream.tcp().shutdown(Shutdown::Both);
    }

    /// Ends the connection after the last reply.
    pub(crate) fn close(&mut self) {
        self.release();
        let _ = self.flush();
        #[cfg(feature = "tls")]
        if let Stream::Tls(stream) = &mut self.stream {
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
        let _ = self.stream.tcp().shutdown(Shutdown::Write);
    }
}
