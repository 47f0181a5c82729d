//! The built-in functions, by theme. Each file has the builders (types and SQLite text) and the bodies of its SQL functions.

use super::args::Scalar;
use super::choice;
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};

mod large_objects;
mod numeric;
mod schema;
mod strings;
mod times;

pub use strings::{substring, trim};
pub use times::session_function;

/// The SQL functions of all themes.
pub(super) fn scalars() -> impl Iterator<Item = &'static [Scalar]> {
    [
        strings::SCALARS,
        numeric::SCALARS,
        times::SCALARS,
        large_objects::SCALARS,
        schema::SCALARS,
    ]
    .into_iter()
}

/// `name(arguments)`; `name` in lower case. NVL and its kind included; aggregates are [`super::aggregate()`], window functions
/// [`super::window`], EXTEND and TRIM with keywords have functions of their own.
///
/// # Errors
/// -674 (token: the name) for an unknown function or a wrong number of arguments; type errors as the operators give them.
pub fn call(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let arguments = match strings::build(name, arguments) {
        Ok(result) => return result,
        Err(arguments) => arguments,
    };
    let arguments = match numeric::build(name, arguments) {
        Ok(result) => return result,
        Err(arguments) => arguments,
    };
    let arguments = match times::build(name, arguments) {
        Ok(result) => return result,
        Err(arguments) => arguments,
    };
    let arguments = match large_objects::build(name, arguments) {
        Ok(result) => return result,
        Err(arguments) => arguments,
    };
    let arguments = match schema::build(name, arguments) {
        Ok(result) => return result,
        Err(arguments) => arguments,
    };
    let count = arguments.len();
    let mut rest = arguments.into_iter();
    match (name, count, rest.next()) {
        ("nvl", 2, Some(first)) => choice::coalesce(std::iter::once(first).chain(rest).collect()),
        ("coalesce", 1.., Some(first)) => choice::coalesce(std::iter::once(first).chain(rest).collect()),
        ("decode", 3.., Some(first)) => choice::decode(std::iter::once(first).chain(rest).collect()),
        ("nullif", 2, Some(first)) => match rest.next() {
            Some(second) => choice::nullif(first, second),
            None => Err(unknown(name)),
        },
        ("nvl2", 3, Some(first)) => match (rest.next(), rest.next()) {
            (Some(second), Some(third)) => choice::nvl2(first, second, third),
            _ => Err(unknown(name)),
        },
        ("greatest" | "least", 1.., Some(first)) => {
            choice::extreme(name == "greatest", std::iter::once(first).chain(rest).collect())
        }
        ("extend", 1, Some(value)) => super::cast::extend(value, None),
        _ => Err(unknown(name)),
    }
}

/// -674 for a name.
fn unknown(name: &str) -> SqlError {
    SqlError::new(-674).token(name)
}
