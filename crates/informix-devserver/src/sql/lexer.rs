//! Text to tokens.
//!
//! Rules: `informix-sql.md` 1 and `server-behaviour.md` 2 (measured): comments do not nest, a backslash escapes nothing,
//! quotes are doubled. Braces are comments except behind `SET`, `MULTISET`, `LIST`, where they hold a collection.

use super::ast::Span;
use crate::error::{SqlError, SqlResult};

/// What a token is. The text of words, numbers and strings is read from the source by the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tok {
    /// An unquoted word: name or keyword.
    Word,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// Digits with optional point and exponent.
    Number,
    /// `?`.
    Marker,
    /// An operator or punctuation of one or two characters.
    Op(&'static str),
    /// End of the text.
    End,
}

/// A token and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub tok: Tok,
    pub span: Span,
}

const TWO: [&str; 8] = ["||", "::", "<>", "!=", "<=", ">=", "==", "<<"];
const ONE: [&str; 18] = [
    "(", ")", ",", ".", ";", "+", "-", "*", "/", "=", "<", ">", "[", "]", ":", "@", "}", "{",
];

/// All tokens, the last one being [`Tok::End`].
///
/// # Errors
/// -202 illegal character, -282 quote, -283 `{`, -943 `/*` without its end; each at the place where it begins.
pub(crate) fn lex(source: &str) -> SqlResult<Vec<Token>> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::new(),
    };
    lexer.run()?;
    Ok(lexer.tokens)
}

/// Undoes the doubling of quotes of a string token.
pub(crate) fn unquote(text: &str) -> String {
    let mut chars = text.chars();
    let Some(quote) = chars.next() else {
        return String::new();
    };
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let double: String = [quote, quote].iter().collect();
    if inner.contains(&double) {
        inner.replace(&double, &quote.to_string())
    } else {
        inner.to_owned()
    }
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) -> SqlResult<()> {
        while self.at < self.bytes.len() {
            let start = self.at;
            match self.byte(0) {
                b if b.is_ascii_whitespace() || b == 0 || b == 0x0b => self.at += 1,
                b'-' if self.byte(1) == b'-' => self.line_comment(),
                b'/' if self.byte(1) == b'*' => self.block_comment()?,
                b'{' if !self.opens_collection() => self.brace_comment()?,
                b'\'' => self.string(b'\'', Tok::Single)?,
                b'"' => self.string(b'"', Tok::Double)?,
                b'?' => {
                    self.at += 1;
                    self.push(Tok::Marker, start);
                }
                b if b.is_ascii_digit() || (b == b'.' && self.starts_fraction()) => self.number(start),
                b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => self.word(start),
                _ => self.operator(start)?,
            }
        }
        let end = self.tokens.last().map_or(0, |t| t.span.end);
        self.tokens.push(Token {
            tok: Tok::End,
            span: Span::new(end, end),
        });
        Ok(())
    }

    fn push(&mut self, tok: Tok, start: usize) {
        self.tokens.push(Token {
            tok,
            span: Span::new(start, self.at),
        });
    }

    fn line_comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
    }

    fn block_comment(&mut self) -> SqlResult<()> {
        let start = self.at;
        let rest = self.bytes.get(start + 2..).unwrap_or_default();
        match memchr::memmem::find(rest, b"*/") {
            Some(i) => {
                self.at = start + 2 + i + 2;
                Ok(())
            }
            None => Err(SqlError::new(-943).at(start).because("comment without its end")),
        }
    }

    fn brace_comment(&mut self) -> SqlResult<()> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        match memchr::memchr(b'}', rest) {
            Some(i) => {
                self.at = start + i + 1;
                Ok(())
            }
            None => Err(SqlError::new(-283).at(start).because("comment without its end")),
        }
    }

    /// `SET{`, or `SET {` where an expression may begin (`UPDATE t SET {comment} a = 1` is the other reading).
    fn opens_collection(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return false;
        };
        let word = last.span.text(self.source);
        if last.tok != Tok::Word
            || !["set", "multiset", "list"]
                .iter()
                .any(|w| word.eq_ignore_ascii_case(w))
        {
            return false;
        }
        if last.span.end == self.at {
            return true;
        }
        match self.tokens.len().checked_sub(2).and_then(|i| self.tokens.get(i)) {
            Some(before) => matches!(before.tok, Tok::Op(op) if op != ")"),
            None => false,
        }
    }

    fn string(&mut self, quote: u8, tok: Tok) -> SqlResult<()> {
        let start = self.at;
        let mut from = start + 1;
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let Some(i) = memchr::memchr(quote, rest) else {
                return Err(SqlError::new(-282).at(start).because("quote without its partner"));
            };
            let close = from + i;
            if self.bytes.get(close + 1) == Some(&quote) {
                from = close + 2;
            } else {
                self.at = close + 1;
                self.push(tok, start);
                return Ok(());
            }
        }
    }

    /// `.5` is a number unless the point follows a name or a bracket.
    fn starts_fraction(&self) -> bool {
        self.byte(1).is_ascii_digit()
            && !self.tokens.last().is_some_and(|t| {
                t.span.end == self.at
                    && matches!(t.tok, Tok::Word | Tok::Single | Tok::Double | Tok::Op(")" | "]"))
            })
    }

    fn number(&mut self, start: usize) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
        if self.byte(0) == b'.' && self.byte(1) != b'.' {
            self.at += 1;
            while self.byte(0).is_ascii_digit() {
                self.at += 1;
            }
        }
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                self.at += 2 + sign;
                while self.byte(0).is_ascii_digit() {
                    self.at += 1;
                }
            }
        }
        self.push(Tok::Number, start);
    }

    fn word(&mut self, start: usize) {
        while {
            let b = self.byte(0);
            b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
        } {
            self.at += 1;
        }
        self.push(Tok::Word, start);
    }

    fn operator(&mut self, start: usize) -> SqlResult<()> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        // `<<` opens a label of SPL; `>>` is read as two tokens there.
        for op in TWO.iter().chain(&ONE) {
            if rest.starts_with(op.as_bytes()) {
                self.at += op.len();
                self.push(Tok::Op(op), start);
                return Ok(());
            }
        }
        Err(SqlError::new(-202).at(start).because("illegal character"))
    }
}
