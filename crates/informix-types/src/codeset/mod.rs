//! Code sets by Informix name and number.
//!
//! Names and numbers as in IBM's JDBC guide and the International Language Supplement. Several names share a number, so code sets
//! are compared by number. `encoding_rs` converts the multi-byte sets and most single-byte ones; it follows the web standard, where
//! ISO-8859-1 means windows-1252 and 8859-9 means windows-1254, so those two, ASCII and the PC code pages are tables of our own.

mod convert;
mod tables;

use encoding_rs::Encoding;

use crate::error::{Error, Result};
use tables::UpperHalf;

/// How the bytes of a code set become characters.
enum Kind {
    Ascii,
    Utf8,
    /// Every byte is the code point of the same number.
    Latin1,
    /// ASCII and a table for the bytes from 80 on.
    Table(&'static UpperHalf),
    Web(&'static Encoding),
}

struct Entry {
    number: u16,
    /// Informix names; the first one is shown.
    names: &'static [&'static str],
    kind: Kind,
}

/// A code set that the crate can convert.
#[derive(Clone, Copy)]
pub struct CodeSet(&'static Entry);

static ASCII: Entry = Entry {
    number: 364,
    names: &["ASCII", "646", "us-ascii"],
    kind: Kind::Ascii,
};
static LATIN1: Entry = Entry {
    number: 819,
    names: &["8859-1", "iso88591"],
    kind: Kind::Latin1,
};
static UTF8: Entry = Entry {
    number: 57372,
    names: &["utf8", "utf-8"],
    kind: Kind::Utf8,
};

const fn web(number: u16, names: &'static [&'static str], encoding: &'static Encoding) -> Entry {
    Entry {
        number,
        names,
        kind: Kind::Web(encoding),
    }
}

const fn table(number: u16, names: &'static [&'static str], table: &'static UpperHalf) -> Entry {
    Entry {
        number,
        names,
        kind: Kind::Table(table),
    }
}

static OTHERS: &[Entry] = &[
    web(912, &["8859-2"], encoding_rs::ISO_8859_2),
    web(57346, &["8859-3"], encoding_rs::ISO_8859_3),
    web(57347, &["8859-4"], encoding_rs::ISO_8859_4),
    web(915, &["8859-5"], encoding_rs::ISO_8859_5),
    web(1089, &["8859-6"], encoding_rs::ISO_8859_6),
    web(813, &["8859-7"], encoding_rs::ISO_8859_7),
    web(916, &["8859-8"], encoding_rs::ISO_8859_8),
    table(920, &["8859-9"], &tables::ISO_8859_9),
    web(57390, &["8859-13"], encoding_rs::ISO_8859_13),
    web(57391, &["8859-15", "Latin-9"], encoding_rs::ISO_8859_15),
    web(1173, &["8859-16", "Latin-10"], encoding_rs::ISO_8859_16),
    table(437, &["CP437"], &tables::CP437),
    table(850, &["PC-Latin-1", "CP850"], &tables::CP850),
    table(852, &["PC-Latin-2", "CP852"], &tables::CP852),
    table(857, &["CP857"], &tables::CP857),
    table(858, &["CP858", "PC-Latin-1-we"], &tables::CP858),
    table(864, &["CP864"], &tables::CP864),
    web(866, &["PC866", "CP866"], encoding_rs::IBM866),
    web(57373, &["thai", "thai620"], encoding_rs::WINDOWS_874),
    web(1250, &["CP1250"], encoding_rs::WINDOWS_1250),
    web(1251, &["CP1251"], encoding_rs::WINDOWS_1251),
    web(1252, &["CP1252"], encoding_rs::WINDOWS_1252),
    web(1253, &["CP1253"], encoding_rs::WINDOWS_1253),
    web(1254, &["CP1254"], encoding_rs::WINDOWS_1254),
    web(1255, &["CP1255"], encoding_rs::WINDOWS_1255),
    web(1256, &["CP1256"], encoding_rs::WINDOWS_1256),
    web(1257, &["CP1257"], encoding_rs::WINDOWS_1257),
    web(932, &["sjis-s", "CP932"], encoding_rs::SHIFT_JIS),
    web(57350, &["sjis"], encoding_rs::SHIFT_JIS),
    web(57351, &["ujis"], encoding_rs::EUC_JP),
    web(5050, &["eucJP"], encoding_rs::EUC_JP),
    web(57352, &["big5", "cp950"], encoding_rs::BIG5),
    web(1375, &["big5-hkscs"], encoding_rs::BIG5),
    web(57356, &["ksc", "KS5601"], encoding_rs::EUC_KR),
    web(949, &["cp_949", "cp949"], encoding_rs::EUC_KR),
    web(57357, &["gb", "GB2312-80", "cp936"], encoding_rs::GBK),
    web(5488, &["GB18030-2000", "GB18030"], encoding_rs::GB18030),
];

fn all() -> impl Iterator<Item = &'static Entry> {
    [&ASCII, &LATIN1, &UTF8].into_iter().chain(OTHERS)
}

impl CodeSet {
    /// US-ASCII, number 364
    pub const ASCII: Self = Self(&ASCII);
    /// ISO-8859-1, number 819: the default of a database
    pub const LATIN1: Self = Self(&LATIN1);
    /// UTF-8, number 57372
    pub const UTF8: Self = Self(&UTF8);

    /// Every code set that can be converted.
    pub fn all() -> impl Iterator<Item = Self> {
        all().map(Self)
    }

    /// Code set of an Informix name in any case, or of a decimal number in text (`57372`).
    ///
    /// # Errors
    /// [`Error::CodeSet`] for an unknown or unsupported one (also for `iso-8859-1`, which Informix does not know).
    pub fn from_name(name: &str) -> Result<Self> {
        let known = |entry: &&Entry| entry.names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if let Some(entry) = all().find(known) {
            return Ok(Self(entry));
        }
        let number = name.parse().map_err(|_| Error::CodeSet(name.to_owned()))?;
        Self::from_number(number)
    }

    /// Code set of an Informix number.
    ///
    /// # Errors
    /// [`Error::CodeSet`] for an unknown or unsupported one.
    pub fn from_number(number: u16) -> Result<Self> {
        all()
            .find(|entry| entry.number == number)
            .map(Self)
            .ok_or_else(|| Error::CodeSet(number.to_string()))
    }

    /// Code set of an IANA, JDK or web label such as `gbk`, `Cp949`, `windows-1252`, `ISO8859_1`, or of an Informix name: what a
    /// NEWCODESET setting names first.
    ///
    /// # Errors
    /// [`Error::CodeSet`] for an unknown one.
    pub fn from_label(label: &str) -> Result<Self> {
        if let Ok(codeset) = Self::from_name(label) {
            return Ok(codeset);
        }
        let lower = label.to_ascii_lowercase();
        // JDK spellings: ISO8859_1, Cp1252, MS932.
        let plain = lower.replace('_', "-");
        if let Some(part) = plain
            .strip_prefix("iso-8859-")
            .or_else(|| plain.strip_prefix("iso8859-"))
        {
            return Self::from_name(&format!("8859-{part}"));
        }
        if let Some(digits) = lower
            .strip_prefix("ms")
            .or_else(|| lower.strip_prefix("windows-"))
            && let Ok(codeset) = Self::from_name(&format!("cp{digits}"))
        {
            return Ok(codeset);
        }
        let encoding =
            Encoding::for_label(plain.as_bytes()).ok_or_else(|| Error::CodeSet(label.to_owned()))?;
        if encoding == encoding_rs::UTF_8 {
            return Ok(Self::UTF8);
        }
        all()
            .find(|entry| matches!(entry.kind, Kind::Web(known) if known == encoding))
            .map(Self)
            .ok_or_else(|| Error::CodeSet(label.to_owned()))
    }

    /// First Informix name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.names.first().copied().unwrap_or_default()
    }

    /// Informix number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0.number
    }

    /// Whether the code set is UTF-8.
    #[must_use]
    pub const fn is_utf8(self) -> bool {
        matches!(self.0.kind, Kind::Utf8)
    }

    /// Most bytes that one character takes; 1 for the single-byte code sets.
    #[must_use]
    pub fn max_bytes_per_char(self) -> usize {
        match self.0.kind {
            Kind::Ascii | Kind::Latin1 | Kind::Table(_) => 1,
            Kind::Utf8 => 4,
            Kind::Web(encoding) if encoding.is_single_byte() => 1,
            Kind::Web(encoding) if encoding == encoding_rs::GB18030 => 4,
            Kind::Web(encoding) if encoding == encoding_rs::EUC_JP => 3,
            Kind::Web(_) => 2,
        }
    }
}

impl PartialEq for CodeSet {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for CodeSet {}

impl std::hash::Hash for CodeSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl std::fmt::Debug for CodeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CodeSet({}, {})", self.name(), self.number())
    }
}

impl std::fmt::Display for CodeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
