//! Answers to the questions of a login (PAM).

use std::fmt;
use std::sync::Arc;

use super::Password;

/// A question that the server asks while it lets a client in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// Its text.
    pub prompt: String,
    /// Whether what is typed may be shown.
    pub echo: bool,
}

/// Why there is no answer.
pub type ResponderError = Box<dyn std::error::Error + Send + Sync>;

type Answer = dyn Fn(&Challenge) -> Result<Password, ResponderError> + Send + Sync;

/// Who answers the questions of a login.
#[derive(Clone)]
pub struct Responder(Arc<Answer>);

impl Responder {
    /// A function that is called for each question. It is called while connecting, also on tokio, and should not block there.
    pub fn new(
        answer: impl Fn(&Challenge) -> Result<Password, ResponderError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    pub(crate) fn answer(&self, challenge: &Challenge) -> Result<Password, ResponderError> {
        (self.0)(challenge)
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Responder")
    }
}

/// Two are equal when they are the same function.
impl PartialEq for Responder {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
