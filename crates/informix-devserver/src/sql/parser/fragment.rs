//! FRAGMENT BY and ALTER FRAGMENT (`informix-sql.md` 7; vendor's Guide to SQL: Syntax, "FRAGMENT BY clause" and
//! "ALTER FRAGMENT").

use super::super::ast::{
    AlterFragment, Expr, Fragment, FragmentAction, FragmentRows, FragmentStrategy, Fragmentation, Ident,
    RangeInterval, Rolling, Span, StatementKind,
};
use super::super::lexer::{Tok, Token};
use super::Parser;
use crate::error::{SqlError, SqlResult};

impl Parser<'_> {
    /// `FRAGMENT|PARTITION BY …` when it stands here.
    pub(super) fn fragmentation(&mut self) -> SqlResult<Option<Fragmentation>> {
        if !(self.is_any(&["fragment", "partition"]) && self.is_word_at(1, "by")) {
            return Ok(None);
        }
        self.advance();
        let start = self.span();
        self.advance();
        let strategy = if self.accept_all(&["round", "robin"]) {
            self.accept("in");
            FragmentStrategy::RoundRobin
        } else if self.accept("expression") {
            FragmentStrategy::Expression
        } else if self.accept("list") {
            FragmentStrategy::List(Box::new(self.in_parens()?))
        } else if self.accept("range") {
            FragmentStrategy::Range(Box::new(self.range_interval()?))
        } else {
            return Err(self.syntax("ROUND ROBIN, EXPRESSION, LIST or RANGE"));
        };
        let fragments = match strategy {
            FragmentStrategy::RoundRobin => self.list(Self::any_rows)?,
            _ => self.list(Self::fragment)?,
        };
        Ok(Some(Fragmentation {
            strategy,
            fragments,
            span: self.since(start),
        }))
    }

    fn in_parens(&mut self) -> SqlResult<Expr> {
        self.expect_op("(")?;
        let value = self.nested(Self::value)?;
        self.expect_op(")")?;
        Ok(value)
    }

    fn range_interval(&mut self) -> SqlResult<RangeInterval> {
        let key = self.in_parens()?;
        let mut range = RangeInterval {
            key,
            size: None,
            rolling: None,
            spaces: Vec::new(),
        };
        loop {
            if self.accept("interval") {
                range.size = Some(self.in_parens()?);
            } else if self.is("rolling") {
                range.rolling = Some(self.rolling()?);
            } else if self.accept_all(&["store", "in"]) {
                range.spaces = self.parens(|p| {
                    let space = p.ident()?;
                    // A function that names the space.
                    if p.accept_op("(") {
                        p.expect_op(")")?;
                    }
                    Ok(space)
                })?;
            } else {
                return Ok(range);
            }
        }
    }

    /// `ROLLING (n FRAGMENTS) [LIMIT TO size unit] [DETACH|DISCARD] [INTERVAL FIRST|INTERVAL ONLY|ANY]`.
    fn rolling(&mut self) -> SqlResult<Rolling> {
        let start = self.span();
        self.advance();
        self.expect_op("(")?;
        let fragments = self.integer()?;
        self.expect("fragments")?;
        self.expect_op(")")?;
        if self.accept_all(&["limit", "to"]) {
            self.integer()?;
            self.ident()?;
        }
        if !self.accept("detach") {
            self.accept("discard");
        }
        if !(self.accept_all(&["interval", "first"]) || self.accept_all(&["interval", "only"])) {
            self.accept("any");
        }
        Ok(Rolling {
            fragments,
            span: self.since(start),
        })
    }

    /// A fragment of ROUND ROBIN: a dbspace, or `PARTITION p IN dbspace`.
    fn any_rows(&mut self) -> SqlResult<Fragment> {
        let start = self.span();
        let name = self.partition_name()?;
        if name.is_some() {
            self.expect("in")?;
        }
        Ok(Fragment {
            name,
            rows: FragmentRows::Any,
            dbspace: self.ident()?,
            span: self.since(start),
        })
    }

    fn partition_name(&mut self) -> SqlResult<Option<Ident>> {
        if self.is("partition") && self.is_name_at(1) && !self.is_word_at(1, "by") {
            self.advance();
            return self.ident().map(Some);
        }
        Ok(None)
    }

    /// `[PARTITION p] rows IN dbspace`.
    fn fragment(&mut self) -> SqlResult<Fragment> {
        let start = self.span();
        let name = self.partition_name()?;
        let rows = self.fragment_rows()?;
        self.expect("in")?;
        Ok(Fragment {
            name,
            rows,
            dbspace: self.ident()?,
            span: self.since(start),
        })
    }

    fn fragment_rows(&mut self) -> SqlResult<FragmentRows> {
        if self.is("in") {
            return Ok(FragmentRows::Any);
        }
        if self.is("remainder") && self.is_word_at(1, "in") {
            self.advance();
            return Ok(FragmentRows::Remainder);
        }
        let end = self.before_space()?;
        if self.is("values") {
            let span = Span::new(self.span().start, self.last_of(end));
            self.pos = end;
            return Ok(FragmentRows::Values(span));
        }
        let condition = self.condition_before(end)?;
        Ok(FragmentRows::Where(Box::new(condition)))
    }

    /// Where the next `IN dbspace` stands: no `IN (…)` of a condition, and not in parentheses.
    fn before_space(&self) -> SqlResult<usize> {
        let mut open = 0_usize;
        let mut ahead = 0;
        loop {
            match self.nth(ahead).tok {
                Tok::Op("(") => open += 1,
                Tok::Op(")") if open > 0 => open -= 1,
                Tok::Op("," | ")" | ";") | Tok::End if open == 0 => return Err(self.syntax("IN dbspace")),
                Tok::End => return Err(self.syntax(")")),
                Tok::Word if open == 0 && ahead > 0 && self.is_space_at(ahead) => {
                    return Ok(self.pos + ahead);
                }
                _ => {}
            }
            ahead += 1;
        }
    }

    fn is_space_at(&self, ahead: usize) -> bool {
        self.is_word_at(ahead, "in") && self.nth(ahead + 1).tok == Tok::Word
    }

    /// End in the text of the token before a position.
    fn last_of(&self, position: usize) -> usize {
        let before = position.checked_sub(1).and_then(|p| self.tokens.get(p));
        before.map_or(0, |token| token.span.end)
    }

    /// The condition that ends before a token: that token's IN is none of its operators.
    fn condition_before(&mut self, end: usize) -> SqlResult<Expr> {
        let mut tokens = self.tokens.get(self.pos..end).unwrap_or_default().to_vec();
        tokens.push(Token {
            tok: Tok::End,
            span: Span::new(self.last_of(end), self.last_of(end)),
        });
        let start = self.span();
        let mut inner = Parser {
            source: self.source,
            tokens,
            pos: 0,
            depth: self.depth,
            spl_depth: self.spl_depth,
            height: 0,
            markers: self.markers,
            options: self.options,
        };
        let mut condition = inner.expr()?;
        if inner.peek() != Tok::End {
            return Err(inner.syntax("IN dbspace"));
        }
        self.markers = inner.markers;
        self.pos = end;
        condition.span = self.since(start);
        Ok(condition)
    }

    /// `ALTER FRAGMENT [ONLINE] ON TABLE|INDEX name …`; the word ALTER is read.
    pub(super) fn alter_fragment(&mut self) -> SqlResult<StatementKind> {
        self.advance();
        self.accept("online");
        self.expect("on")?;
        let index = self.accept("index");
        if !index {
            self.expect("table")?;
        }
        let name = self.object_name()?;
        let action = self.fragment_action(index)?;
        Ok(StatementKind::AlterFragment(Box::new(AlterFragment {
            index,
            name,
            action,
        })))
    }

    fn fragment_action(&mut self, index: bool) -> SqlResult<FragmentAction> {
        if self.is("attach") {
            return Err(SqlError::new(-554)
                .at(self.span().start)
                .because("ATTACH: INSERT the rows, and ADD a fragment"));
        }
        if !index && self.accept("detach") {
            let fragment = self.old_fragment()?;
            return Ok(FragmentAction::Detach(fragment, self.object_name()?));
        }
        if self.accept("init") {
            return self.init_fragments();
        }
        if self.accept("add") {
            let alone = self.is_name_at(0) && !self.is("partition") && !self.is("remainder") && {
                matches!(self.nth(1).tok, Tok::End | Tok::Op(";")) || self.is_any_at(1, &["before", "after"])
            };
            let fragment = if alone { self.any_rows()? } else { self.fragment()? };
            let place = if self.is_any(&["before", "after"]) {
                let after = self.is("after");
                self.advance();
                Some((after, self.old_fragment()?))
            } else {
                None
            };
            return Ok(FragmentAction::Add(fragment, place));
        }
        if self.accept("drop") {
            return Ok(FragmentAction::Drop(self.old_fragment()?));
        }
        self.expect("modify")?;
        if self.is("interval") && !self.is_word_at(1, "to") {
            return Err(SqlError::new(-554)
                .at(self.span().start)
                .because("MODIFY INTERVAL: use INIT"));
        }
        let changes = self.list(|p| {
            let old = p.old_fragment()?;
            p.expect("to")?;
            Ok((old, p.fragment()?))
        })?;
        Ok(FragmentAction::Modify(changes))
    }

    fn is_any_at(&self, ahead: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word_at(ahead, word))
    }

    fn old_fragment(&mut self) -> SqlResult<Ident> {
        match self.partition_name()? {
            Some(name) => Ok(name),
            None => self.ident(),
        }
    }

    fn init_fragments(&mut self) -> SqlResult<FragmentAction> {
        self.accept_all(&["with", "rowids"]);
        if let Some(fragmentation) = self.fragmentation()? {
            return Ok(FragmentAction::Init(fragmentation));
        }
        self.partition_name()?;
        let space = if self.accept("in") {
            Some(self.ident()?)
        } else {
            None
        };
        Ok(FragmentAction::Gather(space))
    }
}
