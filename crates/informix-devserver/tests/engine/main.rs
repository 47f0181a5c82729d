//! The engine through its sessions, without sockets.

mod durable;
mod locks;
mod routines;
mod rows;
mod schema;
mod support;
mod transactions;
mod triggers;
