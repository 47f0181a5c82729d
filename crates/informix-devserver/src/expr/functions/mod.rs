//! The built-in functions, by theme. Each file has the builders (types and SQLite text) and the bodies of its SQL functions.

use super::args::Scalar;
use super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};

mod strings;

pub use strings::{substring, trim};

/// The SQL functions of all themes.
pub(super) fn scalars() -> impl Iterator<Item = &'static [Scalar]> {
    [strings::SCALARS].into_iter()
}

/// `name(arguments)`; `name` in lower case. Aggregates are [`super::aggregate()`], window functions [`super::window`].
///
/// # Errors
/// -674 (token: the name) for an unknown function or a wrong number of arguments; type errors as the operators give them.
pub fn call(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    match strings::build(name, arguments) {
        Ok(result) => result,
        Err(_arguments) => Err(unknown(name)),
    }
}

/// -674 for a name.
fn unknown(name: &str) -> SqlError {
    SqlError::new(-674).token(name)
}
