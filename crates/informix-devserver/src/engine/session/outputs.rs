//! Calls from outside that give the values of OUT and INOUT parameters.

use informix_types::{BoundValue, ColumnType, RowForm, row};
use rusqlite::types::Value;

use super::prepare::Compiled;
use super::run::check_count;
use super::{Prepared, Session};
use crate::engine::rows::{Blobs, ColumnEncoder, RowContext};
use crate::error::{SqlError, SqlResult};
use crate::routine::Returned;
use crate::sql::ast::ParameterMode;

/// What a client has to know to call a routine by its number.
#[derive(Debug)]
pub(crate) struct Callable {
    /// `sysprocedures.procid`.
    pub(crate) id: i64,
    pub(crate) name: String,
    /// How many values it returns beside its parameters.
    pub(crate) returned: usize,
    /// For each parameter, whether it gives a value back.
    pub(crate) outputs: Vec<bool>,
}

impl Session {
    /// The routine that a call means, when it has OUT or INOUT parameters.
    pub(crate) fn call_with_outputs(&self, prepared: &Prepared) -> SqlResult<Option<Callable>> {
        let Compiled::Call(plan) = &*prepared.compiled() else {
            return Ok(None);
        };
        let found = self.callable(plan.routine)?;
        Ok(Some(found).filter(|found| found.outputs.contains(&true)))
    }

    /// A routine by its number.
    ///
    /// # Errors
    /// -674 when there is none.
    pub(crate) fn callable(&self, id: i64) -> SqlResult<Callable> {
        let routine = self.routine(id)?;
        Ok(Callable {
            id,
            name: routine.name.clone(),
            returned: routine.returns.len(),
            outputs: routine
                .parameters
                .iter()
                .map(|parameter| parameter.mode != ParameterMode::In)
                .collect(),
        })
    }

    /// Runs a call: the values of its OUT and INOUT parameters, then what its first row returned.
    ///
    /// # Errors
    /// What the routine raises.
    pub(crate) fn execute_for_outputs(
        &mut self,
        prepared: &Prepared,
        parameters: &[BoundValue],
    ) -> SqlResult<Vec<BoundValue>> {
        self.statement_begins();
        check_count(prepared, parameters)?;
        let outcome = self.outputs(prepared, parameters);
        self.adopt();
        self.settle_locks();
        let values = outcome?;
        self.keep_sequences()?;
        self.facts.statement_ended(0);
        values
            .into_iter()
            .map(|(column, value)| self.shown(column, &value))
            .collect()
    }

    fn outputs(
        &mut self,
        prepared: &Prepared,
        parameters: &[BoundValue],
    ) -> SqlResult<Vec<(ColumnType, Value)>> {
        let compiled = self.refresh(prepared)?;
        let Compiled::Call(plan) = &*compiled else {
            return Err(SqlError::new(-674));
        };
        let values = self.stored_parameters(prepared, parameters)?;
        let routine = self.routine(plan.routine)?;
        self.cursors.drain()?;
        self.announce();
        let arguments = self.arguments(plan, &values)?;
        let Returned {
            rows,
            failure,
            outputs,
            ..
        } = self.run_routine(&routine, arguments)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        let parameters = routine.parameters.iter().zip(outputs);
        let given = parameters.filter(|(parameter, _)| parameter.mode != ParameterMode::In);
        let given = given.map(|(parameter, value)| (parameter.ty.clone(), value));
        let row = rows.into_iter().next().unwrap_or_default();
        let row = row.into_iter().map(Some).chain(std::iter::repeat(None));
        let returned = routine.returns.iter().zip(row);
        let returned = returned.map(|((_, ty), value)| (ty.clone(), value.unwrap_or(Value::Null)));
        Ok(given.chain(returned).collect())
    }

    /// A stored value as the client knows it.
    fn shown(&self, column: ColumnType, value: &Value) -> SqlResult<BoundValue> {
        let codec = *self.codec().ok_or_else(|| SqlError::new(-349))?;
        let form = RowForm::default();
        let mut cell = Vec::new();
        let mut blobs = Blobs::default();
        let mut context = RowContext {
            codec: &codec,
            blobs: &mut blobs,
        };
        ColumnEncoder::new(&column, form)?.write(value.into(), &mut context, &mut cell)?;
        let shown = row::decode_value(&column, &cell, &codec);
        Ok(BoundValue {
            value: shown.map_err(|error| SqlError::new(-999).because(error.to_string()))?,
            column,
        })
    }
}
