//! CREATE and DROP of routines: rows of `sysprocedures`, `sysprocbody`, `sysproccolumns`, `sysprocauth`.

use std::rc::Rc;

use informix_types::{ColumnType, TypeCode};

use super::code::{Routine, blocks, contains};
use crate::analyze::column_type;
use crate::catalog::coltype;
use crate::catalog::names::Place;
use crate::catalog::write::chunks;
use crate::engine::Session;
use crate::engine::ddl::Definer;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{
    CreateRoutine, DataType, DropObject, ObjectKind, ObjectName, ParameterMode, SplKind, SplStatement,
};

/// Bytes of a row of `sysprocbody`.
const CHUNK: usize = 256;
/// Number of the first routine.
const FIRST: i64 = 100;
/// Kind of the row in the private texts that says how to read the routine's text.
pub(super) const READING: &str = "routine";

impl Session {
    /// CREATE PROCEDURE, CREATE FUNCTION.
    ///
    /// # Errors
    /// -673 when there is such a routine; names and types of the head are checked, those of the
    /// body when it runs.
    pub(crate) fn create_routine(&mut self, create: &CreateRoutine, text: &str) -> SqlResult<()> {
        let name = &create.name.name.name;
        let at = create.name.name.span.start;
        let block = &create.body.block;
        if create.name.database.is_some() && self.place_to_create(&create.name)? != Place::Main {
            return Err(SqlError::new(-999).at(at).because("DDL in another database"));
        }
        check_labels(block, &mut Vec::new())?;
        let view: &Self = self;
        let types = |ty| column_type(ty, view);
        let parameters: Vec<ColumnType> = create
            .parameters
            .iter()
            .map(|p| types(&p.ty))
            .collect::<SqlResult<_>>()?;
        let returns: Vec<ColumnType> = create
            .returns
            .iter()
            .map(|r| types(&r.ty))
            .collect::<SqlResult<_>>()?;
        let known = self.routines_named(name)?;
        let same = known.iter().find(|known| {
            let own = known.parameters.iter().map(|p| signature(&p.ty));
            own.eq(parameters.iter().map(signature))
        });
        if let Some(same) = same {
            if create.if_not_exists {
                return Ok(());
            }
            if !create.or_replace {
                return Err(SqlError::new(-673).at(at).token(name));
            }
            let id = same.id;
            self.define(&Place::Main, |definer| forget(definer, id))?;
        }
        let owner = self.owner_for(&create.name);
        let iterator = contains(block, &|kind| matches!(kind, SplKind::Return(_, true)));
        let reading = i64::from(self.settings.delimident);
        self.define(&Place::Main, |definer| {
            let id = next_id(definer)?;
            let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| insert(definer, sql, values);
            let names: Vec<String> = parameters.iter().map(signature).collect();
            let mode = if create.dba { "D" } else { "O" };
            let specific = create.specific.as_ref().map(|s| s.name.name.clone());
            let is_procedure = if create.function { "f" } else { "t" };
            let count = i64::try_from(parameters.len()).unwrap_or(0);
            run(
                "INSERT INTO main.sysprocedures (procname, owner, procid, mode, retsize, symsize, datasize, codesize,
                   numargs, isproc, specificname, paramstyle, langid, paramtypes, variant, client, handlesnulls,
                   iterator, percallcost, internal, class, stack, parallelizable, selconst, procflags)
                 VALUES (?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?, 'I', 2, ?, ?, 0, 1, ?, 0, 0, '', 0, 0, 0.0, 0)",
                &[
                    name, &owner, &id, &mode, &count, &is_procedure, &specific, &names.join(","),
                    &!create.modifiers.iter().any(|m| m == "not variant"), &iterator,
                ],
            )?;
            body(definer, id, "T", text)?;
            if !create.documents.is_empty() {
                body(definer, id, "D", &create.documents.join("\n"))?;
            }
            definer.writer.keep_text(READING, id, 0, &reading.to_string())?;
            let inputs = create.parameters.iter().zip(&parameters).map(|(p, ty)| {
                let attribute = match p.mode {
                    ParameterMode::In => 1,
                    ParameterMode::InOut => 2,
                    ParameterMode::Out => 4,
                };
                (p.name.name.as_str(), ty, attribute)
            });
            let outputs = create
                .returns
                .iter()
                .zip(&returns)
                .map(|(r, ty)| (r.label.as_ref().map_or("", |l| l.name.as_str()), ty, 3));
            // Results first, counted from 0, each with attribute 3: so a public catalog reader found them on a server, and
            // the Java driver takes its TYPE_NAMEs in this order.
            for (number, (label, ty, attribute)) in (0_i64..).zip(outputs.chain(inputs)) {
                let stored = coltype::store(ty);
                run(
                    "INSERT INTO main.sysproccolumns VALUES (?, ?, ?, ?, ?, ?, ?)",
                    &[&id, &number, &label, &stored.coltype, &stored.collength, &stored.extended_id, &attribute],
                )?;
            }
            let grantee = if create.dba { owner.as_str() } else { "public" };
            run("INSERT INTO main.sysprocauth VALUES (?, ?, ?, 'e')", &[&owner, &grantee, &id])
        })
    }

    /// DROP PROCEDURE, FUNCTION, ROUTINE.
    ///
    /// # Errors
    /// -674 when there is none, -9700 when several have the name and no types tell which.
    pub(crate) fn drop_routine(&mut self, drop: &DropObject) -> SqlResult<()> {
        let name = &drop.name.name.name;
        let at = drop.name.name.span.start;
        let mut found = self.matching_routines(&drop.name, drop.argument_types.as_deref())?;
        found.retain(|routine| match drop.kind {
            ObjectKind::Procedure => !routine.function,
            ObjectKind::Function => routine.function || !routine.returns.is_empty(),
            _ => true,
        });
        match found.as_slice() {
            [] => Err(SqlError::new(-674).at(at).token(name)),
            [only] => self.define(&Place::Main, |definer| forget(definer, only.id)),
            _ => Err(SqlError::new(-9700)
                .at(at)
                .token(name)
                .because("several routines have the name")),
        }
    }

    /// The routines of a name, owner and parameter types, as far as these are said.
    pub(crate) fn matching_routines(
        &self,
        name: &ObjectName,
        types: Option<&[DataType]>,
    ) -> SqlResult<Vec<Rc<Routine>>> {
        let wanted: Option<Vec<String>> = match types {
            Some(types) => {
                let names = types
                    .iter()
                    .map(|ty| column_type(ty, self).map(|ty| signature(&ty)));
                Some(names.collect::<SqlResult<_>>()?)
            }
            None => None,
        };
        let mut found = self.routines_named(&name.name.name)?;
        found.retain(|routine| {
            let owner = name.owner.as_ref();
            let owned = owner.is_none_or(|o| routine.owner.trim_end().eq_ignore_ascii_case(&o.name));
            let same = wanted.as_ref().is_none_or(|wanted| {
                let own = routine.parameters.iter().map(|p| signature(&p.ty));
                own.eq(wanted.iter().cloned())
            });
            owned && same
        });
        Ok(found)
    }
}

/// A type as the signature of a routine names it: without length, precision and qualifier. So it stands in the lines GRANT EXECUTE
/// of public `dbexport` files: `(char,decimal,datetime,lvarchar)`.
fn signature(ty: &ColumnType) -> String {
    match ty.code {
        TypeCode::Char
        | TypeCode::NChar
        | TypeCode::VarChar
        | TypeCode::NVarChar
        | TypeCode::Decimal
        | TypeCode::Money
        | TypeCode::DateTime
        | TypeCode::Interval => ty.code.name().to_owned(),
        _ if ty.is_lvarchar() => "lvarchar".to_owned(),
        _ => ty.sql_name(),
    }
}

/// A GOTO leads to a statement of its own block or of one around it.
fn check_labels<'b>(block: &'b [SplStatement], around: &mut Vec<&'b [SplStatement]>) -> SqlResult<()> {
    around.push(block);
    for statement in block {
        if let SplKind::Goto(to) = &statement.kind {
            let named = |s: &SplStatement| s.label.as_ref().is_some_and(|own| own.name == to.name);
            if !around.iter().any(|block| block.iter().any(named)) {
                return Err(SqlError::new(-201)
                    .at(to.span.start)
                    .because(format!("no label {} to go to", to.name)));
            }
        }
        let mut inside = Ok(());
        blocks(&statement.kind, &mut |block| {
            if inside.is_ok() {
                inside = check_labels(block, around);
            }
        });
        inside?;
    }
    around.pop();
    Ok(())
}

fn insert(definer: &Definer<'_>, sql: &str, values: &[&dyn rusqlite::ToSql]) -> SqlResult<()> {
    let done = definer.connection().execute(sql, values);
    done.map(drop)
        .map_err(|e| crate::engine::errors::translate(&e, crate::engine::errors::Doing::Define))
}

fn next_id(definer: &Definer<'_>) -> SqlResult<i64> {
    definer
        .connection()
        .query_row(
            "SELECT coalesce(max(procid), 0) + 1 FROM main.sysprocedures",
            [],
            |row| row.get(0),
        )
        .map(|next: i64| next.max(FIRST))
        .map_err(|e| crate::engine::errors::translate(&e, crate::engine::errors::Doing::Define))
}

fn body(definer: &Definer<'_>, id: i64, key: &str, text: &str) -> SqlResult<()> {
    for (number, piece) in (1_i64..).zip(chunks(text, CHUNK)) {
        insert(
            definer,
            "INSERT INTO main.sysprocbody VALUES (?, ?, ?, ?)",
            &[&id, &key, &number, &piece],
        )?;
    }
    Ok(())
}

fn forget(definer: &Definer<'_>, id: i64) -> SqlResult<()> {
    for table in [
        "sysprocedures",
        "sysprocbody",
        "sysproccolumns",
        "sysprocauth",
        "sysprocplan",
    ] {
        insert(
            definer,
            &format!("DELETE FROM main.{table} WHERE procid = ?"),
            &[&id],
        )?;
    }
    insert(
        definer,
        "DELETE FROM main.\"$texts\" WHERE kind = ? AND id = ?",
        &[&READING, &id],
    )
}
