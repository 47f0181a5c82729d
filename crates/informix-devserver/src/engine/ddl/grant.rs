//! GRANT, REVOKE, roles. Privileges are kept in the catalog and shown there; nobody is kept from anything, as the
//! users of a development server are one another's friends.

use super::super::session::Session;
use super::drop::name_literal;
use crate::catalog::model::Table;
use crate::catalog::names::Place;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateRole, DropObject, Grant, GrantObject, Privilege};

/// Letters of `systabauth.tabauth`, in their places.
const TABLE_PRIVILEGES: [(&str, usize, char); 7] = [
    ("select", 0, 's'),
    ("update", 1, 'u'),
    ("insert", 3, 'i'),
    ("delete", 4, 'd'),
    ("index", 5, 'x'),
    ("alter", 6, 'a'),
    ("references", 7, 'r'),
];

/// No privilege at all.
const NOTHING: &str = "---------";

/// What everybody may do with a new table.
const PUBLIC_PRIVILEGES: &str = "su-idx---";

impl super::Definer<'_> {
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
            name_literal(&table.owner),
            table.tabid
        ))
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
        let table = match &grant.object {
            None => None,
            Some(GrantObject::Table(name)) => match self.resolve_table(name)? {
                Some(table) => Some(table),
                // GRANT EXECUTE ON f names a routine without the word for it.
                None if grant.privileges.iter().any(|p| p.name.name == "execute") => return Ok(()),
                None => return Err(crate::analyze::unknown_table(name)),
            },
            Some(GrantObject::Routine(..) | GrantObject::Type(_) | GrantObject::Language(_)) => return Ok(()),
        };
        let grantor = grant
            .grantor
            .as_ref()
            .map_or_else(|| self.user().to_owned(), |g| g.name.clone());
        self.define(&Place::Main, |definer| {
            for grantee in &grant.grantees {
                let who = name_literal(&grantee.name);
                match &table {
                    Some(table) => {
                        let id = table.tabid;
                        let grantor = name_literal(&grantor);
                        let known = format!("grantor = {grantor} AND grantee = {who} AND tabid = {id}");
                        let now = definer
                            .connection()
                            .query_row(
                                &format!("SELECT max(tabauth) FROM main.systabauth WHERE {known}"),
                                [],
                                |row| row.get::<_, Option<String>>(0),
                            )
                            .map_err(|e| super::errors::translate(&e, super::Doing::Define))?;
                        let word = now.unwrap_or_else(|| NOTHING.to_owned());
                        let word = changed(&word, &grant.privileges, give, grant.grant_option);
                        definer
                            .writer
                            .run(&format!("DELETE FROM main.systabauth WHERE {known}"))?;
                        if word != NOTHING {
                            definer.writer.run(&format!(
                                "INSERT INTO main.systabauth VALUES ({grantor}, {who}, {id}, '{word}')"
                            ))?;
                        }
                    }
                    None => {
                        for privilege in &grant.privileges {
                            definer
                                .writer
                                .run(&database_privilege(&privilege.name.name, &who, give))?;
                        }
                    }
                }
            }
            Ok(())
        })
    }

    pub(super) fn create_role(&mut self, role: &CreateRole) -> SqlResult<()> {
        let name = name_literal(&role.name.name);
        self.define(&Place::Main, |definer| {
            let known: i64 = definer
                .connection()
                .query_row(
                    &format!("SELECT count(*) FROM main.sysusers WHERE username = {name} AND usertype = 'G'"),
                    [],
                    |row| row.get(0),
                )
                .map_err(|e| super::errors::translate(&e, super::Doing::Define))?;
            match (known, role.if_not_exists) {
                (0, _) => definer.writer.run(&format!(
                    "INSERT INTO main.sysusers VALUES ({name}, 'G', 0, '', '')"
                )),
                (_, true) => Ok(()),
                _ => Err(SqlError::new(-19803).token(&role.name.name)),
            }
        })
    }

    pub(super) fn drop_role(&mut self, drop: &DropObject) -> SqlResult<()> {
        let role = drop.name.name.name.clone();
        let name = name_literal(&role);
        self.define(&Place::Main, |definer| {
            let removed = definer
                .connection()
                .execute(
                    &format!("DELETE FROM main.sysusers WHERE username = {name} AND usertype = 'G'"),
                    [],
                )
                .map_err(|e| super::errors::translate(&e, super::Doing::Define))?;
            if removed == 0 {
                return Err(SqlError::new(-19804).token(&role));
            }
            definer
                .writer
                .run(&format!("DELETE FROM main.sysroleauth WHERE rolename = {name}"))
        })
    }
}

/// A `tabauth` word after a GRANT or REVOKE; capitals are WITH GRANT OPTION.
fn changed(word: &str, privileges: &[Privilege], give: bool, option: bool) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.resize(NOTHING.len(), '-');
    for privilege in privileges {
        for (name, place, letter) in TABLE_PRIVILEGES {
            if (privilege.name.name == "all" || privilege.name.name == name)
                && let Some(slot) = letters.get_mut(place)
            {
                *slot = match (give, option) {
                    (false, _) => '-',
                    (true, true) => letter.to_ascii_uppercase(),
                    (true, false) => letter,
                };
            }
        }
        if !privilege.columns.is_empty()
            && let Some(slot) = letters.get_mut(2)
        {
            *slot = if give { '*' } else { '-' };
        }
    }
    letters.into_iter().collect()
}

/// CONNECT, RESOURCE, DBA, or the membership in a role.
fn database_privilege(privilege: &str, who: &str, give: bool) -> String {
    let kind = match privilege {
        "dba" => "D",
        "resource" => "R",
        "connect" => "C",
        role => {
            let role = name_literal(role);
            let gone = format!("DELETE FROM main.sysroleauth WHERE rolename = {role} AND grantee = {who};");
            return if give {
                format!("{gone} INSERT INTO main.sysroleauth VALUES ({role}, {who}, 'n')")
            } else {
                gone
            };
        }
    };
    let gone = format!("DELETE FROM main.sysusers WHERE username = {who} AND usertype <> 'G';");
    if give {
        format!("{gone} INSERT INTO main.sysusers VALUES ({who}, '{kind}', 5, '', '')")
    } else {
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::{Ident, Span};

    #[test]
    fn privilege_words() {
        let named = |name: &str| Privilege {
            name: Ident {
                name: name.to_owned(),
                quoted: false,
                span: Span::default(),
            },
            columns: Vec::new(),
            default_role: false,
        };
        assert_eq!(
            changed(NOTHING, &[named("select"), named("delete")], true, false),
            "s---d----"
        );
        assert_eq!(
            changed("s---d----", &[named("select")], false, false),
            "----d----"
        );
        assert_eq!(changed(NOTHING, &[named("all")], true, true), "SU-IDXAR-");
    }
}
