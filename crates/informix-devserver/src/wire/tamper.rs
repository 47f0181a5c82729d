//! Fault rules at work on one connection: what a message brings about at once, and what is done to the answer.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::cancel::CancelWatch;
use super::channel::{Broken, Channel};
use crate::error::SqlError;
use crate::fault::{
    ClosePoint, ConnectionFaults, Hit, Message, Reaction, Step, messages, outlives_error, steps,
};

/// Every so often a pause looks whether it has become useless.
const LOOK: Duration = Duration::from_millis(10);
/// How often per second a slow answer sends a piece, if it has so many bytes.
const PIECES: u32 = 50;

/// Rules that the session and, while a statement runs, the dialogue about client files look at in turn.
#[derive(Debug, Clone)]
pub(super) struct SharedTamper(Arc<Mutex<Tamper>>);

impl SharedTamper {
    pub(super) fn new(tamper: Tamper) -> Self {
        Self(Arc::new(Mutex::new(tamper)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Tamper> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rules of a connection and the group that is being answered.
#[derive(Debug)]
pub(super) struct Tamper {
    faults: ConnectionFaults,
    cancel: Arc<CancelWatch>,
    /// The answer of the running group is held back.
    holding: bool,
    /// What requests of the group do to the whole answer.
    pending: Vec<Reaction>,
    /// The statement of the group.
    statement: Option<String>,
    /// The group had an XRECOVER, whose answer has a layout of its own.
    recover: bool,
}

impl Tamper {
    pub(super) fn new(faults: ConnectionFaults, cancel: Arc<CancelWatch>) -> Self {
        Self {
            faults,
            cancel,
            holding: false,
            pending: Vec::new(),
            statement: None,
            recover: false,
        }
    }

    /// Whether messages have to be looked at.
    pub(super) fn is_needed(&self) -> bool {
        self.holding || self.faults.any()
    }

    /// From here on the answer is held back.
    pub(super) fn hold(&mut self, channel: &mut Channel) {
        if !self.holding && self.is_needed() {
            self.holding = true;
            channel.transport().hold();
        }
    }

    /// A login has come: the error that it is to be refused with.
    pub(super) fn login(&mut self) -> Result<Option<SqlError>, Broken> {
        if self.is_needed() {
            self.request(Message::Login, None)
        } else {
            Ok(None)
        }
    }

    /// A request has come: the error that is to be reported instead of acting.
    pub(super) fn request(
        &mut self,
        kind: Message,
        statement: Option<String>,
    ) -> Result<Option<SqlError>, Broken> {
        self.recover |= kind == Message::XaRecover;
        let reactions = self.faults.meet(kind, statement.as_deref());
        self.statement = statement.or_else(|| self.statement.take());
        let mut refused = None;
        for reaction in reactions {
            match reaction {
                Reaction::Close(ClosePoint::Before) => return Err(Broken::Fault),
                Reaction::Delay(time) => {
                    if !wait(time, || self.cancel.interrupted()) {
                        refused = refused.or_else(|| Some(SqlError::new(-213)));
                    }
                }
                later => match forged(&later) {
                    Some(error) => refused = refused.or(Some(error)),
                    None => self.pending.push(later),
                },
            }
        }
        Ok(refused)
    }

    /// The answer to the login is complete.
    pub(super) fn finish_login(&mut self, channel: &mut Channel) -> Result<(), Broken> {
        if !std::mem::take(&mut self.holding) {
            return Ok(());
        }
        let answer = channel.transport().take_held();
        let hits = self.pending_hits(answer.len());
        let steps = steps(&answer, &[], &hits, channel.negotiated(), |token| {
            token.as_bytes().to_vec()
        });
        self.perform(channel, &steps)
    }

    /// The answer of the group is complete: it is sent, as the rules say. An answer that no rule is about stays where it is.
    pub(super) fn finish(
        &mut self,
        channel: &mut Channel,
        token: impl Fn(&str) -> Vec<u8>,
    ) -> Result<(), Broken> {
        if !std::mem::take(&mut self.holding) {
            return Ok(());
        }
        let answer = channel.transport().take_held();
        let found = messages(&answer, channel.negotiated(), std::mem::take(&mut self.recover));
        let hits = self.hits(answer.len(), &found);
        self.statement = None;
        self.send(channel, answer, &found, &hits, token)
    }

    /// The client is to answer in the middle of the reply: what has gathered is sent, as the rules say, and what follows is
    /// held back anew. An error that a rule puts in the place of a message ends the dialogue instead of being sent.
    pub(super) fn turn(&mut self, channel: &mut Channel) -> Result<Option<SqlError>, Broken> {
        if !std::mem::take(&mut self.holding) {
            return Ok(None);
        }
        let answer = channel.transport().take_held();
        let found = messages(&answer, channel.negotiated(), false);
        let hits = self.hits(answer.len(), &found);
        let error = hits.iter().find_map(|hit| forged(&hit.reaction));
        if error.is_none() {
            self.send(channel, answer, &found, &hits, |token| token.as_bytes().to_vec())?;
        }
        self.hold(channel);
        Ok(error)
    }

    /// What the rules say about an answer and its messages.
    fn hits(&mut self, end: usize, found: &[(Message, Range<usize>)]) -> Vec<Hit> {
        let mut hits = self.pending_hits(end);
        let mut failed = false;
        for (kind, part) in found {
            if failed && !outlives_error(*kind) {
                continue;
            }
            for reaction in self.faults.meet(*kind, self.statement.as_deref()) {
                failed |= matches!(reaction, Reaction::Error { .. });
                hits.push(Hit {
                    part: part.clone(),
                    reaction,
                });
            }
        }
        hits
    }

    fn send(
        &self,
        channel: &mut Channel,
        mut answer: Vec<u8>,
        found: &[(Message, Range<usize>)],
        hits: &[Hit],
        token: impl Fn(&str) -> Vec<u8>,
    ) -> Result<(), Broken> {
        if hits.is_empty() {
            channel.out().append(&mut answer);
            return Ok(());
        }
        let steps = steps(&answer, found, hits, channel.negotiated(), token);
        self.perform(channel, &steps)
    }

    fn pending_hits(&mut self, end: usize) -> Vec<Hit> {
        let pending = std::mem::take(&mut self.pending);
        pending
            .into_iter()
            .map(|reaction| Hit {
                part: 0..end,
                reaction,
            })
            .collect()
    }

    fn perform(&self, channel: &mut Channel, steps: &[Step]) -> Result<(), Broken> {
        let transport = channel.transport();
        transport.flush()?;
        let pause = |time| wait(time, || self.cancel.stopping());
        for step in steps {
            match step {
                Step::Send(bytes, None) => transport.write(bytes)?,
                Step::Send(bytes, Some(rate)) => {
                    let piece = usize::try_from(rate.div_ceil(PIECES))
                        .unwrap_or(usize::MAX)
                        .max(1);
                    for bytes in bytes.chunks(piece) {
                        transport.write(bytes)?;
                        if !pause(Duration::from_secs(1).mul_f64(bytes.len() as f64 / f64::from(*rate))) {
                            return Err(Broken::Fault);
                        }
                    }
                }
                Step::Pause(time) if pause(*time) => {}
                Step::Pause(_) | Step::Close => return Err(Broken::Fault),
            }
        }
        Ok(())
    }
}

/// The error that a rule makes up.
fn forged(reaction: &Reaction) -> Option<SqlError> {
    let Reaction::Error { sqlcode, isam, token } = reaction else {
        return None;
    };
    let error = SqlError::new((*sqlcode).into())
        .isam((*isam).into())
        .token(token.as_str());
    Some(error.because("a fault rule"))
}

/// Waits so long, or until `useless`; whether the time has passed.
fn wait(time: Duration, useless: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        let left = time.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return true;
        }
        if useless() {
            return false;
        }
        std::thread::sleep(left.min(LOOK));
    }
}
