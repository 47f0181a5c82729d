//! serde 1: DECIMAL, DATE, DATETIME and INTERVAL as their text forms, [`Value`] as the natural type of its content.
//!
//! Reading takes the qualifier from the text: a DATETIME must start with the year or be `hh:mm:ss[.fffff]`; an INTERVAL
//! `d hh:mm:ss[.fffff]` becomes DAY(9) TO …, `y-mm` becomes YEAR(9) TO MONTH. A [`Value`] is only written.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::date::Date;
use crate::datetime::DateTime;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::qualifier::{Field, Qualifier};
use crate::value::Value;

struct TextVisitor<T>(&'static str, fn(&str) -> Result<T>);

impl<T> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the text of a {}", self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<T, E> {
        (self.1)(text).map_err(E::custom)
    }
}

macro_rules! as_text {
    ($ty:ty, $name:literal, $parse:expr) => {
        impl Serialize for $ty {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                deserializer.deserialize_str(TextVisitor($name, $parse))
            }
        }
    };
}

as_text!(Decimal, "DECIMAL", |text| text.parse());
as_text!(Date, "DATE", |text| text.parse());
as_text!(DateTime, "DATETIME", date_time);
as_text!(Interval, "INTERVAL", interval);

/// Last field by the number of fields that the text has from `first` on; a fraction has as many digits as are written.
fn last_field(text: &str, fields: &[Field]) -> Option<Field> {
    if let Some((_, fraction)) = text.split_once('.') {
        return u8::try_from(fraction.len()).ok().map(Field::Fraction);
    }
    let separators = text.bytes().filter(|byte| b"-: ".contains(byte)).count();
    fields.get(separators).copied()
}

fn date_time(text: &str) -> Result<DateTime> {
    const FROM_YEAR: [Field; 6] = [
        Field::Year,
        Field::Month,
        Field::Day,
        Field::Hour,
        Field::Minute,
        Field::Second,
    ];
    let syntax = || Error::syntax("DATETIME from YEAR, or HOUR TO SECOND or FRACTION", text);
    let (start, end) = match text.as_bytes().get(2) {
        Some(b':') => (
            Field::Hour,
            last_field(text, &[Field::Hour, Field::Minute, Field::Second]),
        ),
        _ => (Field::Year, last_field(text, &FROM_YEAR)),
    };
    let end = end
        .filter(|end| start == Field::Year || end.rank() >= Field::Second.rank())
        .ok_or_else(syntax)?;
    DateTime::parse(text, Qualifier::datetime(start, end)?)
}

fn interval(text: &str) -> Result<Interval> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (start, end) = if unsigned.contains('-') {
        (Field::Year, Some(Field::Month))
    } else {
        (
            Field::Day,
            last_field(unsigned, &[Field::Day, Field::Hour, Field::Minute, Field::Second]),
        )
    };
    let end = end.ok_or_else(|| Error::syntax("INTERVAL", text))?;
    Interval::parse(text, Qualifier::interval(start, 9, end)?)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::SmallInt(value) => serializer.serialize_i16(*value),
            Self::Integer(value) => serializer.serialize_i32(*value),
            Self::BigInt(value) | Self::Int8(value) => serializer.serialize_i64(*value),
            Self::SmallFloat(value) => serializer.serialize_f32(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Bytes(value) => serializer.serialize_bytes(value),
            Self::SimpleLob(value) => serializer.serialize_bytes(value.as_bytes()),
            Self::LobLocator(value) => serializer.serialize_bytes(value.as_bytes()),
            Self::Decimal(_) | Self::Date(_) | Self::DateTime(_) | Self::Interval(_) | Self::Text(_) => {
                serializer.collect_str(self)
            }
        }
    }
}
