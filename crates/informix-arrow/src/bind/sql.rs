//! Statements for a schema.

use arrow_schema::{DataType, Field, IntervalUnit, Schema, TimeUnit};
use informix::error::Kind;
use informix::{Error, Result, driver};

fn usage(text: String) -> Error {
    driver::error(Kind::Usage, 0, text)
}

/// A name that goes into a statement as it is: nobody can break out of it.
fn identifier(name: &str) -> Result<&str> {
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if begins && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
        return Ok(name);
    }
    Err(usage(format!(
        "{name:?} is no name of a column: give the names of the table's columns"
    )))
}

/// A table's name, perhaps with owner, database and server.
fn table_name(name: &str) -> Result<&str> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '@');
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(name);
    }
    Err(usage(format!("{name:?} is no name of a table")))
}

/// `INSERT INTO table (columns) VALUES (?, …)`.
///
/// # Errors
/// When a name is none, or there are no columns.
pub fn insert(table: &str, columns: &[&str]) -> Result<String> {
    if columns.is_empty() {
        return Err(usage("there are no columns to insert".to_owned()));
    }
    let names = columns
        .iter()
        .map(|name| identifier(name))
        .collect::<Result<Vec<_>>>()?;
    let markers = vec!["?"; names.len()];
    Ok(format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table_name(table)?,
        names.join(", "),
        markers.join(", ")
    ))
}

/// `CREATE TABLE table (…)` with a column for each field, under these names. A field that came from Informix gets its old type.
///
/// # Errors
/// When a name is none, or a type has no counterpart.
pub fn create_table(table: &str, schema: &Schema, columns: &[&str]) -> Result<String> {
    let mut parts = Vec::with_capacity(columns.len());
    for (field, name) in schema.fields().iter().zip(columns) {
        let null = if field.is_nullable() { "" } else { " NOT NULL" };
        parts.push(format!("{} {}{null}", identifier(name)?, column_type(field)?));
    }
    Ok(format!(
        "CREATE TABLE {} ({})",
        table_name(table)?,
        parts.join(", ")
    ))
}

/// The type of the column for a field.
fn column_type(field: &Field) -> Result<String> {
    if let Some(ty) = field.metadata().get("informix.type") {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '(' | ')' | ',');
        // A serial would make numbers of its own.
        if !ty.contains("serial") && ty.chars().all(plain) {
            return Ok(ty.clone());
        }
    }
    sql_type(field.data_type()).ok_or_else(|| {
        usage(format!(
            "column {:?}: no SQL type for {}",
            field.name(),
            field.data_type()
        ))
    })
}

/// Digits of a fraction that a unit needs.
fn last_field(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "SECOND",
        TimeUnit::Millisecond => "FRACTION(3)",
        TimeUnit::Microsecond | TimeUnit::Nanosecond => "FRACTION(5)",
    }
}

fn sql_type(data_type: &DataType) -> Option<String> {
    let name = match data_type {
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 | DataType::Int16 | DataType::UInt8 => "SMALLINT",
        DataType::Int32 | DataType::UInt16 => "INTEGER",
        DataType::Int64 | DataType::UInt32 => "BIGINT",
        DataType::UInt64 => "DECIMAL(20,0)",
        DataType::Float16 | DataType::Float32 => "SMALLFLOAT",
        DataType::Float64 => "FLOAT",
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => {
            // Beyond Informix's 32 digits, or with a scale below zero, only the floating one holds what it can.
            return Some(match u8::try_from(*scale) {
                Ok(scale) if *precision <= 32 && scale <= *precision => {
                    format!("DECIMAL({precision},{scale})")
                }
                _ => "DECIMAL(32)".to_owned(),
            });
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "LVARCHAR(2048)",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "BYTE"
        }
        DataType::Date32 | DataType::Date64 => "DATE",
        DataType::Timestamp(unit, None) => return Some(format!("DATETIME YEAR TO {}", last_field(*unit))),
        DataType::Time32(unit) | DataType::Time64(unit) => {
            return Some(format!("DATETIME HOUR TO {}", last_field(*unit)));
        }
        DataType::Duration(unit) => return Some(format!("INTERVAL DAY(9) TO {}", last_field(*unit))),
        DataType::Interval(IntervalUnit::DayTime) => "INTERVAL DAY(9) TO FRACTION(3)",
        DataType::Interval(_) => "INTERVAL YEAR(9) TO MONTH",
        DataType::Dictionary(_, value) => return sql_type(value),
        _ => return None,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(
            insert("db:owner.t", &["a", "b1"]).unwrap(),
            "INSERT INTO db:owner.t (a, b1) VALUES (?, ?)"
        );
        for bad in ["", "a b", "a)", "1a", "a;--", "a\"", "a'"] {
            assert!(insert("t", &[bad]).is_err(), "{bad}");
            assert!(
                create_table(bad, &Schema::empty(), &[]).is_err() || bad == "1a",
                "{bad}"
            );
        }
        assert!(insert("t", &[]).is_err());
    }

    #[test]
    fn metadata_cannot_break_out() {
        let field = |ty: &str| {
            Field::new("a", DataType::Int32, false)
                .with_metadata([("informix.type".to_owned(), ty.to_owned())])
        };
        let made = |ty: &str| create_table("t", &Schema::new(vec![field(ty)]), &["a"]).unwrap();
        assert_eq!(made("decimal(8,2)"), "CREATE TABLE t (a decimal(8,2) NOT NULL)");
        assert_eq!(
            made("int); drop table x; --"),
            "CREATE TABLE t (a INTEGER NOT NULL)"
        );
        assert_eq!(made("serial"), "CREATE TABLE t (a INTEGER NOT NULL)");
    }
}
