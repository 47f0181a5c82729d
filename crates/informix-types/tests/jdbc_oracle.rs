//! Every row and bind of `type-oracle.json`: what IBM's JDBC driver decodes and sends.

mod common;

use common::{bytes, codec, column, list, load, round_trip, shows, text};
use informix_types::{ColumnType, DateTime, Interval, Qualifier, TypeCode, Value, bind};

/// Rows where the driver shows something else than the bytes say, besides those that the file marks as quirks.
const SHOWN_OTHERWISE: &[(&str, &str, &str)] = &[
    (
        "date",
        "1582-10-05",
        "java.util.Calendar leaves out the days of October 1582",
    ),
    (
        "date",
        "1582-10-14",
        "java.util.Calendar leaves out the days of October 1582",
    ),
    (
        "boolean",
        "envelope T",
        "the driver asked for the binary form, so text is false to it",
    ),
    (
        "boolean45",
        "env t",
        "the driver asked for the binary form, so text is false to it",
    ),
];

/// Rows whose bytes a server would not write.
const NOT_WRITTEN: &[(&str, &str, &str)] = &[("boolean", "envelope T", "written as t")];

#[test]
fn every_row_decodes_to_the_drivers_value_and_back() {
    let oracle = load("type-oracle.json");
    let (mut rows, mut quirks, mut positional, mut failures) = (0, 0, 0, Vec::new());
    for shape in list(&oracle["decode"]) {
        let (id, column, codec) = (text(&shape[0]), column(&shape[3]), codec(text(&shape[2])));
        for row in list(&shape[4]) {
            let label = text(&row[0]);
            let cell = bytes(&row[1]);
            let listed = |list: &[(&str, &str, &str)]| list.iter().any(|(i, l, _)| *i == id && *l == label);
            rows += 1;
            let shown = if row.get(3).is_some() || listed(SHOWN_OTHERWISE) {
                quirks += 1;
                Ok(())
            } else {
                shows(&column, &cell, &codec, row[2].as_str())
            };
            if let Err(problem) = shown {
                failures.push(format!("{id} {label}: {problem}"));
            }
            match round_trip(&column, &cell, &codec) {
                Ok(form) => positional += usize::from(form == "positional"),
                Err(_) if listed(NOT_WRITTEN) => {}
                Err(problem) => failures.push(format!("{id} {label}: {problem}")),
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {rows}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!((rows, quirks), (1678, 42));
    assert!(positional > 100, "{positional}");
}

/// The SQL text of a described column is that of the oracle.
#[test]
fn sql_names() {
    for shape in list(&load("type-oracle.json")["decode"]) {
        let stated = text(&shape[1]);
        if !stated.contains(" as type ") {
            assert_eq!(column(&shape[3]).sql_name(), stated, "{}", shape[0]);
        }
    }
}

#[test]
fn every_bind_decodes_and_encodes() {
    let oracle = load("type-oracle.json");
    let latin1 = codec("en_US.8859-1");
    let (mut same, mut other, mut failures) = (0, std::collections::BTreeMap::new(), Vec::new());
    for case in list(&oracle["bind"]) {
        let (target, setter) = (text(&case[0]), text(&case[2]));
        let codec = if target.starts_with("utf8") {
            codec("en_US.utf8")
        } else {
            latin1
        };
        for wire in list(&case[4]) {
            let wire = bytes(wire);
            let (bound, used) = match bind::decode(&wire, 1 << 20, &codec) {
                Ok(bound) => bound,
                Err(problem) => {
                    failures.push(format!("{target} {setter} {}: {problem}", case[3]));
                    continue;
                }
            };
            assert_eq!(used, wire.len(), "{target} {setter}");
            if let Err(problem) = states(setter, case[3].as_str(), &bound.value) {
                failures.push(format!("{target} {setter} {}: {problem}", case[3]));
            }
            // Bound again for a target of the type that the driver used.
            let as_sent = ColumnType {
                encoded_length: 56,
                ..bound.column.clone()
            };
            let mut again = Vec::new();
            bind::encode(&bound.value, Some(&as_sent), &codec, &mut again).expect("encodes");
            if again == wire {
                same += 1;
            } else {
                let reason = difference(&bound, &wire, &again);
                *other.entry(reason).or_insert(0) += 1;
                let (second, _) = bind::decode(&again, 1 << 20, &codec).expect("decodes");
                if second.value != bound.value {
                    failures.push(format!("{target} {setter} {}: {again:02x?}", case[3]));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    let expected = [
        ("bound as the integer type", 25),
        ("names of an opaque type", 8),
        ("positional form", 199),
        ("precision word and fill of a DECIMAL", 225),
        ("precision word of a DATE", 1),
        ("precision word of a descriptor", 14),
        ("text as CHAR", 20),
    ];
    assert_eq!((same, other), (525, expected.into()));
}

/// Why our own bytes may differ while the value is the same.
fn difference(bound: &bind::BoundValue, wire: &[u8], again: &[u8]) -> &'static str {
    match bound.column.code {
        TypeCode::Decimal | TypeCode::Money => "precision word and fill of a DECIMAL",
        TypeCode::DateTime | TypeCode::Interval => "positional form",
        TypeCode::Date => "precision word of a DATE",
        TypeCode::Byte | TypeCode::Text => "precision word of a descriptor",
        TypeCode::Serial | TypeCode::Serial8 | TypeCode::BigSerial => "bound as the integer type",
        TypeCode::Char | TypeCode::NChar | TypeCode::VarChar | TypeCode::NVarChar => "text as CHAR",
        TypeCode::LVarChar | TypeCode::Boolean | TypeCode::SendRecv => "names of an opaque type",
        _ => panic!("{} and {}", hex::encode(wire), hex::encode(again)),
    }
}

/// The value that the setter was given, where it can be compared.
fn states(setter: &str, stated: Option<&str>, value: &Value) -> Result<(), String> {
    let fail = || Err(format!("{value:?}"));
    let Some(stated) = stated else {
        return if value.is_null() { Ok(()) } else { fail() };
    };
    let number = || stated.parse::<f64>().unwrap_or(f64::NAN);
    let same = match value {
        Value::SmallInt(_) | Value::Integer(_) | Value::BigInt(_) | Value::Int8(_) | Value::Boolean(_)
            if setter == "setBoolean" =>
        {
            matches!(
                (stated, value.as_i64()),
                ("true", Some(1) | None) | ("false", Some(0) | None)
            )
        }
        // The driver wraps a long around into a narrower target.
        Value::SmallInt(value) if setter == "setLong" => {
            stated.parse().is_ok_and(|n: i64| n as i16 == *value)
        }
        Value::Integer(value) if setter == "setLong" => stated.parse().is_ok_and(|n: i64| n as i32 == *value),
        Value::SmallInt(_) | Value::Integer(_) | Value::BigInt(_) | Value::Int8(_) => {
            value.as_i64() == stated.parse().ok() || value.as_f64() == Some(number().trunc())
        }
        Value::Float(value) => {
            *value == number() || (setter == "setFloat" && *value as f32 == number() as f32)
        }
        Value::SmallFloat(value) => *value == number() as f32,
        Value::Decimal(value) => (value.to_f64() - number()).abs() <= number().abs() * 1e-7,
        Value::Date(value) => value.to_string() == stated.get(..10).unwrap_or_default(),
        Value::DateTime(value) => date_time_states(value, stated),
        Value::Interval(value) => Interval::parse(stated, value.qualifier()).as_ref() == Ok(value),
        Value::Text(value) => {
            stated.contains(" x")
                || stated.ends_with('…')
                || !setter.starts_with("setString")
                || value == stated
        }
        _ => true,
    };
    if same { Ok(()) } else { fail() }
}

/// The driver cuts a timestamp to the target's fields (month and day become 1, the rest 0) and fills a date with zeros.
fn date_time_states(value: &DateTime, stated: &str) -> bool {
    let full = [
        Qualifier::YEAR_TO_FRACTION5,
        Qualifier::YEAR_TO_SECOND,
        Qualifier::YEAR_TO_DAY,
        Qualifier::HOUR_TO_SECOND,
    ]
    .into_iter()
    .find_map(|qualifier| DateTime::parse(&stated.replace('T', " "), qualifier).ok());
    let Some(full) = full.map(|full| full.parts()) else {
        return false;
    };
    let (sent, unit) = (value.parts(), [10_000, 1_000, 100, 10, 1]);
    sent.year == full.year
        && (sent.month == full.month || sent.month == 1)
        && (sent.day == full.day || sent.day == 1)
        && (sent.hour == full.hour || sent.hour == 0)
        && (sent.minute == full.minute || sent.minute == 0)
        && (sent.second == full.second || sent.second == 0)
        && (sent.fraction == 0
            || unit
                .iter()
                .any(|unit| full.fraction / unit * unit == sent.fraction))
}
