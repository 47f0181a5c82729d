//! Connection pools: one policy ([`PoolConfig`]), a pool per face.

pub(crate) mod policy;

pub use policy::{PoolConfig, PoolStatistics};
