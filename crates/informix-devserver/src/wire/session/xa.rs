//! Distributed transactions (`sqli-protocol.md` 11.2; the vendor's Java driver in `captures/jdbc-xa.txt`).

use informix_protocol::ServerMessage;
use informix_protocol::message::{XaBranch, XaDatabase, XaRecover, XaResult, Xid};

use super::{Handled, Session, text};
use crate::engine::{self, BranchId, XaFailure, XaVote};
use crate::error::SqlError;

/// XA_RDONLY: the branch changed nothing and is over.
const READ_ONLY: i16 = 3;

impl Session {
    /// SQ_XOPEN: takes the place of SQ_DBOPEN.
    pub(super) fn xa_open(&mut self, open: &XaDatabase) -> Handled {
        if self.explicit {
            return Err(SqlError::new(-759).into());
        }
        let name = text::name(&open.database, &self.codec())?.to_lowercase();
        self.engine.open_database(&name, false)?;
        self.xa_reply(0, Vec::new())
    }

    /// SQ_XCLOSE.
    pub(super) fn xa_close(&mut self) -> Handled {
        let code = match self.engine.close_database() {
            Ok(()) => 0,
            Err(_) => XaFailure::Protocol as i16,
        };
        self.xa_reply(code, Vec::new())
    }

    /// A message about one branch that is done or not.
    pub(super) fn xa(
        &mut self,
        message: &XaBranch,
        act: impl FnOnce(&mut engine::Session, &BranchId, i32) -> engine::XaResult<()>,
    ) -> Handled {
        let result = branch_id(&message.xid).and_then(|id| act(&mut self.engine, &id, message.flags));
        self.xa_reply(result.map_or_else(|failure| failure as i16, |()| 0), Vec::new())
    }

    /// SQ_XPREPARE.
    pub(super) fn xa_prepare(&mut self, message: &XaBranch) -> Handled {
        let vote = branch_id(&message.xid).and_then(|id| self.engine.xa_prepare(&id));
        let code = match vote {
            Ok(XaVote::Prepared) => 0,
            Ok(XaVote::ReadOnly) => READ_ONLY,
            Err(failure) => failure as i16,
        };
        self.xa_reply(code, Vec::new())
    }

    /// SQ_XRECOVER: the code is the number of the ids.
    pub(super) fn xa_recover(&mut self, scan: XaRecover) -> Handled {
        let most = scan.max.min(i32::from(i16::MAX));
        match self.engine.xa_recover(most, scan.flags) {
            Ok(found) => {
                let xids: Vec<Xid> = found
                    .iter()
                    .filter_map(|id| Xid::new(id.format, &id.global, &id.branch))
                    .collect();
                self.xa_reply(i16::try_from(xids.len()).unwrap_or(i16::MAX), xids)
            }
            Err(failure) => self.xa_reply(failure as i16, Vec::new()),
        }
    }

    fn xa_reply(&mut self, code: i16, xids: Vec<Xid>) -> Handled {
        self.send(&ServerMessage::XaResult(XaResult { code, xids }))
    }
}

/// The id as the engine knows it; format -1 is that of no transaction.
fn branch_id(xid: &Xid) -> engine::XaResult<BranchId> {
    let part = |from: usize, length: i32| {
        let length = usize::try_from(length).ok()?;
        let bytes = xid.data.get(from..from.checked_add(length)?)?;
        Some((bytes.to_vec(), from + length))
    };
    let parts = part(0, xid.global_length)
        .and_then(|(global, end)| part(end, xid.branch_length).map(|(branch, _)| (global, branch)));
    match parts {
        Some((global, branch)) if xid.format != -1 => Ok(BranchId {
            format: xid.format,
            global,
            branch,
        }),
        _ => Err(XaFailure::Invalid),
    }
}
