//! Secrets that no log and no `Debug` shows.

use std::fmt;

use zeroize::Zeroizing;

/// A password. Its memory is wiped when it is dropped; `Debug` shows `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Wraps a password.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The clear text. Named so that its uses can be found.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl From<&str> for Password {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Password {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
