//! Interrupting the server from outside: one TCP urgent byte, as the vendor's Java and native clients send it
//! (`sqli-protocol.md` 12.4, J V). Inside TLS there is no urgent data: there the connection is closed.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;

use informix_protocol::CANCEL_BYTE;
use socket2::SockRef;

/// A socket that a transport shares with its interrupters: one descriptor for all.
pub(super) trait Shared: std::fmt::Debug + Send + Sync {
    /// The socket.
    fn socket(&self) -> SockRef<'_>;
}

impl Shared for std::net::TcpStream {
    fn socket(&self) -> SockRef<'_> {
        self.into()
    }
}

/// A second handle on the socket of a connection.
#[derive(Debug, Clone)]
pub struct Interrupter {
    socket: Arc<dyn Shared>,
    /// Urgent data is of no use inside TLS.
    tls: bool,
}

impl Interrupter {
    /// With a descriptor of its own.
    pub(crate) fn new(stream: &std::net::TcpStream, tls: bool) -> io::Result<Self> {
        Ok(Self::sharing(Arc::new(stream.try_clone()?), tls))
    }

    /// With the descriptor of the transport.
    pub(super) fn sharing(socket: Arc<dyn Shared>, tls: bool) -> Self {
        Self { socket, tls }
    }

    /// The same for a stream inside TLS of somebody else: it interrupts by closing.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.tls = true;
        self
    }

    pub(crate) fn can_ask(&self) -> bool {
        !self.tls
    }

    /// Asks the server to end the running request, or closes the connection where that cannot be asked.
    pub(crate) fn interrupt(&self) -> io::Result<()> {
        if self.tls {
            return self.close();
        }
        self.socket.socket().send_out_of_band(&[CANCEL_BYTE]).map(|_| ())
    }

    pub(crate) fn close(&self) -> io::Result<()> {
        match self.socket.socket().shutdown(Shutdown::Both) {
            Err(e) if e.kind() != io::ErrorKind::NotConnected => Err(e),
            _ => Ok(()),
        }
    }
}
