//! The quick way from a value to its shortest packed form, for coefficients of one word. Zero, longer ones and values outside the packed
//! range are left to [`super::packed`].

use super::Decimal;
use crate::packed::{MAX_EXPONENT, MIN_EXPONENT};

/// Head and pairs of 20 digits, one of which may be alone in its pair.
const MOST: usize = 1 + 11;

/// Head and significant pairs, as [`Packed::write`](crate::packed::Packed::write) gives them.
pub(crate) struct Short {
    /// Right-aligned, and a zero behind them.
    bytes: [u8; MOST + 1],
    start: usize,
    /// Significant digits.
    pub(crate) digits: u8,
    /// Of them, those behind the point, with the zeros between.
    pub(crate) scale: u8,
}

impl Short {
    /// The form of a value.
    #[inline]
    pub(crate) fn of(value: &Decimal) -> Option<Self> {
        let mut rest = u64::try_from(value.coefficient()).ok()?;
        let mut exponent = value.exponent();
        let is_negative = value.is_negative();
        if rest == 0 {
            return None;
        }
        while rest.is_multiple_of(10) {
            rest /= 10;
            exponent += 1;
        }
        let digits = rest.ilog10() as u8 + 1;
        let scale = u8::try_from(-exponent.min(0)).ok()?;
        if exponent & 1 != 0 {
            rest = rest.checked_mul(10)?;
            exponent -= 1;
        }
        let mut bytes = [0; MOST + 1];
        let mut start = MOST;
        // The last pair of a complement is 100 - p, those before it are 99 - p.
        let mut full = 100;
        for place in bytes.iter_mut().take(MOST).rev() {
            if rest == 0 {
                break;
            }
            let pair = (rest % 100) as u8;
            *place = if is_negative { full - pair } else { pair };
            full = 99;
            rest /= 100;
            start -= 1;
        }
        let exponent = exponent / 2 + (MOST - start) as i32;
        if !(MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return None;
        }
        let head = (exponent + 64) as u8;
        start -= 1;
        *bytes.get_mut(start)? = if is_negative { head ^ 0x7f } else { head | 0x80 };
        Some(Self {
            bytes,
            start,
            digits,
            scale,
        })
    }

    /// Number of bytes.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        MOST - self.start
    }

    /// The bytes, and a zero behind an odd number of them.
    #[inline]
    pub(crate) fn padded(&self) -> &[u8] {
        let end = MOST + self.len() % 2;
        self.bytes.get(self.start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lengths of coefficients, exponents and both signs: what the quick way gives is what the other gives.
    #[test]
    fn the_quick_way_agrees() {
        let lengths = (1..=20u32).flat_map(|n| {
            let power = 10u128.pow(n - 1);
            [
                power,
                power + 1,
                power * 5,
                power * 9 + 99,
                power * 12 + 50,
                power * 10 - 1,
            ]
        });
        let coefficients: Vec<u128> = lengths
            .chain([u128::from(u64::MAX), 100, 101, 1_000_050])
            .collect();
        let mut taken = 0;
        for &coefficient in &coefficients {
            for exponent in -140..=125 {
                for negative in [false, true] {
                    let Ok(value) = Decimal::new(negative, coefficient, exponent) else {
                        continue;
                    };
                    let plain = value.normalized();
                    let slow = plain.packed_normal().map(|packed| {
                        let mut bytes = Vec::new();
                        packed.write(&mut bytes);
                        bytes
                    });
                    let Some(short) = Short::of(&value) else {
                        assert!(
                            slow.is_err() || coefficient > u128::from(u64::MAX / 10),
                            "{value}"
                        );
                        continue;
                    };
                    taken += 1;
                    let mut slow = slow.unwrap();
                    assert_eq!(short.len(), slow.len(), "{value}");
                    assert_eq!(
                        (short.digits.into(), short.scale.into()),
                        (plain.digits(), plain.scale())
                    );
                    slow.resize(slow.len().next_multiple_of(2), 0);
                    assert_eq!(short.padded(), slow, "{value}");
                }
            }
        }
        assert!(taken > 10_000, "{taken}");
        assert!(Short::of(&Decimal::ZERO).is_none());
    }
}
