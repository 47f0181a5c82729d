//! Reading the oracles under `testdata/` and checking one cell both ways.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::str::FromStr;

use informix_types::packed::Packed;
use informix_types::row::{Cell, decode_cell, decode_value, encode_value};
use informix_types::{
    CodeSet, ColumnType, DateTime, Decimal, Interval, Locale, RowForm, TextCodec, TypeCode, Value,
};
use serde_json::Value as Json;

/// A file of `testdata/` as JSON.
pub(crate) fn load(name: &str) -> Json {
    let path = format!("{}/../../testdata/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn list(json: &Json) -> &Vec<Json> {
    json.as_array().expect("an array")
}

pub(crate) fn text(json: &Json) -> &str {
    json.as_str().expect("a string")
}

/// Bytes of hexadecimal text; `<digits>...(n bytes)` repeats the last whole byte up to n bytes.
pub(crate) fn bytes(json: &Json) -> Vec<u8> {
    let Some((digits, rest)) = text(json).split_once("...(") else {
        return hex::decode(text(json)).expect("hexadecimal");
    };
    let mut bytes = hex::decode(&digits[..digits.len() / 2 * 2]).expect("hexadecimal");
    let length = rest
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a length");
    bytes.resize(length, *bytes.last().expect("a byte to repeat"));
    bytes
}

/// A column from `[type word, encoded length, extended id, owner, extended name]`.
pub(crate) fn column(descriptor: &Json) -> ColumnType {
    let word = descriptor[0].as_u64().expect("type") as u16;
    ColumnType {
        flags: word & 0xff00,
        extended_id: descriptor[2].as_i64().expect("extended id") as i32,
        owner: text(&descriptor[3]).to_owned(),
        extended_name: text(&descriptor[4]).to_owned(),
        ..ColumnType::new(
            TypeCode::from_wire(word).expect("known type"),
            descriptor[1].as_i64().expect("length") as i32,
        )
    }
}

/// Codec of a locale name as the oracles write it. `en_US.1252` and `zh_CN.gb` are valid names too.
pub(crate) fn codec(locale: &str) -> TextCodec {
    TextCodec::new(
        Locale::from_str(locale)
            .and_then(|locale| locale.codeset())
            .unwrap_or(CodeSet::LATIN1),
    )
}

/// Whether `value` is what a client showed as `shown`. CHAR is compared with its padding.
pub(crate) fn shows(
    column: &ColumnType,
    cell: &[u8],
    codec: &TextCodec,
    shown: Option<&str>,
) -> Result<(), String> {
    let value = decode_value(column, cell, codec).map_err(|error| error.to_string())?;
    let Some(shown) = shown else {
        return if value.is_null() {
            Ok(())
        } else {
            Err(format!("{value:?} instead of NULL"))
        };
    };
    let same = match &value {
        Value::Decimal(value) => Decimal::parse_rounded(shown).is_ok_and(|shown| shown == *value),
        Value::Float(value) => parse_float(shown).is_some_and(|shown| shown.to_bits() == value.to_bits()),
        Value::SmallFloat(value) => shown
            .parse::<f32>()
            .is_ok_and(|shown| shown.to_bits() == value.to_bits()),
        Value::DateTime(value) => DateTime::parse(shown, value.qualifier()).as_ref() == Ok(value),
        Value::Interval(value) => Interval::parse(shown, value.qualifier()).as_ref() == Ok(value),
        Value::Text(_) if matches!(column.code, TypeCode::Char | TypeCode::NChar) => {
            let Ok(Cell::Char(padded)) = decode_cell(column, cell) else {
                return Err("not a CHAR cell".to_owned());
            };
            abbreviation_of(shown, &codec.decode(padded).map_err(|error| error.to_string())?)
        }
        Value::Text(value) => abbreviation_of(shown, value),
        Value::SimpleLob(lob) => lob.size() as usize == lob_length(shown),
        other => other.to_string() == shown,
    };
    if same {
        Ok(())
    } else {
        Err(format!("{value:?} instead of {shown:?}"))
    }
}

fn parse_float(shown: &str) -> Option<f64> {
    match shown {
        "Infinity" => Some(f64::INFINITY),
        "NaN" => Some(f64::from_bits(0x7ff8_0000_0000_0000)),
        other => other.parse().ok(),
    }
}

/// Long texts are cut with `…` in the oracle, or say their length as `…(len 1000)…`.
fn abbreviation_of(shown: &str, full: &str) -> bool {
    match shown.split_once("...(len ") {
        Some((start, rest)) => {
            let length = rest.split(')').next().and_then(|n| n.parse::<usize>().ok());
            full.starts_with(start) && length.is_none_or(|n| n == full.chars().count())
        }
        None => match shown.strip_suffix('…') {
            Some(start) => full.starts_with(start.split("...(len").next().unwrap_or(start)),
            None => full == shown,
        },
    }
}

fn lob_length(shown: &str) -> usize {
    match shown.split_once("...(len ") {
        Some((_, rest)) => rest
            .split(')')
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(usize::MAX),
        None => shown.chars().count(),
    }
}

/// Encodes the decoded value again. It must give the same bytes in normal or in positional form; says which.
pub(crate) fn round_trip(
    column: &ColumnType,
    cell: &[u8],
    codec: &TextCodec,
) -> Result<&'static str, String> {
    let value = decode_value(column, cell, codec).map_err(|error| error.to_string())?;
    let form = RowForm {
        binary: cell.len() == 6 && cell[5] < 2,
        ..RowForm::default()
    };
    let mut again = Vec::new();
    encode_value(column, &value, form, codec, &mut again).map_err(|error| error.to_string())?;
    if again == cell {
        return Ok("normal");
    }
    let packed = match &value {
        Value::DateTime(value) => value.to_packed().map(|packed| (packed, value.qualifier())),
        Value::Interval(value) => value.to_packed().map(|packed| (packed, value.qualifier())),
        _ => return Err(format!("{value:?} becomes {}", hex::encode(&again))),
    };
    let (packed, qualifier): (Packed, _) = packed.map_err(|error| error.to_string())?;
    let mut positional = Vec::new();
    packed
        .write_positional(qualifier.full_exponent(), cell.len() - 1, &mut positional)
        .map_err(|error| error.to_string())?;
    let normal = decode_value(column, &again, codec).map_err(|error| error.to_string())?;
    if positional == cell && normal == value {
        Ok("positional")
    } else {
        Err(format!(
            "{value:?} becomes {} or {}",
            hex::encode(&again),
            hex::encode(&positional)
        ))
    }
}
