//! Decimal arithmetic against an independent implementation.

use std::str::FromStr;

use bigdecimal::{BigDecimal, RoundingMode};
use informix_types::Value;
use proptest::prelude::*;

use super::*;

/// A DECIMAL of up to 32 digits with an exponent that keeps every result in range.
fn number() -> impl Strategy<Value = String> {
    (
        any::<bool>(),
        0u128..100_000_000_000_000_000_000_000_000_000_000,
        0u32..33,
        -30i32..30,
    )
        .prop_map(|(negative, digits, kept, exponent)| {
            let digits = digits % 10u128.pow(kept.clamp(1, 32));
            format!("{}{digits}e{exponent}", if negative { "-" } else { "" })
        })
}

/// What the server computes.
fn ours(db: &Connection, op: BinaryOp, left: &str, right: &str) -> Result<BigDecimal, i32> {
    let decimal = ColumnType::decimal(32, None);
    let operand = |text: &str| cast(opaque(s(text)), &decimal).expect(text);
    let expr = binary(op, operand(left), operand(right)).expect("types");
    let value: rusqlite::Result<SqliteValue> =
        db.query_row(&format!("SELECT {}", expr.sql), [], |row| row.get(0));
    match value {
        Ok(value) => match storage::read((&value).into(), &expr.ty).expect("stored") {
            Value::Decimal(d) => Ok(BigDecimal::from_str(&d.to_string()).expect("number")),
            other => panic!("{other:?}"),
        },
        Err(error) => Err(sqlite_error(&error).expect("our error").sqlcode),
    }
}

/// 32 significant digits, halves away from zero.
fn rounded(value: &BigDecimal) -> BigDecimal {
    value.with_precision_round(
        std::num::NonZeroU64::new(32).expect("not zero"),
        RoundingMode::HalfUp,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arithmetic_is_exact_to_32_digits(left in number(), right in number()) {
        let db = connection(false);
        let (l, r) = (BigDecimal::from_str(&left).expect("left"), BigDecimal::from_str(&right).expect("right"));
        prop_assert_eq!(ours(&db, BinaryOp::Add, &left, &right), Ok(rounded(&(&l + &r))));
        prop_assert_eq!(ours(&db, BinaryOp::Subtract, &left, &right), Ok(rounded(&(&l - &r))));
        prop_assert_eq!(ours(&db, BinaryOp::Multiply, &left, &right), Ok(rounded(&(&l * &r))));
        let quotient = ours(&db, BinaryOp::Divide, &left, &right);
        if r == 0 {
            prop_assert_eq!(quotient, Err(-1202));
        } else {
            // Compared by multiplying back: the error is at most half a unit of the 32nd digit.
            let quotient = quotient.expect("quotient");
            let difference = (&quotient * &r - &l).abs();
            prop_assert!(difference <= l.abs() * BigDecimal::from_str("5.1e-32").expect("tolerance"), "{quotient}");
        }
    }
}
