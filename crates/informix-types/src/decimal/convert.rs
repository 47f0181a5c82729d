//! DECIMAL ⇄ Rust numbers.

use super::{Decimal, pow10};
use crate::error::{Error, Result};

macro_rules! from_integer {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Decimal {
            fn from(value: $ty) -> Self {
                #[allow(unused_comparisons)]
                let negative = value < 0;
                Self::raw(negative, (value as i128).unsigned_abs(), 0)
            }
        }
    )*};
}

from_integer!(i8, i16, i32, i64, u8, u16, u32, u64);

impl TryFrom<i128> for Decimal {
    type Error = Error;

    fn try_from(value: i128) -> Result<Self> {
        Self::new(value < 0, value.unsigned_abs(), 0)
    }
}

impl Decimal {
    /// The value as an integer, `None` when it has a fraction or does not fit.
    #[must_use]
    pub fn to_i128(self) -> Option<i128> {
        let (coefficient, exponent) = (self.coefficient(), self.exponent());
        let magnitude = match u32::try_from(exponent) {
            Ok(up @ 0..=38) => coefficient.checked_mul(pow10(up))?,
            Ok(_) if coefficient == 0 => 0,
            Ok(_) => return None,
            Err(_) if coefficient == 0 => 0,
            Err(_) => {
                let unit = Some(exponent.unsigned_abs())
                    .filter(|down| *down <= 38)
                    .map(pow10)?;
                if !coefficient.is_multiple_of(unit) {
                    return None;
                }
                coefficient / unit
            }
        };
        let magnitude = i128::try_from(magnitude).ok()?;
        Some(if self.is_negative() { -magnitude } else { magnitude })
    }

    /// The value as an integer, `None` when it has a fraction or does not fit.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        self.to_i128().and_then(|value| i64::try_from(value).ok())
    }

    /// The integer part (towards zero), `None` when it does not fit.
    #[must_use]
    pub fn trunc_to_i128(self) -> Option<i128> {
        match self.exponent() {
            0.. => self.to_i128(),
            -38..=-1 => {
                let whole = self.coefficient() / pow10(self.exponent().unsigned_abs());
                Self::raw(self.is_negative(), whole, 0).to_i128()
            }
            _ => Some(0),
        }
    }

    /// The nearest double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let sign = if self.is_negative() { "-" } else { "" };
        // The standard library's parser rounds correctly.
        format!("{sign}{}e{}", self.coefficient(), self.exponent())
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// The shortest decimal that reads back as the same double.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for infinities, NaN and magnitudes that DECIMAL does not have.
    pub fn from_f64(value: f64) -> Result<Self> {
        if value.is_finite() {
            format!("{value:e}").parse()
        } else {
            Err(Error::range(format!("{value} as DECIMAL")))
        }
    }

    /// The shortest decimal that reads back as the same single-precision number.
    ///
    /// # Errors
    /// As [`Self::from_f64`].
    pub fn from_f32(value: f32) -> Result<Self> {
        if value.is_finite() {
            format!("{value:e}").parse()
        } else {
            Err(Error::range(format!("{value} as DECIMAL")))
        }
    }
}
