//! What the engine tells the wire side about statements and their effects.

use informix_types::ColumnType;

/// What DBOPEN reports about a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseFlags {
    /// It has transactions.
    pub logged: bool,
    /// It is an ANSI database.
    pub ansi: bool,
}

impl DatabaseFlags {
    /// The warnings word of DBOPEN's SQ_DONE (`0014`, `0015`, +2 ANSI; sqli-protocol.md 7, N T J).
    #[must_use]
    pub const fn warnings(self) -> u16 {
        0x14 | (self.logged as u16) | ((self.ansi as u16) << 1)
    }
}

/// A column of a result, or of an INSERT's target.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDescription {
    /// Its name or label; names of expressions are like `(count(*))`.
    pub name: String,
    /// Its type, with the NOT NULL flag where it can't be NULL.
    pub ty: ColumnType,
}

/// What a statement did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// SQLWARN bits of SQ_DONE, positions as the client's.
    pub warnings: u16,
    /// Rows inserted, updated or deleted.
    pub rows: i64,
    /// ROWID of the last row touched, 0 for none.
    pub rowid: i32,
    /// SERIAL value that an INSERT made, 0 for none.
    pub serial: i32,
    /// SERIAL8 value that an INSERT made, 0 for none.
    pub serial8: i64,
    /// BIGSERIAL value that an INSERT made, 0 for none.
    pub bigserial: i64,
    /// It began or ended a transaction.
    pub transaction: Option<TransactionEvent>,
    /// It opened (or created and opened) a database.
    pub database: Option<DatabaseFlags>,
}

/// A change of the transaction's state, for SQ_XACTSTAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEvent {
    /// Began.
    Begun,
    /// Committed.
    Committed,
    /// Rolled back.
    RolledBack,
}

/// What a fetch delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fetched {
    /// Rows handed to the sink by this call.
    pub rows: usize,
    /// There are no more rows: SQ_DONE may follow.
    pub done: bool,
    /// Rows delivered since the cursor was opened.
    pub total: i64,
}

/// Where a scroll cursor shall go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// To this row, counted from 1 (SFETCH kinds 1 and 6).
    Absolute(i64),
    /// To the last row (SFETCH kind 4).
    Last,
}

/// Takes rows as the engine encodes them, so that they are written once, into the reply itself.
pub trait RowSink {
    /// Starts a row and gives the buffer that its columns are appended to.
    fn begin(&mut self) -> &mut Vec<u8>;
    /// The row of `length` bytes that ends the buffer is complete.
    fn finish(&mut self, length: usize);
    /// The row begun last shall not go out: back to the state before `begin`.
    fn cancel(&mut self);
}

/// Rows one behind the other with the place where each ends, for tests and for callers without a wire.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PlainRows {
    /// The rows' bytes.
    pub bytes: Vec<u8>,
    /// End of each row in `bytes`.
    pub ends: Vec<usize>,
}

impl PlainRows {
    /// The rows.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .filter_map(|(start, &end)| self.bytes.get(start..end))
    }
}

impl RowSink for PlainRows {
    fn begin(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    fn finish(&mut self, _length: usize) {
        self.ends.push(self.bytes.len());
    }

    fn cancel(&mut self) {
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }
}
