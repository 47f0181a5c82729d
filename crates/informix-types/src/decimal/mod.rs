//! DECIMAL and MONEY values: exact, up to 32 significant digits, exponent -130 to 125.

mod cell;
mod convert;
mod packed;
mod pairs;
mod scaled;
mod short;
mod text;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::error::{Error, Result};

pub(crate) use short::Short;

/// Most significant digits a DECIMAL can have.
pub const MAX_DIGITS: u32 = 32;
/// Smallest power of ten of the last digit that [`Decimal`] keeps (the wire's least value is 1E-130).
pub const MIN_EXPONENT: i32 = -162;
/// Largest decimal exponent: below 1E+126.
pub const MAX_ADJUSTED: i32 = 125;
/// Smallest decimal exponent of the first digit.
pub const MIN_ADJUSTED: i32 = -130;

/// An exact decimal number: sign, coefficient and power of ten. 24 bytes, `Copy`.
///
/// The scale is kept (`1.50` stays `1.50`), but equality, order and hash go by value. No arithmetic: convert to a
/// `bigdecimal` or `rust_decimal` through the features of that name.
#[derive(Clone, Copy)]
pub struct Decimal {
    /// Two halves instead of one `u128`, whose alignment of 16 would make 32 bytes of the whole.
    coefficient: [u64; 2],
    exponent: i16,
    negative: bool,
}

/// 10^n for n up to 38.
pub(crate) const fn pow10(n: u32) -> u128 {
    10u128.pow(if n > 38 { 38 } else { n })
}

/// Decimal digits of `n`; 1 for zero.
pub(crate) const fn digits(n: u128) -> u32 {
    let log = if n <= u64::MAX as u128 {
        // Several times faster.
        (n as u64).checked_ilog10()
    } else {
        n.checked_ilog10()
    };
    match log {
        Some(log) => log + 1,
        None => 1,
    }
}

impl Decimal {
    /// 0
    pub const ZERO: Self = Self {
        coefficient: [0, 0],
        exponent: 0,
        negative: false,
    };
    /// 1
    pub const ONE: Self = Self {
        coefficient: [0, 1],
        exponent: 0,
        negative: false,
    };

    pub(crate) const fn raw(negative: bool, coefficient: u128, exponent: i32) -> Self {
        Self {
            coefficient: [(coefficient >> 64) as u64, coefficient as u64],
            exponent: exponent as i16,
            negative: negative && coefficient != 0,
        }
    }

    /// ± `coefficient` × 10^`exponent`. Trailing zeros beyond 32 digits are dropped; nothing else is rounded.
    ///
    /// # Errors
    /// [`Error::TooManyDigits`] above 32 significant digits, [`Error::OutOfRange`] outside ±1E-130 … ±9.9…E125.
    pub fn new(negative: bool, mut coefficient: u128, mut exponent: i32) -> Result<Self> {
        const LIMIT: u128 = pow10(MAX_DIGITS);
        // One word has 20 digits at most: here nothing can be too long, too large or too small.
        if coefficient <= u64::MAX as u128 && coefficient != 0 && (-120..=100).contains(&exponent) {
            return Ok(Self::raw(negative, coefficient, exponent));
        }
        while coefficient >= LIMIT && coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent = exponent.saturating_add(1);
        }
        let count = digits(coefficient);
        if count > MAX_DIGITS {
            return Err(Error::TooManyDigits {
                digits: count,
                max: MAX_DIGITS,
            });
        }
        if coefficient == 0 {
            return Ok(Self::raw(false, 0, exponent.clamp(MIN_EXPONENT, 0)));
        }
        let adjusted = exponent.saturating_add(count as i32 - 1);
        if !(MIN_ADJUSTED..=MAX_ADJUSTED).contains(&adjusted) {
            return Err(Error::range("DECIMAL (magnitude 1E-130 to below 1E126)"));
        }
        Ok(Self::raw(negative, coefficient, exponent))
    }

    /// As [`Self::new`], but rounds half away from zero to 32 digits, and values below 1E-130 to zero.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] from 1E126 on.
    pub fn rounded(negative: bool, coefficient: u128, exponent: i32) -> Result<Self> {
        let excess = digits(coefficient).saturating_sub(MAX_DIGITS);
        let (kept, exponent) = drop_digits(coefficient, exponent, excess);
        if kept != 0 && exponent.saturating_add(digits(kept) as i32 - 1) < MIN_ADJUSTED {
            return Ok(Self::ZERO);
        }
        Self::new(negative, kept, exponent)
    }

    /// Whether the number is below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.coefficient() == 0
    }

    /// The digits as an integer.
    #[must_use]
    pub const fn coefficient(&self) -> u128 {
        (self.coefficient[0] as u128) << 64 | self.coefficient[1] as u128
    }

    /// Power of ten of the last digit of [`Self::coefficient`].
    #[must_use]
    pub const fn exponent(&self) -> i32 {
        self.exponent as i32
    }

    /// Digits after the point, 0 when the exponent is positive.
    #[must_use]
    pub const fn scale(&self) -> u32 {
        if self.exponent < 0 {
            self.exponent.unsigned_abs() as u32
        } else {
            0
        }
    }

    /// Significant digits of the coefficient as it stands; 1 for zero.
    #[must_use]
    pub const fn digits(&self) -> u32 {
        digits(self.coefficient())
    }

    /// Decimal exponent of the first digit.
    const fn adjusted(&self) -> i32 {
        self.exponent as i32 + self.digits() as i32 - 1
    }

    /// The number with the sign changed.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self::raw(!self.negative, self.coefficient(), self.exponent as i32)
    }

    /// The number without sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self {
            negative: false,
            ..self
        }
    }

    /// The same value without trailing zeros in the coefficient; zero gets exponent 0.
    #[must_use]
    pub fn normalized(self) -> Self {
        let (mut coefficient, mut exponent) = (self.coefficient(), self.exponent());
        if coefficient == 0 {
            return Self::ZERO;
        }
        // What fits 64 bits is divided several times faster.
        while u64::try_from(coefficient).is_err() && coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        if let Ok(mut small) = u64::try_from(coefficient) {
            while small.is_multiple_of(10) {
                small /= 10;
                exponent += 1;
            }
            coefficient = u128::from(small);
        }
        Self::raw(self.negative, coefficient, exponent)
    }

    /// Rounds half away from zero to `scale` digits after the point, and shows exactly that many where 32 digits allow it.
    #[must_use]
    pub fn with_scale(self, scale: u8) -> Self {
        let wanted = -i32::from(scale);
        let (coefficient, exponent) = (self.coefficient(), self.exponent());
        if exponent < wanted {
            let (kept, exponent) = drop_digits(coefficient, exponent, (wanted - exponent) as u32);
            return Self::raw(self.negative, kept, exponent);
        }
        if coefficient == 0 {
            return Self::raw(false, 0, wanted);
        }
        let room = (MAX_DIGITS - digits(coefficient).min(MAX_DIGITS)) as i32;
        let added = (exponent - wanted).min(room);
        Self::raw(self.negative, coefficient * pow10(added as u32), exponent - added)
    }

    /// The value as a DECIMAL(precision, scale) column keeps it, `None` = floating: rounded half away from zero.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the integer part has more than precision - scale digits (Informix's -1226).
    pub fn fit(self, precision: u8, scale: Option<u8>) -> Result<Self> {
        let Some(scale) = scale else {
            let excess = self.digits().saturating_sub(u32::from(precision));
            let (kept, exponent) = drop_digits(self.coefficient(), self.exponent(), excess);
            return Self::new(self.negative, kept, exponent);
        };
        let rounded = self.with_scale(scale);
        let limit = i32::from(precision) - i32::from(scale);
        if !rounded.is_zero() && rounded.adjusted() >= limit {
            return Err(Error::range(format!("DECIMAL({precision},{scale})")));
        }
        Ok(rounded)
    }

    /// Digits after the point needed at most: trailing zeros not counted.
    #[must_use]
    pub fn min_scale(self) -> u32 {
        self.normalized().scale()
    }
}

/// Drops the last `count` digits, rounding half away from zero.
fn drop_digits(coefficient: u128, exponent: i32, count: u32) -> (u128, i32) {
    let exponent = exponent.saturating_add(count as i32);
    if count == 0 {
        return (coefficient, exponent);
    }
    if count > 38 {
        return (0, exponent);
    }
    let unit = pow10(count);
    let (kept, rest) = (coefficient / unit, coefficient % unit);
    (kept + u128::from(rest >= unit / 2), exponent)
}

impl Default for Decimal {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |value: &Self| match (value.is_zero(), value.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal || self.is_zero() {
            return by_sign;
        }
        let magnitude = self.adjusted().cmp(&other.adjusted()).then_with(|| {
            // Equal first digits' places: bring both to the same number of digits.
            let (mine, theirs) = (self.coefficient(), other.coefficient());
            let (count, other_count) = (digits(mine), digits(theirs));
            (mine * pow10(other_count.saturating_sub(count)))
                .cmp(&(theirs * pow10(count.saturating_sub(other_count))))
        });
        if self.negative {
            magnitude.reverse()
        } else {
            magnitude
        }
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let plain = self.normalized();
        (plain.negative, plain.coefficient, plain.exponent).hash(state);
    }
}
