//! CREATE VIEW, CREATE SYNONYM.

use super::super::session::Session;
use crate::analyze;
use crate::catalog::model::{Column, SynonymTarget, Table, TableKind};
use crate::catalog::names::Place;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateSynonym, CreateView, Statement, StatementKind};

impl Session {
    pub(super) fn create_view(&mut self, create: &CreateView, text: &str) -> SqlResult<()> {
        let place = self.place_to_create(&create.name)?;
        if self.name_taken(&place, &create.name)? {
            return if create.if_not_exists {
                Ok(())
            } else {
                Err(taken(&create.name))
            };
        }
        let outputs = analyze::view_columns(&create.query, &create.columns, self)?;
        let columns: Vec<Column> = outputs
            .into_iter()
            .map(|output| Column {
                name: output.name,
                ty: output.ty,
                default: None,
                by_primary_key: false,
            })
            .collect();
        let reads = analyze::plan(&select_of(create), self)?.reads;
        let owner = self.owner_for(&create.name);
        let name = create.name.name.name.clone();
        let query = create.query.span.text(text).to_owned();
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        let check = if create.check_option {
            " with check option"
        } else {
            ""
        };
        let shown = format!(
            "create view \"{owner}\".{name} ({}) as {query}{check};",
            names.join(",")
        );
        let mut bases: Vec<(i64, &str)> = reads
            .iter()
            .filter(|t| !t.is_temporary())
            .map(|t| (t.id, if t.view.is_some() { "V" } else { "T" }))
            .collect();
        bases.sort_unstable();
        bases.dedup();
        self.define(&place, |definer| {
            let mut table = Table {
                place: place.clone(),
                tabid: definer.writer.next_tabid()?,
                name,
                owner,
                kind: TableKind::View {
                    text: shown,
                    query,
                    check_option: create.check_option,
                },
                lock_level: 'P',
                columns,
                constraints: Vec::new(),
                indexes: Vec::new(),
            };
            definer.writer.create(&mut table)?;
            definer.owner_privileges(&table, analyze::is_changeable(&create.query))?;
            for (base, kind) in bases {
                definer.writer.run(&format!(
                    "INSERT INTO main.sysdepend VALUES ({base}, '{kind}', {}, 'V')",
                    table.tabid
                ))?;
            }
            Ok(())
        })
    }

    pub(super) fn create_synonym(&mut self, create: &CreateSynonym) -> SqlResult<()> {
        let place = self.place_to_create(&create.name)?;
        if self.name_taken(&place, &create.name)? {
            return if create.if_not_exists {
                Ok(())
            } else {
                Err(taken(&create.name))
            };
        }
        let target = self.named_table(&create.target)?;
        let to = match &target.place {
            Place::Temp => return Err(SqlError::new(-510).token(&target.name)),
            Place::Main => SynonymTarget::Local(target.tabid),
            Place::Attached(database) => SynonymTarget::Remote {
                database: database.clone(),
                owner: target.owner.clone(),
                table: target.name.clone(),
            },
        };
        let owner = self.owner_for(&create.name);
        let name = create.name.name.name.clone();
        self.define(&place, |definer| {
            let mut table = Table {
                place: place.clone(),
                tabid: definer.writer.next_tabid()?,
                name,
                owner,
                kind: TableKind::Synonym {
                    target: to,
                    private: create.private,
                },
                lock_level: 'P',
                columns: Vec::new(),
                constraints: Vec::new(),
                indexes: Vec::new(),
            };
            definer.writer.create(&mut table)
        })
    }
}

/// The view's query as a statement of its own.
fn select_of(create: &CreateView) -> Statement {
    Statement {
        kind: StatementKind::Select(create.query.clone()),
        span: create.query.span,
        first_parameter: 0,
        parameters: 0,
    }
}

fn taken(name: &crate::sql::ast::ObjectName) -> SqlError {
    SqlError::new(-310)
        .at(name.name.span.start)
        .token(&name.name.name)
}
