//! CREATE and DROP of routines, and finding the one that a call means.

use std::rc::Rc;

use rusqlite::types::Value;

use super::Routine;
use crate::analyze::{self, RoutineInfo, RoutineParameterInfo};
use crate::catalog::coltype;
use crate::catalog::names::{Place, literal};
use crate::catalog::write::chunks;
use crate::engine::errors::{self, Doing};
use crate::engine::session::Session;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    CreateRoutine, DropObject, ObjectKind, ObjectName, ParameterMode, RoutineBody, SplKind, SplStatement,
    StatementKind,
};
use crate::sql::{ParseOptions, parse_statement};

/// `sysprocedures.mode` of a routine that its owner made.
const OWNER_MODE: &str = "O";

impl Session {
    pub(crate) fn create_routine(&mut self, create: &CreateRoutine, text: &str) -> SqlResult<()> {
        let RoutineBody::Spl { block, .. } = &create.body else {
            return Err(SqlError::new(-999).because("routines of other languages than SPL"));
        };
        check_block(block)?;
        // Types are known or the routine is not made.
        let info = self.describe_routine(0, create)?;
        if create.parameters.iter().any(|p| p.mode != ParameterMode::In) {
            return Err(SqlError::new(-999).because("OUT parameters"));
        }
        let name = create.name.name.name.clone();
        let owner = self.owner_for(&create.name);
        let span = create.name.name.span.start;
        let text = text.to_owned();
        self.define(&Place::Main, |definer| {
            let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Define);
            let connection = definer.connection();
            let arguments = i64::try_from(info.parameters.len()).unwrap_or(i64::MAX);
            let known: Option<i64> = connection
                .query_row(
                    "SELECT max(procid) FROM main.sysprocedures WHERE procname = ? AND numargs = ?",
                    (&name, arguments),
                    |row| row.get(0),
                )
                .map_err(failed)?;
            match known {
                Some(_) if create.if_not_exists => return Ok(()),
                Some(id) if create.or_replace => forget(definer, id)?,
                Some(_) => return Err(SqlError::new(-673).at(span).token(&name)),
                None => {}
            }
            let id: i64 = connection
                .query_row("SELECT coalesce(max(procid), 0) + 1 FROM main.sysprocedures", [], |row| row.get(0))
                .map_err(failed)?;
            connection
                .execute(
                    "INSERT INTO main.sysprocedures (procname, owner, procid, mode, retsize, symsize, datasize, codesize,
                       numargs, isproc, specificname, externalname, paramstyle, langid, paramtypes, variant, client,
                       handlesnulls, iterator, percallcost, internal, stack, parallelizable, procflags)
                     VALUES (?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?, '', 'I', 2, ?, 1, 0, 1, 0, 0, 0, 0, 0, 0)",
                    (
                        &name,
                        &owner,
                        id,
                        OWNER_MODE,
                        arguments,
                        if create.function { "f" } else { "t" },
                        create.specific.as_ref().map(|s| s.name.name.clone()),
                        types_text(&info),
                    ),
                )
                .map_err(failed)?;
            for (seqno, chunk) in (1_i64..).zip(chunks(&text, 256)) {
                connection
                    .execute("INSERT INTO main.sysprocbody VALUES (?, 'T', ?, ?)", (id, seqno, chunk))
                    .map_err(failed)?;
            }
            for (paramid, parameter) in (1_i64..).zip(&info.parameters) {
                let stored = coltype::store(&parameter.ty);
                insert_column(connection, id, paramid, &parameter.name, stored, 1).map_err(failed)?;
            }
            let kind = if info.returns.len() > 1 { 3 } else { 5 };
            for (paramid, (label, ty)) in (arguments + 1..).zip(&info.returns) {
                insert_column(connection, id, paramid, label, coltype::store(ty), kind).map_err(failed)?;
            }
            Ok(())
        })
    }

    pub(crate) fn drop_routine(&mut self, drop: &DropObject) -> SqlResult<()> {
        let name = drop.name.name.name.clone();
        let position = drop.name.name.span.start;
        let kind = match drop.kind {
            ObjectKind::Procedure => " AND isproc = 't'",
            ObjectKind::Function => " AND isproc = 'f'",
            _ => "",
        };
        let count = drop
            .argument_types
            .as_ref()
            .map(|types| format!(" AND numargs = {}", types.len()));
        self.define(&Place::Main, |definer| {
            let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Define);
            let sql = format!(
                "SELECT procid FROM main.sysprocedures WHERE procname = {}{kind}{}",
                literal(&name),
                count.unwrap_or_default()
            );
            let found: Vec<i64> = definer
                .connection()
                .prepare(&sql)
                .and_then(|mut s| s.query_map([], |row| row.get(0))?.collect())
                .map_err(failed)?;
            match found.as_slice() {
                [] => Err(SqlError::new(-674).at(position).token(&name)),
                [id] => forget(definer, *id),
                _ => Err(SqlError::new(-9700).at(position).token(&name)),
            }
        })
    }

    /// The routine of that name that takes so many arguments.
    pub(crate) fn find_routine(&self, name: &ObjectName, arguments: usize) -> SqlResult<Option<Rc<Routine>>> {
        let place = self.place_of(name.database.as_ref().map(|d| d.name.as_str()))?;
        if place != Place::Main {
            return Ok(None);
        }
        let open = self.require_database()?;
        let found: Vec<i64> = open
            .connection
            .prepare_cached("SELECT procid FROM main.sysprocedures WHERE procname = ? ORDER BY numargs")
            .and_then(|mut s| s.query_map([&name.name.name], |row| row.get(0))?.collect())
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        for id in found {
            let routine = self.routine_by_id(id)?;
            let most = routine.info.parameters.len();
            let least = routine
                .info
                .parameters
                .iter()
                .filter(|p| p.default.is_none())
                .count();
            if (least..=most).contains(&arguments) {
                return Ok(Some(routine));
            }
        }
        Ok(None)
    }

    /// A routine by its number, parsed once per version of the schema.
    pub(crate) fn routine_by_id(&self, id: i64) -> SqlResult<Rc<Routine>> {
        let open = self.require_database()?;
        let generation = self.schema_generation(open);
        {
            let mut known = open.routines.borrow_mut();
            if known.0 != generation {
                *known = (generation, std::collections::HashMap::new());
            }
            if let Some(routine) = known.1.get(&id) {
                return Ok(Rc::clone(routine));
            }
        }
        let pieces: Vec<String> = open
            .connection
            .prepare_cached(
                "SELECT data FROM main.sysprocbody WHERE procid = ? AND datakey = 'T' ORDER BY seqno",
            )
            .and_then(|mut s| s.query_map([id], |row| row.get(0))?.collect())
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        let text = pieces.concat();
        let parse = ParseOptions {
            delimident: self.settings.delimident,
        };
        let StatementKind::CreateRoutine(definition) = parse_statement(&text, &parse)?.kind else {
            return Err(SqlError::new(-721).because(format!("routine {id} has no text")));
        };
        let info = self.describe_routine(id, &definition)?;
        let routine = Rc::new(Routine {
            info,
            definition: *definition,
            text,
        });
        open.routines.borrow_mut().1.insert(id, Rc::clone(&routine));
        Ok(routine)
    }

    fn describe_routine(&self, id: i64, definition: &CreateRoutine) -> SqlResult<RoutineInfo> {
        let mut parameters = Vec::with_capacity(definition.parameters.len());
        for parameter in &definition.parameters {
            let ty = analyze::column_type(&parameter.ty, self)?.nullable();
            let default = parameter
                .default
                .as_ref()
                .map(|value| analyze::default_value(value, &ty, self))
                .transpose()?;
            parameters.push(RoutineParameterInfo {
                name: parameter.name.name.clone(),
                ty,
                out: parameter.mode != ParameterMode::In,
                default,
            });
        }
        let mut returns = Vec::with_capacity(definition.returns.len());
        for value in &definition.returns {
            let label = value.label.as_ref().map(|l| l.name.clone()).unwrap_or_default();
            returns.push((label, analyze::column_type(&value.ty, self)?.nullable()));
        }
        Ok(RoutineInfo {
            id,
            parameters,
            returns,
            sqlite_function: None,
        })
    }
}

fn insert_column(
    connection: &rusqlite::Connection,
    id: i64,
    paramid: i64,
    name: &str,
    ty: coltype::StoredType,
    attribute: i64,
) -> rusqlite::Result<usize> {
    let values: [Value; 7] = [
        id.into(),
        paramid.into(),
        name.to_owned().into(),
        i64::from(ty.coltype).into(),
        i64::from(ty.collength).into(),
        i64::from(ty.extended_id).into(),
        attribute.into(),
    ];
    connection.execute(
        "INSERT INTO main.sysproccolumns VALUES (?, ?, ?, ?, ?, ?, ?)",
        rusqlite::params_from_iter(values),
    )
}

fn types_text(info: &RoutineInfo) -> String {
    info.parameters
        .iter()
        .map(|p| p.ty.sql_name())
        .collect::<Vec<_>>()
        .join(",")
}

fn forget(definer: &crate::engine::ddl::Definer<'_>, id: i64) -> SqlResult<()> {
    definer.writer.run(&format!(
        "DELETE FROM main.sysprocedures WHERE procid = {id}; DELETE FROM main.sysprocbody WHERE procid = {id};
         DELETE FROM main.sysproccolumns WHERE procid = {id}; DELETE FROM main.sysprocauth WHERE procid = {id};"
    ))
}

/// Refuses what the interpreter does not run.
fn check_block(block: &[SplStatement]) -> SqlResult<()> {
    for statement in block {
        let refuse = |what: &str| {
            Err(SqlError::new(-999)
                .at(statement.span.start)
                .because(what.to_owned()))
        };
        match &statement.kind {
            SplKind::Define { global: true, .. } => return refuse("DEFINE GLOBAL"),
            SplKind::System(_) => return refuse("SYSTEM"),
            SplKind::Case {
                branches, otherwise, ..
            } => {
                for (_, body) in branches {
                    check_block(body)?;
                }
                check_block(otherwise)?;
            }
            SplKind::If(branches, otherwise) => {
                for (_, body) in branches {
                    check_block(body)?;
                }
                check_block(otherwise)?;
            }
            SplKind::OnException { body, .. }
            | SplKind::For { body, .. }
            | SplKind::While { body, .. }
            | SplKind::Foreach { body, .. }
            | SplKind::Block(body) => check_block(body)?,
            SplKind::Define { .. }
            | SplKind::Let(..)
            | SplKind::Return(..)
            | SplKind::Raise(_)
            | SplKind::Exit(..)
            | SplKind::Continue(..)
            | SplKind::Trace
            | SplKind::Sql(_) => {}
        }
    }
    Ok(())
}
