//! Branches of distributed transactions: what a session does with them.
//!
//! When a session ends its work on a branch, the branch takes the SQLite connection along and the session gets a new
//! one. What lives in the connection only, temporary tables and cursors without HOLD, ends for the session then.

use std::rc::Rc;

use super::super::xa::{BranchId, BranchState, Parked, XaFailure, XaResult, XaVote, flags};
use super::{Session, Transaction};
use crate::engine::Engine;
use crate::engine::idle::Wired;
use crate::engine::locks::Holder;
use crate::error::{SqlError, SqlResult};

impl Session {
    /// Starts work on a branch: a new one, or with TMJOIN or TMRESUME one that somebody has let go of.
    ///
    /// # Errors
    /// XAER_PROTO while working on another one, XAER_OUTSIDE inside a transaction, XAER_RMERR without a logged database,
    /// XAER_DUPID, XAER_NOTA, XAER_INVAL for a branch of another database.
    pub fn xa_start(&mut self, id: &BranchId, how: i32) -> XaResult<()> {
        if self.branch.is_some() {
            return Err(XaFailure::Protocol);
        }
        if self.transaction.is_some() {
            return Err(XaFailure::Outside);
        }
        let open = self.open.as_ref().ok_or(XaFailure::ResourceManager)?;
        if !open.mode().is_logged() {
            return Err(XaFailure::ResourceManager);
        }
        let database = open.database.info.name.clone();
        if how & (flags::JOIN | flags::RESUME) == 0 {
            self.engine.branches.start(id, self.id, &database)?;
            self.transaction = Some(Transaction::default());
        } else {
            match self.engine.branches.resume(id, self.id, &database)? {
                None => self.transaction = Some(Transaction::default()),
                Some(parked) => {
                    if let Err(error) = self.take_over(parked) {
                        tracing::debug!(%error, "a branch is lost");
                        self.engine.branches.end(id, BranchState::RolledBack);
                        return Err(XaFailure::RolledBack);
                    }
                }
            }
        }
        self.branch = Some(id.clone());
        Ok(())
    }

    /// Ends work on the branch; TMFAIL also rolls it back.
    ///
    /// # Errors
    /// XAER_PROTO when the session works on another one, XAER_NOTA for an unknown one.
    pub fn xa_end(&mut self, id: &BranchId, how: i32) -> XaResult<()> {
        if self.branch.as_ref() != Some(id) {
            return Err(if self.engine.branches.contains(id) {
                XaFailure::Protocol
            } else {
                XaFailure::Unknown
            });
        }
        self.branch = None;
        // A function may have begun SQLite's transaction.
        self.adopt();
        let written = self.transaction.as_ref().is_some_and(Transaction::has_written);
        let state = if self.refuse_lost().is_err() {
            // SQLite gave its work up: it must not look like a branch without work.
            let _ = self.rollback();
            BranchState::RolledBack
        } else if written {
            match self.detach() {
                Ok(parked) => BranchState::Idle(Some(parked)),
                Err(error) => {
                    tracing::debug!(%error, "a branch is lost");
                    let _ = self.rollback();
                    BranchState::RolledBack
                }
            }
        } else {
            // Nothing to keep: reads leave no locks.
            let _ = self.prepare_end_of_transaction();
            self.transaction = None;
            self.locks.release_all();
            BranchState::Idle(None)
        };
        let state = if how & flags::FAIL == 0 {
            state
        } else {
            BranchState::RolledBack
        };
        self.settings.transaction_ended();
        self.engine.branches.end(id, state);
        Ok(())
    }

    /// First phase.
    ///
    /// # Errors
    /// XAER_NOTA, XAER_PROTO, XA_RBINTEGRITY when a deferred constraint does not hold.
    pub fn xa_prepare(&mut self, id: &BranchId) -> XaResult<XaVote> {
        self.engine.branches.prepare(id)
    }

    /// Second phase, or with TMONEPHASE the only one.
    ///
    /// # Errors
    /// XAER_NOTA, XAER_PROTO, XA_RBROLLBACK.
    pub fn xa_commit(&mut self, id: &BranchId, how: i32) -> XaResult<()> {
        self.engine.branches.commit(id, how & flags::ONE_PHASE != 0)
    }

    /// Undoes a branch.
    ///
    /// # Errors
    /// XAER_NOTA, XAER_PROTO while a session works on it.
    pub fn xa_rollback(&mut self, id: &BranchId) -> XaResult<()> {
        self.engine.branches.roll_back(id)
    }

    /// Forgets a branch that was ended heuristically; the server never does that.
    ///
    /// # Errors
    /// XAER_NOTA, XAER_PROTO for a known one.
    pub fn xa_forget(&mut self, id: &BranchId) -> XaResult<()> {
        Err(if self.engine.branches.contains(id) {
            XaFailure::Protocol
        } else {
            XaFailure::Unknown
        })
    }

    /// The prepared branches of all databases, some at a time.
    ///
    /// # Errors
    /// XAER_INVAL for a negative number.
    pub fn xa_recover(&mut self, most: i32, how: i32) -> XaResult<Vec<BranchId>> {
        let most = usize::try_from(most).map_err(|_| XaFailure::Invalid)?;
        if how & flags::START_SCAN != 0 {
            self.scanned = None;
        }
        let found = self.engine.branches.prepared(self.scanned.as_ref(), most);
        if let Some(last) = found.last() {
            self.scanned = Some(last.clone());
        }
        if how & flags::END_SCAN != 0 {
            self.scanned = None;
        }
        Ok(found)
    }

    /// Takes the connection with its transaction out of the session, which goes on with a new one.
    fn detach(&mut self) -> SqlResult<Parked> {
        self.prepare_end_of_transaction()?;
        for prepared in self.prepared.iter().filter_map(std::rc::Weak::upgrade) {
            prepared.let_go();
        }
        self.withdraw();
        // Nobody can be asked later.
        self.show_changes();
        let wake = self.locks.attention.take_wake();
        let open = self.open.take().ok_or_else(|| SqlError::new(-349))?;
        open.routines.clear();
        let transaction = self.transaction.take().unwrap_or_default();
        self.facts.serials.forget_temporary();
        let attached = open.attached.borrow_mut().drain(..).collect();
        let locks = std::mem::replace(&mut self.locks, Holder::new(&self.engine.locks, self.id));
        self.move_attention(wake);
        open.calls.caller.clear();
        let parked = Parked {
            connection: Rc::try_unwrap(open.connection).ok(),
            calls: open.calls,
            locks: Some(locks),
            transaction,
            database: open.database,
            attached,
            deferred: self.settings.constraints_deferred,
        };
        let database = std::sync::Arc::clone(&parked.database);
        self.open = Some(self.connect(&database)?);
        database.users().count += 1;
        self.offer();
        if parked.connection.is_some() {
            Ok(parked)
        } else {
            Err(SqlError::new(-701).because("the connection is in use"))
        }
    }

    /// The connection of a branch becomes the session's.
    fn take_over(&mut self, mut parked: Parked) -> SqlResult<()> {
        self.prepare_end_of_transaction()?;
        for prepared in self.prepared.iter().filter_map(std::rc::Weak::upgrade) {
            prepared.let_go();
        }
        let connection = parked.connection.take().ok_or_else(|| SqlError::new(-701))?;
        let calls = parked.calls.clone();
        // `parked` counts itself out at its end, the old connection's place goes to the adopted one.
        let open = self.use_connection(&parked.database, Wired { connection, calls })?;
        if let Some(locks) = parked.locks.take() {
            let wake = self.locks.attention.take_wake();
            self.locks = locks;
            self.locks.set_session(self.id);
            self.move_attention(wake);
        }
        for database in parked.attached.drain(..) {
            open.attached.borrow_mut().push(database);
        }
        self.settings.constraints_deferred = parked.deferred;
        self.transaction = Some(std::mem::take(&mut parked.transaction));
        self.facts.serials.forget_temporary();
        self.withdraw();
        if let Some(old) = self.open.replace(open) {
            old.routines.clear();
            for database in old.attached.borrow().iter() {
                Engine::leave_database(database);
            }
        }
        self.offer();
        Ok(())
    }
}
