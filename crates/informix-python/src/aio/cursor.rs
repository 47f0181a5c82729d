//! `AsyncCursor`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use informix::ScrollTo;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::connection::AsyncConnection;
use super::ready::Ready;
use super::scroll::Move;
#[cfg(feature = "arrow")]
use crate::arrow::{self, ingest::Ingest};
use crate::channel::{Executed, Loaded};
use crate::cursor::core::{Core, Work, call_text};
use crate::cursor::files;
use crate::cursor::many::{self, Many, ManyDone};
use crate::errors;

/// Runs statements and hands their rows out; what waits gives an awaitable.
#[pyclass(frozen, weakref, module = "informix_db._core")]
pub(crate) struct AsyncCursor {
    connection: Py<AsyncConnection>,
    core: Core,
}

/// What becomes of the rows at hand.
#[derive(Clone, Copy)]
enum Wanted {
    One,
    /// As `__anext__`: StopAsyncIteration at the end.
    Next,
    Many(usize),
}

/// What becomes of a statement's result.
type After = Box<dyn for<'py> FnOnce(Python<'py>, &AsyncCursor) -> PyResult<Py<PyAny>> + Send>;

impl AsyncCursor {
    pub(super) fn new(py: Python<'_>, connection: Py<AsyncConnection>, scrollable: bool) -> PyResult<Self> {
        let core = Core::new(py, connection.get().common(), scrollable)?;
        Ok(Self { connection, core })
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    pub(crate) fn connection(&self) -> &Py<AsyncConnection> {
        &self.connection
    }

    fn start(
        slf: &Bound<'_, Self>,
        operation: &str,
        parameters: Option<&Bound<'_, PyAny>>,
        after: After,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let job = {
            let mut work = this.core.acquire(py)?;
            this.core.reset(&mut work);
            this.core.job(py, work.id, operation, parameters)?
        };
        let id = job.id;
        let cursor = slf.clone().unbind();
        this.connection.get().runner().submit(
            py,
            true,
            move |channel| Box::pin(channel.execute(job)),
            move |py, done, _| cursor.get().ran(py, id, done, after),
        )
    }

    fn ran(
        &self,
        py: Python<'_>,
        id: u64,
        done: informix::Result<Executed>,
        after: After,
    ) -> PyResult<Py<PyAny>> {
        let executed = match done {
            Ok(executed) => executed,
            Err(e) => return Err(self.core.common.failed(py, errors::to_py(py, &e))),
        };
        {
            let mut work = self.core.acquire(py)?;
            if work.id != id {
                // The cursor has been given another statement since.
                self.core.common.ids.drop_result(id);
                return Ok(py.None());
            }
            self.core.executed(py, &mut work, executed)?;
        }
        after(py, self)
    }

    /// Takes in what an `executemany` did.
    fn ran_many(
        py: Python<'_>,
        core: &Core,
        done: informix::Result<(Option<ManyDone>, PyResult<()>)>,
    ) -> PyResult<()> {
        let (many, done) = done.map_err(|e| core.common.failed(py, errors::to_py(py, &e)))?;
        if let Some(many) = many {
            core.executed_many(many);
        }
        done.map_err(|e| core.common.failed(py, e))
    }

    /// Rows as they are at hand; `None` when more have to be fetched for it.
    fn at_hand(
        &self,
        py: Python<'_>,
        work: &mut Work,
        wanted: Wanted,
        list: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        let Some(result) = &mut work.result else {
            return Ok(Some(match wanted {
                Wanted::One => py.None(),
                Wanted::Next => return Err(pyo3::exceptions::PyStopAsyncIteration::new_err(())),
                Wanted::Many(_) => PyList::empty(py).into_any().unbind(),
            }));
        };
        let value = match (wanted, list) {
            (Wanted::Many(limit), Some(list)) => {
                let rest = limit - list.len();
                result.append(py, list, rest)?;
                if list.len() < limit && result.more {
                    return Ok(None);
                }
                if list.len() < limit {
                    result.past_end = result.known() > 0;
                }
                list.clone().into_any().unbind()
            }
            _ => match result.next_row(py)? {
                Some(row) => row.unbind(),
                None if result.more => return Ok(None),
                None => {
                    result.past_end = result.known() > 0;
                    if matches!(wanted, Wanted::Next) {
                        self.core.moved(work);
                        return Err(pyo3::exceptions::PyStopAsyncIteration::new_err(()));
                    }
                    py.None()
                }
            },
        };
        self.core.moved(work);
        Ok(Some(value))
    }

    fn fetch(slf: &Bound<'_, Self>, wanted: Wanted) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        if this.core.scrollable && this.core.acquire(py)?.scroll.is_some() {
            return Self::fetch_on_server(slf, wanted);
        }
        let need = match wanted {
            Wanted::One | Wanted::Next => 1,
            Wanted::Many(n) => n,
        };
        let (id, missing, spent) = {
            let mut work = this.core.acquire(py)?;
            match &mut work.result {
                Some(result) if result.more && result.at_hand() < need => {
                    (result.id, need - result.at_hand(), result.take_spent())
                }
                _ => {
                    let value = this.deliver(py, &mut work, wanted);
                    drop(work);
                    return Ready::awaitable(py, value);
                }
            }
        };
        let cursor = slf.clone().unbind();
        this.connection.get().runner().submit_fairly(
            py,
            move |channel| Box::pin(channel.load_rows(id, missing, spent)),
            move |py, done, is_wanted| {
                let this = cursor.get();
                this.loaded(py, id, done)?;
                // Rows that nobody waits for any more stay for the next fetch.
                if is_wanted {
                    this.deliver(py, &mut *this.core.acquire(py)?, wanted)
                } else {
                    Ok(py.None())
                }
            },
        )
    }

    /// Rows of a scroll cursor, one round trip each.
    fn fetch_on_server(slf: &Bound<'_, Self>, wanted: Wanted) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let limit = match wanted {
            Wanted::One => return Self::go_on_server(slf, Move::Relative(1)),
            Wanted::Next => 1,
            Wanted::Many(n) => n,
        };
        let (id, next) = {
            let work = this.core.acquire(py)?;
            (
                work.id,
                work.scroll.as_ref().map_or(1, |s| s.row.saturating_add(2)),
            )
        };
        let cursor = slf.clone().unbind();
        this.connection.get().runner().submit(
            py,
            true,
            move |channel| Box::pin(channel.scroll_rows(id, next, limit)),
            move |py, done, _| {
                let core = &cursor.get().core;
                let rows = done.map_err(|e| core.common.failed(py, errors::to_py(py, &e)))?;
                let mut work = core.acquire(py)?;
                let list = PyList::empty(py);
                for found in rows {
                    if let Some(row) = core.scrolled(py, &mut work, ScrollTo::Next, Some(found))? {
                        list.append(row)?;
                    }
                }
                core.moved(&work);
                match wanted {
                    Wanted::Next if list.is_empty() => {
                        Err(pyo3::exceptions::PyStopAsyncIteration::new_err(()))
                    }
                    Wanted::Next => Ok(list.get_item(0)?.unbind()),
                    _ => Ok(list.into_any().unbind()),
                }
            },
        )
    }

    fn deliver(&self, py: Python<'_>, work: &mut Work, wanted: Wanted) -> PyResult<Py<PyAny>> {
        let list = matches!(wanted, Wanted::Many(_)).then(|| PyList::empty(py));
        match self.at_hand(py, work, wanted, list.as_ref())? {
            Some(value) => Ok(value),
            None => Ok(list.map_or_else(|| py.None(), |list| list.into_any().unbind())),
        }
    }

    pub(crate) fn loaded(
        &self,
        py: Python<'_>,
        id: u64,
        done: informix::Result<Vec<Loaded>>,
    ) -> PyResult<()> {
        let mut work = self.core.acquire(py)?;
        let Some(result) = work.result.as_mut().filter(|r| r.id == id) else {
            return Ok(());
        };
        match done {
            Ok(all) => {
                let mut files = Vec::new();
                for mut loaded in all {
                    files.append(&mut loaded.files);
                    result.add(loaded);
                }
                self.core.counted(&work);
                drop(work);
                self.core.received(py, files)
            }
            Err(e) => {
                result.more = false;
                drop(work);
                Err(self.core.common.failed(py, errors::to_py(py, &e)))
            }
        }
    }
}

#[pymethods]
impl AsyncCursor {
    #[getter(connection)]
    fn get_connection(&self, py: Python<'_>) -> Py<AsyncConnection> {
        self.connection.clone_ref(py)
    }

    #[getter]
    fn description(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.core.description(py)
    }

    #[getter]
    fn rowcount(&self) -> i64 {
        self.core.rowcount()
    }

    #[getter]
    fn rownumber(&self) -> Option<i64> {
        self.core.rownumber()
    }

    #[getter]
    fn lastrowid(&self) -> Option<i64> {
        self.core.lastrowid()
    }

    #[getter]
    fn rowid(&self) -> Option<i32> {
        self.core.rowid()
    }

    #[getter]
    fn statement_type(&self) -> Option<i16> {
        self.core.kind()
    }

    #[getter]
    fn arraysize(&self) -> usize {
        self.core.arraysize.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_arraysize(&self, size: usize) {
        self.core.arraysize.store(size, Ordering::Relaxed);
    }

    #[getter]
    fn row_factory(&self, py: Python<'_>) -> Py<PyAny> {
        self.core.row_factory(py)
    }

    #[setter]
    fn set_row_factory(&self, factory: Py<PyAny>) {
        self.core.set_row_factory(factory);
    }

    #[getter]
    fn closed(&self) -> bool {
        self.core.closed.load(Ordering::SeqCst)
    }

    #[getter]
    fn scrollable(&self) -> bool {
        self.core.scrollable
    }

    #[getter]
    fn blob_files(&self, py: Python<'_>) -> Py<PyDict> {
        self.core.blob_files.clone_ref(py)
    }

    #[getter]
    fn virtual_files(&self, py: Python<'_>) -> Py<PyDict> {
        self.core.virtual_files.clone_ref(py)
    }

    #[pyo3(signature = (operation, parameters = None))]
    fn execute(
        slf: &Bound<'_, Self>,
        operation: &str,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        Self::start(slf, operation, parameters, Box::new(|py, _| Ok(py.None())))
    }

    #[pyo3(signature = (operation, seq_of_parameters, *, on_error = "stop", commit_every = None))]
    fn executemany(
        slf: &Bound<'_, Self>,
        operation: &str,
        seq_of_parameters: &Bound<'_, PyAny>,
        on_error: &str,
        commit_every: Option<isize>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        {
            let mut work = this.core.acquire(py)?;
            this.core.reset(&mut work);
        }
        let options = many::options(py, on_error, commit_every)?;
        let Some(many) = Many::new(&this.core.common, operation, seq_of_parameters, options)? else {
            this.core.set_rowcount(0);
            return Ready::awaitable(py, Ok(py.None()));
        };
        let cursor = slf.clone().unbind();
        let common = Arc::clone(&this.core.common);
        this.connection.get().runner().submit(
            py,
            true,
            move |channel| Box::pin(async move { Ok(many::run(channel, many, &common).await) }),
            move |py, done, _| Self::ran_many(py, &cursor.get().core, done).map(|()| py.None()),
        )
    }

    #[getter]
    fn batch_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.core.batch_errors(py)
    }

    #[getter]
    fn batch_rowcounts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.core.batch_rowcounts(py)
    }

    #[cfg(feature = "arrow")]
    #[pyo3(signature = (table, data, *, columns = None, mode = "append", commit_every = None))]
    fn ingest(
        slf: &Bound<'_, Self>,
        table: &str,
        data: &Bound<'_, PyAny>,
        columns: Option<Vec<String>>,
        mode: &str,
        commit_every: Option<isize>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let options = many::options(py, "stop", commit_every)?;
        {
            let mut work = this.core.acquire(py)?;
            this.core.reset(&mut work);
        }
        let (ingest, source) = Ingest::new(table, data, columns.as_deref(), mode)?;
        let common = Arc::clone(&this.core.common);
        let (create, begin) = (ingest.create, common.begins() && options.commit_every.is_none());
        let many = Many::of_arrow(py, &common, ingest.insert, source, options)?;
        let cursor = slf.clone().unbind();
        this.connection.get().runner().submit(
            py,
            true,
            move |channel| {
                Box::pin(async move {
                    arrow::ingest::create(channel, create, begin).await?;
                    Ok(match many {
                        Some(many) => many::run(channel, many, &common).await,
                        None => (None, Ok(())),
                    })
                })
            },
            move |py, done, _| {
                let core = &cursor.get().core;
                core.set_rowcount(0);
                Self::ran_many(py, core, done)?;
                Ok(core.rowcount().into_pyobject(py)?.into_any().unbind())
            },
        )
    }

    #[pyo3(signature = (procname, parameters = None))]
    fn callproc(
        slf: &Bound<'_, Self>,
        procname: &str,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let count = parameters.map_or(Ok(0), |p| p.len())?;
        let given = match parameters {
            Some(given) => given.clone().unbind(),
            None => PyTuple::empty(py).into_any().unbind(),
        };
        let text = call_text(py, procname, count)?;
        Self::start(slf, &text, parameters, Box::new(move |_, _| Ok(given)))
    }

    #[pyo3(signature = (value, mode = "relative"))]
    fn scroll(slf: &Bound<'_, Self>, value: i64, mode: &str) -> PyResult<Py<PyAny>> {
        Self::stand(slf, value, mode)
    }

    fn fetch_first(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::go(slf, Move::First)
    }

    fn fetch_last(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::go(slf, Move::Last)
    }

    fn fetch_prior(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::go(slf, Move::Prior)
    }

    fn fetch_absolute(slf: &Bound<'_, Self>, n: i64) -> PyResult<Py<PyAny>> {
        Self::go(slf, Move::Absolute(n))
    }

    fn fetch_relative(slf: &Bound<'_, Self>, n: i64) -> PyResult<Py<PyAny>> {
        Self::go(slf, Move::Relative(n))
    }

    fn fetchone(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::fetch(slf, Wanted::One)
    }

    #[pyo3(signature = (size = None))]
    fn fetchmany(slf: &Bound<'_, Self>, size: Option<isize>) -> PyResult<Py<PyAny>> {
        let size = slf.get().core.size(size);
        Self::fetch(slf, Wanted::Many(size))
    }

    fn fetchall(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::fetch(slf, Wanted::Many(usize::MAX))
    }

    #[cfg(feature = "arrow")]
    #[pyo3(signature = (rows = 65_536, *, floating_decimal = "text"))]
    fn fetch_arrow(
        slf: &Bound<'_, Self>,
        rows: usize,
        floating_decimal: &str,
    ) -> PyResult<arrow::AsyncArrowBatches> {
        let options = arrow::options(slf.py(), rows, floating_decimal)?;
        arrow::AsyncArrowBatches::new(slf, &options)
    }

    #[pyo3(signature = (select_blob_sql, params = None, *, sentinel = "/tmp/_informix_db_blob"))]
    fn read_blob_column(
        slf: &Bound<'_, Self>,
        select_blob_sql: &str,
        params: Option<&Bound<'_, PyAny>>,
        sentinel: &str,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let sql = files::reading(py, select_blob_sql, sentinel)?;
        slf.get().core.blob_files.bind(py).clear();
        let after: After = Box::new(|py, this| {
            let row = {
                let mut work = this.core.acquire(py)?;
                match &mut work.result {
                    Some(result) => result.next_row(py)?,
                    None => None,
                }
            };
            let contents = files::contents(py, row, this.core.blob_files.bind(py))?;
            Ok(contents.map_or_else(|| py.None(), Bound::unbind))
        });
        Self::start(slf, &sql, params, after)
    }

    #[pyo3(signature = (sql, blob_data, params = None, *, sentinel = "/tmp/_informix_db_blob_in", clob = false))]
    fn write_blob_column(
        slf: &Bound<'_, Self>,
        sql: &str,
        blob_data: &Bound<'_, PyAny>,
        params: Option<&Bound<'_, PyAny>>,
        sentinel: &str,
        clob: bool,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let sql = files::writing(py, sql, sentinel, clob)?;
        let registered = slf.get().core.virtual_files.bind(py);
        let earlier = registered.get_item(sentinel)?;
        registered.set_item(sentinel, blob_data)?;
        // The statement takes a copy of the registered files with it.
        let started = Self::start(slf, &sql, params, Box::new(|py, _| Ok(py.None())));
        match earlier {
            Some(earlier) => registered.set_item(sentinel, earlier)?,
            None => registered.del_item(sentinel)?,
        }
        started
    }

    fn close(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.core.close(py)?;
        Ready::awaitable(py, Ok(py.None()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.connection)?;
        self.core.traverse(&visit)
    }

    fn __clear__(&self) {
        self.core.clear();
    }

    fn __aiter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __anext__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::fetch(slf, Wanted::Next)
    }
}
