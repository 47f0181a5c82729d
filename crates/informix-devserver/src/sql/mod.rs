//! The Informix dialect: text to [`ast`].

pub mod ast;
