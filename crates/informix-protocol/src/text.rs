//! Text as it travels: bytes in the connection's code set.

use std::borrow::Cow;
use std::fmt;

/// SQL text, a name or a message insert in the code set of the connection.
///
/// The protocol does not convert: CLIENT_LOCALE decides the code set, and who knows it decodes.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WireText(Vec<u8>);

impl WireText {
    /// An empty text.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The bytes as they travel.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Length in bytes.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// No bytes at all.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Read as UTF-8, anything else replaced: for messages and for names that are ASCII by rule.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl AsRef<[u8]> for WireText {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for WireText {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for WireText {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl From<&[u8]> for WireText {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<Vec<u8>> for WireText {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl PartialEq<str> for WireText {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for WireText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for WireText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str_lossy())
    }
}

impl fmt::Debug for WireText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.to_str_lossy().as_ref(), f)
    }
}
