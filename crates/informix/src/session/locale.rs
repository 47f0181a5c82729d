//! The code set of the database, when nobody has told it: asked for without waiting.
//!
//! The answer is needed for text that is not plain ASCII, the same in every code set of a database, and for rows. So the
//! question travels in front of the first request behind the opening of the database, or with the opening itself, in the same
//! write; its answer comes before the other's. Only a request with other text than ASCII waits for it first.

use informix_protocol::ClientMessage;
use informix_protocol::message::NFetch;
use informix_types::locale::CodeSetOverride;
use informix_types::{DecodePolicy, Locale, TextCodec};

use super::group::Group;
use super::link::{Purpose, Ticket};
use super::prepare::Prepared;
use super::reply::Reply;
use super::{Chore, DATABASE_LOCALE, Limit, Session};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::row::{Batch, RowRef};

/// Id of the first statement of a session. Elsewhere an id is never guessed: this one is free for certain, and the pure Python
/// driver and nmap's scripts, which know no other, have worked with it on real servers (`sqli-protocol.md` 8, P N).
const FIRST_STATEMENT: i16 = 0;

/// Bytes asked for at once: more than the one row has.
const FETCH: i32 = 4096;

/// The codec of a locale.
pub(super) fn codec(config: &Config, name: &str) -> Result<TextCodec> {
    let policy = if config.replace_undecodable {
        DecodePolicy::Replace
    } else {
        DecodePolicy::Strict
    };
    let bad = |e: informix_types::Error| Error::config(format!("locale {name:?}")).with_source(e);
    let locale: Locale = name.parse().map_err(bad)?;
    let overrides = match &config.new_code_set {
        Some(list) => CodeSetOverride::parse_list(list)
            .map_err(|e| Error::config(format!("newcodeset {list:?}")).with_source(e))?,
        None => Vec::new(),
    };
    locale.codec(&overrides, policy).map_err(bad)
}

/// Whether and when a session asks a database for its locale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskLocale {
    /// Never: that of the configuration holds.
    Never,
    /// When the database is opened; it is known when the connection is there.
    AtOpening,
    /// With the first request.
    WithRequest,
}

/// What a session knows of the locale of its database.
#[derive(Debug)]
pub(super) struct DatabaseLocale {
    ask: AskLocale,
    state: State,
    /// The locale of the database, when its code set is another one than the configuration's.
    name: Option<String>,
    /// What holds until the database tells otherwise.
    configured: TextCodec,
}

#[derive(Debug)]
enum State {
    /// Known, or nobody asks.
    Settled,
    /// To be asked for. `first`: nothing has been prepared in the session.
    Unasked { first: bool },
    /// Asked in front of a request. The tickets stay here, so that a call that is given up loses no answer.
    Asked { opened: Ticket, fetched: Ticket },
}

impl DatabaseLocale {
    pub(super) fn new(ask: AskLocale, configured: TextCodec, opens_database: bool) -> Self {
        let state = if ask == AskLocale::Never || !opens_database {
            State::Settled
        } else {
            State::Unasked { first: true }
        };
        Self {
            ask,
            state,
            name: None,
            configured,
        }
    }

    fn is_settled(&self) -> bool {
        matches!(self.state, State::Settled)
    }
}

impl Session {
    /// Whether the code set of the database is known, or will never be asked for.
    pub(crate) fn knows_locale(&self) -> bool {
        self.locale.is_settled()
    }

    /// Another database was opened, by whatever means.
    pub(super) fn forget_locale(&mut self) {
        if self.locale.ask != AskLocale::Never {
            self.locale.state = State::Unasked { first: false };
            self.locale.name = None;
            self.codec = self.locale.configured;
        }
    }

    /// The client locale in use.
    pub(crate) fn client_locale(&self) -> &str {
        let of_database = self.locale.name.as_deref();
        of_database.unwrap_or_else(|| self.config.effective_client_locale())
    }

    /// Makes sure that the code set is known.
    pub(crate) async fn know_locale(&mut self) -> Result<()> {
        if self.locale.is_settled() {
            return Ok(());
        }
        self.start().await?;
        let limit = self.limit();
        self.know_locale_within(limit).await
    }

    /// As [`Session::know_locale`], for text: plain ASCII needs no code set.
    pub(super) async fn know_locale_for(&mut self, is_ascii: bool) -> Result<()> {
        if is_ascii {
            return Ok(());
        }
        self.know_locale().await
    }

    /// When a database has just been opened at connecting: the question is there already, or it is asked now.
    pub(super) async fn know_locale_at_opening(&mut self, limit: Limit) -> Result<()> {
        if self.locale.ask != AskLocale::AtOpening {
            return Ok(());
        }
        self.ask_ahead().await?;
        self.know_locale_within(limit).await
    }

    async fn know_locale_within(&mut self, limit: Limit) -> Result<()> {
        self.hear_locale(limit).await?;
        match self.locale.state {
            State::Unasked { .. } => self.ask_by_id(limit).await,
            State::Settled | State::Asked { .. } => Ok(()),
        }
    }

    /// Queues the question in the write that opens the database.
    pub(super) fn ask_with_opening(&mut self) -> Result<()> {
        match (self.locale.ask, &self.locale.state) {
            (AskLocale::AtOpening, State::Unasked { first: true }) => self.submit_question(),
            _ => Ok(()),
        }
    }

    /// In front of every request: the question, when it is still to be asked.
    pub(super) async fn ask_ahead(&mut self) -> Result<()> {
        match self.locale.state {
            State::Settled | State::Asked { .. } => Ok(()),
            State::Unasked { first: true } => self.submit_question(),
            // Whoever guesses an id in a session with other statements may hit one of them.
            State::Unasked { first: false } => {
                let limit = self.limit();
                self.ask_by_id(limit).await
            }
        }
    }

    /// `PREPARE NDESCRIBE WANTDONE CURNAME OPEN`, one group as in the native client's deferred prepare
    /// (`native-observed.md` 3, V), and `ID NFETCH`.
    fn submit_question(&mut self) -> Result<()> {
        let mut question = self.prepare_group(DATABASE_LOCALE)?;
        question.push(&ClientMessage::CursorName(self.cursor_name()))?;
        question.push(&ClientMessage::Open)?;
        let opened = self.link.submit(question, Purpose::Plain)?;
        let fetched = self.submit_fetch_of(FIRST_STATEMENT)?;
        self.locale.state = State::Asked { opened, fetched };
        Ok(())
    }

    fn submit_fetch_of(&mut self, statement: i16) -> Result<Ticket> {
        let fetch = ClientMessage::NFetch(NFetch {
            buffer: FETCH,
            array: 0,
        });
        let group = Group::on(self.group(), statement, &[fetch])?;
        self.link.submit(group, Purpose::Plain)
    }

    /// Takes the answer to a question that is under way. It stands before the reply of the request behind it.
    pub(super) async fn hear_locale(&mut self, limit: Limit) -> Result<()> {
        let State::Asked { opened, fetched } = &self.locale.state else {
            return Ok(());
        };
        let (opened, fetched) = (opened.clone(), fetched.clone());
        let fetched = self.wait(&fetched, limit).await?;
        // It is there: nothing can be given up in between.
        let opened = self.link.finish(&opened).await?;
        self.locale.state = State::Unasked { first: false };
        self.note_implicit_work();
        let was_opened = opened.error.is_none();
        if is_interrupted(&opened) || is_interrupted(&fetched) {
            self.cancel.was_read();
            if self.overdue {
                return Err(super::exceeded());
            }
            // Meant for the request behind it.
            self.cancel.interrupt()?;
        }
        let Some(described) = opened.described else {
            return Ok(());
        };
        let statement = self.describe(DATABASE_LOCALE, &described)?;
        if was_opened {
            self.chores.add(Chore::Close(statement.id));
        }
        if was_opened && fetched.error.is_none() && statement.id == FIRST_STATEMENT {
            let answer = self.locale_in(&statement, fetched);
            return self.settle_locale(answer);
        }
        // Asked again, and by its id, with the next request.
        Ok(())
    }

    /// Asks in steps, as for any query.
    async fn ask_by_id(&mut self, limit: Limit) -> Result<()> {
        let answer = self.asked_by_id(limit).await;
        self.settle_locale(answer)
    }

    async fn asked_by_id(&mut self, limit: Limit) -> Result<Option<String>> {
        let group = self.prepare_group(DATABASE_LOCALE)?;
        let ticket = self.link.submit(group, Purpose::Prepare)?;
        let reply = self.wait(&ticket, limit).await?.check()?;
        self.note_implicit_work();
        let Some(described) = reply.described else {
            return Ok(None);
        };
        let statement = self.describe(DATABASE_LOCALE, &described)?;
        let name = ClientMessage::CursorName(self.cursor_name());
        let group = Group::on(self.group(), statement.id, &[name, ClientMessage::Open])?;
        let opening = self.link.submit(group, Purpose::Open(statement.id))?;
        let fetching = self.submit_fetch_of(statement.id)?;
        self.wait(&opening, limit).await?.check()?;
        self.chores.add(Chore::Close(statement.id));
        let reply = self.wait(&fetching, limit).await?.check()?;
        self.locale_in(&statement, reply)
    }

    /// The locale in the one row of the answer.
    fn locale_in(&self, statement: &Prepared, reply: Reply) -> Result<Option<String>> {
        let Some(rows) = reply.rows.into_iter().next() else {
            return Ok(None);
        };
        let batch = Batch::new(statement.layout(self, false)?, rows)?;
        if batch.len() == 0 {
            return Ok(None);
        }
        RowRef::new(&batch, 0).get(0)
    }

    /// Uses what was found. A catalog that does not tell, or tells what nobody knows, is an error when the configuration demands
    /// an answer; otherwise the configuration's locale holds.
    fn settle_locale(&mut self, answer: Result<Option<String>>) -> Result<()> {
        match answer.and_then(|found| self.use_locale(found.as_deref().map(str::trim))) {
            Err(e)
                if self.config.discover_locale
                    || self.is_broken()
                    || e.is_timeout()
                    || e.sqlcode() == -213 =>
            {
                Err(e)
            }
            told => {
                if let Err(error) = told {
                    tracing::debug!(%error, "the database does not tell its locale");
                }
                self.locale.state = State::Settled;
                Ok(())
            }
        }
    }

    fn use_locale(&mut self, name: Option<&str>) -> Result<()> {
        let Some(name) = name else {
            return Ok(());
        };
        let found = codec(&self.config, name)?;
        if found.codeset != self.locale.configured.codeset {
            self.locale.name = Some(name.to_owned());
        }
        self.codec = found;
        Ok(())
    }
}

fn is_interrupted(reply: &Reply) -> bool {
    matches!(&reply.error, Some((e, _)) if e.sqlcode == -213)
}
