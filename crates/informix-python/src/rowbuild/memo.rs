//! Objects of values that come again: those of a column that were made last, found by the bytes of their cells.
//!
//! Finding an object takes a fraction of making one, and rows that are kept share it. A memo in which hardly anything is found grows once,
//! and then is given up: a column of ever new values pays for a few hundred look-ups, or for as many as the larger table has places.

use pyo3::prelude::*;

/// Places before it grows.
const SMALL: usize = 256;
/// Values before there are any places: small results need none.
const WARM: usize = 64;

/// Objects by the bytes of their cells. Every key has one place, which the last one that came there has.
pub(super) struct Memo<K> {
    places: Vec<Option<(K, Py<PyAny>)>>,
    /// Places at most.
    large: usize,
    found: usize,
    made: usize,
    is_given_up: bool,
}

impl<K: Copy + Eq> Memo<K> {
    /// A memo that grows to `large` places, a power of two.
    pub(super) fn new(large: usize) -> Self {
        Self {
            places: Vec::new(),
            large: large.next_power_of_two(),
            found: 0,
            made: 0,
            is_given_up: false,
        }
    }

    /// Whether it is worth while to look.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        !self.is_given_up
    }

    /// The object of a key. `hash` chooses the place by its lowest bits.
    #[inline]
    pub(super) fn find<'py>(&mut self, py: Python<'py>, key: K, hash: usize) -> Option<Bound<'py, PyAny>> {
        let at = hash & self.places.len().wrapping_sub(1);
        match self.places.get(at) {
            Some(Some((known, object))) if *known == key => {
                self.found += 1;
                Some(object.bind(py).clone())
            }
            _ => None,
        }
    }

    /// Keeps the object that was made for a key.
    pub(super) fn keep(&mut self, key: K, hash: usize, object: &Bound<'_, PyAny>) {
        let at = hash & self.places.len().wrapping_sub(1);
        if let Some(place) = self.places.get_mut(at) {
            *place = Some((key, object.clone().unbind()));
        }
        self.made += 1;
        if self.made >= WARM.max(self.places.len()) {
            self.judge();
        }
    }

    /// As many objects were made as there are places: were more found?
    #[cold]
    fn judge(&mut self) {
        if self.found < self.made {
            let size = match self.places.len() {
                0 => SMALL.min(self.large),
                size if size < self.large => self.large,
                _ => 0,
            };
            self.is_given_up = size == 0;
            // Objects of its places are numbers, dates and text: letting go of them runs no code of anybody's.
            self.places = Vec::new();
            self.places.resize_with(size, || None);
        }
        (self.found, self.made) = (0, 0);
    }
}

/// Up to 15 bytes and their number as a key, and a hash of it.
#[inline]
pub(super) fn key(bytes: &[u8]) -> Option<(u128, usize)> {
    const LENGTH: usize = size_of::<u128>() - 1;
    let mut word = [0; size_of::<u128>()];
    if bytes.len() > LENGTH {
        return None;
    }
    let (place, rest) = word.split_at_mut(bytes.len());
    place.copy_from_slice(bytes);
    *rest.last_mut()? = bytes.len() as u8;
    let key = u128::from_le_bytes(word);
    let (low, high) = (key as u64, (key >> 64) as u64);
    // Both halves of a full product: every bit of it depends on all that there is.
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high ^ 0xd6e8_feb8_6659_fd93);
    Some((key, (product as u64 ^ (product >> 64) as u64) as usize))
}
