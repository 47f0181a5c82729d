//! The session for drivers of other languages, which bring their own threads or event loop, values and TLS. Not part
//! of the Rust API: it follows what the Python driver needs.

mod batch;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use informix_protocol::ClientMessage;
use informix_protocol::client::RowBatch;
pub use informix_protocol::message::BindValue;
use informix_protocol::message::{ExecRoutine, GetRoutine};
use informix_types::row::RowPlan;
use informix_types::{ColumnType, LobLocator, RowForm, TextCodec};

pub use self::batch::{BatchRun, BatchWriter, WrittenRows};
use super::group::Group;
use super::link::Purpose;
pub use super::locale::AskLocale;
use super::prepare::check_count;
use super::text::{Shape, scan};
use super::{CancelHandle, LobKind, OpenLob, Outcome, QueryOptions, SERVER_VERSION, ScrollTo, ServerInfo};
use crate::config::{Config, Target};
use crate::error::{Error, Kind, Result};
use crate::param::Parameter;
use crate::row::{self, Columns};
#[cfg(unix)]
pub use crate::transport::polled::Interest;
use crate::transport::{BlockingDialer, Dialer, Meter, Transport};

/// A future of this module, boxed.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Asked when a signal has ended a blocking wait: `true` gives the call up, and its future returns `Pending`.
pub use crate::transport::SignalHook;

/// TLS of somebody else around a connected socket.
pub trait Layer: Send + Sync {
    /// Does the handshake.
    fn wrap(
        &self,
        target: &Target,
        inner: Box<dyn Transport>,
        deadline: Instant,
    ) -> Boxed<'static, Result<Box<dyn Transport>>>;
}

/// How a session waits for its socket.
pub enum Wait {
    /// In blocking calls.
    Blocking(Option<SignalHook>),
    /// Not at all: its futures return `Pending`.
    #[cfg(unix)]
    Polled(Arc<Interest>),
}

/// How a session reaches its server.
pub struct Dial {
    /// How it waits.
    pub wait: Wait,
    /// Foreign TLS.
    pub layer: Option<Arc<dyn Layer>>,
    /// Read little at a time, for measurements of what the read buffer is worth.
    pub small_reads: bool,
}

/// Bytes of a small read.
const SMALL_READ: usize = 4096;

struct SmallReads(Box<dyn Transport>);

impl Transport for SmallReads {
    fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let length = buf.len().min(SMALL_READ);
        self.0.poll_read(cx, buf.get_mut(..length).unwrap_or_default())
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write(cx, buf)
    }

    fn is_duplex(&self) -> bool {
        self.0.is_duplex()
    }

    fn poll_write_now(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write_now(cx, buf)
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_flush(cx)
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.0.set_limits(deadline, idle);
    }

    fn is_alive(&mut self) -> bool {
        self.0.is_alive()
    }

    fn interrupter(&self) -> Option<crate::transport::Interrupter> {
        self.0.interrupter()
    }
}

impl Dialer for Dial {
    async fn dial(&self, target: &Target, config: &Config, deadline: Instant) -> Result<Box<dyn Transport>> {
        let mut plain = target.clone();
        plain.tls &= self.layer.is_none();
        let transport = match &self.wait {
            Wait::Blocking(hook) => BlockingDialer::open(&plain, config, deadline, hook.clone())?,
            #[cfg(unix)]
            Wait::Polled(interest) => {
                crate::transport::polled::open(&plain, config, deadline, interest).await?
            }
        };
        let transport = match &self.layer {
            Some(layer) => layer.wrap(target, transport, deadline).await?,
            None => transport,
        };
        Ok(if self.small_reads {
            Box::new(SmallReads(transport))
        } else {
            transport
        })
    }
}

/// An error of a driver's own making.
#[must_use]
pub fn error(kind: Kind, sqlcode: i32, text: impl Into<String>) -> Error {
    Error::new(kind, sqlcode, text)
}

/// One session.
pub struct Session(super::Session);

/// Rows of an open cursor that were fetched together.
pub struct Batch(row::Batch);

impl Batch {
    /// Rows that did not come from a server, each the cells of the columns back to back: for tests of what reads batches.
    ///
    /// # Errors
    /// When a row does not match the columns.
    pub fn of_payloads(
        columns: Vec<(String, ColumnType)>,
        codec: TextCodec,
        payloads: &[Vec<u8>],
    ) -> Result<Self> {
        let columns = Arc::new(Columns::of_types(columns));
        let layout = row::Layout::new(columns, RowForm::default(), codec)?;
        let rows = RowBatch::of_payloads(payloads.iter().map(Vec::as_slice));
        row::Batch::new(Arc::new(layout), rows).map(Self)
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// How cells are read.
    #[must_use]
    pub fn plan(&self) -> &RowPlan {
        self.0.layout().plan()
    }

    /// Some of the rows, by column.
    #[must_use]
    pub fn rows(&self, rows: std::ops::Range<usize>) -> row::RawRows<'_> {
        row::RawRows::new(&self.0, rows)
    }

    /// A row, and where each of its cells ends: the first begins at 0, every other one where the one before it ends.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<(&[u8], &[u32])> {
        self.0.row(row)
    }

    /// Bytes of a cell.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Option<&[u8]> {
        self.0.cell(row, column)
    }

    /// Contents of a BYTE or TEXT.
    #[must_use]
    pub fn contents(&self, row: usize, column: usize) -> Option<&[u8]> {
        self.0.contents(row, column)
    }
}

/// An open cursor.
pub struct Rows(Box<super::Cursor>);

impl Rows {
    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &Arc<Columns> {
        self.0.columns()
    }

    /// Whether the server has no more rows to give, though some may still wait in memory.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }
}

/// An open scroll cursor.
pub struct ScrollRows(Box<super::ScrollCursor>);

impl ScrollRows {
    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &Arc<Columns> {
        self.0.columns()
    }

    /// Number of the current row, from 1.
    #[must_use]
    pub fn position(&self) -> Option<i64> {
        self.0.position()
    }
}

/// A large object that is open on the server.
#[derive(Clone)]
pub struct Lob(OpenLob);

impl Lob {
    /// Its locator.
    #[must_use]
    pub fn locator(&self) -> LobLocator {
        self.0.locator()
    }
}

/// A prepared statement.
#[derive(Clone)]
pub struct Statement(Arc<super::Prepared>);

impl Statement {
    /// Statement type: 2 SELECT, 4 UPDATE, 5 DELETE, 6 INSERT, ….
    #[must_use]
    pub fn kind(&self) -> i16 {
        self.0.kind
    }

    /// Whether it returns rows.
    #[must_use]
    pub fn returns_rows(&self) -> bool {
        self.0.returns_rows()
    }

    /// Its parameter markers.
    #[must_use]
    pub fn markers(&self) -> usize {
        self.0.scan.markers
    }

    /// Types that its parameters go to, where they are known.
    #[must_use]
    pub fn targets(&self) -> &[ColumnType] {
        self.0.targets()
    }
}

/// What came of a statement.
pub struct Ran {
    /// Statement type, when the server described it.
    pub kind: Option<i16>,
    /// Its rows, if it returns any.
    pub rows: Option<Rows>,
    /// What it did otherwise.
    pub outcome: Outcome,
}

impl Session {
    /// Connects. With [`AskLocale`] other than `Never` text travels in the code set of the database, where its catalog tells it.
    ///
    /// # Errors
    /// When no server answers, or the server refuses.
    pub async fn connect(dial: &Dial, config: Arc<Config>, ask: AskLocale) -> Result<Self> {
        super::Session::connect_asking(dial, config, ask).await.map(Self)
    }

    /// What the server told about itself.
    #[must_use]
    pub fn info(&self) -> &ServerInfo {
        &self.0.info
    }

    /// The server's capability mask as negotiated, and cap_1 to cap_3, serial number and application of the login reply.
    #[must_use]
    pub fn login_facts(&self) -> ([i32; 3], String, String) {
        (
            self.0.info.levels,
            self.0.info.serial.clone(),
            self.0.info.application.clone(),
        )
    }

    /// Whether both sides announced a capability bit.
    #[must_use]
    pub fn has_capability(&self, bit: usize) -> bool {
        self.0.link.negotiated().has(bit)
    }

    /// The codec of character data, if it is known already: see [`Session::know_locale`].
    #[must_use]
    pub fn codec(&self) -> Option<TextCodec> {
        self.0.knows_locale().then_some(self.0.codec)
    }

    /// Asks for the locale of the database, when that is still to be done.
    ///
    /// # Errors
    /// When the connection fails.
    pub async fn know_locale(&mut self) -> Result<()> {
        self.0.know_locale().await
    }

    /// The client locale in use.
    #[must_use]
    pub fn client_locale(&self) -> &str {
        self.0.client_locale()
    }

    /// A handle that cancels.
    #[must_use]
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle(Arc::clone(&self.0.cancel))
    }

    /// Something that cuts the socket.
    #[must_use]
    pub fn cutter(&self) -> Option<Cutter> {
        self.0.link.interrupter().map(Cutter)
    }

    /// The connection's counters.
    #[must_use]
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.0.meter)
    }

    /// Bytes of memory that the connection holds for what it sends and receives.
    #[must_use]
    pub fn buffer_bytes(&self) -> usize {
        self.0.buffer_bytes()
    }

    /// Sets the limit of the following statements.
    pub fn set_statement_timeout(&mut self, limit: Option<Duration>) {
        self.0.set_statement_timeout(limit);
    }

    /// Whether the socket is open and silent.
    pub fn is_alive(&mut self) -> bool {
        self.0.is_alive()
    }

    /// Whether the session cannot be used any more.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.0.is_broken()
    }

    /// Whether a transaction is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.0.in_transaction()
    }

    /// Begins a transaction; BEGIN rides on the next request.
    ///
    /// # Errors
    /// When one is open, or the database has none.
    pub fn begin(&mut self) -> Result<()> {
        self.0.begin().map(|_| ())
    }

    /// Sets which client files the server may read, and how many bytes it may write to one (0 = they are thrown away).
    pub fn offer_files(&mut self, files: Vec<(String, Arc<[u8]>)>, limit: usize) {
        self.0.link.files.offer(files, limit);
    }

    /// The client files that the server has written.
    pub fn take_files(&mut self) -> Vec<(String, Vec<u8>)> {
        self.0.link.files.take()
    }

    /// Commits.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn commit(&mut self) -> Result<()> {
        self.0.commit().await
    }

    /// Rolls back.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn rollback(&mut self) -> Result<()> {
        self.0.rollback().await
    }

    /// Sets a savepoint, releases it, or rolls back to it.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn savepoint(&mut self, action: Savepoint, name: &str) -> Result<()> {
        match action {
            Savepoint::Set => self.0.savepoint(name, false).await,
            Savepoint::Release => self.0.release_savepoint(name).await,
            Savepoint::RollbackTo => self.0.rollback_to(name).await,
        }
    }

    /// Reads away what abandoned calls left behind, interrupting what takes long, and sends what waits to be sent.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn tidy(&mut self) -> Result<()> {
        self.0.tidy().await
    }

    /// Makes the session as good as new. `false` when that cannot be done.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn reset(&mut self) -> Result<bool> {
        self.0.reset().await
    }

    /// Asks for a sign of life.
    ///
    /// # Errors
    /// When there is none.
    pub async fn ping(&mut self) -> Result<()> {
        self.0.ping().await
    }

    /// Ends the session.
    ///
    /// # Errors
    /// None at present.
    pub async fn close(&mut self) -> Result<()> {
        self.0.close().await
    }

    /// Says goodbye without waiting for an answer.
    pub async fn abandon(&mut self, limit: Duration) {
        self.0.abandon(Some(Instant::now() + limit)).await;
    }

    /// Makes the session unusable and cuts its socket.
    pub fn break_off(&mut self, why: &str) {
        self.0.link.break_with(Error::closed(why));
    }

    /// Prepares a statement, or takes it from the cache.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.0.prepare(sql).await.map(Statement)
    }

    /// Runs a statement of any kind. One whose tables have changed since it was prepared is prepared again.
    ///
    /// # Errors
    /// When the server refuses, or the number of parameters is wrong.
    pub async fn run(&mut self, sql: &str, parameters: &[Parameter], options: &QueryOptions) -> Result<Ran> {
        match self.run_once(sql, parameters, options).await {
            Err(e) if e.sqlcode() == -710 => self.run_once(sql, parameters, options).await,
            other => other,
        }
    }

    async fn run_once(&mut self, sql: &str, parameters: &[Parameter], options: &QueryOptions) -> Result<Ran> {
        let session = &mut self.0;
        let found = scan(sql);
        check_count(found, parameters.len())?;
        // Only a described statement says which of BYTE and TEXT its parameters go to.
        let has_contents = parameters.iter().any(|p| !matches!(p, Parameter::Value(_)));
        if found.shape != Shape::Query && !has_contents && session.cache.get(sql).is_none() {
            let outcome = session.execute(sql, parameters).await?;
            return Ok(Ran {
                kind: None,
                rows: None,
                outcome,
            });
        }
        let statement = session.prepare(sql).await?;
        let kind = Some(statement.kind);
        match session
            .run_prepared(&statement, parameters, options.clone())
            .await?
        {
            super::Ran::Rows(cursor) => Ok(Ran {
                kind,
                rows: Some(Rows(cursor)),
                outcome: Outcome::default(),
            }),
            super::Ran::Done(outcome) => Ok(Ran {
                kind,
                rows: None,
                outcome,
            }),
        }
    }

    /// The next rows.
    ///
    /// # Errors
    /// When the server reports one, or the connection fails.
    pub async fn next_batch(&mut self, rows: &mut Rows) -> Result<Option<Batch>> {
        Ok(self.0.next_batch(&mut rows.0).await?.map(Batch))
    }

    /// Gives the memory of a used batch back.
    pub fn recycle(&mut self, batch: Batch) {
        self.0.recycle(batch.0);
    }

    /// Opens a scroll cursor.
    ///
    /// # Errors
    /// When the server refuses, or the statement returns no rows.
    pub async fn scroll_open(&mut self, sql: &str, parameters: &[Parameter]) -> Result<ScrollRows> {
        let cursor = self.0.scroll_query(sql, parameters).await?;
        Ok(ScrollRows(Box::new(cursor)))
    }

    /// Moves a scroll cursor and gives the row as a batch of one.
    ///
    /// # Errors
    /// When the server reports one, or the connection fails.
    pub async fn scroll(&mut self, rows: &mut ScrollRows, to: ScrollTo) -> Result<Option<Batch>> {
        let row = self.0.scroll(&mut rows.0, to).await?;
        Ok(row.and_then(row::Row::into_batch).map(Batch))
    }

    /// One value of a query of our own.
    async fn one(&mut self, sql: &str) -> Result<Option<String>> {
        let ran = self.run(sql, &[], &QueryOptions::default()).await?;
        let Some(mut rows) = ran.rows else { return Ok(None) };
        let Some(batch) = self.0.next_batch(&mut rows.0).await? else {
            return Ok(None);
        };
        let row = row::Row::new(Arc::new(batch), 0);
        Ok(row
            .get::<Option<String>>(0)?
            .map(|text| text.trim_end().to_owned()))
    }

    /// The public version text.
    ///
    /// # Errors
    /// When the query fails.
    pub async fn server_version(&mut self) -> Result<Option<String>> {
        self.one(SERVER_VERSION).await
    }

    /// The handle of a fast-path routine.
    ///
    /// # Errors
    /// When there is no such routine (-674).
    pub async fn routine_handle(&mut self, signature: &str) -> Result<i32> {
        self.0.know_locale_for(signature.is_ascii()).await?;
        let ask = ClientMessage::GetRoutine(GetRoutine {
            signature: self.0.encode_sql(signature)?.into(),
            ..GetRoutine::default()
        });
        let group = Group::of(self.0.group(), &[ask])?;
        let reply = self.0.ask(group, Purpose::Plain, "routine").await?;
        let routine = reply
            .routine
            .ok_or_else(|| Error::protocol("no handle for a routine"))?;
        Ok(routine.handle)
    }

    /// Calls a fast-path routine.
    ///
    /// # Errors
    /// What the routine reports.
    pub async fn routine_call(&mut self, handle: i32, values: Vec<BindValue>) -> Result<Vec<BindValue>> {
        let call = ClientMessage::ExecRoutine(ExecRoutine {
            handle,
            values,
            ..ExecRoutine::default()
        });
        let group = Group::of(self.0.group(), &[call])?;
        let reply = self.0.ask(group, Purpose::Plain, "fast path").await?;
        Ok(reply.results.map(|r| r.values).unwrap_or_default())
    }

    /// Contents of a BLOB or CLOB.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_contents(&mut self, locator: &LobLocator) -> Result<Vec<u8>> {
        self.0.lob_contents(locator).await
    }

    /// Opens a BLOB or CLOB for reading.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_open(&mut self, locator: &LobLocator) -> Result<Lob> {
        self.0.open_lob(locator).await.map(Lob)
    }

    /// Makes a BLOB or CLOB for a column.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_create(&mut self, kind: LobKind, column: &str) -> Result<Lob> {
        self.0.create_lob(kind, column).await.map(Lob)
    }

    /// Reads at the current position.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_read(&mut self, lob: &Lob, length: usize) -> Result<Vec<u8>> {
        self.0.read_lob(&lob.0, length).await
    }

    /// Writes at the current position.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_write(&mut self, lob: &Lob, data: &[u8]) -> Result<()> {
        self.0.write_lob(&lob.0, data).await
    }

    /// Moves to an offset from the start.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_seek(&mut self, lob: &Lob, offset: i64) -> Result<()> {
        self.0.seek_lob(&lob.0, offset).await
    }

    /// The size in bytes.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_size(&mut self, lob: &Lob) -> Result<u64> {
        self.0.lob_size(&lob.0).await
    }

    /// Closes an object.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn lob_close(&mut self, lob: Lob) -> Result<()> {
        self.0.close_lob(lob.0).await
    }
}

/// What to do with a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Savepoint {
    /// Set it.
    Set,
    /// Release it.
    Release,
    /// Roll back to it.
    RollbackTo,
}

/// Cuts the socket of a session from any thread.
#[derive(Debug, Clone)]
pub struct Cutter(crate::transport::Interrupter);

impl Cutter {
    /// Cuts. What waits for the socket fails.
    pub fn cut(&self) {
        // It may be closed already.
        let _ = self.0.close();
    }
}
