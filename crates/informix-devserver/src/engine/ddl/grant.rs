//! GRANT, REVOKE. Privileges are kept in the catalog and shown there; nobody is kept from anything, as the users of a
//! development server are one another's friends.
//!
//! Patterns of letters and the meaning of `*` follow the vendor's pages on SYSTABAUTH, SYSCOLAUTH, SYSPROCAUTH and
//! SYSFRAGAUTH: a capital letter may be passed on, `*` says that privileges on single columns exist.

use rusqlite::ToSql;

use super::super::session::Session;
use super::columns::positions;
use super::{Definer, errors};
use crate::catalog::model::{Table, TableKind};
use crate::catalog::names::{Place, literal};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{DataType, Grant, GrantObject, Ident, ObjectName, Privilege};

/// A privilege by its word: its place in the pattern and its letter.
type Letters = &'static [(&'static str, usize, char)];

/// `systabauth.tabauth`.
const TABLE: Letters = &[
    ("select", 0, 's'),
    ("update", 1, 'u'),
    ("insert", 3, 'i'),
    ("delete", 4, 'd'),
    ("index", 5, 'x'),
    ("alter", 6, 'a'),
    ("references", 7, 'r'),
];
/// `syscolauth.colauth`.
const COLUMN: Letters = &[("select", 0, 's'), ("update", 1, 'u'), ("references", 2, 'r')];
/// `sysfragauth.fragauth`; the places are those of a published row (`-ui---`, `--id--`).
const FRAGMENT: Letters = &[("update", 1, 'u'), ("insert", 2, 'i'), ("delete", 3, 'd')];

/// What everybody may do with a new table.
const PUBLIC_PRIVILEGES: &str = "su-idx---";

/// Number of SPL in `sysroutinelangs`, as in `sysprocedures.langid`.
const SPL: i64 = 2;

/// What a statement changes, for one grantee.
struct Change<'a> {
    grantor: &'a str,
    grantee: &'a str,
    give: bool,
    option: bool,
}

impl Change<'_> {
    fn letter(&self, letter: char) -> char {
        match (self.give, self.option) {
            (false, _) => '-',
            (true, true) => letter.to_ascii_uppercase(),
            (true, false) => letter,
        }
    }

    /// A pattern after the change; privileges on single columns count only when `columns` is set.
    fn apply(&self, pattern: &str, letters: Letters, privileges: &[Privilege], columns: bool) -> String {
        let mut pattern: Vec<char> = pattern.chars().collect();
        for privilege in privileges.iter().filter(|p| columns || p.columns.is_empty()) {
            let name = privilege.name.name.as_str();
            for (word, place, letter) in letters {
                if (name == "all" || name == *word)
                    && let Some(slot) = pattern.get_mut(*place)
                {
                    *slot = self.letter(*letter);
                }
            }
        }
        pattern.into_iter().collect()
    }
}

/// A pattern without any privilege.
fn nothing(width: usize) -> String {
    "-".repeat(width)
}

impl Definer<'_> {
    /// A new table is everybody's, unless the database is ANSI or the client's environment says NODEFDAC=yes.
    pub(super) fn default_privileges(&self, table: &Table) -> SqlResult<()> {
        let environment = &self.session.options.environment;
        let kept = environment
            .iter()
            .any(|(name, value)| name == "NODEFDAC" && value.eq_ignore_ascii_case("yes"));
        if kept || table.place != Place::Main || self.session.require_database()?.mode().is_ansi() {
            return Ok(());
        }
        self.writer.run(&format!(
            "INSERT INTO main.systabauth VALUES ({}, 'public', {}, '{PUBLIC_PRIVILEGES}')",
            literal(&table.owner),
            table.tabid
        ))
    }

    /// A new view is its owner's, who may grant what he has (SchemaCrawler's record of a 14.10 server, `public-traces.md` 11).
    /// Which privileges those are for a view that can be changed through is documented for its table (D).
    pub(super) fn owner_privileges(&self, view: &Table, changeable: bool) -> SqlResult<()> {
        let word = if changeable { "SU-ID----" } else { "S--------" };
        let owner = literal(&view.owner);
        self.writer.run(&format!(
            "INSERT INTO main.systabauth VALUES ({owner}, {owner}, {}, '{word}')",
            view.tabid
        ))
    }

    fn execute(&self, sql: &str, values: &[&dyn ToSql]) -> SqlResult<usize> {
        let done = self.connection().execute(sql, values);
        done.map_err(|e| errors::translate(&e, super::Doing::Define))
    }

    /// The one text that a query gives; none when there is no row.
    fn word(&self, sql: &str, values: &[&dyn ToSql]) -> SqlResult<Option<String>> {
        let found = self.connection().query_row(sql, values, |row| row.get(0));
        found.map_err(|e| errors::translate(&e, super::Doing::Define))
    }

    fn change_table(&self, table: &Table, privileges: &[Privilege], change: &Change<'_>) -> SqlResult<()> {
        for position in 0..table.columns.len() {
            self.change_column(table, position, privileges, change)?;
        }
        let key: [&dyn ToSql; 3] = [&change.grantor, &change.grantee, &table.tabid];
        const KEY: &str = "grantor = ?1 AND grantee = ?2 AND tabid = ?3";
        let before = self.word(
            &format!("SELECT max(tabauth) FROM main.systabauth WHERE {KEY}"),
            &key,
        )?;
        let after = change.apply(&before.unwrap_or_else(|| nothing(9)), TABLE, privileges, false);
        let columns = self.word(
            &format!("SELECT max(colauth) FROM main.syscolauth WHERE {KEY}"),
            &key,
        )?;
        let mark = if columns.is_some() { "*" } else { "-" };
        let after = match (after.get(..2), after.get(3..)) {
            (Some(before), Some(behind)) => format!("{before}{mark}{behind}"),
            _ => after,
        };
        self.execute(&format!("DELETE FROM main.systabauth WHERE {KEY}"), &key)?;
        if after != nothing(9) {
            let row: [&dyn ToSql; 4] = [&change.grantor, &change.grantee, &table.tabid, &after];
            self.execute("INSERT INTO main.systabauth VALUES (?, ?, ?, ?)", &row)?;
        }
        Ok(())
    }

    /// Privileges on a column: those that name it, and on REVOKE also those on the whole table.
    fn change_column(
        &self,
        table: &Table,
        position: usize,
        privileges: &[Privilege],
        change: &Change<'_>,
    ) -> SqlResult<()> {
        let column = table.columns.get(position).map_or("", |c| c.name.as_str());
        let about: Vec<Privilege> = privileges
            .iter()
            .filter(|p| (p.columns.is_empty() && !change.give) || p.columns.iter().any(|c| c.name == column))
            .cloned()
            .collect();
        if about.is_empty() {
            return Ok(());
        }
        let colno = i64::try_from(position + 1).unwrap_or(i64::MAX);
        let key: [&dyn ToSql; 4] = [&change.grantor, &change.grantee, &table.tabid, &colno];
        const KEY: &str = "grantor = ?1 AND grantee = ?2 AND tabid = ?3 AND colno = ?4";
        let before = self.word(
            &format!("SELECT max(colauth) FROM main.syscolauth WHERE {KEY}"),
            &key,
        )?;
        let after = change.apply(&before.unwrap_or_else(|| nothing(3)), COLUMN, &about, true);
        self.execute(&format!("DELETE FROM main.syscolauth WHERE {KEY}"), &key)?;
        if after != nothing(3) {
            let row: [&dyn ToSql; 5] = [&change.grantor, &change.grantee, &table.tabid, &colno, &after];
            self.execute("INSERT INTO main.syscolauth VALUES (?, ?, ?, ?, ?)", &row)?;
        }
        Ok(())
    }

    fn change_fragments(
        &self,
        table: &Table,
        fragments: &[Ident],
        privileges: &[Privilege],
        change: &Change<'_>,
    ) -> SqlResult<()> {
        const KEY: &str = "grantor = ?1 AND grantee = ?2 AND tabid = ?3 AND fragment = ?4";
        let scheme = self.reader().scheme(table.tabid, None)?;
        let scheme = scheme
            .filter(|s| s.strategy == 'E')
            .ok_or_else(|| SqlError::new(-976).token(&table.name))?;
        for fragment in fragments {
            if !scheme.rows.iter().any(|row| row.partition == fragment.name) {
                return Err(SqlError::new(-775).at(fragment.span.start).token(&fragment.name));
            }
            let key: [&dyn ToSql; 4] = [&change.grantor, &change.grantee, &table.tabid, &fragment.name];
            let before = self.word(
                &format!("SELECT max(fragauth) FROM main.sysfragauth WHERE {KEY}"),
                &key,
            )?;
            let before = before.unwrap_or_else(|| nothing(6));
            let after = change.apply(&before, FRAGMENT, privileges, true);
            self.execute(&format!("DELETE FROM main.sysfragauth WHERE {KEY}"), &key)?;
            if after != nothing(6) {
                let row: [&dyn ToSql; 5] = [
                    &change.grantor,
                    &change.grantee,
                    &table.tabid,
                    &fragment.name,
                    &after,
                ];
                self.execute("INSERT INTO main.sysfragauth VALUES (?, ?, ?, ?, ?)", &row)?;
            }
        }
        Ok(())
    }

    /// A privilege that a single letter tells, as those on routines and languages do.
    fn change_letter(
        &self,
        (table, of, auth): (&str, &str, &str),
        id: i64,
        letter: char,
        change: &Change<'_>,
    ) -> SqlResult<()> {
        let key: [&dyn ToSql; 3] = [&change.grantor, &change.grantee, &id];
        self.execute(
            &format!("DELETE FROM main.{table} WHERE grantor = ? AND grantee = ? AND {of} = ?"),
            &key,
        )?;
        if change.give {
            let letter = String::from(change.letter(letter));
            let row: [&dyn ToSql; 4] = [&change.grantor, &change.grantee, &id, &letter];
            self.execute(
                &format!("INSERT INTO main.{table} (grantor, grantee, {of}, {auth}) VALUES (?, ?, ?, ?)"),
                &row,
            )?;
        }
        Ok(())
    }
}

impl Session {
    pub(super) fn grant(&mut self, grant: &Grant) -> SqlResult<()> {
        self.change_privileges(grant, true)
    }

    pub(super) fn revoke(&mut self, grant: &Grant) -> SqlResult<()> {
        self.change_privileges(grant, false)
    }

    fn change_privileges(&mut self, grant: &Grant, give: bool) -> SqlResult<()> {
        let grantor = grant
            .grantor
            .as_ref()
            .map_or_else(|| self.user().to_owned(), |g| g.name.clone());
        let target = self.privilege_target(grant)?;
        self.define(&Place::Main, |definer| {
            for grantee in &grant.grantees {
                let change = Change {
                    grantor: &grantor,
                    grantee: &grantee.name,
                    give,
                    option: grant.grant_option,
                };
                match &target {
                    Target::Database => definer.change_database(grant, &grantee.name, give)?,
                    Target::Table(table) => definer.change_table(table, &grant.privileges, &change)?,
                    Target::Fragments(table, fragments) => {
                        definer.change_fragments(table, fragments, &grant.privileges, &change)?;
                    }
                    Target::Routines(ids) => {
                        for id in ids {
                            let auth = ("sysprocauth", "procid", "procauth");
                            definer.change_letter(auth, *id, 'e', &change)?;
                        }
                    }
                    Target::Spl => {
                        let auth = ("syslangauth", "langid", "langauth");
                        definer.change_letter(auth, SPL, 'u', &change)?;
                    }
                    Target::Nothing => {}
                }
            }
            Ok(())
        })
    }

    fn privilege_target<'g>(&self, grant: &'g Grant) -> SqlResult<Target<'g>> {
        let table = |name: &ObjectName| -> SqlResult<Table> {
            let found = self.resolve_table(name)?;
            let found = found.ok_or_else(|| crate::analyze::unknown_table(name))?;
            Ok((*found).clone())
        };
        Ok(match &grant.object {
            None if grant.privileges.iter().any(|p| p.name.name == "usage spl") => Target::Spl,
            None if grant.privileges.iter().any(|p| p.name.name.starts_with("usage ")) => Target::Nothing,
            None => Target::Database,
            Some(GrantObject::Table(name)) => {
                let executes = grant.privileges.iter().any(|p| p.name.name == "execute");
                if executes && self.resolve_table(name)?.is_none() {
                    // GRANT EXECUTE ON f names a routine without the word for it.
                    return self.routine_target(name, None);
                }
                let table = table(name)?;
                if table.kind != TableKind::Sequence {
                    for privilege in &grant.privileges {
                        positions(&table, &privilege.columns)?;
                    }
                }
                Target::Table(Box::new(table))
            }
            Some(GrantObject::Fragments(name, fragments)) => {
                Target::Fragments(Box::new(table(name)?), fragments)
            }
            Some(GrantObject::Routine(name, types)) => self.routine_target(name, types.as_deref())?,
            Some(GrantObject::Language(name)) if name.name == "spl" => Target::Spl,
            Some(GrantObject::Type(_) | GrantObject::Language(_)) => Target::Nothing,
        })
    }

    fn routine_target<'g>(&self, name: &ObjectName, types: Option<&[DataType]>) -> SqlResult<Target<'g>> {
        let found = self.matching_routines(name, types)?;
        if found.is_empty() {
            return Err(SqlError::new(-674)
                .at(name.name.span.start)
                .token(&name.name.name));
        }
        Ok(Target::Routines(found.iter().map(|r| r.id).collect()))
    }
}

/// On what privileges are granted.
enum Target<'g> {
    Database,
    Table(Box<Table>),
    Fragments(Box<Table>, &'g [Ident]),
    Routines(Vec<i64>),
    Spl,
    /// Privileges that are not kept.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::Span;

    fn named(name: &str) -> Privilege {
        Privilege {
            name: Ident {
                name: name.to_owned(),
                quoted: false,
                span: Span::default(),
            },
            columns: Vec::new(),
            default_role: false,
        }
    }

    #[test]
    fn privilege_words() {
        let change = |give, option| Change {
            grantor: "a",
            grantee: "b",
            give,
            option,
        };
        let both = [named("select"), named("delete")];
        let given = change(true, false).apply(&nothing(9), TABLE, &both, false);
        assert_eq!(given, "s---d----");
        let taken = change(false, false).apply(&given, TABLE, &[named("select")], false);
        assert_eq!(taken, "----d----");
        let all = change(true, true).apply(&nothing(9), TABLE, &[named("all")], false);
        assert_eq!(all, "SU-IDXAR-");
        let fragment = change(true, false).apply(&nothing(6), FRAGMENT, &[named("insert")], true);
        assert_eq!(fragment, "--i---");
    }
}
