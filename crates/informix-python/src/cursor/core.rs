//! What cursors of both faces are made of.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use informix::ScrollTo;
use informix::driver::Batch;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::many::ManyDone;
use crate::channel::{Executed, Job};
use crate::common::Common;
use crate::errors;
use crate::markers;
use crate::paramread;
use crate::result::ResultSet;
use crate::rowbuild::{self, Plan};
use crate::slot::{Held, Slot, Tried};

/// An open scroll cursor of the server.
pub(crate) struct ScrollState {
    plan: Plan,
    /// Number of the current row from 0; -1 before the first.
    pub(crate) row: i64,
    /// Number of rows, once it is known.
    pub(crate) total: Option<i64>,
}

/// What changes with every statement.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) result: Option<ResultSet>,
    pub(crate) scroll: Option<ScrollState>,
    /// The columns of either.
    #[cfg(feature = "arrow")]
    pub(crate) columns: Option<Arc<informix::Columns>>,
    /// Number of the open result.
    pub(crate) id: u64,
}

#[derive(Default)]
struct Meta {
    description: Option<Py<PyAny>>,
    rowcount: i64,
    lastrowid: Option<i64>,
    rowid: Option<i32>,
    kind: Option<i16>,
    many: Option<Arc<ManyDone>>,
}

/// See the module.
pub(crate) struct Core {
    pub(crate) common: Arc<Common>,
    pub(crate) work: Slot<Work>,
    meta: Mutex<Meta>,
    /// Number of the current row from 0, -1 for none. By itself: it changes with every row.
    rownumber: AtomicI64,
    row_factory: Mutex<Py<PyAny>>,
    pub(crate) arraysize: AtomicUsize,
    pub(crate) closed: AtomicBool,
    pub(crate) scrollable: bool,
    pub(crate) blob_files: Py<PyDict>,
    pub(crate) virtual_files: Py<PyDict>,
}

impl Drop for Core {
    fn drop(&mut self) {
        if let Tried::Got(work) = self.work.try_take() {
            self.common.ids.drop_result(work.id);
        }
    }
}

impl Core {
    pub(crate) fn new(py: Python<'_>, common: &Arc<Common>, scrollable: bool) -> PyResult<Self> {
        common.check_open(py)?;
        let id = common.ids.next();
        Ok(Self {
            work: Slot::new(Work {
                id,
                ..Work::default()
            }),
            meta: Mutex::new(Meta {
                rowcount: -1,
                ..Meta::default()
            }),
            rownumber: AtomicI64::new(-1),
            row_factory: Mutex::new(common.row_factory(py)),
            arraysize: AtomicUsize::new(1),
            closed: AtomicBool::new(false),
            scrollable,
            blob_files: PyDict::new(py).unbind(),
            virtual_files: PyDict::new(py).unbind(),
            common: Arc::clone(common),
        })
    }

    /// For the garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.blob_files)?;
        visit.call(&self.virtual_files)?;
        if let Ok(factory) = self.row_factory.try_lock() {
            visit.call(&*factory)?;
        }
        if let Ok(meta) = self.meta.try_lock() {
            visit.call(&meta.description)?;
        }
        Ok(())
    }

    /// Lets go of what may be part of a cycle.
    pub(crate) fn clear(&self) {
        if let Some(none) = Python::try_attach(|py| py.None()) {
            self.set_row_factory(none);
        }
    }

    fn meta(&self) -> MutexGuard<'_, Meta> {
        self.meta.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(errors::interface(py, "the cursor is closed"));
        }
        self.common.check_open(py)
    }

    /// The cursor's work, waiting while another thread uses it.
    #[inline]
    pub(crate) fn acquire<'a>(&'a self, py: Python<'_>) -> PyResult<Held<'a, Work>> {
        if !self.closed.load(Ordering::SeqCst)
            && !self.common.closed.load(Ordering::SeqCst)
            && let Tried::Got(work) = self.work.try_take()
        {
            return Ok(work);
        }
        self.wait(py)
    }

    #[cold]
    fn wait<'a>(&'a self, py: Python<'_>) -> PyResult<Held<'a, Work>> {
        self.check_open(py)?;
        self.work
            .acquire(py, "the cursor")?
            .ok_or_else(|| errors::interface(py, "the cursor is closed"))
    }

    pub(crate) fn description(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.meta().description.as_ref().map(|d| d.clone_ref(py))
    }

    pub(crate) fn rowcount(&self) -> i64 {
        self.meta().rowcount
    }

    pub(crate) fn lastrowid(&self) -> Option<i64> {
        self.meta().lastrowid
    }

    pub(crate) fn rowid(&self) -> Option<i32> {
        self.meta().rowid
    }

    pub(crate) fn kind(&self) -> Option<i16> {
        self.meta().kind
    }

    pub(crate) fn rownumber(&self) -> Option<i64> {
        let row = self.rownumber.load(Ordering::Relaxed);
        (row >= 0 && self.meta().description.is_some()).then_some(row)
    }

    pub(crate) fn row_factory(&self, py: Python<'_>) -> Py<PyAny> {
        self.row_factory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_ref(py)
    }

    pub(crate) fn set_row_factory(&self, factory: Py<PyAny>) {
        let mut slot = self.row_factory.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *slot, factory);
        drop(slot);
        drop(old);
    }

    /// Notes the position after rows were handed out.
    pub(crate) fn moved(&self, work: &Work) {
        let row = match (&work.result, &work.scroll) {
            (Some(result), _) => result.row_number().map(|n| n as i64),
            (None, Some(scroll)) => Some(scroll.row),
            _ => None,
        };
        self.rownumber.store(row.unwrap_or(-1), Ordering::Relaxed);
    }

    fn forget(&self) {
        let mut meta = self.meta();
        let old = std::mem::take(&mut *meta);
        meta.rowcount = -1;
        drop(meta);
        drop(old);
        self.rownumber.store(-1, Ordering::Relaxed);
    }

    /// Reads the arguments of `execute`.
    pub(crate) fn job(
        &self,
        py: Python<'_>,
        id: u64,
        operation: &str,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Job> {
        let (sql, parameters) = match parameters.filter(|p| !paramread::is_nothing(p)) {
            None => (operation.to_owned(), Vec::new()),
            Some(given) => {
                let markers = markers::rewrite(py, operation)?;
                let values = paramread::read_list(given, markers.keys.as_deref(), &self.common.reader())?;
                (markers.sql.into_owned(), values)
            }
        };
        Ok(Job {
            sql,
            parameters,
            id,
            begin: self.common.begins(),
            scrollable: self.scrollable,
            files: self.files(py)?,
            file_limit: self.common.max_read,
        })
    }

    fn files(&self, py: Python<'_>) -> PyResult<Vec<(String, Arc<[u8]>)>> {
        let registered = self.virtual_files.bind(py);
        let mut files = Vec::with_capacity(registered.len());
        for (name, contents) in registered.iter() {
            let contents: Vec<u8> = contents.extract()?;
            files.push((name.extract()?, Arc::from(contents)));
        }
        Ok(files)
    }

    /// Keeps the client files that the server wrote.
    pub(crate) fn received(&self, py: Python<'_>, files: Vec<(String, Vec<u8>)>) -> PyResult<()> {
        let all = self.blob_files.bind(py);
        for (name, contents) in files {
            all.set_item(name, PyBytes::new(py, &contents))?;
        }
        Ok(())
    }

    /// Before a statement: the results of the last one are gone.
    pub(crate) fn reset(&self, work: &mut Work) {
        work.result = None;
        work.scroll = None;
        #[cfg(feature = "arrow")]
        {
            work.columns = None;
        }
        self.common.ids.drop_result(work.id);
        // A new number: the old result may still be in use by an operation that was abandoned.
        work.id = self.common.ids.next();
        self.forget();
    }

    /// Takes in what a statement did.
    pub(crate) fn executed(&self, py: Python<'_>, work: &mut Work, executed: Executed) -> PyResult<()> {
        self.received(py, executed.files)?;
        let mut meta = Meta {
            rowcount: -1,
            kind: executed.kind,
            ..Meta::default()
        };
        if let Some(columns) = &executed.columns {
            meta.description = Some(rowbuild::description(py, columns)?.into_any().unbind());
            let codec = self.common.codec(py)?;
            let factory = self.row_factory(py);
            let plan = Plan::new(py, columns, codec, &self.common.converters(py), factory.bind(py))?;
            #[cfg(feature = "arrow")]
            {
                work.columns = Some(Arc::clone(columns));
            }
            if self.scrollable {
                work.scroll = Some(ScrollState {
                    plan,
                    row: -1,
                    total: None,
                });
            } else {
                let result = ResultSet::new(work.id, plan, executed.first, executed.more);
                if !result.more {
                    meta.rowcount = result.known() as i64;
                }
                work.result = Some(result);
            }
        } else {
            let outcome = executed.outcome;
            meta.rowcount = outcome.rows_affected() as i64;
            meta.lastrowid = outcome.last_serial();
            meta.rowid = Some(outcome.rowid()).filter(|r| *r != 0);
        }
        let old = std::mem::replace(&mut *self.meta(), meta);
        drop(old);
        Ok(())
    }

    /// Notes what `executemany` did.
    pub(crate) fn executed_many(&self, done: ManyDone) {
        let last = done.outcome.last();
        let mut meta = self.meta();
        meta.rowcount = done.outcome.rows_affected() as i64;
        meta.lastrowid = last.last_serial();
        meta.rowid = Some(last.rowid()).filter(|r| *r != 0);
        let old = meta.many.replace(Arc::new(done));
        drop(meta);
        drop(old);
    }

    fn many(&self) -> Option<Arc<ManyDone>> {
        self.meta().many.clone()
    }

    /// Errors of rows of the last `executemany`.
    pub(crate) fn batch_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.many()
            .map_or_else(|| Ok(PyList::empty(py)), |many| many.errors(py))
    }

    /// Numbers of rows changed by the rows of the last `executemany`.
    pub(crate) fn batch_rowcounts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.many()
            .map_or_else(|| Ok(PyList::empty(py)), |many| many.counts(py))
    }

    /// Sets the number of rows once they are all known.
    pub(crate) fn counted(&self, work: &Work) {
        if let Some(result) = &work.result
            && !result.more
        {
            self.meta().rowcount = result.known() as i64;
        }
    }

    pub(crate) fn set_rowcount(&self, rows: i64) {
        self.meta().rowcount = rows;
    }

    /// The size of `fetchmany`.
    pub(crate) fn size(&self, size: Option<isize>) -> usize {
        match size {
            Some(size) => usize::try_from(size).unwrap_or(0),
            None => self.arraysize.load(Ordering::Relaxed),
        }
    }

    /// Rows at hand.
    pub(crate) fn take_rows(
        &self,
        py: Python<'_>,
        work: &mut Work,
        list: &Bound<'_, PyList>,
        limit: usize,
    ) -> PyResult<usize> {
        match &mut work.result {
            Some(result) => result.append(py, list, limit),
            None => Ok(0),
        }
    }

    /// A move of a scroll cursor has found a row, or not.
    pub(crate) fn scrolled<'py>(
        &self,
        py: Python<'py>,
        work: &mut Work,
        to: ScrollTo,
        found: Option<(Batch, i64)>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(scroll) = &mut work.scroll else {
            return Ok(None);
        };
        let Some((batch, position)) = found else {
            if to == ScrollTo::Last {
                scroll.total = Some(0);
            }
            return Ok(None);
        };
        scroll.row = position - 1;
        if to == ScrollTo::Last {
            scroll.total = Some(position);
        }
        scroll.plan.row(py, &batch, 0).map(Some)
    }

    /// Closes: the server's part goes with the connection's next request.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.closed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        if let Some(mut work) = self.work.acquire(py, "the cursor")? {
            work.result = None;
            work.scroll = None;
            self.common.ids.drop_result(work.id);
        }
        Ok(())
    }
}

/// The text of the routine call of `callproc`.
pub(crate) fn call_text(py: Python<'_>, name: &str, parameters: usize) -> PyResult<String> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '@' | '"' | '$');
    if name.is_empty() || !name.chars().all(fits) {
        return Err(errors::programming(
            py,
            &format!("{name:?} is no name of a procedure"),
        ));
    }
    let markers = vec!["?"; parameters].join(", ");
    Ok(format!("execute procedure {name}({markers})"))
}
