//! Reading fields from a byte slice that may end too early.

use crate::error::{DecodeError, ErrorKind};

/// What a reader accepts before it calls a length absurd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest single field, in bytes.
    pub field: usize,
    /// Largest message, in bytes, as far as it has to be held in memory while it arrives. Some messages are lists
    /// without a count, so the limit of their fields alone does not end them.
    pub message: usize,
}

impl Default for Limits {
    /// 256 MiB per field: far above anything a server sends, far below what lost framing looks like. 1 GiB per message.
    fn default() -> Self {
        Self {
            field: 256 << 20,
            message: 1 << 30,
        }
    }
}

type Result<T> = std::result::Result<T, DecodeError>;

/// A cursor over the bytes received so far.
///
/// Every method either consumes a whole field, or says how many bytes are missing, or that the field is wrong. All
/// numbers are big-endian.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    limits: Limits,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `data`.
    pub const fn new(data: &'a [u8], limits: Limits) -> Self {
        Self { data, at: 0, limits }
    }

    /// Bytes consumed so far.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Bytes not consumed yet.
    pub const fn remaining(&self) -> usize {
        self.data.len() - self.at
    }

    /// The limits in force.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Everything not consumed yet, without consuming it.
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.rest().split_at_checked(n) {
            Some((bytes, _)) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(DecodeError::NeedMore(n - self.remaining())),
        }
    }

    /// The next `N` bytes: several fields of fixed width are read faster together.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest().first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(DecodeError::NeedMore(N - self.remaining())),
        }
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[b]| b)
    }

    /// 16 bits, unsigned.
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// 16 bits, signed.
    pub fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    /// 32 bits, signed.
    pub fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// 64 bits, signed.
    pub fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// `int8`, ten bytes: sign word, then the low and the high half of the magnitude. Sign 0 (NULL) reads as 0.
    pub fn int8(&mut self) -> Result<i64> {
        let mut ahead = self.clone();
        let sign = ahead.i16()?;
        let low = u64::from(u32::from_be_bytes(ahead.array()?));
        let high = u64::from(u32::from_be_bytes(ahead.array()?));
        let magnitude = i64::try_from(high << 32 | low).map_err(|_| ErrorKind::Invalid {
            field: "magnitude of an INT8",
            value: i64::MAX,
        })?;
        *self = ahead;
        Ok(if sign == 0 {
            0
        } else {
            magnitude * i64::from(sign.signum())
        })
    }

    /// A number of 32 bits when `wide`, of 16 bits otherwise.
    pub fn sized(&mut self, wide: bool) -> Result<i32> {
        if wide {
            self.i32()
        } else {
            self.i16().map(i32::from)
        }
    }

    /// A length of 32 or 16 bits, checked against the field limit. A negative one is an error.
    pub fn length(&mut self, wide: bool, field: &'static str) -> Result<usize> {
        let value = self.sized(wide)?;
        self.check_length(value, field)
    }

    pub(crate) fn check_length(&self, value: i32, field: &'static str) -> Result<usize> {
        let length = usize::try_from(value).map_err(|_| ErrorKind::Invalid {
            field,
            value: i64::from(value),
        })?;
        self.check_limit(length, field)?;
        Ok(length)
    }

    /// Refuses a length above the field limit.
    pub(crate) fn check_limit(&self, length: usize, field: &'static str) -> Result<()> {
        if length > self.limits.field {
            let limit = self.limits.field as u64;
            return Err(ErrorKind::TooLong {
                field,
                length: length as u64,
                limit,
            }
            .into());
        }
        Ok(())
    }

    /// The byte that follows a run of odd length. Its value is not checked: nothing depends on it.
    pub fn pad(&mut self, length: usize) -> Result<()> {
        if length % 2 == 1 {
            self.u8()?;
        }
        Ok(())
    }

    /// `n` bytes and their pad.
    pub fn padded(&mut self, n: usize) -> Result<&'a [u8]> {
        let bytes = self.take(n)?;
        self.pad(n)?;
        Ok(bytes)
    }

    /// `char`: 16-bit length, bytes, pad. A negative length counts as empty.
    pub fn char(&mut self) -> Result<&'a [u8]> {
        let length = usize::try_from(self.i16()?).unwrap_or(0);
        self.padded(length)
    }

    /// `char` with a 32-bit length when `wide`.
    pub fn long_char(&mut self, wide: bool, field: &'static str) -> Result<&'a [u8]> {
        if !wide {
            return self.char();
        }
        let length = self.length(true, field)?;
        self.padded(length)
    }

    /// `asc`, only in logins: 16-bit length that counts a closing NUL, no pad. Length 0 means absent.
    pub fn asc(&mut self) -> Result<Option<&'a [u8]>> {
        let length = usize::from(self.u16()?);
        if length == 0 {
            return Ok(None);
        }
        let bytes = self.take(length)?;
        Ok(Some(bytes.strip_suffix(&[0]).unwrap_or(bytes)))
    }

    /// How many elements of at least `size` bytes each may be reserved for: never more than the bytes at hand can hold.
    pub const fn reservation(&self, count: usize, size: usize) -> usize {
        let possible = self.remaining() / size;
        if count < possible { count } else { possible }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_bytes_are_counted() {
        let mut r = Reader::new(&[0, 5, b'a', b'b'], Limits::default());
        assert_eq!(r.char(), Err(DecodeError::NeedMore(3)));
        let mut r = Reader::new(&[0, 3, b'a', b'b', b'c'], Limits::default());
        assert_eq!(
            r.char(),
            Err(DecodeError::NeedMore(1)),
            "the pad belongs to the field"
        );
        let mut r = Reader::new(&[0], Limits::default());
        assert_eq!(r.i32(), Err(DecodeError::NeedMore(3)));
        assert_eq!(r.position(), 0, "a failed read consumes nothing");
    }

    #[test]
    fn lengths_are_bounded() {
        let mut r = Reader::new(&[0x7f, 0xff, 0xff, 0xff], Limits::default());
        assert!(matches!(
            r.long_char(true, "sql"),
            Err(DecodeError::Malformed(ErrorKind::TooLong { field: "sql", .. }))
        ));
        let mut r = Reader::new(&[0xff, 0xff, 0xff, 0xff], Limits::default());
        assert!(matches!(
            r.long_char(true, "sql"),
            Err(DecodeError::Malformed(ErrorKind::Invalid { .. }))
        ));
        let mut r = Reader::new(&[0xff, 0xff], Limits::default());
        assert_eq!(r.char(), Ok(&[][..]), "a negative char length is empty");
    }
}
