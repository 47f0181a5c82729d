//! The session: SQ_PROTOCOLS, SQ_INFO, PAM.

use super::WireMessage;
use crate::capability::MAX_MASK_BYTES;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Capabilities, Limits, Negotiated, Put, Reader, WireText, tag};

/// SQ_PROTOCOLS (126), both directions: `u16 n`, n mask bytes, pad.
///
/// Evidence: masks of 12.10, 14.10 and 15 measured by the peer; captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocols(pub Capabilities);

impl WireMessage for Protocols {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::PROTOCOLS);
        out.put_char(self.0.as_bytes(), "capability mask")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let length = usize::from(r.u16()?);
        let too_long = || ErrorKind::TooLong {
            field: "capability mask",
            length: length as u64,
            limit: MAX_MASK_BYTES as u64,
        };
        if length > MAX_MASK_BYTES {
            return Err(too_long().into());
        }
        Ok(Self(
            Capabilities::from_bytes(r.padded(length)?).ok_or_else(too_long)?,
        ))
    }
}

/// One block of [`Info`]: `u16 subtype, u16 length`, that many bytes, pad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InfoBlock {
    /// Subtype 1, empty: asks for the version.
    Request,
    /// Subtype 2, answer to a request: `i32 number`, version text.
    Version {
        /// Protocol level, 316.
        number: i32,
        /// Version text of the server.
        text: WireText,
    },
    /// Subtype 6: `u16` longest padded name, `u16` longest padded value, pairs of `char`, `u16 0`.
    Environment(Vec<(WireText, WireText)>),
    /// Any other, as received.
    Other {
        /// Subtype, not 0.
        subtype: u16,
        /// Its bytes.
        body: Vec<u8>,
    },
}

/// SQ_INFO (81), both directions: [`InfoBlock`]s, then `u16 0`.
///
/// Evidence: vector `sq_info_env` (identical in the Java client, the peer and nmap); subtypes 1 and 2 from
/// captures/native-connect and the vendor's trace printer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// The blocks in order.
    pub blocks: Vec<InfoBlock>,
}

impl Info {
    /// A message with one environment block.
    pub fn environment(pairs: impl IntoIterator<Item = (WireText, WireText)>) -> Self {
        Self {
            blocks: vec![InfoBlock::Environment(pairs.into_iter().collect())],
        }
    }
}

impl InfoBlock {
    const fn subtype(&self) -> u16 {
        match self {
            Self::Request => 1,
            Self::Version { .. } => 2,
            Self::Environment(_) => 6,
            Self::Other { subtype, .. } => *subtype,
        }
    }

    fn body(&self) -> Result<Vec<u8>, EncodeError> {
        let mut body = Vec::new();
        match self {
            Self::Request => {}
            Self::Version { number, text } => {
                body.put_i32(*number);
                body.extend_from_slice(text.as_bytes());
            }
            Self::Environment(pairs) => {
                let longest = |lengths: &mut dyn Iterator<Item = usize>| {
                    lengths.map(|length| length + length % 2).max().unwrap_or(0)
                };
                let name = longest(&mut pairs.iter().map(|(name, _)| name.len()));
                let value = longest(&mut pairs.iter().map(|(_, value)| value.len()));
                body.put_count(name, "name of an environment variable")?;
                body.put_count(value, "value of an environment variable")?;
                for (name, value) in pairs {
                    body.put_char(name.as_bytes(), "name of an environment variable")?;
                    body.put_char(value.as_bytes(), "value of an environment variable")?;
                }
                body.put_u16(0);
            }
            Self::Other { body: bytes, .. } => body.extend_from_slice(bytes),
        }
        Ok(body)
    }

    fn from_parts(subtype: u16, body: &[u8], limits: Limits) -> Self {
        let parsed = match subtype {
            1 if body.is_empty() => Some(Self::Request),
            2 => body.split_first_chunk::<4>().map(|(number, text)| Self::Version {
                number: i32::from_be_bytes(*number),
                text: text.into(),
            }),
            6 => Self::read_pairs(&mut Reader::new(body, limits)).map(Self::Environment),
            _ => None,
        };
        parsed.unwrap_or_else(|| Self::Other {
            subtype,
            body: body.to_vec(),
        })
    }

    fn read_pairs(r: &mut Reader<'_>) -> Option<Vec<(WireText, WireText)>> {
        r.u16().ok()?;
        r.u16().ok()?;
        let mut pairs = Vec::new();
        loop {
            let name = r.char().ok()?;
            if name.is_empty() {
                break;
            }
            pairs.push((name.into(), r.char().ok()?.into()));
        }
        (r.remaining() == 0).then_some(pairs)
    }
}

impl WireMessage for Info {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::INFO);
        for block in &self.blocks {
            out.put_u16(block.subtype());
            out.put_char(&block.body()?, "block of SQ_INFO")?;
        }
        out.put_u16(0);
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        let mut blocks = Vec::new();
        loop {
            let subtype = r.u16()?;
            if subtype == 0 {
                return Ok(Self { blocks });
            }
            let length = usize::from(r.u16()?);
            let body = r.padded(length)?;
            blocks.push(InfoBlock::from_parts(subtype, body, r.limits()));
        }
    }
}

/// SQ_CHALLENGE (129), server to client: `i16 style, char prompt`.
///
/// Evidence: captures/jdbc-connect-pam; style 1 = no echo from the vendor's trace printer, which is PAM's own number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Challenge {
    /// Kind of question.
    pub style: i16,
    /// Its text.
    pub prompt: WireText,
}

impl Challenge {
    /// The style of a question whose answer is not to be shown.
    pub const ECHO_OFF: i16 = 1;
    /// The style of one whose answer may be shown, by PAM's numbering (unconfirmed on the wire).
    pub const ECHO_ON: i16 = 2;
}

impl WireMessage for Challenge {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::CHALLENGE);
        out.put_i16(self.style);
        out.put_char(self.prompt.as_bytes(), "prompt of a challenge")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self {
            style: r.i16()?,
            prompt: r.char()?.into(),
        })
    }
}

/// SQ_RESPONSE (130), client to server: `char answer`. Its `Debug` form does not show the answer.
///
/// Evidence: captures/jdbc-connect-pam.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Response(pub WireText);

impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Response(…)")
    }
}

impl WireMessage for Response {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::RESPONSE);
        out.put_char(self.0.as_bytes(), "answer to a challenge")
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        Ok(Self(r.char()?.into()))
    }
}
