//! The text form of the login request (native clients).

use super::ASCBINARY;
use super::block;
use super::blocks::{MiscBlock, ProcessBlock, bytes, complete, expect};
use super::request::{LoginRequest, Password, RequestForm};
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Put, Reader, WireText};
use base64::Engine;
use base64::alphabet::Alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

// Layout: `sq`, 8 base64 characters of the header `u16 total - 4, u8 1, u8 3d, u16 0`, blank-separated text, `:`,
// base64 of the body, NUL. `.` and `_` stand for `+` and `/` in the alphabet (public traces of native probes).
// Evidence: 41 captured requests of the vendor's native client; field list in `LoginRequest` and below.

/// Everything before the text: `sq` and the header characters.
const PREFIX_BYTES: usize = 10;

fn engine() -> Result<GeneralPurpose, ErrorKind> {
    let alphabet = Alphabet::new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._")
        .map_err(|_| ErrorKind::Login("base64 alphabet"))?;
    let config = GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    Ok(GeneralPurpose::new(&alphabet, config))
}

pub(super) fn encode(login: &LoginRequest, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let base64 = engine().map_err(|_| EncodeError {
        field: "base64 alphabet",
        length: 0,
        limit: 0,
    })?;
    let start = out.len();
    out.extend_from_slice(b"sq........");
    put_text(login, out);
    let mut body = Vec::new();
    put_body(login, &mut body)?;
    out.extend_from_slice(base64.encode(&body).as_bytes());
    out.push(0);
    let length = out.len() - start - 4;
    let total = u16::try_from(length).map_err(|_| EncodeError {
        field: "login",
        length: length as u64,
        limit: u64::from(u16::MAX),
    })?;
    let [high, low] = total.to_be_bytes();
    let header = base64.encode([high, low, 1, 0x3d, 0, 0]);
    if let Some(place) = out.get_mut(start + 2..start + PREFIX_BYTES) {
        place.copy_from_slice(header.as_bytes());
    }
    Ok(())
}

fn put_text(login: &LoginRequest, out: &mut Vec<u8>) {
    let mut word = |parts: &[&[u8]]| {
        parts.iter().for_each(|part| out.extend_from_slice(part));
        out.push(b' ');
    };
    word(&[b"sqlexec"]);
    word(&[bytes(&login.user).unwrap_or_default()]);
    if let Some(password) = &login.password {
        word(&[b"-p", password.reveal()]);
    }
    word(&[login.version.as_bytes()]);
    word(&[login.serial.as_bytes()]);
    if let Some(database) = &login.database {
        word(&[b"-d", database.as_bytes()]);
    }
    word(&[b"-f", login.float_format.as_bytes()]);
    for (name, value) in &login.environment {
        word(&[name.as_bytes(), b"=", value.as_bytes()]);
    }
    out.push(b':');
}

/// Body: `u16 109, i32 61`, protocol in 8 bytes, `i32 61`, network type in 8 bytes, `i32 1`, three levels, application
/// type in 12 bytes, `asc` application, `u16 2, i32 options, asc server`, blocks 107, 110 (`u16 4, i32 0`) and 116, and 127.
fn put_body(login: &LoginRequest, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.put_u16(block::NETWORK);
    out.put_i32(ASCBINARY);
    out.put_fixed(b"on", 8, "protocol")?;
    out.put_i32(ASCBINARY);
    out.put_fixed(b"soctcp", 8, "network type")?;
    out.put_i32(1);
    login.levels.iter().for_each(|level| out.put_i32(*level));
    out.put_fixed(b"sqlexec", 12, "application type")?;
    out.put_asc(Some(login.application.as_bytes()), "application id")?;
    out.put_u16(2);
    out.put_i32(login.options);
    out.put_asc(bytes(&login.server), "server name")?;
    if let Some(process) = &login.process {
        process.put(out)?;
    }
    out.put_u16(block::BIND);
    out.put_u16(4);
    out.put_i32(0);
    if let Some(misc) = &login.misc {
        misc.put(out)?;
    }
    out.put_u16(block::END);
    Ok(())
}

pub(super) fn decode(r: &mut Reader<'_>) -> Result<LoginRequest, DecodeError> {
    let prefix = r.clone().take(PREFIX_BYTES)?;
    if prefix.starts_with(b"sqlexec ") {
        return decode_old(r);
    }
    let base64 = engine()?;
    let header = prefix.get(2..).unwrap_or_default();
    let header = base64
        .decode(header)
        .map_err(|_| ErrorKind::Login("header characters"))?;
    let [high, low, 1, ..] = header[..] else {
        return Err(ErrorKind::Login("header of the text form").into());
    };
    let total = usize::from(u16::from_be_bytes([high, low])) + 4;
    if total < PREFIX_BYTES {
        return Err(ErrorKind::Login("length of the text form").into());
    }
    let record = r.take(total)?;
    let record = record.strip_suffix(&[0]).unwrap_or(record);
    let record = record.get(PREFIX_BYTES..).unwrap_or_default();
    // The body has no colon, the text may.
    let colon = record
        .iter()
        .rposition(|byte| *byte == b':')
        .ok_or(ErrorKind::Login("no body"))?;
    let (text, body) = record.split_at(colon);
    let mut login = LoginRequest {
        form: RequestForm::Text,
        ..LoginRequest::default()
    };
    read_text(&mut login, text)?;
    let body = base64.decode(body.get(1..).unwrap_or_default());
    let body = body.map_err(|_| ErrorKind::Login("the body is no base64"))?;
    let mut body = Reader::new(&body, r.limits());
    read_body(&mut login, &mut body).map_err(complete)?;
    Ok(login)
}

fn decode_old(r: &mut Reader<'_>) -> Result<LoginRequest, DecodeError> {
    let rest = r.rest();
    let end = match memchr::memchr(0, rest) {
        Some(end) => end,
        None if rest.len() > usize::from(u16::MAX) => {
            return Err(ErrorKind::Login("no end of the text").into());
        }
        None => return Err(DecodeError::NeedMore(1)),
    };
    let text = r.take(end)?;
    r.u8()?;
    let mut login = LoginRequest {
        form: RequestForm::OldText,
        ..LoginRequest::default()
    };
    read_text(&mut login, text)?;
    Ok(login)
}

fn read_text(login: &mut LoginRequest, text: &[u8]) -> Result<(), ErrorKind> {
    let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    if words.next() != Some(b"sqlexec") {
        return Err(ErrorKind::Login("the text does not begin with sqlexec"));
    }
    let mut plain = 0;
    for word in words {
        match word {
            // The first -p is the password; the old form has a second one, empty.
            [b'-', b'p', password @ ..] => {
                login.password.get_or_insert_with(|| Password::new(password));
            }
            [b'-', b'd', database @ ..] => login.database = Some(database.into()),
            [b'-', b'f', format @ ..] => login.float_format = format.into(),
            _ => match (word.iter().position(|byte| *byte == b'='), plain) {
                (Some(at), 3) => {
                    let (name, value) = word.split_at(at);
                    login
                        .environment
                        .push((name.into(), value.get(1..).unwrap_or_default().into()));
                }
                (_, 0) => {
                    login.user = Some(word.into());
                    plain = 1;
                }
                (_, 1) => {
                    login.version = word.into();
                    plain = 2;
                }
                (_, 2) => {
                    login.serial = word.into();
                    plain = 3;
                }
                _ => return Err(ErrorKind::Login("a word of unknown kind")),
            },
        }
    }
    if plain < 3 {
        return Err(ErrorKind::Login("the text lacks user, version or serial number"));
    }
    Ok(())
}

fn read_body(login: &mut LoginRequest, r: &mut Reader<'_>) -> Result<(), DecodeError> {
    expect(r, block::NETWORK)?;
    r.take(4 + 8 + 4 + 8 + 4)?;
    for level in &mut login.levels {
        *level = r.i32()?;
    }
    r.take(12)?;
    login.application = r.asc()?.unwrap_or_default().into();
    r.u16()?;
    login.options = r.i32()?;
    login.server = r.asc()?.map(WireText::from);
    loop {
        match r.u16()? {
            block::PROCESS => login.process = Some(ProcessBlock::get(r)?),
            block::BIND => {
                let length = usize::from(r.u16()?);
                r.take(length)?;
            }
            block::MISC => login.misc = Some(MiscBlock::get(r)?),
            block::END => return Ok(()),
            _ => return Err(ErrorKind::Login("a block of unknown kind").into()),
        }
    }
}
