//! A `.unl` file into a table.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use informix_types::unl::{self, Loaded, Rows};
use informix_types::{BoundValue, ColumnType, LobKind, LobLocator, Value};

use super::LoadError;
use super::script::text_of;
use crate::engine::{PrepareOptions, Session};
use crate::error::{SqlError, SqlResult};

/// What is loaded.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) delimiter: char,
    /// How many rows there must be.
    pub(super) rows: Option<usize>,
}

/// Loads all rows or none. `columns` is a list in parentheses, or empty for all columns.
pub(super) fn load(
    session: &mut Session,
    source: &Source,
    table: &str,
    columns: &str,
) -> Result<(), LoadError> {
    let path = &source.path;
    let bytes = std::fs::read(path).map_err(|error| LoadError::file(path, error))?;
    let text = text_of(session, &bytes);
    let whole = |error: SqlError| LoadError::file(path, error);
    // Without a log, or inside a transaction of the script, there is nothing to begin.
    let begun = session.begin().is_ok();
    let loaded = insert_all(session, source, &text, table, columns);
    match (begun, loaded) {
        (true, Ok(())) => session.commit().map(drop).map_err(whole),
        (true, Err(error)) => {
            let _ = session.rollback();
            Err(error)
        }
        (false, loaded) => loaded,
    }
}

fn insert_all(
    session: &mut Session,
    source: &Source,
    text: &str,
    table: &str,
    columns: &str,
) -> Result<(), LoadError> {
    let path = &source.path;
    let types = types(session, table, columns).map_err(|error| LoadError::file(path, error))?;
    let markers = vec!["?"; types.len()].join(",");
    let sql = format!("insert into {table} {columns} values ({markers})");
    let insert = session
        .prepare(&sql, &PrepareOptions::default())
        .map_err(|error| LoadError::file(path, error))?;
    let mut files = HashMap::new();
    let mut count = 0;
    for row in Rows::new(text, source.delimiter) {
        let here = |problem: String| LoadError::new(path, (row.line, 0), problem);
        if row.fields.len() != types.len() {
            return Err(here(format!(
                "{} fields for {} columns of {table} (-846)",
                row.fields.len(),
                types.len()
            )));
        }
        let mut values = Vec::with_capacity(types.len());
        for (field, ty) in row.fields.iter().zip(&types) {
            let value = value(session, path, &mut files, field.text.as_deref(), ty);
            values.push(value.map_err(|problem| LoadError::new(path, field.place, problem))?);
        }
        session
            .execute(&insert, &values)
            .map_err(|error| here(error.to_string()))?;
        count += 1;
    }
    match source.rows {
        Some(expected) if expected != count => Err(LoadError::file(
            path,
            format!("{count} rows, but the schema says {expected}"),
        )),
        _ => Ok(()),
    }
}

/// The types of the columns that values are for.
fn types(session: &mut Session, table: &str, columns: &str) -> SqlResult<Vec<ColumnType>> {
    let list = columns.trim_start_matches('(').trim_end_matches(')');
    let list = if list.trim().is_empty() { "*" } else { list };
    let query = session.prepare(&format!("select {list} from {table}"), &PrepareOptions::default())?;
    Ok(query.columns().iter().map(|column| column.ty.clone()).collect())
}

fn value(
    session: &Session,
    path: &Path,
    files: &mut HashMap<String, Vec<u8>>,
    field: Option<&str>,
    ty: &ColumnType,
) -> Result<BoundValue, String> {
    match unl::load(field, ty)? {
        Loaded::Value(Value::Text(text)) => {
            let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
            Ok(BoundValue {
                column: ColumnType::lvarchar(length),
                value: Value::Text(text),
            })
        }
        Loaded::Value(value) => Ok(BoundValue {
            column: ty.clone(),
            value,
        }),
        Loaded::File { name, offset, length } => {
            if !files.contains_key(&name) {
                let file = path.with_file_name(&name);
                let contents =
                    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                files.insert(name.clone(), contents);
            }
            let contents = files.get(&name).map(Vec::as_slice).unwrap_or_default();
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
            let piece = contents.get(start..end).ok_or_else(|| {
                format!(
                    "{name} has {} bytes, {offset} + {length} are wanted",
                    contents.len()
                )
            })?;
            let locator = session
                .lobs()
                .add_object(piece)
                .map_err(|error| error.to_string())?;
            let kind = if ty.is_clob() {
                LobKind::Clob
            } else {
                LobKind::Blob
            };
            let locator = LobLocator::new(kind, *locator.as_bytes());
            Ok(BoundValue {
                column: ty.clone(),
                value: Value::LobLocator(Box::new(locator)),
            })
        }
    }
}
