//! Text of a DECIMAL: `-123.4500`, `1E-130`.

use std::fmt;
use std::str::FromStr;

use super::{Decimal, MAX_DIGITS};
use crate::error::{Error, Result};

/// Plain digits as long as they are readable; a power of ten beyond 32 places is written as `1.5E-100`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = DigitBuffer { bytes: [0; 39] };
        let digits = text.fill(self.coefficient());
        let (exponent, count) = (self.exponent(), digits.len() as i32);
        let mut body = String::with_capacity(48);
        if exponent > 0 && count + exponent <= MAX_DIGITS as i32 {
            body.push_str(digits);
            body.extend(std::iter::repeat_n('0', exponent as usize));
        } else if exponent > 0 || exponent < -(MAX_DIGITS as i32 + 8) {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
            body.push_str(first);
            if !rest.is_empty() {
                body.push('.');
                body.push_str(rest);
            }
            body.push_str(&format!("E{:+}", exponent + count - 1));
        } else {
            let scale = exponent.unsigned_abs() as usize;
            let point = digits.len().saturating_sub(scale);
            let (whole, fraction) = digits.split_at_checked(point).unwrap_or((digits, ""));
            body.push_str(if whole.is_empty() { "0" } else { whole });
            if scale > 0 {
                body.push('.');
                body.extend(std::iter::repeat_n('0', scale - fraction.len()));
                body.push_str(fraction);
            }
        }
        f.pad_integral(!self.is_negative(), "", &body)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The digits of a `u128` on the stack.
struct DigitBuffer {
    bytes: [u8; 39],
}

impl DigitBuffer {
    fn fill(&mut self, mut n: u128) -> &str {
        let mut start = self.bytes.len();
        for (index, slot) in self.bytes.iter_mut().enumerate().rev() {
            *slot = b'0' + (n % 10) as u8;
            n /= 10;
            start = index;
            if n == 0 {
                break;
            }
        }
        self.bytes
            .get(start..)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .unwrap_or("0")
    }
}

/// Parses `[+-]digits[.digits][E[+-]digits]`; blanks around it are ignored.
///
/// More than 32 significant digits are an error, never a silent rounding: see [`Decimal::parse_rounded`].
impl FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parsed = parse(text).ok_or_else(|| Error::syntax("DECIMAL", text))?;
        if parsed.dropped > 0 {
            return Err(Error::TooManyDigits {
                digits: 38 + parsed.dropped,
                max: MAX_DIGITS,
            });
        }
        Self::new(parsed.negative, parsed.coefficient, parsed.exponent)
    }
}

impl Decimal {
    /// Parses as [`FromStr`] does, but rounds to 32 digits as the server does with a long literal.
    ///
    /// # Errors
    /// [`Error::Syntax`], or [`Error::OutOfRange`] from 1E126 on.
    pub fn parse_rounded(text: &str) -> Result<Self> {
        let parsed = parse(text).ok_or_else(|| Error::syntax("DECIMAL", text))?;
        Self::rounded(parsed.negative, parsed.coefficient, parsed.exponent)
    }
}

struct Parsed {
    negative: bool,
    coefficient: u128,
    exponent: i32,
    /// Significant digits that did not fit into the coefficient.
    dropped: u32,
}

fn parse(text: &str) -> Option<Parsed> {
    let text = text.trim_matches(' ');
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (unsigned.get(..at)?, parse_exponent(unsigned.get(at + 1..)?)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut coefficient, mut scale, mut dropped, mut pending_zeros) = (0u128, 0i32, 0u32, 0u32);
    for (index, byte) in whole.bytes().chain(fraction.bytes()).enumerate() {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        let in_fraction = index >= whole.len();
        if coefficient >= super::pow10(37) {
            // Full: a zero may be harmless, another digit is not.
            pending_zeros += 1;
            if digit != 0 {
                dropped += std::mem::take(&mut pending_zeros);
            }
            scale -= i32::from(!in_fraction);
            continue;
        }
        coefficient = coefficient * 10 + u128::from(digit);
        scale += i32::from(in_fraction);
    }
    Some(Parsed {
        negative,
        coefficient,
        exponent: exponent.checked_sub(scale)?,
        dropped,
    })
}

fn parse_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
