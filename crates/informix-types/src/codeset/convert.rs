//! Decoding and encoding of the code sets.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

use super::{CodeSet, Kind, UpperHalf};
use crate::error::{Error, Result};
use crate::text::DecodePolicy;

impl CodeSet {
    /// Text of bytes. ASCII (and valid UTF-8 under that code set) is borrowed without conversion.
    ///
    /// # Errors
    /// [`Error::Decode`] with the offset of the first bad byte under [`DecodePolicy::Strict`].
    pub fn decode(self, bytes: &[u8], policy: DecodePolicy) -> Result<Cow<'_, str>> {
        if let Kind::Utf8 = self.0.kind {
            return match (std::str::from_utf8(bytes), policy) {
                (Ok(text), _) => Ok(Cow::Borrowed(text)),
                (Err(_), DecodePolicy::Replace) => Ok(String::from_utf8_lossy(bytes)),
                (Err(error), DecodePolicy::Strict) => Err(self.bad_byte(bytes, error.valid_up_to())),
            };
        }
        if bytes.is_ascii() {
            // ASCII is borrowed; short texts are looked at faster than by `from_utf8`.
            return Ok(encoding_rs::mem::decode_latin1(bytes));
        }
        match &self.0.kind {
            Kind::Ascii => self.decode_bytes(bytes, policy, |_| None),
            Kind::Latin1 => self.decode_bytes(bytes, policy, |byte| Some(char::from(byte))),
            Kind::Table(table) => self.decode_bytes(bytes, policy, |byte| upper(table, byte)),
            Kind::Web(encoding) => self.decode_web(encoding, bytes, policy),
            Kind::Utf8 => Ok(String::from_utf8_lossy(bytes).into_owned()),
        }
        .map(Cow::Owned)
    }

    fn decode_bytes(
        self,
        bytes: &[u8],
        policy: DecodePolicy,
        upper: impl Fn(u8) -> Option<char>,
    ) -> Result<String> {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
        for (offset, &byte) in bytes.iter().enumerate() {
            match if byte < 0x80 {
                Some(char::from(byte))
            } else {
                upper(byte)
            } {
                Some(character) => text.push(character),
                None if policy == DecodePolicy::Replace => text.push(char::REPLACEMENT_CHARACTER),
                None => return Err(self.bad_byte(bytes, offset)),
            }
        }
        Ok(text)
    }

    fn decode_web(self, encoding: &'static Encoding, bytes: &[u8], policy: DecodePolicy) -> Result<String> {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let capacity = decoder
            .max_utf8_buffer_length(bytes.len())
            .unwrap_or(bytes.len() * 3);
        let mut text = String::with_capacity(capacity);
        if policy == DecodePolicy::Replace {
            let _complete = decoder.decode_to_string(bytes, &mut text, true);
            return Ok(text);
        }
        match decoder.decode_to_string_without_replacement(bytes, &mut text, true) {
            (DecoderResult::InputEmpty, _) => Ok(text),
            (DecoderResult::Malformed(bad, after), read) => {
                Err(self.bad_byte(bytes, read.saturating_sub(usize::from(bad) + usize::from(after))))
            }
            (DecoderResult::OutputFull, read) => Err(self.bad_byte(bytes, read)),
        }
    }

    /// Bytes of a text; borrowed when they equal its UTF-8.
    ///
    /// # Errors
    /// [`Error::Encode`] with the first character that the code set does not have.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>> {
        if matches!(self.0.kind, Kind::Utf8) || text.is_ascii() {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        match &self.0.kind {
            Kind::Ascii | Kind::Utf8 => self.encode_chars(text, |_| None),
            Kind::Latin1 => self.encode_chars(text, |character| u8::try_from(character).ok()),
            Kind::Table(table) => self.encode_chars(text, |character| {
                let code = u16::try_from(u32::from(character))
                    .ok()
                    .filter(|code| *code != 0xfffd)?;
                table
                    .iter()
                    .position(|known| *known == code)
                    .map(|index| index as u8 | 0x80)
            }),
            Kind::Web(encoding) => self.encode_web(encoding, text),
        }
        .map(Cow::Owned)
    }

    fn encode_chars(self, text: &str, upper: impl Fn(char) -> Option<u8>) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(text.len());
        for (offset, character) in text.char_indices() {
            let byte = if character.is_ascii() {
                Some(character as u8)
            } else {
                upper(character)
            };
            bytes.push(byte.ok_or_else(|| Error::Encode {
                offset,
                character,
                codeset: self.name(),
            })?);
        }
        Ok(bytes)
    }

    fn encode_web(self, encoding: &'static Encoding, text: &str) -> Result<Vec<u8>> {
        let mut encoder = encoding.new_encoder();
        let capacity = encoder
            .max_buffer_length_from_utf8_without_replacement(text.len())
            .unwrap_or(text.len() * 4);
        let mut bytes = Vec::with_capacity(capacity);
        match encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true) {
            // The web's tables fold some characters (¥ to a backslash in Shift_JIS): what would not read back is refused.
            (EncoderResult::InputEmpty, _) => match self.first_difference(text, &bytes) {
                None => Ok(bytes),
                Some((offset, character)) => Err(Error::Encode {
                    offset,
                    character,
                    codeset: self.name(),
                }),
            },
            (EncoderResult::Unmappable(character), read) => Err(Error::Encode {
                offset: read.saturating_sub(character.len_utf8()),
                character,
                codeset: self.name(),
            }),
            (EncoderResult::OutputFull, offset) => Err(Error::Encode {
                offset,
                character: char::REPLACEMENT_CHARACTER,
                codeset: self.name(),
            }),
        }
    }

    fn first_difference(self, text: &str, bytes: &[u8]) -> Option<(usize, char)> {
        let back = self.decode(bytes, DecodePolicy::Replace).unwrap_or_default();
        if back == text {
            return None;
        }
        let mut other = back.chars();
        text.char_indices()
            .find(|(_, character)| other.next() != Some(*character))
    }

    fn bad_byte(self, bytes: &[u8], offset: usize) -> Error {
        Error::Decode {
            offset,
            byte: bytes.get(offset).copied().unwrap_or_default(),
            codeset: self.name(),
        }
    }
}

fn upper(table: &UpperHalf, byte: u8) -> Option<char> {
    let code = *table.get(usize::from(byte & 0x7f))?;
    if code == 0xfffd {
        None
    } else {
        char::from_u32(u32::from(code))
    }
}
