//! OUT and INOUT parameters as the Java driver gets them: the steps are in `informix_protocol::message::routine` (J).

use informix_protocol::ServerMessage;
use informix_protocol::message::{
    BindValue, DescribeCall, IfpDescribe, RoutineHandle, RoutineParameters, RoutineResult,
};
use informix_types::{BoundValue, TextCodec, bind};

use super::{Handled, Session, text};
use crate::engine::{Callable, PrepareOptions, Prepared};
use crate::error::{SqlError, SqlResult};

/// Handles of stored routines are their numbers behind this one.
pub(super) const STORED: i32 = 1000;

impl Session {
    /// A call with OUT parameters is refused in the way that makes the Java driver ask for them.
    pub(super) fn announce_outputs(&self, prepared: &Prepared) -> SqlResult<()> {
        let Some(call) = self.engine.call_with_outputs(prepared)? else {
            return Ok(());
        };
        let database = self
            .engine
            .database()
            .map_or("", |database| database.name.as_str());
        // The driver looks for two colons, and at nothing behind the second.
        Err(SqlError::new(-9752)
            .token(format!("{database}:{}:{}", call.id, call.name))
            .because("OUT parameters outside of routines"))
    }

    /// SQ_CFPDESCRIBE: types are left to what the application registers.
    pub(super) fn describe_call(&mut self, describe: &DescribeCall) -> Handled {
        let parameters = self.engine.callable(i64::from(describe.id))?.outputs.len();
        self.send(&ServerMessage::IfpDescribe(IfpDescribe { parameters }))
    }

    /// SQ_GETROUTINE by id.
    pub(super) fn stored_routine(&mut self, id: i32) -> Handled {
        let codec = self.codec();
        let Callable {
            returned, outputs, ..
        } = self.engine.callable(i64::from(id))?;
        let database = self.engine.database();
        let database = database.map(|database| text::encode(&database.name, &codec));
        let handle = STORED
            .checked_add(id)
            .ok_or_else(|| SqlError::new(-674).because(format!("no routine of number {id}")))?;
        self.send(&ServerMessage::RoutineHandle(RoutineHandle {
            database: database.unwrap_or_default(),
            handle,
        }))?;
        self.send(&ServerMessage::RoutineParameters(RoutineParameters {
            returned,
            outputs,
        }))
    }

    /// SQ_EXFPROUTINE of a stored routine.
    pub(super) fn call_stored(&mut self, id: i64, arguments: &[BoundValue]) -> Handled {
        let codec = self.codec();
        let name = self.engine.callable(id)?.name;
        let markers = vec!["?"; arguments.len()].join(", ");
        let sql = format!("EXECUTE PROCEDURE {name}({markers})");
        let prepared = self.engine.prepare(&sql, &PrepareOptions::default())?;
        let values = self.engine.execute_for_outputs(&prepared, arguments)?;
        let values = values.iter().map(|value| bind_value(value, &codec));
        let values = values.collect::<SqlResult<Vec<_>>>()?;
        self.send(&ServerMessage::RoutineResult(RoutineResult { values }))
    }
}

fn bind_value(bound: &BoundValue, codec: &TextCodec) -> SqlResult<BindValue> {
    let failed = |error: informix_types::Error| SqlError::new(-999).because(error.to_string());
    let mut bytes = Vec::new();
    bind::encode(&bound.value, Some(&bound.column), codec, &mut bytes).map_err(failed)?;
    let (raw, _) = bind::scan(&bytes, bytes.len()).map_err(failed)?;
    Ok(BindValue {
        code: raw.code,
        owner: raw.owner.into(),
        name: raw.name.into(),
        precision: raw.precision,
        data: raw.data.map(<[u8]>::to_vec),
    })
}
