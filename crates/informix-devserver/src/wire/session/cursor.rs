//! Cursors: open, fetch, scroll, close.

use informix_protocol::message::blob::put_chunks;
use informix_protocol::message::{FetchBlob, RetType, SFetch, TupId};
use informix_protocol::{ServerMessage, WireText};
use informix_types::{ColumnType, RowForm, SimpleLob, TypeCode};

use super::prepare::INSERT;
use super::sink::TupleSink;
use super::statement::{Cursor, Opening};
use super::{Current, Handled, Session, current, text};
use crate::engine::{CursorOptions, Scroll};
use crate::error::{SqlError, SqlResult};

/// Wire types that ask for the binary form of an extended type: SENDRECV (blob, clob) and BOOLEAN.
const BINARY_FORMS: [u16; 2] = [44, 45];

impl Session {
    /// SQ_CURNAME.
    pub(super) fn cursor_name(&mut self, name: &WireText) -> Handled {
        let codec = self.codec();
        // Names are compared without regard to case: the native client shows `SQL_CUR2` for its `sql_cur2`.
        let name = text::name(name, &codec)?.to_lowercase();
        self.with_statement(|statement| statement.opening.name = Some(name))
    }

    /// SQ_OPEN: answered by nothing but the group's SQ_EOT.
    pub(super) fn open(&mut self) -> Handled {
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        let opening = std::mem::take(&mut statement.opening);
        // A repeated OPEN without CURNAME uses the name of the last one.
        statement.opening = Opening {
            name: opening.name.clone(),
            ..Opening::default()
        };
        if let Cursor::Open { id, .. } = std::mem::take(&mut statement.cursor) {
            let _ = self.engine.close_cursor(id);
        }
        if statement.prepared.kind() == INSERT {
            statement.cursor = Cursor::Insert;
            return Ok(());
        }
        let scroll = opening.scroll;
        let options = CursorOptions {
            name: opening.name.unwrap_or_default(),
            scroll,
            hold: opening.hold,
        };
        let id = self
            .engine
            .open_cursor(&statement.prepared, &statement.bound, options)?;
        statement.cursor = Cursor::Open { id, scroll };
        Ok(())
    }

    /// SQ_NFETCH: rows up to the byte budget, and SQ_DONE with the last ones.
    pub(super) fn fetch(&mut self, buffer: i32) -> Handled {
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        let Cursor::Open { id, .. } = statement.cursor else {
            return Err(SqlError::new(-259).into());
        };
        let budget = usize::try_from(buffer).unwrap_or(0);
        let mut sink = TupleSink::new(std::mem::take(self.channel.lock().out()));
        let fetched = self.engine.fetch(id, budget, statement.form, &mut sink);
        *self.channel.lock().out() = sink.into_inner();
        let fetched = fetched?;
        if fetched.done {
            self.done(0, fetched.total)?;
        }
        Ok(())
    }

    /// SQ_SFETCH: one row and its number, or neither when there is no such row.
    pub(super) fn fetch_scroll(&mut self, fetch: SFetch) -> Handled {
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        let Cursor::Open { id, scroll: true } = statement.cursor else {
            return Err(SqlError::new(-259).into());
        };
        let to = match fetch.kind {
            SFetch::LAST => Scroll::Last,
            SFetch::NEXT | SFetch::ABSOLUTE => Scroll::Absolute(i64::from(fetch.row)),
            kind => {
                return Err(SqlError::new(-999)
                    .because(format!("scroll fetch of kind {kind}"))
                    .into());
            }
        };
        let mut sink = TupleSink::new(Vec::new());
        let position = self.engine.fetch_scroll(id, to, statement.form, &mut sink)?;
        match position {
            Some(position) => {
                self.send(&ServerMessage::TupId(TupId(
                    i32::try_from(position).unwrap_or(i32::MAX),
                )))?;
                self.channel.lock().out().append(&mut sink.into_inner());
                Ok(())
            }
            None => self.done(0, 0),
        }
    }

    /// SQ_RET_TYPE: remembered for the statement, as JDBC sends it once per PREPARE.
    pub(super) fn ret_type(&mut self, types: &RetType) -> Handled {
        let codec = self.codec();
        let form = self.plain_form();
        let statement = self.statement()?;
        if types.direction == 0 {
            let types = types.columns.iter().map(|column| {
                let code = TypeCode::from_wire(column.wire_type)
                    .map_err(|error| SqlError::new(-415).because(error.to_string()))?;
                let mut ty = ColumnType::new(code, column.encoded_length);
                ty.owner = text::name(&column.owner, &codec)?;
                ty.extended_name = text::name(&column.name, &codec)?;
                Ok(ty)
            });
            statement.put_types = Some(types.collect::<SqlResult<_>>()?);
        } else {
            let binary = types
                .columns
                .iter()
                .any(|column| BINARY_FORMS.contains(&(column.wire_type & 0xff)));
            statement.form = RowForm { binary, ..form };
        }
        Ok(())
    }

    /// SQ_FETCHBLOB: the contents of a BYTE or TEXT value of the open cursor.
    pub(super) fn fetch_blob(&mut self, blob: &FetchBlob) -> Handled {
        let statement = current(&mut self.statements, &mut self.command, self.current)?;
        let Cursor::Open { id, .. } = statement.cursor else {
            return Err(SqlError::new(-259).into());
        };
        let descriptor = SimpleLob::from_bytes(&blob.descriptor)
            .map_err(|error| SqlError::new(-450).because(error.to_string()))?;
        let contents = self.engine.simple_blob(id, descriptor.id())?;
        // Chunks always fit: they are cut here.
        let _ = put_chunks(self.channel.lock().out(), &contents);
        // No SQ_DONE: that is how both vendor clients accepted it (captures/jdbc-byte-text, native-byte-text), and the native one
        // takes SQ_DONE for the end of the rows (V).
        Ok(())
    }

    /// SQ_CLOSE.
    pub(super) fn close(&mut self) -> Handled {
        let Ok(statement) = self.statement() else {
            return match self.current {
                // What a native client knows of a deferred prepare that failed.
                Current::Prepared(id) if id < 0 => Ok(()),
                _ => Err(SqlError::new(-267).because("no statement of this id").into()),
            };
        };
        let cursor = std::mem::take(&mut statement.cursor);
        let autofree = statement.autofree;
        if let Cursor::Open { id, .. } = cursor {
            // The end of a transaction may have closed it already; closing twice is no error outside ANSI mode, and
            // after an OPEN that failed the native client closes too.
            let _ = self.engine.close_cursor(id);
        }
        if autofree && let Current::Prepared(id) = self.current {
            self.free(id)?;
        }
        Ok(())
    }
}
