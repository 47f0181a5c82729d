//! The columns of a result and the plan by which its rows are read, made once when the statement is described.

use informix_protocol::message::ColumnDescription;
use informix_types::{ColumnType, TextCodec, TypeCode};

use crate::error::{Error, Result};

/// One column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    name: String,
    ty: ColumnType,
}

impl Column {
    /// Its name as the server gives it: lower case unless quoted, `(count(*))` and the like for expressions.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type.
    #[must_use]
    pub fn column_type(&self) -> &ColumnType {
        &self.ty
    }
}

/// All columns of a result.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    list: Vec<Column>,
    types: Vec<ColumnType>,
}

impl Columns {
    pub(crate) fn new(described: &[ColumnDescription], codec: &TextCodec) -> Result<Self> {
        let codec = codec.with_policy(informix_types::DecodePolicy::Replace);
        let mut list = Vec::with_capacity(described.len());
        for column in described {
            let name = codec
                .decode(column.name.as_bytes())
                .map(|s| s.into_owned())
                .unwrap_or_default();
            let ty = column
                .ty
                .column_type()
                .map_err(|e| Error::protocol("the server described a column").with_source(e))?;
            list.push(Column { name, ty });
        }
        Ok(Self::from_list(list))
    }

    /// Columns by name and type, as no server has described them.
    pub(crate) fn of_types(columns: Vec<(String, ColumnType)>) -> Self {
        Self::from_list(
            columns
                .into_iter()
                .map(|(name, ty)| Column { name, ty })
                .collect(),
        )
    }

    fn from_list(list: Vec<Column>) -> Self {
        let types: Vec<_> = list.iter().map(|c| c.ty.clone()).collect();
        Self { list, types }
    }

    /// Number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The columns in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Column> {
        self.list.iter()
    }

    /// One column.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Column> {
        self.list.get(index)
    }

    /// Index of the first column with that name, compared without regard to case.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list
            .iter()
            .position(|c| c.name == name)
            .or_else(|| self.list.iter().position(|c| c.name.eq_ignore_ascii_case(name)))
    }

    pub(crate) fn types(&self) -> &[ColumnType] {
        &self.types
    }

    /// Positions of BYTE and TEXT columns.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = usize> + '_ {
        self.types
            .iter()
            .enumerate()
            .filter(|(_, t)| matches!(t.code, TypeCode::Byte | TypeCode::Text))
            .map(|(i, _)| i)
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a Column;
    type IntoIter = std::slice::Iter<'a, Column>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
