//! The Informix dialect: text to [`ast`].

pub mod ast;
pub(crate) mod lexer;
mod parser;
mod split;

pub use split::{Piece, split_script};

use crate::error::{SqlError, SqlResult};
use ast::{Statement, StatementKind};

/// What the session says about reading a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// DELIMIDENT: `"…"` is an identifier; otherwise a string.
    pub delimident: bool,
}

/// Reads a text that holds one statement. Blank text gives [`StatementKind::Empty`]; trailing `;` and NULs are dropped.
///
/// # Errors
/// -201 with the place of the first token that does not fit, -555 for a query among several statements, -202, -282, -283, -943 of the lexer, and the numbers that the
/// reference names for things only the syntax shows (-253, -306, -546, -591, -1266, -1268).
pub fn parse_statement(text: &str, options: &ParseOptions) -> SqlResult<Statement> {
    let mut statements = parse_statements(text, options)?;
    check_batch(&statements)?;
    match (statements.pop(), statements.last()) {
        (Some(_), Some(before)) => Err(SqlError::new(-201)
            .at(before.span.end)
            .because("more than one statement in the text")),
        (Some(only), None) => Ok(only),
        (None, _) => Ok(Statement::empty()),
    }
}

/// Refuses what may not stand among several statements of one text: queries and statements about databases.
///
/// # Errors
/// -555 at the first such statement (`informix-sql.md` 1).
pub fn check_batch(statements: &[Statement]) -> SqlResult<()> {
    if statements.len() < 2 {
        return Ok(());
    }
    let refused = statements.iter().find(|statement| match &statement.kind {
        StatementKind::Select(query) => query.into.is_none(),
        StatementKind::Database(_) | StatementKind::CloseDatabase | StatementKind::CreateDatabase(_) => true,
        StatementKind::Drop(drop) => drop.kind == ast::ObjectKind::Database,
        _ => false,
    });
    match refused {
        Some(statement) => Err(SqlError::new(-555).at(statement.span.start)),
        None => Ok(()),
    }
}

/// Reads a text of several statements with `;` between them (a multi-statement PREPARE; [`check_batch`] says what may
/// stand in one). Markers are numbered through the whole text.
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

/// Reads the text of a condition that stands alone, as the catalog keeps it.
///
/// # Errors
/// As [`parse_statement`].
pub(crate) fn parse_condition(text: &str, options: &ParseOptions) -> SqlResult<ast::Expr> {
    parser::Parser::new(text, *options)?.whole_condition()
}

#[cfg(test)]
mod tests;
