//! A session with the results that are open on it. Everything that talks to the server is here, once for both faces.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use informix::config::Config;
use informix::driver::{
    AskLocale, Batch, BatchRun, BatchWriter, BindValue, Dial, Lob, Rows, ScrollRows, Session, Wait,
    WrittenRows,
};
use informix::error::Kind;
use informix::{BatchOptions, Columns, LobKind, Outcome, Parameter, QueryOptions, Result, ScrollTo, Value};
use informix_types::LobLocator;

/// Statements that are remembered as seen.
const SEEN: usize = 256;

/// What cursors leave behind when they are dropped, and the numbers they get.
#[derive(Default)]
pub(crate) struct Ids {
    next: AtomicU64,
    dropped: Mutex<Vec<Dropped>>,
}

enum Dropped {
    Result(u64),
    Lob(Lob),
}

impl Ids {
    pub(crate) fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn leave(&self, what: Dropped) {
        self.dropped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(what);
    }

    /// The result is not wanted any more.
    pub(crate) fn drop_result(&self, id: u64) {
        self.leave(Dropped::Result(id));
    }

    /// The large object is to be closed.
    pub(crate) fn drop_lob(&self, lob: Lob) {
        self.leave(Dropped::Lob(lob));
    }

    fn take(&self) -> Vec<Dropped> {
        std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The rows of one statement that are still to come.
struct Source {
    rows: Rows,
    /// Read ahead because of a commit.
    ready: VecDeque<Batch>,
    failed: Option<informix::Error>,
}

/// See the module.
pub(crate) struct Channel {
    pub(crate) session: Session,
    sources: HashMap<u64, Source>,
    scrolls: HashMap<u64, ScrollRows>,
    routines: HashMap<String, i32>,
    /// Statements with parameters that came once.
    seen: HashSet<String>,
    ids: Arc<Ids>,
}

/// A statement to run.
pub(crate) struct Job {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Number of the result, if it has one.
    pub(crate) id: u64,
    /// Begin a transaction in front of it, where there is none.
    pub(crate) begin: bool,
    pub(crate) scrollable: bool,
    /// Client files that the server may read.
    pub(crate) files: Vec<(String, Arc<[u8]>)>,
    /// Bytes that it may write to one.
    pub(crate) file_limit: usize,
}

/// What a statement did.
pub(crate) struct Executed {
    pub(crate) kind: Option<i16>,
    pub(crate) columns: Option<Arc<Columns>>,
    pub(crate) first: Option<Batch>,
    /// There are more rows.
    pub(crate) more: bool,
    pub(crate) outcome: Outcome,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Further rows.
pub(crate) struct Loaded {
    pub(crate) batch: Option<Batch>,
    pub(crate) more: bool,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// The first word of a statement, in lower case, and the second.
fn words(sql: &str) -> (String, String) {
    let mut rest = sql;
    loop {
        rest = rest.trim_start();
        rest = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, r)| r)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, r)| r)
        } else if let Some(comment) = rest.strip_prefix('{') {
            comment.split_once('}').map_or("", |(_, r)| r)
        } else {
            break;
        };
    }
    let mut words = rest
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .map(str::to_ascii_lowercase);
    (words.next().unwrap_or_default(), words.next().unwrap_or_default())
}

/// Statements that no BEGIN may stand in front of.
fn stands_alone(sql: &str) -> bool {
    let (first, second) = words(sql);
    match first.as_str() {
        "begin" | "commit" | "rollback" | "database" | "connect" | "disconnect" => true,
        "create" | "drop" | "close" | "rename" => second == "database",
        "set" => matches!(
            second.as_str(),
            "isolation" | "lock" | "transaction" | "environment" | "explain" | "pdqpriority"
        ),
        "" => true,
        _ => false,
    }
}

/// Statements that end a transaction, and with it the cursors.
fn ends_transaction(sql: &str) -> bool {
    let (first, _) = words(sql);
    first == "commit" || first == "rollback"
}

/// Statements in whose replies the server asks for client files.
fn uses_client_files(sql: &str) -> bool {
    let lower = sql.to_ascii_lowercase();
    ["lotofile", "filetoblob", "filetoclob"]
        .iter()
        .any(|name| lower.contains(name))
}

impl Channel {
    /// Connects.
    pub(crate) async fn connect(dial: &Dial, config: Config, ask: AskLocale, ids: Arc<Ids>) -> Result<Self> {
        let session = Session::connect(dial, Arc::new(config), ask).await?;
        Ok(Self {
            session,
            sources: HashMap::new(),
            scrolls: HashMap::new(),
            routines: HashMap::new(),
            seen: HashSet::new(),
            ids,
        })
    }

    /// Lets go of what dropped cursors left behind. Their closes ride on the next request.
    async fn sweep(&mut self) -> Result<()> {
        for what in self.ids.take() {
            match what {
                Dropped::Result(id) => self.forget(id),
                Dropped::Lob(lob) => self.session.lob_close(lob).await?,
            }
        }
        Ok(())
    }

    fn forget(&mut self, id: u64) {
        self.sources.remove(&id);
        self.scrolls.remove(&id);
    }

    /// Begins a transaction in front of a statement, where there is none.
    pub(crate) fn begin_if(&mut self, wanted: bool, sql: &str) -> Result<()> {
        if wanted && !self.session.in_transaction() && self.session.info().is_logged() && !stands_alone(sql) {
            self.session.begin()?;
        }
        Ok(())
    }

    /// Runs a statement.
    pub(crate) async fn execute(&mut self, job: Job) -> Result<Executed> {
        self.forget(job.id);
        self.sweep().await?;
        self.begin_if(job.begin, &job.sql)?;
        if ends_transaction(&job.sql) {
            self.read_ahead().await?;
        }
        self.prepare_if_worth(&job).await?;
        self.session.offer_files(job.files, job.file_limit);
        if job.scrollable {
            let statement = self.session.prepare(&job.sql).await?;
            if statement.returns_rows() {
                let rows = self.session.scroll_open(&job.sql, &job.parameters).await?;
                let columns = Arc::clone(rows.columns());
                self.scrolls.insert(job.id, rows);
                return Ok(Executed {
                    kind: Some(statement.kind()),
                    columns: Some(columns),
                    first: None,
                    more: true,
                    outcome: Outcome::default(),
                    files: Vec::new(),
                });
            }
        }
        let options = QueryOptions {
            sequential: uses_client_files(&job.sql),
            ..QueryOptions::default()
        };
        let ran = self.session.run(&job.sql, &job.parameters, &options).await?;
        let mut executed = Executed {
            kind: ran.kind,
            columns: None,
            first: None,
            more: false,
            outcome: ran.outcome,
            files: Vec::new(),
        };
        if let Some(mut rows) = ran.rows {
            executed.columns = Some(Arc::clone(rows.columns()));
            executed.first = self.session.next_batch(&mut rows).await?;
            // A cursor that is read to its end is closed at once: it would keep tables from being dropped.
            if executed.first.is_some() && !rows.is_done() {
                executed.more = true;
                self.sources.insert(
                    job.id,
                    Source {
                        rows,
                        ready: VecDeque::new(),
                        failed: None,
                    },
                );
            }
        }
        executed.files = self.session.take_files();
        Ok(executed)
    }

    /// Prepares a statement with parameters that comes again (executing it then saves the server the parsing), or that has
    /// text among them (only its description tells whether it goes into a TEXT).
    async fn prepare_if_worth(&mut self, job: &Job) -> Result<()> {
        if job.parameters.is_empty() {
            return Ok(());
        }
        let has_text = job
            .parameters
            .iter()
            .any(|p| matches!(p, Parameter::Value(Value::Text(_))));
        if !has_text && !self.seen.contains(&job.sql) {
            if self.seen.len() >= SEEN {
                self.seen.clear();
            }
            self.seen.insert(job.sql.clone());
            return Ok(());
        }
        // The statement is in the session's cache now.
        self.session.prepare(&job.sql).await.map(drop)
    }

    /// The next rows of a result.
    pub(crate) async fn load(&mut self, id: u64, spent: Option<Batch>) -> Result<Loaded> {
        self.sweep().await?;
        if let Some(batch) = spent {
            self.session.recycle(batch);
        }
        let Some(source) = self.sources.get_mut(&id) else {
            return Ok(Loaded {
                batch: None,
                more: false,
                files: Vec::new(),
            });
        };
        if let Some(batch) = source.ready.pop_front() {
            let more = !source.ready.is_empty() || source.failed.is_some() || !source.rows.is_done();
            if !more {
                self.sources.remove(&id);
            }
            return Ok(Loaded {
                batch: Some(batch),
                more,
                files: Vec::new(),
            });
        }
        if let Some(e) = source.failed.take() {
            self.sources.remove(&id);
            return Err(e);
        }
        // A fetch that is given up here goes on at the next call: the session keeps its reply.
        let fetched = self.session.next_batch(&mut source.rows).await;
        let more = matches!(&fetched, Ok(Some(_))) && !source.rows.is_done();
        if !more {
            self.sources.remove(&id);
        }
        let files = self.session.take_files();
        Ok(Loaded {
            batch: fetched?,
            more,
            files,
        })
    }

    /// Further rows, until there are `wanted` or no more. What has been read stays with the result until the end, so that
    /// nothing is lost when the call is given up. The memory of `spent` is used again.
    pub(crate) async fn load_rows(
        &mut self,
        id: u64,
        wanted: usize,
        spent: Option<Batch>,
    ) -> Result<Vec<Loaded>> {
        self.sweep().await?;
        if let Some(batch) = spent {
            self.session.recycle(batch);
        }
        if let Some(source) = self.sources.get_mut(&id) {
            let mut rows: usize = source.ready.iter().map(Batch::len).sum();
            while rows < wanted && source.failed.is_none() && !source.rows.is_done() {
                match self.session.next_batch(&mut source.rows).await {
                    Ok(Some(batch)) => {
                        rows += batch.len();
                        source.ready.push_back(batch);
                    }
                    Ok(None) => break,
                    Err(e) => source.failed = Some(e),
                }
            }
            // Fewer rows than were asked for would pass for all that there are.
            if rows < wanted
                && let Some(e) = source.failed.take()
            {
                self.sources.remove(&id);
                return Err(e);
            }
        }
        let mut all = Vec::new();
        let mut rows = 0;
        loop {
            let loaded = self.load(id, None).await?;
            rows += loaded.batch.as_ref().map_or(0, Batch::len);
            let more = loaded.more;
            all.push(loaded);
            if !more || rows >= wanted {
                return Ok(all);
            }
        }
    }

    /// Reads every open result to its end: the server closes cursors with the transaction, but the program may go on
    /// fetching (with the peer driver every result is in memory from the start).
    async fn read_ahead(&mut self) -> Result<()> {
        for source in self.sources.values_mut() {
            if source.failed.is_some() {
                continue;
            }
            while !source.rows.is_done() {
                match self.session.next_batch(&mut source.rows).await {
                    Ok(Some(batch)) => source.ready.push_back(batch),
                    Ok(None) => break,
                    Err(e) if e.is_disconnect() => return Err(e),
                    Err(e) => {
                        source.failed = Some(e);
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Commits or rolls back, where there is something to end.
    pub(crate) async fn end(&mut self, commit: bool) -> Result<()> {
        self.sweep().await?;
        if !self.session.in_transaction() {
            return Ok(());
        }
        self.read_ahead().await?;
        if commit {
            self.session.commit().await
        } else {
            self.session.rollback().await
        }
    }

    /// For a pool: as good as new?
    pub(crate) async fn reset(&mut self) -> Result<bool> {
        self.sources.clear();
        self.scrolls.clear();
        self.sweep().await?;
        self.session.reset().await
    }

    /// Ends the session.
    pub(crate) async fn close(&mut self) -> Result<()> {
        self.sources.clear();
        self.scrolls.clear();
        self.session.close().await
    }

    /// Moves a scroll cursor; gives the row, its number from 1, and whether it is the last.
    pub(crate) async fn scroll(&mut self, id: u64, to: ScrollTo) -> Result<Option<(Batch, i64)>> {
        self.sweep().await?;
        let Some(rows) = self.scrolls.get_mut(&id) else {
            return Err(informix::driver::error(
                Kind::Usage,
                0,
                "no scroll cursor is open: execute a query first",
            ));
        };
        let batch = self.session.scroll(rows, to).await?;
        Ok(batch.map(|batch| (batch, rows.position().unwrap_or(0))))
    }

    /// Rows of a scroll cursor from number `next` (from 1) on, at most `limit`.
    pub(crate) async fn scroll_rows(
        &mut self,
        id: u64,
        next: i64,
        limit: usize,
    ) -> Result<Vec<(Batch, i64)>> {
        let mut rows = Vec::new();
        while rows.len() < limit {
            let to = ScrollTo::Absolute(next.saturating_add(rows.len() as i64));
            match self.scroll(id, to).await? {
                Some(row) => rows.push(row),
                None => break,
            }
        }
        Ok(rows)
    }

    /// Prepares a statement for `executemany`.
    pub(crate) async fn start_batch(
        &mut self,
        sql: &str,
        options: BatchOptions,
    ) -> Result<(BatchWriter, BatchRun)> {
        self.sweep().await?;
        let statement = self.session.prepare(sql).await?;
        if statement.returns_rows() {
            return Err(informix::driver::error(Kind::Usage, 0, NO_ROWS_IN_BATCH));
        }
        self.session.batch(&statement, options)
    }

    /// Sends rows of a batch, which ends with the last ones. `begin` is the statement to begin a transaction for.
    pub(crate) async fn send_rows(
        &mut self,
        mut run: BatchRun,
        rows: WrittenRows,
        begin: Option<String>,
        is_last: bool,
    ) -> (BatchRun, Result<()>) {
        let done = async {
            self.sweep().await?;
            if let Some(sql) = begin {
                self.begin_if(true, &sql)?;
            }
            self.session.send_rows(&mut run, rows).await?;
            if is_last {
                self.session.end_batch(&mut run).await?;
            }
            Ok(())
        }
        .await;
        (run, done)
    }

    /// Calls a fast-path routine.
    pub(crate) async fn fast_path(
        &mut self,
        signature: String,
        values: Vec<BindValue>,
    ) -> Result<Vec<BindValue>> {
        self.sweep().await?;
        let handle = match self.routines.get(&signature) {
            Some(handle) => *handle,
            None => {
                let handle = self.session.routine_handle(&signature).await?;
                self.routines.insert(signature, handle);
                handle
            }
        };
        self.session.routine_call(handle, values).await
    }

    /// Makes a large object.
    pub(crate) async fn create_lob(&mut self, kind: LobKind, column: &str, begin: bool) -> Result<Lob> {
        self.sweep().await?;
        self.begin_if(begin, "insert")?;
        self.session.lob_create(kind, column).await
    }

    /// Opens a large object for reading.
    pub(crate) async fn open_lob(&mut self, locator: LobLocator, begin: bool) -> Result<Lob> {
        self.sweep().await?;
        self.begin_if(begin, "select")?;
        self.session.lob_open(&locator).await
    }
}

/// Text of the error for a query in `executemany`.
pub(crate) const NO_ROWS_IN_BATCH: &str =
    "executemany is for statements without rows: run a SELECT with execute";

/// The dial of a blocking or polled session.
pub(crate) fn dial(wait: Wait, layer: Option<Arc<dyn informix::driver::Layer>>) -> Dial {
    Dial {
        wait,
        layer,
        small_reads: std::env::var("IFX_BUFFERED_READER").is_ok_and(|v| v.trim() == "0"),
    }
}
