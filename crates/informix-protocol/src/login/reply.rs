//! The login reply.

use super::block;
use super::blocks::{MiscBlock, ProcessBlock, complete, expect, seal};
use super::{ASCBINARY, HEADER_BYTES, head};
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Put, Reader, WireText};

/// Kind of reply, from the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyKind {
    /// 2.
    #[default]
    Accept,
    /// 3.
    Reject,
    /// 13: another server is to be asked. The layout of its body is unknown, so nothing else is read.
    Redirect,
}

/// A login reply: `u16 total length, u8 kind, u8 attribute, u16 options`, then
///
/// | # | field | |
/// |---|---|---|
/// | 1 | u16 100, u16 101, i32 61, asc | `IEEEI` |
/// | 2 | u16 108, 12 bytes | `srvinfx` |
/// | 3 | asc, asc, asc | version text, serial number, DBSERVERNAME |
/// | 4 | 3 × i32, u16 | levels 316, 0, 0; 0 |
/// | 5 | asc, asc | absent |
/// | 6 | 8 bytes, i32 61, 8 bytes, i32 1 | protocol `on` or `ol`, network type `soctcp` |
/// | 7 | u16 102, 6 bytes | zeros |
/// | 8 | i16, i16 | svcerror, oserror |
/// | 9 | u16, u16 n | warnings (the database flags when a database was named), number of messages |
/// | 10 | n × (u16 0, asc) | inserts for the error text |
/// | 11 | blocks 107, 110, 116 | optional; a native client insists on them in an accept |
/// | 12 | u16 127 | |
///
/// Fields from 9 on may be missing. Evidence: 130 captured replies (accepted by both vendor clients), nmap, public
/// traces of a real accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginReply {
    /// Accept, reject or redirect.
    pub kind: ReplyKind,
    /// Header attribute: 3c answers a binary request, 3d a text one.
    pub attribute: u8,
    /// Header options: 1000 from real servers.
    pub options: u16,
    /// Float format of the server.
    pub float_format: WireText,
    /// Version text, `… Version 14.10.FC7W1`; a dummy in rejects.
    pub version: WireText,
    /// Serial number.
    pub serial: WireText,
    /// The true DBSERVERNAME, also in a -761 reject.
    pub server_name: WireText,
    /// Levels.
    pub levels: [i32; 3],
    /// Protocol id, 8 bytes: `on`, `ol`.
    pub protocol: WireText,
    /// 0, or the SQL error.
    pub svcerror: i16,
    /// 0, or an operating system error.
    pub oserror: i16,
    /// Database flags.
    pub warnings: u16,
    /// Inserts for the error text.
    pub messages: Vec<WireText>,
    /// The count of messages as sent: an accept's short form has 0 words here (`None`).
    pub counted: bool,
    /// Block 107.
    pub process: Option<ProcessBlock>,
    /// Whether block 110 is there.
    pub bind: bool,
    /// Block 116.
    pub misc: Option<MiscBlock>,
}

impl Default for LoginReply {
    fn default() -> Self {
        Self {
            kind: ReplyKind::Accept,
            attribute: 0x3c,
            options: 0x1000,
            float_format: "IEEEI".into(),
            version: WireText::new(),
            serial: "AAA#B000000".into(),
            server_name: WireText::new(),
            levels: [316, 0, 0],
            protocol: "on".into(),
            svcerror: 0,
            oserror: 0,
            warnings: 0x14,
            messages: Vec::new(),
            counted: true,
            process: None,
            bind: false,
            misc: None,
        }
    }
}

impl LoginReply {
    /// Whether the login succeeded: kind 2 and svcerror 0. (Vendor clients look at the kind alone, nmap at the errors
    /// alone; a server that refuses should set both.)
    pub fn accepted(&self) -> bool {
        self.kind == ReplyKind::Accept && self.svcerror == 0
    }

    /// Appends the reply.
    ///
    /// # Errors
    /// A field is too long; a redirect, whose layout is unknown.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        let result = self.put(out);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        let kind = match self.kind {
            ReplyKind::Accept => 2,
            ReplyKind::Reject => 3,
            ReplyKind::Redirect => {
                return Err(EncodeError {
                    field: "redirect",
                    length: 1,
                    limit: 0,
                });
            }
        };
        out.extend_from_slice(&[0, 0, kind, self.attribute]);
        out.put_u16(self.options);
        out.put_u16(block::ASSOCIATION);
        out.put_u16(block::BINARY);
        out.put_i32(ASCBINARY);
        out.put_asc(Some(self.float_format.as_bytes()), "float format")?;
        out.put_u16(block::PARAMETERS);
        out.put_fixed(b"srvinfx", 12, "application type")?;
        out.put_asc(Some(self.version.as_bytes()), "version text")?;
        out.put_asc(Some(self.serial.as_bytes()), "serial number")?;
        out.put_asc(Some(self.server_name.as_bytes()), "server name")?;
        self.levels.iter().for_each(|level| out.put_i32(*level));
        out.put_fixed(&[], 6, "zeros")?;
        out.put_fixed(self.protocol.as_bytes(), 8, "protocol")?;
        out.put_i32(ASCBINARY);
        out.put_fixed(b"soctcp", 8, "network type")?;
        out.put_i32(1);
        out.put_u16(block::INIT_RESPONSE);
        out.put_fixed(&[], 6, "zeros")?;
        out.put_i16(self.svcerror);
        out.put_i16(self.oserror);
        out.put_u16(self.warnings);
        if self.counted {
            out.put_count(self.messages.len(), "number of messages")?;
            for message in &self.messages {
                out.put_u16(0);
                out.put_asc(Some(message.as_bytes()), "message of a login reply")?;
            }
        }
        self.put_blocks(out)?;
        out.put_u16(block::END);
        seal(out, start)
    }

    fn put_blocks(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if let Some(process) = &self.process {
            process.put(out)?;
        }
        if self.bind {
            out.put_u16(block::BIND);
            out.put_u16(4);
            out.put_i32(0);
        }
        if let Some(misc) = &self.misc {
            misc.put(out)?;
        }
        Ok(())
    }

    /// Reads a reply.
    ///
    /// # Errors
    /// [`DecodeError::NeedMore`] while it is incomplete; [`DecodeError::Malformed`] with [`ErrorKind::NotSqli`] when
    /// the server speaks another protocol.
    pub fn decode(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [high, low, kind, _] = head(r)?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        let kind = match kind {
            2 => ReplyKind::Accept,
            3 => ReplyKind::Reject,
            13 => ReplyKind::Redirect,
            _ => return Err(ErrorKind::NotSqli("no login reply").into()),
        };
        let mut body = Reader::new(r.take(length)?, r.limits());
        Self::get(kind, &mut body).map_err(complete)
    }

    fn get(kind: ReplyKind, r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut reply = Self {
            kind,
            ..Self::default()
        };
        r.take(HEADER_BYTES - 3)?;
        reply.attribute = r.u8()?;
        reply.options = r.u16()?;
        if kind == ReplyKind::Redirect {
            return Ok(reply);
        }
        expect(r, block::ASSOCIATION)?;
        expect(r, block::BINARY)?;
        r.i32()?;
        reply.float_format = r.asc()?.unwrap_or_default().into();
        expect(r, block::PARAMETERS)?;
        r.take(12)?;
        reply.version = r.asc()?.unwrap_or_default().into();
        reply.serial = r.asc()?.unwrap_or_default().into();
        reply.server_name = r.asc()?.unwrap_or_default().into();
        for level in &mut reply.levels {
            *level = r.i32()?;
        }
        r.u16()?;
        r.asc()?;
        r.asc()?;
        let protocol = r.take(8)?;
        reply.protocol = protocol
            .split(|byte| *byte == 0)
            .next()
            .unwrap_or_default()
            .into();
        r.take(4 + 8 + 4)?;
        expect(r, block::INIT_RESPONSE)?;
        r.take(6)?;
        reply.svcerror = r.i16()?;
        reply.oserror = r.i16()?;
        reply.warnings = 0;
        // From here on fields may be missing or cut.
        let _ = reply.get_tail(r);
        Ok(reply)
    }

    fn get_tail(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.counted = false;
        self.warnings = r.u16()?;
        let mut ahead = r.clone();
        let count = ahead.u16()?;
        if count != block::END || ahead.remaining() > 0 {
            *r = ahead;
            self.counted = true;
            for _ in 0..count {
                r.u16()?;
                self.messages.push(r.asc()?.unwrap_or_default().into());
            }
        } else {
            return Ok(());
        }
        loop {
            match r.u16()? {
                block::PROCESS => self.process = Some(ProcessBlock::get(r)?),
                block::BIND => {
                    let length = usize::from(r.u16()?);
                    r.take(length)?;
                    self.bind = true;
                }
                block::MISC => self.misc = Some(MiscBlock::get(r)?),
                _ => return Ok(()),
            }
        }
    }
}
