//! The rows of a result that are at hand, and the position in them.

use std::collections::VecDeque;

use informix::driver::Batch;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::channel::Loaded;
use crate::rowbuild::Plan;

/// Bytes of rows already handed out that are kept for scrolling back.
const HISTORY: usize = 1024 * 1024;

/// Where a row is.
pub(crate) enum Place {
    /// At hand.
    Here { batch: usize, row: usize },
    /// Not read yet.
    Ahead,
    /// Behind the last row.
    End,
    /// No longer kept.
    Gone,
}

/// A result.
pub(crate) struct ResultSet {
    pub(crate) id: u64,
    plan: Plan,
    batches: VecDeque<Batch>,
    /// Number of the first row of `batches`.
    first: usize,
    /// Number of rows in `batches`.
    held: usize,
    bytes: usize,
    /// The batch let go of last: the next fetch uses its memory.
    spent: Option<Batch>,
    /// Number of the row that comes next: one more than the current row.
    pub(crate) next: usize,
    /// The batch of `next`, counted in `batches`, and the number of its first row.
    at: (usize, usize),
    pub(crate) more: bool,
    /// A move went behind the last row.
    pub(crate) past_end: bool,
}

impl ResultSet {
    pub(crate) fn new(id: u64, plan: Plan, first: Option<Batch>, more: bool) -> Self {
        let mut result = Self {
            id,
            plan,
            batches: VecDeque::new(),
            first: 0,
            held: 0,
            bytes: 0,
            spent: None,
            next: 0,
            at: (0, 0),
            more,
            past_end: false,
        };
        if let Some(batch) = first {
            result.push(batch);
        }
        result
    }

    fn push(&mut self, batch: Batch) {
        self.held += batch.len();
        self.bytes += batch.bytes();
        self.batches.push_back(batch);
    }

    /// Takes further rows in, and lets go of old ones.
    pub(crate) fn add(&mut self, loaded: Loaded) {
        self.more = loaded.more;
        if let Some(batch) = loaded.batch {
            self.push(batch);
        }
        while self.bytes > HISTORY && self.batches.len() > 1 {
            let Some(front) = self.batches.front() else { break };
            let length = front.len();
            if self.first + length > self.next {
                break;
            }
            self.bytes -= front.bytes();
            self.first += length;
            self.held -= length;
            self.spent = self.batches.pop_front();
            self.at.0 = self.at.0.saturating_sub(1);
        }
    }

    /// A batch whose memory the next fetch may use.
    pub(crate) fn take_spent(&mut self) -> Option<Batch> {
        self.spent.take()
    }

    /// The position of the row that comes next.
    fn current(&mut self) -> Option<(usize, usize)> {
        let (mut batch, mut start) = self.at;
        if self.next < start || start < self.first {
            (batch, start) = (0, self.first);
        }
        loop {
            let length = self.batches.get(batch)?.len();
            if self.next < start + length {
                self.at = (batch, start);
                return Some((batch, self.next - start));
            }
            start += length;
            batch += 1;
        }
    }

    /// The next row, when it is at hand; `None` to load more or at the end.
    pub(crate) fn next_row<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((at, row)) = self.current() else {
            return Ok(None);
        };
        let Some(batch) = self.batches.get(at) else {
            return Ok(None);
        };
        // Counted before the row is built: a row that cannot be decoded is reported once, and the next call goes on behind it.
        self.next += 1;
        self.plan.row(py, batch, row).map(Some)
    }

    /// Appends rows at hand to a list, at most `limit`; gives their number.
    pub(crate) fn append(
        &mut self,
        py: Python<'_>,
        list: &Bound<'_, PyList>,
        limit: usize,
    ) -> PyResult<usize> {
        let mut done = 0;
        while done < limit {
            let Some((at, row)) = self.current() else { break };
            let Some(batch) = self.batches.get(at) else { break };
            let take = (batch.len() - row).min(limit - done);
            self.plan.append(py, batch, row, row + take, list)?;
            self.next += take;
            done += take;
        }
        Ok(done)
    }

    /// Rows at hand that came together, at most `limit`, which then count as handed out; `None` to load more or at the end.
    #[cfg(feature = "arrow")]
    pub(crate) fn take_raw(&mut self, limit: usize) -> Option<informix::RawRows<'_>> {
        let (at, row) = self.current()?;
        let batch = self.batches.get(at)?;
        let take = (batch.len() - row).min(limit);
        self.next += take;
        Some(batch.rows(row..row + take))
    }

    /// Number of rows read so far; all of them once nothing more comes.
    pub(crate) fn known(&self) -> usize {
        self.first + self.held
    }

    /// Number of rows at hand that were not handed out.
    pub(crate) fn at_hand(&self) -> usize {
        self.known().saturating_sub(self.next)
    }

    /// Where a row is.
    pub(crate) fn find(&self, number: usize) -> Place {
        if number < self.first {
            return Place::Gone;
        }
        if number >= self.known() {
            return if self.more { Place::Ahead } else { Place::End };
        }
        let mut start = self.first;
        for (at, batch) in self.batches.iter().enumerate() {
            if number < start + batch.len() {
                return Place::Here {
                    batch: at,
                    row: number - start,
                };
            }
            start += batch.len();
        }
        Place::End
    }

    /// The row at a place, which becomes the current one.
    pub(crate) fn take<'py>(
        &mut self,
        py: Python<'py>,
        number: usize,
        batch: usize,
        row: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.move_to(number + 1);
        match self.batches.get(batch) {
            Some(found) => self.plan.row(py, found, row).map(Some),
            None => Ok(None),
        }
    }

    /// Makes `next` the row that comes next.
    pub(crate) fn move_to(&mut self, next: usize) {
        self.next = next;
        self.past_end = false;
        self.at = (0, self.first);
    }

    /// The current row's number from 0.
    pub(crate) fn row_number(&self) -> Option<usize> {
        if self.past_end {
            return Some(self.known());
        }
        self.next.checked_sub(1)
    }
}
