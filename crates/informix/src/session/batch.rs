//! One statement, many rows of parameters: several BIND and EXECUTE per group as the vendor's Java client sends them
//! (`sqli-protocol.md` 9.6, J T), and several groups in flight as the peer driver does (13.1, P).

use std::collections::VecDeque;
use std::sync::Arc;

use informix_protocol::ClientMessage;

use super::execute::Outcome;
use super::group::Group;
use super::link::{Purpose, Ticket};
use super::prepare::Prepared;
use super::reply::server_error;
use super::{Limit, Session};
use crate::error::{Error, Result};
use crate::param::Parameter;

/// Bytes after which a group is sent, as the vendor's client does.
const GROUP_BYTES: usize = 32 * 1024;
/// Rows per group: bounds the replies that wait in the TCP buffers while the next group is written.
const GROUP_ROWS: usize = 512;
/// Single-row groups in flight.
const SINGLES: usize = 128;

/// How a batch deals with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchOptions {
    /// Execute the other rows all the same, and report every error.
    ///
    /// Without it the batch ends at the first error. Outside a transaction each group of rows is then waited for before
    /// the next is sent, so that nothing behind the error is executed; inside one, groups are kept in flight and it is
    /// for the caller to roll back.
    pub continue_on_error: bool,
}

/// What a batch did.
#[derive(Debug, Default)]
pub struct BatchOutcome {
    rows_affected: u64,
    executed: usize,
    last: Outcome,
    errors: Vec<(usize, Error)>,
}

impl BatchOutcome {
    /// Rows inserted, updated or deleted by all rows of parameters.
    #[must_use]
    pub fn rows_affected(&self) -> u64 {
        self.rows_affected
    }

    /// Rows of parameters that were executed without an error.
    #[must_use]
    pub fn executed(&self) -> usize {
        self.executed
    }

    /// What the last successful row did: its serial values.
    #[must_use]
    pub fn last(&self) -> Outcome {
        self.last
    }

    /// Errors with the 0-based index of their row; only with [`BatchOptions::continue_on_error`].
    #[must_use]
    pub fn errors(&self) -> &[(usize, Error)] {
        &self.errors
    }
}

struct Sent {
    ticket: Ticket,
    first_row: usize,
}

/// Rows of parameters.
pub(crate) type RowSource<'a> = &'a mut (dyn Iterator<Item = Result<Vec<Parameter>>> + Send);

impl Session {
    /// Executes a prepared statement once per row of parameters.
    pub(crate) async fn execute_batch(
        &mut self,
        statement: &Arc<Prepared>,
        rows: RowSource<'_>,
        options: BatchOptions,
    ) -> Result<BatchOutcome> {
        if statement.returns_rows() {
            return Err(Error::usage("a batch is for statements without rows"));
        }
        self.start().await?;
        let limit = self.limit();
        let mut begin = self.submit_begin()?;
        let per_group = if options.continue_on_error { 1 } else { GROUP_ROWS };
        let window = match (options.continue_on_error, self.in_transaction()) {
            (true, _) => SINGLES,
            (false, true) => 2,
            (false, false) => 1,
        };
        let mut outcome = BatchOutcome::default();
        let mut in_flight: VecDeque<Sent> = VecDeque::new();
        let mut next_row = 0;
        let mut rows = rows.peekable();
        // A row that cannot be sent, and the first one that the server refused, which stands before it.
        let (mut unsendable, mut failure) = (None, None);
        while unsendable.is_none() && failure.is_none() && rows.peek().is_some() {
            let first_row = next_row;
            let mut group = Group::on(self.group(), statement.id, &[])?;
            while next_row - first_row < per_group && group.len() < GROUP_BYTES {
                let Some(row) = rows.next() else { break };
                if let Err(e) = row.and_then(|row| self.add_row(statement, &mut group, &row)) {
                    unsendable = Some(e.with_row(next_row));
                    break;
                }
                next_row += 1;
            }
            if next_row > first_row {
                let ticket = self.link.submit(group, Purpose::Plain)?;
                in_flight.push_back(Sent { ticket, first_row });
            }
            if rows.peek().is_some() && in_flight.len() < window {
                // The server works on this group while the next one is made.
                if !options.continue_on_error {
                    self.link.flush().await?;
                }
                continue;
            }
            self.begun(begin.take(), limit).await?;
            while in_flight.len() >= window
                || (failure.is_none() && rows.peek().is_none() && !in_flight.is_empty())
            {
                let Some(sent) = in_flight.pop_front() else { break };
                if let Err(e) = self.settle_group(&sent, limit, options, &mut outcome).await {
                    failure.get_or_insert(e);
                    break;
                }
            }
        }
        self.begun(begin, limit).await?;
        for sent in in_flight {
            if let Err(e) = self.settle_group(&sent, limit, options, &mut outcome).await {
                failure.get_or_insert(e);
            }
        }
        match failure.or(unsendable) {
            Some(e) => {
                self.forget_stale(statement, &e);
                Err(e)
            }
            None => Ok(outcome),
        }
    }

    fn add_row(&self, statement: &Prepared, group: &mut Group, row: &[Parameter]) -> Result<()> {
        statement.check_count(row.len())?;
        group.bind(row, statement.targets(), &self.codec)?;
        group.push(&ClientMessage::Execute)
    }

    async fn settle_group(
        &mut self,
        sent: &Sent,
        limit: Limit,
        options: BatchOptions,
        outcome: &mut BatchOutcome,
    ) -> Result<()> {
        let reply = self.finish(&sent.ticket, limit).await?;
        for completed in &reply.completed {
            let one = Outcome::from(*completed);
            outcome.rows_affected += one.rows_affected();
            outcome.executed += 1;
            outcome.last = one;
        }
        if let Some((e, before)) = &reply.error {
            let row = sent.first_row + before;
            let error = server_error(e).with_row(row);
            if !options.continue_on_error {
                return Err(error);
            }
            outcome.errors.push((row, error));
        }
        Ok(())
    }
}
