//! A BLOB or CLOB as a binary file.

use informix::driver::Lob as Handle;
use informix_types::LobKind;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::connection::Connection;
use crate::slot::{Held, Slot};
use crate::{errors, values};

struct State {
    handle: Handle,
    position: u64,
}

/// See the module.
#[pyclass(frozen, weakref, module = "informix_db._core")]
pub(crate) struct Lob {
    connection: Py<Connection>,
    state: Slot<State>,
    writing: bool,
    locator: informix_types::LobLocator,
}

impl Lob {
    pub(crate) fn new(connection: Py<Connection>, handle: Handle, writing: bool) -> Self {
        let locator = handle.locator();
        Self {
            connection,
            state: Slot::new(State { handle, position: 0 }),
            writing,
            locator,
        }
    }

    fn open<'a>(&'a self, py: Python<'_>) -> PyResult<Held<'a, State>> {
        self.state
            .acquire(py, "the large object")?
            .ok_or_else(|| pyo3::exceptions::PyValueError::new_err("I/O operation on a closed large object"))
    }

    fn sized(&self, py: Python<'_>, state: &State) -> PyResult<u64> {
        let handle = state.handle.clone();
        self.connection.get().run(py, move |channel| {
            Box::pin(async move { channel.session.lob_size(&handle).await })
        })
    }
}

#[pymethods]
impl Lob {
    #[getter]
    fn closed(&self) -> bool {
        matches!(self.state.try_take(), crate::slot::Tried::Gone)
    }

    #[getter]
    fn locator<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = match self.locator.kind() {
            LobKind::Blob => values::blob_locator(py)?,
            LobKind::Clob => values::clob_locator(py)?,
        };
        class.call1((PyBytes::new(py, self.locator.as_bytes()),))
    }

    #[pyo3(signature = (size = -1), text_signature = "($self, size=-1)")]
    fn read<'py>(&self, py: Python<'py>, size: Option<i64>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.open(py)?;
        let wanted = usize::try_from(size.unwrap_or(-1)).unwrap_or(usize::MAX);
        let handle = state.handle.clone();
        let bytes = self.connection.get().run(py, move |channel| {
            Box::pin(async move {
                let mut all = Vec::new();
                while all.len() < wanted {
                    let piece = channel
                        .session
                        .lob_read(&handle, (wanted - all.len()).min(256 * 1024))
                        .await?;
                    if piece.is_empty() {
                        break;
                    }
                    all.extend_from_slice(&piece);
                }
                Ok(all)
            })
        })?;
        state.position += bytes.len() as u64;
        Ok(PyBytes::new(py, &bytes))
    }

    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        if !self.writing {
            return Err(errors::raise(
                py,
                "NotSupportedError",
                "the large object is open for reading",
            ));
        }
        let bytes = PyBuffer::<u8>::get(data)?.to_vec(py)?;
        let mut state = self.open(py)?;
        let (handle, count) = (state.handle.clone(), bytes.len());
        self.connection.get().run(py, move |channel| {
            Box::pin(async move { channel.session.lob_write(&handle, &bytes).await })
        })?;
        state.position += count as u64;
        Ok(count)
    }

    #[pyo3(signature = (offset, whence = 0))]
    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        let mut state = self.open(py)?;
        let base = match whence {
            0 => 0,
            1 => i64::try_from(state.position).unwrap_or(i64::MAX),
            2 => i64::try_from(self.sized(py, &state)?).unwrap_or(i64::MAX),
            _ => {
                return Err(pyo3::exceptions::PyValueError::new_err(
                    "whence must be 0, 1 or 2",
                ));
            }
        };
        let target = base.saturating_add(offset);
        let Ok(position) = u64::try_from(target) else {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "the position is negative",
            ));
        };
        let handle = state.handle.clone();
        self.connection.get().run(py, move |channel| {
            Box::pin(async move { channel.session.lob_seek(&handle, target).await })
        })?;
        state.position = position;
        Ok(position)
    }

    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.open(py)?.position)
    }

    fn size(&self, py: Python<'_>) -> PyResult<u64> {
        let state = self.open(py)?;
        self.sized(py, &state)
    }

    fn readable(&self) -> bool {
        true
    }

    fn writable(&self) -> bool {
        self.writing
    }

    fn seekable(&self) -> bool {
        true
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(held) = self.state.acquire(py, "the large object")? else {
            return Ok(());
        };
        match held.take_away() {
            Some(state) => self.connection.get().run(py, move |channel| {
                Box::pin(channel.session.lob_close(state.handle))
            }),
            None => Ok(()),
        }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}

impl Drop for Lob {
    fn drop(&mut self) {
        if let crate::slot::Tried::Got(held) = self.state.try_take()
            && let Some(state) = held.take_away()
        {
            self.connection.get().common().ids.drop_lob(state.handle);
        }
    }
}
