//! From the client's columns and values to what is shown.

use informix::blocking::Connection;
use informix::types::{LobKind, LobLocator, TextCodec, TypeCode, Value};
use informix::{Column, Result, RowRef};

use super::output::{Cell, Heading};

/// The heading of a column.
pub(crate) fn heading(column: &Column) -> Heading {
    let right = matches!(
        column.column_type().code,
        TypeCode::SmallInt
            | TypeCode::Integer
            | TypeCode::Serial
            | TypeCode::BigInt
            | TypeCode::BigSerial
            | TypeCode::Int8
            | TypeCode::Serial8
            | TypeCode::Float
            | TypeCode::SmallFloat
            | TypeCode::Decimal
            | TypeCode::Money
    );
    Heading {
        name: column.name().to_owned(),
        right,
    }
}

/// A row as it is shown. BLOB and CLOB contents are fetched by their locators.
pub(crate) fn cells(connection: &Connection, row: RowRef<'_>) -> Result<Vec<Cell>> {
    let columns = row.columns().iter().enumerate();
    columns
        .map(|(at, column)| match row.get::<Value>(at)? {
            Value::LobLocator(locator) => contents(connection, &locator, row.raw(at)?.codec()),
            value => Ok(cell(column, value)),
        })
        .collect()
}

fn contents(connection: &Connection, locator: &LobLocator, codec: TextCodec) -> Result<Cell> {
    let bytes = connection.read_lob(locator)?;
    if locator.kind() == LobKind::Clob
        && let Ok(text) = codec.decode(&bytes)
    {
        return Ok(Cell::Text(text.into_owned()));
    }
    Ok(Cell::Bytes(bytes))
}

/// A value as it is shown. CHAR is blank padded on the wire; the padding says nothing.
fn cell(column: &Column, value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::SmallInt(_) | Value::Integer(_) | Value::BigInt(_) | Value::Int8(_) => {
            Cell::Number(value.to_string())
        }
        // Debug writes floats shortest and with an exponent where Display would write hundreds of zeros.
        Value::SmallFloat(number) => Cell::Number(format!("{number:?}")),
        Value::Float(number) => Cell::Number(format!("{number:?}")),
        Value::Boolean(value) => Cell::Bool(value),
        Value::Bytes(bytes) => Cell::Bytes(bytes),
        Value::Text(mut text) => {
            if matches!(column.column_type().code, TypeCode::Char | TypeCode::NChar) {
                text.truncate(text.trim_end_matches(' ').len());
            }
            Cell::Text(text)
        }
        other => Cell::Text(other.to_string()),
    }
}
