//! The crate's error type: what was wrong with a value, a text or a byte string, and where.

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can be wrong with a value, its text form or its bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is not a value of the wanted type.
    #[error("{text:?} is not a valid {expected}")]
    Syntax {
        /// The wanted type, e.g. "DECIMAL" or "DATETIME YEAR TO DAY".
        expected: String,
        /// The text, cut to a readable length.
        text: String,
    },
    /// A value or one of its fields lies outside what the type can hold.
    #[error("{what} is out of range")]
    OutOfRange {
        /// The value or field and its limits.
        what: String,
    },
    /// A number has more significant digits than the type can hold.
    #[error("{digits} significant digits, at most {max} fit")]
    TooManyDigits {
        /// Digits found.
        digits: u32,
        /// Digits allowed.
        max: u32,
    },
    /// A qualifier or its 16-bit code is not one that Informix has.
    #[error("invalid qualifier: {0}")]
    Qualifier(String),
    /// A type code that no evidence describes.
    #[error("unknown type code {0}")]
    UnknownType(u16),
    /// Bytes break the layout of their type.
    #[error("malformed {ty}: {problem}")]
    Malformed {
        /// SQL type or structure.
        ty: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The bytes end inside a value. For a stream: read at least `more` bytes and try again.
    #[error("the bytes end inside a value, at least {more} more are needed")]
    Incomplete {
        /// Lower bound of the missing bytes, at least 1.
        more: usize,
    },
    /// A length on the wire is negative or above the permitted limit.
    #[error("{what}: length {length} is not within 0..={limit}")]
    Length {
        /// The field.
        what: &'static str,
        /// The length that was read.
        length: i64,
        /// The largest permitted one.
        limit: usize,
    },
    /// A row does not consume exactly its payload.
    #[error("row of {payload} bytes does not match its columns ({shape}): {problem}")]
    RowShape {
        /// The column types, in order.
        shape: String,
        /// Bytes in the payload.
        payload: usize,
        /// Which column, and how many bytes too many or too few.
        problem: String,
    },
    /// Text bytes are not valid in their code set.
    #[error("byte {offset} (0x{byte:02x}) is not valid in code set {codeset}")]
    Decode {
        /// Offset of the first bad byte from the start of the text.
        offset: usize,
        /// That byte.
        byte: u8,
        /// Informix name of the code set.
        codeset: &'static str,
    },
    /// A character has no representation in the code set.
    #[error("character {character:?} at byte {offset} does not exist in code set {codeset}")]
    Encode {
        /// Byte offset of the character in the UTF-8 text.
        offset: usize,
        /// The character.
        character: char,
        /// Informix name of the code set.
        codeset: &'static str,
    },
    /// A code set that the crate cannot convert.
    #[error("unknown or unsupported code set {0:?}")]
    CodeSet(String),
    /// A value cannot be turned into the wanted type.
    #[error("a {from} value cannot be used as {to}")]
    Conversion {
        /// Type of the value.
        from: &'static str,
        /// Wanted type.
        to: String,
    },
    /// An error in one column or parameter.
    #[error("column {index} ({name}): {source}")]
    Column {
        /// 1-based position.
        index: usize,
        /// Column name or SQL type.
        name: String,
        /// What was wrong.
        source: Box<Self>,
    },
}

impl Error {
    /// Says in which column (1-based) the error happened.
    #[must_use]
    pub fn in_column(self, index: usize, name: impl Into<String>) -> Self {
        Self::Column {
            index,
            name: name.into(),
            source: Box::new(self),
        }
    }

    pub(crate) fn syntax(expected: impl Into<String>, text: &str) -> Self {
        const SHOWN: usize = 60;
        let text = match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
            None => text.to_owned(),
        };
        Self::Syntax {
            expected: expected.into(),
            text,
        }
    }

    pub(crate) fn range(what: impl Into<String>) -> Self {
        Self::OutOfRange { what: what.into() }
    }

    pub(crate) fn malformed(ty: &'static str, problem: impl Into<String>) -> Self {
        Self::Malformed {
            ty,
            problem: problem.into(),
        }
    }
}
