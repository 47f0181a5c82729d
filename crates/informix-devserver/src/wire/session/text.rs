//! Text between the wire (code set of the database) and the engine.

use std::fmt::Write as _;

use informix_protocol::WireText;
use informix_types::TextCodec;

use crate::error::{SqlError, SqlResult};

/// The text of a statement: without the trailing NULs that nmap counts in and the trailing `;` of the vendor's clients.
///
/// # Errors
/// -202 when the bytes are no text in the code set of the database, at the offending byte.
pub(super) fn statement(text: &WireText, codec: &TextCodec) -> SqlResult<String> {
    let text = decode(text.as_bytes(), codec)?;
    Ok(text
        .trim_end_matches(|c: char| c == '\0' || c == ';' || c.is_whitespace())
        .to_owned())
}

/// A name or another short text.
///
/// # Errors
/// -202 as for statements.
pub(super) fn name(text: &WireText, codec: &TextCodec) -> SqlResult<String> {
    decode(text.as_bytes(), codec).map(|name| name.trim_end_matches(['\0', ' ']).to_owned())
}

fn decode(bytes: &[u8], codec: &TextCodec) -> SqlResult<String> {
    match codec.decode(bytes) {
        Ok(text) => Ok(text.into_owned()),
        Err(error) => {
            let position = match &error {
                informix_types::Error::Decode { offset, .. } => *offset,
                _ => 0,
            };
            Err(SqlError::new(-202).at(position).because(error.to_string()))
        }
    }
}

/// Text for the client; characters that the code set lacks become `?`.
pub(super) fn encode(text: &str, codec: &TextCodec) -> WireText {
    match codec.encode(text) {
        Ok(bytes) => bytes.into_owned().into(),
        Err(_) => {
            let mut bytes = Vec::with_capacity(text.len());
            let mut one = String::new();
            for c in text.chars() {
                one.clear();
                let _ = one.write_char(c);
                match codec.encode(&one) {
                    Ok(encoded) => bytes.extend_from_slice(&encoded),
                    Err(_) => bytes.push(b'?'),
                }
            }
            bytes.into()
        }
    }
}
