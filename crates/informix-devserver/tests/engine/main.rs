//! The engine through its sessions, without sockets.

mod deadlock;
mod durable;
mod isolation;
mod locks;
mod reuse;
mod routines;
mod rows;
mod schema;
mod support;
mod transactions;
mod triggers;
