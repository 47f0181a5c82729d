//! Building one group of requests. What stands in a group follows what the vendor's clients put there
//! (`sqli-protocol.md` 13, `native-observed.md` 3); see each function that builds one.

use std::borrow::Cow;

use informix_protocol::client::GroupBuilder;
use informix_protocol::{ClientMessage, EncodeError};
use informix_types::{ColumnType, SimpleLob, TextCodec, TypeCode, Value};

use crate::error::{Error, Kind, Result};
use crate::param::Parameter;

/// A group under construction.
pub(crate) struct Group(pub(super) GroupBuilder);

pub(super) fn too_long(error: EncodeError) -> Error {
    Error::new(Kind::Usage, -460, "the request does not fit the protocol").with_source(error)
}

/// Why a parameter list could not be written.
enum BindError {
    Encode(EncodeError),
    Value(Error),
}

impl From<EncodeError> for BindError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl Group {
    /// One or more messages.
    pub(crate) fn of(mut builder: GroupBuilder, messages: &[ClientMessage]) -> Result<Self> {
        for message in messages {
            builder.push(message).map_err(too_long)?;
        }
        Ok(Self(builder))
    }

    /// SQ_ID, then the messages.
    pub(crate) fn on(mut builder: GroupBuilder, statement: i16, messages: &[ClientMessage]) -> Result<Self> {
        builder.statement(statement);
        Self::of(builder, messages)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, message: &ClientMessage) -> Result<()> {
        self.0.push(message).map(|_| ()).map_err(too_long)
    }

    /// SQ_BIND, and SQ_BBIND with the contents of BYTE and TEXT parameters behind it; nothing without parameters.
    ///
    /// `targets` are the columns that the parameters go to, where they are known: they decide among the forms of a
    /// value, and text for a TEXT column is sent as its contents.
    pub(crate) fn bind(
        &mut self,
        parameters: &[Parameter],
        targets: &[ColumnType],
        codec: &TextCodec,
    ) -> Result<()> {
        if parameters.is_empty() {
            return Ok(());
        }
        let mut contents: Vec<Cow<'_, [u8]>> = Vec::new();
        let bound = self.0.bind_with(parameters.len(), |out| {
            for (index, parameter) in parameters.iter().enumerate() {
                put(parameter, targets.get(index), codec, out, &mut contents)
                    .map_err(|e| BindError::Value(e.with_parameter(index)))?;
            }
            Ok(())
        });
        match bound.map(|_| ()) {
            Ok(()) => {}
            Err(BindError::Encode(e)) => return Err(too_long(e)),
            Err(BindError::Value(e)) => return Err(e),
        }
        if !contents.is_empty() {
            self.0
                .blobs(contents.iter().map(AsRef::as_ref))
                .map_err(too_long)?;
        }
        Ok(())
    }
}

fn put<'p>(
    parameter: &'p Parameter,
    target: Option<&ColumnType>,
    codec: &TextCodec,
    out: &mut Vec<u8>,
    contents: &mut Vec<Cow<'p, [u8]>>,
) -> Result<()> {
    let unfit = |e: informix_types::Error| Error::conversion("the value cannot be sent").with_source(e);
    let is = |code| target.is_some_and(|t| t.code == code);
    let (code, content) = match parameter {
        Parameter::Value(Value::Text(text)) if is(TypeCode::Text) => {
            (TypeCode::Text, codec.encode(text).map_err(unfit)?)
        }
        Parameter::Value(value) => {
            return informix_types::bind::encode(value, target, codec, out).map_err(unfit);
        }
        Parameter::Byte(bytes)
            if target.is_some_and(|t| !matches!(t.code, TypeCode::Byte | TypeCode::Text)) =>
        {
            // Not for a simple large object: an opaque or character value.
            let value = Value::Bytes(bytes.clone());
            return informix_types::bind::encode(&value, target, codec, out).map_err(unfit);
        }
        Parameter::Byte(bytes) => (
            if is(TypeCode::Text) {
                TypeCode::Text
            } else {
                TypeCode::Byte
            },
            Cow::Borrowed(bytes.as_slice()),
        ),
        Parameter::Text(text) => (TypeCode::Text, codec.encode(text).map_err(unfit)?),
    };
    let size = u32::try_from(content.len())
        .ok()
        .filter(|size| i32::try_from(*size).is_ok())
        .ok_or_else(|| Error::conversion("more than 2 GiB"))?;
    let target = ColumnType::new(code, 56);
    let descriptor = Value::SimpleLob(Box::new(SimpleLob::for_bind(size)));
    informix_types::bind::encode(&descriptor, Some(&target), codec, out).map_err(unfit)?;
    contents.push(content);
    Ok(())
}
