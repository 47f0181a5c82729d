//! Values inside a row: the payload of SQ_TUPLE.
//!
//! Columns stand back to back in select order without gaps. [`RowPlan`] cuts a payload into cells, [`decode_cell`] reads one cell without
//! allocating, [`decode_value`] and [`encode_value`] go through [`crate::Value`].

mod cell_type;
mod decode;
mod encode;
mod split;
pub mod typed;

pub use cell_type::CellType;
pub(crate) use decode::boolean;
pub use decode::{Cell, decode_cell, decode_value, trim_blanks};
pub use encode::{encode_null, encode_value};
pub(crate) use encode::{float_bits, int8, small_float_bits};
pub use split::{RowPlan, split};

/// The form of rows that a session and a statement have agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RowForm {
    /// VARCHAR and NVARCHAR are filled with zero bytes to their maximum (no capability bit 13, or IFX_PAD_VARCHAR; J).
    pub padded_varchar: bool,
    /// BOOLEAN and LOB locators in binary: the client sent SQ_RET_TYPE for the statement (J). Otherwise text (P).
    pub binary: bool,
}
