//! The blocking connection.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use informix::LobKind;
use informix::driver::{Boxed, Savepoint, Wait};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple, PyType};

use crate::channel::{self, Channel, Job};
use crate::common::{self, Common};
use crate::cursor::Cursor;
use crate::errors;
use crate::fastpath;
use crate::lob::Lob;
use crate::paramread;
use crate::settings::Settings;
use crate::slot::{Slot, Tried};
use crate::tls;

/// How long closing waits for another thread's operation.
const CLOSE_WAIT: Duration = Duration::from_millis(500);

/// One session, blocking.
#[pyclass(frozen, subclass, weakref, module = "informix_db._core")]
pub(crate) struct Connection {
    common: Arc<Common>,
    channel: Slot<Channel>,
    /// What a signal handler raised during a wait.
    signal: Arc<Mutex<Option<PyErr>>>,
    public_version: Mutex<Option<String>>,
}

/// Polls a future whose transport blocks: it is ready at once, unless a signal handler has raised.
fn poll_once<T>(mut future: Boxed<'_, T>) -> Option<T> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn take(signal: &Mutex<Option<PyErr>>) -> Option<PyErr> {
    signal.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Runs Python's signal handlers when a signal ends a blocking wait.
fn hook(signal: &Arc<Mutex<Option<PyErr>>>) -> informix::driver::SignalHook {
    let signal = Arc::clone(signal);
    Arc::new(move || {
        Python::try_attach(|py| match py.check_signals() {
            Ok(()) => false,
            Err(e) => {
                *signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                true
            }
        })
        .unwrap_or(false)
    })
}

impl Connection {
    pub(crate) fn common(&self) -> &Arc<Common> {
        &self.common
    }

    /// Runs an operation, detached. Waits for operations of other threads first.
    pub(crate) fn run_raw<T: Send>(
        &self,
        py: Python<'_>,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send,
    ) -> PyResult<informix::Result<T>> {
        self.common.check_open(py)?;
        let Some(mut channel) = self.channel.acquire(py, "the connection")? else {
            return Err(errors::interface(py, "the connection is closed"));
        };
        let common = &self.common;
        let target: &mut Channel = &mut channel;
        let done = py.detach(move || {
            let done = poll_once(operation(target));
            common.note(target);
            done
        });
        drop(channel);
        match done {
            Some(done) => Ok(done),
            // The session reads the abandoned replies away before its next request.
            None => Err(take(&self.signal)
                .unwrap_or_else(|| errors::raise(py, "OperationalError", "the call was given up"))),
        }
    }

    /// As [`Connection::run_raw`], with errors as exceptions.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send,
    ) -> PyResult<T> {
        match self.run_raw(py, operation)? {
            Ok(value) => Ok(value),
            Err(e) => Err(self.common.failed(py, errors::to_py(py, &e))),
        }
    }

    /// Asks for the locale of the database, when nothing has done so yet.
    fn know_locale(&self, py: Python<'_>) -> PyResult<()> {
        if self.common.knows_locale() {
            return Ok(());
        }
        self.run(py, |channel| Box::pin(channel.session.know_locale()))
    }

    fn savepoint_action(&self, py: Python<'_>, action: Savepoint, name: String) -> PyResult<()> {
        let begin = self.common.begins();
        self.run(py, move |channel| {
            Box::pin(async move {
                if begin && !channel.session.in_transaction() && channel.session.info().is_logged() {
                    channel.session.begin()?;
                }
                channel.session.savepoint(action, &name).await
            })
        })
    }
}

#[pymethods]
impl Connection {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = args.py();
        let settings = Settings::from_call(args, kwargs)?;
        let common = Arc::new(Common::new(py, &settings));
        let signal = Arc::default();
        let layer = settings
            .context
            .as_ref()
            .map(|context| tls::layer(py, context, &settings.config));
        let dial = channel::dial(Wait::Blocking(Some(hook(&signal))), layer);
        let (ask, config, ids) = (
            settings.ask_locale(false),
            settings.config,
            Arc::clone(&common.ids),
        );
        let connected = py.detach(|| poll_once(Box::pin(Channel::connect(&dial, config, ask, ids))));
        let channel = match connected {
            Some(Ok(channel)) => channel,
            Some(Err(e)) => return Err(errors::connecting(py, &e, &common.place)),
            None => {
                return Err(take(&signal)
                    .unwrap_or_else(|| errors::raise(py, "OperationalError", "connecting was given up")));
            }
        };
        common.connected(&channel);
        Ok(Self {
            common,
            channel: Slot::new(channel),
            signal,
            public_version: Mutex::default(),
        })
    }

    #[getter]
    fn closed(&self) -> bool {
        self.common.closed.load(Ordering::SeqCst)
    }

    #[getter]
    fn autocommit(&self) -> bool {
        self.common.autocommit.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_autocommit(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.common.set_autocommit(py, on)
    }

    #[getter]
    fn row_factory(&self, py: Python<'_>) -> Py<PyAny> {
        self.common.row_factory(py)
    }

    #[setter]
    fn set_row_factory(&self, factory: Py<PyAny>) {
        self.common.set_row_factory(factory);
    }

    #[getter]
    fn encoding(&self, py: Python<'_>) -> PyResult<String> {
        self.know_locale(py)?;
        self.common.encoding(py)
    }

    #[getter]
    fn client_locale(&self, py: Python<'_>) -> PyResult<String> {
        self.know_locale(py)?;
        self.common.client_locale(py)
    }

    #[getter]
    fn in_transaction(&self) -> bool {
        self.common.in_transaction.load(Ordering::Relaxed)
    }

    #[getter]
    fn is_logged(&self) -> bool {
        self.common.is_logged.load(Ordering::Relaxed)
    }

    #[getter]
    fn is_ansi(&self) -> bool {
        self.common.is_ansi.load(Ordering::Relaxed)
    }

    #[getter]
    fn database(&self) -> Option<String> {
        self.common.database()
    }

    #[getter]
    fn server_name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.common.facts(py)?.server_name.clone())
    }

    #[getter]
    fn server_version_internal(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.common.facts(py)?.version.clone())
    }

    #[getter]
    fn server_version(&self, py: Python<'_>) -> PyResult<String> {
        let lock = || self.public_version.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().clone() {
            return Ok(known);
        }
        let asked = self.run_raw(py, |channel| Box::pin(channel.session.server_version()));
        match asked {
            Ok(Ok(Some(version))) => {
                *lock() = Some(version.clone());
                Ok(version)
            }
            _ => Ok(self.common.facts(py)?.version.clone()),
        }
    }

    #[getter]
    fn capability_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.common.mask(py)
    }

    #[getter]
    fn login_reply(&self, py: Python<'_>) -> PyResult<(i32, i32, i32, String, String, String)> {
        self.common.login_reply(py)
    }

    #[getter]
    fn last_error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.common.last_error(py)
    }

    #[getter]
    fn thread_busy(&self) -> bool {
        self.channel.is_busy()
    }

    #[pyo3(signature = (*, scrollable = false))]
    fn cursor(slf: &Bound<'_, Self>, scrollable: bool) -> PyResult<Cursor> {
        Cursor::new(slf.py(), slf.clone().unbind(), scrollable)
    }

    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |channel| Box::pin(channel.end(true)))
    }

    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |channel| Box::pin(channel.end(false)))
    }

    fn begin(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |channel| Box::pin(async { channel.session.begin() }))
    }

    fn savepoint(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.savepoint_action(py, Savepoint::Set, name)
    }

    fn release_savepoint(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.savepoint_action(py, Savepoint::Release, name)
    }

    fn rollback_to_savepoint(&self, py: Python<'_>, name: String) -> PyResult<()> {
        self.savepoint_action(py, Savepoint::RollbackTo, name)
    }

    fn close(&self, py: Python<'_>) {
        self.common.closed.store(true, Ordering::SeqCst);
        let held = match self.channel.acquire_within(py, CLOSE_WAIT) {
            Tried::Got(held) => held,
            Tried::Gone => return,
            Tried::Busy => {
                // The thread that works in it fails at once.
                self.common.cut();
                match self.channel.acquire_within(py, CLOSE_WAIT) {
                    Tried::Got(held) => held,
                    _ => return,
                }
            }
        };
        if let Some(mut channel) = held.take_away() {
            // Whatever the server still says, the session is over.
            py.detach(|| poll_once(Box::pin(channel.close())).map(drop));
        }
    }

    fn abort(&self) {
        self.common.cut();
    }

    fn cancel(&self, py: Python<'_>) -> PyResult<bool> {
        self.common.cancel(py)
    }

    fn ping(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |channel| Box::pin(channel.session.ping()))
    }

    fn is_alive(&self, py: Python<'_>) -> bool {
        if self.common.closed.load(Ordering::SeqCst) {
            return false;
        }
        match self.channel.try_take() {
            Tried::Got(mut channel) => py.detach(|| channel.session.is_alive()),
            // It works for somebody.
            Tried::Busy => true,
            Tried::Gone => false,
        }
    }

    #[getter]
    fn buffer_bytes(&self) -> usize {
        match self.channel.try_take() {
            Tried::Got(channel) => channel.session.buffer_bytes(),
            Tried::Busy | Tried::Gone => 0,
        }
    }

    fn reset(&self, py: Python<'_>) -> PyResult<bool> {
        self.run(py, |channel| Box::pin(channel.reset()))
    }

    fn execute_immediate(&self, py: Python<'_>, operation: String) -> PyResult<u64> {
        let job = Job {
            sql: operation,
            parameters: Vec::new(),
            id: self.common.ids.next(),
            begin: false,
            scrollable: false,
            files: Vec::new(),
            file_limit: 0,
        };
        let id = job.id;
        let executed = self.run(py, move |channel| Box::pin(channel.execute(job)))?;
        self.common.ids.drop_result(id);
        Ok(executed.outcome.rows_affected())
    }

    #[pyo3(signature = (signature, *params))]
    fn fast_path_call<'py>(
        &self,
        py: Python<'py>,
        signature: String,
        params: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.know_locale(py)?;
        let (reader, codec) = (self.common.reader(), self.common.codec(py)?);
        let values = fastpath::arguments(params, &reader, codec)?;
        let results = self.run(py, move |channel| Box::pin(channel.fast_path(signature, values)))?;
        fastpath::results(py, &results, codec)
    }

    fn read_lob<'py>(&self, py: Python<'py>, locator: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let locator = paramread::any_locator(locator)?;
        let contents = self.run(py, move |channel| {
            Box::pin(async move { channel.session.lob_contents(&locator).await })
        })?;
        Ok(PyBytes::new(py, &contents))
    }

    fn open_lob(slf: &Bound<'_, Self>, locator: &Bound<'_, PyAny>) -> PyResult<Lob> {
        let locator = paramread::any_locator(locator)?;
        let this = slf.get();
        let begin = this.common.begins();
        let lob = this.run(slf.py(), move |channel| {
            Box::pin(channel.open_lob(locator, begin))
        })?;
        Ok(Lob::new(slf.clone().unbind(), lob, false))
    }

    #[pyo3(signature = (column, *, clob = false))]
    fn create_lob(slf: &Bound<'_, Self>, column: String, clob: bool) -> PyResult<Lob> {
        let this = slf.get();
        let begin = this.common.begins();
        let kind = if clob { LobKind::Clob } else { LobKind::Blob };
        let lob = this.run(slf.py(), move |channel| {
            Box::pin(async move { channel.create_lob(kind, &column, begin).await })
        })?;
        Ok(Lob::new(slf.clone().unbind(), lob, true))
    }

    #[pyo3(signature = (r#type, converter))]
    fn set_output_converter(&self, r#type: &Bound<'_, PyAny>, converter: Option<Py<PyAny>>) -> PyResult<()> {
        self.common.set_converter(r#type, converter)
    }

    #[pyo3(signature = (r#type, adapter))]
    fn set_adapter(&self, r#type: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
        self.common.adapters.set(r#type, adapter);
    }

    #[pyo3(signature = (seconds))]
    fn set_statement_timeout(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        let limit = common::limit(py, seconds)?;
        self.run(py, move |channel| {
            channel.session.set_statement_timeout(limit);
            Box::pin(async { Ok(()) })
        })
    }

    fn round_trips(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        self.common.meter(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.common.traverse(&visit)
    }

    fn __clear__(&self) {
        self.common.clear();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyTuple>) {
        self.close(py);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Not closed: says goodbye without waiting for an answer. The socket is closed with the session.
        if let Tried::Got(held) = self.channel.try_take()
            && let Some(mut channel) = held.take_away()
        {
            poll_once(Box::pin(channel.session.abandon(Duration::from_millis(200))));
        }
    }
}
