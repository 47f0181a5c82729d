//! SQ_COMMAND, SQ_PREPARE: SQL text; SQ_AUTOGENKEYS behind it.

use super::WireMessage;
use super::bind::count;
use crate::error::{DecodeError, EncodeError, ErrorKind};
use crate::{Negotiated, Put, Reader, WireText, tag};

/// Body of [`Command`] and [`Prepare`].
///
/// | field | size | |
/// |---|---|---|
/// | parameters | u16 | number of `?` markers |
/// | sql | lchar | length i32 with bit 62, else i16; some clients count a trailing NUL into it |
///
/// Evidence: peer driver, nmap (narrow form), captures of the Java and native clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SqlText {
    /// Number of parameter markers as the client counted them.
    pub parameters: u16,
    /// The statement, as sent.
    pub sql: WireText,
}

impl SqlText {
    /// A text and its number of parameter markers.
    pub fn new(sql: impl Into<WireText>, parameters: u16) -> Self {
        Self {
            parameters,
            sql: sql.into(),
        }
    }

    fn put(&self, tag: u16, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag);
        out.put_u16(self.parameters);
        out.put_long_char(n.wide_sql(), self.sql.as_bytes(), "SQL text")
    }

    fn get(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        let parameters = r.u16()?;
        Ok(Self {
            parameters,
            sql: r.long_char(n.wide_sql(), "SQL text")?.into(),
        })
    }
}

/// SQ_COMMAND (1), client to server: text whose NDESCRIBE, BIND, EXECUTE, RELEASE follow in the same group without a
/// statement id. Layout: [`SqlText`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command(pub SqlText);

/// SQ_PREPARE (2), client to server: text that becomes a statement with an id. Layout: [`SqlText`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prepare(pub SqlText);

impl WireMessage for Command {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        self.0.put(tag::COMMAND, out, n)
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        SqlText::get(r, n).map(Self)
    }
}

impl WireMessage for Prepare {
    fn encode(&self, out: &mut Vec<u8>, n: &Negotiated) -> Result<(), EncodeError> {
        self.0.put(tag::PREPARE, out, n)
    }

    fn decode(r: &mut Reader<'_>, n: &Negotiated) -> Result<Self, DecodeError> {
        SqlText::get(r, n).map(Self)
    }
}

/// SQ_AUTOGENKEYS (134), client to server, right behind the SQL text of PREPARE or COMMAND; needs bit 48.
///
/// | mode (i16) | follows |
/// |---|---|
/// | 1 | nothing: all keys |
/// | 2 | i16 n, n × i16 column number |
/// | 3 | i16 n, n × char column name |
///
/// Evidence: captures/jdbc-generated-keys; vectors `obs_autogenkeys_*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AutogenKeys {
    /// Every generated key.
    All,
    /// The keys of these columns, by number from 1.
    Columns(Vec<i16>),
    /// The keys of these columns, by name.
    Names(Vec<WireText>),
}

impl WireMessage for AutogenKeys {
    fn encode(&self, out: &mut Vec<u8>, _: &Negotiated) -> Result<(), EncodeError> {
        out.put_u16(tag::AUTOGENKEYS);
        match self {
            Self::All => out.put_i16(1),
            Self::Columns(columns) => {
                out.put_i16(2);
                out.put_count(columns.len(), "number of key columns")?;
                columns.iter().for_each(|column| out.put_i16(*column));
            }
            Self::Names(names) => {
                out.put_i16(3);
                out.put_count(names.len(), "number of key columns")?;
                for name in names {
                    out.put_char(name.as_bytes(), "name of a key column")?;
                }
            }
        }
        Ok(())
    }

    fn decode(r: &mut Reader<'_>, _: &Negotiated) -> Result<Self, DecodeError> {
        match r.i16()? {
            1 => Ok(Self::All),
            2 => (0..count(r, "number of key columns")?)
                .map(|_| r.i16())
                .collect::<Result<_, _>>()
                .map(Self::Columns),
            3 => (0..count(r, "number of key columns")?)
                .map(|_| r.char().map(WireText::from))
                .collect::<Result<_, _>>()
                .map(Self::Names),
            mode => Err(ErrorKind::Invalid {
                field: "mode of SQ_AUTOGENKEYS",
                value: i64::from(mode),
            }
            .into()),
        }
    }
}
