//! Waiting for others: how long, for whom, and whether it can end.

use std::collections::HashSet;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Conflict, Holder, HolderId, State, TableKey};
use crate::storage::{Interrupt, LockWait, Patience};

/// How often one who waits looks whether its client still wants that.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// ISAM code: record locked.
const RECORD_LOCKED: i32 = -107;
/// ISAM code: table locked.
const TABLE_LOCKED: i32 = -113;
/// ISAM code: deadlock.
const DEADLOCK: i32 = -143;
/// ISAM code: the wait that SET LOCK MODE allows is over.
const WAIT_EXPIRED: i32 = -154;

/// What a holder waits for.
#[derive(Debug)]
pub(super) struct Wait {
    holders: Vec<HolderId>,
    /// It waits for SQLite's writer only: a real server would not let it wait.
    for_writer: bool,
    /// It ends some time by itself.
    limited: bool,
    /// The table and row, where they are known.
    at: Option<(TableKey, Option<i64>)>,
}

impl Wait {
    pub(super) fn forget(&mut self, holder: HolderId) {
        self.holders.retain(|id| *id != holder);
    }

    /// It is for that lock.
    pub(super) fn is_for(&self, holder: HolderId, at: &(TableKey, Option<i64>)) -> bool {
        self.holders.contains(&holder) && self.at.as_ref() == Some(at)
    }
}

/// Why a wait ended without success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// An error with this ISAM code.
    Locked(i32),
    /// The client does not want it any more.
    Interrupted,
}

/// Why the writer was not to be had.
#[derive(Debug)]
pub(crate) enum Refusal<E> {
    /// The statement wants rows that are locked.
    Rows(Conflict),
    /// The wait ended.
    Ended(Ending),
    /// The look for those rows failed.
    Failed(E),
}

/// The patience of one statement.
#[derive(Debug)]
pub(crate) struct Waiting {
    since: Instant,
    patience: Patience,
    interrupt: Interrupt,
}

impl Waiting {
    pub(crate) fn new(patience: &Patience, interrupt: &Interrupt) -> Self {
        Self {
            since: Instant::now(),
            patience: patience.clone(),
            interrupt: interrupt.clone(),
        }
    }

    /// Whether a wait of at most `limit` is over; None never is.
    fn is_over(&self, limit: Option<Duration>) -> bool {
        limit.is_some_and(|limit| self.since.elapsed() >= limit)
    }

    /// Others had their time to show what they have changed.
    pub(super) fn is_over_for_images(&self) -> bool {
        self.is_over(Some(self.patience.grace()))
    }

    /// Whether the client does not want it any more.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.check()
    }

    /// It ends by itself before long, without that this would be the fault of SQLite's one writer.
    fn is_limited(&self) -> bool {
        matches!(self.patience.mode(), LockWait::Seconds(_))
    }

    /// The end of a wait for rows that nobody gave up in time.
    fn expired(&self, conflict: &Conflict) -> Ending {
        Ending::Locked(match self.patience.mode() {
            LockWait::None if conflict.whole => TABLE_LOCKED,
            LockWait::None => RECORD_LOCKED,
            _ => WAIT_EXPIRED,
        })
    }
}

/// What cycle a wait would close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cycle {
    None,
    /// One that is there only because SQLite has one writer, and that some member leaves when its time is over.
    Passing,
    /// One that lasts.
    Lasting,
}

impl State {
    /// Looks for `me` among those that `me` waits for.
    fn cycle(&self, me: HolderId) -> Cycle {
        if self.reaches(me, |wait| !wait.for_writer) || self.reaches(me, |wait| !wait.limited) {
            Cycle::Lasting
        } else if self.reaches(me, |_| true) {
            Cycle::Passing
        } else {
            Cycle::None
        }
    }

    /// Whether `me` waits for itself, through waits that count.
    fn reaches(&self, me: HolderId, counts: impl Fn(&Wait) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut todo = vec![me];
        while let Some(id) = todo.pop() {
            let Some(wait) = self.waits.get(&id).filter(|wait| counts(wait)) else {
                continue;
            };
            for next in &wait.holders {
                if *next == me {
                    return true;
                }
                if seen.insert(*next) {
                    todo.push(*next);
                }
            }
        }
        false
    }
}

impl Holder {
    /// Waits until one of those in the way has released something.
    pub(crate) fn wait(&self, conflict: &Conflict, waiting: &Waiting) -> Result<(), Ending> {
        let mut state = self.locks.lock();
        // Whoever has released it since the conflict was seen is not there any more.
        let holders: Vec<HolderId> = conflict
            .holders
            .iter()
            .copied()
            .filter(|id| state.held.contains_key(id))
            .collect();
        let wanted = holders.len();
        if wanted < conflict.holders.len() || wanted == 0 {
            return Ok(());
        }
        if waiting.patience.mode() == LockWait::None {
            return Err(waiting.expired(conflict));
        }
        state.waits.insert(
            self.id,
            Wait {
                holders,
                for_writer: false,
                limited: waiting.is_limited(),
                at: conflict.at.clone(),
            },
        );
        loop {
            let left = state.waits.get(&self.id).map_or(0, |wait| wait.holders.len());
            let ended = if left < wanted {
                Some(Ok(()))
            } else {
                self.ending(&state, waiting, waiting.patience.for_rows())
                    .map(|deadlock| {
                        Err(match deadlock {
                            Some(ending) => ending,
                            None => waiting.expired(conflict),
                        })
                    })
            };
            if let Some(ended) = ended {
                state.waits.remove(&self.id);
                return ended;
            }
            state = self.sleep(state);
            if waiting.interrupt.check() {
                state.waits.remove(&self.id);
                return Err(Ending::Interrupted);
            }
        }
    }

    /// Whether a wait has to end without success: with a deadlock, or because its time is over.
    fn ending(&self, state: &State, waiting: &Waiting, limit: Option<Duration>) -> Option<Option<Ending>> {
        Self::ending_with(state.cycle(self.id), waiting, limit)
    }

    fn ending_with(cycle: Cycle, waiting: &Waiting, limit: Option<Duration>) -> Option<Option<Ending>> {
        let deadlock = match cycle {
            Cycle::Lasting => true,
            Cycle::Passing => waiting.is_over(Some(waiting.patience.grace())),
            Cycle::None => false,
        };
        if deadlock {
            Some(Some(Ending::Locked(DEADLOCK)))
        } else {
            waiting.is_over(limit).then_some(None)
        }
    }

    pub(super) fn sleep<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.locks
            .changed
            .wait_timeout(state, LOOK_EVERY)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Becomes the writer of a database. `rows` says whether the statement wants rows that others have locked; it is
    /// asked, without a lock on anything, while somebody else is the writer.
    pub(crate) fn become_writer<E>(
        &self,
        database: &Arc<str>,
        waiting: &Waiting,
        mut rows: impl FnMut() -> Result<Option<Conflict>, E>,
    ) -> Result<(), Refusal<E>> {
        if self.take_writer(&mut self.locks.lock(), database, waiting) {
            return Ok(());
        }
        let mut asked = None;
        let (mut known, mut cycle) = (Vec::new(), Cycle::None);
        let refused = loop {
            let version = self.locks.lock().version;
            if asked != Some(version) {
                asked = Some(version);
                match rows() {
                    Ok(None) => {}
                    Ok(Some(conflict)) => break Refusal::Rows(conflict),
                    Err(error) => break Refusal::Failed(error),
                }
            }
            let mut state = self.locks.lock();
            if self.take_writer(&mut state, database, waiting) {
                return Ok(());
            }
            // A cycle is seen by the one that closes it, so it is enough to look when those waited for are others than before.
            let holders = state.waits.get(&self.id).map_or(&[][..], |wait| &wait.holders);
            if known != holders || cycle == Cycle::Passing {
                known = holders.to_vec();
                cycle = state.cycle(self.id);
            }
            if let Some(deadlock) = Self::ending_with(cycle, waiting, waiting.patience.for_writer()) {
                let expired = match waiting.patience.mode() {
                    LockWait::None => RECORD_LOCKED,
                    _ => WAIT_EXPIRED,
                };
                break Refusal::Ended(deadlock.unwrap_or(Ending::Locked(expired)));
            }
            drop(self.sleep(state));
            if waiting.interrupt.check() {
                break Refusal::Ended(Ending::Interrupted);
            }
        };
        let mut state = self.locks.lock();
        state.waits.remove(&self.id);
        if let Some(writer) = state.writers.get_mut(database) {
            writer.queue.retain(|id| *id != self.id);
        }
        self.locks.changed.notify_all();
        Err(refused)
    }

    /// Takes the writer when it is this one's turn, else its place in the queue.
    fn take_writer(&self, state: &mut State, database: &Arc<str>, waiting: &Waiting) -> bool {
        let writer = match state.writers.get_mut(database) {
            Some(writer) => writer,
            None => state.writers.entry(Arc::clone(database)).or_default(),
        };
        let turn = writer.queue.front().is_none_or(|first| *first == self.id);
        if writer.holder == Some(self.id) || (writer.holder.is_none() && turn) {
            writer.holder = Some(self.id);
            writer.queue.retain(|id| *id != self.id);
            state.waits.remove(&self.id);
            self.writing.store(true, std::sync::atomic::Ordering::Relaxed);
            return true;
        }
        if !writer.queue.contains(&self.id) {
            writer.queue.push_back(self.id);
        }
        // Those before it in the queue wait for the same holder, and will hold it themselves; the last of them waits for all
        // others.
        let before = writer
            .queue
            .iter()
            .copied()
            .take_while(|id| *id != self.id)
            .last();
        let holders = writer.holder.into_iter().chain(before).collect();
        state.waits.insert(
            self.id,
            Wait {
                holders,
                for_writer: true,
                limited: waiting.is_limited(),
                at: None,
            },
        );
        false
    }
}
