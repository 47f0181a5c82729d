//! Branches of distributed transactions: what is known of each between its messages (X/Open XA; `sqli-protocol.md` 11.2).
//!
//! A branch that no session works on keeps its SQLite connection here, so that any session can prepare and end it and
//! a prepared branch survives the connection that made it. Nothing here outlives the server: a prepared branch is rolled
//! back when the server stops.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::idle::Calls;
use super::locks::Holder;
use super::server::{Database, Engine};
use super::session::Transaction;

/// Id of a branch: the XID of XA.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchId {
    /// Format of the two other parts.
    pub format: i32,
    /// The global transaction.
    pub global: Vec<u8>,
    /// The branch of it.
    pub branch: Vec<u8>,
}

/// What an XA operation may answer beside "done"; the numbers are those of the XA standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum XaFailure {
    /// XA_RBROLLBACK: the branch is rolled back.
    RolledBack = 100,
    /// XA_RBINTEGRITY: rolled back, as a constraint does not hold.
    Integrity = 103,
    /// XAER_RMERR: the database could not do it.
    ResourceManager = -3,
    /// XAER_NOTA: no such branch.
    Unknown = -4,
    /// XAER_INVAL: flags or ids that are none.
    Invalid = -5,
    /// XAER_PROTO: not in this state.
    Protocol = -6,
    /// XAER_DUPID: the id is in use.
    Duplicate = -8,
    /// XAER_OUTSIDE: the session is in a transaction of its own.
    Outside = -9,
}

/// Result of an XA operation.
pub type XaResult<T> = Result<T, XaFailure>;

/// How a branch answers to prepare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XaVote {
    /// It waits for the second phase.
    Prepared,
    /// It changed nothing and is over.
    ReadOnly,
}

/// Flags of XA messages.
pub mod flags {
    /// TMJOIN.
    pub const JOIN: i32 = 0x0020_0000;
    /// TMENDRSCAN.
    pub const END_SCAN: i32 = 0x0080_0000;
    /// TMSTARTRSCAN.
    pub const START_SCAN: i32 = 0x0100_0000;
    /// TMRESUME.
    pub const RESUME: i32 = 0x0800_0000;
    /// TMFAIL.
    pub const FAIL: i32 = 0x2000_0000;
    /// TMONEPHASE.
    pub const ONE_PHASE: i32 = 0x4000_0000;
}

/// The branches of a server.
#[derive(Default)]
pub(crate) struct Branches(Mutex<BTreeMap<BranchId, Branch>>);

/// One branch.
pub(crate) struct Branch {
    pub(crate) state: BranchState,
    /// The session that works or worked on it.
    pub(crate) session: i32,
    /// Name of its database.
    pub(crate) database: String,
}

/// Where a branch stands.
pub(crate) enum BranchState {
    /// A session works on it.
    Working,
    /// Nobody works on it; without a connection when it has changed nothing.
    Idle(Option<Parked>),
    /// Ready for the second phase.
    Prepared(Parked),
    /// Its session gave it up (TMFAIL).
    RolledBack,
}

/// A connection with an open SQLite transaction, away from its session.
pub(crate) struct Parked {
    pub(crate) connection: Option<Connection>,
    /// What the connection calls.
    pub(crate) calls: Calls,
    pub(crate) transaction: Transaction,
    /// What it has locked.
    pub(crate) locks: Option<Arc<Holder>>,
    pub(crate) database: Arc<Database>,
    pub(crate) attached: Vec<Arc<Database>>,
    /// Constraints are still to be checked.
    pub(crate) deferred: bool,
}

impl Drop for Parked {
    fn drop(&mut self) {
        // Closing rolls back what is open.
        self.connection = None;
        if let Some(locks) = &self.locks {
            locks.release_all();
        }
        Engine::leave_database(&self.database);
        for database in &self.attached {
            Engine::leave_database(database);
        }
    }
}

impl Parked {
    /// Checks what COMMIT would refuse.
    fn holds(&self) -> bool {
        let Some(connection) = &self.connection else {
            return false;
        };
        !self.deferred
            || connection
                .prepare("PRAGMA foreign_key_check")
                .and_then(|mut check| check.exists([]))
                .is_ok_and(|violated| !violated)
    }

    fn commit(self) -> XaResult<()> {
        let changed = self.transaction.schema_changed;
        if changed {
            // Before and after, as for every commit of DDL.
            self.database.schema_changed();
        }
        let connection = self.connection.as_ref().ok_or(XaFailure::ResourceManager)?;
        connection
            .execute_batch("COMMIT")
            .map_err(|_| XaFailure::RolledBack)?;
        if changed {
            self.database.schema_changed();
        }
        Ok(())
    }
}

impl Branches {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<BranchId, Branch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new branch on which a session works.
    pub(crate) fn start(&self, id: &BranchId, session: i32, database: &str) -> XaResult<()> {
        let mut branches = self.lock();
        if branches.contains_key(id) {
            return Err(XaFailure::Duplicate);
        }
        let branch = Branch {
            state: BranchState::Working,
            session,
            database: database.to_owned(),
        };
        branches.insert(id.clone(), branch);
        Ok(())
    }

    /// Gives an idle branch to a session.
    pub(crate) fn resume(&self, id: &BranchId, session: i32, database: &str) -> XaResult<Option<Parked>> {
        let mut branches = self.lock();
        let branch = branches.get_mut(id).ok_or(XaFailure::Unknown)?;
        if branch.database != database {
            return Err(XaFailure::Invalid);
        }
        match std::mem::replace(&mut branch.state, BranchState::Working) {
            BranchState::Idle(parked) => {
                branch.session = session;
                Ok(parked)
            }
            BranchState::RolledBack => {
                branch.state = BranchState::RolledBack;
                Err(XaFailure::RolledBack)
            }
            other => {
                branch.state = other;
                Err(XaFailure::Protocol)
            }
        }
    }

    /// The session lets go of its branch.
    pub(crate) fn end(&self, id: &BranchId, state: BranchState) {
        if let Some(branch) = self.lock().get_mut(id) {
            branch.state = state;
        }
    }

    pub(crate) fn contains(&self, id: &BranchId) -> bool {
        self.lock().contains_key(id)
    }

    /// First phase.
    pub(crate) fn prepare(&self, id: &BranchId) -> XaResult<XaVote> {
        let mut branches = self.lock();
        let branch = branches.remove(id).ok_or(XaFailure::Unknown)?;
        match branch.state {
            BranchState::Idle(None) => Ok(XaVote::ReadOnly),
            BranchState::Idle(Some(parked)) if parked.holds() => {
                let state = BranchState::Prepared(parked);
                branches.insert(id.clone(), Branch { state, ..branch });
                Ok(XaVote::Prepared)
            }
            BranchState::Idle(Some(_)) => Err(XaFailure::Integrity),
            BranchState::RolledBack => Err(XaFailure::RolledBack),
            state => {
                branches.insert(id.clone(), Branch { state, ..branch });
                Err(XaFailure::Protocol)
            }
        }
    }

    /// Second phase, or the only one.
    pub(crate) fn commit(&self, id: &BranchId, one_phase: bool) -> XaResult<()> {
        let ready = |state: &BranchState| match state {
            BranchState::Prepared(_) => !one_phase,
            BranchState::Idle(_) => one_phase,
            BranchState::RolledBack => true,
            BranchState::Working => false,
        };
        match self.take_if(id, ready)? {
            BranchState::Prepared(parked) | BranchState::Idle(Some(parked)) => parked.commit(),
            BranchState::RolledBack => Err(XaFailure::RolledBack),
            BranchState::Idle(None) | BranchState::Working => Ok(()),
        }
    }

    /// Undoes a branch that nobody works on.
    pub(crate) fn roll_back(&self, id: &BranchId) -> XaResult<()> {
        self.take_if(id, |state| !matches!(state, BranchState::Working))
            .map(drop)
    }

    /// Takes a branch out when its state allows it.
    fn take_if(&self, id: &BranchId, ready: impl Fn(&BranchState) -> bool) -> XaResult<BranchState> {
        let mut branches = self.lock();
        match branches.get(id) {
            None => return Err(XaFailure::Unknown),
            Some(branch) if !ready(&branch.state) => return Err(XaFailure::Protocol),
            Some(_) => {}
        }
        branches.remove(id).map(|b| b.state).ok_or(XaFailure::Unknown)
    }

    /// The prepared branches after `after`, in the order of their ids.
    pub(crate) fn prepared(&self, after: Option<&BranchId>, most: usize) -> Vec<BranchId> {
        let branches = self.lock();
        let prepared = branches
            .iter()
            .filter(|(id, branch)| {
                matches!(branch.state, BranchState::Prepared(_)) && after.is_none_or(|after| *id > after)
            })
            .map(|(id, _)| id.clone());
        prepared.take(most).collect()
    }

    /// A session is gone: what it has not prepared is rolled back.
    pub(crate) fn session_ended(&self, session: i32) {
        let mut gone = Vec::new();
        let mut branches = self.lock();
        branches.retain(|_, branch| {
            let keep = branch.session != session || matches!(branch.state, BranchState::Prepared(_));
            if !keep {
                gone.push(std::mem::replace(&mut branch.state, BranchState::RolledBack));
            }
            keep
        });
        drop(branches);
    }

    /// Rolls back everything, at the end of the server.
    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }
}
