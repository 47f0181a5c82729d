//! From the catalog to a routine, and from a call to the routine that it means.

use std::rc::Rc;

use informix_types::ColumnType;

use super::code::{Code, Parameter, Routine};
use super::store::READING;
use crate::analyze::{self, RoutineInfo, RoutineParameterInfo, column_type};
use crate::engine::Session;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{ObjectName, ParameterMode, StatementKind};
use crate::sql::{ParseOptions, parse_statement};

impl Session {
    /// The routines of a name in the current database.
    pub(super) fn routines_named(&self, name: &str) -> SqlResult<Vec<Rc<Routine>>> {
        let open = self.require_database()?;
        let generation = self.schema_generation(open);
        if let Some(known) = open.routines.routines(name, generation) {
            return Ok(known);
        }
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let ids: Vec<(i64, String, Option<String>)> = open
            .connection
            .prepare_cached(
                "SELECT p.procid, p.owner, t.sql FROM main.sysprocedures p
                   LEFT JOIN main.\"$texts\" t ON t.kind = ? AND t.id = p.procid AND t.part = 0
                  WHERE p.procname = ? ORDER BY p.procid",
            )
            .and_then(|mut s| {
                s.query_map([READING, name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                    .collect()
            })
            .map_err(failed)?;
        let mut routines = Vec::with_capacity(ids.len());
        for (id, owner, reading) in ids {
            let text: String = open
                .connection
                .prepare_cached(
                    "SELECT data FROM main.sysprocbody WHERE procid = ? AND datakey = 'T' ORDER BY seqno",
                )
                .and_then(|mut s| {
                    s.query_map([id], |row| row.get::<_, String>(0))?
                        .collect::<rusqlite::Result<Vec<_>>>()
                })
                .map(|pieces| pieces.concat())
                .map_err(failed)?;
            let delimident = reading.as_deref() == Some("1");
            routines.push(Rc::new(self.read_routine(id, owner, text, delimident)?));
        }
        open.routines.keep_routines(name, routines.clone());
        Ok(routines)
    }

    fn read_routine(&self, id: i64, owner: String, text: String, delimident: bool) -> SqlResult<Routine> {
        let statement = parse_statement(&text, &ParseOptions { delimident })?;
        let StatementKind::CreateRoutine(create) = statement.kind else {
            return Err(SqlError::new(-674).because("the stored text creates no routine"));
        };
        let block = create.body.block;
        let mut parameters = Vec::with_capacity(create.parameters.len());
        for parameter in &create.parameters {
            let ty = column_type(&parameter.ty, self)?.nullable();
            let default = match &parameter.default {
                Some(value) => Some(analyze::default_value(value, &ty, self)?),
                None => None,
            };
            parameters.push(Parameter {
                name: parameter.name.name.clone(),
                mode: parameter.mode,
                ty,
                default,
            });
        }
        let returns = create.returns.iter().map(|r| {
            let label = r.label.as_ref().map(|l| l.name.clone()).unwrap_or_default();
            column_type(&r.ty, self).map(|ty| (label, plain(ty)))
        });
        Ok(Routine {
            id,
            name: create.name.name.name.clone(),
            owner,
            function: create.function,
            returns: returns.collect::<SqlResult<_>>()?,
            code: Rc::new(Code::new(text, block, parameters.len())),
            parameters,
        })
    }

    /// The routines that a call with so many arguments may mean: those with as many parameters, else those whose other
    /// parameters have defaults.
    fn routines_for(&self, name: &ObjectName, arguments: usize) -> SqlResult<Vec<Rc<Routine>>> {
        let open = self.require_database()?;
        let here = |database: &str| database == open.database.info.name;
        if name.database.as_ref().is_some_and(|d| !here(&d.name)) {
            // A real server would call it there.
            return Err(SqlError::new(-999)
                .at(name.span.start)
                .token(&name.name.name)
                .because("routines of other databases"));
        }
        let mut known = self.routines_named(&name.name.name)?;
        if let Some(owner) = &name.owner {
            known.retain(|r| r.owner.trim_end().eq_ignore_ascii_case(&owner.name));
        }
        if known.iter().any(|r| r.parameters.len() == arguments) {
            known.retain(|r| r.parameters.len() == arguments);
        } else {
            known.retain(|r| r.required() <= arguments && arguments <= r.parameters.len());
        }
        Ok(known)
    }

    /// The same as the analysis knows them.
    pub(crate) fn routine_infos(&self, name: &ObjectName, arguments: usize) -> SqlResult<Vec<RoutineInfo>> {
        let found = self.routines_for(name, arguments)?;
        Ok(found.iter().map(|routine| routine.info()).collect())
    }

    /// The routine of a number.
    pub(crate) fn routine(&self, id: i64) -> SqlResult<Rc<Routine>> {
        let open = self.require_database()?;
        if let Some(routine) = open.routines.routine(id) {
            return Ok(routine);
        }
        // Something else of the schema has changed since the call was planned.
        let name: String = open
            .connection
            .prepare_cached("SELECT procname FROM main.sysprocedures WHERE procid = ?")
            .and_then(|mut s| s.query_row([id], |row| row.get(0)))
            .map_err(|_| SqlError::new(-674).because("the routine was dropped"))?;
        self.routines_named(&name)?
            .into_iter()
            .find(|r| r.id == id)
            .ok_or_else(|| SqlError::new(-674).token(name))
    }
}

impl Routine {
    fn info(&self) -> RoutineInfo {
        let in_expressions = self.returns.len() == 1 && !self.has_output();
        RoutineInfo {
            id: self.id,
            parameters: self
                .parameters
                .iter()
                .map(|p| RoutineParameterInfo {
                    name: p.name.clone(),
                    ty: p.ty.clone(),
                    out: p.mode == ParameterMode::Out,
                    default: p.default.clone(),
                })
                .collect(),
            returns: self.returns.clone(),
            sqlite_function: in_expressions.then(|| super::inside::FUNCTION.to_owned()),
            sqlite_rows: (!self.has_output()).then(|| super::inside::ROWS.to_owned()),
        }
    }
}

/// What a variable or result may hold: serial types are integers there.
pub(super) fn plain(ty: ColumnType) -> ColumnType {
    use informix_types::TypeCode;
    match ty.code {
        TypeCode::Serial => ColumnType::integer(),
        TypeCode::Serial8 => ColumnType::int8(),
        TypeCode::BigSerial => ColumnType::bigint(),
        _ => ty.nullable(),
    }
}
