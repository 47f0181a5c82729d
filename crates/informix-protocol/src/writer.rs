//! Writing fields to a byte vector; the reverse of [`crate::Reader`].

use crate::error::EncodeError;

type Result = std::result::Result<(), EncodeError>;

/// Field shapes of the protocol, appended to a byte vector.
pub trait Put {
    /// 16 bits, unsigned.
    fn put_u16(&mut self, value: u16);
    /// 16 bits, signed.
    fn put_i16(&mut self, value: i16);
    /// 32 bits, signed.
    fn put_i32(&mut self, value: i32);
    /// 64 bits, signed.
    fn put_i64(&mut self, value: i64);
    /// `int8`, ten bytes: sign word (1 also for 0), low half, high half of the magnitude.
    fn put_int8(&mut self, value: i64);
    /// A number of 32 bits when `wide`, of 16 bits otherwise.
    fn put_sized(&mut self, wide: bool, value: i32, field: &'static str) -> Result;
    /// A length of 32 or 16 bits.
    fn put_length(&mut self, wide: bool, length: usize, field: &'static str) -> Result;
    /// Bytes and, after an odd number of them, one zero byte.
    fn put_padded(&mut self, bytes: &[u8]);
    /// `char`: 16-bit length, bytes, pad.
    fn put_char(&mut self, bytes: &[u8], field: &'static str) -> Result;
    /// `char` with a 32-bit length when `wide`.
    fn put_long_char(&mut self, wide: bool, bytes: &[u8], field: &'static str) -> Result;
    /// `asc`: 16-bit length that counts the closing NUL; `None` is length 0.
    fn put_asc(&mut self, bytes: Option<&[u8]>, field: &'static str) -> Result;
    /// Bytes, then zeros up to `width`.
    fn put_fixed(&mut self, bytes: &[u8], width: usize, field: &'static str) -> Result;
    /// A 16-bit count of elements.
    fn put_count(&mut self, count: usize, field: &'static str) -> Result;
}

impl Put for Vec<u8> {
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i16(&mut self, value: i16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i32(&mut self, value: i32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_i64(&mut self, value: i64) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_int8(&mut self, value: i64) {
        let magnitude = value.unsigned_abs().to_be_bytes();
        self.put_i16(if value < 0 { -1 } else { 1 });
        self.extend_from_slice(&magnitude[4..]);
        self.extend_from_slice(&magnitude[..4]);
    }

    fn put_sized(&mut self, wide: bool, value: i32, field: &'static str) -> Result {
        if wide {
            self.put_i32(value);
            return Ok(());
        }
        let short = i16::try_from(value).map_err(|_| EncodeError {
            field,
            length: u64::from(value.unsigned_abs()),
            limit: i16::MAX as u64,
        })?;
        self.put_i16(short);
        Ok(())
    }

    fn put_length(&mut self, wide: bool, length: usize, field: &'static str) -> Result {
        let limit = if wide { i32::MAX as u64 } else { i16::MAX as u64 };
        match i32::try_from(length) {
            Ok(value) if length as u64 <= limit => self.put_sized(wide, value, field),
            _ => Err(EncodeError {
                field,
                length: length as u64,
                limit,
            }),
        }
    }

    fn put_padded(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            self.push(0);
        }
    }

    fn put_char(&mut self, bytes: &[u8], field: &'static str) -> Result {
        self.put_long_char(false, bytes, field)
    }

    fn put_long_char(&mut self, wide: bool, bytes: &[u8], field: &'static str) -> Result {
        self.put_length(wide, bytes.len(), field)?;
        self.put_padded(bytes);
        Ok(())
    }

    fn put_asc(&mut self, bytes: Option<&[u8]>, field: &'static str) -> Result {
        let Some(bytes) = bytes else {
            self.put_u16(0);
            return Ok(());
        };
        let length = bytes.len() + 1;
        let limit = u64::from(u16::MAX);
        let counted = u16::try_from(length).map_err(|_| EncodeError {
            field,
            length: length as u64,
            limit,
        })?;
        self.put_u16(counted);
        self.extend_from_slice(bytes);
        self.push(0);
        Ok(())
    }

    fn put_fixed(&mut self, bytes: &[u8], width: usize, field: &'static str) -> Result {
        let Some(fill) = width.checked_sub(bytes.len()) else {
            return Err(EncodeError {
                field,
                length: bytes.len() as u64,
                limit: width as u64,
            });
        };
        self.extend_from_slice(bytes);
        self.resize(self.len() + fill, 0);
        Ok(())
    }

    fn put_count(&mut self, count: usize, field: &'static str) -> Result {
        self.put_length(false, count, field)
    }
}
