//! Every `type-row` and `type-bind` entry of `vectors.json`: the stated value, and the bytes again.

mod common;

use std::str::FromStr;

use common::{list, load, text};
use informix_types::row::{CellType, decode_value, encode_value, split};
use informix_types::{
    CodeSet, ColumnType, Date, DateTime, Decimal, Interval, LobKind, LobLocator, Qualifier, RowForm,
    TextCodec, TypeCode, Value, bind,
};
use serde_json::Value as Json;

/// The column of an entry from its SQL type and, for packed types, its encoded length.
fn column(sql_type: &str, encoded_length: Option<i32>) -> ColumnType {
    let (name, rest) = sql_type.split_at(sql_type.find(['(', ' ']).unwrap_or(sql_type.len()));
    let length = || rest.trim_matches(['(', ')']).parse().unwrap_or(255);
    let packed = |code| ColumnType::new(code, encoded_length.unwrap_or(0x20ff));
    match name {
        "SMALLINT" => ColumnType::smallint(),
        "INTEGER" => ColumnType::integer(),
        "BIGINT" => ColumnType::bigint(),
        "INT8" => ColumnType::int8(),
        "FLOAT" => ColumnType::float(),
        "SMALLFLOAT" => ColumnType::smallfloat(),
        "DATE" => ColumnType::date(),
        "CHAR" => ColumnType::char(length()),
        "NCHAR" => ColumnType::nchar(length()),
        "VARCHAR" => ColumnType::varchar(length() as u8, 0),
        "NVARCHAR" => ColumnType::nvarchar(length() as u8, 0),
        "LVARCHAR" => ColumnType::lvarchar(2048),
        "BOOLEAN" => ColumnType::boolean(),
        "BLOB" => ColumnType::blob(),
        "BYTE" => ColumnType::byte(),
        "SET" => ColumnType::composite(TypeCode::Set, sql_type),
        "DECIMAL" => packed(TypeCode::Decimal),
        "MONEY" => packed(TypeCode::Money),
        "DATETIME" | "INTERVAL" => {
            let qualifier = Qualifier::from_str(rest.trim()).expect("a qualifier");
            let column = if name == "DATETIME" {
                ColumnType::datetime(qualifier)
            } else {
                ColumnType::interval(qualifier)
            };
            if let Some(length) = encoded_length {
                assert_eq!(column.encoded_length, length, "{sql_type}");
            }
            column
        }
        "any" => ColumnType::char(1),
        other => panic!("{other}"),
    }
}

/// The value that an entry states, in the type of the column.
fn stated(column: &ColumnType, json: &Json) -> Value {
    match (json, column.code) {
        (Json::Null, _) => Value::Null,
        (Json::Bool(value), _) => Value::Boolean(*value),
        (Json::Number(n), TypeCode::SmallInt) => Value::SmallInt(n.as_i64().expect("i64") as i16),
        (Json::Number(n), TypeCode::Integer) => Value::Integer(n.as_i64().expect("i64") as i32),
        (Json::Number(n), TypeCode::BigInt) => Value::BigInt(n.as_i64().expect("i64")),
        (Json::Number(n), TypeCode::Int8) => Value::Int8(n.as_i64().expect("i64")),
        (Json::Number(n), TypeCode::SmallFloat) => Value::SmallFloat(n.as_f64().expect("f64") as f32),
        (Json::Number(n), TypeCode::Float) => Value::Float(n.as_f64().expect("f64")),
        (Json::String(value), TypeCode::Decimal | TypeCode::Money) => {
            Value::Decimal(Decimal::from_str(value).expect("decimal"))
        }
        (Json::String(value), TypeCode::Date) => Value::Date(Date::from_str(value).expect("date")),
        (Json::String(value), TypeCode::DateTime) => {
            let fraction = column
                .qualifier()
                .is_ok_and(|qualifier| qualifier.fraction_digits() > 0);
            let value = if fraction && !value.contains('.') {
                format!("{value}.0")
            } else {
                value.clone()
            };
            Value::DateTime(
                DateTime::parse(&value, column.qualifier().expect("qualifier")).expect("datetime"),
            )
        }
        (Json::String(value), TypeCode::Interval) => {
            Value::Interval(Interval::parse(value, column.qualifier().expect("qualifier")).expect("interval"))
        }
        (Json::String(_), TypeCode::UdtFixed) => {
            let bytes = std::array::from_fn(|index| index as u8);
            Value::LobLocator(Box::new(LobLocator::new(LobKind::Blob, bytes)))
        }
        (Json::String(value), _) => Value::Text(value.clone()),
        (other, code) => panic!("{other} as {code:?}"),
    }
}

/// Rows whose bytes are not what a server writes: accepted, but written otherwise.
const ROWS_WRITTEN_OTHERWISE: &[(&str, &str)] = &[
    (
        "int8_null_dirty_magnitude",
        "the magnitude of a NULL is ignored and written as 0",
    ),
    ("obs_datetime_h2s_positional", "positional form"),
    ("interval_year4_to_month", "positional form"),
    ("interval_neg_year4_to_month", "positional form"),
];

/// Rows that are no value at all.
const NOT_A_VALUE: &[(&str, &str)] = &[("int8_all_ones_magnitude", "outside the range of INT8")];

/// Binds that we write in another form, which says the same.
fn bind_written_otherwise(name: &str) -> Option<&'static str> {
    Some(match name {
        "bind_bool_true" | "bind_bool_false" => "text form of the peer; only for a target that is no BOOLEAN",
        "bind_byte_hello" => "precision word of a descriptor",
        "obs_bind_lvarchar_42" | "obs_bind_lvarchar_utf8_e_acute" => {
            "bound as CHAR without a described target"
        }
        _ if name.starts_with("bind_decimal") || name.starts_with("obs_bind_decimal") => {
            "precision word of a DECIMAL"
        }
        _ if name.contains("interval") => "the peer and JDBC bind the positional form",
        _ if name.contains("datetime") || name.contains("timestamp") => {
            "the peer and JDBC keep trailing zero pairs"
        }
        _ => return None,
    })
}

#[test]
fn rows() {
    let (mut count, codec) = (0, TextCodec::new(CodeSet::LATIN1));
    for entry in list(&load("vectors.json"))
        .iter()
        .filter(|entry| entry["kind"] == "type-row")
    {
        let (name, bytes) = (
            text(&entry["name"]),
            hex::decode(text(&entry["hex"])).expect("hex"),
        );
        count += 1;
        let sql_type = text(&entry["sql_type"]);
        if sql_type.starts_with('(') {
            whole_row(name, sql_type, &entry["value"], &bytes);
            continue;
        }
        let column = column(sql_type, entry["encoded_length"].as_i64().map(|n| n as i32));
        assert_eq!(
            split(std::slice::from_ref(&column), &bytes, RowForm::default()).map(|cells| cells.len()),
            Ok(1)
        );
        let value = decode_value(&column, &bytes, &codec);
        if NOT_A_VALUE.iter().any(|(listed, _)| *listed == name) {
            assert!(value.is_err(), "{name}");
            continue;
        }
        let value = value.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(value, stated(&column, &entry["value"]), "{name}");
        let is_null = CellType::new(&column).map(|kind| kind.is_null(&bytes));
        assert_eq!(is_null, Ok(value == Value::Null), "{name}");
        if let (Value::Decimal(value), true) = (&value, column.scale().is_some()) {
            assert_eq!(
                value.scale(),
                u32::from(column.scale().unwrap_or_default()),
                "{name} keeps its scale"
            );
        }
        let form = RowForm {
            binary: name.ends_with("_binary"),
            ..RowForm::default()
        };
        let mut again = Vec::new();
        encode_value(&column, &value, form, &codec, &mut again).expect("encodes");
        let listed = ROWS_WRITTEN_OTHERWISE.iter().any(|(listed, _)| *listed == name);
        assert_eq!(again != bytes, listed, "{name}: {}", hex::encode(&again));
        assert_eq!(decode_value(&column, &again, &codec), Ok(value), "{name}");
    }
    assert_eq!(count, 107);
}

/// `(INTEGER, BOOLEAN, …)`: a complete payload.
fn whole_row(name: &str, sql_type: &str, values: &Json, payload: &[u8]) {
    let inner = sql_type
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .expect("a list of types");
    let columns: Vec<_> = inner.split(", ").map(|sql_type| column(sql_type, None)).collect();
    let codec = TextCodec::UTF8;
    let cells =
        split(&columns, payload, RowForm::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut again = Vec::new();
    for ((column, cell), json) in columns.iter().zip(cells).zip(list(values)) {
        let value = decode_value(column, &payload[cell], &codec).expect("decodes");
        assert_eq!(value, stated(column, json), "{name}");
        encode_value(column, &value, RowForm::default(), &codec, &mut again).expect("encodes");
    }
    assert_eq!(again, payload, "{name}");
    for cut in 0..payload.len() {
        assert!(
            split(&columns, &payload[..cut], RowForm::default()).is_err(),
            "{name} cut at {cut}"
        );
    }
}

#[test]
fn binds() {
    let mut count = 0;
    for entry in list(&load("vectors.json"))
        .iter()
        .filter(|entry| entry["kind"] == "type-bind")
    {
        let (name, bytes) = (
            text(&entry["name"]),
            hex::decode(text(&entry["hex"])).expect("hex"),
        );
        count += 1;
        let utf8 = name.contains("utf8");
        let codec = if utf8 {
            TextCodec::UTF8
        } else {
            TextCodec::new(CodeSet::LATIN1)
        };
        let sql_type = text(&entry["sql_type"]);
        let column = column(sql_type, None);
        let (bound, used) =
            bind::decode(&bytes, 1 << 20, &codec).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(used, bytes.len(), "{name}");
        match (&bound.value, &entry["value"]) {
            (Value::Text(value), Json::Bool(stated)) => assert_eq!(value == "t", *stated, "{name}"),
            (Value::SimpleLob(lob), _) => assert_eq!(lob.size(), 5, "{name}"),
            (value, json) => assert_eq!(*value, stated(&column, json), "{name}"),
        }
        for cut in 0..bytes.len() {
            let cut = bind::decode(&bytes[..cut], 1 << 20, &codec);
            assert!(
                matches!(cut, Err(informix_types::Error::Incomplete { more: 1.. })),
                "{name}: {cut:?}"
            );
        }
        let target = matches!(name, "obs_bind_integer_null" | "obs_bind_boolean_null")
            || bound.column.code == TypeCode::Boolean;
        let mut again = Vec::new();
        bind::encode(&bound.value, target.then_some(&column), &codec, &mut again).expect("encodes");
        if bind_written_otherwise(name).is_none() {
            assert_eq!(hex::encode(&again), hex::encode(&bytes), "{name}");
        }
        let (second, used) = bind::decode(&again, 1 << 20, &codec).expect("decodes");
        assert_eq!((second.value, used), (bound.value, again.len()), "{name}");
    }
    assert_eq!(count, 80);
}
