//! CREATE SEQUENCE, ALTER SEQUENCE.

use super::super::errors::{self, Doing};
use super::super::session::Session;
use crate::catalog::model::{Table, TableKind};
use crate::catalog::names::Place;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{AlterSequence, CreateSequence, SequenceOptions};

/// A row of `syssequences`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Settings {
    start: i64,
    increment: i64,
    max: i64,
    min: i64,
    cycle: bool,
    cache: i64,
    order: bool,
}

impl Settings {
    /// The written options over those of before, or over the defaults.
    fn with(options: &SequenceOptions, before: Option<Self>) -> SqlResult<Self> {
        let increment = options
            .increment
            .or_else(|| before.map(|b| b.increment))
            .unwrap_or(1);
        if increment == 0 {
            return Err(SqlError::new(-8305).because("INCREMENT BY 0"));
        }
        let up = increment > 0;
        let max = options.max.map(|m| m.unwrap_or(if up { i64::MAX } else { -1 }));
        let max = max
            .or_else(|| before.map(|b| b.max))
            .unwrap_or(if up { i64::MAX } else { -1 });
        let min = options.min.map(|m| m.unwrap_or(if up { 1 } else { -i64::MAX }));
        let min = min
            .or_else(|| before.map(|b| b.min))
            .unwrap_or(if up { 1 } else { -i64::MAX });
        let start = options
            .start
            .or_else(|| before.map(|b| b.start))
            .unwrap_or(if up { min } else { max });
        if min >= max || start < min || start > max {
            return Err(SqlError::new(-8302).because("START, MINVALUE and MAXVALUE don't agree"));
        }
        Ok(Self {
            start,
            increment,
            max,
            min,
            cycle: options.cycle.or_else(|| before.map(|b| b.cycle)).unwrap_or(false),
            cache: options.cache.or_else(|| before.map(|b| b.cache)).unwrap_or(20),
            order: options.order.or_else(|| before.map(|b| b.order)).unwrap_or(false),
        })
    }
}

impl Session {
    pub(super) fn create_sequence(&mut self, create: &CreateSequence) -> SqlResult<()> {
        let place = self.place_to_create(&create.name)?;
        let name = create.name.name.name.clone();
        if self.name_taken(&place, &create.name)? {
            let taken = SqlError::new(-8301).at(create.name.name.span.start).token(name);
            return if create.if_not_exists { Ok(()) } else { Err(taken) };
        }
        let settings = Settings::with(&create.options, None)?;
        let owner = self.owner_for(&create.name);
        self.define(&place, |definer| {
            let mut table = Table {
                place: place.clone(),
                tabid: definer.writer.next_tabid()?,
                name,
                owner,
                kind: TableKind::Sequence,
                lock_level: 'R',
                columns: Vec::new(),
                constraints: Vec::new(),
                indexes: Vec::new(),
            };
            definer.writer.create(&mut table)?;
            definer
                .connection()
                .execute(
                    "INSERT INTO main.syssequences
                     SELECT coalesce(max(seqid), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM main.syssequences",
                    (
                        table.tabid,
                        settings.start,
                        settings.increment,
                        settings.max,
                        settings.min,
                        flag(settings.cycle),
                        settings.start,
                        settings.cache,
                        flag(settings.order),
                    ),
                )
                .map(drop)
                .map_err(|e| errors::translate(&e, Doing::Define))
        })
    }

    pub(super) fn alter_sequence(&mut self, alter: &AlterSequence) -> SqlResult<()> {
        let unknown = || {
            SqlError::new(-8300)
                .at(alter.name.name.span.start)
                .token(&alter.name.name.name)
        };
        let table = self.resolve_table(&alter.name)?.ok_or_else(unknown)?;
        if table.kind != TableKind::Sequence || table.place != Place::Main {
            return Err(unknown());
        }
        let tabid = table.tabid;
        let restart = alter.options.restart;
        self.define(&Place::Main, |definer| {
            let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Define);
            let before = definer
                .connection()
                .query_row(
                    "SELECT start_val, inc_val, max_val, min_val, cycle, cache, \"order\" FROM main.syssequences
                      WHERE tabid = ?",
                    [tabid],
                    |row| {
                        Ok(Settings {
                            start: row.get(0)?,
                            increment: row.get(1)?,
                            max: row.get(2)?,
                            min: row.get(3)?,
                            cycle: row.get::<_, String>(4)? == "1",
                            cache: row.get(5)?,
                            order: row.get::<_, String>(6)? == "1",
                        })
                    },
                )
                .map_err(failed)?;
            let now = Settings::with(&alter.options, Some(before))?;
            definer
                .connection()
                .execute(
                    "UPDATE main.syssequences SET inc_val = ?, max_val = ?, min_val = ?, cycle = ?, cache = ?,
                       \"order\" = ?, restart_val = coalesce(?, restart_val) WHERE tabid = ?",
                    (
                        now.increment,
                        now.max,
                        now.min,
                        flag(now.cycle),
                        now.cache,
                        flag(now.order),
                        restart,
                        tabid,
                    ),
                )
                .map(drop)
                .map_err(failed)
        })?;
        self.forget_sequence(tabid)
    }
}

fn flag(set: bool) -> &'static str {
    if set { "1" } else { "0" }
}
