//! Round trips of random values through every form, byte order, and random bytes that must never panic.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use informix_types::packed::Packed;
use informix_types::row::{Cell, CellType, RowPlan, decode_cell, decode_value, encode_value};
use informix_types::{
    CodeSet, ColumnType, Composite, Date, DateTime, Decimal, DecodePolicy, Error, Field, Interval, LobKind,
    LobLocator, Locale, Qualifier, RowForm, SimpleLob, TextCodec, TypeCode, Value, bind, datetime::Parts,
};
use proptest::prelude::*;

const FIELDS: [Field; 11] = [
    Field::Year,
    Field::Month,
    Field::Day,
    Field::Hour,
    Field::Minute,
    Field::Second,
    Field::Fraction(1),
    Field::Fraction(2),
    Field::Fraction(3),
    Field::Fraction(4),
    Field::Fraction(5),
];

/// Every DATETIME qualifier: 21 without and 35 with a fraction.
fn datetime_qualifiers() -> Vec<Qualifier> {
    let mut all = Vec::new();
    for (index, start) in FIELDS.iter().enumerate().take(7) {
        for end in FIELDS.iter().skip(index) {
            all.push(Qualifier::datetime(*start, *end).expect("a qualifier"));
        }
    }
    all
}

/// Every INTERVAL qualifier with every leading precision.
fn interval_qualifiers() -> Vec<Qualifier> {
    let mut all = Vec::new();
    for (index, start) in FIELDS.iter().enumerate().take(7) {
        for end in FIELDS.iter().skip(index) {
            let precisions = if matches!(start, Field::Fraction(_)) {
                1..=1
            } else {
                1..=9
            };
            all.extend(precisions.filter_map(|precision| Qualifier::interval(*start, precision, *end).ok()));
        }
    }
    all
}

#[test]
fn there_are_as_many_qualifiers_as_the_manual_says() {
    let (datetime, interval) = (datetime_qualifiers(), interval_qualifiers());
    assert_eq!(datetime.len(), 56);
    // 3 pairs of years and months, 10 + 20 pairs of days to fractions, 9 precisions each; 5 of FRACTION alone.
    assert_eq!(interval.len(), 3 * 9 + (10 + 20) * 9 + 5);
    for qualifier in &datetime {
        assert_eq!(Qualifier::from_code(qualifier.code()), Ok(*qualifier));
        assert_eq!(
            Qualifier::from_str(&qualifier.to_string().to_uppercase()),
            Ok(*qualifier),
            "{qualifier}"
        );
    }
    for qualifier in &interval {
        assert_eq!(Qualifier::from_code(qualifier.code()), Ok(*qualifier));
        assert_eq!(
            Qualifier::from_str(&qualifier.interval_name()),
            Ok(*qualifier),
            "{}",
            qualifier.interval_name()
        );
    }
}

fn decimal() -> impl Strategy<Value = Decimal> {
    (any::<bool>(), 1u32..=32, any::<u128>(), -130i32..=125).prop_map(|(negative, digits, seed, adjusted)| {
        let coefficient = seed % 10u128.pow(digits);
        let length = coefficient.checked_ilog10().unwrap_or(0) as i32;
        Decimal::new(negative, coefficient, adjusted - length).expect("in range")
    })
}

fn date() -> impl Strategy<Value = Date> {
    (Date::MIN.days()..=Date::MAX.days()).prop_map(|days| Date::from_days(days).expect("in range"))
}

fn date_time() -> impl Strategy<Value = DateTime> {
    let qualifier = proptest::sample::select(datetime_qualifiers());
    (
        qualifier,
        1u16..=9999,
        1u8..=12,
        1u8..=28,
        0u8..24,
        0u8..60,
        0u8..60,
        0u32..100_000,
    )
        .prop_map(|(qualifier, year, month, day, hour, minute, second, fraction)| {
            let parts = Parts {
                year,
                month,
                day,
                hour,
                minute,
                second,
                fraction,
            };
            DateTime::new(qualifier, parts).expect("valid")
        })
}

fn interval() -> impl Strategy<Value = Interval> {
    (proptest::sample::select(interval_qualifiers()), any::<i64>()).prop_map(|(qualifier, seed)| {
        // The largest amount of the qualifier, found by its text.
        let largest = "9".repeat(usize::from(qualifier.precision()));
        let whole = match qualifier.start() {
            Field::Fraction(_) => 0,
            _ => i64::from_str(&largest).expect("a number"),
        };
        let unit = match qualifier.start() {
            Field::Year => 12,
            Field::Month => 1,
            Field::Day => 8_640_000_000,
            Field::Hour => 360_000_000,
            Field::Minute => 6_000_000,
            Field::Second | Field::Fraction(_) => 100_000,
        };
        let amount = seed % ((whole + 1) * unit);
        if qualifier.is_year_month() {
            Interval::from_months(amount, qualifier).expect("in range")
        } else {
            Interval::from_units(amount, qualifier).expect("in range")
        }
    })
}

/// A column and a value of it (or NULL).
fn column_and_value() -> impl Strategy<Value = (ColumnType, Value)> {
    let number = prop_oneof![
        (-32767i16..).prop_map(|v| (ColumnType::smallint(), Value::SmallInt(v))),
        (-i32::MAX..).prop_map(|v| (ColumnType::integer(), Value::Integer(v))),
        (-i32::MAX..).prop_map(|v| (ColumnType::serial(), Value::Integer(v))),
        (-i64::MAX..).prop_map(|v| (ColumnType::bigint(), Value::BigInt(v))),
        (-i64::MAX..).prop_map(|v| (ColumnType::bigserial(), Value::BigInt(v))),
        (-i64::MAX..).prop_map(|v| (ColumnType::int8(), Value::Int8(v))),
        (-i64::MAX..).prop_map(|v| (ColumnType::serial8(), Value::Int8(v))),
        any::<f64>().prop_map(|v| (ColumnType::float(), Value::Float(v))),
        any::<f32>().prop_map(|v| (ColumnType::smallfloat(), Value::SmallFloat(v))),
        decimal().prop_map(|v| (ColumnType::decimal(32, None), Value::Decimal(v))),
        (1u8..=32, 0u8..=32, any::<bool>(), any::<u128>()).prop_map(|(precision, scale, negative, seed)| {
            let scale = scale.min(precision);
            let value = Decimal::new(
                negative,
                seed % 10u128.pow(u32::from(precision)),
                -i32::from(scale),
            );
            (
                ColumnType::money(precision, scale),
                Value::Decimal(value.expect("in range")),
            )
        }),
    ];
    let clock = prop_oneof![
        date().prop_map(|v| (ColumnType::date(), Value::Date(v))),
        date_time().prop_map(|v| (ColumnType::datetime(v.qualifier()), Value::DateTime(v))),
        interval().prop_map(|v| (ColumnType::interval(v.qualifier()), Value::Interval(v))),
    ];
    let text = prop_oneof![
        "[a-zé€]{0,10}".prop_map(|v| (ColumnType::char(40), Value::Text(v))),
        "[a-z €😀]{0,10}".prop_map(|v| (ColumnType::varchar(60, 10), Value::Text(v))),
        "[a-z]{0,10}".prop_map(|v| (ColumnType::nvarchar(255, 0), Value::Text(v))),
        "[a-zé]{0,300}".prop_map(|v| (ColumnType::lvarchar(2048), Value::Text(v))),
        any::<bool>().prop_map(|v| (ColumnType::boolean(), Value::Boolean(v))),
        any::<[u8; 32]>().prop_map(|v| {
            let bytes = std::array::from_fn(|index| v[index % 32]);
            let kind = if v[0] < 128 { LobKind::Blob } else { LobKind::Clob };
            let column = if v[0] < 128 {
                ColumnType::blob()
            } else {
                ColumnType::clob()
            };
            (column, Value::LobLocator(Box::new(LobLocator::new(kind, bytes))))
        }),
        any::<(u64, u32)>().prop_map(|(id, size)| (
            ColumnType::byte(),
            Value::SimpleLob(Box::new(SimpleLob::with_id(id, size)))
        )),
        "[a-z]{0,9}".prop_map(|v| (
            ColumnType::composite(TypeCode::List, "LIST"),
            Value::Text(format!("LIST{{{v}}}"))
        )),
        any::<Vec<u8>>().prop_map(|v| (
            ColumnType::opaque(TypeCode::UdtVar, 2049, "mytype", 0),
            Value::Bytes(v)
        )),
    ];
    (prop_oneof![number, clock, text], 0u8..10)
        .prop_map(|((column, value), dice)| (column, if dice == 0 { Value::Null } else { value }))
}

fn hash(value: &Decimal) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => {
            left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
        }
        (Value::SmallFloat(left), Value::SmallFloat(right)) => {
            left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
        }
        _ => left == right,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decimals_round_trip(value in decimal(), other in decimal()) {
        prop_assert_eq!(Decimal::from_str(&value.to_string()), Ok(value));
        let bytes = value.to_packed_bytes().expect("packs");
        prop_assert_eq!(Decimal::from_packed_bytes(&bytes, None), Ok(Some(value)));
        prop_assert_eq!(bytes.cmp(&other.to_packed_bytes().expect("packs")), value.cmp(&other), "{} {}", value, other);
        prop_assert_eq!(value.cmp(&other), other.cmp(&value).reverse());
        let plain = value.normalized();
        prop_assert_eq!((plain, hash(&plain)), (value, hash(&value)));
        prop_assert_eq!(value.cmp(&other) == std::cmp::Ordering::Less, value.to_f64() < other.to_f64() || (value < other));
    }

    #[test]
    fn decimals_round_to_a_column(value in decimal(), precision in 1u8..=32, scale in 0u8..=32) {
        let scale = scale.min(precision);
        if let Ok(fitted) = value.fit(precision, Some(scale)) {
            prop_assert!(fitted.digits() <= u32::from(precision), "{} in ({},{})", fitted, precision, scale);
            prop_assert_eq!(fitted.scale(), u32::from(scale));
            prop_assert_eq!(fitted.fit(precision, Some(scale)), Ok(fitted));
            let column = ColumnType::decimal(precision, Some(scale));
            let mut cell = Vec::new();
            encode_value(&column, &Value::Decimal(value), RowForm::default(), &TextCodec::UTF8, &mut cell).expect("fits");
            let back = decode_value(&column, &cell, &TextCodec::UTF8);
            prop_assert_eq!(back.as_ref(), Ok(&Value::Decimal(fitted)));
            prop_assert_eq!(back.map(|back| back.to_string()), Ok(fitted.to_string()));
        }
    }

    #[test]
    fn doubles_round_trip_through_decimal(value in -1e120f64..1e120) {
        prop_assert_eq!(Decimal::from_f64(value).map(Decimal::to_f64), Ok(value));
    }

    #[test]
    fn integers_round_trip_through_decimal(value in any::<i64>()) {
        prop_assert_eq!(Decimal::from(value).to_i64(), Some(value));
        prop_assert_eq!(Decimal::from(value).to_string(), value.to_string());
    }

    #[test]
    fn dates_round_trip(value in date(), days in -1000i64..1000) {
        let (year, month, day) = value.ymd();
        prop_assert_eq!(Date::from_ymd(year, month, day), Ok(value));
        prop_assert_eq!(Date::from_str(&value.to_string()), Ok(value));
        if let Ok(later) = value.add_days(days) {
            prop_assert_eq!(i64::from(later.days() - value.days()), days);
        }
    }

    #[test]
    fn datetimes_round_trip(value in date_time(), other in date_time()) {
        let qualifier = value.qualifier();
        prop_assert_eq!(DateTime::parse(&value.to_string(), qualifier), Ok(value));
        let bytes = value.to_packed_bytes().expect("packs");
        prop_assert_eq!(DateTime::from_packed_bytes(&bytes, qualifier), Ok(Some(value)));
        let mut positional = Vec::new();
        let packed = value.to_packed().expect("packs");
        packed.write_positional(qualifier.full_exponent(), qualifier.packed_width() - 1, &mut positional).expect("fits");
        prop_assert_eq!(DateTime::from_packed_bytes(&positional, qualifier), Ok(Some(value)));
        if let Ok(other) = other.extend(qualifier, &DateTime::from_date(Date::EPOCH)) {
            prop_assert_eq!(bytes.cmp(&other.to_packed_bytes().expect("packs")), value.cmp(&other));
        }
    }

    #[test]
    fn intervals_round_trip(value in interval(), other in interval()) {
        let qualifier = value.qualifier();
        prop_assert_eq!(Interval::parse(&value.to_string(), qualifier), Ok(value));
        let bytes = value.to_packed_bytes().expect("packs");
        prop_assert_eq!(Interval::from_packed_bytes(&bytes, qualifier), Ok(Some(value)));
        let mut positional = Vec::new();
        let packed = value.to_packed().expect("packs");
        packed.write_positional(qualifier.full_exponent(), qualifier.packed_width() - 1, &mut positional).expect("fits");
        prop_assert_eq!(Interval::from_packed_bytes(&positional, qualifier), Ok(Some(value)));
        if let Ok(other) = other.to_qualifier(qualifier) {
            prop_assert_eq!(Some(bytes.cmp(&other.to_packed_bytes().expect("packs"))), value.cmp_value(&other));
        }
        prop_assert_eq!(value.negate().negate(), value);
    }

    #[test]
    fn adding_and_subtracting_an_interval_cancel(moment in date(), time in 0i64..8_640_000_000, units in any::<i64>()) {
        let moment = DateTime::from_date_and_units(moment, time).expect("in range");
        let interval = Interval::from_units(units % 8_640_000_000_000, Qualifier::DAY9_TO_FRACTION5).expect("in range");
        if let Ok(later) = moment.checked_add(&interval) {
            prop_assert_eq!(later.units_since(&moment), interval.units());
            prop_assert_eq!(later.checked_add(&interval.negate()), Ok(moment));
        }
    }

    #[test]
    fn rows_round_trip(
        cells in proptest::collection::vec(column_and_value(), 1..12),
        padded_varchar in any::<bool>(),
        binary in any::<bool>(),
    ) {
        let (form, codec) = (RowForm { padded_varchar, binary }, TextCodec::UTF8);
        let columns: Vec<_> = cells.iter().map(|(column, _)| column.clone()).collect();
        let plan = RowPlan::new(&columns, form).expect("known widths");
        let mut payload = Vec::new();
        for (column, value) in &cells {
            encode_value(column, value, form, &codec, &mut payload).expect("encodes");
        }
        let mut ranges = Vec::new();
        plan.split(&payload, &mut ranges).expect("splits");
        for (index, ((column, value), range)) in cells.iter().zip(&ranges).enumerate() {
            let planned = plan.decode(index, &payload[range.clone()]).and_then(|cell| cell.to_value(&codec));
            prop_assert!(planned.is_ok_and(|planned| equal(&planned, value)));
            let back = decode_value(column, &payload[range.clone()], &codec).expect("decodes");
            prop_assert!(equal(&back, value), "{} {:?} {:?}", column, back, value);
        }
        for cut in 0..payload.len() {
            prop_assert!(plan.split(&payload[..cut], &mut ranges).is_err());
        }
        payload.push(0);
        prop_assert!(plan.split(&payload, &mut ranges).is_err());
        prop_assert_eq!(ranges.len(), cells.len());
    }

    #[test]
    fn binds_round_trip((column, value) in column_and_value(), described in any::<bool>()) {
        let codec = TextCodec::UTF8;
        let mut bytes = Vec::new();
        bind::encode(&value, described.then_some(&column), &codec, &mut bytes).expect("encodes");
        bytes.push(0x55);
        let (bound, used) = bind::decode(&bytes, 1 << 20, &codec).expect("decodes");
        prop_assert_eq!(used, bytes.len() - 1);
        let same = match (&bound.value, &value) {
            (Value::Text(text), Value::Boolean(value)) => text == if *value { "t" } else { "f" },
            // Contents follow; the descriptor says their length.
            (Value::SimpleLob(lob), Value::Bytes(value)) => lob.size() as usize == value.len(),
            (bound, value) => equal(bound, value),
        };
        prop_assert!(same, "{:?} {:?}", bound.value, value);
        for cut in 0..used {
            let result = bind::decode(&bytes[..cut], 1 << 20, &codec);
            prop_assert!(matches!(result, Err(Error::Incomplete { more }) if (1..=used - cut).contains(&more)), "{:?}", result);
        }
    }

    #[test]
    fn random_cells_never_panic(
        (column, _) in column_and_value(),
        word in any::<u16>(),
        length in any::<i32>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..160),
    ) {
        let codec = TextCodec::default();
        let form = RowForm::default();
        let random = TypeCode::from_wire(word).map(|code| ColumnType::new(code, length));
        for column in [Ok(column), random].into_iter().flatten() {
            let cell = decode_cell(&column, &bytes);
            if let Ok(kind) = CellType::new(&column) {
                prop_assert_eq!(kind.is_null(&bytes), cell == Ok(Cell::Null));
            }
            let _ = column.sql_name();
            if let Ok(plan) = RowPlan::new(std::slice::from_ref(&column), form) {
                let mut ranges = Vec::new();
                if plan.split(&bytes, &mut ranges).is_ok() && let Ok(value) = decode_value(&column, &bytes, &codec) {
                    let _ = value.to_string();
                }
            }
        }
    }

    #[test]
    fn what_decodes_encodes_to_the_same_value((column, _) in column_and_value(), bytes in any::<[u8; 20]>(), width in 0usize..20) {
        let codec = TextCodec::default();
        let width = match column.cell_width() {
            Ok(informix_types::column::CellWidth::Fixed(width)) if width <= 20 => width,
            _ => width,
        };
        if let Ok(value) = decode_value(&column, &bytes[..width], &codec) {
            let mut again = Vec::new();
            // A cell may hold more decimals than its column's scale; they are rounded when written.
            let value = match (value, column.is_decimal()) {
                (Value::Decimal(value), true) => {
                    Value::Decimal(value.fit(column.precision(), column.scale()).unwrap_or(value))
                }
                (value, _) => value,
            };
            if encode_value(&column, &value, RowForm::default(), &codec, &mut again).is_ok() {
                let back = decode_value(&column, &again, &codec).expect("decodes");
                prop_assert!(equal(&back, &value), "{} {:?} {:?}", column, back, value);
            }
        }
    }

    #[test]
    fn random_binds_never_panic(head in any::<u8>(), bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let mut block = vec![0, head];
        block.extend_from_slice(&bytes);
        for block in [&block, &bytes] {
            if let Ok((_, used)) = bind::decode(block, 1 << 16, &TextCodec::UTF8) {
                prop_assert!(used <= block.len());
            }
        }
    }

    #[test]
    fn random_packed_numbers_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), code in any::<u16>()) {
        if let Ok(Some(packed)) = Packed::decode(&bytes) {
            let mut again = Vec::new();
            packed.write(&mut again);
            prop_assert_eq!(Packed::decode(&again), Ok(Some(packed)));
            let _ = Decimal::from_packed(&packed, Some(bytes[0] % 33)).map(|value| value.to_string());
            if let Ok(qualifier) = Qualifier::from_code(code) {
                let _ = DateTime::from_packed(&packed, qualifier).map(|value| value.to_string());
                let _ = Interval::from_packed(&packed, qualifier).map(|value| value.to_string());
            }
        }
    }

    #[test]
    fn random_texts_never_panic(text in ".{0,40}", digits in "[-+ 0-9.eE:]{0,24}",
        body in "(ROW\\(|SET\\{|LIST\\{)[a1,' (){}N]{0,12}[)}]", pick in any::<proptest::sample::Index>()) {
        for text in [&text, &digits, &body] {
            let _ = Decimal::from_str(text);
            let _ = Decimal::parse_rounded(text).map(|value| value.to_string());
            let _ = Date::from_str(text);
            let _ = Locale::from_str(text);
            let _ = Qualifier::from_str(text);
            if let Ok(composite) = Composite::from_str(text) {
                prop_assert_eq!(Composite::from_str(&composite.to_string()), Ok(composite));
            }
            let _ = DateTime::parse(text, *pick.get(&datetime_qualifiers()));
            let _ = Interval::parse(text, *pick.get(&interval_qualifiers()));
        }
    }

    #[test]
    fn code_sets_never_panic_and_round_trip(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        text in ".{0,20}",
        pick in any::<proptest::sample::Index>(),
    ) {
        let codeset = *pick.get(&CodeSet::all().collect::<Vec<_>>());
        prop_assert!(codeset.decode(&bytes, DecodePolicy::Replace).is_ok());
        match codeset.decode(&bytes, DecodePolicy::Strict) {
            Ok(_) => {}
            Err(Error::Decode { offset, byte, .. }) => {
                prop_assert_eq!(bytes.get(offset), Some(&byte));
                prop_assert!(codeset.decode(&bytes[..offset], DecodePolicy::Strict).is_ok(), "{} {:?}", codeset, bytes);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
        match codeset.encode(&text) {
            Ok(bytes) => prop_assert_eq!(codeset.decode(&bytes, DecodePolicy::Strict), Ok(text.as_str().into())),
            Err(Error::Encode { offset, character, .. }) => {
                prop_assert_eq!(text.get(offset..).and_then(|rest| rest.chars().next()), Some(character));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
