//! Fast-path routine calls: SQ_GETROUTINE, SQ_EXFPROUTINE, SQ_FPROUTINE.
//!
//! The Java client (binary login) sends a leading byte and a database name that the native client (text login) leaves
//! out, although bit 62 is set in both: the login form decides. Evidence: captures/jdbc-smartlob-*, native-smartlob,
//! peer driver for the Java form.
//!
//! # OUT parameters
//!
//! Not implemented. What IBM's Java driver sends, and which replies give it the values of OUT parameters (J, against scripted
//! replies; what a real server puts into the bytes that may be 0 is unknown):
//!
//! 1. PREPARE of `execute procedure p(?, ?)` is answered with SQ_ERR -9752 and the token `database:procid:`.
//! 2. SQ_CFPDESCRIBE (131): `u8 1, char database, i32 procid`, with an SQ_EOT of its own behind that of the group. An
//!    SQ_IFPDESCRIBE (132) of 0 parameters is enough; an entry is `i16 flags` and an entry of SQ_IDESCRIBE (24 bytes with empty
//!    names), odd flags put `u8, char name` between them.
//! 3. At the execution SQ_GETROUTINE: `u8 1, lchar database, i32 procid, i16 1`. The reply is the handle and SQ_FPARAM (104):
//!    33 bytes, `i16` number of returned values and 15 bytes for each, `i16` number of parameters, `i16 1`, then for each
//!    parameter `u8, char name`, 15 bytes and `i16` mode: 1 for OUT, 0 for IN.
//! 4. SQ_EXFPROUTINE with the word 1 behind the count; OUT parameters are NULLs of the registered types; SQ_FPARAM of 15 bytes
//!    follows. SQ_FPROUTINE has the OUT values in the order of the parameters, then what the routine returns.
//!
//! Without step 1 the driver refuses `registerOutParameter` with -79827. The `?` before `=` in `{? = call f(?)}` is not counted by it.

use super::WireMessage;
use super::bind::{BindValue, count};
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// SQ_GETROUTINE (101), client to server: asks for the handle of a routine.
///
/// | field | size | |
/// |---|---|---|
/// | by id | u8 | 0; only in the Java form |
/// | signature | lchar | exact text |
/// | send parameters | i16 | 0 |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetRoutine {
    /// Signature text, e.g. `function informix.ifx_lo_close(integer)`.
    pub signature: WireText,
    /// The word behind it.
    pub parameters: i16,
}

impl WireMessage for GetRoutine {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::GETROUTINE);
        if !n.native_routines() {
            out.push(0);
        }
        out.put_long_char(n.wide_sql(), self.signature.as_bytes(), "signature of a routine")?;
        out.put_i16(self.parameters);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        if !n.native_routines() {
            match r.u8()? {
                0 => {}
                value => {
                    let field = "routine by id";
                    return Err(ErrorKind::Invalid {
                        field,
                        value: i64::from(value),
                    }
                    .into());
                }
            }
        }
        let signature = r.long_char(n.wide_sql(), "signature of a routine")?.into();
        Ok(Self {
            signature,
            parameters: r.i16()?,
        })
    }
}

/// SQ_GETROUTINE (101), server to client: `char database` (only in the Java form), `i32 handle`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoutineHandle {
    /// Database of the routine.
    pub database: WireText,
    /// Handle for calls on this connection.
    pub handle: i32,
}

impl WireMessage for RoutineHandle {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::GETROUTINE);
        if !n.native_routines() {
            out.put_char(self.database.as_bytes(), "database of a routine")?;
        }
        out.put_i32(self.handle);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let database = if n.native_routines() {
            WireText::new()
        } else {
            r.char()?.into()
        };
        Ok(Self {
            database,
            handle: r.i32()?,
        })
    }
}

/// SQ_EXFPROUTINE (102), client to server: calls a routine.
///
/// | field | size | |
/// |---|---|---|
/// | database | char | only in the Java form; empty = current |
/// | handle | i32 | |
/// | count | i16 | |
/// | send parameters | i16 | 0 |
/// | values | | SQ_BIND with its tag |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecRoutine {
    /// Database of the routine, or empty.
    pub database: WireText,
    /// Handle from [`RoutineHandle`].
    pub handle: i32,
    /// The word behind the count.
    pub parameters: i16,
    /// The arguments.
    pub values: Vec<BindValue>,
}

impl WireMessage for ExecRoutine {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::EXFPROUTINE);
        if !n.native_routines() {
            out.put_char(self.database.as_bytes(), "database of a routine")?;
        }
        out.put_i32(self.handle);
        out.put_count(self.values.len(), "number of arguments")?;
        out.put_i16(self.parameters);
        out.put_u16(tag::BIND);
        out.put_count(self.values.len(), "number of arguments")?;
        self.values.iter().try_for_each(|value| value.encode(out))
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let database = if n.native_routines() {
            WireText::new()
        } else {
            r.char()?.into()
        };
        let handle = r.i32()?;
        let announced = count(r, "number of arguments")?;
        let parameters = r.i16()?;
        let tag = r.u16()?;
        if tag != tag::BIND {
            return Err(ErrorKind::Invalid {
                field: "tag inside SQ_EXFPROUTINE",
                value: i64::from(tag),
            }
            .into());
        }
        let bound = count(r, "number of arguments")?;
        if bound != announced {
            return Err(ErrorKind::Invalid {
                field: "number of arguments",
                value: bound as i64,
            }
            .into());
        }
        Ok(Self {
            database,
            handle,
            parameters,
            values: BindValue::decode_many(r, bound)?,
        })
    }
}

/// SQ_FPROUTINE (103), server to client: `i16 count`, then that many [`BindValue`]s.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoutineResult {
    /// The results.
    pub values: Vec<BindValue>,
}

impl WireMessage for RoutineResult {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FPROUTINE);
        out.put_count(self.values.len(), "number of results")?;
        self.values.iter().try_for_each(|value| value.encode(out))
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let count = count(r, "number of results")?;
        Ok(Self {
            values: BindValue::decode_many(r, count)?,
        })
    }
}
