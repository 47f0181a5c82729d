//! Scroll cursors: one row per fetch, in any order (`sqli-protocol.md` 10.5). As every known client, only the moves
//! NEXT, LAST and ABSOLUTE are sent; the others are made of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use informix_protocol::ClientMessage;
use informix_protocol::message::SFetch;

use super::group::Group;
use super::link::Purpose;
use super::prepare::{Claim, Prepared, STALE};
use super::{Chore, Session};
use crate::error::{Error, Result};
use crate::param::Parameter;
use crate::row::{Batch, Columns, Layout, Row};

/// A move of a scroll cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollTo {
    /// The first row.
    First,
    /// The last row.
    Last,
    /// The row after the current one.
    Next,
    /// The row before the current one.
    Prior,
    /// A row by its number from 1; negative numbers count from the end, -1 is the last.
    Absolute(i64),
    /// So many rows forward, or backward when negative.
    Relative(i64),
}

/// An open scroll cursor.
#[derive(Debug)]
pub(crate) struct ScrollCursor {
    claim: Claim,
    layout: Arc<Layout>,
    ret_type: bool,
    /// 0 = before the first row; behind the last one it is one more than their number.
    position: i64,
    /// The row where the server's cursor stands, when that is known: not while a fetch is under way or after one that
    /// was given up, and a move to where no row is does not always reach the server.
    server: Option<i64>,
    /// Number of rows, once it is known.
    count: Option<i64>,
}

impl Drop for ScrollCursor {
    fn drop(&mut self) {
        let statement = &self.claim.0;
        statement.chores_add(Chore::Close(statement.id));
    }
}

impl ScrollCursor {
    pub(crate) fn columns(&self) -> &Arc<Columns> {
        &self.layout.columns
    }

    /// The row that was read last, from 1; `None` before the first and behind the last.
    pub(crate) fn position(&self) -> Option<i64> {
        let last = self.count.unwrap_or(i64::MAX);
        (1..=last).contains(&self.position).then_some(self.position)
    }
}

impl Session {
    /// `ID CURNAME [BIND] SCROLL [HOLD] OPEN` (J P).
    pub(crate) async fn open_scroll(
        &mut self,
        statement: &Arc<Prepared>,
        parameters: &[Parameter],
        hold: bool,
    ) -> Result<ScrollCursor> {
        statement.check_count(parameters.len())?;
        let claim = Claim::take(statement)?;
        let opened = self.open_scroll_first(claim, parameters, hold).await;
        if let Err(e) = &opened {
            self.forget_stale(statement, e);
        }
        opened
    }

    /// Opens a scroll cursor by text.
    pub(crate) async fn scroll_query(&mut self, sql: &str, parameters: &[Parameter]) -> Result<ScrollCursor> {
        let was_cached = self.cache.get(sql).is_some();
        let statement = self.prepare(sql).await?;
        match self.open_scroll(&statement, parameters, false).await {
            Err(e) if was_cached && e.sqlcode() == STALE => {
                let statement = self.prepare(sql).await?;
                self.open_scroll(&statement, parameters, false).await
            }
            done => done,
        }
    }

    async fn open_scroll_first(
        &mut self,
        claim: Claim,
        parameters: &[Parameter],
        hold: bool,
    ) -> Result<ScrollCursor> {
        let statement = Arc::clone(&claim.0);
        let name = ClientMessage::CursorName(self.cursor_name());
        let mut group = Group::on(self.group(), statement.id, &[name])?;
        group.bind(parameters, &[], &self.codec)?;
        group.push(&ClientMessage::Scroll)?;
        if hold {
            group.push(&ClientMessage::Hold)?;
        }
        group.push(&ClientMessage::Open)?;
        let binary = statement.wants_ret_type(self);
        let layout = statement.layout(self, binary)?;
        self.ask(group, Purpose::Open(statement.id), "open scroll cursor")
            .await?;
        let ret_type = binary && !statement.ret_type_sent.load(Ordering::SeqCst);
        Ok(ScrollCursor {
            claim,
            layout,
            ret_type,
            position: 0,
            server: Some(0),
            count: None,
        })
    }

    /// Moves and reads; `None` when there is no such row. The cursor then stands before the first or behind the last.
    pub(crate) async fn scroll(&mut self, cursor: &mut ScrollCursor, to: ScrollTo) -> Result<Option<Row>> {
        let target = match to {
            ScrollTo::First => 1,
            ScrollTo::Next => cursor.position.saturating_add(1),
            ScrollTo::Prior => cursor.position.saturating_sub(1),
            ScrollTo::Relative(n) => cursor.position.saturating_add(n),
            ScrollTo::Absolute(n) if n >= 0 => n,
            ScrollTo::Last => return self.scroll_last(cursor).await,
            ScrollTo::Absolute(n) => {
                if cursor.count.is_none() {
                    self.scroll_last(cursor).await?;
                }
                cursor.count.unwrap_or(0).saturating_add(n).saturating_add(1)
            }
        };
        if target < 1 {
            cursor.position = 0;
            return Ok(None);
        }
        if let Some(count) = cursor.count
            && target > count
        {
            cursor.position = count + 1;
            return Ok(None);
        }
        let Ok(row) = i32::try_from(target) else {
            return Err(Error::usage(format!(
                "row {target}: a scroll cursor counts up to {}",
                i32::MAX
            )));
        };
        let kind = if cursor.server == Some(target - 1) {
            SFetch::NEXT
        } else {
            SFetch::ABSOLUTE
        };
        match self.scroll_fetch(cursor, kind, row).await? {
            Some((_, found)) => {
                cursor.position = target;
                Ok(Some(found))
            }
            None => {
                // One past the last row that was read: then the end is known.
                if kind == SFetch::NEXT {
                    cursor.count = Some(target - 1);
                    cursor.position = target;
                } else {
                    self.scroll_last(cursor).await?;
                    cursor.position = cursor.count.unwrap_or(0) + 1;
                }
                Ok(None)
            }
        }
    }

    async fn scroll_last(&mut self, cursor: &mut ScrollCursor) -> Result<Option<Row>> {
        match self.scroll_fetch(cursor, SFetch::LAST, 0).await? {
            Some((position, row)) => {
                let count = i64::from(position);
                cursor.count = Some(count);
                cursor.position = count;
                Ok(Some(row))
            }
            None => {
                cursor.count = Some(0);
                cursor.position = 0;
                Ok(None)
            }
        }
    }

    async fn scroll_fetch(
        &mut self,
        cursor: &mut ScrollCursor,
        kind: i16,
        row: i32,
    ) -> Result<Option<(i32, Row)>> {
        let mut group = Group::on(self.group(), cursor.claim.0.id, &[])?;
        if cursor.ret_type {
            group.push(&cursor.claim.0.ret_type())?;
        }
        let wide = self.link.negotiated().wide_buffer();
        let buffer = if wide { 32 * 1024 } else { i32::from(i16::MAX) };
        group.push(&ClientMessage::SFetch(SFetch { kind, row, buffer }))?;
        cursor.server = None;
        let reply = self.ask(group, Purpose::Plain, "scroll").await?;
        if cursor.ret_type {
            cursor.ret_type = false;
            cursor.claim.0.ret_type_sent.store(true, Ordering::SeqCst);
        }
        let Some(rows) = reply.rows.into_iter().next() else {
            return Ok(None);
        };
        let position = reply.positions.first().copied().unwrap_or(row);
        if kind != SFetch::LAST && position != row {
            let error = Error::protocol(format!("asked for row {row}, the server gave row {position}"));
            return Err(self.link.break_with(error));
        }
        cursor.server = Some(i64::from(position));
        match Batch::new(Arc::clone(&cursor.layout), rows) {
            Ok(batch) => Ok(Some((position, Row::new(Arc::new(batch), 0)))),
            Err(e) => Err(self.link.break_with(e)),
        }
    }
}
