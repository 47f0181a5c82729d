//! BLOB and CLOB by the fast path and SQ_LODATA (`sqli-protocol.md` 14.4 and 15, J). The server wants a transaction
//! around them; without one of the caller's, each call makes its own.

use std::sync::Arc;

use informix_protocol::ClientMessage;
use informix_protocol::message::lodata::CHUNK_BYTES;
use informix_protocol::message::{BindValue, ExecRoutine, GetRoutine, LoDataReply, LoDataRequest};
pub use informix_types::LobKind;
use informix_types::{LobLocator, TypeCode};

use super::group::Group;
use super::link::Purpose;
use super::{Chore, Chores, Session};
use crate::error::{Error, Result};

/// Signatures exactly as the vendor's client sends them; they serve CLOB too.
const OPEN: &str = "function informix.ifx_lo_open(blob ,integer)";
const STAT: &str = "function informix.ifx_lo_stat(int, ifx_lo_stat)";
const SEEK: &str = "function informix.ifx_lo_seek(integer,int8,integer,int8)";
const CLOSE: &str = "function informix.ifx_lo_close(integer)";
const COLUMN_INFO: &str = "function informix.ifx_lo_col_sbinfo(lvarchar,ifx_lo_spec)";
const CREATE: &str = "function informix.ifx_lo_create( ifx_lo_spec,integer,blob)";

/// Mode bits (constants of the vendor client's public class).
const MODE_READ: i32 = 4;
const MODE_READ_WRITE: i32 = 8;

/// Bytes per LODATA request.
const PIECE: usize = 256 * 1024;

const STAT_BYTES: usize = 644;
const SPEC_BYTES: usize = 596;

/// A smart large object that is open on the server.
#[derive(Debug, Clone)]
pub(crate) struct OpenLob {
    descriptor: i32,
    locator: LobLocator,
    transaction: Arc<OwnTransaction>,
}

/// A transaction that was begun for a large object, if one was: committed when nobody has ended it, since statements that
/// the caller executed meanwhile count as committed for him. (An object that no row refers to goes by itself. The end of a
/// transaction that has ended is dropped, see [`Chore::Commit`].)
#[derive(Debug)]
struct OwnTransaction {
    number: Option<u64>,
    chores: Arc<Chores>,
}

impl Drop for OwnTransaction {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.chores.add(Chore::Commit(number));
        }
    }
}

impl OpenLob {
    pub(crate) fn locator(&self) -> LobLocator {
        self.locator
    }
}

/// An empty specification: the magic number and "not set" in the fields, as the vendor's client sends it.
fn empty_spec() -> Vec<u8> {
    let mut spec = vec![0; SPEC_BYTES];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(place) = spec.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    put(0, &[0xda, 0xda, 0xfe, 0xed]);
    put(15, &[1]);
    put(20, &[0xff; 2]);
    put(27, &[1]);
    put(32, &[0xff; 2]);
    put(36, &[0xff; 4]);
    put(572, &[0xff; 8]);
    spec
}

fn named(code: TypeCode, name: &str, data: Vec<u8>) -> BindValue {
    BindValue {
        name: name.into(),
        ..BindValue::new(code, 0, data)
    }
}

fn integer(value: i32) -> BindValue {
    BindValue::new(TypeCode::Integer, 0x0a00, value.to_be_bytes().to_vec())
}

/// INT8: sign word, low half, high half (`sqli-types.md` 4.2).
fn int8(value: i64) -> BindValue {
    let magnitude = value.unsigned_abs().to_be_bytes();
    let mut data = if value < 0 { vec![0xff, 0xff] } else { vec![0, 1] };
    data.extend_from_slice(&magnitude[4..]);
    data.extend_from_slice(&magnitude[..4]);
    BindValue::new(TypeCode::Int8, 0x1300, data)
}

fn read_integer(value: Option<&BindValue>) -> Result<i32> {
    value
        .and_then(|v| v.data.as_deref())
        .and_then(|d| d.try_into().ok())
        .map(i32::from_be_bytes)
        .ok_or_else(|| Error::protocol("a large object routine did not return an integer"))
}

impl Session {
    async fn routine(&mut self, signature: &'static str) -> Result<i32> {
        if let Some(handle) = self.routines.get(signature) {
            return Ok(*handle);
        }
        let ask = ClientMessage::GetRoutine(GetRoutine {
            signature: signature.into(),
            ..GetRoutine::default()
        });
        let group = Group::of(self.group(), &[ask])?;
        let reply = self.ask(group, Purpose::Plain, "routine").await?;
        let handle = reply
            .routine
            .ok_or_else(|| Error::protocol("no handle for a routine"))?
            .handle;
        self.routines.insert(signature, handle);
        Ok(handle)
    }

    /// Calls a routine by the fast path. The database name is empty: the current one (J, from the second use on).
    async fn call(&mut self, signature: &'static str, values: Vec<BindValue>) -> Result<Vec<BindValue>> {
        let handle = self.routine(signature).await?;
        let call = ClientMessage::ExecRoutine(ExecRoutine {
            handle,
            values,
            ..ExecRoutine::default()
        });
        let group = Group::of(self.group(), &[call])?;
        let reply = self.ask(group, Purpose::Plain, signature).await?;
        Ok(reply.results.map(|r| r.values).unwrap_or_default())
    }

    fn begin_for_lob(&mut self) -> Result<Arc<OwnTransaction>> {
        let wanted = !self.in_transaction() && self.info.is_logged() && !self.info.is_ansi();
        let number = if wanted { Some(self.begin()?) } else { None };
        let chores = Arc::clone(self.chores());
        Ok(Arc::new(OwnTransaction { number, chores }))
    }

    async fn end_for_lob<T>(&mut self, own: Arc<OwnTransaction>, done: Result<T>) -> Result<T> {
        if own.number.is_some() && done.is_ok() {
            self.commit().await?;
        }
        // After an error the guard ends it.
        done
    }

    /// Opens an object for reading.
    pub(crate) async fn open_lob(&mut self, locator: &LobLocator) -> Result<OpenLob> {
        let own = self.begin_for_lob()?;
        let values = vec![
            named(TypeCode::SendRecv, "blob", locator.as_bytes().to_vec()),
            integer(MODE_READ),
        ];
        let opened = self
            .call(OPEN, values)
            .await
            .and_then(|results| read_integer(results.first()));
        match opened {
            Ok(descriptor) => Ok(OpenLob {
                descriptor,
                locator: *locator,
                transaction: own,
            }),
            Err(e) => self.end_for_lob(own, Err(e)).await,
        }
    }

    /// Makes an object with the storage settings of a column (`table.column`), open for writing.
    pub(crate) async fn create_lob(&mut self, kind: LobKind, column: &str) -> Result<OpenLob> {
        let own = self.begin_for_lob()?;
        match self.create_lob_inner(kind, column).await {
            Ok((descriptor, locator)) => Ok(OpenLob {
                descriptor,
                locator,
                transaction: own,
            }),
            Err(e) => self.end_for_lob(own, Err(e)).await,
        }
    }

    async fn create_lob_inner(&mut self, kind: LobKind, column: &str) -> Result<(i32, LobLocator)> {
        self.know_locale_for(column.is_ascii()).await?;
        let name = self.encode_sql(column)?;
        let ask = vec![
            named(TypeCode::LVarChar, "lvarchar", name),
            named(TypeCode::SendRecv, "ifx_lo_spec", empty_spec()),
        ];
        let answer = self.call(COLUMN_INFO, ask).await?;
        let spec = answer
            .into_iter()
            .next()
            .and_then(|v| v.data)
            .unwrap_or_else(empty_spec);
        let make = vec![
            named(TypeCode::SendRecv, "ifx_lo_spec", spec),
            integer(MODE_READ_WRITE),
            named(
                TypeCode::SendRecv,
                "blob",
                vec![0; informix_types::lob::LOCATOR_LEN],
            ),
        ];
        let made = self.call(CREATE, make).await?;
        let locator = made.first().and_then(|v| v.data.as_deref()).unwrap_or_default();
        let locator = LobLocator::from_body(kind, locator)
            .map_err(|e| Error::protocol("a new large object has no locator").with_source(e))?;
        Ok((read_integer(made.get(1))?, locator))
    }

    /// Bytes from the current position: fewer than asked for only at the end.
    pub(crate) async fn read_lob(&mut self, lob: &OpenLob, length: usize) -> Result<Vec<u8>> {
        let length = i32::try_from(length.min(PIECE)).unwrap_or(0);
        let read = LoDataRequest::Read {
            descriptor: lob.descriptor_word()?,
            length,
            chunk: CHUNK_BYTES,
        };
        let group = Group::of(self.group(), &[ClientMessage::LoData(read)])?;
        match self.ask(group, Purpose::Plain, "read large object").await?.lob {
            Some(LoDataReply::Data { data, .. }) => Ok(data),
            _ => Err(Error::protocol("no data of a large object")),
        }
    }

    /// Writes at the current position.
    pub(crate) async fn write_lob(&mut self, lob: &OpenLob, data: &[u8]) -> Result<()> {
        for piece in data.chunks(PIECE) {
            let write = LoDataRequest::Write {
                descriptor: lob.descriptor_word()?,
                data: piece.to_vec(),
                chunk: CHUNK_BYTES,
            };
            let group = Group::of(self.group(), &[ClientMessage::LoData(write)])?;
            match self.ask(group, Purpose::Plain, "write large object").await?.lob {
                Some(LoDataReply::Written(n)) if usize::try_from(n).is_ok_and(|n| n == piece.len()) => {}
                _ => {
                    return Err(Error::server(-12052, 0, 0, "")
                        .with_context("the large object was not written as a whole"));
                }
            }
        }
        Ok(())
    }

    /// Moves to a position from the start.
    pub(crate) async fn seek_lob(&mut self, lob: &OpenLob, offset: i64) -> Result<()> {
        let values = vec![integer(lob.descriptor), int8(offset), integer(0), int8(0)];
        self.call(SEEK, values).await.map(|_| ())
    }

    /// Size in bytes: low and high half at offset 4 of the status (J).
    pub(crate) async fn lob_size(&mut self, lob: &OpenLob) -> Result<u64> {
        let values = vec![
            integer(lob.descriptor),
            named(TypeCode::SendRecv, "ifx_lo_stat", vec![0; STAT_BYTES]),
        ];
        let results = self.call(STAT, values).await?;
        let status = results
            .first()
            .and_then(|v| v.data.as_deref())
            .unwrap_or_default();
        match status.get(4..12) {
            Some([l0, l1, l2, l3, h0, h1, h2, h3]) => {
                Ok(u64::from_be_bytes([*h0, *h1, *h2, *h3, *l0, *l1, *l2, *l3]))
            }
            _ => Err(Error::protocol("the status of a large object is too short")),
        }
    }

    /// Closes an object, and ends the transaction that was begun for it.
    pub(crate) async fn close_lob(&mut self, lob: OpenLob) -> Result<()> {
        let closed = self.call(CLOSE, vec![integer(lob.descriptor)]).await.map(|_| ());
        self.end_for_lob(lob.transaction, closed).await
    }

    /// The whole contents of an object.
    pub(crate) async fn lob_contents(&mut self, locator: &LobLocator) -> Result<Vec<u8>> {
        let lob = self.open_lob(locator).await?;
        let mut contents = Vec::new();
        let read = loop {
            match self.read_lob(&lob, PIECE).await {
                Ok(piece) => {
                    contents.extend_from_slice(&piece);
                    if piece.len() < PIECE {
                        break Ok(());
                    }
                }
                Err(e) => break Err(e),
            }
        };
        match read {
            Ok(()) => self.close_lob(lob).await.map(|()| contents),
            Err(e) => self.end_for_lob(lob.transaction, Err(e)).await,
        }
    }
}

impl OpenLob {
    fn descriptor_word(&self) -> Result<i16> {
        i16::try_from(self.descriptor).map_err(|_| {
            Error::protocol(format!(
                "descriptor {} of a large object has no 16 bits",
                self.descriptor
            ))
        })
    }
}
