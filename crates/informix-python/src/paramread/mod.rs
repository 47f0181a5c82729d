//! Python objects to parameters. The exact type is tried first, then subclasses, then registered adapters; what cannot be
//! sent is refused here, before anything is sent, with its position and type.
//!
//! Values go into a [`Sink`]: a list of parameters, or the request itself. `value.rs` reads one object, `row.rs` the objects of
//! one execution.

mod row;
mod value;

use std::sync::{Mutex, OnceLock, PoisonError};

use informix::error::Kind;
use informix::{Parameter, RowEncoder, Value, ValueRef};
use informix_types::TextCodec;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyType;

pub(crate) use self::row::{is_nothing, read_all};
pub(crate) use self::value::{any_locator, put};
use crate::errors;
use crate::markers::Key;

/// Adapters by class.
#[derive(Default)]
pub(crate) struct Adapters(Mutex<Vec<(Py<PyType>, Py<PyAny>)>>);

/// What parameters are read with.
pub(crate) struct Reader<'a> {
    /// Those of the connection.
    pub(crate) adapters: &'a Adapters,
    /// The code set that text must fit, if it is known already.
    pub(crate) codec: Option<TextCodec>,
}

fn global() -> &'static Adapters {
    static GLOBAL: OnceLock<Adapters> = OnceLock::new();
    GLOBAL.get_or_init(Adapters::default)
}

/// Registers an adapter for every connection.
#[pyfunction]
pub(crate) fn register_adapter(r#type: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
    global().set(r#type, adapter);
}

impl Adapters {
    /// Sets or removes the adapter of a class.
    pub(crate) fn set(&self, class: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
        let mut old = Vec::new();
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in std::mem::take(&mut *list) {
            if entry.0.bind(class.py()).is(class) {
                old.push(entry);
            } else {
                list.push(entry);
            }
        }
        if let Some(adapter) = adapter {
            list.push((class.clone().unbind(), adapter));
        }
        // Objects are let go of outside the lock: that may run Python code.
        drop(list);
        drop(old);
    }

    /// For the garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(list) = self.0.try_lock() {
            for (class, adapter) in list.iter() {
                visit.call(class)?;
                visit.call(adapter)?;
            }
        }
        Ok(())
    }

    /// Removes all.
    pub(crate) fn clear(&self) {
        let old = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(old);
    }

    fn find(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let py = value.py();
        let list: Vec<_> = {
            let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.iter()
                .map(|(c, a)| (c.clone_ref(py), a.clone_ref(py)))
                .collect()
        };
        // The last registered class wins, as the more special one is usually named later.
        for (class, adapter) in list.into_iter().rev() {
            if value.is_instance(class.bind(py))? {
                return Ok(Some(adapter));
            }
        }
        Ok(None)
    }
}

/// Takes the values of one row, in the order of the markers.
pub(crate) trait Sink {
    /// Takes the next one.
    fn put(&mut self, value: ValueRef<'_>) -> informix::Result<()>;
}

/// Straight into the request.
impl Sink for RowEncoder<'_> {
    #[inline]
    fn put(&mut self, value: ValueRef<'_>) -> informix::Result<()> {
        self.value(value)
    }
}

/// A list, for a statement of which nothing is known yet. Text must fit the code set; as long as that is not known, the session
/// finds out.
struct Owned {
    codec: Option<TextCodec>,
    list: Vec<Parameter>,
}

impl Sink for Owned {
    fn put(&mut self, value: ValueRef<'_>) -> informix::Result<()> {
        if let ValueRef::Text(text) = value
            && let Some(Err(e)) = self.codec.map(|codec| codec.encode(text))
        {
            return Err(informix::driver::error(Kind::Conversion, 0, e.to_string()));
        }
        self.list.push(Parameter::from(Value::from(value)));
        Ok(())
    }
}

/// Reads one parameter.
pub(crate) fn read(value: &Bound<'_, PyAny>, at: usize, reader: &Reader<'_>) -> PyResult<Parameter> {
    let mut owned = Owned {
        codec: reader.codec,
        list: Vec::with_capacity(1),
    };
    put(value, at, reader, &mut owned)?;
    Ok(owned.list.pop().unwrap_or(Parameter::Value(Value::Null)))
}

/// Reads the parameters of one execution in the order of the markers.
pub(crate) fn read_list(
    values: &Bound<'_, PyAny>,
    keys: Option<&[Key]>,
    reader: &Reader<'_>,
) -> PyResult<Vec<Parameter>> {
    let mut owned = Owned {
        codec: reader.codec,
        list: Vec::new(),
    };
    read_all(values, keys, reader, &mut owned)?;
    Ok(owned.list)
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value
        .get_type()
        .qualname()
        .map_or_else(|_| "object".to_owned(), |n| n.to_string())
}

/// A value that has no counterpart.
fn unfit(value: &Bound<'_, PyAny>, at: usize, why: &str) -> PyErr {
    let py = value.py();
    errors::raise(
        py,
        "DataError",
        &format!("parameter {} ({}): {why}", at + 1, type_name(value)),
    )
}

/// A value of a type that cannot be a parameter: NotImplementedError, as with the peer, which the Python side may make a DB-API
/// class too (`ParameterTypeError`).
fn unsupported(value: &Bound<'_, PyAny>, at: usize) -> PyErr {
    let py = value.py();
    let text = format!(
        "parameter {}: values of type {} cannot be sent; register an adapter for the type",
        at + 1,
        type_name(value)
    );
    match errors::class(py, "ParameterTypeError").and_then(|class| class.call1((&text,))) {
        Ok(instance) => PyErr::from_value(instance),
        Err(_) => pyo3::exceptions::PyNotImplementedError::new_err(text),
    }
}
