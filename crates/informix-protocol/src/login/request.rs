//! The login request and its binary form.

use super::block;
use super::blocks::{MiscBlock, ProcessBlock, bytes, complete, expect, seal};
use super::{ASCBINARY, HEADER_BYTES, head, text_form};
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{LoginForm, Put, Reader, WireText};
use std::fmt;

/// A password; its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Password(WireText);

impl Password {
    /// Takes the bytes in the connection's code set.
    pub fn new(text: impl Into<WireText>) -> Self {
        Self(text.into())
    }

    /// The bytes, for whoever checks them.
    pub fn reveal(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The forms of a login request on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestForm {
    /// Tagged binary form.
    #[default]
    Binary,
    /// `sq` + header in base64 + text + base64 body (native clients).
    Text,
    /// Text alone, from the Java client with USEV5SERVER=1; recognised, never sent.
    OldText,
}

impl RequestForm {
    /// What the form means for the messages that follow.
    pub const fn login_form(self) -> LoginForm {
        match self {
            // The old text comes from the Java client, too.
            Self::Binary | Self::OldText => LoginForm::Binary,
            Self::Text => LoginForm::Text,
        }
    }
}

/// A login request, whatever its form. `None` in a text field means that the field is absent, which differs from empty.
///
/// Binary form: `u16 total length, u8 1, u8 3c, u16 0`, then
///
/// | # | field | |
/// |---|---|---|
/// | 1 | u16 100, u16 101, i32 61 | |
/// | 2 | asc | float format, `IEEEM` |
/// | 3 | u16 108, 12 bytes | `sqlexec` |
/// | 4 | asc, asc, asc | version `9.280`, serial `RDS#R000000`, `sqli` |
/// | 5 | 3 × i32 | capability levels 316, 0, 0 |
/// | 6 | u16 1 | |
/// | 7 | asc, asc | user, password |
/// | 8 | 8 bytes, i32 61, 8 bytes, i32 1 | `ol`, `tlitcp` |
/// | 9 | u16 104, u16 11, i32 | options, 3 |
/// | 10 | asc, asc | DBSERVERNAME; database, absent |
/// | 11 | 4 × u16 0 | |
/// | 12 | u16 106, u16 n, n × (asc, asc) | environment |
/// | 13 | u16 107, i32 0, i32, i32, asc, asc, asc | [`ProcessBlock`], optional |
/// | 14 | u16 116, u16 length, i32, i32, asc | [`MiscBlock`], optional; length counts what follows it |
/// | 15 | u16 127 | |
///
/// Evidence: 87 captured requests, vectors `login_conreq*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRequest {
    /// How it travels.
    pub form: RequestForm,
    /// Float format, `IEEEM` (Java) or `IEEEI` (native).
    pub float_format: WireText,
    /// Client version.
    pub version: WireText,
    /// Client serial number.
    pub serial: WireText,
    /// Application id, `sqli`.
    pub application: WireText,
    /// Protocol level 316 and two zeros.
    pub levels: [i32; 3],
    /// User name.
    pub user: Option<WireText>,
    /// Password; absent for a trusted host.
    pub password: Option<Password>,
    /// Options: 3, 04000003 for a trusted context.
    pub options: i32,
    /// DBSERVERNAME.
    pub server: Option<WireText>,
    /// Database to open at once. The binary form leaves it absent; the text form uses it instead of DBOPEN.
    pub database: Option<WireText>,
    /// Environment variables in order.
    pub environment: Vec<(WireText, WireText)>,
    /// Block 107.
    pub process: Option<ProcessBlock>,
    /// Block 116.
    pub misc: Option<MiscBlock>,
}

impl Default for LoginRequest {
    fn default() -> Self {
        Self {
            form: RequestForm::Binary,
            float_format: "IEEEM".into(),
            version: "9.280".into(),
            serial: "RDS#R000000".into(),
            application: "sqli".into(),
            levels: [316, 0, 0],
            user: None,
            password: None,
            options: 3,
            server: None,
            database: None,
            environment: Vec::new(),
            process: None,
            misc: None,
        }
    }
}

const APPLICATION_TYPE: &[u8] = b"sqlexec";

impl LoginRequest {
    /// Appends the request.
    ///
    /// # Errors
    /// A field or the whole is too long; the old text form, which is never sent.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        let result = match self.form {
            RequestForm::Binary => self.put_binary(out),
            RequestForm::Text => text_form::encode(self, out),
            RequestForm::OldText => Err(EncodeError {
                field: "old text login",
                length: 1,
                limit: 0,
            }),
        };
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// Reads a request of any form.
    ///
    /// # Errors
    /// [`DecodeError::NeedMore`] while it is incomplete; [`DecodeError::Malformed`] with [`ErrorKind::NotSqli`] when
    /// the client speaks another protocol.
    pub fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match head(r)? {
            [_, _, 1, _] => Self::get_binary(r),
            [b's', b'q', _, _] => text_form::decode(r),
            _ => Err(ErrorKind::NotSqli("neither form of a login request").into()),
        }
    }

    fn put_binary(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        out.extend_from_slice(&[0, 0, 1, 0x3c, 0, 0]);
        out.put_u16(block::ASSOCIATION);
        out.put_u16(block::BINARY);
        out.put_i32(ASCBINARY);
        out.put_asc(Some(self.float_format.as_bytes()), "float format")?;
        out.put_u16(block::PARAMETERS);
        out.put_fixed(APPLICATION_TYPE, 12, "application type")?;
        out.put_asc(Some(self.version.as_bytes()), "client version")?;
        out.put_asc(Some(self.serial.as_bytes()), "client serial number")?;
        out.put_asc(Some(self.application.as_bytes()), "application id")?;
        self.levels.iter().for_each(|level| out.put_i32(*level));
        out.put_u16(1);
        out.put_asc(bytes(&self.user), "user name")?;
        out.put_asc(self.password.as_ref().map(Password::reveal), "password")?;
        out.put_fixed(b"ol", 8, "protocol")?;
        out.put_i32(ASCBINARY);
        out.put_fixed(b"tlitcp", 8, "network type")?;
        out.put_i32(1);
        out.put_u16(block::INIT_REQUEST);
        out.put_u16(11);
        out.put_i32(self.options);
        out.put_asc(bytes(&self.server), "server name")?;
        out.put_asc(bytes(&self.database), "database name")?;
        out.put_fixed(&[], 8, "zeros")?;
        out.put_u16(block::ENVIRONMENT);
        out.put_count(self.environment.len(), "number of environment variables")?;
        for (name, value) in &self.environment {
            out.put_asc(Some(name.as_bytes()), "name of an environment variable")?;
            out.put_asc(Some(value.as_bytes()), "value of an environment variable")?;
        }
        if let Some(process) = &self.process {
            process.put(out)?;
        }
        if let Some(misc) = &self.misc {
            misc.put(out)?;
        }
        out.put_u16(block::END);
        seal(out, start)
    }

    fn get_binary(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = usize::from(r.clone().u16()?);
        let mut body = Reader::new(r.take(length)?, r.limits());
        Self::get_body(&mut body).map_err(complete)
    }

    fn get_body(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut login = Self::default();
        r.take(HEADER_BYTES)?;
        expect(r, block::ASSOCIATION)?;
        expect(r, block::BINARY)?;
        r.i32()?;
        login.float_format = r.asc()?.unwrap_or_default().into();
        expect(r, block::PARAMETERS)?;
        r.take(12)?;
        login.version = r.asc()?.unwrap_or_default().into();
        login.serial = r.asc()?.unwrap_or_default().into();
        login.application = r.asc()?.unwrap_or_default().into();
        for level in &mut login.levels {
            *level = r.i32()?;
        }
        r.u16()?;
        login.user = r.asc()?.map(WireText::from);
        login.password = r.asc()?.map(Password::new);
        r.take(24)?;
        expect(r, block::INIT_REQUEST)?;
        r.u16()?;
        login.options = r.i32()?;
        login.server = r.asc()?.map(WireText::from);
        login.database = r.asc()?.map(WireText::from);
        r.take(8)?;
        loop {
            match r.u16()? {
                block::ENVIRONMENT => {
                    for _ in 0..r.u16()? {
                        let name = r.asc()?.unwrap_or_default().into();
                        login
                            .environment
                            .push((name, r.asc()?.unwrap_or_default().into()));
                    }
                }
                block::PROCESS => login.process = Some(ProcessBlock::get(r)?),
                block::MISC => login.misc = Some(MiscBlock::get(r)?),
                block::END => return Ok(login),
                _ => return Err(ErrorKind::Login("a block of unknown kind").into()),
            }
        }
    }

    /// The first value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&WireText> {
        self.environment
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}
