//! Fast-path routines and the bytes of smart large objects.

use informix_protocol::message::{ExecRoutine, GetRoutine, LoDataRequest};

use super::{Handled, Session, text};
use crate::error::SqlError;

impl Session<'_> {
    /// SQ_GETROUTINE: -674 for a signature that is not known.
    pub(super) fn get_routine(&mut self, routine: &GetRoutine) -> Handled {
        let signature = text::name(&routine.signature, &self.codec())?;
        Err(SqlError::new(-674).token(signature).into())
    }

    /// SQ_EXFPROUTINE.
    pub(super) fn call_routine(&mut self, call: &ExecRoutine) -> Handled {
        Err(SqlError::new(-674)
            .because(format!("no routine of handle {}", call.handle))
            .into())
    }

    /// SQ_LODATA: -9810 for a descriptor that is not open.
    pub(super) fn lo_data(&mut self, _request: &LoDataRequest) -> Handled {
        Err(SqlError::new(-9810).into())
    }
}
