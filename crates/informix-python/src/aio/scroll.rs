//! Moving in the rows of an `AsyncCursor`.

use informix::ScrollTo;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::cursor::AsyncCursor;
use super::ready::Ready;
use crate::cursor::core::Work;
use crate::cursor::gone;
use crate::errors;
use crate::result::Place;

/// A move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    First,
    Last,
    Prior,
    /// From 0; negative numbers count from the end.
    Absolute(i64),
    Relative(i64),
    /// To a row without fetching it; -1 is before the first.
    Stand(i64),
}

/// The current row's number, -1 before the first.
fn current(work: &Work) -> i64 {
    match (&work.result, &work.scroll) {
        (Some(result), _) => result.row_number().map_or(-1, |n| n as i64),
        (None, Some(scroll)) => scroll.row,
        _ => -1,
    }
}

/// The row that a move goes to, given the number of rows; `None` when that must be known first.
fn target(work: &Work, to: Move, count: Option<i64>) -> Option<i64> {
    Some(match to {
        Move::First => 0,
        Move::Last => count? - 1,
        Move::Prior => current(work) - 1,
        Move::Absolute(n) if n < 0 => count?.saturating_add(n),
        Move::Absolute(n) | Move::Stand(n) => n,
        Move::Relative(n) => current(work).saturating_add(n),
    })
}

impl AsyncCursor {
    /// `scroll` of PEP 249.
    pub(super) fn stand(slf: &Bound<'_, Self>, value: i64, mode: &str) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let row = {
            let work = slf.get().core().acquire(py)?;
            if work.result.is_none() && work.scroll.is_none() {
                return Err(errors::programming(
                    py,
                    "there is no result: execute a query first",
                ));
            }
            match mode {
                "relative" => current(&work).saturating_add(value),
                "absolute" => value.saturating_sub(1),
                _ => {
                    return Err(errors::programming(
                        py,
                        &format!("scroll mode must be 'relative' or 'absolute', not {mode:?}"),
                    ));
                }
            }
        };
        if row < -1 {
            return Err(outside(row));
        }
        Self::go(slf, Move::Stand(row))
    }

    /// Moves, and fetches the row there.
    pub(super) fn go(slf: &Bound<'_, Self>, to: Move) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let (id, load) = {
            let mut work = this.core().acquire(py)?;
            if work.scroll.is_some() {
                drop(work);
                return Self::go_on_server(slf, to);
            }
            let Some(result) = &mut work.result else {
                return Ready::awaitable(py, Ok(py.None()));
            };
            let (id, known, more) = (result.id, result.known(), result.more);
            let wanted = match target(&work, to, (!more).then_some(known as i64)) {
                Some(row) => usize::try_from(row).map_or(0, |row| row + 1),
                None => usize::MAX,
            };
            (id, (more && wanted > known).then(|| wanted - known))
        };
        let Some(load) = load else {
            return Ready::awaitable(py, this.go_here(py, to));
        };
        let cursor = slf.clone().unbind();
        this.connection().get().runner().submit_fairly(
            py,
            move |channel| Box::pin(channel.load_rows(id, load, None)),
            move |py, done, wanted| {
                let this = cursor.get();
                this.loaded(py, id, done)?;
                if wanted {
                    this.go_here(py, to)
                } else {
                    Ok(py.None())
                }
            },
        )
    }

    /// Among the rows at hand.
    fn go_here(&self, py: Python<'_>, to: Move) -> PyResult<Py<PyAny>> {
        let mut work = self.core().acquire(py)?;
        let Some(result) = &work.result else {
            return Ok(py.None());
        };
        let count = result.known() as i64;
        let row = target(&work, to, Some(count)).unwrap_or(-1);
        let Some(result) = &mut work.result else {
            return Ok(py.None());
        };
        let Ok(number) = usize::try_from(row) else {
            if matches!(to, Move::Prior | Move::Stand(_)) {
                if matches!(result.find(0), Place::Gone) {
                    return Err(gone(py));
                }
                result.move_to(0);
                self.core().moved(&work);
            }
            return Ok(py.None());
        };
        let found = match result.find(number) {
            Place::Gone => return Err(gone(py)),
            Place::Here { .. } if matches!(to, Move::Stand(_)) => {
                result.move_to(number + 1);
                None
            }
            Place::Here { batch, row } => result.take(py, number, batch, row)?,
            _ if matches!(to, Move::Stand(_)) => return Err(outside(row)),
            _ => None,
        };
        self.core().moved(&work);
        Ok(found.map_or_else(|| py.None(), Bound::unbind))
    }

    /// With a scroll cursor of the server: one round trip, two for a number from the end.
    pub(super) fn go_on_server(slf: &Bound<'_, Self>, to: Move) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let (id, to) = {
            let mut work = this.core().acquire(py)?;
            let row = current(&work);
            let to = match to {
                Move::First => ScrollTo::First,
                Move::Last => ScrollTo::Last,
                Move::Absolute(n) if n < 0 => ScrollTo::Absolute(n),
                Move::Absolute(n) => ScrollTo::Absolute(n.saturating_add(1)),
                // Before the first row there is nothing to ask for.
                Move::Prior if row < 1 => return this.before_first(py, &mut work, true),
                Move::Prior => ScrollTo::Absolute(row),
                Move::Relative(n) if row.saturating_add(n) < 0 => {
                    return this.before_first(py, &mut work, false);
                }
                Move::Relative(n) => ScrollTo::Absolute(row.saturating_add(n).saturating_add(1)),
                Move::Stand(n) => {
                    if let Some(scroll) = &mut work.scroll {
                        scroll.row = n;
                    }
                    this.core().moved(&work);
                    return Ready::awaitable(py, Ok(py.None()));
                }
            };
            (work.id, to)
        };
        let cursor = slf.clone().unbind();
        this.connection().get().runner().submit(
            py,
            true,
            move |channel| Box::pin(channel.scroll(id, to)),
            move |py, done, _| {
                let core = cursor.get().core();
                let found = done.map_err(|e| core.common.failed(py, errors::to_py(py, &e)))?;
                let mut work = core.acquire(py)?;
                let row = core.scrolled(py, &mut work, to, found)?;
                core.moved(&work);
                Ok(row.map_or_else(|| py.None(), Bound::unbind))
            },
        )
    }
}

impl AsyncCursor {
    fn before_first(&self, py: Python<'_>, work: &mut Work, moves: bool) -> PyResult<Py<PyAny>> {
        if moves && let Some(scroll) = &mut work.scroll {
            scroll.row = -1;
            self.core().moved(work);
        }
        Ready::awaitable(py, Ok(py.None()))
    }
}

fn outside(row: i64) -> PyErr {
    PyIndexError::new_err(format!("row {row} is outside the result"))
}
