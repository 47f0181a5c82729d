//! Fetching on the asyncio face. The rows of an awaitable that nobody waits for any more stay with the cursor.

use std::sync::Arc;

use informix_arrow::{BatchBuilder, Options};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::table::{ArrowBatch, ArrowTable};
use super::{another_statement, take_at_hand};
use crate::aio::{AsyncCursor, Ready};
use crate::cursor::core::Work;
use crate::errors;
use crate::result::ResultSet;
use crate::slot::{Held, Slot};

/// What comes of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Batch,
    Table,
}

struct State {
    builder: BatchBuilder,
    /// Number of the result that the rows are of.
    id: u64,
    ended: bool,
}

/// The rows of an `AsyncCursor` that are left. `informix_db.aio` makes an async iterator or a table of it.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct AsyncArrowBatches {
    cursor: Py<AsyncCursor>,
    state: Arc<Slot<State>>,
}

impl AsyncArrowBatches {
    pub(crate) fn new(cursor: &Bound<'_, AsyncCursor>, options: &Options) -> PyResult<Self> {
        let py = cursor.py();
        let core = cursor.get().core();
        let work = core.acquire(py)?;
        Ok(Self {
            cursor: cursor.clone().unbind(),
            state: Arc::new(Slot::new(State {
                builder: super::builder(py, core, &work, options)?,
                id: work.id,
                ended: false,
            })),
        })
    }

    fn fetch(&self, py: Python<'_>, wanted: Wanted) -> PyResult<Py<PyAny>> {
        let cursor = self.cursor.get();
        let (mut state, mut work) = hold(py, &self.state, cursor)?;
        if work.scroll.is_some() && !state.ended {
            return self.fetch_on_server(py, wanted, &state, &work);
        }
        if let Some(value) = at_hand(py, cursor, &mut state, &mut work, wanted)? {
            return Ready::awaitable(py, Ok(value));
        }
        let (id, need) = (state.id, need(&state, wanted));
        let spent = work.result.as_mut().and_then(ResultSet::take_spent);
        drop((state, work));
        let (cursor, state) = (self.cursor.clone_ref(py), Arc::clone(&self.state));
        self.cursor.get().connection().get().runner().submit_fairly(
            py,
            move |channel| Box::pin(channel.load_rows(id, need, spent)),
            move |py, done, is_wanted| {
                let cursor = cursor.get();
                let loaded = cursor.loaded(py, id, done);
                if !is_wanted {
                    return loaded.map(|()| py.None());
                }
                let (mut state, mut work) = hold(py, &state, cursor)?;
                state.ended |= loaded.is_err();
                loaded?;
                match at_hand(py, cursor, &mut state, &mut work, wanted)? {
                    Some(value) => Ok(value),
                    // What was read before an error; the next call reports it.
                    None => rest(py, &mut state, wanted),
                }
            },
        )
    }

    /// A scroll cursor gives one row per round trip.
    fn fetch_on_server(
        &self,
        py: Python<'_>,
        wanted: Wanted,
        state: &State,
        work: &Work,
    ) -> PyResult<Py<PyAny>> {
        let (id, need) = (state.id, need(state, wanted));
        let next = work.scroll.as_ref().map_or(1, |s| s.row.saturating_add(2));
        let (cursor, state) = (self.cursor.clone_ref(py), Arc::clone(&self.state));
        self.cursor.get().connection().get().runner().submit(
            py,
            true,
            move |channel| Box::pin(channel.scroll_rows(id, next, need)),
            move |py, done, is_wanted| {
                let cursor = cursor.get();
                let rows = done.map_err(|e| cursor.core().common.failed(py, errors::to_py(py, &e)))?;
                if !is_wanted {
                    return Ok(py.None());
                }
                let (mut state, mut work) = hold(py, &state, cursor)?;
                state.ended = rows.len() < need;
                for (batch, position) in rows {
                    let done = state.builder.append(&batch.rows(0..batch.len()));
                    done.map_err(|e| errors::to_py(py, &e))?;
                    if let Some(scroll) = &mut work.scroll {
                        scroll.row = position - 1;
                    }
                }
                cursor.core().moved(&work);
                finished(py, &mut state, wanted)
            },
        )
    }
}

/// Rows to be fetched.
fn need(state: &State, wanted: Wanted) -> usize {
    match wanted {
        Wanted::Batch => state.builder.room(),
        Wanted::Table => usize::MAX,
    }
}

type Both<'a> = (Held<'a, State>, Held<'a, Work>);

/// The state and the cursor's work, which is still that of the same statement.
fn hold<'a>(py: Python<'_>, state: &'a Slot<State>, cursor: &'a AsyncCursor) -> PyResult<Both<'a>> {
    let state = state
        .acquire(py, "the stream")?
        .ok_or_else(|| errors::interface(py, "the stream is closed"))?;
    let work = cursor.core().acquire(py)?;
    if work.id != state.id {
        return Err(another_statement(py));
    }
    Ok((state, work))
}

/// What is wanted, out of rows at hand; `None` when more have to be fetched.
fn at_hand(
    py: Python<'_>,
    cursor: &AsyncCursor,
    state: &mut State,
    work: &mut Work,
    wanted: Wanted,
) -> PyResult<Option<Py<PyAny>>> {
    let is_ready = |state: &State| wanted == Wanted::Batch && state.builder.has_ready();
    while !state.ended && !is_ready(state) {
        let taken = take_at_hand(py, cursor.core(), work, &mut state.builder);
        state.ended = taken.is_err();
        if taken? {
            continue;
        }
        let Some(result) = &mut work.result else { break };
        if result.more {
            return Ok(None);
        }
        result.past_end = result.known() > 0;
        state.ended = true;
    }
    cursor.core().moved(work);
    finished(py, state, wanted).map(Some)
}

/// A batch, full or the last; or the table.
fn finished(py: Python<'_>, state: &mut State, wanted: Wanted) -> PyResult<Py<PyAny>> {
    match wanted {
        Wanted::Batch => rest(py, state, wanted),
        Wanted::Table => {
            let mut batches = Vec::new();
            while let Some(batch) = next(py, state)? {
                batches.push(batch);
            }
            let table = ArrowTable::new(state.builder.schema().clone(), batches);
            Ok(Py::new(py, table)?.into_any())
        }
    }
}

/// What the builder has, as a batch; nothing where a table is wanted.
fn rest(py: Python<'_>, state: &mut State, wanted: Wanted) -> PyResult<Py<PyAny>> {
    if wanted == Wanted::Table {
        return Ok(py.None());
    }
    match next(py, state)? {
        Some(batch) => Ok(Py::new(py, ArrowBatch::new(batch))?.into_any()),
        None => Ok(py.None()),
    }
}

fn next(py: Python<'_>, state: &mut State) -> PyResult<Option<arrow_array::RecordBatch>> {
    let builder = &mut state.builder;
    let next = py.detach(|| builder.rest());
    state.ended |= next.is_err();
    next.map_err(|e| errors::to_py(py, &e))
}

#[pymethods]
impl AsyncArrowBatches {
    /// The next batch, `None` at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.fetch(py, Wanted::Batch)
    }

    /// All rows that are left; `None` when it has to be asked again.
    fn table(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.fetch(py, Wanted::Table)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.cursor)
    }
}
