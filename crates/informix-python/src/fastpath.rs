//! Arguments and results of fast-path routines.

use informix::Parameter;
use informix::driver::BindValue;
use informix_types::{TextCodec, TypeCode, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::errors;
use crate::paramread::{self, Reader};

/// Python values as arguments. Bytes of a locator's length are a large object (`sqli-protocol.md` 14.4).
pub(crate) fn arguments(
    params: &Bound<'_, PyTuple>,
    reader: &Reader<'_>,
    codec: TextCodec,
) -> PyResult<Vec<BindValue>> {
    let py = params.py();
    let mut values = Vec::with_capacity(params.len());
    for (at, param) in params.iter().enumerate() {
        let parameter = paramread::read(&param, at, reader)?;
        let refused = |why: &str| errors::raise(py, "DataError", &format!("argument {}: {why}", at + 1));
        values.push(match parameter {
            Parameter::Byte(bytes) => named(TypeCode::SendRecv, "blob", bytes),
            Parameter::Value(Value::LobLocator(locator)) => named(
                TypeCode::SendRecv,
                locator.kind().name(),
                locator.as_bytes().to_vec(),
            ),
            Parameter::Value(Value::Text(text)) => {
                let text = codec.encode(&text).map_err(|e| refused(&e.to_string()))?;
                named(TypeCode::LVarChar, "lvarchar", text.into_owned())
            }
            Parameter::Value(value) => {
                let mut bytes = Vec::new();
                informix_types::bind::encode(&value, None, &codec, &mut bytes)
                    .map_err(|e| refused(&e.to_string()))?;
                let (raw, _) =
                    informix_types::bind::scan(&bytes, usize::MAX).map_err(|e| refused(&e.to_string()))?;
                BindValue::new(raw.code, raw.precision, raw.data.map(<[u8]>::to_vec))
            }
            Parameter::Text(_) => return Err(refused("a TEXT cannot be an argument")),
        });
    }
    Ok(values)
}

fn named(code: TypeCode, name: &str, data: Vec<u8>) -> BindValue {
    BindValue {
        name: name.into(),
        ..BindValue::new(code, 0, data)
    }
}

/// Results as Python values; what is no number or text comes as bytes.
pub(crate) fn results<'py>(
    py: Python<'py>,
    results: &[BindValue],
    codec: TextCodec,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for result in results {
        let value = match &result.data {
            None => Value::Null,
            Some(bytes) if result.code.has_name() => Value::Bytes(bytes.clone()),
            Some(_) => result
                .raw()
                .value(&codec)
                .map_err(|e| errors::raise(py, "DataError", &format!("result of a routine: {e}")))?,
        };
        match value {
            Value::Null => list.append(py.None())?,
            Value::SmallInt(v) => list.append(v)?,
            Value::Integer(v) => list.append(v)?,
            Value::BigInt(v) | Value::Int8(v) => list.append(v)?,
            Value::SmallFloat(v) => list.append(v)?,
            Value::Float(v) => list.append(v)?,
            Value::Boolean(v) => list.append(v)?,
            Value::Text(v) => list.append(v)?,
            Value::Decimal(v) => list.append(crate::rowbuild::decimal_object(py, &v)?)?,
            Value::Bytes(v) => list.append(PyBytes::new(py, &v))?,
            other => list.append(other.to_string())?,
        }
    }
    Ok(list)
}
