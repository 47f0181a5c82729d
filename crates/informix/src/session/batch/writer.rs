//! Rows of parameters into groups of requests: `ID (BIND [BBIND] EXECUTE)*` (`sqli-protocol.md` 9.6, J T).

use std::collections::VecDeque;
use std::sync::Arc;

use informix_protocol::ClientMessage;
use informix_protocol::client::GroupBuilder;
use informix_types::TextCodec;

use super::BatchOptions;
use crate::error::{Error, Result};
use crate::param::{Contents, Params, RowEncoder};
use crate::session::group::Group;
use crate::session::prepare::Prepared;

/// Bytes after which a group is sent, as the vendor's Java client does (J).
const GROUP_BYTES: usize = 32 * 1024;
/// Rows per group: with about 50 bytes of reply per row, one group's reply fits the smallest TCP buffers.
const GROUP_ROWS: usize = 512;

/// Rows of parameters that write themselves: an iterator of values, the columns of a data frame, ….
///
/// ```
/// use informix::{BatchRows, Result, RowEncoder};
///
/// /// Two columns of equal length.
/// struct Columns<'a> {
///     numbers: &'a [i64],
///     names: &'a [Option<&'a str>],
///     next: usize,
/// }
///
/// impl BatchRows for Columns<'_> {
///     fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool> {
///         let (Some(number), Some(name)) = (self.numbers.get(self.next), self.names.get(self.next)) else {
///             return Ok(false);
///         };
///         self.next += 1;
///         row.write(number)?;
///         row.write(name)?;
///         Ok(true)
///     }
/// }
/// ```
pub trait BatchRows {
    /// Writes the values of the next row, one for each marker of the statement; `false` when there are no more rows. It is
    /// not called again after that, and after an error only by a batch with [`BatchOptions::continue_on_error`].
    ///
    /// # Errors
    /// When the row cannot be had, or one of its values cannot be sent.
    fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool>;
}

impl<R: BatchRows + ?Sized> BatchRows for &mut R {
    fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool> {
        (**self).encode_next(row)
    }
}

/// The rows of an iterator over [`Params`].
pub(crate) struct ParamRows<I>(pub(crate) I);

impl<I: Iterator<Item: Params>> BatchRows for ParamRows<I> {
    fn encode_next(&mut self, row: &mut RowEncoder<'_>) -> Result<bool> {
        match self.0.next() {
            Some(values) => row.write_all(values).map(|()| true),
            None => Ok(false),
        }
    }
}

/// A group that executes the statement for some rows.
pub(crate) struct RowGroup {
    pub(super) group: Group,
    /// Number of the first row, from 0.
    pub(super) first: usize,
    pub(super) rows: usize,
}

/// Makes groups of rows for one statement. It knows all that the form of the bytes depends on, so that rows can be written
/// while the session does something else.
pub(crate) struct BatchWriter {
    statement: Arc<Prepared>,
    codec: TextCodec,
    /// A group without anything in it.
    empty: GroupBuilder,
    rows_per_group: usize,
    /// A group ends with every so many rows.
    commit_every: usize,
    /// Number of the next row.
    next: usize,
    current: Option<RowGroup>,
    ready: VecDeque<RowGroup>,
    /// Rows and bytes in the groups that were not taken.
    written: (usize, usize),
    contents: Contents,
}

/// Why a row was not written.
enum Stopped<E> {
    /// There are no more rows.
    End,
    Failed(E),
}

impl<E: From<Error>> From<Error> for Stopped<E> {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl BatchWriter {
    pub(crate) fn new(
        statement: &Arc<Prepared>,
        codec: TextCodec,
        empty: GroupBuilder,
        options: BatchOptions,
    ) -> Self {
        Self {
            statement: Arc::clone(statement),
            codec,
            empty,
            // The server leaves out the rest of a group behind an error.
            rows_per_group: if options.continue_on_error { 1 } else { GROUP_ROWS },
            commit_every: options.commit_every.unwrap_or(usize::MAX).max(1),
            next: 0,
            current: None,
            ready: VecDeque::new(),
            written: (0, 0),
            contents: Contents::default(),
        }
    }

    /// Number of the next row, from 0.
    pub(crate) fn next_row(&self) -> usize {
        self.next
    }

    /// Rows and bytes of requests that wait to be taken.
    pub(crate) fn written(&self) -> (usize, usize) {
        self.written
    }

    /// Writes one row. `fill` gives it a value for each marker, or says with `false` that there are no more rows; then, and
    /// after an error, everything is as before.
    ///
    /// # Errors
    /// What `fill` returns; when the number of values is not that of the markers.
    pub(crate) fn row<E: From<Error>>(
        &mut self,
        fill: impl FnOnce(&mut RowEncoder<'_>) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let current = match &mut self.current {
            Some(current) => current,
            empty => {
                let mut group = Group::on(self.empty.clone(), self.statement.id, &[])?;
                if self.rows_per_group > 1 && self.next >= self.rows_per_group {
                    // Not the first one: it will be full.
                    group.reserve(GROUP_BYTES + GROUP_BYTES / 16);
                }
                empty.insert(RowGroup {
                    group,
                    first: self.next,
                    rows: 0,
                })
            }
        };
        let before = current.group.len();
        let group = &mut current.group;
        match add_row(group, &self.statement, &self.codec, &mut self.contents, fill) {
            Ok(()) => {}
            Err(stopped) => {
                self.current.take_if(|current| current.rows == 0);
                return match stopped {
                    Stopped::End => Ok(false),
                    Stopped::Failed(e) => Err(e),
                };
            }
        }
        current.rows += 1;
        self.next += 1;
        self.written.0 += 1;
        self.written.1 += current.group.len() - before;
        let is_full = current.rows >= self.rows_per_group
            || current.group.len() >= GROUP_BYTES
            || self.next.is_multiple_of(self.commit_every);
        if is_full {
            self.ready.extend(self.current.take());
        }
        Ok(true)
    }

    /// Counts a row that is left out. The next one begins a group of its own.
    pub(crate) fn skip_row(&mut self) {
        self.ready.extend(self.current.take());
        self.next += 1;
    }

    /// The next group that is full.
    pub(crate) fn take_full(&mut self) -> Option<RowGroup> {
        let group = self.ready.pop_front()?;
        self.written.0 -= group.rows;
        self.written.1 = self.written.1.saturating_sub(group.group.len());
        Some(group)
    }

    /// The groups that are left, the last one as full as it is.
    pub(crate) fn take_rest(&mut self) -> VecDeque<RowGroup> {
        self.ready.extend(self.current.take());
        self.written = (0, 0);
        std::mem::take(&mut self.ready)
    }
}

fn add_row<E: From<Error>>(
    group: &mut Group,
    statement: &Prepared,
    codec: &TextCodec,
    contents: &mut Contents,
    fill: impl FnOnce(&mut RowEncoder<'_>) -> Result<bool, E>,
) -> Result<(), Stopped<E>> {
    let count = statement.scan.markers;
    let fill = |row: &mut RowEncoder<'_>| match fill(row) {
        Ok(true) => statement.check_count(row.given()).map_err(Stopped::from),
        Ok(false) => Err(Stopped::End),
        Err(e) => Err(Stopped::Failed(e)),
    };
    if count == 0 {
        fill(&mut RowEncoder::new(&mut Vec::new(), contents, &[], codec, 0))?;
    } else {
        group.bind_row(count, statement.targets(), codec, contents, fill)?;
    }
    group.push(&ClientMessage::Execute).map_err(Stopped::from)
}

/// Why there is no group.
pub(crate) enum Unwritten {
    /// The row is left out, others follow.
    Skipped(usize, Error),
    /// The rows end here.
    Failed(Error),
}

/// Groups of rows, written as they are asked for.
pub(super) struct Filling<'r> {
    writer: BatchWriter,
    rows: &'r mut (dyn BatchRows + Send),
    skips: bool,
    rest: Option<VecDeque<RowGroup>>,
    failed: Option<Unwritten>,
}

impl<'r> Filling<'r> {
    pub(super) fn new(
        writer: BatchWriter,
        rows: &'r mut (dyn BatchRows + Send),
        options: BatchOptions,
    ) -> Self {
        Self {
            writer,
            rows,
            skips: options.continue_on_error,
            rest: None,
            failed: None,
        }
    }

    /// Writes one row. The groups are complete when there are no more, or when one that must not be left out is refused.
    fn write_row(&mut self) {
        let mut is_value = false;
        let rows = &mut self.rows;
        let written = self.writer.row(|row| {
            let done = rows.encode_next(row);
            is_value = row.has_failed();
            done
        });
        match written {
            Ok(true) => {}
            Ok(false) => self.rest = Some(self.writer.take_rest()),
            Err(e) => {
                // Otherwise the source itself has failed, and has no next row.
                let is_of_row = is_value || e.sqlcode() == WRONG_COUNT;
                let row = self.writer.next_row();
                let e = e.with_row(row);
                self.failed = Some(if self.skips && is_of_row {
                    self.writer.skip_row();
                    Unwritten::Skipped(row, e)
                } else {
                    self.rest = Some(self.writer.take_rest());
                    Unwritten::Failed(e)
                });
            }
        }
    }
}

/// SQLCODE of a wrong number of values.
const WRONG_COUNT: i32 = -254;

impl Iterator for Filling<'_> {
    type Item = Result<RowGroup, Unwritten>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let full = match &mut self.rest {
                Some(rest) => rest.pop_front(),
                None => self.writer.take_full(),
            };
            // The rows in front of a refused one come first.
            if let Some(group) = full {
                return Some(Ok(group));
            }
            if let Some(e) = self.failed.take() {
                return Some(Err(e));
            }
            if self.rest.is_some() {
                return None;
            }
            self.write_row();
        }
    }
}
