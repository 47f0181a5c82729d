//! SQ_PROTOCOLS: what each side can do, and the widths that follow.
//!
//! Bits are numbered from the most significant bit of the first byte. Each side sends its own list; **a form is in use
//! when the bit stands in the client's offer and in the server's answer** (peer driver on 12.10, 14.10 and 15; captures
//! of the Java client with every server bit toggled).

use std::fmt;

/// Longest mask that is accepted; real ones have 7 to 9 bytes.
pub const MAX_MASK_BYTES: usize = 32;

/// A capability mask as one side announces it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Capabilities {
    bytes: [u8; MAX_MASK_BYTES],
    len: u8,
}

impl Capabilities {
    /// What the vendor's Java client 4.50.10.1 offers, and what a client of this crate should offer.
    pub const JDBC: Self = Self::from_const([0xff, 0xfc, 0x7f, 0xfc, 0x3c, 0x8c, 0xaa, 0x97]);
    /// What the vendor's native client offers: bit 49 (compact descriptions) and bit 14, no input descriptions in it.
    pub const NATIVE: Self = Self::from_const([0xff, 0xf6, 0x1f, 0xfe, 0x7d, 0xb4, 0x62, 0x13]);
    /// What the Java client of 2010 offered, and nmap does: everything narrow.
    pub const NARROW: Self = Self::from_const([0xff, 0xfc, 0x7f, 0xfc, 0x3c, 0x8c, 0x8a]);
    /// Answer of Informix 15.0.1.0.3.
    pub const SERVER_15: Self = Self::from_const([0xbd, 0xbe, 0x9f, 0xfe, 0x7f, 0xb7, 0xff, 0xef, 0xff]);
    /// Answer of Informix 14.10.FC7W1.
    pub const SERVER_14_10: Self = Self::from_const([0xbd, 0xbe, 0x9f, 0xfe, 0x7f, 0xb7, 0xff, 0xef, 0xf8]);
    /// Answer of Informix 12.10.FC12W1.
    pub const SERVER_12_10: Self = Self::from_const([0xbd, 0xbe, 0x9f, 0xfe, 0x7f, 0xb7, 0xff, 0xef, 0xf0]);

    /// The bit that a server sets whose login goes on with questions.
    pub const PAM: usize = 44;

    const fn from_const<const N: usize>(mask: [u8; N]) -> Self {
        let mut bytes = [0; MAX_MASK_BYTES];
        let mut i = 0;
        while i < N {
            bytes[i] = mask[i];
            i += 1;
        }
        Self { bytes, len: N as u8 }
    }

    /// A mask from its bytes; `None` when it is longer than [`MAX_MASK_BYTES`].
    pub fn from_bytes(mask: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_MASK_BYTES];
        bytes.get_mut(..mask.len())?.copy_from_slice(mask);
        Some(Self {
            bytes,
            len: u8::try_from(mask.len()).ok()?,
        })
    }

    /// The bytes as they travel.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Whether a bit is set; false beyond the end.
    pub const fn has(&self, bit: usize) -> bool {
        bit / 8 < MAX_MASK_BYTES && self.bytes[bit / 8] & (0x80 >> (bit % 8)) != 0
    }

    /// The same mask with one bit cleared.
    #[must_use]
    pub const fn without(mut self, bit: usize) -> Self {
        if bit / 8 < MAX_MASK_BYTES {
            self.bytes[bit / 8] &= !(0x80 >> (bit % 8));
        }
        self
    }

    /// The same mask with one bit set, lengthened if needed; bits beyond [`MAX_MASK_BYTES`] are ignored.
    #[must_use]
    pub const fn with(mut self, bit: usize) -> Self {
        if bit / 8 < MAX_MASK_BYTES {
            self.bytes[bit / 8] |= 0x80 >> (bit % 8);
            if self.len as usize <= bit / 8 {
                self.len = (bit / 8 + 1) as u8;
            }
        }
        self
    }

    /// What a server that claims `self` should answer to `offer`: its own list, without the bits whose forms are not
    /// implemented here (53 changes BIND, 69 and 70 change DESCRIBE and DONE) when the client offers them.
    #[must_use]
    pub fn answer_to(self, offer: &Self) -> Self {
        [53, 69, 70]
            .into_iter()
            .filter(|bit| offer.has(*bit))
            .fold(self, Self::without)
    }

    fn and(&self, other: &Self) -> Self {
        let mut both = *self;
        for (a, b) in both.bytes.iter_mut().zip(other.bytes) {
            *a &= b;
        }
        both
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capabilities(")?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// Which form of login request opened the connection; it also decides the fast-path layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LoginForm {
    /// The tagged binary form of the Java client and all that follow it.
    #[default]
    Binary,
    /// The text form of native clients.
    Text,
}

/// What both sides agreed on: it decides every width and every optional field.
///
/// The default, before SQ_PROTOCOLS, has no capability at all: the narrow forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Negotiated {
    both: Capabilities,
    form: LoginForm,
}

impl Negotiated {
    /// The intersection of the client's offer and the server's answer.
    pub fn new(offer: &Capabilities, answer: &Capabilities, form: LoginForm) -> Self {
        Self {
            both: offer.and(answer),
            form,
        }
    }

    /// Nothing agreed yet.
    pub fn none(form: LoginForm) -> Self {
        Self {
            both: Capabilities::default(),
            form,
        }
    }

    /// The login form.
    pub const fn login_form(&self) -> LoginForm {
        self.form
    }

    /// Whether both sides announced a bit.
    pub const fn has(&self, bit: usize) -> bool {
        self.both.has(bit)
    }

    /// Bit 4: SQ_PUT's size has 32 bits (vendor's trace printer).
    pub const fn wide_put(&self) -> bool {
        self.has(4)
    }

    /// Bit 8: NFETCH ends with a fetch array size.
    pub const fn fetch_array(&self) -> bool {
        self.has(8)
    }

    /// Bit 13: VARCHAR travels with its own length; without it, filled up to the declared length.
    pub const fn variable_varchar(&self) -> bool {
        self.has(13)
    }

    /// Bit 14: chunk lengths of LODATA have 32 bits.
    pub const fn wide_lodata(&self) -> bool {
        self.has(14)
    }

    /// Bit 34: SQ_CIDESCRIBE may be sent.
    pub const fn input_describe(&self) -> bool {
        self.has(34)
    }

    /// Bit 44: the login goes on with PAM messages.
    pub const fn pam(&self) -> bool {
        self.has(Capabilities::PAM)
    }

    /// Bit 48: SQ_AUTOGENKEYS may be sent.
    pub const fn generated_keys(&self) -> bool {
        self.has(48)
    }

    /// Bit 49: descriptions of built-in types are short.
    pub const fn compact_describe(&self) -> bool {
        self.has(49)
    }

    /// Bit 50: name offset and string table size of DESCRIBE have 32 bits.
    pub const fn wide_offsets(&self) -> bool {
        self.has(50)
    }

    /// Bit 52: IDESCRIBE has a flags word.
    pub const fn named_parameters(&self) -> bool {
        self.has(52)
    }

    /// Bit 54: INSERTDONE carries the BIGSERIAL.
    pub const fn bigserial(&self) -> bool {
        self.has(54)
    }

    /// Bit 56: messages 137 to 139 may be sent.
    pub const fn savepoints(&self) -> bool {
        self.has(56)
    }

    /// Bit 62: SQL text and signatures have a 32-bit length, ERR a 32-bit offset.
    pub const fn wide_sql(&self) -> bool {
        self.has(62)
    }

    /// Bit 63: fetch buffer sizes have 32 bits.
    pub const fn wide_buffer(&self) -> bool {
        self.has(63)
    }

    /// Fast-path messages of native clients: no leading byte and no database name.
    pub const fn native_routines(&self) -> bool {
        matches!(self.form, LoginForm::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usable_bits_of_the_java_offer() {
        let n = Negotiated::new(&Capabilities::JDBC, &Capabilities::SERVER_15, LoginForm::Binary);
        let set: Vec<usize> = (0..80).filter(|bit| n.has(*bit)).collect();
        // Measured on 12.10, 14.10 and 15.
        let expected: Vec<usize> = [0, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13]
            .into_iter()
            .chain(19..=29)
            .chain(34..=37)
            .chain([40, 45, 48, 50, 52, 54, 56, 61, 62, 63])
            .collect();
        assert_eq!(set, expected);
    }

    #[test]
    fn answers_leave_out_what_is_not_implemented() {
        let nine = Capabilities::JDBC.with(69).with(70);
        assert_eq!(nine.as_bytes().len(), 9);
        assert_eq!(Capabilities::SERVER_15.answer_to(&nine).as_bytes()[8], 0xf9);
        assert_eq!(
            Capabilities::SERVER_15.answer_to(&Capabilities::JDBC),
            Capabilities::SERVER_15
        );
    }

    #[test]
    fn seven_bytes_mean_narrow_forms() {
        let n = Negotiated::new(&Capabilities::NARROW, &Capabilities::SERVER_15, LoginForm::Binary);
        assert!(!n.wide_offsets() && !n.wide_sql() && !n.wide_buffer());
        assert!(n.fetch_array() && n.variable_varchar() && n.bigserial());
    }
}
