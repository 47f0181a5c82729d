//! What DATETIME and INTERVAL share: field values ⇄ packed base-100 pairs, and the separators of the text form.
//!
//! The base-100 point stands after SECOND for every qualifier (M14, J): pair i of a number with exponent e belongs to position
//! e - i, where SECOND is 1, MINUTE 2, HOUR 3, DAY 4, MONTH 5, YEAR 6 (and 7), and the fraction pairs are 0, -1, -2. The first field
//! of an INTERVAL also owns every position above its own.

use crate::error::{Error, Result};
use crate::packed::Packed;
use crate::qualifier::{Field, Qualifier};

/// Fractions are counted in units of 10^-5 seconds, the finest that Informix keeps.
pub(crate) const UNITS_PER_SECOND: u32 = 100_000;
/// Rank of the fraction in [`FieldValues`].
pub(crate) const FRACTION: usize = 6;
/// Pairs reserved for the first field: nine digits need five.
const LEADING_PAIRS: usize = 5;

/// Field values by rank: year, month, day, hour, minute, second, fraction (units of 10^-5 s). Absent fields are 0.
pub(crate) type FieldValues = [u64; 7];

/// Cuts units of 10^-5 s to `digits` decimal digits.
pub(crate) fn truncate_fraction(units: u64, digits: u8) -> u64 {
    let unit = 10u64.pow(u32::from(5 - digits.min(5)));
    units - units % unit
}

/// Spreads a packed number over the fields of a qualifier. Digits below the last field are cut off.
pub(crate) fn from_packed(packed: &Packed, qualifier: Qualifier) -> Result<FieldValues> {
    let start = qualifier.start();
    let end = qualifier.end();
    let mut values = FieldValues::default();
    let mut fraction = 0;
    for (index, &pair) in packed.pairs().iter().enumerate() {
        let position = packed.exponent() - index as i32;
        let pair_value = u64::from(pair);
        if position < end.position() && position > 0 {
            break;
        }
        if position <= 0 {
            if let Field::Fraction(_) = end {
                fraction += match position {
                    0 => pair_value * 1000,
                    -1 => pair_value * 10,
                    -2 => pair_value / 10,
                    _ => 0,
                };
            }
        } else if position > start.position() || (position == start.position() && position > 0) {
            let above = position - start.position();
            let too_large = || {
                Error::malformed(
                    "DATETIME or INTERVAL",
                    format!("digits above the {} field", start.name()),
                )
            };
            if matches!(start, Field::Fraction(_)) || above >= LEADING_PAIRS as i32 {
                return Err(too_large());
            }
            let slot = values.get_mut(usize::from(start.rank())).ok_or_else(too_large)?;
            *slot += pair_value * 100u64.pow(above as u32);
        } else if let Some(slot) = usize::try_from(6 - position)
            .ok()
            .and_then(|rank| values.get_mut(rank))
        {
            *slot = pair_value;
        }
    }
    if let Field::Fraction(digits) = end {
        values[FRACTION] = truncate_fraction(fraction, digits);
    }
    Ok(values)
}

/// Packs field values; the first field may have up to ten digits.
pub(crate) fn to_packed(negative: bool, values: &FieldValues, qualifier: Qualifier) -> Result<Packed> {
    let mut pairs = [0u8; LEADING_PAIRS + 5 + 3];
    let mut used = 0;
    let mut push = |pair: u64| {
        if let Some(slot) = pairs.get_mut(used) {
            *slot = (pair % 100) as u8;
            used += 1;
        }
    };
    let mut exponent = 0;
    for field in qualifier.fields() {
        let value = values.get(usize::from(field.rank())).copied().unwrap_or_default();
        if matches!(field, Field::Fraction(_)) {
            push(value / 1000);
            push(value / 10);
            push(value % 10 * 10);
        } else if field == qualifier.start() {
            exponent = field.position() + LEADING_PAIRS as i32 - 1;
            for above in (0..LEADING_PAIRS as u32).rev() {
                push(value / 100u64.pow(above));
            }
        } else {
            push(value);
        }
    }
    Packed::new(negative, exponent, pairs.get(..used).unwrap_or_default())
}

/// The character before a field that is not the first one.
pub(crate) const fn separator(field: Field) -> char {
    match field {
        Field::Year | Field::Month | Field::Day => '-',
        Field::Hour => ' ',
        Field::Minute | Field::Second => ':',
        Field::Fraction(_) => '.',
    }
}

/// Writes the fields after the first one, each with its separator and two digits (the fraction with its own).
pub(crate) fn write_later_fields(
    f: &mut std::fmt::Formatter<'_>,
    values: &FieldValues,
    qualifier: Qualifier,
) -> std::fmt::Result {
    for field in qualifier.fields() {
        let value = values.get(usize::from(field.rank())).copied().unwrap_or_default();
        if let Field::Fraction(digits) = field {
            let shown = value / 10u64.pow(u32::from(5 - digits.min(5)));
            write!(f, ".{shown:0width$}", width = usize::from(digits))?;
        } else if field != qualifier.start() {
            write!(f, "{}{value:02}", separator(field))?;
        }
    }
    Ok(())
}

/// Parses unsigned text of a qualifier. Extra fraction digits are cut, missing ones are zero; other fields have at most two digits,
/// the first one at most `leading` digits.
pub(crate) fn parse(text: &str, qualifier: Qualifier, leading: usize) -> Option<FieldValues> {
    let mut values = FieldValues::default();
    let mut rest = text;
    for field in qualifier.fields() {
        let first = field.rank() == qualifier.start().rank();
        if let Field::Fraction(digits) = field {
            // `0.5` is accepted for `.5`.
            let digits_text = if first {
                rest.trim_start_matches('0').strip_prefix('.')?
            } else {
                rest.strip_prefix('.')?
            };
            let count = digits_text.bytes().take_while(u8::is_ascii_digit).count();
            let (number, tail) = digits_text.split_at_checked(count)?;
            if count == 0 {
                return None;
            }
            let kept: String = number.chars().chain(std::iter::repeat('0')).take(5).collect();
            values[FRACTION] = truncate_fraction(kept.parse().ok()?, digits);
            rest = tail;
            continue;
        }
        if !first {
            rest = rest.strip_prefix(separator(field))?;
        }
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 || count > if first { leading } else { 2 } {
            return None;
        }
        let (number, tail) = rest.split_at_checked(count)?;
        *values.get_mut(usize::from(field.rank()))? = number.parse().ok()?;
        rest = tail;
    }
    rest.is_empty().then_some(values)
}
