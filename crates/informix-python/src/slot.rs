//! A value that one thread works with at a time.
//!
//! A plain mutex would deadlock in two ways: a thread that holds it may have to wait for the interpreter while another
//! waits for the mutex attached; and code called back by the holder (a converter, a finalizer that the garbage
//! collector runs) may want it again. So waiting happens detached, and the holder's own thread gets an exception.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;

struct State<T> {
    value: Option<Box<T>>,
    holder: Option<ThreadId>,
    waiting: usize,
}

/// See the module.
pub(crate) struct Slot<T> {
    state: Mutex<State<T>>,
    freed: Condvar,
}

/// The value, taken out of its slot until this is dropped.
pub(crate) struct Held<'a, T> {
    slot: &'a Slot<T>,
    value: Option<Box<T>>,
}

/// What a try without waiting found.
pub(crate) enum Tried<'a, T> {
    /// The value.
    Got(Held<'a, T>),
    /// Somebody has it.
    Busy,
    /// It was taken away for good.
    Gone,
}

/// The thread's id without counting a reference to the thread each time.
fn this_thread() -> ThreadId {
    thread_local!(static ID: ThreadId = std::thread::current().id());
    // While the thread's locals are being destroyed there is none to read.
    ID.try_with(|id| *id)
        .unwrap_or_else(|_| std::thread::current().id())
}

impl<T: Send> Slot<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            state: Mutex::new(State {
                value: Some(Box::new(value)),
                holder: None,
                waiting: 0,
            }),
            freed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // The state is consistent at every moment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn take(&self, state: &mut State<T>) -> Option<Held<'_, T>> {
        let value = state.value.take()?;
        state.holder = Some(this_thread());
        Some(Held {
            slot: self,
            value: Some(value),
        })
    }

    /// Takes the value if it is free.
    #[inline]
    pub(crate) fn try_take(&self) -> Tried<'_, T> {
        let mut state = self.lock();
        match self.take(&mut state) {
            Some(held) => Tried::Got(held),
            None if state.holder.is_some() => Tried::Busy,
            None => Tried::Gone,
        }
    }

    /// Takes the value, waiting detached while another thread has it. `None` when it is gone.
    pub(crate) fn acquire<'a>(&'a self, py: Python<'_>, what: &str) -> PyResult<Option<Held<'a, T>>> {
        {
            let mut state = self.lock();
            if let Some(held) = self.take(&mut state) {
                return Ok(Some(held));
            }
            match state.holder {
                None => return Ok(None),
                Some(holder) if holder == this_thread() => {
                    return Err(errors::programming(
                        py,
                        &format!("{what} is in use by the very call that this code runs inside"),
                    ));
                }
                Some(_) => {}
            }
        }
        loop {
            match py.detach(|| self.wait(Duration::from_millis(200))) {
                Waited::Got(held) => return Ok(Some(held)),
                Waited::Gone => return Ok(None),
                Waited::Late => py.check_signals()?,
            }
        }
    }

    /// As [`Slot::acquire`] with a limit: `Ok(None)` when it passed.
    pub(crate) fn acquire_within<'a>(&'a self, py: Python<'_>, limit: Duration) -> Tried<'a, T> {
        match self.try_take() {
            Tried::Busy if self.lock().holder == Some(this_thread()) => Tried::Busy,
            Tried::Busy => match py.detach(|| self.wait(limit)) {
                Waited::Got(held) => Tried::Got(held),
                Waited::Gone => Tried::Gone,
                Waited::Late => Tried::Busy,
            },
            other => other,
        }
    }

    fn wait(&self, limit: Duration) -> Waited<'_, T> {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        state.waiting += 1;
        let outcome = loop {
            if let Some(held) = self.take(&mut state) {
                break Waited::Got(held);
            }
            if state.holder.is_none() {
                break Waited::Gone;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Waited::Late;
            }
            state = self
                .freed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        state.waiting -= 1;
        outcome
    }

    /// Whether somebody has the value now.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().holder.is_some()
    }
}

enum Waited<'a, T> {
    Got(Held<'a, T>),
    Late,
    Gone,
}

impl<T> Held<'_, T> {
    /// Keeps the value: the slot stays empty for ever.
    pub(crate) fn take_away(mut self) -> Option<Box<T>> {
        self.value.take()
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let mut state = self.slot.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.value = self.value.take();
        state.holder = None;
        if state.waiting > 0 {
            if state.value.is_some() {
                self.slot.freed.notify_one();
            } else {
                self.slot.freed.notify_all();
            }
        }
    }
}

/// A held value is there until it is taken away, which consumes the holder.
const HELD: &str = "a held value is present";

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect(HELD)
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect(HELD)
    }
}
