//! Building one group of requests. What stands in a group follows what the vendor's clients put there
//! (`sqli-protocol.md` 13, `native-observed.md` 3); see each function that builds one.

use std::borrow::Cow;

use informix_protocol::client::GroupBuilder;
use informix_protocol::{ClientMessage, EncodeError};
use informix_types::{ColumnType, TextCodec};

use crate::error::{Error, Kind, Result};
use crate::param::{Contents, Parameter, RowEncoder};

/// A group under construction.
pub(crate) struct Group(pub(super) GroupBuilder);

pub(super) fn too_long(error: EncodeError) -> Error {
    Error::new(Kind::Usage, -460, "the request does not fit the protocol").with_source(error)
}

/// Why a row of parameters could not be written.
enum BindError<E> {
    Encode(EncodeError),
    Row(E),
}

impl<E> From<EncodeError> for BindError<E> {
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

    /// Makes room for so many bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.0.reserve(bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, message: &ClientMessage) -> Result<()> {
        self.0.push(message).map(|_| ()).map_err(too_long)
    }

    /// SQ_BIND with the values that `fill` writes, and SQ_BBIND with the contents of BYTE and TEXT parameters behind it;
    /// nothing without parameters. When `fill` fails, the group is as before.
    ///
    /// `targets` are the columns that the parameters go to, where they are known: they decide among the forms of a
    /// value, and text for a TEXT column is sent as its contents.
    pub(crate) fn bind_row<E: From<Error>>(
        &mut self,
        count: usize,
        targets: &[ColumnType],
        codec: &TextCodec,
        contents: &mut Contents,
        fill: impl FnOnce(&mut RowEncoder<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bound = self.0.bind_with(count, |out| {
            fill(&mut RowEncoder::new(out, contents, targets, codec, count)).map_err(BindError::Row)
        });
        match bound.map(|_| ()) {
            Ok(()) => {}
            Err(BindError::Encode(e)) => return Err(too_long(e).into()),
            Err(BindError::Row(e)) => return Err(e),
        }
        if !contents.is_empty() {
            self.0.blobs(contents.iter()).map_err(too_long)?;
        }
        Ok(())
    }

    /// As [`Self::bind_row`] for parameters that are there already.
    pub(crate) fn bind(
        &mut self,
        parameters: &[Parameter],
        targets: &[ColumnType],
        codec: &TextCodec,
    ) -> Result<()> {
        if parameters.is_empty() {
            return Ok(());
        }
        let mut borrowed: Vec<Cow<'_, [u8]>> = Vec::new();
        self.bind_row(
            parameters.len(),
            targets,
            codec,
            &mut Contents::default(),
            |row| -> Result<()> {
                for parameter in parameters {
                    borrowed.extend(row.borrowing(parameter)?);
                }
                Ok(())
            },
        )?;
        if !borrowed.is_empty() {
            self.0
                .blobs(borrowed.iter().map(AsRef::as_ref))
                .map_err(too_long)?;
        }
        Ok(())
    }
}
