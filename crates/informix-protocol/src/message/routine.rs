//! Fast-path routine calls: SQ_GETROUTINE, SQ_EXFPROUTINE, SQ_FPROUTINE.
//!
//! The Java client (binary login) sends a leading byte and a database name that the native client (text login) leaves
//! out, although bit 62 is set in both: the login form decides. Evidence: captures/jdbc-smartlob-*, native-smartlob,
//! peer driver for the Java form.
//!
//! # OUT parameters
//!
//! What IBM's Java driver sends, and which replies give it the values of OUT parameters (J, found with scripted replies; what a
//! real server puts into the bytes that are 0 here is unknown):
//!
//! 1. PREPARE of `execute procedure p(?, ?)` is answered with SQ_ERR -9752 and the token `database:procid:`.
//! 2. [`DescribeCall`], and [`IfpDescribe`] in reply.
//! 3. At the execution [`GetRoutine`] by id; the reply is [`RoutineHandle`] and [`RoutineParameters`].
//! 4. [`ExecRoutine`] and [`RoutineState`]; OUT parameters are NULLs of the registered types. [`RoutineResult`] has the OUT values
//!    in the order of the parameters, then what the routine returns.
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
/// | by id | u8 | 0, or 1 for a stored routine; only in the Java form |
/// | signature | lchar | exact text; by id the name of the database |
/// | id | i32 | `sysprocedures.procid`; only by id |
/// | send parameters | i16 | 0; by id 1 |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetRoutine {
    /// Signature text, e.g. `function informix.ifx_lo_close(integer)`.
    /// By id it is the name of the database.
    pub signature: WireText,
    /// The number of a stored routine.
    pub id: Option<i32>,
    /// The word behind it.
    pub parameters: i16,
}

impl WireMessage for GetRoutine {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::GETROUTINE);
        if !n.native_routines() {
            out.push(u8::from(self.id.is_some()));
        }
        out.put_long_char(n.wide_sql(), self.signature.as_bytes(), "signature of a routine")?;
        if let Some(id) = self.id.filter(|_| !n.native_routines()) {
            out.put_i32(id);
        }
        out.put_i16(self.parameters);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let by_id = !n.native_routines() && flag(r, "routine by id")?;
        let signature = r.long_char(n.wide_sql(), "signature of a routine")?.into();
        Ok(Self {
            signature,
            id: if by_id { Some(r.i32()?) } else { None },
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

/// SQ_CFPDESCRIBE (131), client to server: asks for the parameters of a stored routine. `u8 1, char database, i32 procid`.
///
/// The Java driver lets an SQ_EOT of its own follow behind that of the group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeCall {
    /// Database of the routine.
    pub database: WireText,
    /// `sysprocedures.procid`.
    pub id: i32,
}

impl WireMessage for DescribeCall {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::CFPDESCRIBE);
        out.push(1);
        out.put_char(self.database.as_bytes(), "database of a routine")?;
        out.put_i32(self.id);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        if !flag(r, "routine by id")? {
            return Err(ErrorKind::Invalid {
                field: "routine by id",
                value: 0,
            }
            .into());
        }
        Ok(Self {
            database: r.char()?.into(),
            id: r.i32()?,
        })
    }
}

/// SQ_IFPDESCRIBE (132), server to client: `i16` number of parameters, then 24 bytes for each, all 0: the types are then those
/// that the application names. (An entry seems to be `i16 flags` and an entry of SQ_IDESCRIBE.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IfpDescribe {
    /// How many parameters the routine has.
    pub parameters: usize,
}

/// Bytes of an entry of [`IfpDescribe`].
const ENTRY: usize = 24;

impl WireMessage for IfpDescribe {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::IFPDESCRIBE);
        out.put_count(self.parameters, "number of parameters")?;
        out.resize(out.len() + self.parameters * ENTRY, 0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let parameters = count(r, "number of parameters")?;
        for _ in 0..parameters {
            r.take(ENTRY)?;
        }
        Ok(Self { parameters })
    }
}

/// Bytes of unknown meaning at the beginning of [`RoutineParameters`], and for each value and parameter.
const HEAD: usize = 33;
const DESCRIPTION: usize = 15;

/// SQ_FPARAM (104), server to client, behind the handle of a routine by id.
///
/// | field | size | |
/// |---|---|---|
/// | ? | 33 | 0 |
/// | returned values | i16 | then 15 bytes for each |
/// | parameters | i16 | |
/// | named | i16 | 1: byte and name stand before each parameter |
/// | per parameter | u8, char, 15, i16 | 0, empty, 0, mode: 1 for OUT, 0 for IN |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoutineParameters {
    /// How many values the routine returns beside OUT parameters.
    pub returned: usize,
    /// For each parameter, whether it gives a value back.
    pub outputs: Vec<bool>,
}

impl WireMessage for RoutineParameters {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FPARAM);
        out.extend_from_slice(&[0; HEAD]);
        out.put_count(self.returned, "number of results")?;
        out.resize(out.len() + self.returned * DESCRIPTION, 0);
        out.put_count(self.outputs.len(), "number of parameters")?;
        out.put_i16(1);
        for output in &self.outputs {
            out.push(0);
            out.put_char(b"", "name of a parameter")?;
            out.extend_from_slice(&[0; DESCRIPTION]);
            out.put_i16(i16::from(*output));
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        r.take(HEAD)?;
        let returned = count(r, "number of results")?;
        for _ in 0..returned {
            r.take(DESCRIPTION)?;
        }
        let parameters = count(r, "number of parameters")?;
        let named = r.i16()? & 1 != 0;
        let mut outputs = Vec::new();
        for _ in 0..parameters {
            if named {
                r.u8()?;
                r.char()?;
            }
            r.take(DESCRIPTION)?;
            outputs.push(r.i16()? == 1);
        }
        Ok(Self { returned, outputs })
    }
}

/// SQ_FPARAM (104), client to server, behind the arguments of a routine by id: 15 bytes, of which the first word, the four bytes
/// from the eleventh on and the last one come from [`RoutineParameters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoutineState(pub [u8; DESCRIPTION]);

impl WireMessage for RoutineState {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::FPARAM);
        out.extend_from_slice(&self.0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let mut state = Self::default();
        state.0.copy_from_slice(r.take(DESCRIPTION)?);
        Ok(state)
    }
}

/// A byte that is 0 or 1.
fn flag(r: &mut Reader<'_>, field: &'static str) -> Result<bool, DecodeError> {
    match r.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        value => Err(ErrorKind::Invalid {
            field,
            value: i64::from(value),
        }
        .into()),
    }
}
