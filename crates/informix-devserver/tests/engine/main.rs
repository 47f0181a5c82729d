//! The engine through its sessions, without sockets.

mod durable;
mod rows;
mod schema;
mod support;
mod transactions;
