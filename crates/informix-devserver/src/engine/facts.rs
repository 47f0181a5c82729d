//! What SQL functions learn about their session while a statement runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use informix_types::TextCodec;

use super::config::SessionOptions;
use super::sequence::Sequences;
use super::serial::Serials;
use super::server::Engine;
use crate::error::{SqlError, SqlResult};
use crate::expr::env::LargeObjects;
use crate::expr::{CharWidth, DateFormat, Fact, LocalTime, SessionFacts};
use crate::lobs::SessionLobs;

/// Shared by a session with the functions registered on its connections.
pub(crate) struct Facts {
    /// Weak, as idle connections of the engine still know their last session.
    engine: Weak<Engine>,
    session: i32,
    state: Mutex<State>,
    pub(crate) serials: Serials,
    pub(crate) sequences: Sequences,
    pub(crate) lobs: SessionLobs,
}

#[derive(Clone)]
struct State {
    time: LocalTime,
    user: String,
    role: Option<String>,
    date_format: DateFormat,
    database: String,
    codec: TextCodec,
    char_width: CharWidth,
    ansi: bool,
    /// `sqlca.sqlerrd2`.
    rows: i64,
}

impl Facts {
    pub(crate) fn new(engine: &Arc<Engine>, session: i32, options: &SessionOptions) -> Self {
        let dbdate = options.environment.iter().find(|(name, _)| name == "DBDATE");
        let state = State {
            time: LocalTime::now_utc(),
            user: options.user.clone(),
            role: None,
            date_format: dbdate
                .and_then(|(_, value)| DateFormat::parse(value))
                .unwrap_or_default(),
            database: String::new(),
            codec: TextCodec::default(),
            char_width: CharWidth::default(),
            ansi: false,
            rows: 0,
        };
        let serials = Serials::new(Arc::downgrade(engine));
        let sequences = Sequences::new(Arc::downgrade(engine));
        Self {
            engine: Arc::downgrade(engine),
            session,
            state: Mutex::new(state),
            serials,
            sequences,
            lobs: SessionLobs::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine, which lives as long as a session does.
    fn engine(&self) -> SqlResult<Arc<Engine>> {
        self.engine
            .upgrade()
            .ok_or_else(|| SqlError::new(-349).because("the server has ended"))
    }

    /// A statement begins: CURRENT stays the same until the next one.
    pub(crate) fn statement_begins(&self) {
        self.state().time = LocalTime::now_utc();
    }

    pub(crate) fn statement_ended(&self, rows: i64) {
        self.state().rows = rows;
    }

    pub(crate) fn entered(&self, database: &super::DatabaseInfo) {
        let codec = database.codec();
        let codeset = codec.codeset;
        let mut state = self.state();
        state.codec = codec;
        state.database.clone_from(&database.name);
        state.ansi = database.mode.is_ansi();
        state.char_width = match codeset.max_bytes_per_char() {
            1 => CharWidth::Single,
            _ if codeset.is_utf8() => CharWidth::Utf8,
            _ => CharWidth::Double,
        };
    }

    pub(crate) fn left(&self) {
        self.state().database.clear();
    }

    pub(crate) fn set_user(&self, user: &str) {
        user.clone_into(&mut self.state().user);
    }

    pub(crate) fn set_role(&self, role: Option<String>) {
        self.state().role = role;
    }
}

impl SessionFacts for Facts {
    fn statement_time(&self) -> LocalTime {
        self.state().time
    }

    fn user(&self) -> String {
        self.state().user.clone()
    }

    fn server_name(&self) -> String {
        self.engine()
            .map(|engine| engine.config.server_name.clone())
            .unwrap_or_default()
    }

    fn role(&self, default: bool) -> Option<String> {
        if default { None } else { self.state().role.clone() }
    }

    fn date_format(&self) -> DateFormat {
        self.state().date_format
    }

    fn char_width(&self) -> CharWidth {
        self.state().char_width
    }

    fn text_codec(&self) -> TextCodec {
        self.state().codec
    }

    fn ansi(&self) -> bool {
        self.state().ansi
    }

    fn large_objects(&self) -> Option<&dyn LargeObjects> {
        Some(&self.lobs)
    }

    /// informix-sql.md 10.
    fn dbinfo(&self, option: &str, argument: Option<&str>) -> SqlResult<Fact> {
        let engine = self.engine()?;
        let version = &engine.config.version;
        let text = |value: &str| Ok(Fact::Text(value.to_owned()));
        match (option, argument) {
            ("dbname", None) => {
                let database = self.state().database.clone();
                Ok(if database.is_empty() {
                    Fact::Null
                } else {
                    Fact::Text(database)
                })
            }
            ("dbhostname", None) => text(&engine.config.host_name),
            ("sessionid", None) => Ok(Fact::Integer(i64::from(self.session))),
            ("sqlca.sqlerrd1", None) => Ok(Fact::Integer(self.serials.last().serial)),
            ("serial8", None) => Ok(Fact::Integer(self.serials.last().serial8)),
            ("bigserial", None) => Ok(Fact::Integer(self.serials.last().bigserial)),
            ("sqlca.sqlerrd2", None) => Ok(Fact::Integer(self.state().rows)),
            ("version", Some(part)) => {
                let (release, level) = split_version(version);
                let (major, minor) = release.split_once('.').unwrap_or((release, "0"));
                match part.to_ascii_lowercase().as_str() {
                    "full" => text(&engine.version_text()),
                    "server-type" => text("IBM Informix Dynamic Server"),
                    "major" => text(major),
                    "minor" => text(minor),
                    "level" => text(level),
                    "os" => text("F"),
                    _ => Err(SqlError::new(-945).because(format!("version option {part:?}"))),
                }
            }
            ("dbspace", Some(_)) => text("rootdbs"),
            ("utc_current", None) => Ok(Fact::Integer(self.state().time.utc_seconds)),
            ("get_tz", None) => text("UTC"),
            ("cdrsession", None) => Ok(Fact::Integer(0)),
            ("coserverid", _) => Ok(Fact::Integer(1)),
            _ => Err(SqlError::new(-728).because(format!("dbinfo option {option:?}"))),
        }
    }
}

/// `14.10.FC7W1` -> release `14.10`, level `C7W1` (the letter before it is the platform).
fn split_version(version: &str) -> (&str, &str) {
    match version.rfind('.') {
        Some(dot) => {
            let level = version.get(dot + 1..).unwrap_or_default();
            (
                version.get(..dot).unwrap_or_default(),
                level.get(1..).unwrap_or_default(),
            )
        }
        None => (version, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_apart() {
        assert_eq!(split_version("14.10.FC7W1"), ("14.10", "C7W1"));
        assert_eq!(split_version("15.0.1.0.3"), ("15.0.1.0", ""));
        assert_eq!(split_version("14"), ("14", ""));
    }
}
