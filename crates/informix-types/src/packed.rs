//! Packed base-100 numbers: the bytes of DECIMAL, MONEY, DATETIME and INTERVAL.
//!
//! ```text
//! head, pair, pair, …          each pair one byte 0-99
//! positive   head = 80 | (e + 64)        value = 0.p1 p2 p3 … × 100^e
//! negative   head = (e + 64) XOR 7f      pairs: trailing zeros stay; the last non-zero p is 100 - p; all before it 99 - p
//! zero       head = 80, no or zero pairs
//! NULL       every byte 0
//! ```
//! Evidence: M14 (extremes of both signs), P, J; vectors `decimal_*`. The normal form has no leading zero pair; readers also
//! accept the positional form, which keeps them (J: `c2 05 07 00` and `c3 00 05 07` are both 00:05:07). What looks like NULL in the
//! first two bytes but has a later non-zero byte is a value (-9.9…E125 in the complement), since NULL is all zero.

use crate::error::{Error, Result};

/// Largest number of pairs kept: 32 digits need 17, an INTERVAL DAY(9) TO FRACTION(5) 11.
pub const MAX_PAIRS: usize = 20;
/// Smallest exponent.
pub const MIN_EXPONENT: i32 = -64;
/// Largest exponent.
pub const MAX_EXPONENT: i32 = 63;

/// A packed number in normal form: no leading and no trailing zero pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    negative: bool,
    exponent: i8,
    len: u8,
    pairs: [u8; MAX_PAIRS],
}

impl Packed {
    /// Zero.
    pub const ZERO: Self = Self {
        negative: false,
        exponent: 0,
        len: 0,
        pairs: [0; MAX_PAIRS],
    };

    /// Brings sign, exponent and pairs (most significant first, each below 100) into normal form.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the exponent leaves -64..=63 or a pair is above 99, [`Error::TooManyDigits`] when more than
    /// [`MAX_PAIRS`] pairs are significant.
    pub fn new(negative: bool, exponent: i32, pairs: &[u8]) -> Result<Self> {
        let Some(first) = pairs.iter().position(|&pair| pair != 0) else {
            return Ok(Self::ZERO);
        };
        let last = pairs
            .iter()
            .rposition(|&pair| pair != 0)
            .map_or(first, |last| last);
        let significant = pairs.get(first..=last).unwrap_or_default();
        if significant.iter().any(|&pair| pair > 99) {
            return Err(Error::malformed("packed number", "a base-100 pair is above 99"));
        }
        Self::from_normal(negative, exponent - first as i32, significant)
    }

    /// As [`Self::new`], of pairs that are below 100, the first and the last of them not zero. No pairs are zero.
    pub(crate) fn from_normal(negative: bool, exponent: i32, significant: &[u8]) -> Result<Self> {
        if significant.is_empty() {
            return Ok(Self::ZERO);
        }
        let mut kept = [0; MAX_PAIRS];
        let Some(target) = kept.get_mut(..significant.len()) else {
            return Err(Error::TooManyDigits {
                digits: significant.len() as u32 * 2,
                max: MAX_PAIRS as u32 * 2,
            });
        };
        target.copy_from_slice(significant);
        if !(MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return Err(Error::range("number (exponent outside -130..125)"));
        }
        Ok(Self {
            negative,
            exponent: exponent as i8,
            len: significant.len() as u8,
            pairs: kept,
        })
    }

    /// Reads head and pairs in normal or positional form; `None` is NULL (all bytes zero, or no bytes at all).
    ///
    /// # Errors
    /// [`Error::Malformed`] for a pair above 99, otherwise as [`Self::new`].
    pub fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((&head, pairs)) = bytes.split_first() else {
            return Ok(None);
        };
        if head & 0x80 != 0 {
            return Self::new(false, i32::from(head & 0x7f) - 64, pairs).map(Some);
        }
        let Some(last) = pairs.iter().rposition(|&pair| pair != 0) else {
            // A negative head without digits is zero; only head 00 says NULL.
            return Ok(if head == 0 { None } else { Some(Self::ZERO) });
        };
        let mut plain = [0; MAX_PAIRS + 8];
        let Some(target) = plain.get_mut(..=last) else {
            return Err(Error::TooManyDigits {
                digits: last as u32 * 2 + 2,
                max: MAX_PAIRS as u32 * 2,
            });
        };
        for (index, (target, &pair)) in target.iter_mut().zip(pairs).enumerate() {
            let base = if index == last { 100 } else { 99 };
            *target = u8::checked_sub(base, pair)
                .filter(|&plain| plain <= 99)
                .ok_or_else(|| Error::malformed("packed number", "a base-100 pair is above 99"))?;
        }
        Self::new(true, i32::from(head ^ 0x7f) - 64, target).map(Some)
    }

    /// Whether the number is below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.len == 0
    }

    /// Pairs left of the point; 0 for zero.
    #[must_use]
    pub const fn exponent(&self) -> i32 {
        self.exponent as i32
    }

    /// The significant pairs, most significant first.
    #[must_use]
    pub fn pairs(&self) -> &[u8] {
        self.pairs.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Appends the shortest form: head and significant pairs; zero is the single byte `80`.
    ///
    /// This is what the vendor's native client binds (N), and its byte order is the numeric order.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.write_digits(out, i32::from(self.exponent), 0);
    }

    /// Appends the normal form filled with zero pairs to `width` bytes, as a column in a row has it (M14).
    ///
    /// # Errors
    /// [`Error::TooManyDigits`] when the digits do not fit.
    pub fn write_padded(&self, width: usize, out: &mut Vec<u8>) -> Result<()> {
        if usize::from(self.len) + 1 > width {
            return Err(Error::TooManyDigits {
                digits: u32::from(self.len) * 2,
                max: width.saturating_sub(1) as u32 * 2,
            });
        }
        let end = out.len() + width;
        self.write(out);
        out.resize(end, 0);
        Ok(())
    }

    fn write_digits(&self, out: &mut Vec<u8>, exponent: i32, leading: usize) {
        if self.is_zero() {
            out.push(0x80);
            return;
        }
        let head = (exponent + 64) as u8 & 0x7f;
        if !self.negative {
            out.push(head | 0x80);
            out.resize(out.len() + leading, 0);
            out.extend_from_slice(self.pairs());
            return;
        }
        out.push(head ^ 0x7f);
        out.resize(out.len() + leading, 99);
        if let Some((last, before)) = self.pairs().split_last() {
            out.extend(before.iter().map(|pair| 99 - pair));
            out.push(100 - last);
        }
    }

    /// Appends the positional form: the head says `exponent`, leading zero pairs are kept (zero has only such) and the right side is
    /// filled up to `pairs` pairs. JDBC and the peer bind DATETIME and INTERVAL so (J, P).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the number does not fit.
    pub fn write_positional(&self, exponent: i32, pairs: usize, out: &mut Vec<u8>) -> Result<()> {
        let unfit = || Error::range("number (does not fit its positional form)");
        if !(MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return Err(unfit());
        }
        let end = out.len() + pairs + 1;
        if self.is_zero() {
            out.push((exponent + 64) as u8 | 0x80);
        } else {
            let leading = usize::try_from(exponent - self.exponent()).map_err(|_| unfit())?;
            if leading + usize::from(self.len) > pairs {
                return Err(unfit());
            }
            self.write_digits(out, exponent, leading);
        }
        out.resize(end, 0);
        Ok(())
    }
}
