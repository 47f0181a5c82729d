//! Everything the server knows about one expression: types by Informix's rules, SQLite text, and the SQL functions behind it.
//!
//! | module | what |
//! |---|---|
//! | [`typed`], [`kind`] | the checked expression and its type |
//! | [`literal`], [`special`](mod@special) | constants; CURRENT, TODAY, USER |
//! | [`arith`], [`text`], [`compare`](mod@compare), [`choice`], [`cast`](mod@cast) | operators, conditions, CASE and NVL, casts and stores |
//! | [`functions`], [`aggregate`](mod@aggregate) | built-in functions |
//! | [`storage`] | values ⇄ stored form |
//! | [`env`](mod@env), [`register()`] | the session, and the functions in SQLite |
//! | [`fault`] | Informix errors through SQLite |
//!
//! Every text yields the stored form of its type (DECIMAL, DATETIME and INTERVAL packed, texts without CHAR padding), so that results nest,
//! compare and sort without further functions.

pub mod aggregate;
mod args;
pub mod arith;
pub mod cast;
pub mod choice;
pub mod compare;
mod convert;
mod datum;
mod distinct;
pub mod env;
pub mod fault;
mod format;
pub mod functions;
pub mod kind;
pub mod literal;
mod moment;
mod number;
mod pattern;
mod register;
mod runtime;
pub mod special;
pub mod storage;
pub mod text;
pub mod typed;

pub use aggregate::{aggregate, window};
pub use arith::{binary, unary};
pub use cast::{assign, assign_default, cast, extend, subscript, units};
pub use choice::{case, coalesce, decode, nullif, nvl2, unify};
pub use compare::{and, between, compare, in_list, in_query, is_null, matches, not, or, quantified};
pub use env::{CharWidth, DateFormat, Fact, LocalTime, NoSession, SessionFacts, SharedFacts};
pub use fault::{raise, sqlite_error};
pub use functions::{call, substring, trim};
pub use kind::Kind;
pub(crate) use pattern::Pattern;
pub use register::register;
pub use special::{current, special};
pub(crate) use text::as_text;
pub use typed::{Parameter, ParameterUse, TypedExpr};

#[cfg(test)]
mod tests;
