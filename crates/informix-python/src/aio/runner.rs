//! Runs a connection's operations on the event loop, one after the other.
//!
//! An operation is a future that owns the channel and gives it back. It is polled when the loop says that the socket is ready;
//! the [`Request`] that a task awaits is only told the result. So when the task that waits is cancelled, nothing is torn: the
//! operation is asked to end early (the session then interrupts and drains what the server still does), and the next one starts
//! after it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use informix::driver::{Boxed, Interest};
use pyo3::intern;
use pyo3::prelude::*;

use super::request::{Callback, Request, call_back};
use crate::channel::Channel;
use crate::common::Common;
use crate::errors;

/// What is done with an operation's result, on the loop. The flag says whether somebody still waits for it.
pub(super) type Finish = Box<dyn for<'py> FnOnce(Python<'py>, bool) -> PyResult<Py<PyAny>> + Send>;

/// The running operation. It gives the channel back, if there still is one.
pub(super) type Running = Pin<Box<dyn Future<Output = (Option<Channel>, Finish)> + Send>>;

/// Makes an operation's future out of the channel.
type Start = Box<dyn FnOnce(Option<Channel>) -> Running + Send>;

struct Queued {
    start: Start,
    request: Py<Request>,
}

/// A request that has ended, and whom to tell.
type Ended = (Py<Request>, Vec<Callback>);

#[derive(Default)]
struct State {
    channel: Option<Channel>,
    running: Option<Running>,
    /// Who waits for what runs.
    waiter: Option<Py<Request>>,
    queue: VecDeque<Queued>,
    /// Somebody polls right now.
    polling: bool,
    /// It was asked to poll while somebody did.
    again: bool,
    reader: i32,
    generation: u64,
    writer: i32,
    timer: Option<(Instant, Py<PyAny>)>,
}

/// See the module.
pub(crate) struct Runner {
    state: Mutex<State>,
    pub(crate) interest: Arc<Interest>,
    pub(crate) common: Arc<Common>,
    event_loop: Py<PyAny>,
    /// What the loop calls.
    wake: Py<PyAny>,
    waker: Waker,
}

/// Called by the loop: the socket is ready, or a time has come.
#[pyclass(frozen, module = "informix_db._core")]
struct WakeUp(Mutex<Weak<Runner>>);

#[pymethods]
impl WakeUp {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let runner = self.0.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        match runner {
            Some(runner) => runner.poll(py, true),
            None => Ok(()),
        }
    }
}

/// Wakes the loop from another thread (the one that looks a host name up).
struct LoopWaker {
    event_loop: Py<PyAny>,
    wake: Py<PyAny>,
}

impl Wake for LoopWaker {
    fn wake(self: Arc<Self>) {
        Python::attach(|py| {
            // A loop that is closed has nobody who waits.
            let _ = self
                .event_loop
                .call_method1(py, "call_soon_threadsafe", (&self.wake,));
        });
    }
}

impl Runner {
    /// For the loop that runs now.
    pub(crate) fn new(py: Python<'_>, common: Arc<Common>) -> PyResult<Arc<Self>> {
        let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?.unbind();
        let wake_up = Bound::new(py, WakeUp(Mutex::new(Weak::new())))?;
        let wake = wake_up.clone().into_any().unbind();
        let waker = Waker::from(Arc::new(LoopWaker {
            event_loop: event_loop.clone_ref(py),
            wake: wake.clone_ref(py),
        }));
        let runner = Arc::new(Self {
            state: Mutex::new(State {
                reader: -1,
                writer: -1,
                ..State::default()
            }),
            interest: Arc::default(),
            common,
            event_loop,
            wake,
            waker,
        });
        *wake_up.get().0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&runner);
        Ok(runner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No Python code runs and nothing is awaited while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something runs or waits.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state();
        state.running.is_some() || state.polling || !state.queue.is_empty()
    }

    /// Looks at the channel while nothing runs.
    pub(crate) fn idle<T>(&self, look: impl FnOnce(&mut Channel) -> T) -> Option<T> {
        let mut state = self.state();
        if state.polling {
            return None;
        }
        state.channel.as_mut().map(look)
    }

    /// Takes the channel away for good, if nothing runs.
    pub(crate) fn take_channel(&self) -> Option<Channel> {
        self.state().channel.take()
    }

    /// Queues an operation and gives the awaitable of its result. One that is not `abandonable` runs to its end
    /// even when nobody waits any more.
    pub(crate) fn submit<T: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        abandonable: bool,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send + 'static,
        finish: impl for<'py> FnOnce(Python<'py>, informix::Result<T>, bool) -> PyResult<Py<PyAny>>
        + Send
        + 'static,
    ) -> PyResult<Py<PyAny>> {
        self.common.check_open(py)?;
        let start = self.starter(abandonable, operation, finish);
        self.enqueue(py, start.0, start.1, false)
    }

    /// As [`Runner::submit`], beginning at the loop's next turn: a fetch whose rows are always there already must not keep the
    /// loop from everything else.
    pub(crate) fn submit_fairly<T: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send + 'static,
        finish: impl for<'py> FnOnce(Python<'py>, informix::Result<T>, bool) -> PyResult<Py<PyAny>>
        + Send
        + 'static,
    ) -> PyResult<Py<PyAny>> {
        self.common.check_open(py)?;
        let start = self.starter(true, operation, finish);
        self.enqueue(py, start.0, start.1, true)
    }

    fn starter<T: Send + 'static>(
        &self,
        abandonable: bool,
        operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>> + Send + 'static,
        finish: impl for<'py> FnOnce(Python<'py>, informix::Result<T>, bool) -> PyResult<Py<PyAny>>
        + Send
        + 'static,
    ) -> (Start, Arc<AtomicBool>) {
        let given_up = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&given_up);
        let common = Arc::clone(&self.common);
        let start: Start = Box::new(move |channel| {
            Box::pin(async move {
                let Some(mut channel) = channel else {
                    let finish: Finish =
                        Box::new(|py, _| Err(errors::interface(py, "the connection is closed")));
                    return (None, finish);
                };
                let done = run_or_abandon(&mut channel, operation, &flag, abandonable).await;
                common.note(&channel);
                let finish: Finish = match done {
                    Some(done) => Box::new(move |py, wanted| finish(py, done, wanted)),
                    None => Box::new(|py, _| Ok(py.None())),
                };
                (Some(channel), finish)
            })
        });
        (start, given_up)
    }

    /// As [`Runner::submit`] for the operation that makes the channel, or takes it away.
    pub(crate) fn submit_raw(
        self: &Arc<Self>,
        py: Python<'_>,
        start: impl FnOnce(Option<Channel>) -> Running + Send + 'static,
    ) -> PyResult<Py<PyAny>> {
        self.enqueue(py, Box::new(start), Arc::default(), false)
    }

    fn enqueue(
        self: &Arc<Self>,
        py: Python<'_>,
        start: Start,
        given_up: Arc<AtomicBool>,
        later: bool,
    ) -> PyResult<Py<PyAny>> {
        let request = Py::new(py, Request::new(self, self.event_loop.clone_ref(py), given_up))?;
        let queued = Queued {
            start,
            request: request.clone_ref(py),
        };
        let is_waiting = {
            let mut state = self.state();
            state.queue.push_back(queued);
            state.running.is_some()
        };
        if later {
            self.poll_soon(py)?;
        } else if !is_waiting {
            self.poll(py, false)?;
        }
        Ok(request.into_any())
    }

    /// Polls at the loop's next turn.
    pub(super) fn poll_soon(&self, py: Python<'_>) -> PyResult<()> {
        self.event_loop
            .call_method1(py, intern!(py, "call_soon"), (&self.wake,))
            .map(drop)
    }

    /// Goes on with what runs, and starts what waits. `by_loop`: the loop called, so nobody else's code is in the way of the
    /// tasks that go on now.
    pub(super) fn poll(self: &Arc<Self>, py: Python<'_>, by_loop: bool) -> PyResult<()> {
        let was_idle = {
            let mut state = self.state();
            if state.polling {
                state.again = true;
                return Ok(());
            }
            state.polling = true;
            state.running.is_none() && state.queue.is_empty()
        };
        let mut ended = Vec::new();
        let done = self.poll_all(py, &mut ended);
        self.state().polling = false;
        let registered = done.and_then(|()| self.register(py, by_loop && was_idle));
        let mut told = registered;
        for (request, callbacks) in ended {
            let called = call_back(py, &request, callbacks, by_loop);
            if told.is_ok() {
                told = called;
            }
        }
        told
    }

    fn poll_all(self: &Arc<Self>, py: Python<'_>, ended: &mut Vec<Ended>) -> PyResult<()> {
        loop {
            let running = {
                let mut state = self.state();
                state.again = false;
                match state.running.take() {
                    Some(running) => Some(running),
                    None => match state.queue.pop_front() {
                        Some(next) => {
                            let channel = state.channel.take();
                            state.waiter = Some(next.request);
                            drop(state);
                            Some((next.start)(channel))
                        }
                        None => None,
                    },
                }
            };
            let Some(mut running) = running else {
                return Ok(());
            };
            match running.as_mut().poll(&mut Context::from_waker(&self.waker)) {
                Poll::Pending => {
                    let mut state = self.state();
                    state.running = Some(running);
                    if !state.again {
                        return Ok(());
                    }
                }
                Poll::Ready((channel, finish)) => {
                    drop(running);
                    let waiter = {
                        let mut state = self.state();
                        state.channel = channel;
                        state.waiter.take()
                    };
                    if let Some(request) = waiter {
                        let result = finish(py, request.get().is_pending());
                        let callbacks = request.get().finish(result);
                        if !callbacks.is_empty() {
                            ended.push((request, callbacks));
                        }
                    }
                }
            }
        }
    }

    /// Tells the loop what is waited for. `unasked`: the loop called though nothing ran.
    fn register(self: &Arc<Self>, py: Python<'_>, unasked: bool) -> PyResult<()> {
        let fd = self.interest.fd();
        let generation = self.interest.generation();
        let (busy, reader, writer, known, timer_at) = {
            let state = self.state();
            (
                state.running.is_some(),
                state.reader,
                state.writer,
                state.generation,
                state.timer.as_ref().map(|t| t.0),
            )
        };
        let event_loop = self.event_loop.bind(py);
        // The reader stays while the connection is idle: registering costs two system calls.
        let renewed = known != generation;
        if reader != fd || (renewed && fd >= 0) {
            if reader >= 0 {
                event_loop.call_method1(intern!(py, "remove_reader"), (reader,))?;
            }
            if fd >= 0 {
                event_loop.call_method1(intern!(py, "add_reader"), (fd, &self.wake))?;
            }
            let mut state = self.state();
            state.reader = fd;
            state.generation = generation;
        } else if fd >= 0 && unasked && self.idle(|channel| !channel.session.is_alive()).unwrap_or(false) {
            // The server has closed, or sent what nobody asked for. Without this the loop would spin.
            event_loop.call_method1(intern!(py, "remove_reader"), (fd,))?;
            self.state().reader = -1;
        }
        let wanted = if busy && self.interest.wants_write() {
            fd
        } else {
            -1
        };
        if writer != wanted || (renewed && wanted >= 0) {
            if writer >= 0 {
                event_loop.call_method1(intern!(py, "remove_writer"), (writer,))?;
            }
            if wanted >= 0 {
                event_loop.call_method1(intern!(py, "add_writer"), (wanted, &self.wake))?;
            }
            self.state().writer = wanted;
        }
        if busy && let Some(at) = self.interest.wake_at() {
            let now = Instant::now();
            // A timer that is set already and goes off earlier only polls once more.
            if timer_at.is_none_or(|set| set > at || set <= now) {
                let delay = at.saturating_duration_since(now).as_secs_f64();
                let timer = event_loop
                    .call_method1(intern!(py, "call_later"), (delay, &self.wake))?
                    .unbind();
                let old = self.state().timer.replace((at, timer));
                if let Some((_, old)) = old {
                    old.call_method0(py, "cancel")?;
                }
            }
        }
        Ok(())
    }

    /// Takes the socket off the loop, before it is closed.
    pub(crate) fn unregister(&self, py: Python<'_>) {
        let (reader, writer, timer) = {
            let mut state = self.state();
            let out = (state.reader, state.writer, state.timer.take());
            state.reader = -1;
            state.writer = -1;
            out
        };
        let event_loop = self.event_loop.bind(py);
        // A closed loop watches nothing.
        if reader >= 0 {
            let _ = event_loop.call_method1(intern!(py, "remove_reader"), (reader,));
        }
        if writer >= 0 {
            let _ = event_loop.call_method1(intern!(py, "remove_writer"), (writer,));
        }
        if let Some((_, timer)) = timer {
            let _ = timer.call_method0(py, "cancel");
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        Python::try_attach(|py| self.unregister(py));
    }
}

/// Runs an operation; when it is abandoned, drops it and lets the session drain what is left of it.
async fn run_or_abandon<T>(
    channel: &mut Channel,
    operation: impl for<'a> FnOnce(&'a mut Channel) -> Boxed<'a, informix::Result<T>>,
    flag: &AtomicBool,
    abandonable: bool,
) -> Option<informix::Result<T>> {
    let done = {
        let mut future = operation(channel);
        poll_fn(|cx| {
            if abandonable && flag.load(Ordering::SeqCst) {
                return Poll::Ready(None);
            }
            future.as_mut().poll(cx).map(Some)
        })
        .await
    };
    if done.is_none() {
        // An error here has broken the connection; the next operation reports it.
        let _ = channel.session.tidy().await;
    }
    done
}
