//! UPDATE STATISTICS: what the optimizer of a real server would read. Nothing here does, but tools look at it.
//!
//! Columns are those of the vendor's pages on SYSTABLES, SYSINDICES and SYSDISTRIB. The resolutions and confidences that
//! count when none are given are the documented defaults (MEDIUM 2.5 and 0.95, HIGH 0.5); histograms are not kept.

use informix_types::{Qualifier, TypeCode};

use super::super::errors::{self, Doing};
use super::super::session::Session;
use super::Definer;
use super::columns::positions;
use crate::catalog::model::{Column, IndexPart, Table, TableKind};
use crate::catalog::names::{Place, literal, quote};
use crate::catalog::read::Reader;
use crate::error::SqlResult;
use crate::expr;
use crate::sql::ast::{Distributions, StatisticsLevel, UpdateStatistics};

impl Session {
    pub(super) fn update_statistics(&mut self, what: &UpdateStatistics) -> SqlResult<()> {
        if what.routine.is_some() {
            return Ok(());
        }
        self.require_database()?;
        let tables = match &what.table {
            Some(name) => vec![self.named_table(name)?],
            None => self.base_tables()?,
        };
        let columns = match tables.as_slice() {
            [only] => positions(only, &what.columns)?,
            _ => Vec::new(),
        };
        self.define(&Place::Main, |definer| {
            let counted = tables
                .iter()
                .filter(|t| t.place == Place::Main && t.kind == TableKind::Base);
            for table in counted {
                if what.distributions != Distributions::Only {
                    definer.count_rows(table)?;
                    definer.count_keys(table)?;
                }
                definer.distribute(table, &columns, what)?;
            }
            Ok(())
        })
    }

    fn base_tables(&self) -> SqlResult<Vec<std::rc::Rc<Table>>> {
        let open = self.require_database()?;
        open.schema.validate(self.schema_generation(open));
        let reader = Reader {
            connection: &open.connection,
            place: Place::Main,
        };
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = reader
            .connection
            .prepare_cached("SELECT tabid FROM main.systables WHERE tabtype = 'T'")
            .map_err(failed)?;
        let numbers: Vec<i32> = statement
            .query_map([], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed)?;
        let mut tables = Vec::with_capacity(numbers.len());
        for tabid in numbers {
            tables.extend(open.schema.table_by_id(&open.connection, &Place::Main, tabid)?);
        }
        Ok(tables)
    }
}

impl Definer<'_> {
    fn count_rows(&self, table: &Table) -> SqlResult<()> {
        self.writer.run(&format!(
            "UPDATE main.systables SET nrows = (SELECT count(*) * 1.0 FROM {}), ustlowts = {} WHERE tabid = {}",
            table.sqlite_name(),
            now(),
            table.tabid
        ))
    }

    /// Rows of each index, and how many values its first column has.
    fn count_keys(&self, table: &Table) -> SqlResult<()> {
        for index in &table.indexes {
            let Some(IndexPart::Column { position, .. }) = index.parts.first() else {
                continue;
            };
            let physical = table.columns.get(*position).map(Column::physical);
            let unique = format!(
                "(SELECT count(DISTINCT {}) * 1.0 FROM {})",
                quote(&physical.unwrap_or_default()),
                table.sqlite_name()
            );
            let name = literal(&index.name);
            self.writer.run(&format!(
                "UPDATE main.sysindices SET nunique = {unique}, ustlowts = {},
                   nrows = (SELECT count(*) * 1.0 FROM {}) WHERE idxname = {name};
                 UPDATE main.sysindexes SET nunique = {unique} WHERE idxname = {name};",
                now(),
                table.sqlite_name()
            ))?;
        }
        Ok(())
    }

    /// Rows of `sysdistrib`: MEDIUM and HIGH make them, DROP DISTRIBUTIONS takes them away.
    fn distribute(&self, table: &Table, columns: &[usize], what: &UpdateStatistics) -> SqlResult<()> {
        let (mode, resolution, confidence) = match what.level {
            StatisticsLevel::Low if what.distributions != Distributions::Drop => return Ok(()),
            StatisticsLevel::Low => ("", 0.0, 0.0),
            StatisticsLevel::Medium => ("M", 2.5, 0.95),
            StatisticsLevel::High => ("H", 0.5, 1.0),
        };
        let resolution = what.resolution.unwrap_or(resolution);
        let confidence = what.confidence.unwrap_or(confidence);
        for (position, column) in table.columns.iter().enumerate() {
            let (tabid, colno) = (table.tabid, position + 1);
            if !columns.is_empty() && !columns.contains(&position) {
                continue;
            }
            self.writer.run(&format!(
                "DELETE FROM main.sysdistrib WHERE tabid = {tabid} AND colno = {colno}"
            ))?;
            let large = matches!(column.ty.code, TypeCode::Byte | TypeCode::Text);
            if mode.is_empty()
                || large
                || column.ty.is_lvarchar()
                || column.ty.is_blob()
                || column.ty.is_clob()
            {
                continue;
            }
            self.writer.run(&format!(
                "INSERT INTO main.sysdistrib (tabid, colno, seqno, constructed, mode, resolution, confidence, type,
                   smplsize, rowssmpld, constr_time, ustnrows, nupdates, ndeletes, ninserts)
                 SELECT {tabid}, {colno}, 1, {now}, '{mode}', {resolution:?}, {confidence:?}, 'A', 0.0, n, {now}, n,
                        0.0, 0.0, 0.0
                   FROM (SELECT count(*) * 1.0 AS n FROM {table})",
                now = now(),
                table = table.sqlite_name(),
            ))?;
        }
        Ok(())
    }
}

/// SQLite text of the current time as `YEAR TO FRACTION(5)` stores it.
fn now() -> String {
    expr::current(Some(Qualifier::YEAR_TO_FRACTION5)).sql
}
