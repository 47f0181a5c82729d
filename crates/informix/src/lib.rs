//! Client for IBM/HCL Informix databases.

pub mod config;
pub mod error;

pub use config::{Config, Isolation, LockMode, Password};
pub use error::{Error, Result};
