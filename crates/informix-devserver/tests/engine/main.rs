//! The engine through its sessions, without sockets.

mod cancel;
mod deadlock;
mod durable;
mod dynamic;
mod isolation;
mod locks;
mod modes;
mod record;
mod reuse;
mod routines;
mod rows;
mod schema;
mod storage;
mod support;
mod transactions;
mod triggers;
