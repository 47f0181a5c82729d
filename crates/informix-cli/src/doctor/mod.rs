//! `ifx doctor`: says why a connection fails.

pub(crate) mod advice;
pub(crate) mod listener;
