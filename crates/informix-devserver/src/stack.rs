//! Room on the stack for statements that nest deeply: callers may run us on threads with small stacks.

/// Room that one level of nesting and what it calls need at least.
const RED_ZONE: usize = 256 * 1024;
/// Room that SQLite needs for the deepest expressions that it takes.
const SQLITE_ZONE: usize = 1024 * 1024;
/// What is added when there is less.
const CHUNK: usize = 8 * 1024 * 1024;

/// Runs one level of recursive work.
pub(crate) fn deeper<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, CHUNK, work)
}

/// Runs what hands a text to SQLite.
pub(crate) fn for_sqlite<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(SQLITE_ZONE, CHUNK, work)
}
