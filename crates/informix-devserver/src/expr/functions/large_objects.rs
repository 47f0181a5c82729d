//! Functions of smart large objects: LOTOFILE, FILETOBLOB, FILETOCLOB, LOCOPY and the `ifx_lo_…` that SQL may call.

use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::super::args::{Args, Scalar, integer, text};
use super::super::env::LargeObjects;
use super::super::kind::Kind;
use super::super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};

/// Length of LOTOFILE's result (unconfirmed).
const FILE_NAME: u16 = 255;

/// The SQL functions of this file. They have effects, so none is deterministic; NULL stays NULL.
pub(in super::super) const SCALARS: &[Scalar] = &[
    effect("ifx_lotofile", 3, |a| {
        text(objects(a)?.export(bytes(a, 0)?, &a.text(1), &a.text(2))?)
    }),
    effect("ifx_filetolob", 2, |a| {
        locator(objects(a)?.import(&a.text(0), &a.text(1))?)
    }),
    effect("ifx_locopy", 1, |a| locator(objects(a)?.copy(bytes(a, 0)?)?)),
    effect("ifx_lo_open", 2, |a| integer(objects(a)?.open(bytes(a, 0)?)?)),
    effect("ifx_lo_close", 1, |a| {
        objects(a)?.close(a.integer(0)?)?;
        integer(0)
    }),
];

const fn effect(name: &'static str, arity: i32, body: super::super::args::Body) -> Scalar {
    Scalar {
        strict: true,
        ..Scalar::volatile(name, arity, body)
    }
}

/// The call, when the name is one of this file's; else the arguments back.
pub(super) fn build(name: &str, arguments: Vec<TypedExpr>) -> Result<SqlResult<TypedExpr>, Vec<TypedExpr>> {
    let count = arguments.len();
    let result = match (name, count) {
        ("lotofile", 3) => Kind::LVarChar(FILE_NAME),
        // Table and column name the characteristics of the storage: there is one storage here.
        ("filetoblob", 2 | 4) | ("locopy", 1 | 3) => Kind::Blob,
        ("filetoclob", 2 | 4) => Kind::Clob,
        ("ifx_lo_open", 2) | ("ifx_lo_close", 1) => Kind::Integer,
        _ => return Err(arguments),
    };
    Ok(typed(name, arguments, result))
}

fn typed(name: &str, arguments: Vec<TypedExpr>, mut result: Kind) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let mut next = || rest.next().ok_or_else(|| super::unknown(name));
    let object = |argument: TypedExpr| match argument.kind() {
        Kind::Blob | Kind::Clob | Kind::Null => Ok(argument),
        _ => Err(super::unknown(name)),
    };
    let name_kind = Kind::LVarChar(FILE_NAME);
    let (function, operands) = match name {
        "lotofile" => {
            let operands = vec![
                object(next()?)?,
                next()?.converted(name_kind)?,
                next()?.converted(name_kind)?,
            ];
            ("ifx_lotofile", operands)
        }
        "filetoblob" | "filetoclob" => (
            "ifx_filetolob",
            vec![next()?.converted(name_kind)?, next()?.converted(name_kind)?],
        ),
        "locopy" => {
            let source = object(next()?)?;
            if source.kind() == Kind::Clob {
                result = Kind::Clob;
            }
            ("ifx_locopy", vec![source])
        }
        "ifx_lo_open" => (
            "ifx_lo_open",
            vec![object(next()?)?, next()?.converted(Kind::Integer)?],
        ),
        _ => ("ifx_lo_close", vec![next()?.converted(Kind::Integer)?]),
    };
    let texts: Vec<_> = operands.iter().map(|operand| operand.sql.as_str()).collect();
    let sql = format!("{function}({})", texts.join(", "));
    Ok(TypedExpr::computed(sql, result, operands))
}

fn objects<'a>(a: &'a Args<'_, '_>) -> SqlResult<&'a dyn LargeObjects> {
    a.facts
        .large_objects()
        .ok_or_else(|| SqlError::new(-9810).because("a session without large objects"))
}

fn bytes<'a>(a: &'a Args<'_, '_>, index: usize) -> SqlResult<&'a [u8]> {
    match a.raw(index) {
        ValueRef::Blob(bytes) => Ok(bytes),
        _ => Err(SqlError::new(-9810).because("a large object was expected")),
    }
}

fn locator(bytes: Vec<u8>) -> SqlResult<SqliteValue> {
    Ok(SqliteValue::Blob(bytes))
}
