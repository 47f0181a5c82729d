//! The blocking cursor.

pub(crate) mod core;
pub(crate) mod files;
pub(crate) mod many;

use std::sync::atomic::Ordering;

use informix::ScrollTo;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use self::core::{Core, Work, call_text};
use self::many::{Many, Written};
#[cfg(feature = "arrow")]
use crate::arrow::{self, ingest::Ingest};
use crate::channel::{Channel, Loaded};
use crate::connection::Connection;
use crate::errors;
use crate::result::Place;

/// Runs statements and hands their rows out.
#[pyclass(frozen, subclass, weakref, module = "informix_db._core")]
pub(crate) struct Cursor {
    pub(crate) connection: Py<Connection>,
    pub(crate) core: Core,
}

impl Cursor {
    /// Further rows into the result; `false` at its end.
    pub(crate) fn load(&self, py: Python<'_>, work: &mut Work) -> PyResult<bool> {
        let Some(result) = &mut work.result else {
            return Ok(false);
        };
        if !result.more {
            return Ok(false);
        }
        let (id, spent) = (result.id, result.take_spent());
        let loaded: PyResult<Loaded> = self
            .connection
            .get()
            .run(py, |channel| Box::pin(channel.load(id, spent)));
        match loaded {
            Ok(mut loaded) => {
                self.core.received(py, std::mem::take(&mut loaded.files))?;
                result.add(loaded);
                self.core.counted(work);
                Ok(true)
            }
            Err(e) => {
                result.more = false;
                Err(e)
            }
        }
    }

    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        if work.scroll.is_some() {
            let next = work.scroll.as_ref().map_or(0, |s| s.row.saturating_add(2));
            return self.scroll_to(py, &mut work, ScrollTo::Absolute(next));
        }
        loop {
            let Some(result) = &mut work.result else {
                return Ok(None);
            };
            if let Some(row) = result.next_row(py)? {
                self.core.moved(&work);
                return Ok(Some(row));
            }
            if !self.load(py, &mut work)? {
                if let Some(result) = &mut work.result {
                    result.past_end = result.known() > 0;
                    self.core.moved(&work);
                }
                return Ok(None);
            }
        }
    }

    fn rows<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut work = self.core.acquire(py)?;
        if work.scroll.is_some() {
            while list.len() < limit {
                let next = work.scroll.as_ref().map_or(0, |s| s.row.saturating_add(2));
                match self.scroll_to(py, &mut work, ScrollTo::Absolute(next))? {
                    Some(row) => list.append(row)?,
                    None => break,
                }
            }
            return Ok(list);
        }
        let mut done = 0;
        while done < limit {
            done += self.core.take_rows(py, &mut work, &list, limit - done)?;
            if done < limit && !self.load(py, &mut work)? {
                if let Some(result) = &mut work.result {
                    result.past_end = result.known() > 0;
                }
                break;
            }
        }
        self.core.moved(&work);
        Ok(list)
    }

    fn scroll_to<'py>(
        &self,
        py: Python<'py>,
        work: &mut Work,
        to: ScrollTo,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let id = work.id;
        let found = self
            .connection
            .get()
            .run(py, move |channel: &mut Channel| Box::pin(channel.scroll(id, to)))?;
        let row = self.core.scrolled(py, work, to, found)?;
        self.core.moved(work);
        Ok(row)
    }

    /// Where a row of an ordinary result is, read up to it if need be.
    fn find(&self, py: Python<'_>, work: &mut Work, number: usize) -> PyResult<Option<(usize, usize)>> {
        loop {
            let Some(result) = &work.result else {
                return Ok(None);
            };
            match result.find(number) {
                Place::Here { batch, row } => return Ok(Some((batch, row))),
                Place::End => return Ok(None),
                Place::Gone => return Err(gone(py)),
                Place::Ahead => {
                    if !self.load(py, work)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn fetch_at<'py>(
        &self,
        py: Python<'py>,
        work: &mut Work,
        number: i64,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Ok(number) = usize::try_from(number) else {
            return Ok(None);
        };
        let Some((batch, row)) = self.find(py, work, number)? else {
            return Ok(None);
        };
        let row = match &mut work.result {
            Some(result) => result.take(py, number, batch, row)?,
            None => None,
        };
        self.core.moved(work);
        Ok(row)
    }

    /// The number of rows of an ordinary result: reads them all.
    fn count(&self, py: Python<'_>, work: &mut Work) -> PyResult<usize> {
        while self.load(py, work)? {}
        Ok(work.result.as_ref().map_or(0, |r| r.known()))
    }

    fn scroll_total(&self, py: Python<'_>, work: &mut Work) -> PyResult<i64> {
        if let Some(total) = work.scroll.as_ref().and_then(|s| s.total) {
            return Ok(total);
        }
        let saved = work.scroll.as_ref().map_or(-1, |s| s.row);
        self.scroll_to(py, work, ScrollTo::Last)?;
        let Some(scroll) = &mut work.scroll else {
            return Ok(0);
        };
        scroll.row = saved;
        Ok(scroll.total.unwrap_or(0))
    }

    fn current(work: &Work) -> i64 {
        match (&work.result, &work.scroll) {
            (Some(result), _) => result.row_number().map_or(-1, |n| n as i64),
            (None, Some(scroll)) => scroll.row,
            _ => -1,
        }
    }

    fn check_result(&self, py: Python<'_>, work: &Work) -> PyResult<()> {
        if work.result.is_none() && work.scroll.is_none() {
            return Err(errors::programming(
                py,
                "there is no result: execute a query first",
            ));
        }
        Ok(())
    }

    /// The rows are written while nobody has the channel, and sent with the interpreter let go of.
    fn run_many(&self, py: Python<'_>, mut many: Many) -> PyResult<()> {
        let (connection, common) = (self.connection.get(), &self.core.common);
        let reader = common.reader();
        let (sql, options) = (many.sql.clone(), many.options);
        let started = connection.run_raw(py, move |channel| {
            Box::pin(async move { channel.start_batch(&sql, options).await })
        })?;
        let (mut writer, mut run) = started.map_err(|e| common.failed(py, many.failed(py, &e)))?;
        loop {
            let is_last = match many.write(py, &mut writer, &reader, usize::MAX) {
                Ok(written) => written == Written::End,
                Err(e) => {
                    let aborted = connection.run_raw(py, move |channel| {
                        Box::pin(async move { Ok(channel.session.abort_batch(&mut run).await) })
                    });
                    // What stopped the rows is the error to report.
                    let committed = aborted.ok().and_then(Result::ok).flatten();
                    return Err(errors::committed(py, e, committed));
                }
            };
            let (rows, begin) = (writer.take(), many.begin.clone());
            let sent = connection.run_raw(py, move |channel| {
                Box::pin(async move { Ok(channel.send_rows(run, rows, begin, is_last).await) })
            })?;
            let (back, done) = sent.map_err(|e| common.failed(py, many.failed(py, &e)))?;
            run = back;
            let failed = done.map_err(|e| common.failed(py, many.failed(py, &e))).err();
            if is_last || failed.is_some() {
                self.core.executed_many(many.done(run));
                return failed.map_or(Ok(()), Err);
            }
        }
    }

    pub(crate) fn run_statement(
        &self,
        py: Python<'_>,
        operation: &str,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut work = self.core.acquire(py)?;
        self.core.reset(&mut work);
        let job = self.core.job(py, work.id, operation, parameters)?;
        let executed = self
            .connection
            .get()
            .run(py, move |channel| Box::pin(channel.execute(job)))?;
        self.core.executed(py, &mut work, executed)
    }
}

/// A row that was read and not kept.
pub(crate) fn gone(py: Python<'_>) -> PyErr {
    errors::raise(
        py,
        "NotSupportedError",
        "the row was read long ago and is no longer kept: use cursor(scrollable=True) to move freely in a large result",
    )
}

#[pymethods]
impl Cursor {
    #[new]
    #[pyo3(signature = (connection, *, scrollable = false))]
    pub(crate) fn new(py: Python<'_>, connection: Py<Connection>, scrollable: bool) -> PyResult<Self> {
        let core = Core::new(py, connection.get().common(), scrollable)?;
        Ok(Self { connection, core })
    }

    #[getter]
    fn connection(&self, py: Python<'_>) -> Py<Connection> {
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
        &self,
        py: Python<'_>,
        operation: &str,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.run_statement(py, operation, parameters)
    }

    #[pyo3(signature = (operation, seq_of_parameters, *, on_error = "stop", commit_every = None))]
    fn executemany(
        &self,
        py: Python<'_>,
        operation: &str,
        seq_of_parameters: &Bound<'_, PyAny>,
        on_error: &str,
        commit_every: Option<isize>,
    ) -> PyResult<()> {
        let mut work = self.core.acquire(py)?;
        self.core.reset(&mut work);
        let options = many::options(py, on_error, commit_every)?;
        match Many::new(&self.core.common, operation, seq_of_parameters, options)? {
            Some(many) => self.run_many(py, many),
            None => {
                self.core.set_rowcount(0);
                Ok(())
            }
        }
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
        &self,
        py: Python<'_>,
        table: &str,
        data: &Bound<'_, PyAny>,
        columns: Option<Vec<String>>,
        mode: &str,
        commit_every: Option<isize>,
    ) -> PyResult<i64> {
        let options = many::options(py, "stop", commit_every)?;
        let mut work = self.core.acquire(py)?;
        self.core.reset(&mut work);
        let (ingest, source) = Ingest::new(table, data, columns.as_deref(), mode)?;
        let common = &self.core.common;
        let (create, begin) = (ingest.create, common.begins() && options.commit_every.is_none());
        self.connection
            .get()
            .run(py, move |channel| arrow::ingest::create(channel, create, begin))?;
        match Many::of_arrow(py, common, ingest.insert, source, options)? {
            Some(many) => self.run_many(py, many)?,
            None => self.core.set_rowcount(0),
        }
        Ok(self.core.rowcount())
    }

    #[pyo3(signature = (procname, parameters = None))]
    fn callproc<'py>(
        &self,
        py: Python<'py>,
        procname: &str,
        parameters: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = parameters.map_or(Ok(0), |p| p.len())?;
        self.run_statement(py, &call_text(py, procname, count)?, parameters)?;
        Ok(parameters.map_or_else(|| pyo3::types::PyTuple::empty(py).into_any(), Clone::clone))
    }

    fn fetchone<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py)
    }

    #[pyo3(signature = (size = None))]
    fn fetchmany<'py>(&self, py: Python<'py>, size: Option<isize>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, self.core.size(size))
    }

    fn fetchall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, usize::MAX)
    }

    #[cfg(feature = "arrow")]
    #[pyo3(signature = (*, floating_decimal = "text"))]
    fn fetch_arrow_table(&self, py: Python<'_>, floating_decimal: &str) -> PyResult<arrow::ArrowTable> {
        let options = arrow::options(py, arrow::TABLE_ROWS, floating_decimal)?;
        arrow::blocking::table(py, self, &options)
    }

    #[cfg(feature = "arrow")]
    #[pyo3(signature = (rows = 65_536, *, floating_decimal = "text"))]
    fn fetch_arrow_batches(
        slf: &Bound<'_, Self>,
        rows: usize,
        floating_decimal: &str,
    ) -> PyResult<arrow::ArrowBatches> {
        let options = arrow::options(slf.py(), rows, floating_decimal)?;
        arrow::ArrowBatches::new(slf, &options)
    }

    #[cfg(feature = "arrow")]
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        let options = arrow::options(slf.py(), arrow::BATCH_ROWS, "text")?;
        arrow::ArrowBatches::new(slf, &options)?.stream(slf.py(), requested_schema)
    }

    #[cfg(feature = "arrow")]
    fn __arrow_c_schema__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        let options = arrow::options(slf.py(), arrow::BATCH_ROWS, "text")?;
        arrow::ArrowBatches::new(slf, &options)?.schema_capsule(slf.py())
    }

    fn nextset(&self) -> Option<bool> {
        None
    }

    fn setinputsizes(&self, sizes: &Bound<'_, PyAny>) {
        let _ = sizes;
    }

    #[pyo3(signature = (size, column = None))]
    fn setoutputsize(&self, size: &Bound<'_, PyAny>, column: Option<&Bound<'_, PyAny>>) {
        let _ = (size, column);
    }

    #[pyo3(signature = (value, mode = "relative"))]
    fn scroll(&self, py: Python<'_>, value: i64, mode: &str) -> PyResult<()> {
        let mut work = self.core.acquire(py)?;
        self.check_result(py, &work)?;
        // absolute(0) stands before the first row, absolute(n) on row n - 1, as the peer counts.
        let target = match mode {
            "relative" => Self::current(&work).saturating_add(value),
            "absolute" => value.saturating_sub(1),
            _ => {
                return Err(errors::programming(
                    py,
                    &format!("scroll mode must be 'relative' or 'absolute', not {mode:?}"),
                ));
            }
        };
        let outside =
            || pyo3::exceptions::PyIndexError::new_err(format!("row {target} is outside the result"));
        if target < -1 {
            return Err(outside());
        }
        if let Some(scroll) = &mut work.scroll {
            scroll.row = target;
            self.core.moved(&work);
            return Ok(());
        }
        if let Ok(number) = usize::try_from(target) {
            if self.find(py, &mut work, number)?.is_none() {
                return Err(outside());
            }
        } else if work
            .result
            .as_ref()
            .is_some_and(|r| matches!(r.find(0), Place::Gone))
        {
            return Err(gone(py));
        }
        if let Some(result) = &mut work.result {
            result.move_to(usize::try_from(target + 1).unwrap_or(0));
        }
        self.core.moved(&work);
        Ok(())
    }

    fn fetch_first<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        if work.scroll.is_some() {
            return self.scroll_to(py, &mut work, ScrollTo::First);
        }
        self.fetch_at(py, &mut work, 0)
    }

    fn fetch_last<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        if work.scroll.is_some() {
            return self.scroll_to(py, &mut work, ScrollTo::Last);
        }
        let count = self.count(py, &mut work)?;
        self.fetch_at(py, &mut work, count as i64 - 1)
    }

    fn fetch_prior<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        let target = Self::current(&work) - 1;
        if target < 0 {
            if let Some(scroll) = &mut work.scroll {
                scroll.row = -1;
            } else if let Some(result) = &mut work.result {
                result.move_to(0);
            }
            self.core.moved(&work);
            return Ok(None);
        }
        if work.scroll.is_some() {
            return self.scroll_to(py, &mut work, ScrollTo::Absolute(target + 1));
        }
        self.fetch_at(py, &mut work, target)
    }

    fn fetch_absolute<'py>(&self, py: Python<'py>, n: i64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        let scrolls = work.scroll.is_some();
        let target = if n >= 0 {
            n
        } else if scrolls {
            self.scroll_total(py, &mut work)?.saturating_add(n)
        } else {
            (self.count(py, &mut work)? as i64).saturating_add(n)
        };
        if target < 0 {
            return Ok(None);
        }
        if scrolls {
            return self.scroll_to(py, &mut work, ScrollTo::Absolute(target.saturating_add(1)));
        }
        self.fetch_at(py, &mut work, target)
    }

    fn fetch_relative<'py>(&self, py: Python<'py>, n: i64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut work = self.core.acquire(py)?;
        let target = Self::current(&work).saturating_add(n);
        if target < 0 {
            return Ok(None);
        }
        if work.scroll.is_some() {
            return self.scroll_to(py, &mut work, ScrollTo::Absolute(target.saturating_add(1)));
        }
        self.fetch_at(py, &mut work, target)
    }

    #[pyo3(signature = (select_blob_sql, params = None, *, sentinel = "/tmp/_informix_db_blob"))]
    fn read_blob_column<'py>(
        &self,
        py: Python<'py>,
        select_blob_sql: &str,
        params: Option<&Bound<'py, PyAny>>,
        sentinel: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let sql = files::reading(py, select_blob_sql, sentinel)?;
        self.core.blob_files.bind(py).clear();
        self.run_statement(py, &sql, params)?;
        let row = self.next(py)?;
        files::contents(py, row, self.core.blob_files.bind(py))
    }

    #[pyo3(signature = (sql, blob_data, params = None, *, sentinel = "/tmp/_informix_db_blob_in", clob = false))]
    fn write_blob_column(
        &self,
        py: Python<'_>,
        sql: &str,
        blob_data: &Bound<'_, PyAny>,
        params: Option<&Bound<'_, PyAny>>,
        sentinel: &str,
        clob: bool,
    ) -> PyResult<()> {
        let sql = files::writing(py, sql, sentinel, clob)?;
        let registered = self.core.virtual_files.bind(py);
        let earlier = registered.get_item(sentinel)?;
        registered.set_item(sentinel, blob_data)?;
        let done = self.run_statement(py, &sql, params);
        match earlier {
            Some(earlier) => registered.set_item(sentinel, earlier)?,
            None => registered.del_item(sentinel)?,
        }
        done
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.core.close(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.connection)?;
        self.core.traverse(&visit)
    }

    fn __clear__(&self) {
        self.core.clear();
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}
