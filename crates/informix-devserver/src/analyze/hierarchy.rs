//! START WITH … CONNECT BY: a recursive query over the one table of FROM, which goes down before it goes aside.
//!
//! The texts speak of three rows: `hs`, the rows of FROM; `s`, one of them that may come next; `h`, the row before, and for
//! the SELECT around, each row of the result. WHERE filters the result. What a row takes from the rows above it (PRIOR in
//! the select list, CONNECT_BY_ROOT, SYS_CONNECT_BY_PATH) is handed down in columns of its own. That a loop in the data is
//! -26079 is unconfirmed.

use informix_types::ColumnType;

use super::Analyzer;
use super::expr::place;
use super::joins::Source;
use super::order::direction;
use super::scope::{Block, Bound, BoundColumn};
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, TypedExpr};
use crate::sql::ast::{Expr, Hierarchy, Select};

/// What the expressions of a block with CONNECT BY mean.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// The place of the recursive query in the text of FROM, filled when the select list is known.
    slot: String,
    /// The rows of FROM as a query.
    source: String,
    /// The condition that leads from a row to those below it.
    hierarchy: Hierarchy,
    columns: usize,
    /// Columns that are handed down: text for the first rows, and for those below.
    extras: Vec<(String, String)>,
}

const LEVEL: &str = "level";
const LEAF: &str = "connect_by_isleaf";
const CYCLE: &str = "connect_by_iscycle";

impl Analyzer<'_> {
    /// Makes the current block, whose FROM has been read, one of the rows of the hierarchy.
    pub(super) fn connect(&mut self, select: &Select, sources: Vec<Source>) -> SqlResult<Vec<Source>> {
        let Some(hierarchy) = &select.hierarchy else {
            return Ok(sources);
        };
        let text = self.filtered(sources, None)?;
        let Some(block) = self.blocks.last_mut() else {
            return Ok(Vec::new());
        };
        let [bound] = block.tables.as_slice() else {
            return Err(SqlError::new(-999)
                .at(hierarchy.span.start)
                .because("CONNECT BY over more than one table"));
        };
        let number = bound
            .rowid
            .clone()
            .unwrap_or_else(|| "row_number() OVER ()".to_owned());
        let mut list = vec![format!("{number} AS r")];
        let texts = bound.columns.iter().enumerate();
        list.extend(texts.map(|(i, c)| format!("{} AS c{}", c.sql, i + 1)));
        let scope = Scope {
            slot: String::new(),
            source: format!("SELECT {}{text}", list.join(", ")),
            hierarchy: (**hierarchy).clone(),
            columns: bound.columns.len(),
            extras: Vec::new(),
        };
        let bound = renamed(bound, "h", "h.lvl");
        let slot = self.fresh("hierarchy$");
        let sources = vec![Source::Text(format!("({slot}) AS h"))];
        if let Some(block) = self.blocks.last_mut() {
            block.tables = vec![bound];
            block.hierarchy = Some(Box::new(Scope { slot, ..scope }));
        }
        Ok(sources)
    }

    /// The text of FROM and all behind it with the recursive query in its place.
    pub(super) fn connected(&mut self, text: String) -> SqlResult<String> {
        let Some(mut scope) = self.blocks.last_mut().and_then(|b| b.hierarchy.take()) else {
            return Ok(text);
        };
        let row = self.blocks.last().and_then(|b| b.tables.first()).cloned();
        let Some(row) = row else { return Ok(text) };
        let hierarchy = scope.hierarchy.clone();
        let start = match &hierarchy.start {
            Some(start) => self.condition_of(start, renamed(&row, "s", "1"), None)?,
            None => "1".to_owned(),
        };
        let connect = self.connection(&hierarchy, &row, "s", "h", "h.lvl")?;
        let seen = "instr(h.v, ',' || s.r || ',')";
        let unseen = if hierarchy.nocycle {
            format!("{seen} = 0")
        } else {
            format!("ifx_no_loop({seen})")
        };
        let mut keys = Vec::new();
        for item in &hierarchy.siblings {
            let key = self.value_of(&item.expr, renamed(&row, "s", "h.lvl + 1"), None)?;
            scope.extras.push((key.sql.clone(), key.sql.clone()));
            let collate = if key.kind().is_character() {
                " COLLATE RTRIM"
            } else {
                ""
            };
            // By position: the number, the level and the rows seen stand before the columns.
            let position = 3 + scope.columns + scope.extras.len();
            keys.push(format!(", {position}{collate}{}", direction(item)));
        }
        let columns =
            |row: &str| -> String { (1..=scope.columns).map(|i| format!(", {row}.c{i}")).collect() };
        let names: String = columns("").replace('.', "");
        let (mut first, mut below, mut extra_names) = (String::new(), String::new(), String::new());
        for (number, (base, next)) in (1..).zip(&scope.extras) {
            first.push_str(&format!(", {base}"));
            below.push_str(&format!(", {next}"));
            extra_names.push_str(&format!(", x{number}"));
        }
        let query = format!(
            "WITH RECURSIVE hs AS ({source}), hh(r, lvl, v{names}{extra_names}) AS (\
             SELECT s.r, 1, ',' || s.r || ','{of_s}{first} FROM hs AS s WHERE {start} UNION ALL \
             SELECT s.r, h.lvl + 1, h.v || s.r || ','{of_s}{below} FROM hh AS h, hs AS s WHERE {connect} AND {unseen} \
             ORDER BY 2 DESC{keys}) SELECT * FROM hh",
            source = scope.source,
            of_s = columns("s"),
            keys = keys.concat(),
        );
        Ok(text.replacen(&scope.slot, &query, 1))
    }

    /// The condition of CONNECT BY between a row and the one before it.
    fn connection(
        &mut self,
        hierarchy: &Hierarchy,
        row: &Bound,
        next: &str,
        prior: &str,
        level: &str,
    ) -> SqlResult<String> {
        let next = renamed(row, next, &format!("({level} + 1)"));
        self.condition_of(&hierarchy.connect, next, Some(renamed(row, prior, level)))
    }

    fn condition_of(&mut self, condition: &Expr, row: Bound, prior: Option<Bound>) -> SqlResult<String> {
        let typed = self.value_of(condition, row, prior)?;
        let typed = place(expr::and(vec![typed]), condition.span)?;
        Ok(typed.sql)
    }

    /// An expression over one row and the one before it.
    fn value_of(&mut self, value: &Expr, row: Bound, prior: Option<Bound>) -> SqlResult<TypedExpr> {
        let kept = self.blocks.pop();
        self.blocks.push(Block {
            tables: vec![row],
            prior,
            ..Block::default()
        });
        let typed = self.expr(value);
        self.blocks.pop();
        self.blocks.extend(kept);
        let typed = typed?;
        self.note(&typed);
        Ok(typed)
    }

    /// `PRIOR value`.
    pub(super) fn prior(&mut self, value: &Expr) -> SqlResult<TypedExpr> {
        if let Some(prior) = self.blocks.last().and_then(|b| b.prior.clone()) {
            return self.value_of(value, prior, None);
        }
        let row = self.row_of_hierarchy()?;
        let above = self.value_of(value, renamed(&row, "h", "h.lvl"), None)?;
        Ok(self.handed_down("NULL".to_owned(), above.sql, above.ty.nullable()))
    }

    /// `CONNECT_BY_ROOT value`.
    pub(super) fn root(&mut self, value: &Expr) -> SqlResult<TypedExpr> {
        let row = self.row_of_hierarchy()?;
        let first = self.value_of(value, renamed(&row, "s", "1"), None)?;
        let column = self.next_extra();
        Ok(self.handed_down(first.sql, format!("h.{column}"), first.ty))
    }

    /// SYS_CONNECT_BY_PATH(value, separator).
    pub(super) fn path(&mut self, value: &Expr, separator: &Expr) -> SqlResult<TypedExpr> {
        let row = self.row_of_hierarchy()?;
        let row = renamed(&row, "s", "h.lvl + 1");
        let text = expr::as_text(self.value_of(value, row.clone(), None)?)?;
        let separator = expr::as_text(self.value_of(separator, row, None)?)?;
        let step = format!("{} || coalesce({}, '')", separator.sql, text.sql);
        let column = self.next_extra();
        let below = format!("h.{column} || {step}");
        Ok(self.handed_down(step, below, ColumnType::lvarchar(4000)))
    }

    /// LEVEL, CONNECT_BY_ISLEAF, CONNECT_BY_ISCYCLE where no column has the name.
    pub(super) fn pseudo_column(&mut self, name: &str) -> SqlResult<Option<TypedExpr>> {
        let Some(block) = self.blocks.last() else {
            return Ok(None);
        };
        if name == LEVEL {
            let level = block.tables.first().and_then(|t| t.level.clone());
            return Ok(level.map(|sql| TypedExpr::column(sql, ColumnType::integer())));
        }
        let Some(scope) = block.hierarchy.clone().filter(|_| [LEAF, CYCLE].contains(&name)) else {
            return Ok(None);
        };
        let row = self.row_of_hierarchy()?;
        let mut texts = Vec::with_capacity(2);
        for (level, seen) in [("1", "',' || s.r || ','"), ("(h.lvl + 1)", "h.v || s.r || ','")] {
            let below = self.connection(&scope.hierarchy, &row, "b", "s", level)?;
            texts.push(if name == LEAF {
                format!("NOT EXISTS (SELECT 1 FROM hs AS b WHERE {below})")
            } else {
                format!(
                    "EXISTS (SELECT 1 FROM hs AS b WHERE {below} AND instr({seen}, ',' || b.r || ',') > 0)"
                )
            });
        }
        let below = texts.pop().unwrap_or_default();
        let first = texts.pop().unwrap_or_default();
        Ok(Some(self.handed_down(first, below, ColumnType::integer())))
    }

    fn row_of_hierarchy(&self) -> SqlResult<Bound> {
        self.blocks
            .last()
            .filter(|b| b.hierarchy.is_some())
            .and_then(|b| b.tables.first())
            .cloned()
            .ok_or_else(|| SqlError::new(-201).because("no CONNECT BY"))
    }

    fn next_extra(&self) -> String {
        let hierarchy = self.blocks.last().and_then(|b| b.hierarchy.as_ref());
        format!("x{}", hierarchy.map_or(0, |h| h.extras.len()) + 1)
    }

    /// A column of the rows that the recursive query computes.
    fn handed_down(&mut self, first: String, below: String, ty: ColumnType) -> TypedExpr {
        let column = self.next_extra();
        if let Some(hierarchy) = self.blocks.last_mut().and_then(|b| b.hierarchy.as_mut()) {
            hierarchy.extras.push((first, below));
        }
        TypedExpr::column(format!("h.{column}"), ty)
    }
}

/// The row of FROM under another name, its columns as the recursive query calls them.
fn renamed(bound: &Bound, alias: &str, level: &str) -> Bound {
    let columns = bound.columns.iter().enumerate();
    Bound {
        alias: alias.to_owned(),
        columns: columns
            .map(|(i, c)| BoundColumn {
                sql: format!("{alias}.c{}", i + 1),
                ..c.clone()
            })
            .collect(),
        rowid: bound.rowid.as_ref().map(|_| format!("{alias}.r")),
        level: Some(level.to_owned()),
        ..bound.clone()
    }
}
