//! The quick way from the bytes of a DECIMAL cell to its value: a few multiplications on whole words instead of a step per
//! pair. What is not plain (a leading zero pair, digits beyond the scale, more than 16 pairs) is left to [`super::packed`].

use super::Decimal;
use super::pairs::{WORD, eight, fold, has_no_pair, pow100};

/// Pairs that the quick way reads.
const MOST: usize = 2 * WORD;

/// The value of a cell of head and pairs, of a column with this scale (`None` = floating). `None`: not one for the quick way.
pub(super) fn quick(bytes: &[u8], scale: Option<u8>) -> Option<Decimal> {
    let (&head, pairs) = bytes.split_first()?;
    let negative = head & 0x80 == 0;
    let exponent = i32::from(if negative { head ^ 0x7f } else { head & 0x7f }) - 64;
    // The first pair of a normal form is a digit; a complement's is not that of zero.
    let first = *pairs.first()?;
    if first == if negative { 99 } else { 0 } || pairs.len() > MOST {
        return None;
    }
    if pairs.len() <= WORD
        && let Some(value) = one_word(negative, exponent, eight(pairs), scale)
    {
        return Some(value);
    }
    two_words(negative, exponent, pairs, scale)
}

/// Pairs down to the last one that the scale shows; `None` when it does not show all that are significant.
#[inline]
fn kept(exponent: i32, significant: usize, scale: Option<u8>) -> Option<usize> {
    let kept = match scale {
        Some(scale) => usize::try_from(exponent + i32::from(scale.div_ceil(2))).ok()?,
        None => significant.max(usize::try_from(exponent).unwrap_or(0)),
    };
    (kept >= significant).then_some(kept)
}

/// Whether one digit of the last pair may be more than the scale shows, or more than a floating value needs.
#[inline]
fn is_odd(shown: i32, scale: Option<u8>, is_tens: impl FnOnce() -> bool) -> bool {
    match scale {
        Some(scale) => shown < -i32::from(scale),
        None => shown < 0 && is_tens(),
    }
}

/// A number of at most eight pairs, those behind the last of which are zero: all in one word, whose arithmetic is several times
/// faster.
#[inline]
fn one_word(negative: bool, exponent: i32, digits: u64, scale: Option<u8>) -> Option<Decimal> {
    if digits == 0 || has_no_pair(digits) {
        return None;
    }
    let significant = WORD - digits.trailing_zeros() as usize / 8;
    let kept = kept(exponent, significant, scale).filter(|kept| *kept <= WORD)?;
    let word = fold(digits >> (8 * (WORD - kept)));
    let mut coefficient = if negative {
        pow100(kept) as u64 - word
    } else {
        word
    };
    let mut shown = 2 * (exponent - kept as i32);
    if is_odd(shown, scale, || coefficient.is_multiple_of(10)) {
        if !coefficient.is_multiple_of(10) {
            return None;
        }
        coefficient /= 10;
        shown += 1;
    }
    Some(Decimal::raw(negative, u128::from(coefficient), shown))
}

fn two_words(negative: bool, exponent: i32, pairs: &[u8], scale: Option<u8>) -> Option<Decimal> {
    let (high, low) = (eight(pairs), eight(pairs.get(WORD..).unwrap_or_default()));
    let digits = u128::from(high) << 64 | u128::from(low);
    if digits == 0 || has_no_pair(high) || has_no_pair(low) {
        return None;
    }
    let significant = MOST - digits.trailing_zeros() as usize / 8;
    let kept = kept(exponent, significant, scale).filter(|kept| *kept <= MOST)?;
    let mut coefficient = if kept <= WORD {
        let word = fold(high >> (8 * (WORD - kept)));
        u128::from(if negative {
            (pow100(kept) as u64) - word
        } else {
            word
        })
    } else {
        let right = digits >> (8 * (MOST - kept));
        let value = u128::from(fold((right >> 64) as u64)) * pow100(WORD) + u128::from(fold(right as u64));
        if negative { pow100(kept) - value } else { value }
    };
    let mut shown = 2 * (exponent - kept as i32);
    if is_odd(shown, scale, || coefficient.is_multiple_of(10)) {
        if !coefficient.is_multiple_of(10) {
            return None;
        }
        coefficient /= 10;
        shown += 1;
    }
    Some(Decimal::raw(negative, coefficient, shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;

    fn slow(bytes: &[u8], scale: Option<u8>) -> Option<Decimal> {
        let packed = Packed::decode(bytes).ok()??;
        Decimal::from_packed(&packed, scale).ok()
    }

    fn same(a: Decimal, b: Decimal) -> bool {
        a.is_negative() == b.is_negative()
            && a.coefficient() == b.coefficient()
            && a.exponent() == b.exponent()
    }

    /// Every kind of pair at every place, all widths, scales and some exponents, both signs: the quick way gives what the other
    /// gives, or leaves it to it.
    #[test]
    fn the_quick_way_agrees() {
        const KINDS: [u8; 9] = [0, 1, 9, 10, 45, 90, 98, 99, 100];
        let scales = (0..=32u8).map(Some).chain([None]);
        let mut taken = 0;
        for scale in scales {
            for width in 1..=18usize {
                for exponent in [-64i32, -2, -1, 0, 1, 2, 7, 8, 9, 16, 63] {
                    for seed in 0..60usize {
                        let mut bytes = vec![0x80 | (exponent + 64) as u8];
                        let digits = seed % (width + 1);
                        bytes.extend((0..width).map(|at| {
                            if at > digits {
                                0
                            } else {
                                KINDS[(at * 7 + seed * 5 + width) % KINDS.len()]
                            }
                        }));
                        for flip in [0, 0xff] {
                            bytes[0] ^= flip;
                            if let Some(quick) = quick(&bytes, scale) {
                                taken += 1;
                                let slow = slow(&bytes, scale);
                                assert!(
                                    slow.is_some_and(|slow| same(quick, slow)),
                                    "{bytes:02x?} scale {scale:?}: {quick:?}, not {slow:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert!(taken > 1000, "{taken}");
    }

    #[test]
    fn plain_values_take_it() {
        for (bytes, scale, expected) in [
            (&[0xc1, 12, 50, 0, 0, 0, 0, 0, 0][..], Some(2), "12.50"),
            (&[0x3e, 87, 50, 0, 0, 0, 0, 0, 0], Some(2), "-12.50"),
            (&[0xc0, 5, 0], Some(1), "0.0"),
            (&[0xc0, 50, 0], Some(1), "0.5"),
            (&[0xc2, 1, 0, 0], None, "100"),
            (&[0xc1, 1, 50, 0], None, "1.5"),
        ] {
            let found = quick(bytes, scale).map(|d| d.to_string());
            if expected == "0.0" {
                assert_eq!(found, None, "0.05 does not fit one decimal");
            } else {
                assert_eq!(found.as_deref(), Some(expected), "{bytes:02x?}");
            }
        }
    }
}
