//! The engine through its sessions, without sockets.

mod rows;
mod support;
