//! Exceptions: the classes of `informix_db.exceptions`, chosen by SQLCODE, with the numbers as attributes.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use informix::error::{Kind, catalogue};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Codes that the peer driver gives a class of their own: programs that catch them keep working
/// (`server-behaviour.md` 6.1). The catalogue decides the rest.
const PEER_CLASSES: &[(&str, &[i32])] = &[
    ("IntegrityError", &[-239, -268, -269, -291, -292, -391, -703]),
    (
        "ProgrammingError",
        &[
            -201, -202, -206, -217, -253, -258, -259, -260, -262, -272, -273, -274, -286, -310, -311, -316,
            -390, -451, -456, -465, -517, -526, -567, -608,
        ],
    ),
    (
        "OperationalError",
        &[
            -255, -256, -267, -297, -407, -408, -440, -748, -751, -759, -908, -930, -956, -25553, -25563,
        ],
    ),
    ("NotSupportedError", &[-329, -349, -510]),
];

fn texts() -> &'static Mutex<HashMap<i32, String>> {
    static TEXTS: OnceLock<Mutex<HashMap<i32, String>>> = OnceLock::new();
    TEXTS.get_or_init(Mutex::default)
}

/// Text of an SQL or ISAM code, `None` for an unknown one.
#[pyfunction]
pub(crate) fn error_text(code: i32) -> Option<String> {
    let own = texts()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&code)
        .cloned();
    own.or_else(|| catalogue::entry(code).map(|e| e.text.to_owned()))
}

/// Replaces the text of a code.
#[pyfunction]
pub(crate) fn register_error_text(code: i32, text: String) {
    texts()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(code, text);
}

/// DB-API class of a code.
#[pyfunction]
#[pyo3(signature = (sqlcode, isamcode = 0))]
pub(crate) fn error_class(sqlcode: i32, isamcode: i32) -> &'static str {
    for (class, codes) in PEER_CLASSES {
        if codes.contains(&sqlcode) {
            return class;
        }
    }
    match catalogue::class(sqlcode, isamcode).name() {
        // What the server reports is a DatabaseError of some kind (PEP 249).
        "InterfaceError" => "DatabaseError",
        name => name,
    }
}

/// SQLSTATE of a code.
#[pyfunction]
#[pyo3(signature = (sqlcode, isamcode = 0))]
pub(crate) fn error_sqlstate(sqlcode: i32, isamcode: i32) -> &'static str {
    catalogue::sqlstate(sqlcode, isamcode)
}

/// A class of `informix_db.exceptions`.
pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("informix_db.exceptions")?.getattr(name)?.cast_into()?)
}

/// An exception of ours, with the attributes that all have.
fn make(py: Python<'_>, name: &str, text: &str, attributes: &Attributes<'_>) -> PyResult<PyErr> {
    let instance = class(py, name)?.call1((text,))?;
    instance.setattr("sqlcode", attributes.sqlcode)?;
    instance.setattr("isamcode", attributes.isamcode)?;
    instance.setattr("sqlstate", attributes.sqlstate)?;
    instance.setattr("offset", attributes.offset)?;
    instance.setattr("near", attributes.near)?;
    instance.setattr("is_disconnect", attributes.disconnect)?;
    instance.setattr("is_retryable", attributes.retryable)?;
    Ok(PyErr::from_value(instance))
}

#[derive(Default)]
struct Attributes<'a> {
    sqlcode: i32,
    isamcode: i32,
    sqlstate: &'a str,
    offset: u32,
    near: &'a str,
    disconnect: bool,
    retryable: bool,
}

/// An exception with a text alone.
pub(crate) fn raise(py: Python<'_>, name: &str, text: &str) -> PyErr {
    let attributes = Attributes {
        sqlstate: "HY000",
        ..Attributes::default()
    };
    make(py, name, text, &attributes).unwrap_or_else(|e| e)
}

/// "the connection is closed" and the like.
pub(crate) fn interface(py: Python<'_>, text: &str) -> PyErr {
    raise(py, "InterfaceError", text)
}

/// The caller asked for something impossible.
pub(crate) fn programming(py: Python<'_>, text: &str) -> PyErr {
    raise(py, "ProgrammingError", text)
}

fn class_of(e: &informix::Error) -> &'static str {
    match e.kind() {
        Kind::Server => error_class(e.sqlcode(), e.isam_code()),
        // A database that is not there is refused while logging in.
        Kind::Login => match error_class(e.sqlcode(), e.isam_code()) {
            "NotSupportedError" => "NotSupportedError",
            _ => "OperationalError",
        },
        Kind::Conversion => "DataError",
        Kind::Usage => "ProgrammingError",
        Kind::Config => "InterfaceError",
        _ => "OperationalError",
    }
}

/// `[code] text (near 'x') [ISAM n] (offset n)`.
fn text_of(e: &informix::Error) -> String {
    use std::fmt::Write;
    let own = texts()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&e.sqlcode())
        .cloned();
    let mut text = match (e.sqlcode(), own) {
        (0, _) => e.message(),
        (code, Some(own)) => format!("[{code}] {}", own.replace("{}", e.token())),
        (code, None) => format!("[{code}] {}", e.message()),
    };
    let mut source = std::error::Error::source(e);
    while let Some(cause) = source {
        // Writing to a String cannot fail.
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    if !e.token().is_empty() {
        let _ = write!(text, " (near '{}')", e.token());
    }
    if e.isam_code() != 0 {
        let _ = write!(text, " [ISAM {}]", e.isam_code());
    }
    if let Some(offset) = e.offset() {
        let _ = write!(text, " (offset {offset})");
    }
    text
}

fn build(py: Python<'_>, e: &informix::Error, text: &str) -> PyErr {
    let attributes = Attributes {
        sqlcode: e.sqlcode(),
        isamcode: e.isam_code(),
        sqlstate: e.sqlstate(),
        offset: e.offset().unwrap_or(0),
        near: e.token(),
        disconnect: e.is_disconnect(),
        retryable: e.is_retryable(),
    };
    make(py, class_of(e), text, &attributes).unwrap_or_else(|failed| failed)
}

/// The exception for an error of the client.
pub(crate) fn to_py(py: Python<'_>, e: &informix::Error) -> PyErr {
    build(py, e, &text_of(e))
}

/// The exception for an error while connecting.
pub(crate) fn connecting(py: Python<'_>, e: &informix::Error, place: &str) -> PyErr {
    // What the function that answers questions has raised.
    if let Some(raised) = std::error::Error::source(e).and_then(|source| source.downcast_ref::<PyErr>()) {
        return raised.clone_ref(py);
    }
    let text = text_of(e);
    let text = match e.kind() {
        Kind::Tls => format!("TLS handshake failed against {place}: {text}"),
        Kind::Login => format!("server rejected the connection: {text}"),
        Kind::Config | Kind::Usage | Kind::Conversion => text,
        _ => format!("cannot connect to Informix at {place}: {text}"),
    };
    build(py, e, &text)
}

/// The exception for an error of `executemany`, in a row or as a whole.
pub(crate) fn in_batch(
    py: Python<'_>,
    e: &informix::Error,
    row: Option<usize>,
    total: Option<usize>,
) -> PyErr {
    let text = text_of(e);
    let made = match (row, total) {
        (None, _) => build(py, e, &text),
        (Some(row), Some(total)) => build(py, e, &format!("executemany row {row}/{total}: {text}")),
        (Some(row), None) => build(py, e, &format!("executemany row {row}: {text}")),
    };
    // Without the attributes it is still the error.
    let _ = made.value(py).setattr("row", row);
    committed(py, made, e.committed_rows())
}

/// Adds the number of rows that an `executemany` with `commit_every` has committed.
pub(crate) fn committed(py: Python<'_>, e: PyErr, rows: Option<usize>) -> PyErr {
    if let Some(rows) = rows {
        // An exception of the caller's own may refuse attributes.
        let _ = e.value(py).setattr("committed_rows", rows);
    }
    e
}
