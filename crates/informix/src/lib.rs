//! Client for IBM/HCL Informix databases.

pub mod config;
pub mod error;
pub mod pool;
pub mod transport;

pub use config::{Config, Isolation, LockMode, Password};
pub use error::{Error, Result};
