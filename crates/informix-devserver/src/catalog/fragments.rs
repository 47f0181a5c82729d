//! `sysfragments`: how tables and indexes are spread over dbspaces. Only the catalog tells: rows are stored as ever.
//!
//! Evidence: the vendor's SYSFRAGMENTS page (strategies, negative `evalpos` of LIST and RANGE schemes); the form of
//! `exprtext` from a published row, `(state = 'AZ' )`, and from scripts that compare it with `remainder`. What the
//! columns hold for attached indexes, and the texts of `VALUES`, keys and intervals, are unconfirmed.

use rusqlite::types::Value;

use super::names::{Place, literal};
use super::read::Reader;
use super::write::{FIRST_PARTNUM, Writer};
use crate::error::SqlResult;

/// The dbspace of what names none.
pub(crate) const ROOT_SPACE: &str = "rootdbs";

/// Numbers of partitions of fragments; those of tables count from 0x0010_0000 in the same dbspace.
const FIRST_PARTITION: i64 = 0x0018_0000;

/// `evalpos` of rows that describe the scheme.
pub(crate) const SPACES: i64 = -1;
pub(crate) const INTERVAL: i64 = -2;
pub(crate) const KEY: i64 = -3;
pub(crate) const ROLLING: i64 = -4;

/// `exprtext` of REMAINDER.
pub(crate) const REMAINDER: &str = "remainder";

/// A distribution scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scheme {
    /// `sysfragments.strategy`: R round robin, E expression, L list, N range, I one dbspace, T as the table.
    pub(crate) strategy: char,
    /// Rows of the key, the interval and the spaces, before those of the fragments.
    pub(crate) rows: Vec<SchemeRow>,
}

/// A row of `sysfragments`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemeRow {
    pub(crate) position: i64,
    pub(crate) text: Option<String>,
    pub(crate) dbspace: String,
    pub(crate) partition: String,
    /// Most fragments of a rolling window, in its `colno`.
    pub(crate) limit: i64,
}

impl SchemeRow {
    /// A row about the scheme as a whole.
    pub(crate) fn about(position: i64, text: impl Into<String>) -> Self {
        Self {
            position,
            text: Some(text.into()),
            dbspace: String::new(),
            partition: String::new(),
            limit: 0,
        }
    }

    pub(crate) fn is_fragment(&self) -> bool {
        self.position >= 0
    }

    pub(crate) fn is_remainder(&self) -> bool {
        self.text.as_deref() == Some(REMAINDER)
    }
}

impl Scheme {
    /// All in one dbspace.
    pub(crate) fn single(dbspace: &str) -> Self {
        Self {
            strategy: 'I',
            rows: vec![SchemeRow {
                position: 0,
                text: None,
                dbspace: dbspace.to_owned(),
                partition: dbspace.to_owned(),
                limit: 0,
            }],
        }
    }

    /// What an index says that goes with its table.
    fn attached(table: &Self) -> Self {
        let fragments = table.rows.iter().filter(|row| row.is_fragment());
        Self {
            strategy: 'T',
            rows: fragments
                .map(|row| SchemeRow {
                    text: None,
                    ..row.clone()
                })
                .collect(),
        }
    }

    /// Counts the fragments again after one has come or gone.
    pub(crate) fn renumber(&mut self) {
        let fragments = self.rows.iter_mut().filter(|row| row.is_fragment());
        for (position, row) in (0..).zip(fragments) {
            row.position = position;
        }
    }
}

/// SQLite text of the dbspace of a partition number: `DBINFO('dbspace', n)`.
pub(crate) fn space_of(partition: &str) -> String {
    format!(
        "coalesce((SELECT dbspace FROM main.sysfragments WHERE partn = {partition} AND evalpos >= 0), \
         (SELECT sql FROM main.\"$texts\" WHERE kind = 'dbspace' AND id = {partition} - {FIRST_PARTNUM}), \
         '{ROOT_SPACE}')"
    )
}

impl Writer<'_> {
    /// Gives a table, or one of its indexes, its scheme; none means that it is not fragmented.
    pub(crate) fn write_scheme(
        &self,
        tabid: i32,
        index: Option<&str>,
        scheme: Option<&Scheme>,
    ) -> SqlResult<()> {
        let fragments = self.place.catalog("sysfragments");
        let kind = if index.is_some() { "I" } else { "T" };
        let name = index.unwrap_or_default();
        self.run(&format!(
            "DELETE FROM {fragments} WHERE fragtype = '{kind}' AND tabid = {tabid} AND indexname = {}",
            literal(name)
        ))?;
        let Some(scheme) = scheme else { return Ok(()) };
        let strategy = String::from(scheme.strategy);
        let mut partition = self.number(&format!(
            "SELECT max(coalesce(max(partn), 0) + 1, {FIRST_PARTITION}) FROM {fragments}"
        ))?;
        let null = Value::Null;
        for row in &scheme.rows {
            let text = row.text.as_ref().map(String::as_bytes);
            let number = if row.is_fragment() { partition } else { 0 };
            self.insert(
                "sysfragments",
                &[
                    &kind,
                    &tabid,
                    &name,
                    &row.limit,
                    &number,
                    &strategy,
                    &"L",
                    &"",
                    &row.position,
                    &text,
                    &null,
                    &null,
                    &0,
                    &row.dbspace,
                    &i32::from(index.is_some()),
                    &0.0,
                    &0.0,
                    &0.0,
                    &row.partition,
                    &0,
                    &0.0,
                    &0.0,
                    &0.0,
                ],
            )?;
            partition += i64::from(row.is_fragment());
        }
        Ok(())
    }

    /// The scheme of a new index: that of its table, or one dbspace. An index that is built again keeps its own.
    pub(super) fn default_scheme(&self, tabid: i32, index: &str) -> SqlResult<()> {
        // Temporary tables have no catalog of their own to look at.
        if self.place == Place::Temp || self.reader().scheme(tabid, Some(index))?.is_some() {
            return Ok(());
        }
        let scheme = match self.reader().scheme(tabid, None)? {
            Some(table) => Scheme::attached(&table),
            None => Scheme::single(ROOT_SPACE),
        };
        self.write_scheme(tabid, Some(index), Some(&scheme))
    }

    /// Changes the scheme of a table. A fragmented one has no partition number of its own; indexes that go with it
    /// follow.
    pub(crate) fn fragment_table(&self, tabid: i32, scheme: Option<&Scheme>) -> SqlResult<()> {
        self.write_scheme(tabid, None, scheme)?;
        let partnum = match scheme {
            Some(_) => 0,
            None => FIRST_PARTNUM + i64::from(tabid),
        };
        self.run(&format!(
            "UPDATE {} SET partnum = {partnum}, version = version + 1 WHERE tabid = {tabid}",
            self.place.catalog("systables")
        ))?;
        for index in self.reader().index_names(tabid)? {
            let follows = self
                .reader()
                .scheme(tabid, Some(&index))?
                .is_none_or(|own| own.strategy == 'T' || own == Scheme::single(ROOT_SPACE));
            if follows {
                self.write_scheme(tabid, Some(&index), None)?;
                self.default_scheme(tabid, &index)?;
            }
        }
        Ok(())
    }

    /// Remembers the dbspace of a table that is not fragmented; the catalog shows it only through its partition number.
    pub(crate) fn keep_space(&self, tabid: i32, space: &str) -> SqlResult<()> {
        self.keep_text("dbspace", i64::from(tabid), 0, space)
    }

    fn reader(&self) -> Reader<'_> {
        Reader {
            connection: self.connection,
            place: self.place.clone(),
        }
    }
}

impl Reader<'_> {
    /// The scheme of a table or of one of its indexes.
    pub(crate) fn scheme(&self, tabid: i32, index: Option<&str>) -> SqlResult<Option<Scheme>> {
        let kind = if index.is_some() { "I" } else { "T" };
        let sql = format!(
            "SELECT strategy, evalpos, CAST(exprtext AS TEXT), dbspace, \"partition\", colno FROM {}
              WHERE fragtype = ? AND tabid = ? AND indexname = ? ORDER BY rowid",
            self.place.catalog("sysfragments")
        );
        let found = self.rows(&sql, &[&kind, &tabid, &index.unwrap_or_default()], |row| {
            let scheme_row = SchemeRow {
                position: row.get(1)?,
                text: row.get(2)?,
                dbspace: row.get(3)?,
                partition: row.get(4)?,
                limit: row.get(5)?,
            };
            Ok((row.get::<_, String>(0)?, scheme_row))
        })?;
        let Some((strategy, _)) = found.first() else {
            return Ok(None);
        };
        Ok(Some(Scheme {
            strategy: strategy.chars().next().unwrap_or('I'),
            rows: found.into_iter().map(|(_, row)| row).collect(),
        }))
    }

    fn index_names(&self, tabid: i32) -> SqlResult<Vec<String>> {
        let sql = format!(
            "SELECT idxname FROM {} WHERE tabid = ? ORDER BY rowid",
            self.place.catalog("sysindices")
        );
        self.rows(&sql, &[&tabid], |row| row.get(0))
    }
}
