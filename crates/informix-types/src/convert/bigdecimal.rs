//! bigdecimal 0.4: holds every DECIMAL exactly, scale included.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, Sign};

use crate::decimal::Decimal;
use crate::error::{Error, Result};

impl From<Decimal> for BigDecimal {
    fn from(value: Decimal) -> Self {
        let sign = if value.is_negative() {
            Sign::Minus
        } else {
            Sign::Plus
        };
        let digits = BigInt::from_biguint(sign, value.coefficient().into());
        Self::new(digits, -i64::from(value.exponent()))
    }
}

/// Exact: more than 32 significant digits are an error.
impl TryFrom<&BigDecimal> for Decimal {
    type Error = Error;

    fn try_from(value: &BigDecimal) -> Result<Self> {
        let convert = |value: &BigDecimal| {
            let (digits, scale) = value.as_bigint_and_exponent();
            let coefficient = u128::try_from(digits.magnitude()).ok()?;
            let exponent = i32::try_from(-scale).ok()?;
            Some((digits.sign() == Sign::Minus, coefficient, exponent))
        };
        // A coefficient beyond 128 bits may only have trailing zeros.
        let (negative, coefficient, exponent) = convert(value)
            .or_else(|| convert(&value.normalized()))
            .ok_or_else(|| Error::Conversion {
                from: "BigDecimal",
                to: "DECIMAL".to_owned(),
            })?;
        Self::new(negative, coefficient, exponent)
    }
}

impl TryFrom<BigDecimal> for Decimal {
    type Error = Error;

    fn try_from(value: BigDecimal) -> Result<Self> {
        Self::try_from(&value)
    }
}
