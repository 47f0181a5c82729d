//! `ifx sql`: the shell.

pub(crate) mod caret;
pub(crate) mod complete;
pub(crate) mod meta;
pub(crate) mod output;
pub(crate) mod script;
