//! Descriptors of simple large objects (BYTE, TEXT) and locators of smart ones (BLOB, CLOB).

use crate::error::{Error, Result};

/// Bytes of a simple-large-object descriptor.
pub const DESCRIPTOR_LEN: usize = 56;
/// Bytes of a smart-large-object locator.
pub const LOCATOR_LEN: usize = 72;

/// 56-byte descriptor of a BYTE or TEXT value: the contents travel separately.
///
/// | offset | field | evidence |
/// |---|---|---|
/// | 8 | i32 first | J; the native client takes 0 as 1 (N) |
/// | 12 | i32 last, inclusive: the length is last - first + 1 | J N |
/// | 16 | i32 size; in a bind not reliable | J |
/// | 39 | 1 = NULL | P, J |
///
/// The rest is opaque and goes back unchanged in SQ_FETCHBLOB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SimpleLob {
    bytes: [u8; DESCRIPTOR_LEN],
}

impl SimpleLob {
    /// Descriptor of a value that a server hands out: `id` in the first 8 bytes names it, `size` is its length in bytes.
    /// It starts at 1 and ends at `size`, which gives that length to every client: all take last - first + 1, the native one with a
    /// first of 0 counted as 1 (J N).
    #[must_use]
    pub fn with_id(id: u64, size: u32) -> Self {
        let mut bytes = [0; DESCRIPTOR_LEN];
        bytes[..8].copy_from_slice(&id.to_be_bytes());
        bytes[8..12].copy_from_slice(&1u32.to_be_bytes());
        bytes[12..16].copy_from_slice(&size.to_be_bytes());
        bytes[16..20].copy_from_slice(&size.to_be_bytes());
        Self { bytes }
    }

    /// Descriptor for a bind: all zero except the size at 16 (P, J); the native client leaves the size out as well (N).
    #[must_use]
    pub fn for_bind(size: u32) -> Self {
        let mut bytes = [0; DESCRIPTOR_LEN];
        bytes[16..20].copy_from_slice(&size.to_be_bytes());
        Self { bytes }
    }

    /// The NULL descriptor.
    #[must_use]
    pub const fn null() -> Self {
        let mut bytes = [0; DESCRIPTOR_LEN];
        bytes[39] = 1;
        Self { bytes }
    }

    /// Descriptor from its bytes.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless there are 56.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.try_into().map_err(|_| {
            Error::malformed(
                "BYTE/TEXT descriptor",
                format!("{} bytes instead of {DESCRIPTOR_LEN}", bytes.len()),
            )
        })?;
        Ok(Self { bytes })
    }

    /// The 56 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; DESCRIPTOR_LEN] {
        &self.bytes
    }

    /// Whether the value is NULL.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        self.bytes[39] == 1
    }

    /// The first 8 bytes, where [`Self::with_id`] puts the id.
    #[must_use]
    pub const fn id(&self) -> u64 {
        let b = &self.bytes;
        u64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])
    }

    /// Size in bytes at offset 16. Trust it in a row, not in a bind.
    #[must_use]
    pub const fn size(&self) -> u32 {
        u32::from_be_bytes([self.bytes[16], self.bytes[17], self.bytes[18], self.bytes[19]])
    }
}

/// BLOB or CLOB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LobKind {
    /// Binary large object
    Blob,
    /// Character large object
    Clob,
}

impl LobKind {
    /// Name of the extended type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Clob => "clob",
        }
    }
}

/// The 72-byte locator of a BLOB or CLOB. In a row it stands raw, or as 144 hexadecimal characters (P, J).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LobLocator {
    kind: LobKind,
    bytes: [u8; LOCATOR_LEN],
}

impl LobLocator {
    /// A locator from its raw bytes.
    #[must_use]
    pub const fn new(kind: LobKind, bytes: [u8; LOCATOR_LEN]) -> Self {
        Self { kind, bytes }
    }

    /// A locator from 72 raw bytes or 144 hexadecimal characters.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length or a character that is not hexadecimal.
    pub fn from_body(kind: LobKind, body: &[u8]) -> Result<Self> {
        if let Ok(bytes) = body.try_into() {
            return Ok(Self { kind, bytes });
        }
        if body.len() != 2 * LOCATOR_LEN {
            return Err(Error::malformed(
                "BLOB/CLOB locator",
                format!("{} bytes instead of 72 or 144", body.len()),
            ));
        }
        let mut bytes = [0; LOCATOR_LEN];
        for (byte, pair) in bytes.iter_mut().zip(body.chunks_exact(2)) {
            let digit = |index: usize| pair.get(index).and_then(|&c| char::from(c).to_digit(16));
            let (Some(high), Some(low)) = (digit(0), digit(1)) else {
                return Err(Error::malformed(
                    "BLOB/CLOB locator",
                    "a character is not hexadecimal",
                ));
            };
            *byte = (high << 4 | low) as u8;
        }
        Ok(Self { kind, bytes })
    }

    /// BLOB or CLOB.
    #[must_use]
    pub const fn kind(&self) -> LobKind {
        self.kind
    }

    /// The raw 72 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; LOCATOR_LEN] {
        &self.bytes
    }

    /// Appends the 144 hexadecimal characters.
    pub fn write_hex(&self, out: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for byte in self.bytes {
            out.push(DIGITS[usize::from(byte >> 4)]);
            out.push(DIGITS[usize::from(byte & 15)]);
        }
    }
}

impl std::fmt::Debug for LobLocator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut hex = Vec::with_capacity(2 * LOCATOR_LEN);
        self.write_hex(&mut hex);
        write!(f, "{}({})", self.kind.name(), String::from_utf8_lossy(&hex))
    }
}
