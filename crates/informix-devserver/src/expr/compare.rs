//! Comparisons and the other conditions: BETWEEN, IN, IS NULL, LIKE, MATCHES, AND, OR, NOT.
//!
//! Both sides are brought to one stored form, which SQLite then compares by itself: numbers natively, packed forms as bytes,
//! texts with collation RTRIM (trailing blanks do not count, `informix-sql.md` 3). A constant is converted rather than a column, so that an index
//! stays usable.

use informix_types::{ColumnType, Field, Qualifier};

use super::datum::Datum;
use super::kind::{Kind, MAX_LVARCHAR};
use super::moment::rank;
use super::typed::{ParameterUse, TypedExpr};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{BinaryOp, MatchKind};

/// SQL symbol of a comparison.
fn symbol(op: BinaryOp) -> SqlResult<&'static str> {
    Ok(match op {
        BinaryOp::Equal => "=",
        BinaryOp::NotEqual => "<>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        other => return Err(SqlError::new(-201).because(format!("{other:?} is no comparison"))),
    })
}

/// `left op right`.
///
/// # Errors
/// -1260, -1266, -9634 for types that do not compare, -615 for large objects.
pub fn compare(op: BinaryOp, left: TypedExpr, right: TypedExpr) -> SqlResult<TypedExpr> {
    let symbol = symbol(op)?;
    super::distinct::operands(op, &left, &right)?;
    let (left, right) = comparable(left, right)?;
    let collate = if left.kind().is_character() {
        " COLLATE RTRIM"
    } else {
        ""
    };
    let sql = format!("({} {symbol} {}{collate})", left.sql, right.sql);
    Ok(TypedExpr::computed(sql, Kind::Boolean, vec![left, right]))
}

/// Both sides in one stored form: what `=`, BETWEEN, IN and quantified comparisons need.
///
/// # Errors
/// As [`compare`].
pub fn comparable(left: TypedExpr, right: TypedExpr) -> SqlResult<(TypedExpr, TypedExpr)> {
    super::distinct::operands(BinaryOp::Equal, &left, &right)?;
    let (left, right) = match (left.is_untyped_parameter(), right.is_untyped_parameter()) {
        (true, true) => {
            let ty = Kind::LVarChar(MAX_LVARCHAR as u16).column_type();
            let ty = &ty;
            (
                left.with_parameter(ty, ParameterUse::Compare),
                right.with_parameter(ty, ParameterUse::Compare),
            )
        }
        (true, false) => (
            left.with_parameter(&parameter_type(&right), ParameterUse::Compare),
            right,
        ),
        (false, true) => {
            let ty = parameter_type(&left);
            (left, right.with_parameter(&ty, ParameterUse::Compare))
        }
        (false, false) => (left, right),
    };
    let (l, r) = (left.kind(), right.kind());
    for kind in [l, r] {
        if kind.is_large_object() {
            return Err(SqlError::new(-615).because("large object in a comparison"));
        }
    }
    if l == Kind::Null || r == Kind::Null || l == Kind::Other || r == Kind::Other {
        return Ok((left, right));
    }
    if l.is_character() && r.is_character() {
        return Ok((left, right));
    }
    if l.is_character() {
        let target = text_target(&left, r);
        return comparable(left.converted(target)?, right);
    }
    if r.is_character() {
        let target = text_target(&right, l);
        return comparable(left, right.converted(target)?);
    }
    if l == Kind::Boolean && r == Kind::Boolean {
        return Ok((left, right));
    }
    match (l, r) {
        (Kind::DateTime(a), Kind::DateTime(b)) => {
            let common = common_datetime(a, b);
            Ok((
                left.converted(Kind::DateTime(common))?,
                right.converted(Kind::DateTime(common))?,
            ))
        }
        (Kind::Date, Kind::DateTime(q)) | (Kind::DateTime(q), Kind::Date) => {
            let common = Kind::DateTime(common_datetime(Qualifier::YEAR_TO_DAY, q));
            Ok((left.converted(common)?, right.converted(common)?))
        }
        (Kind::Interval(a), Kind::Interval(b)) => {
            if a.is_year_month() != b.is_year_month() {
                return Err(SqlError::new(-1266).because("months and days do not compare"));
            }
            if a.start() == b.start() {
                return Ok((left, right));
            }
            let widest = if a.is_year_month() {
                Qualifier::YEAR9_TO_MONTH
            } else {
                Qualifier::DAY9_TO_FRACTION5
            };
            Ok((
                left.converted(Kind::Interval(widest))?,
                right.converted(Kind::Interval(widest))?,
            ))
        }
        // A DATE is its day number beside a number.
        _ if (l.is_number() || l == Kind::Date) && (r.is_number() || r == Kind::Date) => numbers(left, right),
        _ => {
            super::convert::check(l, r)?;
            Ok((left, right))
        }
    }
}

/// The type that a `?` gets beside an expression: a serial column takes plain integers.
fn parameter_type(other: &TypedExpr) -> ColumnType {
    match other.kind() {
        Kind::Null => Kind::LVarChar(MAX_LVARCHAR as u16).column_type(),
        Kind::Serial => ColumnType::integer(),
        Kind::Serial8 => ColumnType::int8(),
        Kind::BigSerial => ColumnType::bigint(),
        _ => other.ty.clone().nullable(),
    }
}

/// What a text is read as beside another type: a number beside numbers.
fn text_target(text: &TypedExpr, other: Kind) -> Kind {
    if other.is_integer() {
        let whole = match &text.constant {
            Some(Datum::Text(t)) => {
                super::number::Number::parse(t).is_some_and(|n| n.to_i64_exact().is_some())
            }
            _ => false,
        };
        if whole {
            Kind::BigInt
        } else {
            Kind::Decimal(32, None)
        }
    } else if other.is_decimal() {
        Kind::Decimal(32, None)
    } else if other.is_float() {
        Kind::Float
    } else {
        other
    }
}

/// Numbers of two kinds: SQLite compares INTEGER and REAL exactly, packed decimals only with each other.
fn numbers(left: TypedExpr, right: TypedExpr) -> SqlResult<(TypedExpr, TypedExpr)> {
    let (l, r) = (left.kind(), right.kind());
    if l.is_decimal() == r.is_decimal() {
        return Ok((left, right));
    }
    if r.is_decimal() {
        let (right, left) = numbers(right, left)?;
        return Ok((left, right));
    }
    // Left is the decimal one. A constant takes the form of the other side when that loses nothing.
    if let Some(Datum::Number(number)) = &left.constant {
        if r.is_float() {
            return Ok((left.converted(Kind::Float)?, right));
        }
        if number.to_i64_exact().is_some() {
            return Ok((left.converted(Kind::BigInt)?, right));
        }
    }
    let kind = Kind::Decimal(32, None);
    let right = match right.constant {
        Some(Datum::Int(_) | Datum::Real(_)) => right.converted(kind)?,
        _ => {
            let sql = format!("ifx_dec({})", right.sql);
            TypedExpr::computed(sql, kind, vec![right])
        }
    };
    Ok((left, right))
}

/// The DATETIME qualifier as which two of them compare. Equal starts whose missing fields are zero pairs need no change.
fn common_datetime(a: Qualifier, b: Qualifier) -> Qualifier {
    let start = if rank(a.start()) <= rank(b.start()) {
        a.start()
    } else {
        b.start()
    };
    let end = if rank(a.end()) == rank(b.end()) {
        if a.fraction_digits() >= b.fraction_digits() {
            a.end()
        } else {
            b.end()
        }
    } else if rank(a.end()) > rank(b.end()) {
        a.end()
    } else {
        b.end()
    };
    let start = if matches!(start, Field::Fraction(_)) {
        end
    } else {
        start
    };
    Qualifier::datetime(start, end).unwrap_or(a)
}

/// `value [NOT] BETWEEN low AND high`.
///
/// # Errors
/// As [`compare`].
pub fn between(value: TypedExpr, low: TypedExpr, high: TypedExpr, negated: bool) -> SqlResult<TypedExpr> {
    let (v1, low) = comparable(value.clone(), low)?;
    let (v2, high) = comparable(value, high)?;
    let collate = if v1.kind().is_character() {
        " COLLATE RTRIM"
    } else {
        ""
    };
    let not = if negated { "NOT " } else { "" };
    let sql = if v1.sql == v2.sql {
        format!("({}{collate} {not}BETWEEN {} AND {})", v1.sql, low.sql, high.sql)
    } else {
        format!(
            "({not}({} >= {}{collate} AND {} <= {}{}))",
            v1.sql,
            low.sql,
            v2.sql,
            high.sql,
            if v2.kind().is_character() {
                " COLLATE RTRIM"
            } else {
                ""
            }
        )
    };
    Ok(TypedExpr::computed(sql, Kind::Boolean, vec![v1, v2, low, high]))
}

/// `value [NOT] IN (items)`.
///
/// # Errors
/// As [`compare`].
pub fn in_list(value: TypedExpr, items: Vec<TypedExpr>, negated: bool) -> SqlResult<TypedExpr> {
    // An untyped `?` on the left takes the type of the first item that has one.
    let value = match items
        .iter()
        .find(|item| !item.is_untyped_parameter() && item.kind() != Kind::Null)
    {
        Some(item) if value.is_untyped_parameter() => {
            value.with_parameter(&parameter_type(item), ParameterUse::Compare)
        }
        _ => value,
    };
    let mut plain = Vec::with_capacity(items.len());
    let mut others = Vec::new();
    let mut operands = vec![value.clone()];
    for item in items {
        let (v, item) = comparable(value.clone(), item)?;
        if v.sql == value.sql {
            plain.push(item.sql.clone());
        } else {
            others.push(format!("{} = {}", v.sql, item.sql));
        }
        operands.push(v);
        operands.push(item);
    }
    let mut terms = Vec::with_capacity(others.len() + 1);
    if !plain.is_empty() {
        terms.push(format!("{} IN ({})", value.collated(), plain.join(", ")));
    }
    terms.extend(others);
    if terms.is_empty() {
        return Err(SqlError::new(-201).because("IN without values"));
    }
    let joined = terms.join(" OR ");
    let sql = if negated {
        format!("(NOT ({joined}))")
    } else {
        format!("({joined})")
    };
    Ok(TypedExpr::computed(sql, Kind::Boolean, operands))
}

/// `value [NOT] IN (query)`. `query` is the SQLite text of a one-column SELECT without its parentheses.
///
/// # Errors
/// As [`compare`].
pub fn in_query(
    value: TypedExpr,
    query: &str,
    query_type: &ColumnType,
    negated: bool,
) -> SqlResult<TypedExpr> {
    let (value, source) = with_query(value, query, query_type)?;
    let not = if negated { "NOT " } else { "" };
    let sql = format!("({} {not}IN ({source}))", value.collated());
    Ok(TypedExpr::computed(sql, Kind::Boolean, vec![value]))
}

/// `value op ANY|ALL (query)`; NULLs as SQL says: unknown unless decided by another row.
///
/// # Errors
/// As [`compare`].
pub fn quantified(
    op: BinaryOp,
    all: bool,
    value: TypedExpr,
    query: &str,
    query_type: &ColumnType,
) -> SqlResult<TypedExpr> {
    match (op, all) {
        (BinaryOp::Equal, false) => return in_query(value, query, query_type, false),
        (BinaryOp::NotEqual, true) => return in_query(value, query, query_type, true),
        _ => {}
    }
    let symbol = symbol(op)?;
    let (value, source) = with_query(value, query, query_type)?;
    let collate = if value.kind().is_character() {
        " COLLATE RTRIM"
    } else {
        ""
    };
    // The value stays outside of the subqueries, where an aggregate or window function may stand; it is evaluated once.
    let of_items = |what: &str| format!("(WITH ifx_all(ifx_item) AS ({source}) SELECT {what} FROM ifx_all)");
    let extreme = |name: &str| format!("{}{collate}", of_items(&format!("{name}(ifx_item{collate})")));
    let within = || format!("BETWEEN {} AND {}", extreme("max"), extreme("min"));
    let base = match (op, all) {
        (BinaryOp::Equal, _) => format!("{} {}", value.sql, within()),
        (BinaryOp::NotEqual, _) => format!("{} NOT {}", value.sql, within()),
        (BinaryOp::Less | BinaryOp::LessEqual, true)
        | (BinaryOp::Greater | BinaryOp::GreaterEqual, false) => {
            format!("{} {symbol} {}", value.sql, extreme("min"))
        }
        _ => format!("{} {symbol} {}", value.sql, extreme("max")),
    };
    // A NULL among the items leaves open what no other item decides; without items ALL holds and ANY does not.
    let sql = if all {
        let known = of_items("CASE WHEN count(*) > count(ifx_item) THEN NULL ELSE 1 END");
        format!("((({base}) AND {known}) OR {})", of_items("count(*) = 0"))
    } else {
        let known = of_items("CASE WHEN count(*) > count(ifx_item) THEN NULL ELSE 0 END");
        format!("((({base}) OR {known}) AND {})", of_items("count(*) > 0"))
    };
    Ok(TypedExpr::computed(sql, Kind::Boolean, vec![value]))
}

/// The value and the query's text, both in one stored form.
fn with_query(value: TypedExpr, query: &str, query_type: &ColumnType) -> SqlResult<(TypedExpr, String)> {
    let item = TypedExpr::column("ifx_item", query_type.clone());
    let (value, item) = comparable(value, item)?;
    let source = if item.sql == "ifx_item" {
        query.to_owned()
    } else {
        format!(
            "WITH ifx_query(ifx_item) AS ({query}) SELECT {} FROM ifx_query",
            item.sql
        )
    };
    Ok((value, source))
}

/// `value IS [NOT] NULL`. Large objects may be tested too.
#[must_use]
pub fn is_null(value: TypedExpr, negated: bool) -> TypedExpr {
    let value = value.with_parameter_kind(Kind::LVarChar(MAX_LVARCHAR as u16));
    let not = if negated { "NOT " } else { "" };
    let sql = format!("({} IS {not}NULL)", value.sql);
    TypedExpr::computed(sql, Kind::Boolean, vec![value])
}

/// `value [NOT] LIKE|MATCHES pattern [ESCAPE c]`.
///
/// # Errors
/// -219 when a side is no text.
pub fn matches(
    kind: MatchKind,
    negated: bool,
    value: TypedExpr,
    pattern: TypedExpr,
    escape: Option<TypedExpr>,
) -> SqlResult<TypedExpr> {
    let text = Kind::LVarChar(MAX_LVARCHAR as u16);
    let value = value.with_parameter_kind(text);
    let pattern = pattern.with_parameter_kind(text);
    let escape = escape.map(|e| e.with_parameter_kind(Kind::Char(1)));
    for side in [Some(&value), Some(&pattern), escape.as_ref()]
        .into_iter()
        .flatten()
    {
        let k = side.kind();
        if !(k.is_character() || k == Kind::Null) {
            return Err(SqlError::new(-219).because(format!("pattern on {k:?}")));
        }
    }
    let name = match (kind, value.kind().is_fixed_character()) {
        (MatchKind::Like, false) => "ifx_like",
        (MatchKind::Like, true) => "ifx_like_char",
        (MatchKind::Matches, false) => "ifx_matches",
        (MatchKind::Matches, true) => "ifx_matches_char",
    };
    let not = if negated { "NOT " } else { "" };
    let default = "'\\'".to_owned();
    let escape_sql = escape.as_ref().map_or(default, |e| e.sql.clone());
    let call = format!("{name}({},{},{escape_sql})", value.sql, pattern.sql);
    let sql = match prefix_range(kind, &value, &pattern, escape.as_ref()) {
        Some(range) if !negated => format!("({range} AND {call})"),
        _ => format!("({not}{call})"),
    };
    let mut operands = vec![value, pattern];
    operands.extend(escape);
    Ok(TypedExpr::computed(sql, Kind::Boolean, operands))
}

/// A range condition beside LIKE or MATCHES on a plain column with a constant pattern: lets SQLite use an index.
fn prefix_range(
    kind: MatchKind,
    value: &TypedExpr,
    pattern: &TypedExpr,
    escape: Option<&TypedExpr>,
) -> Option<String> {
    let plain = value
        .sql
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'"'));
    let (true, Some(Datum::Text(text))) = (plain && value.constant.is_none(), &pattern.constant) else {
        return None;
    };
    let escape = match escape.map(|e| &e.constant) {
        None => Some('\\'),
        Some(Some(Datum::Text(text))) => text.chars().next(),
        Some(_) => return None,
    };
    let (from, below) = super::pattern::Pattern::compile(kind, text, escape).bounds()?;
    let (from, below) = (super::datum::quote(&from), super::datum::quote(&below));
    Some(format!(
        "{0} >= {from} COLLATE RTRIM AND {0} < {below} COLLATE RTRIM",
        value.sql
    ))
}

/// A condition, or a BOOLEAN value as one.
fn condition(expr: TypedExpr) -> SqlResult<TypedExpr> {
    let expr = expr.with_parameter_kind(Kind::Boolean);
    match expr.kind() {
        Kind::Boolean | Kind::Null => Ok(expr),
        other => Err(SqlError::new(-201).because(format!("{other:?} is no condition"))),
    }
}

/// Conditions joined by AND.
///
/// # Errors
/// -201 when one is no condition.
pub fn and(conditions: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    joined(conditions, " AND ")
}

/// Conditions joined by OR.
///
/// # Errors
/// -201 when one is no condition.
pub fn or(conditions: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    joined(conditions, " OR ")
}

fn joined(conditions: Vec<TypedExpr>, word: &str) -> SqlResult<TypedExpr> {
    let conditions = conditions
        .into_iter()
        .map(condition)
        .collect::<SqlResult<Vec<_>>>()?;
    if conditions.is_empty() {
        return Err(SqlError::new(-201).because("no condition"));
    }
    let sql = conditions
        .iter()
        .map(|c| c.sql.as_str())
        .collect::<Vec<_>>()
        .join(word);
    Ok(TypedExpr::computed(format!("({sql})"), Kind::Boolean, conditions))
}

/// NOT.
///
/// # Errors
/// -201 when it is no condition.
pub fn not(expr: TypedExpr) -> SqlResult<TypedExpr> {
    let expr = condition(expr)?;
    Ok(TypedExpr::computed(
        format!("(NOT {})", expr.sql),
        Kind::Boolean,
        vec![expr],
    ))
}
