//! Aggregates and window functions.
//!
//! Types: COUNT is DECIMAL(15,0) (`informix-sql.md` 3); SUM and AVG arrive as DECIMAL (`server-behaviour.md` 4), their precision and
//! scale are unconfirmed: 32 digits, the argument's scale for SUM, floating for AVG. FLOAT arguments give FLOAT, MIN and MAX their
//! argument's type. VARIANCE is that of a sample (divided by N - 1, 0 for one row), as the vendor documents it.

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context, FunctionFlags, WindowAggregate};
use rusqlite::types::{Value as SqliteValue, ValueRef};

use super::arith::with_precision;
use super::datum::unpack_number;
use super::fault::raise;
use super::kind::Kind;
use super::number::Number;
use super::runtime::packed_or_null;
use super::typed::TypedExpr;
use super::{arith, choice};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::BinaryOp;

/// Whether a name (lower case) is an aggregate: decides between [`super::aggregate()`] and [`super::call`].
#[must_use]
pub fn is_aggregate(name: &str) -> bool {
    matches!(
        name,
        "count" | "sum" | "avg" | "min" | "max" | "range" | "stdev" | "stddev" | "variance"
    )
}

/// Whether a name (lower case) is a function that needs OVER.
#[must_use]
pub fn is_window_function(name: &str) -> bool {
    matches!(
        name,
        "row_number"
            | "rownumber"
            | "rank"
            | "dense_rank"
            | "denserank"
            | "percent_rank"
            | "cume_dist"
            | "ntile"
            | "lag"
            | "lead"
            | "first_value"
            | "last_value"
            | "ratio_to_report"
            | "ratiotoreport"
    )
}

/// An aggregate call without its OVER: SQLite text `prefix call suffix`.
struct Shape {
    prefix: String,
    call: String,
    suffix: String,
    kind: Kind,
}

impl Shape {
    fn new(prefix: &str, call: String, suffix: &str, kind: Kind) -> Self {
        Self {
            prefix: prefix.to_owned(),
            call,
            suffix: suffix.to_owned(),
            kind,
        }
    }

    fn finish(self, over: Option<&str>, operands: Vec<TypedExpr>) -> TypedExpr {
        let over = over.map(|text| format!(" OVER ({text})")).unwrap_or_default();
        let sql = format!("{}{}{over}{}", self.prefix, self.call, self.suffix);
        TypedExpr::computed(sql, self.kind, operands)
    }
}

/// `name([DISTINCT] argument)`; no argument is `*`. `name` in lower case.
///
/// # Errors
/// -674 for another name, -595 or -1260 for arguments it cannot take.
pub fn aggregate(name: &str, distinct: bool, argument: Option<TypedExpr>) -> SqlResult<TypedExpr> {
    build(name, distinct, argument, None)
}

fn build(
    name: &str,
    distinct: bool,
    argument: Option<TypedExpr>,
    over: Option<&str>,
) -> SqlResult<TypedExpr> {
    let Some(argument) = argument else {
        if name != "count" {
            return Err(SqlError::new(-595).token(name).because("only COUNT takes *"));
        }
        let shape = Shape::new("ifx_dec(", "count(*)".to_owned(), ")", Kind::Decimal(15, Some(0)));
        return Ok(shape.finish(over, Vec::new()));
    };
    let argument = argument.with_parameter_kind(Kind::Decimal(32, None));
    if argument.kind().is_large_object() && name != "count" {
        return Err(SqlError::new(-615)
            .token(name)
            .because("aggregate of a large object"));
    }
    if distinct && over.is_some() {
        return Err(SqlError::new(-554)
            .token(name)
            .because("DISTINCT with OVER is not supported"));
    }
    let word = if distinct { "DISTINCT " } else { "" };
    match name {
        "count" => {
            let call = format!("count({word}{})", argument.collated());
            Ok(Shape::new("ifx_dec(", call, ")", Kind::Decimal(15, Some(0))).finish(over, vec![argument]))
        }
        "min" | "max" => {
            let kind = argument.kind();
            let ty = argument.ty.clone().nullable();
            let call = format!("{name}({})", argument.collated());
            let mut result = Shape::new("", call, "", kind).finish(over, vec![argument]);
            result.ty = ty;
            Ok(result)
        }
        "range" => {
            let high = build("max", false, Some(argument.clone()), over)?;
            arith::binary(
                BinaryOp::Subtract,
                high,
                build("min", false, Some(argument), over)?,
            )
        }
        "sum" | "avg" | "stdev" | "stddev" | "variance" => numeric(name, word, argument, over),
        _ => Err(SqlError::new(-674).token(name)),
    }
}

/// SUM, AVG, STDEV, VARIANCE.
fn numeric(name: &str, word: &str, argument: TypedExpr, over: Option<&str>) -> SqlResult<TypedExpr> {
    let argument = if argument.kind().is_character() {
        argument.converted(Kind::Decimal(32, None))?
    } else {
        argument
    };
    let kind = argument.kind();
    let sql = argument.sql.clone();
    let floating = Kind::Decimal(32, None);
    let shape = match (name, kind) {
        ("sum" | "avg", Kind::Interval(q)) => {
            let result = Kind::Interval(with_precision(q, 9));
            let call = format!("ifx_{name}({word}ifx_iv_amount({sql},{}))", kind.tag());
            Shape::new("ifx_iv_from(", call, &format!(",{})", result.tag()), result)
        }
        // Only a sum of 32-bit values is sure to fit SQLite's own.
        ("sum", k) if k.integer_limit().is_some_and(|(limit, _)| limit == i64::MAX) => Shape::new(
            "",
            format!("ifx_sum({word}{sql})"),
            "",
            Kind::Decimal(32, Some(0)),
        ),
        ("sum", k) if k.is_integer() => Shape::new(
            "ifx_dec(",
            format!("sum({word}{sql})"),
            ")",
            Kind::Decimal(32, Some(0)),
        ),
        ("sum" | "avg", k) if k.is_float() => Shape::new("", format!("{name}({word}{sql})"), "", Kind::Float),
        ("sum", Kind::Decimal(_, Some(s))) => Shape::new(
            "",
            format!("ifx_sum({word}{sql})"),
            "",
            Kind::Decimal(32, Some(s)),
        ),
        ("sum", Kind::Money(_, s)) => Shape::new("", format!("ifx_sum({word}{sql})"), "", Kind::Money(32, s)),
        ("sum" | "avg", k) if k.is_number() || k == Kind::Null => {
            Shape::new("", format!("ifx_{name}({word}{sql})"), "", floating)
        }
        (_, k) if k.is_number() || k == Kind::Null => {
            let function = if name == "variance" {
                "ifx_variance"
            } else {
                "ifx_stdev"
            };
            if k.is_float() {
                Shape::new("ifx_real(", format!("{function}({word}{sql})"), ")", Kind::Float)
            } else {
                Shape::new("", format!("{function}({word}{sql})"), "", floating)
            }
        }
        (_, k) => {
            return Err(SqlError::new(-1260)
                .token(name)
                .because(format!("{name} of {k:?}")));
        }
    };
    Ok(shape.finish(over, vec![argument]))
}

/// An aggregate or window function with OVER. `over` is the SQLite text between its parentheses; for `*` no arguments.
///
/// # Errors
/// As [`aggregate`]; -674 for a name that is neither; -554 for DISTINCT, which SQLite does not have here.
pub fn window(name: &str, distinct: bool, arguments: Vec<TypedExpr>, over: &str) -> SqlResult<TypedExpr> {
    let wrong = || SqlError::new(-674).token(name);
    let count = arguments.len();
    let mut rest = arguments.into_iter();
    if is_aggregate(name) {
        if count > 1 {
            return Err(wrong());
        }
        return build(name, distinct, rest.next(), Some(over));
    }
    let plain = |call: &str, kind| Shape::new("", call.to_owned(), "", kind).finish(Some(over), Vec::new());
    match (name, count) {
        ("row_number" | "rownumber", 0) => Ok(plain("row_number()", Kind::Integer)),
        ("rank", 0) => Ok(plain("rank()", Kind::Integer)),
        ("dense_rank" | "denserank", 0) => Ok(plain("dense_rank()", Kind::Integer)),
        ("percent_rank", 0) => Ok(plain("percent_rank()", Kind::Float)),
        ("cume_dist", 0) => Ok(plain("cume_dist()", Kind::Float)),
        ("ntile", 1) => {
            let buckets = rest.next().ok_or_else(wrong)?.converted(Kind::Integer)?;
            let call = format!("ntile({})", buckets.sql);
            Ok(Shape::new("", call, "", Kind::Integer).finish(Some(over), vec![buckets]))
        }
        ("first_value" | "last_value", 1) => {
            let value = rest.next().ok_or_else(wrong)?;
            let (ty, call) = (value.ty.clone().nullable(), format!("{name}({})", value.sql));
            let mut result = Shape::new("", call, "", value.kind()).finish(Some(over), vec![value]);
            result.ty = ty;
            Ok(result)
        }
        ("lag" | "lead", 1..=3) => {
            let mut value = rest.next().ok_or_else(wrong)?;
            let offset = match rest.next() {
                Some(offset) => offset.converted(Kind::Integer)?,
                None => super::literal::number("1")?,
            };
            let mut texts = vec![String::new(), offset.sql.clone()];
            let mut operands = vec![offset];
            if let Some(default) = rest.next() {
                let ty = choice::unify(&value.ty, &default.ty).ok_or_else(wrong)?;
                value = super::cast::cast(value, &ty)?;
                let default = super::cast::cast(default, &ty)?;
                texts.push(default.sql.clone());
                operands.push(default);
            }
            if let Some(first) = texts.first_mut() {
                first.clone_from(&value.sql);
            }
            let (ty, call) = (
                value.ty.clone().nullable(),
                format!("{name}({})", texts.join(",")),
            );
            let kind = value.kind();
            operands.push(value);
            let mut result = Shape::new("", call, "", kind).finish(Some(over), operands);
            result.ty = ty;
            Ok(result)
        }
        ("ratio_to_report" | "ratiotoreport", 1) => {
            let value = rest.next().ok_or_else(wrong)?;
            let total = build("sum", false, Some(value.clone()), Some(over))?;
            arith::binary(BinaryOp::Divide, value, total)
        }
        _ => Err(wrong()),
    }
}

/// What the decimal aggregates gather.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    count: i64,
    sum: Number,
    squares: Number,
}

/// One of the decimal aggregates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moments {
    Sum,
    Average,
    Variance,
    Deviation,
}

impl Moments {
    fn needs_squares(self) -> bool {
        matches!(self, Self::Variance | Self::Deviation)
    }

    fn add(self, sums: &mut Sums, context: &Context<'_>, inverse: bool) -> rusqlite::Result<()> {
        let value = match context.get_raw(0) {
            ValueRef::Null => return Ok(()),
            ValueRef::Integer(i) => Number::from_i64(i),
            ValueRef::Real(r) => Number::from_f64(r)
                .ok_or_else(|| raise(SqlError::new(-1200).because("not a finite number")))?,
            ValueRef::Blob(b) => unpack_number(b).map_err(raise)?,
            ValueRef::Text(_) => return Err(raise(SqlError::new(-1213).because("aggregate of a text"))),
        };
        let value = if inverse { value.negated() } else { value };
        sums.count += if inverse { -1 } else { 1 };
        sums.sum = sums.sum.plus(value);
        if self.needs_squares() {
            let square = value.times(value);
            sums.squares = sums.squares.plus(if inverse { square.negated() } else { square });
        }
        Ok(())
    }

    fn result(self, sums: &Sums) -> rusqlite::Result<SqliteValue> {
        let count = Number::from_i64(sums.count);
        let number = if sums.count == 0 {
            None
        } else {
            match self {
                Self::Sum => Some(sums.sum),
                Self::Average => sums.sum.divided_by(count),
                Self::Variance | Self::Deviation if sums.count == 1 => Some(Number::ZERO),
                Self::Variance | Self::Deviation => {
                    let mean = sums.sum.times(sums.sum).divided_by(count).unwrap_or(Number::ZERO);
                    let spread = sums.squares.minus(mean);
                    // Rounding may leave a hair below zero.
                    let spread = if spread.negative { Number::ZERO } else { spread };
                    let variance = spread.divided_by(Number::from_i64(sums.count - 1));
                    match (self, variance) {
                        (Self::Deviation, Some(v)) => Number::from_f64(v.to_f64().sqrt()),
                        (_, v) => v,
                    }
                }
            }
        };
        packed_or_null(number).map_err(raise)
    }
}

impl Aggregate<Sums, SqliteValue> for Moments {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Sums> {
        Ok(Sums {
            count: 0,
            sum: Number::ZERO,
            squares: Number::ZERO,
        })
    }

    fn step(&self, context: &mut Context<'_>, sums: &mut Sums) -> rusqlite::Result<()> {
        self.add(sums, context, false)
    }

    fn finalize(&self, _: &mut Context<'_>, sums: Option<Sums>) -> rusqlite::Result<SqliteValue> {
        sums.map_or(Ok(SqliteValue::Null), |sums| self.result(&sums))
    }
}

impl WindowAggregate<Sums, SqliteValue> for Moments {
    fn value(&self, sums: Option<&mut Sums>) -> rusqlite::Result<SqliteValue> {
        sums.map_or(Ok(SqliteValue::Null), |sums| self.result(sums))
    }

    fn inverse(&self, context: &mut Context<'_>, sums: &mut Sums) -> rusqlite::Result<()> {
        self.add(sums, context, true)
    }
}

/// The aggregates made known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, what) in [
        ("ifx_sum", Moments::Sum),
        ("ifx_avg", Moments::Average),
        ("ifx_variance", Moments::Variance),
        ("ifx_stdev", Moments::Deviation),
    ] {
        connection.create_window_function(name, 1, flags, what)?;
    }
    Ok(())
}
