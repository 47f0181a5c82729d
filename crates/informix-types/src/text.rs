//! Bytes ⇄ text in a code set.

use std::borrow::Cow;

use crate::codeset::CodeSet;
use crate::error::Result;

/// What to do with bytes that are not valid in the code set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DecodePolicy {
    /// An error that names the offset of the byte.
    #[default]
    Strict,
    /// Each bad sequence becomes U+FFFD.
    Replace,
}

/// A code set and what to do with bytes that are not valid in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextCodec {
    /// Code set of the database.
    pub codeset: CodeSet,
    /// Treatment of bad bytes when decoding. Encoding is always strict.
    pub policy: DecodePolicy,
}

impl TextCodec {
    /// UTF-8, strict.
    pub const UTF8: Self = Self::new(CodeSet::UTF8);

    /// A strict codec.
    #[must_use]
    pub const fn new(codeset: CodeSet) -> Self {
        Self {
            codeset,
            policy: DecodePolicy::Strict,
        }
    }

    /// The same code set with another policy.
    #[must_use]
    pub const fn with_policy(self, policy: DecodePolicy) -> Self {
        Self { policy, ..self }
    }

    /// Text of bytes; ASCII and UTF-8 are borrowed.
    ///
    /// # Errors
    /// [`crate::Error::Decode`] under [`DecodePolicy::Strict`].
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>> {
        self.codeset.decode(bytes, self.policy)
    }

    /// Bytes of a text; borrowed where they are the same as its UTF-8.
    ///
    /// # Errors
    /// [`crate::Error::Encode`] for a character that the code set does not have.
    pub fn encode<'a>(&self, text: &'a str) -> Result<Cow<'a, [u8]>> {
        self.codeset.encode(text)
    }
}

/// Without other information a server's default: 8859-1.
impl Default for TextCodec {
    fn default() -> Self {
        Self::new(CodeSet::LATIN1)
    }
}
