//! Recursive descent over the tokens of one text.
//!
//! Few words are reserved (`informix-sql.md` 1), so keywords are recognised by where they stand, never by the lexer.

mod alter;
mod call;
mod create;
mod dml;
mod expr;
mod fragment;
mod grant;
mod literal;
mod operand;
mod query;
mod routine;
mod schema;
mod session;
mod spl;
mod statement;
mod table;

use super::ParseOptions;
use super::ast::{Ident, ObjectName, Span};
use super::lexer::{Tok, Token, unquote};
use crate::error::{SqlError, SqlResult};

/// How deep parentheses, subqueries and SPL blocks may nest. SQLite's own limit (1000 levels in an expression) is not far
/// from that.
const MAX_DEPTH: usize = 300;

/// Most joins in one item of FROM.
const MAX_CHAIN: usize = 256;

/// Greatest height of an expression tree: chains such as `a + b + c …` grow it without nesting.
const MAX_HEIGHT: usize = 620;

/// Longest identifier in bytes.
const MAX_IDENTIFIER: usize = 128;

pub(crate) struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    pos: usize,
    depth: usize,
    spl_depth: usize,
    /// Height of the highest expression read since this was last set to 0.
    height: usize,
    markers: usize,
    options: ParseOptions,
}

const END: Token = Token {
    tok: Tok::End,
    span: Span::new(0, 0),
};

impl<'a> Parser<'a> {
    pub(crate) fn new(source: &'a str, options: ParseOptions) -> SqlResult<Self> {
        let tokens = super::lexer::lex(source)?;
        Ok(Self {
            source,
            tokens,
            pos: 0,
            depth: 0,
            spl_depth: 0,
            height: 0,
            markers: 0,
            options,
        })
    }

    // --- tokens ---

    fn nth(&self, ahead: usize) -> Token {
        self.tokens
            .get(self.pos + ahead)
            .or_else(|| self.tokens.last())
            .copied()
            .unwrap_or(END)
    }

    fn peek(&self) -> Tok {
        self.nth(0).tok
    }

    fn span(&self) -> Span {
        self.nth(0).span
    }

    /// End of the token before this one.
    fn last_end(&self) -> usize {
        self.pos
            .checked_sub(1)
            .and_then(|i| self.tokens.get(i))
            .map_or(0, |t| t.span.end)
    }

    /// From `start` to the end of the last token read.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end().max(start.start))
    }

    fn advance(&mut self) {
        if self.pos < self.tokens.len() {
            self.pos += 1;
        }
    }

    fn text(&self, token: Token) -> &'a str {
        token.span.text(self.source)
    }

    fn word_at(&self, ahead: usize) -> Option<&'a str> {
        let token = self.nth(ahead);
        (token.tok == Tok::Word).then(|| self.text(token))
    }

    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        self.word_at(ahead).is_some_and(|w| w.eq_ignore_ascii_case(word))
    }

    fn is(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn is_any(&self, words: &[&str]) -> bool {
        self.word_at(0)
            .is_some_and(|w| words.iter().any(|x| w.eq_ignore_ascii_case(x)))
    }

    /// The words stand here one after the other.
    fn are(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, w)| self.is_word_at(i, w))
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.advance();
        }
        found
    }

    fn accept_all(&mut self, words: &[&str]) -> bool {
        let found = self.are(words);
        if found {
            self.pos += words.len();
        }
        found
    }

    fn expect(&mut self, word: &str) -> SqlResult<()> {
        if self.accept(word) {
            Ok(())
        } else {
            Err(self.syntax(word))
        }
    }

    fn expect_all(&mut self, words: &[&str]) -> SqlResult<()> {
        words.iter().try_for_each(|w| self.expect(w))
    }

    fn is_op_at(&self, ahead: usize, op: &str) -> bool {
        matches!(self.nth(ahead).tok, Tok::Op(o) if o == op)
    }

    fn is_op(&self, op: &str) -> bool {
        self.is_op_at(0, op)
    }

    fn accept_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        if found {
            self.advance();
        }
        found
    }

    fn expect_op(&mut self, op: &str) -> SqlResult<()> {
        if self.accept_op(op) {
            Ok(())
        } else {
            Err(self.syntax(op))
        }
    }

    /// -201 at the token that does not fit.
    fn syntax(&self, wanted: &str) -> SqlError {
        let token = self.nth(0);
        let found = if token.tok == Tok::End {
            "end of text"
        } else {
            self.text(token)
        };
        SqlError::new(-201)
            .at(token.span.start)
            .because(format!("expected {wanted}, found {found}"))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.syntax("less nesting"));
        }
        self.depth += 1;
        let beside = std::mem::take(&mut self.height);
        let result = crate::stack::deeper(|| parse(self));
        self.depth -= 1;
        self.grow()?;
        self.height = self.height.max(beside);
        result
    }

    /// The expression just read becomes part of a higher one.
    fn grow(&mut self) -> SqlResult<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            return Err(self.syntax("a smaller expression"));
        }
        Ok(())
    }

    /// `item, item, …`.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> SqlResult<T>) -> SqlResult<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept_op(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `(item, item, …)`.
    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> SqlResult<T>) -> SqlResult<Vec<T>> {
        self.expect_op("(")?;
        let items = self.list(item)?;
        self.expect_op(")")?;
        Ok(items)
    }

    /// `item` or `(item, item, …)`.
    fn one_or_parens<T>(&mut self, mut item: impl FnMut(&mut Self) -> SqlResult<T>) -> SqlResult<Vec<T>> {
        if self.is_op("(") {
            self.parens(item)
        } else {
            Ok(vec![item(self)?])
        }
    }

    // --- names ---

    fn make_ident(&self, token: Token) -> SqlResult<Ident> {
        let text = self.text(token);
        let (name, quoted) = match token.tok {
            Tok::Word => (text.to_ascii_lowercase(), false),
            _ => (unquote(text), true),
        };
        if name.len() > MAX_IDENTIFIER {
            return Err(SqlError::new(-253).at(token.span.start).token(name));
        }
        Ok(Ident {
            name,
            quoted,
            span: token.span,
        })
    }

    /// A token that may stand for a name where nothing else can stand: also a quoted owner or a quoted name after a point.
    fn is_any_name_at(&self, ahead: usize) -> bool {
        matches!(self.nth(ahead).tok, Tok::Word | Tok::Single | Tok::Double)
    }

    fn is_name_at(&self, ahead: usize) -> bool {
        match self.nth(ahead).tok {
            Tok::Word => true,
            Tok::Double => self.options.delimident,
            _ => false,
        }
    }

    fn ident(&mut self) -> SqlResult<Ident> {
        if !self.is_name_at(0) {
            return Err(self.syntax("a name"));
        }
        let ident = self.make_ident(self.nth(0))?;
        self.advance();
        Ok(ident)
    }

    /// A name that may be quoted whatever DELIMIDENT says.
    fn any_ident(&mut self) -> SqlResult<Ident> {
        if !self.is_any_name_at(0) {
            return Err(self.syntax("a name"));
        }
        let ident = self.make_ident(self.nth(0))?;
        self.advance();
        Ok(ident)
    }

    fn ident_list(&mut self) -> SqlResult<Vec<Ident>> {
        self.parens(Self::ident)
    }

    /// `(a, b)` when a parenthesis follows, else nothing.
    fn optional_ident_list(&mut self) -> SqlResult<Vec<Ident>> {
        if self.is_op("(") {
            self.ident_list()
        } else {
            Ok(Vec::new())
        }
    }

    /// `[database[@server]:]`.
    fn database_prefix(&mut self) -> SqlResult<(Option<Ident>, Option<Ident>)> {
        if !self.is_name_at(0) {
            return Ok((None, None));
        }
        if self.is_op_at(1, ":") && self.is_any_name_at(2) {
            let database = self.ident()?;
            self.advance();
            return Ok((Some(database), None));
        }
        if self.is_op_at(1, "@") && self.is_any_name_at(2) && self.is_op_at(3, ":") && self.is_any_name_at(4)
        {
            let database = self.ident()?;
            self.advance();
            let server = self.any_ident()?;
            self.advance();
            return Ok((Some(database), Some(server)));
        }
        Ok((None, None))
    }

    /// `[database[@server]:][owner.]name`.
    fn object_name(&mut self) -> SqlResult<ObjectName> {
        let start = self.span();
        let (database, server) = self.database_prefix()?;
        let owned = self.is_any_name_at(0) && self.is_op_at(1, ".");
        let (owner, name) = if owned {
            let owner = self.any_ident()?;
            self.advance();
            (Some(owner), self.any_ident()?)
        } else {
            (None, self.ident()?)
        };
        Ok(ObjectName {
            database,
            server,
            owner,
            name,
            span: self.since(start),
        })
    }

    // --- small values ---

    /// A string literal; `"…"` counts only without DELIMIDENT.
    fn string(&mut self) -> SqlResult<String> {
        let token = self.nth(0);
        let fits = token.tok == Tok::Single || (token.tok == Tok::Double && !self.options.delimident);
        if !fits {
            return Err(self.syntax("a string"));
        }
        self.advance();
        Ok(unquote(self.text(token)))
    }

    fn is_string(&self) -> bool {
        self.peek() == Tok::Single || (self.peek() == Tok::Double && !self.options.delimident)
    }

    /// A whole number, perhaps with a sign.
    fn integer(&mut self) -> SqlResult<i64> {
        let minus = self.is_op("-");
        let start = self.span();
        if minus || self.is_op("+") {
            self.advance();
        }
        let token = self.nth(0);
        if token.tok != Tok::Number {
            return Err(self.syntax("a number"));
        }
        self.advance();
        let text = format!("{}{}", if minus { "-" } else { "" }, self.text(token));
        text.parse().map_err(|_| {
            SqlError::new(-203)
                .at(start.start)
                .because("not a whole number in range")
        })
    }

    fn small(&mut self) -> SqlResult<u32> {
        let at = self.span().start;
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| SqlError::new(-201).at(at).because("number out of range"))
    }

    /// Skips `( … )` with whatever is in it.
    fn skip_parens(&mut self) -> SqlResult<()> {
        self.expect_op("(")?;
        let mut open = 1usize;
        while open > 0 {
            match self.peek() {
                Tok::Op("(") => open += 1,
                Tok::Op(")") => open -= 1,
                Tok::End => return Err(self.syntax(")")),
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    /// At `;` or the end of the text.
    fn at_end(&self) -> bool {
        matches!(self.peek(), Tok::End | Tok::Op(";"))
    }
}
