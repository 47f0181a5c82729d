//! DECIMAL as a whole number of units of its last place: the form of columnar and fixed-point types.

use super::{Decimal, pow10};
use crate::error::{Error, Result};

/// Pairs whose number is sure to fit 64 bits.
const PAIRS_IN_U64: usize = 9;

/// 100^n for n up to 19.
const fn pow100(n: usize) -> u128 {
    pow10(2 * n as u32)
}

/// The number of base-100 digits; `None` when one is above 99.
#[inline]
fn fold(pairs: &[u8]) -> Option<u64> {
    let (sum, worst) = pairs.iter().fold((0, 0), |(sum, worst), &pair| {
        (sum * 100 + u64::from(pair), worst.max(pair))
    });
    (worst <= 99).then_some(sum)
}

/// Units of 10^-`scale` in a packed cell of the usual kind: in normal or positional form, with no digit below the scale. `None`:
/// not of that kind.
#[inline]
fn read_usual(cell: &[u8], scale: u8) -> Option<i128> {
    let (&head, pairs) = cell.split_first()?;
    let negative = head & 0x80 == 0;
    let exponent = i32::from(if negative { head ^ 0x7f } else { head & 0x7f }) - 64;
    // The pairs above the last place; with an odd scale its pair has one digit more.
    let wanted = usize::try_from(exponent + i32::from(scale.div_ceil(2))).ok()?;
    let (kept, below) = pairs.split_at_checked(wanted).unwrap_or((pairs, &[]));
    if wanted > 2 * PAIRS_IN_U64 || below.iter().any(|&pair| pair != 0) {
        return None;
    }
    let mut units = if wanted <= PAIRS_IN_U64 {
        u128::from(fold(kept)?)
    } else {
        let (high, low) = kept.split_at_checked(PAIRS_IN_U64).unwrap_or((&[], kept));
        u128::from(fold(high)?) * pow100(low.len()) + u128::from(fold(low)?)
    };
    if kept.len() < wanted {
        units *= pow100(wanted - kept.len());
    }
    if negative {
        // The complement; without digits the head alone says zero or NULL.
        units = if units == 0 {
            return None;
        } else {
            pow100(wanted) - units
        };
    }
    if scale % 2 == 1 {
        if units % 10 != 0 {
            return None;
        }
        units /= 10;
    }
    // At most 36 digits.
    let units = units as i128;
    Some(if negative { -units } else { units })
}

impl Decimal {
    /// The value as a number of units of 10^-`scale`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when digits would be lost, or the number has more than 38 digits.
    pub fn to_units(self, scale: u8) -> Result<i128> {
        let unfit = || Error::range(format!("{self} as a number with {scale} decimal places"));
        let (mut coefficient, shift) = (self.coefficient(), self.exponent() + i32::from(scale));
        if coefficient != 0 {
            let unit = Some(shift.unsigned_abs()).filter(|shift| *shift <= 38).map(pow10);
            let unit = unit.ok_or_else(unfit)?;
            coefficient = if shift >= 0 {
                coefficient.checked_mul(unit).ok_or_else(unfit)?
            } else if coefficient.is_multiple_of(unit) {
                coefficient / unit
            } else {
                return Err(unfit());
            };
        }
        if coefficient >= pow10(38) {
            return Err(unfit());
        }
        let units = coefficient as i128;
        Ok(if self.is_negative() { -units } else { units })
    }

    /// Reads a packed cell straight into units of 10^-`scale`; `None` is NULL. The same as decoding it and calling
    /// [`Self::to_units`], several times faster.
    ///
    /// # Errors
    /// As [`crate::packed::Packed::decode`] and [`Self::to_units`].
    #[inline]
    pub fn units_from_packed(cell: &[u8], scale: u8) -> Result<Option<i128>> {
        match read_usual(cell, scale) {
            Some(units) => Ok(Some(units)),
            None => Self::units_of_unusual(cell, scale),
        }
    }

    /// NULL, zero, tiny and huge numbers, digits below the scale, errors.
    #[inline(never)]
    fn units_of_unusual(cell: &[u8], scale: u8) -> Result<Option<i128>> {
        Self::from_packed_bytes(cell, Some(scale))?
            .map(|value| value.to_units(scale))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;
    use proptest::prelude::*;

    /// The way over a `Decimal`.
    fn reference(cell: &[u8], scale: u8) -> Result<Option<i128>> {
        let packed = Packed::decode(cell)?;
        let value = packed
            .map(|p| Decimal::from_packed(&p, Some(scale)))
            .transpose()?;
        value.map(|v| v.to_units(scale)).transpose()
    }

    proptest! {
        #[test]
        fn any_bytes_read_as_over_a_decimal(cell in proptest::collection::vec(any::<u8>(), 0..20), scale in 0u8..=38) {
            prop_assert_eq!(Decimal::units_from_packed(&cell, scale).ok(), reference(&cell, scale).ok());
        }

        #[test]
        fn plausible_bytes_read_as_over_a_decimal(
            head in prop_oneof![0x30u8..0x50, 0xb0u8..0xd0],
            pairs in proptest::collection::vec(0u8..=100, 0..18),
            zeros in 0usize..8,
            scale in 0u8..=32,
        ) {
            let mut cell = vec![head];
            cell.extend(pairs);
            cell.resize(cell.len() + zeros, 0);
            prop_assert_eq!(Decimal::units_from_packed(&cell, scale).ok(), reference(&cell, scale).ok());
        }

        #[test]
        fn values_of_a_column_come_back(units in -(10i128.pow(32) - 1)..10i128.pow(32), scale in 0u8..=32, digits in 1u32..=32) {
            let units = units % 10i128.pow(digits);
            let value = Decimal::new(units < 0, units.unsigned_abs(), -i32::from(scale)).unwrap();
            let mut cell = Vec::new();
            value.to_packed().unwrap().write_padded(18, &mut cell).unwrap();
            prop_assert_eq!(Decimal::units_from_packed(&cell, scale).unwrap(), Some(units));
            prop_assert_eq!(value.to_units(scale).unwrap(), units);
        }
    }

    #[test]
    fn null_zero_and_lost_digits() {
        assert_eq!(Decimal::units_from_packed(&[0, 0, 0], 2), Ok(None));
        assert_eq!(Decimal::units_from_packed(&[0x80, 0, 0], 2), Ok(Some(0)));
        assert_eq!(Decimal::units_from_packed(&[0xc0, 5, 50], 4), Ok(Some(550)));
        assert!(Decimal::units_from_packed(&[0xc0, 5, 50], 2).is_err());
        assert!(Decimal::units_from_packed(&[0xff, 1], 2).is_err());
        let long: Decimal = "1E37".parse().unwrap();
        assert_eq!(long.to_units(0), Ok(10i128.pow(37)));
        assert!(long.to_units(1).is_err());
    }
}
