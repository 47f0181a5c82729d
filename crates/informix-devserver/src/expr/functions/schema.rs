//! Functions of the vendor's catalog scripts that JDBC's getColumns calls: what the type words of `syscolumns` mean
//! (`jdbc-observed.md` 2; the texts are in `testdata/captures/jdbc-metadata.txt`). What they return is read from the columns of
//! DatabaseMetaData.getColumns that they fill; sizes of INTEGER, FLOAT and character types are those of a real server.

use informix_types::type_code::NOT_NULL;
use informix_types::{ColumnType, TypeCode};
use rusqlite::types::Value as SqliteValue;

use super::super::args::{Args, Scalar, integer, text};
use super::super::kind::Kind;
use super::super::typed::TypedExpr;
use crate::error::SqlResult;

/// Length of the texts (unconfirmed).
const TEXT: Kind = Kind::VarChar(128);
/// Length of a list of types (unconfirmed).
const ROUTINE_TYPES: u16 = 2048;
/// Size of what has no limit worth telling.
const UNLIMITED: i64 = i32::MAX as i64;

/// The SQL functions of this file.
pub(in super::super) const SCALARS: &[Scalar] = &[
    Scalar::plain("ifx_schema_get_data_type", 3, |a| {
        integer(jdbc_type(&extended(a, 0, 1)?))
    }),
    Scalar::plain("ifx_schema_coltypename", 2, |a| {
        text(type_name(&extended(a, 0, 1)?))
    }),
    Scalar::plain("ifx_schema_precision", 3, |a| {
        integer(precision(&with_length(extended(a, 0, 1)?, a, 2)?))
    }),
    Scalar::plain("ifx_schema_numscale", 2, |a| {
        let ty = with_length(plain(a, 0)?, a, 1)?;
        integer(if ty.is_decimal() {
            ty.scale().map_or(0, i64::from)
        } else {
            0
        })
    }),
    Scalar::plain("ifx_schema_numprecradix", 1, |a| {
        integer(if Kind::of(&plain(a, 0)?).is_number() {
            10
        } else {
            0
        })
    }),
    Scalar::plain("ifx_schema_isnullable", 1, |a| integer(i64::from(nullable(a)?))),
    Scalar::plain("ifx_schema_nullable", 1, |a| yes_or_no(nullable(a)?)),
    Scalar::plain("ifx_schema_datetype", 2, |a| {
        let ty = plain(a, 0)?;
        integer(if matches!(ty.code, TypeCode::DateTime | TypeCode::Interval) {
            a.integer(1)?
        } else {
            0
        })
    }),
    Scalar::plain("ifx_schema_charlen", 3, |a| {
        let ty = with_length(extended(a, 0, 1)?, a, 2)?;
        integer(
            ty.max_bytes()
                .and_then(|bytes| i64::try_from(bytes).ok())
                .unwrap_or(0),
        )
    }),
    Scalar::plain("ifx_schema_bufflen", 2, |a| {
        let ty = with_length(plain(a, 0)?, a, 1)?;
        integer(i64::from(crate::catalog::coltype::row_width(&ty)))
    }),
    Scalar::plain("ifx_schema_isautoincr", 1, |a| {
        let code = plain(a, 0)?.code;
        yes_or_no(matches!(
            code,
            TypeCode::Serial | TypeCode::Serial8 | TypeCode::BigSerial
        ))
    }),
    Scalar::plain("ifx_schema_get_default_value", 4, default_value),
];

/// The call, when the name is one of this file's; else the arguments back.
pub(super) fn build(name: &str, arguments: Vec<TypedExpr>) -> Result<SqlResult<TypedExpr>, Vec<TypedExpr>> {
    // Of sysproccolumns.paramattr: 3 and 5 are results (informix-sql.md 13).
    let attributes = match name {
        "ifx_param_types" => "0, 1, 2, 4",
        "ifx_ret_types" => "3, 5",
        _ => "",
    };
    if !attributes.is_empty() && arguments.len() == 1 {
        return Ok(routine_types(attributes, arguments));
    }
    let result = match (name, arguments.len()) {
        ("get_data_type" | "schema_precision" | "schema_charlen", 3)
        | ("schema_numscale" | "schema_datetype" | "schema_bufflen", 2)
        | ("schema_numprecradix" | "schema_isnullable", 1) => Kind::Integer,
        ("schema_coltypename", 2)
        | ("schema_nullable" | "schema_isautoincr", 1)
        | ("get_default_value", 4) => TEXT,
        _ => return Err(arguments),
    };
    let operands = arguments.into_iter().enumerate().map(|(at, argument)| {
        // Only the default itself is text.
        if at == 3 {
            Ok(argument)
        } else {
            argument.converted(Kind::Integer)
        }
    });
    Ok(operands.collect::<SqlResult<Vec<_>>>().map(|operands| {
        let texts: Vec<_> = operands.iter().map(|operand| operand.sql.as_str()).collect();
        let function = format!("ifx_schema_{}", name.strip_prefix("schema_").unwrap_or(name));
        TypedExpr::computed(format!("{function}({})", texts.join(", ")), result, operands)
    }))
}

/// The names of the types of a routine's parameters or results; the argument is its `procid`.
fn routine_types(attributes: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let operands = arguments
        .into_iter()
        .map(|argument| argument.converted(Kind::Integer))
        .collect::<SqlResult<Vec<_>>>()?;
    let number: Vec<_> = operands.iter().map(|operand| operand.sql.as_str()).collect();
    let sql = format!(
        "(SELECT coalesce(group_concat(ifx_schema_coltypename(paramtype, paramxid)), '') FROM (SELECT paramtype, paramxid \
         FROM main.sysproccolumns WHERE procid = {} AND paramattr IN ({attributes}) ORDER BY paramid))",
        number.join(", ")
    );
    Ok(TypedExpr::computed(sql, Kind::LVarChar(ROUTINE_TYPES), operands))
}

/// The type of a `coltype`, without extended id and length.
fn plain(a: &Args<'_, '_>, at: usize) -> SqlResult<ColumnType> {
    let word = u16::try_from(a.integer(at)? & 0xffff).unwrap_or(0);
    Ok(ColumnType::new(
        TypeCode::from_wire(word).unwrap_or(TypeCode::Unknown),
        0,
    ))
}

fn extended(a: &Args<'_, '_>, at: usize, id: usize) -> SqlResult<ColumnType> {
    let extended_id = i32::try_from(a.integer(id)?).unwrap_or(0);
    Ok(ColumnType {
        extended_id,
        ..plain(a, at)?
    })
}

fn with_length(ty: ColumnType, a: &Args<'_, '_>, at: usize) -> SqlResult<ColumnType> {
    // `collength` is a SMALLINT: lengths above 32767 are negative in it.
    let encoded_length = i32::try_from(a.integer(at)? & 0xffff).unwrap_or(0);
    Ok(ColumnType { encoded_length, ..ty })
}

fn nullable(a: &Args<'_, '_>) -> SqlResult<bool> {
    Ok(a.integer(0)? & i64::from(NOT_NULL) == 0)
}

fn yes_or_no(yes: bool) -> SqlResult<SqliteValue> {
    text(if yes { "YES" } else { "NO" })
}

/// `java.sql.Types`, as the driver itself numbers the columns of a result set.
fn jdbc_type(ty: &ColumnType) -> i64 {
    match Kind::of(ty) {
        Kind::Blob => return 2004,
        Kind::Clob => return 2005,
        Kind::Boolean => return 16,
        Kind::LVarChar(_) => return -1,
        _ => {}
    }
    match ty.code {
        TypeCode::Char | TypeCode::NChar => 1,
        TypeCode::VarChar | TypeCode::NVarChar => 12,
        TypeCode::SmallInt => 5,
        TypeCode::Integer | TypeCode::Serial => 4,
        TypeCode::Int8 | TypeCode::Serial8 | TypeCode::BigInt | TypeCode::BigSerial => -5,
        TypeCode::Float => 8,
        TypeCode::SmallFloat => 7,
        TypeCode::Decimal | TypeCode::Money => 3,
        TypeCode::Date => 91,
        TypeCode::DateTime => 93,
        TypeCode::Byte => -4,
        TypeCode::Text => -1,
        _ => 1111,
    }
}

fn type_name(ty: &ColumnType) -> &'static str {
    match Kind::of(ty) {
        Kind::Blob => "blob",
        Kind::Clob => "clob",
        Kind::Boolean => "boolean",
        Kind::LVarChar(_) => "lvarchar",
        _ => ty.code.name(),
    }
}

fn precision(ty: &ColumnType) -> i64 {
    if let Some(bytes) = ty.max_bytes() {
        return i64::try_from(bytes).unwrap_or(UNLIMITED);
    }
    match ty.code {
        TypeCode::SmallInt => 5,
        TypeCode::Integer | TypeCode::Serial | TypeCode::Date => 10,
        TypeCode::Int8 | TypeCode::Serial8 | TypeCode::BigInt | TypeCode::BigSerial => 19,
        // A 14.10 server's, whatever the driver says of a result's columns (`public-traces.md` 11).
        TypeCode::Float => 17,
        TypeCode::SmallFloat => 7,
        TypeCode::Decimal | TypeCode::Money => i64::from(ty.precision()),
        // The driver reads the qualifier out of it.
        TypeCode::DateTime | TypeCode::Interval => i64::from(ty.encoded_length),
        _ if ty.is_boolean() => 1,
        _ => UNLIMITED,
    }
}

/// The text of a literal default: for other than character types it stands behind an encoded form and a blank.
fn default_value(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let ty = extended(a, 0, 1)?;
    let stored = a.text(3);
    let stored = stored.trim_end();
    let shown = if ty.is_character() {
        stored
    } else {
        stored.split_once(' ').map_or(stored, |(_, text)| text)
    };
    text(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jdbc_numbers_and_names() {
        let qualifier = informix_types::Qualifier::YEAR_TO_FRACTION3;
        for (ty, number, name, size) in [
            (ColumnType::char(5), 1, "char", 5),
            (ColumnType::varchar(20, 3), 12, "varchar", 20),
            (ColumnType::lvarchar(100), -1, "lvarchar", 100),
            (ColumnType::integer().not_null(), 4, "integer", 10),
            (ColumnType::serial(), 4, "serial", 10),
            (ColumnType::bigint(), -5, "bigint", 19),
            (ColumnType::decimal(8, Some(2)), 3, "decimal", 8),
            (ColumnType::datetime(qualifier), 93, "datetime", 0x110d),
            (ColumnType::boolean(), 16, "boolean", 1),
            (ColumnType::blob(), 2004, "blob", UNLIMITED),
            (ColumnType::text(), -1, "text", UNLIMITED),
        ] {
            // As the functions see it: no name, only the extended id.
            let seen = ColumnType {
                owner: String::new(),
                extended_name: String::new(),
                ..ty
            };
            assert_eq!(
                (jdbc_type(&seen), type_name(&seen), precision(&seen)),
                (number, name, size),
                "{seen:?}"
            );
        }
    }
}
