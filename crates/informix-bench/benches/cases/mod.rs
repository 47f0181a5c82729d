//! The hot paths, one by one, for the clock (`times`) and for the counter of instructions (`guard`).

mod client;
mod codec;

use std::fmt;
use std::net::SocketAddr;

use anyhow::Result;

/// Does a number of units of work.
pub(crate) type Work = Box<dyn FnMut(usize) -> Result<()>>;

/// One hot path.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// For the command line and the baseline.
    pub(crate) name: &'static str,
    /// What is done once per unit.
    pub(crate) unit: &'static str,
    /// Units of a short run; the guard also makes one of three times as many.
    pub(crate) count: usize,
    /// Makes it ready. The address is that of a replay server.
    pub(crate) prepare: fn(SocketAddr) -> Result<Work>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.unit)
    }
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    codec::CASES.iter().chain(client::CASES)
}
