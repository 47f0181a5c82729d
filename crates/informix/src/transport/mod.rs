//! How bytes travel: the one trait that the session is written against, and its implementations.
//!
//! All state of a conversation lives in the session and its protocol machine. A transport only moves bytes, so that a
//! future dropped at any await point loses nothing.

mod blocking;
mod cancel;
mod dial;
mod meter;
#[cfg(unix)]
pub(crate) mod polled;
#[cfg(feature = "tls")]
pub(crate) mod tls;
#[cfg(feature = "tokio")]
mod tokio;

use std::io;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

#[cfg(feature = "tokio")]
pub(crate) use self::tokio::TokioDialer;
pub(crate) use blocking::BlockingDialer;
#[doc(hidden)]
pub use blocking::Interrupted as SignalHook;
pub use cancel::Interrupter;
pub(crate) use dial::Dialer;
pub(crate) use meter::Metered;
pub use meter::{Meter, MeterReading};

/// A byte stream to a server.
///
/// A blocking implementation never returns `Pending`: it blocks until bytes came, or the time limit passed.
pub trait Transport: Send {
    /// Reads some bytes; 0 = the server closed the stream.
    ///
    /// # Errors
    /// `TimedOut` when the limits of [`Transport::set_limits`] passed; whatever the stream reports.
    fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Writes some bytes.
    ///
    /// # Errors
    /// As [`Transport::poll_read`].
    fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Whether [`Transport::poll_write_now`] does not wait inside the call. Then any number of requests may be in flight, since
    /// their replies can be read in between; otherwise those replies must fit the TCP buffers.
    fn is_duplex(&self) -> bool {
        false
    }

    /// As [`Transport::poll_write`], but `Pending` when the stream takes nothing now.
    ///
    /// # Errors
    /// As [`Transport::poll_read`].
    fn poll_write_now(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write(cx, buf)
    }

    /// Sends what a layer (TLS) still holds.
    ///
    /// # Errors
    /// As [`Transport::poll_read`].
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Sets the moment at which reads and writes give up, and how long one of them may stay without progress.
    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>);

    /// Whether the stream is open and silent, found without waiting. A stream with unread bytes is not usable for a
    /// new request.
    fn is_alive(&mut self) -> bool;

    /// Something that can interrupt the server from another thread.
    fn interrupter(&self) -> Option<Interrupter>;
}
