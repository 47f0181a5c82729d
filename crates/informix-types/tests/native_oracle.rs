//! Every row and bind of `native-oracle.json`: what the vendor's native client decodes and sends.

mod common;

use common::{bytes, codec, column, list, load, round_trip, text};
use informix_types::row::{Cell, decode_cell, decode_value};
use informix_types::{ColumnType, Decimal, TypeCode, Value, bind};

/// Rows whose text the client shortens or rounds.
fn shown_otherwise(column: &ColumnType, shown: &str, value: &Value) -> bool {
    match value {
        // Cut to 31 digits.
        Value::Decimal(value) => value.digits() > 31 && shown.trim_start_matches('-').len() >= 30,
        // 15 or 7 significant digits.
        Value::Float(value) => {
            // The largest double, rounded to 15 digits, is beyond the largest double.
            (shown == "NAN" && value.is_nan())
                || (shown == "1.79769313486232E+308" && *value == f64::MAX)
                || shown
                    .parse::<f64>()
                    .is_ok_and(|s| (s / 2.0 - value / 2.0).abs() <= value.abs() * 1e-14)
        }
        Value::SmallFloat(value) => shown
            .parse::<f32>()
            .is_ok_and(|s| (s - value).abs() <= value.abs() * 1e-6),
        // Trailing blanks of VARCHAR are cut.
        Value::Text(value) => {
            column.code == TypeCode::VarChar || column.code == TypeCode::NVarChar && value.trim_end() == shown
        }
        _ => false,
    }
}

fn matches(column: &ColumnType, cell: &[u8], locale: &str, shown: Option<&str>) -> Result<(), String> {
    let codec = codec(locale);
    let value = decode_value(column, cell, &codec).map_err(|error| error.to_string())?;
    let Some(shown) = shown else {
        return if value.is_null() {
            Ok(())
        } else {
            Err(format!("{value:?} instead of NULL"))
        };
    };
    let same = match &value {
        Value::Decimal(value) if column.scale().is_some() => value.to_string() == shown,
        Value::Decimal(value) => shown.parse::<Decimal>().is_ok_and(|shown| shown == *value),
        Value::Float(value) => shown.parse::<f64>() == Ok(*value),
        Value::SmallFloat(value) => shown.parse::<f32>() == Ok(*value),
        Value::Interval(value) => value.to_string() == shown.trim_start(),
        Value::Boolean(value) => shown == if *value { "1" } else { "0" },
        Value::Text(value) => match decode_cell(column, cell) {
            Ok(Cell::Char(padded)) => codec.decode(padded).is_ok_and(|padded| starts(shown, &padded)),
            _ => starts(shown, value),
        },
        Value::SimpleLob(_) => true,
        other => other.to_string() == shown,
    };
    if same || shown_otherwise(column, shown, &value) {
        Ok(())
    } else {
        Err(format!("{value:?} instead of {shown:?}"))
    }
}

fn starts(shown: &str, full: &str) -> bool {
    match shown
        .split_once("...(len")
        .map(|(start, _)| start)
        .or_else(|| shown.strip_suffix('…'))
    {
        Some(start) => full.starts_with(start),
        None => full == shown,
    }
}

#[test]
fn every_row_decodes_to_the_clients_text_and_back() {
    let (mut rows, mut failures) = (0, Vec::new());
    for shape in list(&load("native-oracle.json")["decode"]) {
        let (id, column, locale) = (text(&shape[0]), column(&shape[3]), text(&shape[2]));
        for row in list(&shape[4]) {
            let cell = bytes(&row[1]);
            rows += 1;
            if let Err(problem) = matches(&column, &cell, locale, row[2].as_str()) {
                failures.push(format!("{id} {}: {problem}", row[0]));
            }
            if let Err(problem) = round_trip(&column, &cell, &codec(locale)) {
                failures.push(format!("{id} {}: {problem}", row[0]));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {rows}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(rows, 1615);
}

/// Our own bind of the same value gives the client's bytes, save for the precision word where it carries nothing.
#[test]
fn every_bind_decodes_and_encodes_to_the_same_bytes() {
    let (mut same, mut failures) = (0, Vec::new());
    let mut other = std::collections::BTreeMap::<&str, usize>::new();
    for case in list(&load("native-oracle.json")["bind"]) {
        let (target, wire) = (text(&case[0]), bytes(&case[2]));
        let codec = codec(if target.starts_with("utf8") {
            "en_US.utf8"
        } else {
            "en_US.8859-1"
        });
        let (bound, used) = match bind::decode(&wire, 1 << 20, &codec) {
            Ok(bound) => bound,
            Err(problem) => {
                failures.push(format!("{target} {}: {problem} {}", case[1], hex::encode(&wire)));
                continue;
            }
        };
        assert_eq!(used, wire.len(), "{target}");
        let mut again = Vec::new();
        bind::encode(&bound.value, Some(&bound.column), &codec, &mut again).expect("encodes");
        if again == wire {
            same += 1;
            continue;
        }
        let reason = match bound.column.code {
            TypeCode::Date if again[6..] == wire[6..] => "precision word of a DATE",
            TypeCode::Decimal if again[6..] == wire[6..] => "precision word of a DECIMAL",
            _ => {
                failures.push(format!(
                    "{target} {}: {} {}",
                    case[1],
                    hex::encode(&wire),
                    hex::encode(&again)
                ));
                continue;
            }
        };
        *other.entry(reason).or_default() += 1;
    }
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    let expected = [
        ("precision word of a DATE", 14),
        ("precision word of a DECIMAL", 9),
    ];
    assert_eq!((same, other), (312, expected.into()));
}
