//! What a connection of either face keeps beside its session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use informix::CancelHandle;
use informix::driver::Cutter;
use informix::transport::Meter;
use informix_types::TextCodec;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::channel::{Channel, Ids};
use crate::paramread::{Adapters, Reader};
use crate::rowbuild::Converters;
use crate::settings::{Settings, python_codec};
use crate::{errors, rowbuild};

/// What is known once the session is open.
pub(crate) struct Facts {
    pub(crate) server_name: String,
    pub(crate) version: String,
    levels: [i32; 3],
    serial: String,
    application: String,
    mask: Vec<u8>,
    pub(crate) cancel: CancelHandle,
    pub(crate) cutter: Option<Cutter>,
    meter: Arc<Meter>,
}

/// How text travels.
#[derive(Default)]
struct Text {
    /// `None` when the database has not been asked for its code set yet.
    known: Option<TextCodec>,
    /// The code set known last: that of the rows at hand.
    codec: TextCodec,
    client_locale: String,
}

/// See the module.
pub(crate) struct Common {
    facts: OnceLock<Facts>,
    text: Mutex<Text>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) adapters: Adapters,
    converters: Mutex<Converters>,
    row_factory: Mutex<Py<PyAny>>,
    last_error: Mutex<Option<Py<PyAny>>>,
    pub(crate) autocommit: AtomicBool,
    pub(crate) closed: AtomicBool,
    pub(crate) in_transaction: AtomicBool,
    pub(crate) is_logged: AtomicBool,
    pub(crate) is_ansi: AtomicBool,
    database: Mutex<Option<String>>,
    pub(crate) place: String,
    /// Largest single value, for client files.
    pub(crate) max_read: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Plain values, right at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common {
    pub(crate) fn new(py: Python<'_>, settings: &Settings) -> Self {
        Self {
            facts: OnceLock::new(),
            text: Mutex::default(),
            ids: Arc::default(),
            adapters: Adapters::default(),
            converters: Mutex::default(),
            row_factory: Mutex::new(settings.row_factory.clone_ref(py)),
            last_error: Mutex::default(),
            autocommit: AtomicBool::new(settings.autocommit),
            closed: AtomicBool::new(false),
            in_transaction: AtomicBool::new(false),
            is_logged: AtomicBool::new(false),
            is_ansi: AtomicBool::new(false),
            database: Mutex::default(),
            place: settings.place.clone(),
            max_read: settings.max_read,
        }
    }

    /// Notes what a new session told.
    pub(crate) fn connected(&self, channel: &Channel) {
        let session = &channel.session;
        let info = session.info();
        let (levels, serial, application) = session.login_facts();
        let mut mask = vec![0u8; 9];
        for (at, byte) in mask.iter_mut().enumerate() {
            for bit in 0..8 {
                if session.has_capability(at * 8 + bit) {
                    *byte |= 0x80 >> bit;
                }
            }
        }
        let facts = Facts {
            server_name: info.name().to_owned(),
            version: info.version().to_owned(),
            levels,
            serial,
            application,
            mask,
            cancel: session.cancel_handle(),
            cutter: session.cutter(),
            meter: session.meter(),
        };
        // A connection connects once.
        let _ = self.facts.set(facts);
        self.note(channel);
    }

    /// Notes where the session stands after an operation.
    pub(crate) fn note(&self, channel: &Channel) {
        let session = &channel.session;
        self.note_text(session.codec(), session.client_locale());
        let info = session.info();
        self.in_transaction
            .store(session.in_transaction(), Ordering::Relaxed);
        self.is_logged.store(info.is_logged(), Ordering::Relaxed);
        self.is_ansi.store(info.is_ansi(), Ordering::Relaxed);
        let mut database = lock(&self.database);
        if database.as_deref() != info.database() {
            *database = info.database().map(str::to_owned);
        }
        if session.is_broken() {
            self.closed.store(true, Ordering::SeqCst);
        }
    }

    fn note_text(&self, codec: Option<TextCodec>, client_locale: &str) {
        let mut text = lock(&self.text);
        if text.known != codec {
            text.known = codec;
            text.codec = codec.unwrap_or(text.codec);
            client_locale.clone_into(&mut text.client_locale);
        }
    }

    /// Whether the code set of the database is known.
    pub(crate) fn knows_locale(&self) -> bool {
        lock(&self.text).known.is_some()
    }

    /// The code set of the rows at hand.
    pub(crate) fn codec(&self, py: Python<'_>) -> PyResult<TextCodec> {
        self.facts(py)?;
        Ok(lock(&self.text).codec)
    }

    pub(crate) fn client_locale(&self, py: Python<'_>) -> PyResult<String> {
        self.facts(py)?;
        Ok(lock(&self.text).client_locale.clone())
    }

    pub(crate) fn facts(&self, py: Python<'_>) -> PyResult<&Facts> {
        self.facts
            .get()
            .ok_or_else(|| errors::interface(py, "the connection is not open"))
    }

    /// What parameters are read with.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader {
            adapters: &self.adapters,
            codec: lock(&self.text).known,
        }
    }

    /// Refuses to work on a closed connection.
    pub(crate) fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(errors::interface(py, "the connection is closed"));
        }
        Ok(())
    }

    /// Whether a statement begins a transaction.
    pub(crate) fn begins(&self) -> bool {
        !self.autocommit.load(Ordering::Relaxed)
    }

    /// Keeps the last exception for `last_error`.
    pub(crate) fn failed(&self, py: Python<'_>, e: PyErr) -> PyErr {
        let value = e.value(py).clone().into_any().unbind();
        let old = lock(&self.last_error).replace(value);
        drop(old);
        e
    }

    pub(crate) fn last_error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        lock(&self.last_error).as_ref().map(|e| e.clone_ref(py))
    }

    pub(crate) fn row_factory(&self, py: Python<'_>) -> Py<PyAny> {
        lock(&self.row_factory).clone_ref(py)
    }

    pub(crate) fn set_row_factory(&self, factory: Py<PyAny>) {
        let old = std::mem::replace(&mut *lock(&self.row_factory), factory);
        drop(old);
    }

    pub(crate) fn database(&self) -> Option<String> {
        lock(&self.database).clone()
    }

    pub(crate) fn converters(&self, py: Python<'_>) -> Converters {
        lock(&self.converters)
            .iter()
            .map(|(code, c)| (*code, c.clone_ref(py)))
            .collect()
    }

    /// Sets or removes the function that values of a type go through.
    pub(crate) fn set_converter(&self, ty: &Bound<'_, PyAny>, converter: Option<Py<PyAny>>) -> PyResult<()> {
        let code = rowbuild::type_number(ty)?;
        let old = match converter {
            Some(converter) => lock(&self.converters).insert(code, converter),
            None => lock(&self.converters).remove(&code),
        };
        drop(old);
        Ok(())
    }

    pub(crate) fn encoding(&self, py: Python<'_>) -> PyResult<String> {
        Ok(python_codec(self.codec(py)?.codeset))
    }

    pub(crate) fn mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.facts(py)?.mask))
    }

    pub(crate) fn login_reply(&self, py: Python<'_>) -> PyResult<(i32, i32, i32, String, String, String)> {
        let facts = self.facts(py)?;
        let [a, b, c] = facts.levels;
        Ok((
            a,
            b,
            c,
            facts.version.clone(),
            facts.serial.clone(),
            facts.application.clone(),
        ))
    }

    pub(crate) fn meter(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        let reading = self.facts(py)?.meter.read();
        Ok((reading.sent, reading.received, reading.round_trips))
    }

    /// Shows the garbage collector the Python objects that are held.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // What is locked is in use: not garbage.
        if let Ok(factory) = self.row_factory.try_lock() {
            visit.call(&*factory)?;
        }
        if let Ok(error) = self.last_error.try_lock() {
            visit.call(&*error)?;
        }
        if let Ok(converters) = self.converters.try_lock() {
            for converter in converters.values() {
                visit.call(converter)?;
            }
        }
        self.adapters.traverse(visit)
    }

    /// Lets go of what may be part of a cycle.
    pub(crate) fn clear(&self) {
        let error = lock(&self.last_error).take();
        let converters = std::mem::take(&mut *lock(&self.converters));
        let factory = Python::try_attach(|py| std::mem::replace(&mut *lock(&self.row_factory), py.None()));
        drop((error, converters, factory));
        self.adapters.clear();
    }

    /// Cancels the running statement.
    pub(crate) fn cancel(&self, py: Python<'_>) -> PyResult<bool> {
        self.facts(py)?.cancel.cancel().map_err(|e| errors::to_py(py, &e))
    }

    /// Cuts the socket.
    pub(crate) fn cut(&self) {
        self.closed.store(true, Ordering::SeqCst);
        if let Some(cutter) = self.facts.get().and_then(|f| f.cutter.as_ref()) {
            cutter.cut();
        }
    }

    /// Sets `autocommit`.
    pub(crate) fn set_autocommit(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        if on && self.in_transaction.load(Ordering::Relaxed) {
            return Err(errors::programming(
                py,
                "a transaction is open: commit or roll back before autocommit is turned on",
            ));
        }
        self.autocommit.store(on, Ordering::Relaxed);
        Ok(())
    }
}

/// A time limit in seconds; `None` and 0 mean none.
pub(crate) fn limit(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    match seconds {
        None => Ok(None),
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(time) => Ok(Some(time).filter(|t| !t.is_zero())),
            Err(_) => Err(errors::interface(
                py,
                &format!("{seconds} is no number of seconds"),
            )),
        },
    }
}
