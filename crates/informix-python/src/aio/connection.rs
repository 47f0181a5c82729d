//! `AsyncConnection`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use informix::driver::{Boxed, Wait};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use super::cursor::AsyncCursor;
use super::ready::Ready;
use super::runner::{Finish, Runner};
use crate::channel::{self, Channel, Job};
use crate::common::{self, Common};
use crate::settings::Settings;
use crate::{errors, fastpath, paramread, tls};

/// One session on an event loop.
#[pyclass(frozen, weakref, module = "informix_db._core")]
pub(crate) struct AsyncConnection {
    runner: Arc<Runner>,
}

impl AsyncConnection {
    pub(crate) fn runner(&self) -> &Arc<Runner> {
        &self.runner
    }

    pub(super) fn common(&self) -> &Arc<Common> {
        &self.runner.common
    }

    /// Submits an operation whose result becomes an object without further ado.
    fn simple<T: Send + 'static>(
        &self,
        py: Python<'_>,
        abandonable: bool,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send + 'static,
        turn: impl for<'py> FnOnce(Python<'py>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        let common = Arc::clone(self.common());
        self.runner
            .submit(py, abandonable, operation, move |py, done, _| match done {
                Ok(value) => turn(py, value),
                Err(e) => Err(common.failed(py, errors::to_py(py, &e))),
            })
    }

    fn nothing(
        &self,
        py: Python<'_>,
        abandonable: bool,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<()>> + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        self.simple(py, abandonable, operation, |py, ()| Ok(py.None()))
    }
}

#[pymethods]
impl AsyncConnection {
    /// Gives a future of a connection.
    #[staticmethod]
    #[pyo3(signature = (*args, **kwargs))]
    fn connect(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let py = args.py();
        let settings = Settings::from_call(args, kwargs)?;
        let common = Arc::new(Common::new(py, &settings));
        let runner = Runner::new(py, Arc::clone(&common))?;
        let layer = settings
            .context
            .as_ref()
            .map(|context| tls::layer(py, context, &settings.config));
        let dial = channel::dial(Wait::Polled(Arc::clone(&runner.interest)), layer);
        let connection = Py::new(
            py,
            Self {
                runner: Arc::clone(&runner),
            },
        )?;
        // Properties cannot wait: what they tell must be known.
        let (ask, config, ids) = (
            settings.ask_locale(true),
            settings.config,
            Arc::clone(&common.ids),
        );
        runner.submit_raw(py, move |_| {
            Box::pin(async move {
                match Channel::connect(&dial, config, ask, ids).await {
                    Ok(channel) => {
                        common.connected(&channel);
                        let finish: Finish = Box::new(move |_, _| Ok(connection.into_any()));
                        (Some(channel), finish)
                    }
                    Err(e) => {
                        common.closed.store(true, Ordering::SeqCst);
                        let finish: Finish = Box::new(move |py, _| {
                            drop(connection);
                            Err(errors::connecting(py, &e, &common.place))
                        });
                        (None, finish)
                    }
                }
            })
        })
    }

    #[getter]
    fn closed(&self) -> bool {
        self.common().closed.load(Ordering::SeqCst)
    }

    #[getter]
    fn autocommit(&self) -> bool {
        self.common().autocommit.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_autocommit(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.common().set_autocommit(py, on)
    }

    #[getter]
    fn row_factory(&self, py: Python<'_>) -> Py<PyAny> {
        self.common().row_factory(py)
    }

    #[setter]
    fn set_row_factory(&self, factory: Py<PyAny>) {
        self.common().set_row_factory(factory);
    }

    #[getter]
    fn encoding(&self, py: Python<'_>) -> PyResult<String> {
        self.common().encoding(py)
    }

    #[getter]
    fn client_locale(&self, py: Python<'_>) -> PyResult<String> {
        self.common().client_locale(py)
    }

    #[getter]
    fn in_transaction(&self) -> bool {
        self.common().in_transaction.load(Ordering::Relaxed)
    }

    #[getter]
    fn is_logged(&self) -> bool {
        self.common().is_logged.load(Ordering::Relaxed)
    }

    #[getter]
    fn is_ansi(&self) -> bool {
        self.common().is_ansi.load(Ordering::Relaxed)
    }

    #[getter]
    fn database(&self) -> Option<String> {
        self.common().database()
    }

    #[getter]
    fn server_name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.common().facts(py)?.server_name.clone())
    }

    #[getter]
    fn server_version_internal(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.common().facts(py)?.version.clone())
    }

    #[getter]
    fn capability_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.common().mask(py)
    }

    #[getter]
    fn login_reply(&self, py: Python<'_>) -> PyResult<(i32, i32, i32, String, String, String)> {
        self.common().login_reply(py)
    }

    #[getter]
    fn last_error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.common().last_error(py)
    }

    #[getter]
    fn busy(&self) -> bool {
        self.runner.is_busy()
    }

    #[pyo3(signature = (*, scrollable = false))]
    fn cursor(slf: &Bound<'_, Self>, scrollable: bool) -> PyResult<AsyncCursor> {
        AsyncCursor::new(slf.py(), slf.clone().unbind(), scrollable)
    }

    fn commit(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.nothing(py, false, |channel| Box::pin(channel.end(true)))
    }

    fn rollback(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.nothing(py, false, |channel| Box::pin(channel.end(false)))
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.nothing(py, false, |channel| Box::pin(async { channel.session.begin() }))
    }

    fn close(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.common().closed.swap(true, Ordering::SeqCst) {
            // The socket of a connection that broke is let go of as well.
            if !self.runner.is_busy() {
                self.runner.unregister(py);
                drop(self.runner.take_channel());
            }
            return Ready::awaitable(py, Ok(py.None()));
        }
        let runner = Arc::clone(&self.runner);
        self.runner.submit_raw(py, move |channel| {
            Box::pin(async move {
                let mut channel = channel;
                if let Some(channel) = &mut channel {
                    // The session is over, whatever the server says.
                    let _ = channel.close().await;
                }
                let finish: Finish = Box::new(move |py, _| {
                    // First off the loop, then closed: the number may get a new owner at once.
                    runner.unregister(py);
                    drop(runner.take_channel());
                    Ok(py.None())
                });
                (channel, finish)
            })
        })
    }

    fn abort(&self) {
        self.common().cut();
    }

    fn cancel(&self, py: Python<'_>) -> PyResult<bool> {
        self.common().cancel(py)
    }

    fn ping(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.nothing(py, true, |channel| Box::pin(channel.session.ping()))
    }

    fn is_alive(&self) -> bool {
        if self.common().closed.load(Ordering::SeqCst) {
            return false;
        }
        self.runner.is_busy()
            || self
                .runner
                .idle(|channel| channel.session.is_alive())
                .unwrap_or(false)
    }

    #[getter]
    fn buffer_bytes(&self) -> usize {
        self.runner
            .idle(|channel| channel.session.buffer_bytes())
            .unwrap_or(0)
    }

    fn reset(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.simple(
            py,
            false,
            |channel| Box::pin(channel.reset()),
            |py, good| Ok(pyo3::types::PyBool::new(py, good).to_owned().into_any().unbind()),
        )
    }

    fn execute_immediate(&self, py: Python<'_>, operation: String) -> PyResult<Py<PyAny>> {
        let job = Job {
            sql: operation,
            parameters: Vec::new(),
            id: self.common().ids.next(),
            begin: false,
            scrollable: false,
            files: Vec::new(),
            file_limit: 0,
        };
        let (id, ids) = (job.id, Arc::clone(&self.common().ids));
        self.simple(
            py,
            true,
            move |channel| Box::pin(channel.execute(job)),
            move |py, executed| {
                ids.drop_result(id);
                Ok(executed
                    .outcome
                    .rows_affected()
                    .into_pyobject(py)?
                    .into_any()
                    .unbind())
            },
        )
    }

    fn server_version(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let known = self.common().facts(py)?.version.clone();
        self.simple(
            py,
            true,
            |channel| Box::pin(async { Ok(channel.session.server_version().await.ok().flatten()) }),
            move |py, version| Ok(version.unwrap_or(known).into_pyobject(py)?.into_any().unbind()),
        )
    }

    #[pyo3(signature = (signature, *params))]
    fn fast_path_call(
        &self,
        py: Python<'_>,
        signature: String,
        params: &Bound<'_, PyTuple>,
    ) -> PyResult<Py<PyAny>> {
        let (reader, codec) = (self.common().reader(), self.common().codec(py)?);
        let values = fastpath::arguments(params, &reader, codec)?;
        self.simple(
            py,
            true,
            move |channel| Box::pin(channel.fast_path(signature, values)),
            move |py, results| Ok(fastpath::results(py, &results, codec)?.into_any().unbind()),
        )
    }

    fn read_lob(&self, py: Python<'_>, locator: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let locator = paramread::any_locator(locator)?;
        self.simple(
            py,
            true,
            move |channel| Box::pin(async move { channel.session.lob_contents(&locator).await }),
            |py, contents| Ok(PyBytes::new(py, &contents).into_any().unbind()),
        )
    }

    #[pyo3(signature = (r#type, converter))]
    fn set_output_converter(&self, r#type: &Bound<'_, PyAny>, converter: Option<Py<PyAny>>) -> PyResult<()> {
        self.common().set_converter(r#type, converter)
    }

    #[pyo3(signature = (r#type, adapter))]
    fn set_adapter(&self, r#type: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
        self.common().adapters.set(r#type, adapter);
    }

    /// Takes effect with the next request.
    #[pyo3(signature = (seconds))]
    fn set_statement_timeout(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        let limit = common::limit(py, seconds)?;
        self.nothing(py, false, move |channel| {
            channel.session.set_statement_timeout(limit);
            Box::pin(async { Ok(()) })
        })
        .map(drop)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.common().traverse(&visit)
    }

    fn __clear__(&self) {
        self.common().clear();
    }

    fn round_trips(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        self.common().meter(py)
    }
}

impl Drop for AsyncConnection {
    fn drop(&mut self) {
        Python::try_attach(|py| self.runner.unregister(py));
        if let Some(mut channel) = self.runner.take_channel() {
            let mut goodbye: Boxed<'_, ()> = Box::pin(channel.session.abandon(Duration::from_millis(1)));
            // What does not go out at once is not waited for.
            let _ = goodbye
                .as_mut()
                .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
        }
    }
}
