//! Counts what goes over a transport.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::{Interrupter, Transport};

/// Running counters of one connection.
#[derive(Debug, Default)]
pub struct Meter {
    sent: AtomicU64,
    received: AtomicU64,
    round_trips: AtomicU64,
    wrote: AtomicBool,
}

/// What a [`Meter`] showed at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeterReading {
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Times that the connection turned from writing to waiting for the server.
    pub round_trips: u64,
}

impl Meter {
    /// The counters now.
    #[must_use]
    pub fn read(&self) -> MeterReading {
        MeterReading {
            sent: self.sent.load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
            round_trips: self.round_trips.load(Ordering::Relaxed),
        }
    }
}

/// A transport with a meter.
pub(crate) struct Metered {
    inner: Box<dyn Transport>,
    meter: Arc<Meter>,
}

impl Metered {
    pub(crate) fn new(inner: Box<dyn Transport>, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }

    fn wrote(&self, polled: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(n)) = polled {
            self.meter.wrote.store(true, Ordering::Relaxed);
            self.meter.sent.fetch_add(*n as u64, Ordering::Relaxed);
        }
    }
}

impl Transport for Metered {
    fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.meter.wrote.swap(false, Ordering::Relaxed) {
            self.meter.round_trips.fetch_add(1, Ordering::Relaxed);
        }
        let polled = self.inner.poll_read(cx, buf);
        if let Poll::Ready(Ok(n)) = polled {
            self.meter.received.fetch_add(n as u64, Ordering::Relaxed);
        }
        polled
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = self.inner.poll_write(cx, buf);
        self.wrote(&polled);
        polled
    }

    fn is_duplex(&self) -> bool {
        self.inner.is_duplex()
    }

    fn poll_write_now(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = self.inner.poll_write_now(cx, buf);
        self.wrote(&polled);
        polled
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_flush(cx)
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.inner.set_limits(deadline, idle);
    }

    fn is_alive(&mut self) -> bool {
        self.inner.is_alive()
    }

    fn interrupter(&self) -> Option<Interrupter> {
        self.inner.interrupter()
    }
}
