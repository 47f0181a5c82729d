//! The Informix dialect: text to [`ast`].

pub mod ast;
mod lexer;
mod parser;
mod split;

pub use split::{Piece, split_script};

use crate::error::{SqlError, SqlResult};
use ast::{Span, Statement, StatementKind};

/// What the session says about reading a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// DELIMIDENT: `"…"` is an identifier; otherwise a string.
    pub delimident: bool,
}

/// Reads a text that holds one statement. Blank text gives [`StatementKind::Empty`]; trailing `;` and NULs are dropped.
///
/// # Errors
/// -201 with the place of the first token that does not fit, -202, -282, -283, -943 of the lexer, and the numbers that the
/// reference names for things only the syntax shows (-253, -306, -546, -591, -1266, -1268).
pub fn parse_statement(text: &str, options: &ParseOptions) -> SqlResult<Statement> {
    let mut statements = parse_statements(text, options)?;
    match (statements.pop(), statements.first()) {
        (Some(_), Some(first)) => Err(SqlError::new(-201)
            .at(first.span.end)
            .because("more than one statement in the text")),
        (Some(only), None) => Ok(only),
        (None, _) => Ok(Statement {
            kind: StatementKind::Empty,
            span: Span::default(),
            first_parameter: 0,
            parameters: 0,
        }),
    }
}

/// Reads a text of several statements with `;` between them (a multi-statement PREPARE). Markers are numbered through
/// the whole text.
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_statements(text: &str, options: &ParseOptions) -> SqlResult<Vec<Statement>> {
    parser::Parser::new(text, *options)?.text_statements()
}

/// Reads the text of a type, such as `ROW(name varchar(50), age integer)`.
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_type(text: &str, options: &ParseOptions) -> SqlResult<ast::DataType> {
    parser::Parser::new(text, *options)?.whole_type()
}

#[cfg(test)]
mod tests;
