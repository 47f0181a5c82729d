//! A row of any shape, and any bytes as its payload.
//!
//! Input: one byte (bits 0-3 columns, bits 4-5 row form), per column type (1 byte), flags (1) and encoded length (2), then
//! the payload. Codes 40 and 41 take their name from the flags byte.
#![no_main]

use informix_types::column::ColumnType;
use informix_types::row::{self, RowForm};
use informix_types::{CodeSet, TextCodec, TypeCode};
use libfuzzer_sys::fuzz_target;

fn column(code: u8, flags: u8, length: u16) -> Option<ColumnType> {
    Some(match (code, flags % 5) {
        (40, _) => ColumnType::lvarchar(i32::from(length)),
        (41, 0) => ColumnType::boolean(),
        (41, 1) => ColumnType::blob(),
        (41, 2) => ColumnType::clob(),
        _ => ColumnType {
            flags: u16::from(flags) << 8,
            ..ColumnType::new(TypeCode::from_wire(u16::from(code)).ok()?, i32::from(length))
        },
    })
}

/// DECIMAL and MONEY of a precision that a server can declare.
fn declarable(column: &ColumnType) -> bool {
    !column.is_decimal()
        || (1..=32).contains(&column.precision())
            && column.scale().is_none_or(|scale| scale <= column.precision())
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, mut rest)) = input.split_first() else {
        return;
    };
    let mut columns = Vec::new();
    for _ in 0..choice & 15 {
        let Some(([code, flags, high, low], tail)) = rest.split_first_chunk() else {
            return;
        };
        let Some(column) = column(*code, *flags, u16::from_be_bytes([*high, *low])) else {
            return;
        };
        columns.push(column);
        rest = tail;
    }
    let form = RowForm {
        padded_varchar: choice & 16 != 0,
        binary: choice & 32 != 0,
    };
    let codec = TextCodec::new(if choice & 64 != 0 {
        CodeSet::UTF8
    } else {
        CodeSet::LATIN1
    });
    let Ok(cells) = row::split(&columns, rest, form) else {
        return;
    };
    let mut end = 0;
    for (column, cell) in columns.iter().zip(&cells) {
        assert_eq!(cell.start, end, "cells touch");
        end = cell.end;
        let Ok(value) = row::decode_value(column, &rest[cell.clone()], &codec) else {
            continue;
        };
        // A cell may hold more than its column can, such as decimals beyond the scale: what is written once is final.
        let mut bytes = Vec::new();
        if declarable(column) && row::encode_value(column, &value, form, &codec, &mut bytes).is_ok() {
            let cell = row::split(std::slice::from_ref(column), &bytes, form).unwrap();
            let value = row::decode_value(column, &bytes[cell[0].clone()], &codec).unwrap();
            let mut again = Vec::new();
            row::encode_value(column, &value, form, &codec, &mut again).unwrap();
            assert_eq!(again, bytes, "{column:?} {value:?}");
        }
    }
    assert_eq!(end, rest.len(), "the whole payload is used");
});
