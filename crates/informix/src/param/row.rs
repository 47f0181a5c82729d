//! [`RowEncoder`]: the parameters of one execution, written straight into a request.

use std::borrow::Cow;

use informix_types::{ColumnType, SimpleLob, TextCodec, TypeCode, ValueRef};

use super::{Parameter, Params, ToSql};
use crate::error::{Error, Result};

/// Contents of the BYTE and TEXT parameters of one row, which travel behind its values.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Contents {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, content: &[u8]) {
        self.bytes.extend_from_slice(content);
        self.ends.push(self.bytes.len());
    }

    /// The contents in the order of their parameters.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.ends.iter().enumerate().map(|(at, end)| {
            let start = at
                .checked_sub(1)
                .and_then(|before| self.ends.get(before))
                .copied()
                .unwrap_or(0);
            self.bytes.get(start..*end).unwrap_or_default()
        })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Takes the values of one row of parameters, in the order of the statement's markers, and writes each in the form that
/// suits the column it goes to, straight into the request.
///
/// Values that are written are the same bytes, whichever of the ways to execute a statement they go.
#[derive(Debug)]
pub struct RowEncoder<'g> {
    out: &'g mut Vec<u8>,
    contents: &'g mut Contents,
    targets: &'g [ColumnType],
    codec: &'g TextCodec,
    expected: usize,
    given: usize,
    failed: bool,
}

impl<'g> RowEncoder<'g> {
    pub(crate) fn new(
        out: &'g mut Vec<u8>,
        contents: &'g mut Contents,
        targets: &'g [ColumnType],
        codec: &'g TextCodec,
        expected: usize,
    ) -> Self {
        contents.clear();
        Self {
            out,
            contents,
            targets,
            codec,
            expected,
            given: 0,
            failed: false,
        }
    }

    /// The number of parameters that the statement takes.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.expected
    }

    /// The number of values that were given so far.
    #[must_use]
    pub fn given(&self) -> usize {
        self.given
    }

    /// The column that the next value goes to, where the server has told it.
    #[must_use]
    pub fn target(&self) -> Option<&'g ColumnType> {
        self.targets.get(self.given)
    }

    /// Whether a value was refused: the row is at fault, and not its source.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Writes the next value. Integers, DECIMAL, text, … need not have the type of the column: the server converts.
    ///
    /// Bytes are the contents of a BYTE, unless the column is of another type; text for a TEXT column becomes its contents.
    ///
    /// # Errors
    /// When the value does not fit the protocol or the code set; the message names the parameter.
    #[inline]
    pub fn value<'v>(&mut self, value: impl Into<ValueRef<'v>>) -> Result<()> {
        let value = value.into();
        // Surplus values are only counted: the row is refused at its end.
        if self.given < self.expected {
            self.put(value).map_err(|e| self.refused(e))?;
        }
        self.given += 1;
        Ok(())
    }

    /// Writes the next value: any that can be a parameter.
    ///
    /// # Errors
    /// As [`Self::value`]; when the value has no Informix counterpart.
    pub fn write(&mut self, value: &(impl ToSql + ?Sized)) -> Result<()> {
        let written = value.write_to(self);
        self.failed |= written.is_err();
        written
    }

    /// As [`Self::write`], all values of a row.
    pub(crate) fn write_all(&mut self, values: impl Params) -> Result<()> {
        let written = values.write_to(self);
        self.failed |= written.is_err();
        written
    }

    /// Writes NULL.
    ///
    /// # Errors
    /// None at present.
    pub fn null(&mut self) -> Result<()> {
        self.value(ValueRef::Null)
    }

    /// Writes the next value as the contents of a TEXT, whatever the column.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn text_contents(&mut self, text: &str) -> Result<()> {
        if self.given < self.expected {
            let done = self.codec.encode(text).map_err(unfit);
            done.and_then(|content| self.put_contents(TypeCode::Text, &content))
                .map_err(|e| self.refused(e))?;
        }
        self.given += 1;
        Ok(())
    }

    /// Writes the next value from its owned form.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn parameter(&mut self, parameter: &Parameter) -> Result<()> {
        match parameter {
            Parameter::Value(value) => self.value(value),
            Parameter::Byte(bytes) => self.value(ValueRef::Bytes(bytes)),
            Parameter::Text(text) => self.text_contents(text),
        }
    }

    /// As [`Self::parameter`], but leaves contents with the caller, who has them for long enough and sends them without
    /// another copy.
    pub(crate) fn borrowing<'p>(&mut self, parameter: &'p Parameter) -> Result<Option<Cow<'p, [u8]>>> {
        let contents = match parameter {
            Parameter::Text(text) => Some((TypeCode::Text, self.codec.encode(text).map_err(unfit))),
            Parameter::Byte(bytes) => self.as_contents(ValueRef::Bytes(bytes)),
            Parameter::Value(value) => self.as_contents(value.into()),
        };
        let Some((code, content)) = contents else {
            return self.parameter(parameter).map(|()| None);
        };
        let content = content
            .and_then(|content| self.descriptor(code, content.len()).map(|()| content))
            .map_err(|e| self.refused(e))?;
        self.given += 1;
        Ok(Some(content))
    }

    #[inline]
    fn put(&mut self, value: ValueRef<'_>) -> Result<()> {
        if matches!(value, ValueRef::Text(_) | ValueRef::Bytes(_))
            && let Some((code, content)) = self.as_contents(value)
        {
            return self.put_contents(code, &content?);
        }
        informix_types::bind::encode(value, self.target(), self.codec, self.out).map_err(unfit)
    }

    /// The contents, where a value travels behind the others.
    fn as_contents<'v>(&self, value: ValueRef<'v>) -> Option<(TypeCode, Result<Cow<'v, [u8]>>)> {
        match value {
            ValueRef::Text(text) if self.target().is_some_and(|t| t.code == TypeCode::Text) => {
                Some((TypeCode::Text, self.codec.encode(text).map_err(unfit)))
            }
            ValueRef::Bytes(bytes) => {
                let code = self.target().map_or(TypeCode::Byte, |t| t.code);
                // Elsewhere bytes are an opaque or character value.
                matches!(code, TypeCode::Byte | TypeCode::Text).then_some((code, Ok(Cow::Borrowed(bytes))))
            }
            _ => None,
        }
    }

    fn put_contents(&mut self, code: TypeCode, content: &[u8]) -> Result<()> {
        self.descriptor(code, content.len())?;
        self.contents.push(content);
        Ok(())
    }

    /// The descriptor that stands for contents among the values.
    fn descriptor(&mut self, code: TypeCode, length: usize) -> Result<()> {
        let size = u32::try_from(length)
            .ok()
            .filter(|size| i32::try_from(*size).is_ok())
            .ok_or_else(|| Error::conversion("more than 2 GiB"))?;
        let descriptor = SimpleLob::for_bind(size);
        let target = ColumnType::new(code, 56);
        informix_types::bind::encode(
            ValueRef::SimpleLob(&descriptor),
            Some(&target),
            self.codec,
            self.out,
        )
        .map_err(unfit)
    }

    #[cold]
    fn refused(&mut self, e: Error) -> Error {
        self.failed = true;
        e.with_parameter(self.given)
    }
}

fn unfit(e: informix_types::Error) -> Error {
    Error::conversion("the value cannot be sent").with_source(e)
}
