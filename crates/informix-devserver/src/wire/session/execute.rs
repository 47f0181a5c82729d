//! Values in, statements run: BIND, BYTE and TEXT contents, EXECUTE, PUT.

use informix_protocol::ServerMessage;
use informix_protocol::message::{Bind, Done, InsertDone, PutRow, Tuple};
use informix_types::{BoundValue, ColumnType, RowForm, TypeCode, Value, row};

use super::statement::Cursor;
use super::{Broken, Handled, Session, current};
use crate::engine::Outcome;
use crate::error::{SqlError, SqlResult};

/// Most bytes of one BYTE or TEXT parameter: the limit that the decoder has for every other field.
const MAX_SIMPLE_LOB: usize = 256 * 1024 * 1024;

/// The error for the value of a parameter, counted from 1.
fn unreadable(number: usize, error: &informix_types::Error) -> SqlError {
    SqlError::new(-415).because(format!("parameter {number}: {error}"))
}

impl Session {
    /// SQ_BIND: replaces the values of the statement.
    pub(super) fn bind(&mut self, bind: &Bind) -> Handled {
        let codec = self.codec();
        let mut values = bind
            .values
            .iter()
            .enumerate()
            .map(|(index, value)| value.bound(&codec).map_err(|error| unreadable(index + 1, &error)))
            .collect::<SqlResult<Vec<_>>>()?;
        Ok(self.keep_values(&mut values)?)
    }

    /// SQ_BIND, when all of it has arrived: its values are read where they lie. It is the most frequent message of a load. False
    /// when something else comes next, or fault rules want to see the message.
    pub(super) fn bind_at_once(&mut self) -> Result<bool, Broken> {
        if self.tamper.lock().is_needed() {
            return Ok(false);
        }
        let codec = self.codec();
        let mut values = std::mem::take(&mut self.spare);
        let mut refused = None;
        let complete = self.channel.lock().next_bind(&mut |raw| {
            if refused.is_some() {
                return;
            }
            match raw.bound(&codec) {
                Ok(value) => values.push(value),
                Err(error) => refused = Some(unreadable(values.len() + 1, &error)),
            }
        })?;
        if complete && !self.failed {
            let kept = refused.map_or_else(|| self.keep_values(&mut values), Err);
            if let Err(error) = kept {
                self.fail(&error);
            }
        }
        values.clear();
        self.spare = values;
        Ok(complete)
    }

    /// Makes them the values of the statement, and gives those of the last BIND instead.
    fn keep_values(&mut self, values: &mut Vec<BoundValue>) -> SqlResult<()> {
        let statement = self.statement()?;
        // The descriptors say nothing about the contents, not even the size: the chunks do.
        let awaited = values.iter().enumerate().rev();
        let awaited = awaited.filter(|(_, value)| matches!(value.value, Value::SimpleLob(_)));
        statement.awaited.clear();
        statement.awaited.extend(awaited.map(|(index, _)| index));
        std::mem::swap(&mut statement.bound, values);
        Ok(())
    }

    /// SQ_BBIND: that many values follow in chunks.
    pub(super) fn expect_blobs(&mut self, count: i16) -> Handled {
        let waiting = self.statement()?.awaited.len();
        if usize::try_from(count).is_ok_and(|count| count <= waiting) {
            return Ok(());
        }
        Err(SqlError::new(-254)
            .because(format!("{count} BYTE/TEXT values for {waiting} parameters"))
            .into())
    }

    /// SQ_BLOB from the client: a chunk, or the end of a value.
    pub(super) fn receive_blob(&mut self, chunk: &[u8]) -> Handled {
        if !chunk.is_empty() {
            // Chunks for no parameter, or without an end, must not fill the memory.
            let total = self.receiving.len() + chunk.len();
            if self.statement()?.awaited.is_empty() || total > MAX_SIMPLE_LOB {
                self.receiving = Vec::new();
                return Err(SqlError::new(-603)
                    .because(format!("{total} bytes for a BYTE or TEXT value"))
                    .into());
            }
            self.receiving.extend_from_slice(chunk);
            return Ok(());
        }
        let contents = std::mem::take(&mut self.receiving);
        let statement = self.statement()?;
        let parameter = statement
            .awaited
            .pop()
            .and_then(|index| statement.bound.get_mut(index));
        let parameter =
            parameter.ok_or_else(|| SqlError::new(-254).because("a BYTE/TEXT value for no parameter"))?;
        parameter.value = Value::Bytes(contents);
        Ok(())
    }

    /// SQ_EXECUTE.
    pub(super) fn execute(&mut self) -> Handled {
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        if statement.prepared.opens_cursor() {
            return Err(SqlError::new(-260).into());
        }
        let insert = statement.prepared.is_insert();
        if statement.more.is_empty() {
            let outcome = self.engine.execute(&statement.prepared, &statement.bound)?;
            return self.report(&outcome, insert);
        }
        // Several statements share one BIND and are reported together.
        let mut values = statement.bound.as_slice();
        let mut total = Outcome::default();
        for prepared in std::iter::once(&statement.prepared).chain(&statement.more) {
            let (own, rest) = values
                .split_at_checked(prepared.parameters().len())
                .ok_or_else(|| SqlError::new(-254))?;
            values = rest;
            let outcome = self.engine.execute(prepared, own)?;
            total = Outcome {
                rows: total.rows.saturating_add(outcome.rows),
                ..outcome
            };
        }
        self.report(&total, insert)
    }

    /// `[KEYTUPLE] [INSERTDONE] DONE COST`; `DONE XACTSTAT` for the statements of transactions.
    fn report(&mut self, outcome: &Outcome, insert: bool) -> Handled {
        self.send_keys(outcome)?;
        if insert {
            let done = InsertDone {
                serial8: outcome.serial8,
                bigserial: outcome.bigserial,
            };
            self.send(&ServerMessage::InsertDone(done))?;
        }
        let warnings = outcome
            .database
            .map_or(outcome.warnings, |flags| flags.warnings());
        let rows = i32::try_from(outcome.rows).unwrap_or(i32::MAX);
        let done = Done {
            warnings,
            rows,
            rowid: outcome.rowid,
            serial: outcome.serial,
        };
        match outcome.transaction {
            // As both vendor clients accepted BEGIN WORK, COMMIT WORK and ROLLBACK WORK as text (captures/jdbc-transactions-sql,
            // native-transactions).
            Some(event) => {
                self.send(&ServerMessage::Done(done))?;
                self.transaction_state(event)
            }
            None => Ok(self.send_completion(done)?),
        }
    }

    /// SQ_KEYTUPLE with the generated values that SQ_AUTOGENKEYS asked for.
    fn send_keys(&mut self, outcome: &Outcome) -> Handled {
        let codec = self.codec();
        let keys = self.statement()?.wanted_keys(&codec)?;
        if keys.is_empty() || outcome.rows == 0 {
            return Ok(());
        }
        let mut payload = Vec::new();
        for key in &keys {
            let value = match key.ty.code {
                TypeCode::Serial8 => Value::Int8(outcome.serial8),
                TypeCode::BigSerial => Value::BigInt(outcome.bigserial),
                _ => Value::Integer(outcome.serial),
            };
            row::encode_value(&key.ty, &value, RowForm::default(), &codec, &mut payload)
                .map_err(|error| SqlError::new(-1215).because(error.to_string()))?;
        }
        self.send(&ServerMessage::KeyTuple(Tuple { warnings: 0, payload }))
    }

    /// SQ_PUT: one row through an insert cursor. The group's end reports all of them.
    pub(super) fn put(&mut self, put: &PutRow) -> Handled {
        let codec = self.codec();
        let form = RowForm {
            binary: true,
            ..self.plain_form()
        };
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        if !matches!(statement.cursor, Cursor::Insert) {
            return Err(SqlError::new(-259).into());
        }
        let types: Vec<ColumnType> = match &statement.put_types {
            Some(types) => types.clone(),
            None => statement
                .prepared
                .columns()
                .iter()
                .map(|column| column.ty.clone())
                .collect(),
        };
        let wrong = |error: informix_types::Error| SqlError::new(-415).because(error.to_string());
        let cells = row::split(&types, &put.payload, form).map_err(wrong)?;
        let values = types
            .iter()
            .zip(cells)
            .map(|(ty, cell)| {
                let value = row::decode_value(ty, put.payload.get(cell).unwrap_or_default(), &codec)?;
                Ok(BoundValue {
                    column: ty.clone(),
                    value,
                })
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(wrong)?;
        let outcome = self.engine.execute(&statement.prepared, &values)?;
        *self.put_rows.get_or_insert(0) += outcome.rows;
        Ok(())
    }
}
