//! From the engine's columns and parameters to SQ_DESCRIBE and SQ_IDESCRIBE.

use informix_protocol::message::{Describe, InputDescribe, ParameterDescription};
use informix_types::{ColumnType, TextCodec};

use super::text;
use crate::engine::ColumnDescription;
use crate::error::{SqlError, SqlResult};

/// The description of a statement's columns.
///
/// # Errors
/// -9634 for a column whose type can't be sent.
pub(super) fn describe(
    kind: i16,
    id: i16,
    columns: &[ColumnDescription],
    codec: &TextCodec,
) -> SqlResult<Describe> {
    let columns = columns
        .iter()
        .map(|column| (text::encode(&column.name, codec), &column.ty));
    Describe::from_columns(kind, id, columns).map_err(|error| SqlError::new(-9634).because(error.to_string()))
}

/// The description of a statement's parameters; empty as soon as one of them is unknown, because the message has no
/// way to leave out one type (the vendor's Java client then takes the types of its setters).
pub(super) fn describe_input(parameters: &[Option<ColumnType>]) -> InputDescribe {
    let known: Option<Vec<_>> = parameters
        .iter()
        .map(|ty| {
            ty.as_ref().map(|ty| ParameterDescription {
                ty: ty.into(),
                named: None,
            })
        })
        .collect();
    InputDescribe {
        parameters: known.unwrap_or_default(),
        ..InputDescribe::default()
    }
}
