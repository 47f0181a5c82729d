//! Layout rules of rows and binds: NULLs, padding, what must be refused, and what errors say.

use std::str::FromStr;

use informix_types::row::{CellType, decode_value, encode_null, encode_value, split};
use informix_types::{
    ColumnType, DateTime, Decimal, Error, LobKind, LobLocator, Qualifier, RowForm, SimpleLob, TextCodec,
    TypeCode, Value, bind,
};

fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn qualifier(text: &str) -> Qualifier {
    Qualifier::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// NULL of every type is its own pattern in a row and is not the empty or zero value.
#[test]
fn null_of_every_type() {
    let codec = TextCodec::UTF8;
    let cases: &[(ColumnType, &str)] = &[
        (ColumnType::smallint(), "8000"),
        (ColumnType::integer(), "80000000"),
        (ColumnType::serial().nullable(), "80000000"),
        (ColumnType::bigint(), "8000000000000000"),
        (ColumnType::bigserial(), "8000000000000000"),
        (ColumnType::int8(), "00000000000000000000"),
        (ColumnType::serial8(), "00000000000000000000"),
        (ColumnType::float(), "ffffffffffffffff"),
        (ColumnType::smallfloat(), "ffffffff"),
        (ColumnType::decimal(8, Some(4)), "0000000000"),
        (ColumnType::decimal(16, None), "00000000000000000000"),
        (ColumnType::money(16, 2), "000000000000000000"),
        (ColumnType::date(), "80000000"),
        (
            ColumnType::datetime(Qualifier::YEAR_TO_SECOND),
            "0000000000000000",
        ),
        (
            ColumnType::interval(qualifier("day(3) to fraction(5)")),
            "000000000000000000",
        ),
        (ColumnType::char(3), "002020"),
        (ColumnType::nchar(1), "00"),
        (ColumnType::varchar(20, 0), "0100"),
        (ColumnType::nvarchar(20, 5), "0100"),
        (ColumnType::lvarchar(100), "0100000000"),
        (ColumnType::boolean(), "0100000000"),
        (ColumnType::blob(), "0100000000"),
        (ColumnType::clob(), "0100000000"),
        (
            ColumnType::composite(TypeCode::Row, "ROW(a integer)"),
            "0100000000",
        ),
    ];
    for (column, bytes) in cases {
        for form in [
            RowForm::default(),
            RowForm {
                binary: true,
                ..RowForm::default()
            },
        ] {
            let mut cell = Vec::new();
            encode_null(column, form, &mut cell).expect("has a NULL");
            assert_eq!(&hex::encode(&cell), bytes, "{column}");
            assert_eq!(decode_value(column, &cell, &codec), Ok(Value::Null), "{column}");
            assert!(CellType::new(column).expect("known").is_null(&cell), "{column}");
        }
        let mut bound = Vec::new();
        bind::encode(&Value::Null, Some(column), &codec, &mut bound).expect("binds");
        assert_eq!(
            bind::decode(&bound, 100, &codec).map(|(bound, _)| bound.value),
            Ok(Value::Null),
            "{column}"
        );
    }
    for column in [ColumnType::byte(), ColumnType::text()] {
        let mut cell = Vec::new();
        encode_null(&column, RowForm::default(), &mut cell).expect("has a NULL");
        assert_eq!((cell.len(), cell[39]), (56, 1));
        assert_eq!(decode_value(&column, &cell, &codec), Ok(Value::Null));
        let kind = CellType::new(&column).expect("known");
        assert!(kind.is_null(&cell));
        let empty = SimpleLob::with_id(1, 0);
        assert_eq!(
            empty.as_bytes()[8..16],
            [0, 0, 0, 1, 0, 0, 0, 0],
            "last - first + 1 is 0"
        );
        let value = decode_value(&column, empty.as_bytes(), &codec);
        assert_eq!(value, Ok(Value::SimpleLob(Box::new(empty))));
        assert!(!kind.is_null(empty.as_bytes()));
    }
    for column in [
        ColumnType::char(3),
        ColumnType::varchar(9, 0),
        ColumnType::lvarchar(9),
    ] {
        let mut cell = Vec::new();
        encode_value(
            &column,
            &Value::Text(String::new()),
            RowForm::default(),
            &codec,
            &mut cell,
        )
        .expect("encodes");
        assert_eq!(
            decode_value(&column, &cell, &codec),
            Ok(Value::Text(String::new())),
            "{column}"
        );
    }
}

#[test]
fn padded_varchar() {
    let (column, codec) = (ColumnType::varchar(5, 0), TextCodec::UTF8);
    let form = RowForm {
        padded_varchar: true,
        binary: false,
    };
    for (value, bytes) in [
        (Value::Text("ab".to_owned()), "026162000000"),
        (Value::Null, "010000000000"),
    ] {
        let mut cell = Vec::new();
        encode_value(&column, &value, form, &codec, &mut cell).expect("encodes");
        assert_eq!(hex::encode(&cell), bytes);
        assert_eq!(
            split(std::slice::from_ref(&column), &cell, form).map(|cells| cells.len()),
            Ok(1)
        );
        assert_eq!(decode_value(&column, &cell, &codec), Ok(value));
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let refused = |column: ColumnType, value: Value| {
        let result = encode_value(
            &column,
            &value,
            RowForm::default(),
            &TextCodec::UTF8,
            &mut Vec::new(),
        );
        assert!(result.is_err(), "{column} {value:?}");
    };
    refused(ColumnType::smallint(), Value::Integer(32_768));
    refused(ColumnType::smallint(), Value::SmallInt(i16::MIN));
    refused(ColumnType::integer(), Value::Integer(i32::MIN));
    refused(ColumnType::bigint(), Value::BigInt(i64::MIN));
    refused(ColumnType::int8(), Value::Int8(i64::MIN));
    refused(ColumnType::integer(), Value::Text("1".to_owned()));
    refused(ColumnType::integer(), Value::Decimal(decimal("1.5")));
    refused(ColumnType::decimal(5, Some(2)), Value::Integer(1000));
    refused(ColumnType::decimal(5, Some(2)), Value::Float(f64::INFINITY));
    refused(ColumnType::char(3), Value::Text("abcd".to_owned()));
    refused(ColumnType::char(3), Value::Text("\0ab".to_owned()));
    refused(ColumnType::varchar(3, 0), Value::Text("éé".to_owned()));
    refused(ColumnType::varchar(3, 0), Value::Text("\0".to_owned()));
    refused(ColumnType::date(), Value::Integer(1));
    refused(ColumnType::boolean(), Value::Integer(1));
    refused(
        ColumnType::blob(),
        Value::LobLocator(Box::new(LobLocator::new(LobKind::Clob, [0; 72]))),
    );
    refused(ColumnType::byte(), Value::Bytes(vec![1]));
    refused(
        ColumnType::datetime(Qualifier::YEAR_TO_SECOND),
        Value::DateTime(DateTime::parse("07:08", qualifier("hour to minute")).expect("valid")),
    );
    let mut cell = Vec::new();
    let blanks = Value::Text("ab  ".to_owned());
    encode_value(
        &ColumnType::char(2),
        &blanks,
        RowForm::default(),
        &TextCodec::UTF8,
        &mut cell,
    )
    .expect("fits");
    assert_eq!(cell, b"ab");
}

#[test]
fn null_patterns_are_bound_in_a_wider_type() {
    let bound = |value: &Value| {
        let mut bytes = Vec::new();
        bind::encode(value, None, &TextCodec::UTF8, &mut bytes).expect("binds");
        bind::decode(&bytes, 100, &TextCodec::UTF8)
            .expect("decodes")
            .0
            .value
    };
    assert_eq!(bound(&Value::SmallInt(i16::MIN)), Value::Integer(-32_768));
    assert_eq!(bound(&Value::Integer(i32::MIN)), Value::BigInt(-2_147_483_648));
    assert_eq!(
        bound(&Value::BigInt(i64::MIN)),
        Value::Decimal(Decimal::from(i64::MIN))
    );
    let all_ones = bound(&Value::Float(f64::from_bits(u64::MAX)));
    assert!(matches!(all_ones, Value::Float(value) if value.is_nan()));
}

#[test]
fn long_texts_are_bound_with_a_long_length() {
    let codec = TextCodec::UTF8;
    for (length, code) in [
        (32_767, TypeCode::Char),
        (32_768, TypeCode::LVarChar),
        (70_000, TypeCode::LVarChar),
    ] {
        let mut bytes = Vec::new();
        bind::encode(&Value::Text("x".repeat(length)), None, &codec, &mut bytes).expect("binds");
        let (bound, used) = bind::decode(&bytes, 1 << 20, &codec).expect("decodes");
        assert_eq!((bound.column.code, used), (code, bytes.len()));
        assert_eq!(bound.value.as_str().map(str::len), Some(length));
        assert!(matches!(
            bind::decode(&bytes, 100, &codec),
            Err(Error::Length { limit: 100, .. })
        ));
    }
}

#[test]
fn bad_parameter_blocks() {
    let codec = TextCodec::UTF8;
    let decode =
        |hex: &str| bind::decode(&hex::decode(hex).expect("hex"), 1000, &codec).map(|(bound, _)| bound.value);
    assert_eq!(decode("00190000000000000000"), Err(Error::UnknownType(25)));
    assert!(
        matches!(decode("000200010000"), Err(Error::Malformed { .. })),
        "indicator 1"
    );
    assert!(
        matches!(decode("002b000000000000000080000000"), Err(Error::Length { length, .. }) if length < 0)
    );
    assert!(matches!(
        decode("002b00000000000000007fffffff"),
        Err(Error::Length { .. })
    ));
    assert!(
        matches!(decode("000a0000ffff0001c000"), Err(Error::Qualifier(_))),
        "no such qualifier"
    );
    assert!(
        matches!(decode("0005000000000003c1ff0100"), Err(Error::Malformed { .. })),
        "pair above 99"
    );
    assert_eq!(
        decode("000200000a0080000000"),
        Ok(Value::Null),
        "the peer binds -2^31 so"
    );
}

#[test]
fn row_errors_name_the_shape_and_the_difference() {
    let columns = [
        ColumnType::integer(),
        ColumnType::varchar(10, 0),
        ColumnType::lvarchar(20),
    ];
    let message = |payload: &[u8]| {
        split(&columns, payload, RowForm::default())
            .expect_err("too short")
            .to_string()
    };
    assert_eq!(
        message(&[0, 0, 0, 1, 3, b'a']),
        "row of 6 bytes does not match its columns (integer, varchar(10), lvarchar(20)): column 2 lacks 2 bytes"
    );
    assert!(message(&[0, 0, 0, 1, 0, 0, 0x80, 0, 0, 0]).ends_with("column 3 has a negative length"));
    assert!(message(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7]).ends_with("1 bytes are left over"));
    let unknown = split(&[ColumnType::new(TypeCode::Unknown, 4)], &[], RowForm::default());
    assert_eq!(unknown, Err(Error::UnknownType(49).in_column(1, "unknown")));
}

#[test]
fn bad_cells() {
    let bad = |column: ColumnType, cell: &str| {
        let value = decode_value(&column, &hex::decode(cell).expect("hex"), &TextCodec::UTF8);
        assert!(value.is_err(), "{column} {cell}: {value:?}");
    };
    bad(ColumnType::integer(), "0000");
    bad(ColumnType::int8(), "0001ffffffffffffffff");
    bad(ColumnType::date(), "7fffffff");
    bad(ColumnType::decimal(8, Some(4)), "c201ff2d00");
    bad(ColumnType::decimal(8, Some(4)), "3d624c6500");
    bad(ColumnType::datetime(Qualifier::YEAR_TO_DAY), "c7141a0d01");
    bad(ColumnType::datetime(Qualifier::YEAR_TO_DAY), "387f627e62");
    bad(ColumnType::datetime(qualifier("hour to minute")), "c4010203");
    bad(ColumnType::interval(qualifier("day(2) to hour")), "c40163");
    bad(ColumnType::boolean(), "000000000178");
    bad(ColumnType::boolean(), "020000000101");
    bad(ColumnType::lvarchar(9), "000000000261");
    bad(ColumnType::blob(), "000000000100");
    bad(ColumnType::varchar(9, 0), "0361");
    bad(ColumnType::varchar(9, 0), "01ff");
    bad(ColumnType::byte(), "00");
}
