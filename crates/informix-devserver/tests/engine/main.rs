//! The engine through its sessions, without sockets.

mod rows;
mod schema;
mod support;
mod transactions;
