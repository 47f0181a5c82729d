//! Values inside SQ_BIND (and SQ_PUT's parameter blocks).
//!
//! | field | size | note |
//! |---|---|---|
//! | type | i16 | type of *this value*, not of the column |
//! | owner, name | char each (`i16 length`, bytes, pad) | only for types above 18 except 52 and 53, also when NULL (J) |
//! | indicator | i16 | 0 value, -1 NULL |
//! | precision | i16 | meaningful for DATETIME and INTERVAL (qualifier) only |
//! | data | | absent for NULL; a pad byte follows when its length is odd |
//!
//! The data is the plain value for numbers and DATE, 56 bytes for BYTE and TEXT, `i16 length` and bytes for strings and packed
//! numbers, and `i32 length` and bytes for the types with owner and name (J). Vectors `bind_*` and `obs_bind_*`.

mod decode;
mod encode;

pub use decode::{BoundValue, RawBind, decode, scan};
pub use encode::{encode, encode_null};
