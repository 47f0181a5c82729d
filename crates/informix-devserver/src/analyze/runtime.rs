//! The SQL functions that the texts of [`super`] need beside those of [`crate::expr`].

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Result};

use crate::error::SqlError;
use crate::expr;

/// Registers them. Once per connection.
///
/// # Errors
/// SQLite's own.
pub fn register(connection: &Connection) -> Result<()> {
    crate::storage::register_alive(connection)?;
    connection.create_aggregate_function("ifx_single", 1, FunctionFlags::SQLITE_UTF8, Single)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("ifx_row_limit", 1, flags, |context| {
        match context.get::<Option<i64>>(0)? {
            Some(rows) if rows >= 0 => Ok(rows),
            other => Err(expr::raise(
                SqlError::new(-944).because(format!("{other:?} as a number of rows")),
            )),
        }
    })?;
    connection.create_scalar_function("ifx_no_loop", 1, flags, |context| {
        match context.get::<i64>(0)? {
            0 => Ok(true),
            _ => Err(expr::raise(
                SqlError::new(-26079).because("a row of CONNECT BY is below itself"),
            )),
        }
    })?;
    connection.create_scalar_function("ifx_collection_items", 1, flags, |context| {
        let text: Option<String> = context.get(0)?;
        text.map(|text| match super::rows::items(&text) {
            Some(items) => Ok(json(&items)),
            None => Err(expr::raise(
                SqlError::new(-9632).because(format!("{text} is no collection")),
            )),
        })
        .transpose()
    })?;
    connection.create_scalar_function("ifx_row_field", 2, flags, |context| {
        let row: Option<String> = context.get(0)?;
        let position = usize::try_from(context.get::<i64>(1)?).unwrap_or(usize::MAX);
        Ok(row.and_then(|text| super::rows::field_text(&text, position)))
    })
}

/// Texts as a JSON array, which SQLite's `json_each` makes a table of.
fn json(items: &[Option<String>]) -> String {
    let texts = items
        .iter()
        .map(|item| item.as_deref().map_or_else(|| "null".to_owned(), json_text));
    format!("[{}]", texts.collect::<Vec<_>>().join(","))
}

/// A JSON string.
pub(crate) fn json_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The value of the only row; NULL without rows, -284 with several.
struct Single;

impl Aggregate<Option<Value>, Option<Value>> for Single {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<Value>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, seen: &mut Option<Value>) -> Result<()> {
        if seen.is_some() {
            return Err(expr::raise(
                SqlError::new(-284).because("the subquery gives more than one row"),
            ));
        }
        *seen = Some(context.get(0)?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, seen: Option<Option<Value>>) -> Result<Option<Value>> {
        Ok(seen.flatten())
    }
}
