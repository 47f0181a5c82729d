//! Roles, and privileges on the database: CONNECT, RESOURCE, DBA.

use super::super::session::Session;
use super::{Definer, errors};
use crate::catalog::names::{Place, literal};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateRole, DropObject, Grant, Privilege};

impl Definer<'_> {
    fn count(&self, sql: &str) -> SqlResult<i64> {
        let found = self.connection().query_row(sql, [], |row| row.get(0));
        found.map_err(|e| errors::translate(&e, super::Doing::Define))
    }

    fn has_role(&self, role: &str) -> SqlResult<bool> {
        let sql = format!(
            "SELECT count(*) FROM main.sysusers WHERE username = {} AND usertype = 'G'",
            literal(role)
        );
        self.count(&sql).map(|n| n > 0)
    }

    /// CONNECT, RESOURCE, DBA, membership in a role, or the role that a user begins with.
    pub(super) fn change_database(&self, grant: &Grant, who: &str, give: bool) -> SqlResult<()> {
        for privilege in &grant.privileges {
            match privilege.name.name.as_str() {
                _ if privilege.default_role => self.change_default_role(privilege, who, give)?,
                "dba" => self.change_rank(who, 'D', give)?,
                "resource" => self.change_rank(who, 'R', give)?,
                "connect" => self.change_rank(who, 'C', give)?,
                role => {
                    if !self.has_role(role)? {
                        return Err(SqlError::new(-19804).at(privilege.name.span.start).token(role));
                    }
                    self.change_membership(role, who, give, grant.grant_option)?;
                }
            }
        }
        Ok(())
    }

    /// The highest privilege of a user is the one that counts; who loses DBA or RESOURCE may still connect.
    fn change_rank(&self, who: &str, kind: char, give: bool) -> SqlResult<()> {
        const RANKS: &str = "CRD";
        let who = literal(who);
        let known = format!("main.sysusers WHERE username = {who} AND usertype <> 'G'");
        let has = self.count(&format!(
            "SELECT coalesce(max(instr('{RANKS}', usertype)), 0) FROM {known}"
        ))?;
        let rank = |kind: char| {
            RANKS
                .find(kind)
                .and_then(|at| i64::try_from(at + 1).ok())
                .unwrap_or(0)
        };
        let wanted = if give {
            rank(kind).max(has)
        } else if has == rank(kind) && kind != 'C' {
            rank('C')
        } else if kind == 'C' {
            0
        } else {
            has
        };
        let letter = usize::try_from(wanted - 1)
            .ok()
            .and_then(|at| RANKS.chars().nth(at));
        match letter {
            // Who has a default role stays known by it.
            None => self.writer.run(&format!(
                "DELETE FROM {known} AND defrole = ''; UPDATE main.sysusers SET usertype = 'U'
                   WHERE username = {who} AND usertype <> 'G';"
            )),
            Some(letter) => self.writer.run(&format!(
                "INSERT INTO main.sysusers SELECT {who}, 'U', 5, '', '' WHERE NOT EXISTS (SELECT 1 FROM {known});
                 UPDATE main.sysusers SET usertype = '{letter}' WHERE username = {who} AND usertype <> 'G';"
            )),
        }
    }

    /// `is_grantable` is Y or N (vendor's page on SYSROLEAUTH).
    fn change_membership(&self, role: &str, who: &str, give: bool, option: bool) -> SqlResult<()> {
        let (role, who) = (literal(role), literal(who));
        self.writer.run(&format!(
            "DELETE FROM main.sysroleauth WHERE rolename = {role} AND grantee = {who}"
        ))?;
        if !give {
            return Ok(());
        }
        let grantable = if option { "Y" } else { "N" };
        self.writer.run(&format!(
            "INSERT INTO main.sysroleauth VALUES ({role}, {who}, '{grantable}')"
        ))
    }

    /// The user gets a row of type U when there is none: a default role alone does not let anybody connect.
    fn change_default_role(&self, privilege: &Privilege, who: &str, give: bool) -> SqlResult<()> {
        let role = if give { privilege.name.name.as_str() } else { "" };
        if give {
            if !self.has_role(role)? {
                return Err(SqlError::new(-19804).at(privilege.name.span.start).token(role));
            }
            self.change_membership(role, who, true, false)?;
        }
        let (role, who) = (literal(role), literal(who));
        self.writer.run(&format!(
            "UPDATE main.sysusers SET defrole = {role} WHERE username = {who} AND usertype <> 'G';
             DELETE FROM main.sysusers WHERE username = {who} AND usertype = 'U' AND defrole = '';"
        ))?;
        if give {
            self.writer.run(&format!(
                "INSERT INTO main.sysusers SELECT {who}, 'U', 5, '', {role} WHERE NOT EXISTS
                   (SELECT 1 FROM main.sysusers WHERE username = {who} AND usertype <> 'G')"
            ))?;
        }
        Ok(())
    }
}

impl Session {
    pub(super) fn create_role(&mut self, role: &CreateRole) -> SqlResult<()> {
        self.define(&Place::Main, |definer| {
            match (definer.has_role(&role.name.name)?, role.if_not_exists) {
                (false, _) => definer.writer.run(&format!(
                    "INSERT INTO main.sysusers VALUES ({}, 'G', 0, '', '')",
                    literal(&role.name.name)
                )),
                (true, true) => Ok(()),
                _ => Err(SqlError::new(-19803).token(&role.name.name)),
            }
        })
    }

    pub(super) fn drop_role(&mut self, drop: &DropObject) -> SqlResult<()> {
        let role = &drop.name.name.name;
        self.define(&Place::Main, |definer| {
            if !definer.has_role(role)? {
                return Err(SqlError::new(-19804).token(role));
            }
            let name = literal(role);
            definer.writer.run(&format!(
                "DELETE FROM main.sysusers WHERE username = {name} AND usertype = 'G';
                 UPDATE main.sysusers SET defrole = '' WHERE defrole = {name};
                 DELETE FROM main.sysroleauth WHERE rolename = {name};"
            ))
        })
    }
}
