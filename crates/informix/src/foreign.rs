//! Types of other crates as parameters and results, by the conversions of `informix-types`. Each behind its feature.

#[allow(unused_macros)] // Without any of the features there is no use of it.
macro_rules! foreign {
    ($($feature:literal: $($foreign:ty = $own:ident),+;)*) => {$($(
        #[cfg(feature = $feature)]
        impl crate::ToSql for $foreign {
            fn to_sql(&self) -> crate::Result<crate::Parameter> {
                informix_types::$own::try_from(self.clone())
                    .map(|value| crate::Parameter::Value(informix_types::Value::from(value)))
                    .map_err(|e| {
                        let what = concat!("the value is no ", stringify!($own), " that Informix can hold");
                        crate::Error::conversion(what).with_source(e)
                    })
            }
        }

        #[cfg(feature = $feature)]
        impl<'a> crate::FromSql<'a> for $foreign {
            fn from_sql(raw: crate::RawValue<'a>) -> crate::Result<Self> {
                let value = <informix_types::$own as crate::FromSql>::from_sql(raw)?;
                Self::try_from(value).map_err(|e| {
                    let what = concat!("the value does not fit ", stringify!($foreign));
                    crate::Error::conversion(what).with_source(e)
                })
            }
        }
    )+)*};
}

foreign! {
    "bigdecimal-04": bigdecimal::BigDecimal = Decimal;
    "rust_decimal-1": rust_decimal::Decimal = Decimal;
    "chrono-04": chrono::NaiveDate = Date, chrono::NaiveDateTime = DateTime, chrono::NaiveTime = DateTime,
        chrono::TimeDelta = Interval;
    "jiff-1": jiff::civil::Date = Date, jiff::civil::DateTime = DateTime, jiff::civil::Time = DateTime,
        jiff::SignedDuration = Interval, jiff::Span = Interval;
    "time-03": time::Date = Date, time::PrimitiveDateTime = DateTime, time::Time = DateTime, time::Duration = Interval;
}

/// As its 36 characters.
#[cfg(feature = "uuid-1")]
impl crate::ToSql for uuid::Uuid {
    fn to_sql(&self) -> crate::Result<crate::Parameter> {
        Ok(crate::Parameter::from(informix_types::Value::from(*self)))
    }
}

#[cfg(feature = "uuid-1")]
impl<'a> crate::FromSql<'a> for uuid::Uuid {
    fn from_sql(raw: crate::RawValue<'a>) -> crate::Result<Self> {
        let value = <informix_types::Value as crate::FromSql>::from_sql(raw)?;
        Self::try_from(&value).map_err(|e| crate::Error::conversion("the value is no UUID").with_source(e))
    }
}
