//! Exact arithmetic on decimal numbers: 32 significant digits, halves rounded away from zero.
//!
//! The server computes DECIMAL and MONEY in decimal; 32 digits is its limit (`sqli-types.md` 2.4) and the
//! documented rounding of the vendor's decimal library.

use informix_types::Decimal;

/// Most significant digits of a DECIMAL.
pub(crate) const MAX_DIGITS: u32 = 32;

/// ±coefficient × 10^exponent. The coefficient may hold up to 38 digits between steps; `rounded` cuts it to 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    /// Below zero. Never set when the coefficient is 0.
    pub(crate) negative: bool,
    /// The digits.
    pub(crate) coefficient: u128,
    /// Power of ten of the last digit.
    pub(crate) exponent: i32,
}

/// 10^n for n up to 38.
fn power(n: u32) -> u128 {
    10u128.checked_pow(n).unwrap_or(u128::MAX)
}

/// How many decimal digits the number has; 0 for 0.
pub(crate) fn digits(value: u128) -> u32 {
    value.checked_ilog10().map_or(0, |n| n + 1)
}

/// Divides by 10^n with halves away from zero.
fn shift_right(value: u128, n: u32) -> u128 {
    if n == 0 {
        return value;
    }
    if n > 38 {
        return 0;
    }
    let divisor = power(n);
    let (quotient, rest) = (value / divisor, value % divisor);
    if rest >= divisor.div_ceil(2) {
        quotient + 1
    } else {
        quotient
    }
}

impl Number {
    /// Zero.
    pub(crate) const ZERO: Self = Self {
        negative: false,
        coefficient: 0,
        exponent: 0,
    };

    /// The parts put together.
    pub(crate) fn new(negative: bool, coefficient: u128, exponent: i32) -> Self {
        Self {
            negative: negative && coefficient != 0,
            coefficient,
            exponent,
        }
    }

    /// The number of a DECIMAL.
    pub(crate) fn from_decimal(decimal: Decimal) -> Self {
        Self::new(decimal.is_negative(), decimal.coefficient(), decimal.exponent())
    }

    /// A whole number.
    pub(crate) fn from_i64(value: i64) -> Self {
        Self::new(value < 0, u128::from(value.unsigned_abs()), 0)
    }

    /// The shortest decimal number that stands for the float; None when it is not finite.
    pub(crate) fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        Self::parse(&format!("{value:e}"))
    }

    /// Nearest float.
    pub(crate) fn to_f64(self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.coefficient, self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// Reads `[sign] digits [. digits] [e [sign] digits]` with blanks around; more than 38 digits are rounded.
    /// None when the text is no number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            None => (text, 0),
            Some(at) => {
                let exponent: i32 = text.get(at + 1..)?.parse().ok()?;
                if exponent.abs() > 100_000 {
                    return None;
                }
                (text.get(..at)?, exponent)
            }
        };
        let (mut coefficient, mut exponent, mut any, mut point, mut dropped) =
            (0u128, exponent, false, false, false);
        for byte in mantissa.bytes() {
            match byte {
                b'.' if !point => point = true,
                b'0'..=b'9' => {
                    any = true;
                    let digit = byte - b'0';
                    if coefficient < power(37) {
                        coefficient = coefficient * 10 + u128::from(digit);
                        if point {
                            exponent -= 1;
                        }
                    } else {
                        if !dropped && digit >= 5 {
                            coefficient += 1;
                        }
                        dropped = true;
                        if !point {
                            exponent += 1;
                        }
                    }
                }
                _ => return None,
            }
        }
        any.then(|| Self::new(negative, coefficient, exponent))
    }

    /// At most 32 significant digits.
    pub(crate) fn rounded(self) -> Self {
        self.rounded_to_digits(MAX_DIGITS)
    }

    /// At most `limit` significant digits.
    pub(crate) fn rounded_to_digits(self, limit: u32) -> Self {
        let have = digits(self.coefficient);
        if have <= limit {
            return self;
        }
        let drop = have - limit;
        let mut coefficient = shift_right(self.coefficient, drop);
        let mut exponent = self.exponent + drop as i32;
        if digits(coefficient) > limit {
            coefficient /= 10;
            exponent += 1;
        }
        Self::new(self.negative, coefficient, exponent)
    }

    /// At most `pairs` base-100 digits, as packed numbers have them, and at most 32 digits.
    pub(crate) fn rounded_to_pairs(self, pairs: u32) -> Self {
        // The leading pair has one digit when the power of ten of the first digit is even.
        let first = self.exponent + digits(self.coefficient) as i32 - 1;
        let limit = 2 * pairs - u32::from(first.rem_euclid(2) == 0);
        self.rounded_to_digits(limit.min(MAX_DIGITS))
    }

    /// At most `scale` digits after the point (negative: zeros before it), halves away from zero.
    pub(crate) fn rounded_to_scale(self, scale: i32) -> Self {
        if self.exponent >= -scale {
            return self;
        }
        let drop = (-scale - self.exponent) as u32;
        Self::new(self.negative, shift_right(self.coefficient, drop), -scale)
    }

    /// As [`Self::rounded_to_scale`], digits cut off.
    pub(crate) fn truncated_to_scale(self, scale: i32) -> Self {
        if self.exponent >= -scale {
            return self;
        }
        let drop = (-scale - self.exponent) as u32;
        let coefficient = if drop > 38 {
            0
        } else {
            self.coefficient / power(drop)
        };
        Self::new(self.negative, coefficient, -scale)
    }

    /// Exactly `scale` digits after the point; None when the digits do not fit 38.
    pub(crate) fn with_scale(self, scale: i32) -> Option<Self> {
        let rounded = self.rounded_to_scale(scale);
        let shift = u32::try_from(rounded.exponent + scale).ok()?;
        if rounded.coefficient == 0 {
            return Some(Self::new(false, 0, -scale));
        }
        if shift > 38 {
            return None;
        }
        let coefficient = rounded.coefficient.checked_mul(power(shift))?;
        Some(Self::new(rounded.negative, coefficient, -scale))
    }

    /// Without trailing zeros in the coefficient.
    pub(crate) fn stripped(self) -> Self {
        if self.coefficient == 0 {
            return Self::ZERO;
        }
        let (mut coefficient, mut exponent) = (self.coefficient, self.exponent);
        while coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        Self::new(self.negative, coefficient, exponent)
    }

    /// Digits before the point; 0 when it is below 1.
    pub(crate) fn integer_digits(self) -> u32 {
        u32::try_from(digits(self.coefficient) as i32 + self.exponent).unwrap_or(0)
    }

    /// The whole part, or None beyond 64 bits.
    pub(crate) fn to_i64_truncated(self) -> Option<i64> {
        let whole = self.truncated_to_scale(0);
        let shift = u32::try_from(whole.exponent).ok()?;
        let magnitude = if whole.coefficient == 0 {
            0
        } else if shift > 19 {
            return None;
        } else {
            whole.coefficient.checked_mul(power(shift))?
        };
        let magnitude = i128::try_from(magnitude).ok()?;
        i64::try_from(if whole.negative { -magnitude } else { magnitude }).ok()
    }

    /// As 64-bit integer when it is whole.
    pub(crate) fn to_i64_exact(self) -> Option<i64> {
        let stripped = self.stripped();
        if stripped.exponent < 0 {
            None
        } else {
            stripped.to_i64_truncated()
        }
    }

    /// The other sign.
    pub(crate) fn negated(self) -> Self {
        Self::new(!self.negative, self.coefficient, self.exponent)
    }

    /// Sum with 32 digits.
    pub(crate) fn plus(self, other: Self) -> Self {
        if self.coefficient == 0 {
            return other.keep_scale(self).rounded();
        }
        if other.coefficient == 0 {
            return self.keep_scale(other).rounded();
        }
        let (high, low) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        // Room to the left of the operand whose last digit stands higher.
        let room = 37 - digits(high.coefficient);
        let gap = (high.exponent - low.exponent) as u32;
        let up = gap.min(room);
        let high_coefficient = high.coefficient * power(up);
        let low_coefficient = shift_right(low.coefficient, gap - up);
        let exponent = high.exponent - up as i32;
        let sum = if high.negative == low.negative {
            Self::new(high.negative, high_coefficient + low_coefficient, exponent)
        } else if high_coefficient >= low_coefficient {
            Self::new(high.negative, high_coefficient - low_coefficient, exponent)
        } else {
            Self::new(low.negative, low_coefficient - high_coefficient, exponent)
        };
        sum.rounded()
    }

    /// Keeps the longer fraction of two summands when one of them is zero.
    fn keep_scale(self, zero: Self) -> Self {
        if zero.exponent < self.exponent {
            self.with_scale(-zero.exponent).unwrap_or(self)
        } else {
            self
        }
    }

    /// Difference with 32 digits.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// Product with 32 digits.
    pub(crate) fn times(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        let exponent = self.exponent + other.exponent;
        if let Some(product) = self.coefficient.checked_mul(other.coefficient) {
            return Self::new(negative, product, exponent).rounded();
        }
        // Two numbers of up to 38 digits: limbs of 19 digits, schoolbook.
        const LIMB: u128 = 10_000_000_000_000_000_000;
        let left = [self.coefficient % LIMB, self.coefficient / LIMB];
        let right = [other.coefficient % LIMB, other.coefficient / LIMB];
        let mut limbs = [0u128; 5];
        for (i, a) in left.iter().enumerate() {
            let mut carry = 0u128;
            for (j, b) in right.iter().enumerate() {
                if let Some(slot) = limbs.get_mut(i + j) {
                    // Below 10^38 + 10^19 + 10^19: fits.
                    let total = a * b + *slot + carry;
                    *slot = total % LIMB;
                    carry = total / LIMB;
                }
            }
            if let Some(slot) = limbs.get_mut(i + right.len()) {
                *slot += carry;
            }
        }
        let mut text = String::new();
        for limb in limbs.iter().rev() {
            text.push_str(&format!("{limb:019}"));
        }
        let digits = text.trim_start_matches('0');
        Self::parse(digits)
            .map_or(Self::ZERO, |n| {
                Self::new(negative, n.coefficient, n.exponent + exponent)
            })
            .rounded()
    }

    /// Quotient with 32 digits; None for a zero divisor.
    pub(crate) fn divided_by(self, other: Self) -> Option<Self> {
        // Both must leave room for the five digits taken in one step.
        let (dividend, divisor) = (self.rounded(), other.rounded());
        if divisor.coefficient == 0 {
            return None;
        }
        if dividend.coefficient == 0 {
            return Some(Self::ZERO);
        }
        const STEP: u32 = 5;
        let mut quotient = dividend.coefficient / divisor.coefficient;
        let mut rest = dividend.coefficient % divisor.coefficient;
        let mut exponent = dividend.exponent - divisor.exponent;
        while rest != 0 && digits(quotient) < MAX_DIGITS + 1 {
            let step = STEP.min(38 - digits(quotient));
            rest *= power(step);
            quotient = quotient * power(step) + rest / divisor.coefficient;
            rest %= divisor.coefficient;
            exponent -= step as i32;
        }
        Some(
            Self::new(self.negative != other.negative, quotient, exponent)
                .stripped()
                .rounded(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        Number::parse(text).expect(text)
    }

    fn same(left: Number, right: &str) -> bool {
        left.stripped() == n(right).stripped()
    }

    #[test]
    fn arithmetic_table() {
        let nines = "99999999999999999999999999999999";
        let cases: &[(&str, char, &str, &str)] = &[
            ("1.1", '+', "2.22", "3.32"),
            ("1", '+', "1e-40", "1"),
            ("-1", '+', "1", "0"),
            ("1e30", '-', "1", "999999999999999999999999999999"),
            (nines, '+', "1", "1e32"),
            (nines, '+', "0.4", nines),
            (nines, '+', "0.5", "1e32"),
            ("12.5", '*', "-4", "-50"),
            (nines, '*', nines, "9.9999999999999999999999999999998e63"),
            ("1", '/', "3", "0.33333333333333333333333333333333"),
            ("2", '/', "3", "0.66666666666666666666666666666667"),
            ("7", '/', "2", "3.5"),
            ("1e-100", '/', "7", "1.4285714285714285714285714285714e-101"),
            ("100", '/', "-8", "-12.5"),
        ];
        for (left, op, right, expected) in cases {
            let (l, r) = (n(left), n(right));
            let got = match op {
                '+' => l.plus(r),
                '-' => l.minus(r),
                '*' => l.times(r),
                _ => l.divided_by(r).expect("divisor"),
            };
            assert!(
                same(got, expected),
                "{left} {op} {right} = {got:?}, want {expected}"
            );
        }
        assert!(n("1").divided_by(n("0")).is_none());
    }

    #[test]
    fn rounding_and_scale() {
        for (text, scale, expected) in [
            ("2.345", 2, "2.35"),
            ("-2.345", 2, "-2.35"),
            ("2.344", 2, "2.34"),
            ("155", -1, "160"),
            ("0.05", 1, "0.1"),
            ("4", -1, "0"),
            ("5", -1, "10"),
        ] {
            assert!(same(n(text).rounded_to_scale(scale), expected), "{text}");
        }
        assert!(same(n("-2.99").truncated_to_scale(0), "-2"));
        assert_eq!(
            n("1.5").with_scale(3).map(|v| (v.coefficient, v.exponent)),
            Some((1500, -3))
        );
        assert_eq!(n("1e40").with_scale(3), None);
        assert_eq!(n("-9223372036854775808.9").to_i64_truncated(), Some(i64::MIN));
        assert_eq!(n("9223372036854775808").to_i64_truncated(), None);
        assert_eq!(n("1e3").to_i64_exact(), Some(1000));
        assert_eq!(n("1.5").to_i64_exact(), None);
    }

    #[test]
    fn texts() {
        for bad in ["", " ", "abc", "1.2.3", "1e", "--1", "1x", ".", "1e999999"] {
            assert!(Number::parse(bad).is_none(), "{bad:?}");
        }
        assert!(same(n(" .5 "), "0.5"));
        assert!(same(n("+5."), "5"));
        assert!(same(
            n("123456789012345678901234567890123456789012"),
            "1.2345678901234567890123456789012345679e41"
        ));
        assert!(same(Number::from_f64(0.1).expect("finite"), "0.1"));
        assert!(Number::from_f64(f64::NAN).is_none());
        assert_eq!(n("-12.5").to_f64(), -12.5);
    }
}
