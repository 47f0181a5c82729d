//! Conversions to and from other crates' types, one file per crate, each behind a feature that names crate and major version.

#[cfg(feature = "bigdecimal-04")]
mod bigdecimal;
#[cfg(feature = "chrono-04")]
mod chrono;
#[cfg(feature = "jiff-1")]
mod jiff;
#[cfg(feature = "rust_decimal-1")]
mod rust_decimal;
#[cfg(feature = "serde-1")]
mod serde;
#[cfg(feature = "time-03")]
mod time;
#[cfg(feature = "uuid-1")]
mod uuid;

#[cfg(any(feature = "chrono-04", feature = "jiff-1", feature = "time-03"))]
mod clock {
    //! What the three date crates have in common.

    use crate::datetime::{DateTime, Parts};
    use crate::error::{Error, Result};
    use crate::interval::Interval;
    use crate::qualifier::{Field, Qualifier};

    /// Nanoseconds in a unit of 10^-5 s.
    pub(super) const NANOS_PER_UNIT: u32 = 10_000;

    /// DATETIME HOUR TO FRACTION(5).
    pub(super) fn hour_to_fraction5() -> Result<Qualifier> {
        Qualifier::datetime(Field::Hour, Field::Fraction(5))
    }

    /// Fields of a value whose qualifier reaches from YEAR or HOUR; absent month and day are 1.
    pub(super) fn parts(value: &DateTime, start: Field, to: &str) -> Result<Parts> {
        if value.qualifier().start() != start {
            return Err(Error::Conversion {
                from: "DATETIME",
                to: to.to_owned(),
            });
        }
        let parts = value.parts();
        Ok(Parts {
            month: parts.month.max(1),
            day: parts.day.max(1),
            ..parts
        })
    }

    /// Units of 10^-5 s of an INTERVAL of days and smaller.
    pub(super) fn units(value: &Interval, to: &str) -> Result<i64> {
        value.units().ok_or_else(|| Error::Conversion {
            from: "INTERVAL of months",
            to: to.to_owned(),
        })
    }

    /// INTERVAL DAY(9) TO FRACTION(5) of a number of nanoseconds, cut to 10^-5 s.
    pub(super) fn interval(nanos: i128) -> Result<Interval> {
        let units =
            i64::try_from(nanos / i128::from(NANOS_PER_UNIT)).map_err(|_| Error::range("interval"))?;
        Interval::from_units(units, Qualifier::DAY9_TO_FRACTION5)
    }
}
