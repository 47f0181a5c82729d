//! Rows of `executemany`: read from Python objects straight into the requests, while the connection is free, since an iterator may
//! itself read from there.
//!
//! A list or tuple is written as a whole before anything of it is sent, so that a mistake in it is told while the table is as it
//! was; one that makes more than [`AHEAD_BYTES`] of requests is checked and sent in parts of that size. Anything else is read in
//! pieces ([`PIECE_ROWS`], [`PIECE_BYTES`]), and a piece with a mistake in it is not sent.

use std::future::poll_fn;
use std::task::Poll;

use informix::driver::{BatchRun, BatchWriter};
use informix::{BatchOptions, BatchOutcome};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyList, PyTuple};

#[cfg(feature = "arrow")]
use crate::arrow::ingest as arrow;
use crate::channel::{Channel, NO_ROWS_IN_BATCH};
use crate::common::Common;
use crate::errors;
use crate::markers::{self, Key};
use crate::paramread::{self, Reader};

/// Bytes of a list's requests that are kept in memory.
const AHEAD_BYTES: usize = 128 * 1024 * 1024;
/// Rows of an iterator that are sent together.
const PIECE_ROWS: usize = 16 * 1024;
/// Bytes after which a piece ends.
const PIECE_BYTES: usize = 1024 * 1024;

/// See the module.
pub(crate) struct Many {
    pub(crate) sql: String,
    pub(crate) options: BatchOptions,
    /// The statement, when it begins a transaction.
    pub(crate) begin: Option<String>,
    keys: Option<Vec<Key>>,
    rows: Rows,
    /// The next row, when it was looked at already.
    ahead: Option<Py<PyAny>>,
    piece: (usize, usize),
    width: Option<usize>,
    total: Option<usize>,
    /// Rows that could not be written, with `on_error="continue"`.
    refused: Vec<(usize, PyErr)>,
}

/// Where rows come from.
enum Rows {
    Objects(Py<PyIterator>),
    #[cfg(feature = "arrow")]
    Arrow(Box<arrow::Source>),
}

/// What has become of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// A piece is to be sent.
    Piece,
    /// The piece is not complete; the loop may do something else before it goes on.
    Going,
    /// There are no more rows.
    End,
}

/// Why a row was not written.
enum Refused {
    Client(informix::Error),
    Python(PyErr),
}

impl From<informix::Error> for Refused {
    fn from(e: informix::Error) -> Self {
        Self::Client(e)
    }
}

/// The options of `executemany`.
pub(crate) fn options(py: Python<'_>, on_error: &str, commit_every: Option<isize>) -> PyResult<BatchOptions> {
    let continue_on_error = match on_error {
        "stop" => false,
        "continue" => true,
        _ => {
            return Err(errors::programming(
                py,
                &format!("on_error must be 'stop' or 'continue', not {on_error:?}"),
            ));
        }
    };
    let commit_every = match commit_every.map(usize::try_from) {
        None => None,
        Some(Ok(rows)) if rows > 0 => Some(rows),
        Some(_) => {
            return Err(errors::programming(
                py,
                "commit_every must be a number of rows above 0",
            ));
        }
    };
    Ok(BatchOptions {
        continue_on_error,
        commit_every,
    })
}

impl Many {
    /// `None` when there are no rows: then nothing is to be sent.
    pub(crate) fn new(
        common: &Common,
        operation: &str,
        rows: &Bound<'_, PyAny>,
        options: BatchOptions,
    ) -> PyResult<Option<Self>> {
        let markers = markers::rewrite(rows.py(), operation)?;
        #[cfg(feature = "arrow")]
        if let Some(source) = arrow::Source::of(rows, markers.keys.as_deref())? {
            return Self::of_arrow(rows.py(), common, markers.sql.into_owned(), source, options);
        }
        let whole = rows.is_instance_of::<PyList>() || rows.is_instance_of::<PyTuple>();
        let total = rows.len().ok();
        let mut iterator = rows.try_iter()?;
        let Some(first) = iterator.next().transpose()? else {
            return Ok(None);
        };
        let sql = markers.sql.into_owned();
        Ok(Some(Self {
            begin: (common.begins() && options.commit_every.is_none()).then(|| sql.clone()),
            sql,
            options,
            total,
            keys: markers.keys,
            rows: Rows::Objects(iterator.unbind()),
            ahead: Some(first.unbind()),
            piece: if whole {
                (usize::MAX, AHEAD_BYTES)
            } else {
                (PIECE_ROWS, PIECE_BYTES)
            },
            width: None,
            refused: Vec::new(),
        }))
    }

    /// For Arrow data; `None` when there are no rows.
    #[cfg(feature = "arrow")]
    pub(crate) fn of_arrow(
        py: Python<'_>,
        common: &Common,
        sql: String,
        mut source: arrow::Source,
        options: BatchOptions,
    ) -> PyResult<Option<Self>> {
        match py.detach(|| source.advance()) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(arrow::Stopped::Stream(e)) => return Err(arrow::Stopped::unreadable(py, &e)),
            Err(arrow::Stopped::Row(e)) => return Err(errors::to_py(py, &e)),
        }
        Ok(Some(Self {
            begin: (common.begins() && options.commit_every.is_none()).then(|| sql.clone()),
            sql,
            options,
            total: None,
            keys: None,
            rows: Rows::Arrow(Box::new(source)),
            ahead: None,
            piece: (PIECE_ROWS, PIECE_BYTES),
            width: None,
            refused: Vec::new(),
        }))
    }

    /// Writes rows of Arrow data, detached, as [`Many::write`] does.
    #[cfg(feature = "arrow")]
    fn write_arrow(&mut self, py: Python<'_>, writer: &mut BatchWriter, slice: usize) -> PyResult<Written> {
        loop {
            let Rows::Arrow(source) = &mut self.rows else {
                return Ok(Written::End);
            };
            let piece = self.piece;
            match py.detach(|| source.write(writer, slice, piece)) {
                Ok(written) => return Ok(written),
                Err(arrow::Stopped::Stream(e)) => return Err(arrow::Stopped::unreadable(py, &e)),
                Err(arrow::Stopped::Row(e)) => {
                    let number = writer.next_row();
                    self.refuse(py, Refused::Client(e), number, writer)?;
                }
            }
        }
    }

    /// Writes rows until there is a piece to send, but not more than `slice`.
    pub(crate) fn write(
        &mut self,
        py: Python<'_>,
        writer: &mut BatchWriter,
        reader: &Reader<'_>,
        slice: usize,
    ) -> PyResult<Written> {
        let mut iterator = match &self.rows {
            Rows::Objects(iterator) => iterator.bind(py).clone(),
            #[cfg(feature = "arrow")]
            Rows::Arrow(_) => return self.write_arrow(py, writer, slice),
        };
        for _ in 0..slice {
            let row = match self.ahead.take() {
                Some(row) => row.into_bound(py),
                None => match iterator.next() {
                    Some(row) => row?,
                    None => return Ok(Written::End),
                },
            };
            self.write_row(&row, writer, reader)?;
            let (rows, bytes) = writer.written();
            if rows >= self.piece.0 || bytes >= self.piece.1 {
                return Ok(Written::Piece);
            }
        }
        Ok(Written::Going)
    }

    #[inline]
    fn write_row(
        &mut self,
        row: &Bound<'_, PyAny>,
        writer: &mut BatchWriter,
        reader: &Reader<'_>,
    ) -> PyResult<()> {
        let (keys, width) = (self.keys.as_deref(), &mut self.width);
        let number = writer.next_row();
        let written = writer.row(|encoder| {
            paramread::read_all(row, keys, reader, encoder).map_err(Refused::Python)?;
            let given = encoder.given();
            let width = *width.get_or_insert(given);
            if given == width {
                return Ok(());
            }
            let text = format!("parameter set {number} has {given} values, those before it have {width}");
            Err(Refused::Python(errors::programming(row.py(), &text)))
        });
        match written {
            Ok(()) => Ok(()),
            Err(refused) => self.refuse(row.py(), refused, number, writer),
        }
    }

    #[cold]
    fn refuse(
        &mut self,
        py: Python<'_>,
        refused: Refused,
        number: usize,
        writer: &mut BatchWriter,
    ) -> PyResult<()> {
        let e = match refused {
            Refused::Client(e) => errors::in_batch(py, &e, Some(number), self.total),
            Refused::Python(e) => in_row(py, e, number, self.total)?,
        };
        if !self.options.continue_on_error {
            return Err(e);
        }
        self.refused.push((number, e));
        writer.skip_row();
        Ok(())
    }

    /// What `executemany` has done.
    pub(crate) fn done(self, run: BatchRun) -> ManyDone {
        ManyDone {
            outcome: run.into_outcome(),
            refused: self.refused,
            total: self.total,
            list: PyOnceLock::new(),
        }
    }

    /// The exception for an error of the batch.
    pub(crate) fn failed(&self, py: Python<'_>, e: &informix::Error) -> PyErr {
        if e.message() == NO_ROWS_IN_BATCH {
            return errors::raise(py, "NotSupportedError", NO_ROWS_IN_BATCH);
        }
        errors::in_batch(py, e, e.row(), self.total)
    }
}

/// Rows that are written without the event loop's doing anything else.
const SLICE_ROWS: usize = 8 * 1024;

/// Runs an `executemany` on the event loop, which may do something else between the slices.
pub(crate) async fn run(
    channel: &mut Channel,
    mut many: Many,
    common: &Common,
) -> (Option<ManyDone>, PyResult<()>) {
    let started = channel.start_batch(&many.sql, many.options).await;
    let (mut writer, mut run) = match started {
        Ok(started) => started,
        Err(e) => return (None, Err(Python::attach(|py| many.failed(py, &e)))),
    };
    loop {
        let written = Python::attach(|py| many.write(py, &mut writer, &common.reader(), SLICE_ROWS));
        let is_last = match written {
            Ok(Written::Going) => {
                yield_once().await;
                continue;
            }
            Ok(written) => written == Written::End,
            Err(e) => {
                let committed = channel.session.abort_batch(&mut run).await;
                let e = Python::attach(|py| errors::committed(py, e, committed));
                return (Some(many.done(run)), Err(e));
            }
        };
        let (back, done) = channel
            .send_rows(run, writer.take(), many.begin.clone(), is_last)
            .await;
        run = back;
        let done = done.map_err(|e| Python::attach(|py| many.failed(py, &e)));
        if is_last || done.is_err() {
            return (Some(many.done(run)), done);
        }
    }
}

/// Lets others run.
async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What an `executemany` did.
pub(crate) struct ManyDone {
    pub(crate) outcome: BatchOutcome,
    refused: Vec<(usize, PyErr)>,
    total: Option<usize>,
    list: PyOnceLock<Py<PyList>>,
}

impl ManyDone {
    /// The errors with the numbers of their rows.
    pub(crate) fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = self.list.get_or_try_init(py, || {
            let sent = self
                .outcome
                .errors()
                .iter()
                .map(|(row, e)| (*row, errors::in_batch(py, e, Some(*row), self.total)));
            let unsent = self.refused.iter().map(|(row, e)| (*row, e.clone_ref(py)));
            let mut all: Vec<_> = sent.chain(unsent).collect();
            all.sort_by_key(|(row, _)| *row);
            let all = all.into_iter().map(|(row, e)| (row, e.into_value(py)));
            PyList::new(py, all.collect::<Vec<_>>()).map(Bound::unbind)
        })?;
        Ok(list.bind(py).clone())
    }

    /// Rows that each row of parameters has changed.
    pub(crate) fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut refused = self.refused.iter().map(|(row, _)| *row).peekable();
        for count in self.outcome.row_counts() {
            while refused.next_if(|row| *row == list.len()).is_some() {
                list.append(py.None())?;
            }
            list.append(count)?;
        }
        refused.try_for_each(|_| list.append(py.None()))?;
        Ok(list)
    }
}

/// The exception for a value that cannot be sent, with the row's number in front. Others end the call as they are.
fn in_row(py: Python<'_>, e: PyErr, row: usize, total: Option<usize>) -> PyResult<PyErr> {
    let ours = errors::class(py, "DatabaseError").is_ok_and(|class| e.is_instance(py, &class));
    if !ours && !e.is_instance_of::<pyo3::exceptions::PyNotImplementedError>(py) {
        return Err(e);
    }
    let place = match total {
        Some(total) => format!("{row}/{total}"),
        None => row.to_string(),
    };
    let text = format!("executemany row {place}: {}", e.value(py));
    // Only its text changes.
    e.value(py).setattr("args", (text,))?;
    e.value(py).setattr("row", row)?;
    Ok(e)
}
