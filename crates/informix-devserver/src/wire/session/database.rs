//! Databases, session environment, transactions, savepoints.

use informix_protocol::message::{
    Cost, DbList, DbOpen, Done, Info, InfoBlock, Protocols, SetSavepoint, XactStat,
};
use informix_protocol::{Capabilities, ServerMessage, WireText};

use super::{Handled, Session, text};
use crate::engine::TransactionEvent;
use crate::error::SqlError;
use crate::wire::channel::Broken;

/// Protocol level in the answer to a version query.
const PROTOCOL_LEVEL: i32 = 316;

impl Session {
    /// SQ_PROTOCOLS: the server's own list is the answer, both sides use what both announce.
    pub(super) fn protocols(&mut self, offer: &Protocols) -> Handled {
        let mut answer = Capabilities::SERVER_15.answer_to(&offer.0);
        if self.gate.is_some() {
            answer = answer.with(Capabilities::PAM);
        }
        self.send(&ServerMessage::Protocols(Protocols(answer)))?;
        self.channel.lock().negotiate(&offer.0, &answer);
        Ok(())
    }

    /// SQ_INFO: the environment, of which IFX_PAD_VARCHAR matters here, or the question for the version.
    pub(super) fn info(&mut self, info: &Info) -> Handled {
        for block in &info.blocks {
            match block {
                InfoBlock::Environment(pairs) => {
                    if let Some((_, value)) = pairs.iter().find(|(name, _)| *name == "IFX_PAD_VARCHAR") {
                        self.pad_varchar = *value == "1";
                    }
                }
                InfoBlock::Request => {
                    let text = self.engine.engine().version_text().into();
                    let version = InfoBlock::Version {
                        number: PROTOCOL_LEVEL,
                        text,
                    };
                    self.send(&ServerMessage::Info(Info {
                        blocks: vec![version],
                    }))?;
                }
                InfoBlock::Version { .. } | InfoBlock::Other { .. } => {}
            }
        }
        Ok(())
    }

    /// SQ_DBOPEN: the flags of the database are the first word of the SQ_DONE.
    pub(super) fn open_database(&mut self, open: &DbOpen) -> Handled {
        if self.explicit {
            return Err(SqlError::new(-759).into());
        }
        let name = text::name(&open.name, &self.codec())?.to_lowercase();
        let flags = self.engine.open_database(&name, open.exclusive != 0)?;
        self.done(flags.warnings(), 0)
    }

    /// SQ_DBCLOSE.
    pub(super) fn close_database(&mut self) -> Handled {
        self.engine.close_database()?;
        self.done(0, 0)
    }

    /// SQ_DBLIST, with or without an open database.
    pub(super) fn list_databases(&mut self) -> Handled {
        let codec = self.codec();
        let names = self.engine.engine().database_names();
        let names = names.iter().map(|name| text::encode(name, &codec)).collect();
        self.send(&ServerMessage::DbList(DbList { names }))
    }

    /// SQ_BEGIN.
    pub(super) fn begin(&mut self) -> Handled {
        let event = self.engine.begin()?;
        self.transaction_state(event)
    }

    /// SQ_CMMTWORK.
    pub(super) fn commit(&mut self) -> Handled {
        let event = self.engine.commit()?;
        self.transaction_state(event)
    }

    /// SQ_RBWORK.
    pub(super) fn rollback(&mut self) -> Handled {
        let event = self.engine.rollback()?;
        self.transaction_state(event)
    }

    /// The whole answer to a transaction message on a real server (a public trace). The event numbers are undocumented;
    /// these are what the vendor's clients accepted (`captures/`).
    pub(super) fn transaction_state(&mut self, event: TransactionEvent) -> Handled {
        let (event, new_level, old_level) = match event {
            TransactionEvent::Begun => (1, 1, 0),
            TransactionEvent::Committed => (2, 0, 1),
            TransactionEvent::RolledBack => (3, 0, 1),
        };
        self.send(&ServerMessage::XactStat(XactStat {
            event,
            new_level,
            old_level,
        }))
    }

    /// Message 137.
    pub(super) fn savepoint(&mut self, savepoint: &SetSavepoint) -> Handled {
        let name = self.savepoint_name(&savepoint.name)?;
        self.engine.savepoint(&name, savepoint.unique != 0)?;
        self.done(0, 0)
    }

    /// Message 138.
    pub(super) fn release_savepoint(&mut self, name: &WireText) -> Handled {
        let name = self.savepoint_name(name)?;
        self.engine.release_savepoint(&name)?;
        self.done(0, 0)
    }

    /// Message 139.
    pub(super) fn rollback_to_savepoint(&mut self, name: &WireText) -> Handled {
        let name = self.savepoint_name(name)?;
        self.engine.rollback_to_savepoint(Some(&name))?;
        self.done(0, 0)
    }

    fn savepoint_name(&self, name: &WireText) -> Result<String, super::Fault> {
        Ok(text::name(name, &self.codec())?.to_lowercase())
    }

    /// SQ_DONE without rowid and serial value, and the SQ_COST that follows every SQ_DONE.
    pub(super) fn done(&mut self, warnings: u16, rows: i64) -> Handled {
        Ok(self.send_done(warnings, rows)?)
    }

    pub(super) fn send_done(&mut self, warnings: u16, rows: i64) -> Result<(), Broken> {
        let rows = i32::try_from(rows).unwrap_or(i32::MAX);
        self.send_completion(Done {
            warnings,
            rows,
            ..Done::default()
        })
    }

    pub(super) fn send_completion(&mut self, done: Done) -> Result<(), Broken> {
        self.channel.lock().send(&ServerMessage::Done(done))?;
        // nmap counts on 1, 1.
        self.channel
            .lock()
            .send(&ServerMessage::Cost(Cost { rows: 1, cost: 1 }))
    }
}
