//! Every cell of the two type oracles, and every floating decimal of them in each form: Arrow has the value that a row has.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use informix::driver::Batch;
use informix::types::row::decode_value;
use informix::types::{ColumnType, DecodePolicy, Field, Locale, TextCodec, TypeCode, Value};
use informix::{Date, DateTime};
use informix_arrow::{BatchBuilder, FloatingDecimal, Options};
use serde_json::Value as Json;

fn text(json: &Json) -> &str {
    json.as_str().expect("a string")
}

/// The column of `[type word, encoded length, extended id, owner, extended name]`.
fn column(descriptor: &Json) -> ColumnType {
    let word = descriptor[0].as_u64().expect("a type") as u16;
    ColumnType {
        flags: word & 0xff00,
        extended_id: descriptor[2].as_i64().expect("an id") as i32,
        owner: text(&descriptor[3]).to_owned(),
        extended_name: text(&descriptor[4]).to_owned(),
        ..ColumnType::new(
            TypeCode::from_wire(word).expect("a known type"),
            descriptor[1].as_i64().expect("a length") as i32,
        )
    }
}

fn codec(locale: &str) -> TextCodec {
    TextCodec::new(
        locale
            .parse::<Locale>()
            .expect("a locale")
            .codeset()
            .expect("a code set"),
    )
}

/// Some cells of a column as Arrow.
fn arrow(
    ty: &ColumnType,
    codec: TextCodec,
    cells: &[Vec<u8>],
    floating_decimal: FloatingDecimal,
) -> informix::Result<RecordBatch> {
    let batch = Batch::of_payloads(vec![("v".to_owned(), ty.clone())], codec, cells)?;
    let rows = batch.rows(0..batch.len());
    let options = Options {
        floating_decimal,
        ..Options::default()
    };
    let mut builder = BatchBuilder::new(rows.columns(), codec, &options)?;
    builder.append(&rows)?;
    Ok(builder.rest()?.expect("a batch"))
}

/// Days since 1970-01-01 and units of 10^-5 s.
fn instant(value: &DateTime) -> (i64, i64) {
    let parts = value.parts();
    let date = Date::from_ymd(parts.year.into(), parts.month.max(1), parts.day.max(1)).expect("a date");
    (i64::from(date.days()) - 25_568, value.time_units())
}

/// Units of 10^-5 s of a number of another unit.
fn units(count: i64, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => count * 100_000,
        TimeUnit::Millisecond => count * 100,
        TimeUnit::Microsecond => count / 10,
        TimeUnit::Nanosecond => unreachable!("no column has nanoseconds"),
    }
}

/// The count behind a timestamp or duration of any unit.
fn count(array: &ArrayRef) -> i64 {
    array.to_data().buffers()[0].typed_data::<i64>()[0]
}

/// Whether the first value of an array is the value.
fn is(array: &ArrayRef, value: &Value) -> bool {
    if array.is_null(0) {
        return *value == Value::Null;
    }
    match (value, array.data_type()) {
        (Value::SmallInt(v), _) => array.as_primitive::<Int16Type>().value(0) == *v,
        (Value::Integer(v), _) => array.as_primitive::<Int32Type>().value(0) == *v,
        (Value::BigInt(v) | Value::Int8(v), _) => array.as_primitive::<Int64Type>().value(0) == *v,
        (Value::SmallFloat(v), _) => array.as_primitive::<Float32Type>().value(0).to_bits() == v.to_bits(),
        (Value::Float(v), _) => array.as_primitive::<Float64Type>().value(0).to_bits() == v.to_bits(),
        (Value::Boolean(v), _) => array.as_boolean().value(0) == *v,
        (Value::Text(v), _) => array.as_string::<i32>().value(0) == v,
        (Value::Decimal(v), DataType::Decimal128(_, scale)) => {
            array.as_primitive::<Decimal128Type>().value(0) == v.to_units(*scale as u8).expect("it fits")
        }
        (Value::Decimal(v), DataType::Utf8) => array.as_string::<i32>().value(0) == v.to_string(),
        (Value::Decimal(v), DataType::Float64) => array.as_primitive::<Float64Type>().value(0) == v.to_f64(),
        (Value::Decimal(v), DataType::Decimal256(_, scale)) => {
            let shown = array.as_primitive::<Decimal256Type>().value_as_string(0);
            shown.parse() == Ok(*v)
                && shown
                    .split_once('.')
                    .is_some_and(|(_, digits)| digits.len() == *scale as usize)
        }
        (Value::Date(v), _) => array.as_primitive::<Date32Type>().value(0) == v.days() - 25_568,
        (Value::DateTime(v), DataType::Date32) => {
            i64::from(array.as_primitive::<Date32Type>().value(0)) == instant(v).0
        }
        (Value::DateTime(v), DataType::Timestamp(unit, None)) => {
            let (days, time) = instant(v);
            units(count(array), *unit) == days * 86_400 * 100_000 + time
        }
        (Value::DateTime(v), DataType::Time32(TimeUnit::Second)) => {
            units(
                array.as_primitive::<Time32SecondType>().value(0).into(),
                TimeUnit::Second,
            ) == v.time_units()
        }
        (Value::DateTime(v), DataType::Time32(unit)) => {
            units(
                array.as_primitive::<Time32MillisecondType>().value(0).into(),
                *unit,
            ) == v.time_units()
        }
        (Value::DateTime(v), DataType::Time64(unit)) => {
            units(array.as_primitive::<Time64MicrosecondType>().value(0), *unit) == v.time_units()
        }
        (Value::DateTime(v), DataType::Utf8) => {
            let has_date = v.qualifier().contains(Field::Year);
            !has_date && array.as_string::<i32>().value(0) == v.to_string()
        }
        (Value::Interval(v), DataType::Duration(unit)) => Some(units(count(array), *unit)) == v.units(),
        (Value::Interval(v), DataType::Interval(_)) => {
            let span = array.as_primitive::<IntervalMonthDayNanoType>().value(0);
            Some(i64::from(span.months)) == v.months() && (span.days, span.nanoseconds) == (0, 0)
        }
        _ => false,
    }
}

/// Values that Arrow's integers cannot hold.
fn is_too_large(value: &Value) -> bool {
    let Value::Interval(v) = value else { return false };
    match v.months() {
        Some(months) => i32::try_from(months).is_err(),
        None => {
            v.qualifier().fraction_digits() > 3
                && v.units().is_some_and(|units| units.checked_mul(10).is_none())
        }
    }
}

fn walk(
    file: &str,
    floating: FloatingDecimal,
    mut each: impl FnMut(&str, &Value, informix::Result<RecordBatch>),
) -> usize {
    let path = format!("{}/../../testdata/{file}", env!("CARGO_MANIFEST_DIR"));
    let oracle: Json = serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
    let mut seen = 0;
    for shape in oracle["decode"].as_array().expect("shapes") {
        let (ty, codec) = (column(&shape[3]), codec(text(&shape[2])));
        if matches!(ty.code, TypeCode::Byte | TypeCode::Text) {
            continue;
        }
        for row in shape[4].as_array().expect("rows") {
            // Long cells are abbreviated.
            let Ok(cell) = hex::decode(text(&row[1])) else {
                continue;
            };
            let value = decode_value(&ty, &cell, &codec).expect("the oracle's cells are values");
            seen += 1;
            let label = format!("{} {}", shape[0], row[0]);
            each(&label, &value, arrow(&ty, codec, &[cell], floating));
        }
    }
    seen
}

#[test]
fn every_cell_is_the_same_value() {
    let mut failures = Vec::new();
    let seen = walk(
        "type-oracle.json",
        FloatingDecimal::Text,
        |label, value, made| match made {
            Ok(batch) if is(batch.column(0), value) && !is_too_large(value) => {}
            Err(e) if is_too_large(value) && e.to_string().contains("out of range") => {}
            Ok(batch) => failures.push(format!("{label}: {value:?} is not {:?}", batch.column(0))),
            Err(e) => failures.push(format!("{label}: {e}")),
        },
    );
    assert!(
        failures.is_empty(),
        "{} of {seen}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(seen > 1600, "{seen}");
}

#[test]
fn every_floating_decimal_fits_or_is_refused() {
    let options = [
        FloatingDecimal::Float64,
        FloatingDecimal::Fixed {
            precision: 38,
            scale: 6,
        },
        FloatingDecimal::Fixed {
            precision: 76,
            scale: 40,
        },
    ];
    for option in options {
        let (mut fitting, mut refused) = (0, 0);
        walk("type-oracle.json", option, |label, value, made| {
            match (value, made) {
                (Value::Decimal(_), Ok(batch)) => {
                    assert!(is(batch.column(0), value), "{label} {option}: {value:?}");
                    fitting += 1;
                }
                (Value::Decimal(v), Err(e)) => {
                    assert!(e.to_string().contains("out of range"), "{label} {option}: {e}");
                    assert!(
                        v.min_scale() > 6 || v.abs() > "1E31".parse().expect("a number"),
                        "{label} {option}"
                    );
                    refused += 1;
                }
                _ => {}
            }
        });
        assert!(
            fitting > 80 && (refused > 0) == (option != FloatingDecimal::Float64),
            "{option} {fitting} {refused}"
        );
    }
}

#[test]
fn text_is_checked_with_row_and_column() {
    let ty = ColumnType::varchar(20, 0);
    let cell = |bytes: &[u8]| [&[bytes.len() as u8], bytes].concat();
    let bad = [&b"ok"[..], "\u{fc}".as_bytes(), b"a\xffb", b"later"].map(cell);
    let strict = arrow(&ty, TextCodec::UTF8, &bad, FloatingDecimal::Text)
        .expect_err("not UTF-8")
        .to_string();
    assert!(
        strict.contains("row 2, column \"v\" (varchar(20)): byte 1 (0xff) is not valid"),
        "{strict}"
    );
    let replacing = TextCodec::UTF8.with_policy(DecodePolicy::Replace);
    let batch = arrow(&ty, replacing, &bad, FloatingDecimal::Text).expect("replaced");
    let read: Vec<_> = batch
        .column(0)
        .as_string::<i32>()
        .iter()
        .flatten()
        .map(str::to_owned)
        .collect();
    assert_eq!(read, ["ok", "\u{fc}", "a\u{fffd}b", "later"]);
    // Two values that are UTF-8 together only.
    let halves = [&b"\xc3"[..], b"\xbc"].map(cell);
    let error = arrow(&ty, TextCodec::UTF8, &halves, FloatingDecimal::Text)
        .expect_err("halves")
        .to_string();
    assert!(error.contains("row 0, column"), "{error}");
    // Another code set is decoded value by value.
    let latin = codec("en_US.8859-1");
    let batch = arrow(&ty, latin, &[&b"a"[..], b"\xfc"].map(cell), FloatingDecimal::Text).expect("Latin-1");
    assert_eq!(batch.column(0).as_string::<i32>().value(1), "\u{fc}");
    let greek = arrow(
        &ty,
        codec("en_US.8859-7"),
        &[&b"a"[..], b"\xff"].map(cell),
        FloatingDecimal::Text,
    );
    let error = greek.expect_err("no such character").to_string();
    assert!(error.contains("row 1, column \"v\""), "{error}");
}

#[test]
fn batches_end_at_their_rows_and_nulls_widen_the_schema() {
    let ty = ColumnType::integer().not_null();
    let cells: Vec<_> = (0..10i32)
        .map(|n| if n == 7 { i32::MIN } else { n }.to_be_bytes().to_vec())
        .collect();
    let codec = TextCodec::default();
    let batch = Batch::of_payloads(vec![("n".to_owned(), ty)], codec, &cells).expect("rows");
    let rows = batch.rows(1..10);
    let mut builder = BatchBuilder::new(
        rows.columns(),
        codec,
        &Options {
            rows: 4,
            ..Options::default()
        },
    )
    .expect("a builder");
    builder.append(&rows).expect("integers");
    let mut read = Vec::new();
    while let Some(batch) = builder.rest().expect("a batch") {
        read.push((batch.num_rows(), batch.schema().field(0).is_nullable()));
    }
    assert_eq!(read, [(4, false), (4, true), (1, true)]);
    assert!(builder.schema().field(0).is_nullable());
}

#[test]
fn cells_that_are_none_are_refused() {
    for (ty, cell) in [
        (ColumnType::decimal(5, Some(2)), vec![0xc5, 1, 1, 1]),
        (ColumnType::decimal(5, Some(2)), vec![0xc1, 200, 0, 0]),
        (ColumnType::date(), vec![0x7f, 0, 0, 0]),
        (ColumnType::varchar(5, 0), vec![9, b'a']),
        (ColumnType::boolean(), vec![0, 0, 0, 0, 1, b'x']),
    ] {
        let made = arrow(&ty, TextCodec::default(), &[cell], FloatingDecimal::Text);
        assert!(made.is_err(), "{ty}");
    }
}
