//! What can be chosen.

use std::fmt;
use std::str::FromStr;

use informix::error::Kind;
use informix::{Error, driver};

/// Rows of a record batch unless something else is asked for.
pub const DEFAULT_ROWS: usize = 65_536;

/// What becomes of a floating `DECIMAL(p)`: a number of up to 32 digits whose point may stand anywhere (1E-130 to 1E+126), for
/// which Arrow has no type that holds all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloatingDecimal {
    /// Text, which never loses a digit: `123.45`, `1.5E+100`.
    #[default]
    Text,
    /// The nearest double: about 16 digits.
    Float64,
    /// A number with a fixed scale: Decimal128 up to a precision of 38, Decimal256 up to 76. A value that does not fit exactly is
    /// an error.
    Fixed {
        /// Digits in all, 1 to 76.
        precision: u8,
        /// Digits after the point, at most `precision`.
        scale: u8,
    },
}

/// Parses `text`, `float64` and `decimal(p,s)`.
impl FromStr for FloatingDecimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let lower = text.trim().to_ascii_lowercase();
        let fixed = || {
            let (precision, scale) = lower
                .strip_prefix("decimal(")?
                .strip_suffix(')')?
                .split_once(',')?;
            let (precision, scale) = (precision.trim().parse().ok()?, scale.trim().parse().ok()?);
            ((1..=76).contains(&precision) && scale <= precision).then_some(Self::Fixed { precision, scale })
        };
        match lower.as_str() {
            "text" => Ok(Self::Text),
            "float64" => Ok(Self::Float64),
            _ => fixed().ok_or_else(|| {
                driver::error(
                    Kind::Usage,
                    0,
                    format!("floating decimals become \"text\", \"float64\" or \"decimal(p,s)\" with p up to 76, not {text:?}"),
                )
            }),
        }
    }
}

impl fmt::Display for FloatingDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Float64 => f.write_str("float64"),
            Self::Fixed { precision, scale } => write!(f, "decimal({precision},{scale})"),
        }
    }
}

/// How rows become record batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Most rows of a batch. One with long values ends earlier: at 64 MiB as they came from the server.
    pub rows: usize,
    /// What becomes of floating decimals.
    pub floating_decimal: FloatingDecimal,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rows: DEFAULT_ROWS,
            floating_decimal: FloatingDecimal::default(),
        }
    }
}
