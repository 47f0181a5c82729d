//! Cutting a script into statements without understanding them.
//!
//! Statements end at `;`, except inside the body of a routine, which ends at its `END PROCEDURE|FUNCTION`
//! (`informix-sql.md` 11). Quotes and the three kinds of comment hide their `;`.

use super::ast::Span;
use super::lexer::{Tok, Token, lex};
use crate::error::SqlResult;

/// One statement of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Its text without the `;`.
    pub text: &'a str,
    /// Its place in the script.
    pub span: Span,
}

/// The statements of a script in order; empty ones are left out.
///
/// # Errors
/// Those of the lexer (-202, -282, -283, -943), placed in the script.
pub fn split_script(script: &str) -> SqlResult<Vec<Piece<'_>>> {
    let tokens = lex(script)?;
    let word = |at: usize, words: &[&str]| {
        tokens.get(at).is_some_and(|t: &Token| {
            t.tok == Tok::Word && words.iter().any(|w| t.span.text(script).eq_ignore_ascii_case(w))
        })
    };
    let mut pieces = Vec::new();
    let mut first: Option<usize> = None;
    let mut routine = false;
    for (at, token) in tokens.iter().enumerate() {
        let ends = token.tok == Tok::End || (token.tok == Tok::Op(";") && !routine);
        if ends {
            if let (Some(begin), Some(last)) = (first, at.checked_sub(1)) {
                let span = match (tokens.get(begin), tokens.get(last)) {
                    (Some(b), Some(l)) => b.span.to(l.span),
                    _ => token.span,
                };
                pieces.push(Piece {
                    text: span.text(script),
                    span,
                });
            }
            first = None;
            routine = false;
            continue;
        }
        if first.is_none() {
            first = Some(at);
            let mut next = at + 1;
            if word(at, &["create"]) {
                if word(next, &["or"]) && word(next + 1, &["replace"]) {
                    next += 2;
                }
                if word(next, &["dba"]) {
                    next += 1;
                }
                routine = word(next, &["procedure", "function"]);
            }
        } else if routine {
            let ended = word(at, &["procedure", "function"]) && at > 0 && word(at - 1, &["end"]);
            let external = word(at, &["external"]) && word(at + 1, &["name"]);
            routine = !ended && !external;
        }
    }
    Ok(pieces)
}
