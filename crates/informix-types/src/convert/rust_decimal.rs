//! rust_decimal 1: 28 to 29 digits, scale 0 to 28, so not every DECIMAL fits.

use crate::decimal::Decimal;
use crate::error::{Error, Result};

impl From<rust_decimal::Decimal> for Decimal {
    fn from(value: rust_decimal::Decimal) -> Self {
        // At most 29 digits with a scale of 28: always in range.
        Self::raw(
            value.is_sign_negative(),
            value.mantissa().unsigned_abs(),
            -(value.scale() as i32),
        )
    }
}

impl TryFrom<Decimal> for rust_decimal::Decimal {
    type Error = Error;

    fn try_from(value: Decimal) -> Result<Self> {
        let too_large = || Error::Conversion {
            from: "DECIMAL",
            to: "rust_decimal::Decimal".to_owned(),
        };
        let convert = |value: Decimal| {
            let (scale, integer) = match value.exponent() {
                exponent @ ..0 => (exponent.unsigned_abs(), Some(value.coefficient())),
                exponent => (
                    0,
                    value
                        .coefficient()
                        .checked_mul(10u128.checked_pow(exponent as u32)?),
                ),
            };
            let integer = i128::try_from(integer?).ok()?;
            Self::try_from_i128_with_scale(if value.is_negative() { -integer } else { integer }, scale).ok()
        };
        // Without its trailing zeros the value may fit.
        convert(value)
            .or_else(|| convert(value.normalized()))
            .ok_or_else(too_large)
    }
}
