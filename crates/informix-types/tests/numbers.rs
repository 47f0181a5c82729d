//! DECIMAL: text, limits, order, rounding and conversion to numbers.

use std::str::FromStr;

use informix_types::{Decimal, Error, Value};

fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn decimal_is_24_bytes_and_copy() {
    assert_eq!(size_of::<Decimal>(), 24);
    assert!(size_of::<Value>() <= 32);
}

#[test]
fn decimal_text() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("0.00", "0.00"),
        (" +1.50 ", "1.50"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1E-3", "0.001"),
        ("-1.5e-7", "-0.00000015"),
        ("1E+125", "1E+125"),
        ("-1e-130", "-1E-130"),
        ("1.5E-100", "1.5E-100"),
        (
            "99999999999999999999999999999999",
            "99999999999999999999999999999999",
        ),
        (
            "0.00000000000000000000000000000001",
            "0.00000000000000000000000000000001",
        ),
        (
            "1000000000000000000000000000000000000000000",
            "1.0000000000000000000000000000000E+42",
        ),
        ("000000000000000000000000000000000000000000001.10", "1.10"),
    ];
    for (text, shown) in cases {
        assert_eq!(decimal(text).to_string(), shown, "{text}");
    }
    assert_eq!(
        format!("[{:>8}] [{:<8}]", decimal("-1.5"), decimal("2")),
        "[    -1.5] [2       ]"
    );
    for bad in [
        "",
        ".",
        "-",
        "1.2.3",
        "1e",
        "1e+",
        "1e1234567",
        "0x1",
        "1 2",
        "NaN",
        "inf",
        "１",
    ] {
        assert!(
            matches!(Decimal::from_str(bad), Err(Error::Syntax { .. })),
            "{bad}"
        );
    }
    for (long, digits) in [
        ("123456789012345678901234567890123", 33),
        ("1234567890123456789012345678901234567890", 39),
    ] {
        assert_eq!(
            Decimal::from_str(long),
            Err(Error::TooManyDigits { digits, max: 32 })
        );
    }
    for wide in ["1E126", "9E-131", "1E99999"] {
        assert!(
            matches!(Decimal::from_str(wide), Err(Error::OutOfRange { .. })),
            "{wide}"
        );
    }
    let rounded =
        Decimal::parse_rounded("0.12345678901234567890123456789012500").map(|value| value.to_string());
    assert_eq!(rounded.as_deref(), Ok("0.12345678901234567890123456789013"));
    assert_eq!(Decimal::parse_rounded("1E-140"), Ok(Decimal::ZERO));
}

#[test]
fn decimals_compare_by_value() {
    let ascending = [
        "-1E125", "-12", "-1.5", "-1E-130", "0", "1E-130", "0.999", "1", "1.0001", "10", "1E125",
    ]
    .map(decimal);
    for (index, left) in ascending.iter().enumerate() {
        for (other, right) in ascending.iter().enumerate() {
            assert_eq!(left.cmp(right), index.cmp(&other), "{left} {right}");
        }
    }
    assert_eq!(decimal("1.50"), decimal("1.5"));
    assert_eq!(decimal("0.00"), decimal("0"));
    assert_eq!(decimal("1E3"), decimal("1000.000"));
}

#[test]
fn decimal_rounding_is_half_away_from_zero() {
    let cases = [
        ("1.005", 5, Some(2), Ok("1.01")),
        ("-1.005", 5, Some(2), Ok("-1.01")),
        ("1.0049", 5, Some(2), Ok("1.00")),
        ("999.995", 5, Some(2), Err(())),
        ("999.994", 5, Some(2), Ok("999.99")),
        ("1000", 5, Some(2), Err(())),
        ("0.9", 1, Some(0), Ok("1")),
        ("9.5", 1, Some(0), Err(())),
        ("0", 2, Some(2), Ok("0.00")),
        ("0.5", 2, Some(2), Ok("0.50")),
        ("1", 2, Some(2), Err(())),
        ("123456", 3, None, Ok("123000")),
        ("123.56", 4, None, Ok("123.6")),
        ("99999", 4, None, Ok("100000")),
        ("1E-120", 32, Some(32), Ok("0.00000000000000000000000000000000")),
    ];
    for (text, precision, scale, result) in cases {
        let fitted = decimal(text).fit(precision, scale).map(|value| value.to_string());
        assert_eq!(
            fitted.as_deref().map_err(|_| ()),
            result,
            "{text} ({precision},{scale:?})"
        );
    }
}

#[test]
fn decimal_numbers() {
    assert_eq!(decimal("1.5").to_i64(), None);
    assert_eq!(decimal("-15.00").to_i64(), Some(-15));
    assert_eq!(decimal("1E18").to_i64(), Some(1_000_000_000_000_000_000));
    assert_eq!(decimal("1E19").to_i64(), None);
    assert_eq!(decimal("1E19").to_i128(), Some(10_000_000_000_000_000_000));
    assert_eq!(decimal("1E60").to_i128(), None);
    assert_eq!(decimal("0E-60").to_i128(), Some(0));
    assert_eq!(decimal("-1.9").trunc_to_i128(), Some(-1));
    assert_eq!(decimal("1E-50").trunc_to_i128(), Some(0));
    assert_eq!(decimal("0.1").to_f64(), 0.1);
    assert_eq!(decimal("-1E125").to_f64(), -1e125);
    assert_eq!(
        Decimal::from_f64(0.1).map(|value| value.to_string()).as_deref(),
        Ok("0.1")
    );
    assert_eq!(
        Decimal::from_f32(0.1).map(|value| value.to_string()).as_deref(),
        Ok("0.1")
    );
    assert!(Decimal::from_f64(f64::NAN).is_err() && Decimal::from_f64(1e300).is_err());
    assert_eq!(Decimal::from(i64::MIN).to_string(), "-9223372036854775808");
    assert_eq!(
        Decimal::try_from(i128::MAX),
        Err(Error::TooManyDigits { digits: 39, max: 32 })
    );
}

/// Readers accept leading zero pairs and every form of zero; only all-zero bytes are NULL.
#[test]
fn packed_readings() {
    let read = |bytes: &[u8], scale| {
        Decimal::from_packed_bytes(bytes, scale)
            .expect("valid")
            .map(|value| value.to_string())
    };
    for (bytes, scale, shown) in [
        (&[0xc2, 1, 23, 45, 0][..], Some(4), Some("123.4500")),
        (&[0xc4, 0, 0, 1, 23, 45], Some(4), Some("123.4500")),
        (&[0x3b, 99, 99, 98, 76, 55], Some(2), Some("-123.45")),
        (&[0x80], Some(2), Some("0.00")),
        (&[0xc1, 0], None, Some("0")),
        (&[0x3e, 0, 0], None, Some("0")),
        (&[0, 0, 0], Some(2), None),
        (&[], None, None),
        // Looks like NULL in its first two bytes: -99.5 × 100^62.
        (&[0, 0, 50], None, Some("-9.95E+125")),
    ] {
        assert_eq!(read(bytes, scale).as_deref(), shown, "{bytes:02x?}");
    }
    let nearly_null = decimal("-9.95E125");
    assert_eq!(nearly_null.to_packed_bytes(), Ok(vec![0, 0, 50]));
    assert!(
        Decimal::from_packed_bytes(&[0xc1; 40], None).is_err(),
        "pairs above 99"
    );
    assert_eq!(
        Decimal::from_packed_bytes(&[[0xd0].as_slice(), &[99; 17]].concat(), None),
        Err(Error::TooManyDigits { digits: 34, max: 32 })
    );
}
