//! uuid 1: Informix has no UUID type, so a UUID travels as its 36-character text; 16 bytes are read too.

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::value::Value;

impl From<Uuid> for Value {
    fn from(value: Uuid) -> Self {
        Self::Text(value.hyphenated().to_string())
    }
}

impl TryFrom<&Value> for Uuid {
    type Error = Error;

    fn try_from(value: &Value) -> Result<Self> {
        match value {
            Value::Text(text) => {
                Self::try_parse(text.trim_matches(' ')).map_err(|_| Error::syntax("UUID", text))
            }
            Value::Bytes(bytes) => Self::from_slice(bytes)
                .map_err(|_| Error::malformed("UUID", format!("{} bytes instead of 16", bytes.len()))),
            other => Err(Error::Conversion {
                from: other.type_name(),
                to: "UUID".to_owned(),
            }),
        }
    }
}
