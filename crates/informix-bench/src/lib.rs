//! What the benchmarks in `bench/` stand on.
//!
//! * [`replay`]: a server that speaks SQLI and has all answers in memory, so that what is left to measure is the driver.
//! * [`relay`]: passes connections on and adds a delay to each round trip: the network that users have.
//! * [`bare`]: a connection without a driver.
//! * [`probe`]: how fast the replay server is by itself, with a client that does next to nothing.
//!
//! Nothing here is meant for production: the replay server knows the statements of the benchmarks and no others.

pub mod bare;
pub mod probe;
pub mod relay;
pub mod replay;
