//! DECIMAL as a whole number of units of its last place: the form of columnar and fixed-point types.

use super::pairs::{WORD, eight, fold_checked, pow100};
use super::{Decimal, pow10};
use crate::error::{Error, Result};

/// Units of 10^-`scale` in a packed cell of the usual kind: in normal or positional form, with at most 16 pairs before the last
/// place of the scale, and no digit below it. `None`: not of that kind.
#[inline]
fn read_usual(cell: &[u8], scale: u8) -> Option<i128> {
    let (&head, pairs) = cell.split_first()?;
    let negative = head & 0x80 == 0;
    let exponent = i32::from(if negative { head ^ 0x7f } else { head & 0x7f }) - 64;
    // The pairs above the last place; with an odd scale its pair has one digit more.
    let wanted = usize::try_from(exponent + i32::from(scale.div_ceil(2))).ok()?;
    let first = eight(pairs);
    let (mut units, below) = if wanted <= WORD {
        // Shifted by its whole width nothing is left.
        let kept = first.checked_shr(8 * (WORD - wanted) as u32).unwrap_or(0);
        let below = first.checked_shl(8 * wanted as u32).unwrap_or(0);
        if below != 0 {
            return None;
        }
        (
            u128::from(fold_checked(kept)?),
            pairs.get(WORD..).unwrap_or_default(),
        )
    } else {
        let rest = pairs.get(WORD..).unwrap_or_default();
        let further = wanted - WORD;
        let (kept, below) = rest.split_at_checked(further).unwrap_or((rest, &[]));
        if further > WORD {
            return None;
        }
        let low = eight(kept) >> (8 * (WORD - further));
        (
            u128::from(fold_checked(first)?) * pow100(further) + u128::from(fold_checked(low)?),
            below,
        )
    };
    if below.iter().any(|&pair| pair != 0) {
        return None;
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
    // At most 32 digits.
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

    /// 15 to 18 pairs around the limit of 32 digits: both ways take the same ones and refuse the same ones.
    #[test]
    fn as_many_digits_as_there_can_be() {
        for (width, exponent, scale) in (15..=18usize)
            .flat_map(|width| (-4..=18i32).map(move |exponent| (width, exponent)))
            .flat_map(|(width, exponent)| (0..=38u8).map(move |scale| (width, exponent, scale)))
        {
            for (first, middle, last) in [
                (1, 0, 1),
                (9, 99, 90),
                (10, 50, 5),
                (99, 99, 99),
                (0, 9, 10),
                (99, 0, 100),
            ] {
                let mut cell = vec![0x80 | (exponent + 64) as u8, first];
                cell.resize(width, middle);
                cell.push(last);
                for flip in [0, 0xff] {
                    cell[0] ^= flip;
                    let (read, expected) =
                        (Decimal::units_from_packed(&cell, scale), reference(&cell, scale));
                    assert_eq!(read.ok(), expected.ok(), "{cell:02x?} scale {scale}");
                }
            }
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
