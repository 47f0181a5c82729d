//! From a spelled type to a column type (`informix-sql.md` 3 and 4).

use informix_types::{ColumnType, Field, Qualifier, TypeCode};

use super::catalog::CatalogView;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{self, CollectionKind, DataType, DataTypeKind, DateTimeField};

/// The column type of a spelled type, nullable except for the serial types.
///
/// # Errors
/// -9628 unknown type; -235, -366, -650, -651, -1268 for lengths out of range; what the catalog raises.
pub fn column_type(ty: &DataType, catalog: &dyn CatalogView) -> SqlResult<ColumnType> {
    let at = ty.span.start;
    match &ty.kind {
        DataTypeKind::Named { name, args } => {
            let plain = name.owner.is_none() && name.database.is_none();
            let built_in = if plain {
                built_in(&name.name.name, args, catalog.ansi())
            } else {
                None
            };
            match built_in {
                Some(result) => result.map_err(|e| e.at(at)),
                None => catalog
                    .data_type(name)?
                    .ok_or_else(|| SqlError::new(-9628).at(at).token(name.name.name.clone())),
            }
        }
        DataTypeKind::DateTime(q) => Ok(ColumnType::datetime(datetime_qualifier(q)?)),
        DataTypeKind::Interval(q) => Ok(ColumnType::interval(interval_qualifier(q)?)),
        DataTypeKind::Collection(kind, element) => {
            let element = column_type(element, catalog)?;
            let (code, word) = match kind {
                CollectionKind::Set => (TypeCode::Set, "SET"),
                CollectionKind::Multiset => (TypeCode::MultiSet, "MULTISET"),
                CollectionKind::List => (TypeCode::List, "LIST"),
            };
            Ok(ColumnType::composite(
                code,
                &format!("{word}({} not null)", element.sql_name()),
            ))
        }
        DataTypeKind::Row(fields) => {
            let mut texts = Vec::with_capacity(fields.len());
            for field in fields {
                let ty = column_type(&field.ty, catalog)?;
                texts.push(format!("{} {}", field.name.name, ty.sql_name()));
            }
            Ok(ColumnType::composite(
                TypeCode::Row,
                &format!("ROW({})", texts.join(", ")),
            ))
        }
        DataTypeKind::Like(table, column) => {
            let info = catalog.table(table)?.ok_or_else(|| super::unknown_table(table))?;
            info.columns
                .iter()
                .find(|c| c.name == column.name)
                .map(|c| c.ty.clone().nullable())
                .ok_or_else(|| {
                    SqlError::new(-217)
                        .at(column.span.start)
                        .token(column.name.clone())
                })
        }
        DataTypeKind::References(name) => match name.name.name.as_str() {
            "byte" => Ok(ColumnType::byte()),
            "text" => Ok(ColumnType::text()),
            other => Err(SqlError::new(-201).at(at).because(format!("REFERENCES {other}"))),
        },
    }
}

/// The built-in type of a name, or `None` when the name is none.
fn built_in(name: &str, args: &[i64], ansi: bool) -> Option<SqlResult<ColumnType>> {
    let none = |ty: ColumnType| {
        if args.is_empty() {
            Ok(ty)
        } else {
            Err(SqlError::new(-201))
        }
    };
    let start = |ty: ColumnType| {
        if args.len() <= 1 {
            Ok(ty)
        } else {
            Err(SqlError::new(-201))
        }
    };
    Some(match name {
        "smallint" => none(ColumnType::smallint()),
        "int" | "integer" => none(ColumnType::integer()),
        "bigint" => none(ColumnType::bigint()),
        "int8" => none(ColumnType::int8()),
        "serial" => start(ColumnType::serial()),
        "serial8" => start(ColumnType::serial8()),
        "bigserial" => start(ColumnType::bigserial()),
        "float" | "double precision" => start(ColumnType::float()),
        "smallfloat" | "real" => none(ColumnType::smallfloat()),
        "decimal" | "dec" | "numeric" => decimal(args, ansi),
        "money" => money(args),
        "date" => none(ColumnType::date()),
        "boolean" => none(ColumnType::boolean()),
        "byte" => none(ColumnType::byte()),
        "text" => none(ColumnType::text()),
        "blob" => none(ColumnType::blob()),
        "clob" => none(ColumnType::clob()),
        "char" | "character" => length(args, 1, 32_767, -235).map(ColumnType::char),
        "nchar" => length(args, 1, 32_767, -235).map(ColumnType::nchar),
        "lvarchar" => length(args, 2048, 32_739, -235).map(ColumnType::lvarchar),
        "varchar" | "character varying" | "char varying" => {
            varchar(args).map(|(m, r)| ColumnType::varchar(m, r))
        }
        "nvarchar" | "nchar varying" => varchar(args).map(|(m, r)| ColumnType::nvarchar(m, r)),
        _ => return None,
    })
}

fn length(args: &[i64], default: i32, max: i32, code: i32) -> SqlResult<i32> {
    match args {
        [] => Ok(default),
        [n] => i32::try_from(*n)
            .ok()
            .filter(|n| (1..=max).contains(n))
            .ok_or_else(|| SqlError::new(code).because("length out of range")),
        _ => Err(SqlError::new(-201).because("too many numbers")),
    }
}

/// VARCHAR(m, r): m 1 to 255, r 0 to m.
fn varchar(args: &[i64]) -> SqlResult<(u8, u8)> {
    let (max, reserve) = match args {
        // VARCHAR without a length is VARCHAR(1).
        [] => (1, 0),
        [m] => (*m, 0),
        [m, r] => (*m, *r),
        _ => return Err(SqlError::new(-201).because("too many numbers")),
    };
    let max = u8::try_from(max).ok().filter(|m| *m > 0);
    let max = max.ok_or_else(|| SqlError::new(-650).because("VARCHAR takes 1 to 255 bytes"))?;
    let reserve = u8::try_from(reserve).ok().filter(|r| *r <= max);
    let reserve = reserve.ok_or_else(|| SqlError::new(-651).because("reserved space out of range"))?;
    Ok((max, reserve))
}

fn precision(args: &[i64]) -> SqlResult<(u8, Option<u8>)> {
    let bad = || SqlError::new(-366).because("precision or scale out of range");
    let byte = |n: &i64| u8::try_from(*n).ok();
    match args {
        [p] => Ok((byte(p).filter(|p| (1..=32).contains(p)).ok_or_else(bad)?, None)),
        [p, s] => {
            let p = byte(p).filter(|p| (1..=32).contains(p)).ok_or_else(bad)?;
            Ok((p, Some(byte(s).filter(|s| *s <= p).ok_or_else(bad)?)))
        }
        _ => Err(SqlError::new(-201).because("too many numbers")),
    }
}

fn decimal(args: &[i64], ansi: bool) -> SqlResult<ColumnType> {
    let (p, s) = if args.is_empty() {
        (16, None)
    } else {
        precision(args)?
    };
    Ok(ColumnType::decimal(p, if ansi { s.or(Some(0)) } else { s }))
}

fn money(args: &[i64]) -> SqlResult<ColumnType> {
    let (p, s) = if args.is_empty() {
        (16, None)
    } else {
        precision(args)?
    };
    Ok(ColumnType::money(p, s.unwrap_or_else(|| p.min(2))))
}

/// A field; `digits` only matters for FRACTION, 3 by default.
pub(crate) fn field(field: DateTimeField, digits: Option<u8>) -> Field {
    match field {
        DateTimeField::Year => Field::Year,
        DateTimeField::Month => Field::Month,
        DateTimeField::Day => Field::Day,
        DateTimeField::Hour => Field::Hour,
        DateTimeField::Minute => Field::Minute,
        DateTimeField::Second => Field::Second,
        DateTimeField::Fraction => Field::Fraction(digits.unwrap_or(3)),
    }
}

/// The qualifier of a DATETIME.
///
/// # Errors
/// -1268 when it is none.
pub fn datetime_qualifier(q: &ast::Qualifier) -> SqlResult<Qualifier> {
    let bad = |e: informix_types::Error| SqlError::new(-1268).at(q.span.start).because(e.to_string());
    let digits = if q.first == q.last {
        q.scale.or(q.precision)
    } else {
        q.scale
    };
    Qualifier::datetime(field(q.first, digits), field(q.last, digits)).map_err(bad)
}

/// The qualifier of an INTERVAL: leading digits 4 for YEAR, else 2 unless written.
///
/// # Errors
/// -1268 when it is none, -1266 when it mixes the two classes.
pub fn interval_qualifier(q: &ast::Qualifier) -> SqlResult<Qualifier> {
    let months = q.first <= DateTimeField::Month;
    if months != (q.last <= DateTimeField::Month) {
        return Err(SqlError::new(-1266).at(q.span.start));
    }
    let bad = |e: informix_types::Error| SqlError::new(-1268).at(q.span.start).because(e.to_string());
    let first = field(q.first, q.precision);
    let last = field(
        q.last,
        if q.first == q.last {
            q.scale.or(q.precision)
        } else {
            q.scale
        },
    );
    let digits = match q.first {
        DateTimeField::Year => q.precision.unwrap_or(4),
        DateTimeField::Fraction => match last {
            Field::Fraction(n) => n,
            _ => 3,
        },
        _ => q.precision.unwrap_or(2),
    };
    Qualifier::interval(first, digits, last).map_err(bad)
}
