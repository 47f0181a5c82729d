//! The session for which a SQLite connection works: what the functions registered on it ask. They are registered once and the
//! session changes, since every registration makes SQLite prepare the connection's statements again.

use std::sync::{Arc, PoisonError, RwLock};

use informix_types::TextCodec;

use super::facts::Facts;
use super::session::key_of;
use crate::error::{SqlError, SqlResult};
use crate::expr::env::LargeObjects;
use crate::expr::{CharWidth, DateFormat, Fact, LocalTime, NoSession, SessionFacts};

/// Shared by a connection with its functions.
#[derive(Default)]
pub(crate) struct Caller(RwLock<Option<Arc<Facts>>>);

impl Caller {
    /// From now on the connection works for the session with these facts.
    pub(crate) fn set(&self, facts: &Arc<Facts>) {
        self.put(Some(Arc::clone(facts)));
    }

    /// The connection works for nobody; what belongs to the session is let go of.
    pub(crate) fn clear(&self) {
        self.put(None);
    }

    fn put(&self, facts: Option<Arc<Facts>>) {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *place, facts);
        drop(place);
        drop(old);
    }

    /// Asks the session.
    fn ask<R>(&self, question: impl FnOnce(&Facts) -> R) -> Option<R> {
        // Nobody writes while a statement runs, so that questions inside of questions do not wait.
        let facts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        facts.as_deref().map(question)
    }

    /// As [`Self::ask`], where there must be a session.
    pub(crate) fn require<R>(&self, question: impl FnOnce(&Facts) -> SqlResult<R>) -> SqlResult<R> {
        self.ask(question)
            .unwrap_or_else(|| Err(SqlError::new(-349).because("a function without its session")))
    }

    /// What identifies the session among those of its thread; 0 for none.
    pub(crate) fn key(&self) -> usize {
        self.ask(key_of).unwrap_or(0)
    }
}

impl SessionFacts for Caller {
    fn statement_time(&self) -> LocalTime {
        self.ask(SessionFacts::statement_time)
            .unwrap_or_else(|| NoSession.statement_time())
    }

    fn user(&self) -> String {
        self.ask(SessionFacts::user).unwrap_or_default()
    }

    fn server_name(&self) -> String {
        self.ask(SessionFacts::server_name).unwrap_or_default()
    }

    fn role(&self, default: bool) -> Option<String> {
        self.ask(|facts| facts.role(default)).flatten()
    }

    fn date_format(&self) -> DateFormat {
        self.ask(SessionFacts::date_format).unwrap_or_default()
    }

    fn char_width(&self) -> CharWidth {
        self.ask(SessionFacts::char_width).unwrap_or_default()
    }

    fn text_codec(&self) -> TextCodec {
        self.ask(SessionFacts::text_codec).unwrap_or_default()
    }

    fn ansi(&self) -> bool {
        self.ask(SessionFacts::ansi).unwrap_or_default()
    }

    fn dbinfo(&self, option: &str, argument: Option<&str>) -> SqlResult<Fact> {
        self.require(|facts| facts.dbinfo(option, argument))
    }

    fn large_objects(&self) -> Option<&dyn LargeObjects> {
        Some(self)
    }

    fn call(&self, name: &str, arguments: &[Fact]) -> SqlResult<Fact> {
        self.require(|facts| facts.call(name, arguments))
    }
}

impl LargeObjects for Caller {
    fn open(&self, locator: &[u8]) -> SqlResult<i64> {
        self.require(|facts| LargeObjects::open(&facts.lobs, locator))
    }

    fn close(&self, descriptor: i64) -> SqlResult<()> {
        self.require(|facts| LargeObjects::close(&facts.lobs, descriptor))
    }

    fn export(&self, locator: &[u8], name: &str, place: &str) -> SqlResult<String> {
        self.require(|facts| LargeObjects::export(&facts.lobs, locator, name, place))
    }

    fn import(&self, name: &str, place: &str) -> SqlResult<Vec<u8>> {
        self.require(|facts| LargeObjects::import(&facts.lobs, name, place))
    }

    fn copy(&self, locator: &[u8]) -> SqlResult<Vec<u8>> {
        self.require(|facts| LargeObjects::copy(&facts.lobs, locator))
    }
}
