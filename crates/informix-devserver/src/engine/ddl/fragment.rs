//! FRAGMENT BY of tables and indexes, and ALTER FRAGMENT: the catalog keeps the scheme, rows stay where they are.

use super::super::session::Session;
use super::Definer;
use super::alter::{RAW, ROWIDS, describe, set_flag};
use super::columns::row_info;
use crate::analyze;
use crate::catalog::fragments::{INTERVAL, KEY, REMAINDER, ROLLING, SPACES, Scheme, SchemeRow};
use crate::catalog::model::{Table, TableKind};
use crate::catalog::names::{Place, literal};
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    AlterFragment, CreateIndex, CreateTable, Fragment, FragmentAction, FragmentRows, FragmentStrategy,
    Fragmentation, Ident, TableKind as TableType,
};

impl Session {
    /// The scheme that a statement describes.
    ///
    /// # Errors
    /// As its conditions; -773, -774, -858, -870, -871 for fragments that do not fit together.
    pub(super) fn scheme(&self, table: &Table, written: &Fragmentation, text: &str) -> SqlResult<Scheme> {
        let mut rows = Vec::new();
        let strategy = match &written.strategy {
            FragmentStrategy::RoundRobin => 'R',
            FragmentStrategy::Expression => 'E',
            FragmentStrategy::List(key) => {
                analyze::row_value(key, &row_info(table), self)?;
                rows.push(SchemeRow::about(KEY, key.span.text(text)));
                'L'
            }
            FragmentStrategy::Range(range) => {
                analyze::row_value(&range.key, &row_info(table), self)?;
                rows.push(SchemeRow::about(KEY, range.key.span.text(text)));
                if let Some(size) = &range.size {
                    rows.push(SchemeRow::about(INTERVAL, size.span.text(text)));
                }
                if !range.spaces.is_empty() {
                    let spaces: Vec<&str> = range.spaces.iter().map(|s| s.name.as_str()).collect();
                    rows.push(SchemeRow::about(SPACES, spaces.join(", ")));
                }
                if let Some(rolling) = &range.rolling {
                    rows.push(SchemeRow {
                        limit: rolling.fragments,
                        ..SchemeRow::about(ROLLING, rolling.span.text(text))
                    });
                }
                'N'
            }
        };
        let mut scheme = Scheme { strategy, rows };
        for fragment in &written.fragments {
            let row = self.scheme_row(table, strategy, fragment, text)?;
            scheme.rows.push(row);
        }
        scheme.renumber();
        check(&scheme).map_err(|e| e.at(written.span.start))?;
        Ok(scheme)
    }

    fn scheme_row(
        &self,
        table: &Table,
        strategy: char,
        fragment: &Fragment,
        text: &str,
    ) -> SqlResult<SchemeRow> {
        let at = fragment.span.start;
        let said = match &fragment.rows {
            FragmentRows::Any if strategy == 'R' => None,
            FragmentRows::Any => return Err(SqlError::new(-773).at(at)),
            _ if strategy == 'R' => return Err(SqlError::new(-774).at(at)),
            FragmentRows::Remainder => Some(REMAINDER.to_owned()),
            FragmentRows::Where(condition) if strategy == 'E' => {
                analyze::row_condition(condition, &row_info(table), self)?;
                Some(condition_text(condition.span.text(text)))
            }
            FragmentRows::Values(span) if strategy != 'E' => Some(span.text(text).to_owned()),
            FragmentRows::Where(_) | FragmentRows::Values(_) => {
                return Err(SqlError::new(-201)
                    .at(at)
                    .because("such a fragment belongs to another distribution scheme"));
            }
        };
        let dbspace = fragment.dbspace.name.clone();
        Ok(SchemeRow {
            position: 0,
            text: said,
            partition: fragment
                .name
                .as_ref()
                .map_or_else(|| dbspace.clone(), |n| n.name.clone()),
            dbspace,
            limit: 0,
        })
    }

    pub(super) fn alter_fragment(&mut self, alter: &AlterFragment, text: &str) -> SqlResult<()> {
        let (table, index) = self.fragmented(alter)?;
        if table.place == Place::Temp {
            return Err(SqlError::new(-781).token(&table.name));
        }
        if let FragmentAction::Detach(fragment, to) = &alter.action {
            return self.detach_fragment(&table, fragment, to);
        }
        let index = index.as_deref();
        self.define(&table.place.clone(), |definer| {
            let before = definer.reader().scheme(table.tabid, index)?;
            let scheme = definer.session.changed(&table, before, &alter.action, text)?;
            if let (FragmentAction::Gather(Some(space)), None) = (&alter.action, index) {
                definer.writer.keep_space(table.tabid, &space.name)?;
            }
            match index {
                Some(_) => definer.writer.write_scheme(table.tabid, index, scheme.as_ref()),
                None => definer
                    .writer
                    .fragment_table(table.tabid, scheme.as_ref().filter(|s| s.strategy != 'I')),
            }
        })
    }

    /// The table that ALTER FRAGMENT is about, and the name of the index.
    fn fragmented(&self, alter: &AlterFragment) -> SqlResult<(Table, Option<String>)> {
        let at = alter.name.name.span.start;
        let name = &alter.name.name.name;
        let found = if alter.index {
            let place = self.place_to_create(&alter.name)?;
            let open = self.require_database()?;
            open.schema.validate(self.schema_generation(open));
            let reader = crate::catalog::read::Reader {
                connection: &open.connection,
                place: place.clone(),
            };
            let missing = || SqlError::new(-319).at(at).token(name);
            let tabid = reader.index_table(name)?.ok_or_else(missing)?;
            reader.table(tabid)?.ok_or_else(missing)?
        } else {
            (*self.named_table(&alter.name)?).clone()
        };
        if found.kind != TableKind::Base || (found.place == Place::Main && found.tabid < FIRST_USER_TABLE) {
            return Err(SqlError::new(-206).isam(-111).at(at).token(&found.name));
        }
        Ok((found, alter.index.then(|| name.clone())))
    }

    fn changed(
        &self,
        table: &Table,
        before: Option<Scheme>,
        action: &FragmentAction,
        text: &str,
    ) -> SqlResult<Option<Scheme>> {
        match action {
            FragmentAction::Init(written) => return self.scheme(table, written, text).map(Some),
            FragmentAction::Gather(space) => {
                let space = space
                    .as_ref()
                    .map_or(crate::catalog::fragments::ROOT_SPACE, |s| s.name.as_str());
                return Ok(Some(Scheme::single(space)));
            }
            _ => {}
        }
        let fragmented = before.filter(|scheme| !matches!(scheme.strategy, 'I' | 'T'));
        let mut scheme = fragmented.ok_or_else(|| SqlError::new(-780).token(&table.name))?;
        match action {
            FragmentAction::Add(fragment, place) => {
                let row = self.scheme_row(table, scheme.strategy, fragment, text)?;
                let at = match place {
                    Some((after, other)) => position(&scheme, other)? + usize::from(*after),
                    // A remainder stays the last one.
                    None if scheme.rows.last().is_some_and(SchemeRow::is_remainder)
                        && !row.is_remainder() =>
                    {
                        scheme.rows.len() - 1
                    }
                    None => scheme.rows.len(),
                };
                scheme.rows.insert(at, row);
            }
            FragmentAction::Drop(name) => {
                let at = position(&scheme, name)?;
                scheme.rows.remove(at);
            }
            FragmentAction::Modify(changes) => {
                for (name, fragment) in changes {
                    let at = position(&scheme, name)?;
                    let mut row = self.scheme_row(table, scheme.strategy, fragment, text)?;
                    if let Some(slot) = scheme.rows.get_mut(at) {
                        // `MODIFY PARTITION p TO … IN d` without a new name keeps the old one.
                        if fragment.name.is_none() && slot.partition != slot.dbspace {
                            row.partition.clone_from(&slot.partition);
                        }
                        *slot = row;
                    }
                }
            }
            FragmentAction::Init(_) | FragmentAction::Gather(_) | FragmentAction::Detach(..) => {}
        }
        scheme.renumber();
        check(&scheme)?;
        Ok(Some(scheme))
    }
}

impl Definer<'_> {
    /// Writes what CREATE TABLE says about storage.
    pub(super) fn write_storage(&self, table: &Table, create: &CreateTable, text: &str) -> SqlResult<()> {
        if *self.place() == Place::Temp {
            return Ok(());
        }
        let options = &create.options;
        if options.rowids {
            set_flag(self, table, ROWIDS, true)?;
        }
        if create.kind == TableType::Raw {
            set_flag(self, table, RAW, true)?;
        }
        for (column, size) in [("fextsize", options.extent_size), ("nextsize", options.next_size)] {
            if let Some(size) = size {
                describe(self, table, &format!("{column} = {size}"))?;
            }
        }
        if let Some(space) = &options.dbspace {
            self.writer.keep_space(table.tabid, space)?;
        }
        match &options.fragmentation {
            Some(written) => {
                let scheme = self.session.scheme(table, written, text)?;
                self.writer.fragment_table(table.tabid, Some(&scheme))
            }
            None => Ok(()),
        }
    }
}

impl Definer<'_> {
    /// Writes what CREATE INDEX says about storage and mode.
    pub(super) fn index_storage(&self, table: &Table, create: &CreateIndex, text: &str) -> SqlResult<()> {
        if *self.place() == Place::Temp {
            return Ok(());
        }
        let name = create.name.name.name.as_str();
        if create.disabled {
            self.writer.run(&format!(
                "UPDATE {} SET state = 'D' WHERE objtype = 'I' AND name = {}",
                self.place().catalog("sysobjstate"),
                literal(name)
            ))?;
        }
        let scheme = match (&create.fragmentation, &create.dbspace) {
            (Some(written), _) => self.session.scheme(table, written, text)?,
            (None, Some(space)) if space.name != "table" => Scheme::single(&space.name),
            _ => return Ok(()),
        };
        self.writer.write_scheme(table.tabid, Some(name), Some(&scheme))
    }
}

/// Where the fragment of a name stands among the rows.
pub(super) fn position(scheme: &Scheme, name: &Ident) -> SqlResult<usize> {
    scheme
        .rows
        .iter()
        .position(|row| row.is_fragment() && row.partition == name.name)
        .ok_or_else(|| SqlError::new(-775).at(name.span.start).token(&name.name))
}

/// The server shows a condition in parentheses, with a blank at its end.
fn condition_text(written: &str) -> String {
    format!("({} )", written.trim())
}

fn check(scheme: &Scheme) -> SqlResult<()> {
    let fragments: Vec<&SchemeRow> = scheme.rows.iter().filter(|row| row.is_fragment()).collect();
    let Some((last, others)) = fragments.split_last() else {
        return Err(SqlError::new(-860));
    };
    if others.iter().any(|row| row.is_remainder()) {
        return Err(SqlError::new(if last.is_remainder() { -870 } else { -871 }));
    }
    for (number, row) in fragments.iter().enumerate() {
        let twice = fragments
            .iter()
            .skip(number + 1)
            .any(|r| r.partition == row.partition);
        if twice {
            return Err(SqlError::new(-858).token(&row.partition));
        }
    }
    Ok(())
}
