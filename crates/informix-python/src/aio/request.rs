//! What an operation on the loop is awaited by: a future in asyncio's sense (`asyncio.isfuture` says so).
//!
//! It is no `asyncio.Future` for two reasons. That one tells its task through `call_soon`, which costs a further turn of
//! the loop for every request; here the loop has just called us, so the task goes on at once. And its cancellation is
//! only seen by whoever polls it; here it ends the operation by itself, without a coroutine around each call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{IntoPyObjectExt, intern};

use super::runner::Runner;

enum Outcome {
    Pending,
    Done(PyResult<Py<PyAny>>),
    /// With the message of the cancellation.
    Cancelled(Option<Py<PyAny>>),
    /// The result was handed out.
    Taken,
}

/// A function to call at the end, and the context to call it in.
pub(super) struct Callback {
    function: Py<PyAny>,
    context: Option<Py<PyAny>>,
}

struct State {
    outcome: Outcome,
    /// asyncio's sign that a task has met this future by `await`.
    blocking: bool,
    callbacks: Vec<Callback>,
}

/// See the module.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct Request {
    state: Mutex<State>,
    /// Nobody waits any more: the operation is to end early.
    given_up: Arc<AtomicBool>,
    runner: Weak<Runner>,
    event_loop: Py<PyAny>,
}

impl Request {
    pub(super) fn new(runner: &Arc<Runner>, event_loop: Py<PyAny>, given_up: Arc<AtomicBool>) -> Self {
        Self {
            state: Mutex::new(State {
                outcome: Outcome::Pending,
                blocking: false,
                callbacks: Vec::new(),
            }),
            given_up,
            runner: Arc::downgrade(runner),
            event_loop,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No Python code runs while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_pending(&self) -> bool {
        matches!(self.state().outcome, Outcome::Pending)
    }

    /// Sets the result; gives the functions that are to be called now. Nothing happens when nobody waits any more.
    pub(super) fn finish(&self, result: PyResult<Py<PyAny>>) -> Vec<Callback> {
        let mut state = self.state();
        if !matches!(state.outcome, Outcome::Pending) {
            drop(state);
            drop(result);
            return Vec::new();
        }
        state.outcome = Outcome::Done(result);
        std::mem::take(&mut state.callbacks)
    }

    /// The result, once: the one task that waits takes it.
    fn take(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let outcome = std::mem::replace(&mut self.state().outcome, Outcome::Taken);
        match outcome {
            Outcome::Done(result) => result,
            Outcome::Cancelled(message) => {
                let kind = py.import("asyncio")?.getattr("CancelledError")?;
                let error = match &message {
                    Some(message) => kind.call1((message,))?,
                    None => kind.call0()?,
                };
                self.state().outcome = Outcome::Cancelled(message);
                Err(PyErr::from_value(error))
            }
            Outcome::Pending => {
                self.state().outcome = Outcome::Pending;
                Err(PyRuntimeError::new_err("the request still runs"))
            }
            Outcome::Taken => Err(PyRuntimeError::new_err("the result was taken already")),
        }
    }
}

/// Calls what waits for a request, each in its context: at once when the loop has just called us, and by the loop's next
/// turn when somebody else's code runs.
pub(super) fn call_back(
    py: Python<'_>,
    request: &Py<Request>,
    callbacks: Vec<Callback>,
    at_once: bool,
) -> PyResult<()> {
    let mut failed = Ok(());
    for Callback { function, context } in callbacks {
        let called = match (context, at_once) {
            (Some(context), true) => context.call_method1(py, intern!(py, "run"), (function, request)),
            (context, _) => call_soon(py, &request.get().event_loop, (function, request), context),
        };
        if let Err(e) = called {
            failed = Err(e);
        }
    }
    failed
}

fn call_soon(
    py: Python<'_>,
    event_loop: &Py<PyAny>,
    (function, request): (Py<PyAny>, &Py<Request>),
    context: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let options = PyDict::new(py);
    if let Some(context) = context {
        options.set_item(intern!(py, "context"), context)?;
    }
    event_loop.call_method(py, intern!(py, "call_soon"), (function, request), Some(&options))
}

#[pymethods]
impl Request {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        {
            let mut state = slf.get().state();
            if matches!(state.outcome, Outcome::Pending) {
                state.blocking = true;
                drop(state);
                return Ok(slf);
            }
        }
        // In a tuple, so that a value that is a tuple stays whole.
        Err(PyStopIteration::new_err((slf.get().take(slf.py())?,)))
    }

    #[getter(_asyncio_future_blocking)]
    fn blocking(&self) -> bool {
        self.state().blocking
    }

    #[setter(_asyncio_future_blocking)]
    fn set_blocking(&self, blocking: bool) {
        self.state().blocking = blocking;
    }

    fn get_loop(&self, py: Python<'_>) -> Py<PyAny> {
        self.event_loop.clone_ref(py)
    }

    #[pyo3(signature = (function, *, context = None))]
    fn add_done_callback(
        slf: &Bound<'_, Self>,
        function: Py<PyAny>,
        context: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let callback = Callback { function, context };
        {
            let mut state = slf.get().state();
            if matches!(state.outcome, Outcome::Pending) {
                state.callbacks.push(callback);
                return Ok(());
            }
        }
        call_back(py, &slf.clone().unbind(), vec![callback], false)
    }

    fn remove_done_callback(&self, py: Python<'_>, function: &Bound<'_, PyAny>) -> PyResult<usize> {
        let callbacks = std::mem::take(&mut self.state().callbacks);
        let before = callbacks.len();
        let mut kept = Vec::new();
        for callback in callbacks {
            if !callback.function.bind(py).eq(function)? {
                kept.push(callback);
            }
        }
        let removed = before - kept.len();
        self.state().callbacks.extend(kept);
        Ok(removed)
    }

    /// Ends the operation early, if it may be: what the server still does is interrupted and read away.
    #[pyo3(signature = (msg = None))]
    fn cancel(slf: &Bound<'_, Self>, msg: Option<Py<PyAny>>) -> PyResult<bool> {
        let this = slf.get();
        let callbacks = {
            let mut state = this.state();
            if !matches!(state.outcome, Outcome::Pending) {
                return Ok(false);
            }
            state.outcome = Outcome::Cancelled(msg);
            std::mem::take(&mut state.callbacks)
        };
        this.given_up.store(true, Ordering::SeqCst);
        call_back(slf.py(), &slf.clone().unbind(), callbacks, false)?;
        if let Some(runner) = this.runner.upgrade() {
            runner.poll_soon(slf.py())?;
        }
        Ok(true)
    }

    fn cancelled(&self) -> bool {
        matches!(self.state().outcome, Outcome::Cancelled(_))
    }

    fn done(&self) -> bool {
        !self.is_pending()
    }

    /// Takes the result; a task calls it for the exception, and takes the value by `__next__`.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Outcome::Done(Ok(value)) = &self.state().outcome {
            return Ok(value.clone_ref(py));
        }
        self.take(py)
    }

    fn exception(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Outcome::Done(result) = &self.state().outcome {
            return match result {
                Ok(_) => Ok(py.None()),
                Err(e) => e.value(py).clone().into_py_any(py),
            };
        }
        self.take(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.event_loop)?;
        // What is locked is in use: not garbage.
        if let Ok(state) = self.state.try_lock() {
            if let Outcome::Done(Ok(value)) = &state.outcome {
                visit.call(value)?;
            }
            for callback in &state.callbacks {
                visit.call(&callback.function)?;
                if let Some(context) = &callback.context {
                    visit.call(context)?;
                }
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let callbacks = std::mem::take(&mut self.state().callbacks);
        drop(callbacks);
    }
}
