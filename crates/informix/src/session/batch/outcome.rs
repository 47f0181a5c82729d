//! What a batch did.

use crate::error::Error;
use crate::session::Outcome;
use crate::session::reply::Completed;

/// What a batch did.
#[derive(Debug, Default)]
pub struct BatchOutcome {
    rows_affected: u64,
    executed: usize,
    last: Outcome,
    errors: Vec<(usize, Error)>,
    counts: Counts,
    committed: Option<usize>,
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

    /// Errors with the 0-based index of their row, in the order of the rows; only with
    /// [`BatchOptions::continue_on_error`](crate::BatchOptions::continue_on_error).
    #[must_use]
    pub fn errors(&self) -> &[(usize, Error)] {
        &self.errors
    }

    /// The errors, taken out.
    #[must_use]
    pub fn into_errors(self) -> Vec<(usize, Error)> {
        self.errors
    }

    /// How many rows each row of parameters has inserted, updated or deleted; `None` for one that failed, or of which the
    /// server has not told it.
    pub fn row_counts(&self) -> impl Iterator<Item = Option<u64>> {
        self.counts.iter()
    }

    /// With [`BatchOptions::commit_every`](crate::BatchOptions::commit_every): how many rows of parameters are committed,
    /// those that failed counted in.
    #[must_use]
    pub fn committed_rows(&self) -> Option<usize> {
        self.committed
    }

    /// `rows` rows were executed.
    pub(super) fn completed(&mut self, completed: &[Completed], rows: usize) {
        let outcomes = completed.iter().map(|one| Outcome::from(*one));
        self.rows_affected += outcomes.clone().map(|one| one.rows_affected()).sum::<u64>();
        self.executed += rows;
        self.last = outcomes.clone().next_back().unwrap_or(self.last);
        if completed.len() == rows {
            outcomes.for_each(|one| self.counts.push(Some(one.rows_affected()), 1));
        } else {
            self.counts.push(None, rows);
        }
    }

    /// A row was refused, by the server or before it was sent.
    pub(super) fn refused(&mut self, row: usize, e: Error) {
        self.counts.push(None, 1);
        self.errors.push((row, e));
    }

    pub(super) fn committed(&mut self, rows: usize) {
        self.committed = Some(rows);
    }
}

/// Numbers of rows, equal ones behind each other kept once.
#[derive(Debug, Default)]
struct Counts(Vec<(Option<u64>, usize)>);

impl Counts {
    fn push(&mut self, count: Option<u64>, more: usize) {
        match self.0.last_mut() {
            Some((last, times)) if *last == count => *times += more,
            _ => self.0.push((count, more)),
        }
    }

    fn iter(&self) -> impl Iterator<Item = Option<u64>> {
        self.0
            .iter()
            .flat_map(|(count, times)| std::iter::repeat_n(*count, *times))
    }
}
