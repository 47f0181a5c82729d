//! Waiting for the client of a session whose changes others may ask for: whoever asks wakes it.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};

use crate::engine;

/// What wakes a session.
#[derive(Debug)]
pub(super) struct Bell {
    pipe: PipeReader,
    /// A byte is in the pipe: never more than one, so that ringing never blocks.
    rung: Arc<AtomicBool>,
}

impl Bell {
    /// Hands the rope to the session.
    pub(super) fn new(session: &engine::Session) -> io::Result<Self> {
        let (pipe, writer) = io::pipe()?;
        let rung = Arc::new(AtomicBool::new(false));
        let ringing = Arc::clone(&rung);
        session.wake_by(move || {
            if !ringing.swap(true, Ordering::SeqCst) {
                // The other end lives as long as this one is of use.
                let _ = (&writer).write(&[1]);
            }
        });
        Ok(Self { pipe, rung })
    }

    /// Waits until the socket can be read, or the bell rings; whether it rang.
    pub(super) fn wait(&mut self, socket: &impl AsFd) -> io::Result<bool> {
        let mut both = [
            PollFd::new(socket, PollFlags::IN),
            PollFd::new(&self.pipe, PollFlags::IN),
        ];
        match poll(&mut both, None) {
            Err(error) if error == rustix::io::Errno::INTR => return Ok(true),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let [_, bell] = &both;
        let rings = bell.revents().contains(PollFlags::IN);
        if rings {
            self.pipe.read_exact(&mut [0])?;
            // Before it is looked who has asked: whoever asks from here on rings again.
            self.rung.swap(false, Ordering::SeqCst);
        }
        Ok(rings)
    }
}
