//! DECIMAL ⇄ packed base-100 number.

use super::{Decimal, MAX_DIGITS, MIN_EXPONENT, digits, pow10};
use crate::error::{Error, Result};
use crate::packed::Packed;

impl Decimal {
    /// The packed form of the value.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the value is not within ±1E-130 … ±9.9…E125.
    pub fn to_packed(self) -> Result<Packed> {
        self.normalized().packed_normal()
    }

    /// As [`Self::to_packed`], of a value that is [normalized](Self::normalized).
    pub(crate) fn packed_normal(self) -> Result<Packed> {
        let (mut rest, mut exponent) = (self.coefficient(), self.exponent());
        if exponent.rem_euclid(2) == 1 {
            rest *= 10;
            exponent -= 1;
        }
        // 33 digits at most: 17 pairs. What fits 64 bits is divided several times faster.
        let mut pairs = [0; 17];
        let mut first = pairs.len();
        while u64::try_from(rest).is_err() {
            first -= 1;
            put(&mut pairs, first, (rest % 100) as u8);
            rest /= 100;
        }
        let mut rest = rest as u64;
        while rest != 0 {
            first -= 1;
            put(&mut pairs, first, (rest % 100) as u8);
            rest /= 100;
        }
        let significant = pairs.get(first..).unwrap_or_default();
        Packed::from_normal(
            self.is_negative(),
            exponent / 2 + significant.len() as i32,
            significant,
        )
    }

    /// The value of a packed number. `scale` is the column's; `None` (floating) shows no trailing zeros.
    ///
    /// # Errors
    /// [`Error::TooManyDigits`] above 32 significant digits.
    pub fn from_packed(packed: &Packed, scale: Option<u8>) -> Result<Self> {
        let mut pairs = packed.pairs();
        let mut coefficient = 0;
        // The first 9 pairs fit 64 bits, where the arithmetic is several times faster.
        if let Some((first, rest)) = pairs.split_at_checked(9) {
            coefficient = u128::from(fold(first));
            pairs = rest;
            for &pair in pairs {
                coefficient = coefficient
                    .checked_mul(100)
                    .and_then(|c: u128| c.checked_add(u128::from(pair)))
                    .ok_or_else(|| Error::TooManyDigits {
                        digits: packed.pairs().len() as u32 * 2,
                        max: MAX_DIGITS,
                    })?;
            }
        } else if !pairs.is_empty() {
            coefficient = u128::from(fold(pairs));
        }
        let mut exponent = 2 * (packed.exponent() - packed.pairs().len() as i32);
        let wanted = scale.map_or(0, |scale| -i32::from(scale));
        if coefficient == 0 {
            return Ok(Self::raw(false, 0, wanted));
        }
        // The last pair is not zero, so one trailing zero digit at most; a leading one does not count as a digit.
        if coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        let count = digits(coefficient);
        if count > MAX_DIGITS {
            return Err(Error::TooManyDigits {
                digits: count,
                max: MAX_DIGITS,
            });
        }
        let missing = exponent - wanted;
        if missing > 0 && count as i32 + missing <= MAX_DIGITS as i32 {
            coefficient *= pow10(missing as u32);
            exponent = wanted;
        }
        Ok(Self::raw(
            packed.is_negative(),
            coefficient,
            exponent.max(MIN_EXPONENT),
        ))
    }

    /// The stored byte form whose byte order is the numeric order: head and significant pairs, zero = `80`.
    ///
    /// # Errors
    /// As [`Self::to_packed`].
    pub fn to_packed_bytes(self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(18);
        self.to_packed()?.write(&mut out);
        Ok(out)
    }

    /// Reads head and pairs in any accepted form; `None` is NULL.
    ///
    /// # Errors
    /// As [`Packed::decode`] and [`Self::from_packed`].
    pub fn from_packed_bytes(bytes: &[u8], scale: Option<u8>) -> Result<Option<Self>> {
        if let Some(value) = super::cell::quick(bytes, scale) {
            return Ok(Some(value));
        }
        Packed::decode(bytes)?
            .map(|packed| Self::from_packed(&packed, scale))
            .transpose()
    }
}

fn fold(pairs: &[u8]) -> u64 {
    pairs.iter().fold(0, |sum, &pair| sum * 100 + u64::from(pair))
}

fn put(pairs: &mut [u8], at: usize, pair: u8) {
    if let Some(place) = pairs.get_mut(at) {
        *place = pair;
    }
}
