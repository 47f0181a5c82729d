//! Eight base-100 digits at once, in one word: what the quick ways of reading a DECIMAL share.

/// Pairs that one word holds.
pub(super) const WORD: usize = 8;

/// 100^n.
const POWERS: [u128; 2 * WORD + 1] = {
    let mut powers = [1; 2 * WORD + 1];
    let mut n = 1;
    while n < powers.len() {
        powers[n] = powers[n - 1] * 100;
        n += 1;
    }
    powers
};

/// 100^n for n up to 16: two words.
#[inline]
pub(super) const fn pow100(n: usize) -> u128 {
    POWERS[if n > 2 * WORD { 2 * WORD } else { n }]
}

/// The first eight digits, with zeros behind the last.
#[inline]
pub(super) fn eight(digits: &[u8]) -> u64 {
    match digits.first_chunk() {
        Some(digits) => u64::from_be_bytes(*digits),
        None => {
            let missing = WORD - digits.len();
            let joined = digits.iter().fold(0, |sum, &digit| sum << 8 | u64::from(digit));
            // All of them missing: nothing to shift.
            joined.checked_shl(8 * missing as u32).unwrap_or(0)
        }
    }
}

/// Eight base-100 digits as a number below 10^16, most significant first: neighbours are joined three times.
#[inline]
pub(super) const fn fold(pairs: u64) -> u64 {
    let low = 0x00ff_00ff_00ff_00ff;
    let fours = ((pairs >> 8) & low) * 100 + (pairs & low);
    let low = 0x0000_ffff_0000_ffff;
    let eights = ((fours >> 16) & low) * 10_000 + (fours & low);
    (eights >> 32) * 100_000_000 + (eights & 0xffff_ffff)
}

/// Whether a byte is above 99: adding 28 carries into the highest bit from 100 on.
#[inline]
pub(super) const fn has_no_pair(pairs: u64) -> bool {
    (pairs | pairs.wrapping_add(0x1c1c_1c1c_1c1c_1c1c)) & 0x8080_8080_8080_8080 != 0
}

/// As [`fold`]; `None` when a digit is above 99.
#[inline]
pub(super) fn fold_checked(pairs: u64) -> Option<u64> {
    (!has_no_pair(pairs)).then(|| fold(pairs))
}
