//! From types as spelled to column types (informix-sql.md 3).

use informix_types::{ColumnType, Field, Qualifier, TypeCode};

use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{self, CollectionKind, DataType, DataTypeKind, DateTimeField, ObjectName, RowField};

/// What the meaning of a type name depends on.
pub(crate) struct TypeScope<'a> {
    /// ANSI database: DECIMAL(p) has scale 0.
    pub(crate) ansi: bool,
    /// User-defined types.
    pub(crate) named: &'a dyn Fn(&ObjectName) -> Option<ColumnType>,
}

/// The type that was spelled; SERIAL and its kind are NOT NULL.
pub(crate) fn column_type(spelled: &DataType, scope: &TypeScope<'_>) -> SqlResult<ColumnType> {
    let at = spelled.span.start;
    match &spelled.kind {
        DataTypeKind::Named { name, args } => named_type(name, args, scope).map_err(|e| e.at(at)),
        DataTypeKind::DateTime(q) => datetime(q).map_err(|e| e.at(at)),
        DataTypeKind::Interval(q) => interval(q).map_err(|e| e.at(at)),
        DataTypeKind::Collection(kind, element) => {
            let element = column_type(element, scope)?;
            let (code, word) = match kind {
                CollectionKind::Set => (TypeCode::Set, "SET"),
                CollectionKind::Multiset => (TypeCode::MultiSet, "MULTISET"),
                CollectionKind::List => (TypeCode::List, "LIST"),
            };
            Ok(ColumnType::composite(code, &format!("{word}({} not null)", element.sql_name())))
        }
        DataTypeKind::Row(fields) => Ok(ColumnType::composite(TypeCode::Row, &row_text(fields, scope)?)),
        DataTypeKind::Like(..) | DataTypeKind::References(_) => Err(SqlError::new(-201).at(at)),
    }
}

fn row_text(fields: &[RowField], scope: &TypeScope<'_>) -> SqlResult<String> {
    let mut parts = Vec::with_capacity(fields.len());
    for field in fields {
        let ty = column_type(&field.ty, scope)?;
        let not_null = if field.not_null { " not null" } else { "" };
        parts.push(format!("{} {}{not_null}", field.name.name, ty.sql_name()));
    }
    Ok(format!("ROW({})", parts.join(",")))
}

fn named_type(name: &ObjectName, args: &[i64], scope: &TypeScope<'_>) -> SqlResult<ColumnType> {
    let length = |default: i64, max: i64, error: i32| {
        let n = args.first().copied().unwrap_or(default);
        if (1..=max).contains(&n) { i32::try_from(n).map_err(|_| SqlError::new(error)) } else { Err(SqlError::new(error)) }
    };
    let short = |position: usize, default: i64| {
        let n = args.get(position).copied().unwrap_or(default);
        u8::try_from(n).map_err(|_| SqlError::new(-650))
    };
    let varchar = || -> SqlResult<(u8, u8)> {
        let (max, reserve) = (short(0, 1)?, short(1, 0)?);
        if max == 0 {
            return Err(SqlError::new(-650));
        }
        if reserve > max { Err(SqlError::new(-651)) } else { Ok((max, reserve)) }
    };
    let decimal = |default: u8| -> SqlResult<(u8, Option<u8>)> {
        let precision = short(0, i64::from(default)).map_err(|_| SqlError::new(-201))?;
        if precision == 0 || precision > 32 {
            return Err(SqlError::new(-201).because("precision of DECIMAL is 1 to 32"));
        }
        let scale = match args.get(1) {
            None => None,
            Some(&scale) if scale < 0 || scale > i64::from(precision) => return Err(SqlError::new(-366)),
            Some(&scale) => u8::try_from(scale).ok(),
        };
        Ok((precision, scale))
    };
    Ok(match name.name.name.as_str() {
        "smallint" => ColumnType::smallint(),
        "int" | "integer" => ColumnType::integer(),
        "serial" => ColumnType::serial(),
        "int8" => ColumnType::int8(),
        "serial8" => ColumnType::serial8(),
        "bigint" => ColumnType::bigint(),
        "bigserial" => ColumnType::bigserial(),
        "float" | "double precision" | "double" => ColumnType::float(),
        "smallfloat" | "real" => ColumnType::smallfloat(),
        "decimal" | "dec" | "numeric" => match decimal(16)? {
            (precision, None) if scope.ansi => ColumnType::decimal(precision, Some(0)),
            (precision, scale) => ColumnType::decimal(precision, scale),
        },
        "money" => {
            let (precision, scale) = decimal(16)?;
            ColumnType::money(precision, scale.unwrap_or(2.min(precision)))
        }
        "char" | "character" => ColumnType::char(length(1, 32_767, -361)?),
        "nchar" => ColumnType::nchar(length(1, 32_767, -361)?),
        "varchar" | "character varying" | "varchar2" => varchar().map(|(max, reserve)| ColumnType::varchar(max, reserve))?,
        "nvarchar" | "nvarchar2" => varchar().map(|(max, reserve)| ColumnType::nvarchar(max, reserve))?,
        "lvarchar" => ColumnType::lvarchar(length(2048, 32_739, -361)?),
        "date" => ColumnType::date(),
        "boolean" => ColumnType::boolean(),
        "byte" => ColumnType::byte(),
        "text" => ColumnType::text(),
        "blob" => ColumnType::blob(),
        "clob" => ColumnType::clob(),
        other => (scope.named)(name).ok_or_else(|| SqlError::new(-9628).token(other))?,
    })
}

fn field(field: DateTimeField, digits: u8) -> Field {
    match field {
        DateTimeField::Year => Field::Year,
        DateTimeField::Month => Field::Month,
        DateTimeField::Day => Field::Day,
        DateTimeField::Hour => Field::Hour,
        DateTimeField::Minute => Field::Minute,
        DateTimeField::Second => Field::Second,
        DateTimeField::Fraction => Field::Fraction(digits),
    }
}

/// Digits of a fraction as written, 3 without.
fn ends(q: &ast::Qualifier) -> (Field, Field) {
    let digits = q.scale.or(if q.first == DateTimeField::Fraction { q.precision } else { None }).unwrap_or(3);
    (field(q.first, digits), field(q.last, digits))
}

fn datetime(q: &ast::Qualifier) -> SqlResult<ColumnType> {
    let (first, last) = ends(q);
    Qualifier::datetime(first, last).map(ColumnType::datetime).map_err(|e| SqlError::new(-1268).because(e.to_string()))
}

fn interval(q: &ast::Qualifier) -> SqlResult<ColumnType> {
    let (first, last) = ends(q);
    let precision = q.precision.unwrap_or(if q.first == DateTimeField::Year { 4 } else { 2 });
    Qualifier::interval(first, precision, last)
        .map(ColumnType::interval)
        .map_err(|e| SqlError::new(-1268).because(e.to_string()))
}
