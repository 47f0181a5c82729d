//! The fast path to the routines of smart large objects, and SQ_LODATA for their bytes (`sqli-protocol.md` 14.4, 15).

use informix_protocol::message::{
    BindValue, ExecRoutine, GetRoutine, LoDataReply, LoDataRequest, RoutineHandle, RoutineResult,
};
use informix_protocol::{ServerMessage, WireText};
use informix_types::{BoundValue, TextCodec, TypeCode, Value};

use super::outputs::STORED;
use super::{Handled, Session, text};
use crate::error::{SqlError, SqlResult};
use crate::lobs::{Locator, SessionLobs, Whence};

/// Bytes of an `ifx_lo_stat`, and where its size stands: low half, high half, sign word (J).
const STAT_BYTES: usize = 644;
const STAT_SIZE_AT: usize = 4;

/// A routine that the fast path knows. Its handle is its place in [`ROUTINES`], from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routine {
    Open,
    Close,
    Create,
    Release,
    Seek,
    Tell,
    Stat,
    Truncate,
    ColumnInfo,
}

const ROUTINES: [(&str, Routine); 9] = [
    ("ifx_lo_open", Routine::Open),
    ("ifx_lo_close", Routine::Close),
    ("ifx_lo_create", Routine::Create),
    ("ifx_lo_release", Routine::Release),
    ("ifx_lo_seek", Routine::Seek),
    ("ifx_lo_tell", Routine::Tell),
    ("ifx_lo_stat", Routine::Stat),
    ("ifx_lo_truncate", Routine::Truncate),
    ("ifx_lo_col_sbinfo", Routine::ColumnInfo),
];

impl Session {
    /// SQ_GETROUTINE: the handle of a signature like `function informix.ifx_lo_close(integer)`; -674 for an unknown one.
    pub(super) fn get_routine(&mut self, routine: &GetRoutine) -> Handled {
        if let Some(id) = routine.id {
            return self.stored_routine(id);
        }
        let codec = self.codec();
        let signature = text::name(&routine.signature, &codec)?;
        let name = routine_name(&signature).to_ascii_lowercase();
        let Some(handle) = ROUTINES.iter().position(|(known, _)| *known == name) else {
            return Err(SqlError::new(-674).token(name).because(signature).into());
        };
        let database = self
            .engine
            .database()
            .map(|database| text::encode(&database.name, &codec));
        self.send(&ServerMessage::RoutineHandle(RoutineHandle {
            database: database.unwrap_or_default(),
            handle: i32::try_from(handle + 1).unwrap_or(0),
        }))
    }

    /// SQ_EXFPROUTINE. An empty database name, as JDBC sends it later on, means the current one.
    pub(super) fn call_routine(&mut self, call: &ExecRoutine) -> Handled {
        let arguments = arguments(call, &self.codec())?;
        if call.handle > STORED {
            return self.call_stored(i64::from(call.handle - STORED), &arguments);
        }
        let routine = usize::try_from(call.handle)
            .ok()
            .and_then(|handle| ROUTINES.get(handle.checked_sub(1)?));
        let Some((_, routine)) = routine else {
            return Err(SqlError::new(-674)
                .because(format!("no routine of handle {}", call.handle))
                .into());
        };
        let values = self.engine.lobs().call(*routine, &Arguments(&arguments))?;
        self.send(&ServerMessage::RoutineResult(RoutineResult { values }))
    }

    /// SQ_LODATA.
    pub(super) fn lo_data(&mut self, request: &LoDataRequest) -> Handled {
        let lobs = self.engine.lobs();
        let read = |operation, descriptor: i16, length: i32, chunk: u16| {
            let length = usize::try_from(length).unwrap_or(0);
            let data = lobs.read(i64::from(descriptor), length)?;
            // A chunk's length must fit 15 bits in the form without bit 14.
            let chunk = usize::from(chunk.clamp(1, informix_protocol::message::lodata::CHUNK_BYTES));
            Ok::<_, SqlError>(LoDataReply::Data {
                operation,
                data,
                chunk,
            })
        };
        let reply = match request {
            LoDataRequest::Read {
                descriptor,
                length,
                chunk,
            } => read(0, *descriptor, *length, *chunk)?,
            LoDataRequest::ReadAt {
                descriptor,
                length,
                chunk,
                offset,
                whence,
            } => {
                lobs.seek(i64::from(*descriptor), *offset, from_whence(i64::from(*whence))?)?;
                read(1, *descriptor, *length, *chunk)?
            }
            LoDataRequest::Write { descriptor, data, .. } => {
                lobs.write(i64::from(*descriptor), data)?;
                LoDataReply::Written(i32::try_from(data.len()).unwrap_or(i32::MAX))
            }
        };
        self.send(&ServerMessage::LoData(reply))
    }
}

fn arguments(call: &ExecRoutine, codec: &TextCodec) -> SqlResult<Vec<BoundValue>> {
    let bound = call.values.iter().map(|value| value.bound(codec));
    bound
        .map(|bound| bound.map_err(|error| SqlError::new(-415).because(error.to_string())))
        .collect()
}

/// `function informix.ifx_lo_open(blob ,integer)` -> `ifx_lo_open`.
fn routine_name(signature: &str) -> &str {
    let head = signature.split('(').next().unwrap_or_default();
    let name = head.trim().rsplit([' ', '.', ':']).next().unwrap_or_default();
    name.trim()
}

/// Arguments of a call, by position.
struct Arguments<'a>(&'a [BoundValue]);

impl Arguments<'_> {
    fn get(&self, index: usize) -> SqlResult<&Value> {
        self.0
            .get(index)
            .map(|argument| &argument.value)
            .ok_or_else(|| SqlError::new(-254))
    }

    fn integer(&self, index: usize) -> SqlResult<i64> {
        self.get(index)?
            .as_i64()
            .ok_or_else(|| SqlError::new(-9810).because("a number was expected"))
    }

    fn locator(&self, index: usize) -> SqlResult<Locator> {
        match self.get(index)? {
            Value::LobLocator(locator) => Locator::from_bytes(locator.as_bytes()),
            Value::Bytes(bytes) => Locator::from_bytes(bytes),
            _ => Err(SqlError::new(-9810).because("a large object was expected")),
        }
    }

    fn bytes(&self, index: usize) -> SqlResult<&[u8]> {
        match self.get(index)? {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(SqlError::new(-9810).because("an opaque value was expected")),
        }
    }
}

impl SessionLobs {
    fn call(&self, routine: Routine, arguments: &Arguments<'_>) -> SqlResult<Vec<BindValue>> {
        Ok(match routine {
            Routine::Open => vec![integer(self.open(arguments.locator(0)?)?)],
            Routine::Close => {
                self.close(arguments.integer(0)?)?;
                vec![integer(0)]
            }
            // Two results: the locator and its descriptor.
            Routine::Create => {
                let (locator, descriptor) = self.create()?;
                vec![opaque("blob", locator.as_bytes().to_vec()), integer(descriptor)]
            }
            Routine::Release => {
                arguments.locator(0)?;
                vec![integer(0)]
            }
            Routine::Seek => {
                let whence = from_whence(arguments.integer(2)?)?;
                vec![int8(self.seek(
                    arguments.integer(0)?,
                    arguments.integer(1)?,
                    whence,
                )?)]
            }
            Routine::Tell => vec![int8(self.seek(arguments.integer(0)?, 0, Whence::Current)?)],
            Routine::Stat => vec![opaque("ifx_lo_stat", stat(self.size(arguments.integer(0)?)?))],
            Routine::Truncate => {
                self.truncate(arguments.integer(0)?, arguments.integer(1)?)?;
                vec![integer(0)]
            }
            // The characteristics of a column's large objects: none differ from what the client has put there.
            Routine::ColumnInfo => vec![opaque("ifx_lo_spec", arguments.bytes(1)?.to_vec())],
        })
    }
}

fn from_whence(number: i64) -> SqlResult<Whence> {
    match number {
        0 => Ok(Whence::Start),
        1 => Ok(Whence::Current),
        2 => Ok(Whence::End),
        other => Err(SqlError::new(-9810).because(format!("whence {other}"))),
    }
}

fn stat(size: u64) -> Vec<u8> {
    let mut stat = vec![0; STAT_BYTES];
    let size = size.to_be_bytes();
    let fields = [&size[4..], &size[..4], &[0, 1]].concat();
    if let Some(place) = stat.get_mut(STAT_SIZE_AT..STAT_SIZE_AT + fields.len()) {
        place.copy_from_slice(&fields);
    }
    stat
}

fn integer(value: i16) -> BindValue {
    BindValue::new(TypeCode::Integer, 0, i32::from(value).to_be_bytes().to_vec())
}

/// INT8: sign word, low half, high half.
fn int8(value: u64) -> BindValue {
    let value = value.to_be_bytes();
    BindValue::new(TypeCode::Int8, 0, [&[0, 1], &value[4..], &value[..4]].concat())
}

fn opaque(name: &str, data: Vec<u8>) -> BindValue {
    BindValue {
        name: WireText::from(name),
        ..BindValue::new(TypeCode::SendRecv, 0, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_signatures() {
        for signature in [
            "function informix.ifx_lo_open(blob ,integer)",
            "function informix.ifx_lo_open(blob,integer)",
            "ifx_lo_open",
            "function testdb:informix.ifx_lo_open (blob)",
        ] {
            assert_eq!(routine_name(signature), "ifx_lo_open", "{signature}");
        }
    }

    #[test]
    fn the_size_in_a_stat() {
        let stat = stat(0x1_0000_0026);
        assert_eq!(stat.len(), 644);
        assert_eq!(stat[..14], [0, 0, 0, 0, 0, 0, 0, 0x26, 0, 0, 0, 1, 0, 1]);
    }
}
