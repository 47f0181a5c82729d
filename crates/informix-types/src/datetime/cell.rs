//! The quick way from the bytes of a DATETIME cell to its value. What is not plain (NULL, midnight without a date, digits outside the
//! qualifier, a value that does not exist) is left to [`DateTime::from_packed`].

use super::{DateTime, Parts};
use crate::fields::UNITS_PER_SECOND;
use crate::qualifier::{Field, Qualifier};

/// Pairs of YEAR TO FRACTION(5), whose first one is the century.
const PAIRS: usize = 10;
/// The head of a number whose first pair is the century: seven pairs stand before the point (`fields.rs`).
const CENTURY: u8 = 0x80 | (64 + 7);
/// What fractions of 0 to 5 digits are multiples of.
const UNITS: [u32; 6] = [UNITS_PER_SECOND, 10_000, 1_000, 100, 10, 1];

/// The value of a cell of head and pairs. `None`: not one for the quick way.
pub(super) fn quick(bytes: &[u8], qualifier: Qualifier) -> Option<DateTime> {
    let (&head, pairs) = bytes.split_first()?;
    // The positive heads of exponents from 7 downwards.
    let first = usize::from(CENTURY.checked_sub(head)?);
    let mut places = [0; PAIRS];
    let room = places.get_mut(first..)?;
    let (kept, surplus) = pairs.split_at(room.len().min(pairs.len()));
    room.iter_mut().zip(kept).for_each(|(place, pair)| *place = *pair);
    if surplus.iter().any(|pair| *pair != 0) || places.iter().any(|pair| *pair > 99) {
        return None;
    }
    let [century, year, month, day, hour, minute, second, f1, f2, f3] = places;
    let parts = Parts {
        year: u16::from(century) * 100 + u16::from(year),
        month,
        day,
        hour,
        minute,
        second,
        fraction: u32::from(f1) * 1000 + u32::from(f2) * 10 + u32::from(f3 / 10),
    };
    let value = DateTime { parts, qualifier };
    (f3 % 10 == 0 && qualifier.is_datetime() && has_no_more(&parts, qualifier) && value.is_valid())
        .then_some(value)
}

/// Whether every field outside of the qualifier, and every digit that its fraction does not have, is zero.
fn has_no_more(parts: &Parts, qualifier: Qualifier) -> bool {
    let (start, end) = (qualifier.start(), qualifier.end());
    let unit = match end {
        Field::Fraction(digits) => UNITS.get(usize::from(digits)).copied().unwrap_or(1),
        _ => UNITS_PER_SECOND,
    };
    let fields = [
        parts.year != 0,
        parts.month != 0,
        parts.day != 0,
        parts.hour != 0,
        parts.minute != 0,
        parts.second != 0,
    ];
    let outside = |rank: usize| rank < usize::from(start.rank()) || rank > usize::from(end.rank());
    parts.fraction.is_multiple_of(unit) && !(0..fields.len()).any(|rank| fields[rank] && outside(rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;

    fn slow(bytes: &[u8], qualifier: Qualifier) -> Option<DateTime> {
        let packed = Packed::decode(bytes).ok()??;
        DateTime::from_packed(&packed, qualifier).ok()
    }

    fn qualifiers() -> Vec<Qualifier> {
        let fractions = (1..=5).map(Field::Fraction);
        let fields = || {
            use Field::{Day, Hour, Minute, Month, Second, Year};
            [Year, Month, Day, Hour, Minute, Second]
                .into_iter()
                .chain(fractions.clone())
        };
        fields()
            .flat_map(|start| fields().filter_map(move |end| Qualifier::datetime(start, end).ok()))
            .collect()
    }

    /// Every qualifier, exponent and width, with fields that exist and fields that do not: the quick way gives what the other
    /// gives, or leaves it to it.
    #[test]
    fn the_quick_way_agrees() {
        let rows: [[u8; 12]; 8] = [
            [20, 26, 11, 30, 12, 34, 56, 12, 34, 50, 0, 0],
            [20, 24, 2, 29, 23, 59, 59, 99, 99, 90, 0, 0],
            [20, 23, 2, 29, 23, 59, 59, 99, 99, 95, 0, 7],
            [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            [99, 99, 12, 31, 24, 60, 60, 0, 0, 1, 0, 0],
            [12, 31, 23, 59, 59, 10, 0, 0, 0, 0, 0, 0],
            [100, 0, 1, 1, 1, 1, 1, 1, 1, 100, 0, 0],
            [23, 5, 7, 50, 0, 0, 0, 0, 0, 0, 0, 0],
        ];
        let mut taken = 0;
        for qualifier in qualifiers() {
            for exponent in [-64i32, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 63] {
                for row in &rows {
                    for start in 0..6 {
                        for end in start..=row.len() {
                            let mut bytes = vec![0x80 | (exponent + 64) as u8];
                            bytes.extend_from_slice(&row[start..end]);
                            if let Some(value) = quick(&bytes, qualifier) {
                                taken += 1;
                                assert_eq!(Some(value), slow(&bytes, qualifier), "{bytes:02x?} {qualifier}");
                            }
                        }
                    }
                }
            }
        }
        assert!(taken > 1000, "{taken}");
    }

    /// Whole values of every qualifier take it, in the normal form.
    #[test]
    fn plain_values_take_it() {
        for qualifier in qualifiers() {
            let full = DateTime::parse("2026-11-30 12:34:56.78912", Qualifier::YEAR_TO_FRACTION5).unwrap();
            let value = full.extend(qualifier, &full).unwrap();
            let bytes = value.to_packed_bytes().unwrap();
            assert_eq!(quick(&bytes, qualifier), Some(value), "{bytes:02x?} {qualifier}");
        }
    }

    #[test]
    fn others_do_not() {
        let second = Qualifier::YEAR_TO_SECOND;
        for bytes in [
            &[][..],
            &[0; 8],
            &[0x80],
            &[0xc7],
            &[0x38, 79, 73, 88, 69, 87, 65, 44],
            &[0xc7, 20, 26, 13, 30, 12, 34, 56],
        ] {
            assert_eq!(quick(bytes, second), None, "{bytes:02x?}");
        }
    }
}
