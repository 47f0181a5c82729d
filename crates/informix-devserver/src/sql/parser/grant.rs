//! GRANT and REVOKE (`informix-sql.md` 7).

use super::super::ast::{Grant, GrantObject, Ident, Privilege, StatementKind};
use super::Parser;
use crate::error::SqlResult;

impl Parser<'_> {
    pub(super) fn grant(&mut self, revoke: bool) -> SqlResult<StatementKind> {
        self.advance();
        if revoke {
            self.accept_all(&["grant", "option", "for"]);
        }
        let fragments = self.is("fragment") && self.is_name_at(1) && !self.is_word_at(1, "to");
        if fragments {
            self.advance();
        }
        let privileges = self.list(Self::privilege)?;
        let object = if fragments {
            self.expect("on")?;
            let table = self.object_name()?;
            Some(GrantObject::Fragments(table, self.ident_list()?))
        } else if self.accept("on") {
            Some(self.grant_object()?)
        } else {
            None
        };
        self.expect(if revoke { "from" } else { "to" })?;
        let grantees = self.list(|p| {
            if p.is_any(&["role", "user"]) && p.is_any_name_at(1) {
                p.advance();
            }
            p.any_ident()
        })?;
        let mut grant = Grant {
            privileges,
            object,
            grantees,
            grant_option: false,
            grantor: None,
            cascade: None,
        };
        loop {
            if self.accept_all(&["with", "grant", "option"]) || self.accept_all(&["with", "admin", "option"])
            {
                grant.grant_option = true;
            } else if self.accept("as") {
                grant.grantor = Some(self.any_ident()?);
            } else if let Some(cascade) = self.cascade() {
                grant.cascade = Some(cascade);
            } else {
                break;
            }
        }
        Ok(if revoke {
            StatementKind::Revoke(grant)
        } else {
            StatementKind::Grant(grant)
        })
    }

    fn privilege(&mut self) -> SqlResult<Privilege> {
        let default_role = self.accept_all(&["default", "role"]);
        if default_role && self.is("from") {
            return Ok(Privilege {
                name: self.make_ident(self.nth(0))?,
                columns: Vec::new(),
                default_role,
            });
        }
        let mut name: Ident = self.any_ident()?;
        if name.name == "all" {
            self.accept("privileges");
        } else if name.name == "usage" && self.accept_all(&["on", "language"]) {
            let language = self.ident()?;
            name.name = format!("usage {}", language.name);
        }
        let columns = self.optional_ident_list()?;
        Ok(Privilege {
            name,
            columns,
            default_role,
        })
    }

    fn grant_object(&mut self) -> SqlResult<GrantObject> {
        if self.is_any(&["procedure", "function", "routine"]) && self.is_any_name_at(1) {
            self.advance();
            let name = self.object_name()?;
            return Ok(GrantObject::Routine(name, self.signature()?));
        }
        if self.is("type") && self.is_any_name_at(1) && !self.is_word_at(1, "to") {
            self.advance();
            return Ok(GrantObject::Type(self.object_name()?));
        }
        if self.is("language") && self.is_name_at(1) && !self.is_word_at(1, "to") {
            self.advance();
            return Ok(GrantObject::Language(self.ident()?));
        }
        Ok(GrantObject::Table(self.object_name()?))
    }
}
