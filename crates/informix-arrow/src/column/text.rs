//! Columns of text. The bytes of a batch are gathered first and checked once.

use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use informix::RawRows;
use informix::types::row::{Cell, CellType};
use informix::types::{self, DecodePolicy, TextCodec};

use super::bytes::contents;
use super::{BadCell, ColumnBuilder, Read, unfit};

/// Values of any length, back to back.
#[derive(Debug)]
pub(super) struct Strings {
    offsets: Vec<i32>,
    data: Vec<u8>,
    nulls: NullBufferBuilder,
}

/// A length of [`Strings`].
struct Mark {
    rows: usize,
    bytes: usize,
}

/// What [`Strings::take`] gives: where the values end, their bytes, and which are NULL.
pub(super) type Parts = (OffsetBuffer<i32>, Vec<u8>, Option<NullBuffer>);

impl Default for Strings {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            data: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl Strings {
    fn reserve(&mut self, rows: usize) {
        self.offsets.reserve(rows);
    }

    pub(super) fn push(&mut self, value: &[u8]) {
        self.data.extend_from_slice(value);
        self.end();
        self.nulls.append_non_null();
    }

    fn push_formatted(&mut self, value: &impl Display) {
        // Writing to a vector cannot fail.
        let _ = write!(self.data, "{value}");
        self.end();
        self.nulls.append_non_null();
    }

    pub(super) fn push_null(&mut self) {
        self.end();
        self.nulls.append_null();
    }

    fn end(&mut self) {
        // A length beyond 2 GiB is refused by `take`.
        self.offsets.push(self.data.len() as i32);
    }

    /// How far it is filled.
    fn mark(&self) -> Mark {
        Mark {
            rows: self.nulls.len(),
            bytes: self.data.len(),
        }
    }

    fn is_ascii_since(&self, mark: &Mark) -> bool {
        self.data.get(mark.bytes..).is_none_or(<[u8]>::is_ascii)
    }

    fn back_to(&mut self, mark: &Mark) {
        self.data.truncate(mark.bytes);
        self.offsets.truncate(mark.rows + 1);
        self.nulls.truncate(mark.rows);
    }

    /// What was gathered; starts anew.
    pub(super) fn take(&mut self) -> Result<Parts, BadCell> {
        let gathered = std::mem::take(self);
        let row = gathered.nulls.len().saturating_sub(1);
        if i32::try_from(gathered.data.len()).is_err() {
            let error = unfit(format!("text of {} bytes in one batch", gathered.data.len()));
            return Err(BadCell { row, error });
        }
        let Self {
            offsets,
            data,
            mut nulls,
        } = gathered;
        Ok((
            OffsetBuffer::new(ScalarBuffer::from(offsets)),
            data,
            nulls.finish(),
        ))
    }

    /// The values as text. They are UTF-8, or else what the policy says happens.
    fn take_text(&mut self, policy: DecodePolicy) -> Result<ArrayRef, BadCell> {
        let (offsets, data, nulls) = self.take()?;
        let data = Buffer::from_vec(data);
        if let Ok(array) = StringArray::try_new(offsets.clone(), data.clone(), nulls.clone()) {
            return Ok(Arc::new(array));
        }
        let codec = TextCodec::UTF8.with_policy(policy);
        let mut repaired = Self::default();
        for (row, ends) in offsets.windows(2).enumerate() {
            let &[start, end] = ends else { continue };
            let value = data.get(start as usize..end as usize).unwrap_or_default();
            let text = codec.decode(value).map_err(|error| BadCell { row, error })?;
            repaired.push(text.as_bytes());
        }
        let (offsets, data, _) = repaired.take()?;
        Ok(Arc::new(StringArray::new(offsets, Buffer::from_vec(data), nulls)))
    }
}

/// Reads the bytes of a text.
pub(super) trait ReadBytes: for<'a> Fn(&'a [u8]) -> Read<&'a [u8]> + Send {}

impl<R: for<'a> Fn(&'a [u8]) -> Read<&'a [u8]> + Send> ReadBytes for R {}

/// CHAR, VARCHAR, LVARCHAR and their likes.
pub(super) struct Characters<R> {
    strings: Strings,
    codec: TextCodec,
    read: R,
}

impl<R: ReadBytes> Characters<R> {
    pub(super) fn new(codec: TextCodec, read: R) -> Self {
        Self {
            strings: Strings::default(),
            codec,
            read,
        }
    }

    fn gather(
        &mut self,
        rows: &RawRows<'_>,
        column: usize,
        mut push: impl FnMut(&mut Strings, &[u8]) -> types::Result<()>,
    ) -> Result<(), BadCell> {
        for (row, cell) in rows.cells(column).enumerate() {
            let bad = |error| BadCell { row, error };
            match (self.read)(cell).map_err(bad)? {
                Some(bytes) => push(&mut self.strings, bytes).map_err(bad)?,
                None => self.strings.push_null(),
            }
        }
        Ok(())
    }
}

impl<R: ReadBytes> ColumnBuilder for Characters<R> {
    fn data_type(&self) -> DataType {
        DataType::Utf8
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        let before = self.strings.mark();
        self.strings.reserve(rows.len());
        self.gather(rows, column, |strings, bytes| {
            strings.push(bytes);
            Ok(())
        })?;
        // ASCII is the same in every code set, and UTF-8 is checked with the whole batch.
        if self.codec.codeset.is_utf8() || self.strings.is_ascii_since(&before) {
            return Ok(());
        }
        self.strings.back_to(&before);
        let codec = self.codec;
        self.gather(rows, column, |strings, bytes| {
            strings.push(codec.decode(bytes)?.as_bytes());
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        self.strings.take_text(self.codec.policy)
    }
}

/// ROW, SET, MULTISET, LIST in their text form.
pub(super) fn composite(codec: TextCodec, cell_type: CellType) -> impl ColumnBuilder {
    Characters::new(codec, move |cell| match cell_type.decode(cell)? {
        Cell::Null => Ok(None),
        Cell::Text(text) => Ok(Some(text)),
        _ => Err(types::Error::Malformed {
            ty: "ROW or collection",
            problem: "its body is not text".to_owned(),
        }),
    })
}

/// TEXT: contents that were read beside the rows.
pub(super) struct ContentsText {
    strings: Strings,
    codec: TextCodec,
}

impl ContentsText {
    pub(super) fn new(codec: TextCodec) -> Self {
        Self {
            strings: Strings::default(),
            codec,
        }
    }
}

impl ColumnBuilder for ContentsText {
    fn data_type(&self) -> DataType {
        DataType::Utf8
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for row in 0..rows.len() {
            let bad = |error| BadCell { row, error };
            match contents(rows, row, column).map_err(bad)? {
                Some(bytes) => {
                    let text = self.codec.decode(bytes).map_err(bad)?;
                    self.strings.push(text.as_bytes());
                }
                None => self.strings.push_null(),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        self.strings.take_text(self.codec.policy)
    }
}

/// Values for which Arrow has no type, in Informix's text form.
pub(super) struct Formatted<R> {
    strings: Strings,
    read: R,
}

impl<R> Formatted<R> {
    pub(super) fn new(read: R) -> Self {
        Self {
            strings: Strings::default(),
            read,
        }
    }
}

impl<V: Display, R: Fn(&[u8]) -> Read<V> + Send> ColumnBuilder for Formatted<R> {
    fn data_type(&self) -> DataType {
        DataType::Utf8
    }

    fn append(&mut self, rows: &RawRows<'_>, column: usize) -> Result<(), BadCell> {
        for (row, cell) in rows.cells(column).enumerate() {
            match (self.read)(cell).map_err(|error| BadCell { row, error })? {
                Some(value) => self.strings.push_formatted(&value),
                None => self.strings.push_null(),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, BadCell> {
        self.strings.take_text(DecodePolicy::Strict)
    }
}
