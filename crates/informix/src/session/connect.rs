//! Connecting and disconnecting: login, SQ_PROTOCOLS, PAM, SQ_INFO, SQ_DBOPEN (`sqli-protocol.md` 2-7, 12).

use std::sync::Arc;
use std::time::Instant;

use informix_protocol::login::ReplyKind;
use informix_protocol::message::{Challenge, DbOpen, Info, Protocols, Response};
use informix_protocol::{Capabilities, ClientMessage, WireText};
use informix_types::TextCodec;

use super::group::Group;
use super::link::{Link, Purpose};
use super::locale::{AskLocale, DatabaseLocale, codec};
use super::login::{accepted, info_variables, login_request};
use super::prepare::StatementCache;
use super::reply::Reply;
use super::{CancelState, Chores, Limit, ServerInfo, Session, TransactionState};
use crate::config::{self, Config, Target};
use crate::error::{Error, Kind, Result};
use crate::transport::{Dialer, Meter, Metered};

/// Name that is tried when the configuration has none: that of the official images.
const DEFAULT_SERVER: &str = "informix";

/// The server went away while it asked questions.
fn refused(error: Error) -> Error {
    if error.kind() == Kind::Disconnected {
        Error::new(
            Kind::Login,
            -951,
            "the answers to the questions of the login were refused",
        )
        .with_source(error)
    } else {
        error
    }
}

/// Most questions of a login.
const MAX_QUESTIONS: usize = 16;

impl Session {
    /// Connects to the first address that answers.
    pub(crate) async fn connect(dialer: &impl Dialer, config: Arc<Config>) -> Result<Self> {
        let ask = if config.discover_locale {
            AskLocale::AtOpening
        } else {
            AskLocale::Never
        };
        Self::connect_asking(dialer, config, ask).await
    }

    /// As [`Session::connect`], and asks the database for its locale then and there.
    pub(crate) async fn connect_asking(
        dialer: &impl Dialer,
        config: Arc<Config>,
        ask: AskLocale,
    ) -> Result<Self> {
        let deadline = Instant::now() + config.connect_timeout;
        let codec = codec(&config, config.wire_locale())?;
        let targets = config.targets()?;
        let mut last = None;
        let rounds = usize::try_from(config.connect_retries)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let mut left = rounds.saturating_mul(targets.len());
        for _ in 0..rounds {
            for target in &targets {
                // An address that does not answer leaves time for the others.
                let share = deadline.saturating_duration_since(Instant::now())
                    / u32::try_from(left).unwrap_or(u32::MAX).max(1);
                left = left.saturating_sub(1);
                let until = Instant::now() + share;
                match Self::connect_to(dialer, &config, codec, target, until, ask).await {
                    Ok(session) => return Ok(session),
                    // A refusal is an answer: other addresses of the same server would give it too.
                    Err(e) if matches!(e.kind(), Kind::Login | Kind::Config | Kind::Tls) => return Err(e),
                    Err(e) => last = Some(e),
                }
                if Instant::now() >= deadline {
                    break;
                }
            }
        }
        Err(last.unwrap_or_else(|| Error::config("there is no address to connect to")))
    }

    async fn connect_to(
        dialer: &impl Dialer,
        config: &Arc<Config>,
        codec: TextCodec,
        target: &Target,
        deadline: Instant,
        ask: AskLocale,
    ) -> Result<Self> {
        let known = target.server.as_deref().or(config.server.as_deref());
        let name = known.unwrap_or(DEFAULT_SERVER);
        let attempt = Self::attempt(dialer, config, codec, target, name, deadline).await?;
        let mut session = match attempt {
            (Some(session), _) => session,
            // The refusal names the server's own DBSERVERNAME (nmap does the same; N).
            (None, Some(name)) if known.is_none() => {
                tracing::debug!(server = name, "server name learnt");
                match Self::attempt(dialer, config, codec, target, &name, deadline).await? {
                    (Some(session), _) => session,
                    (None, _) => return Err(wrong_server(&name, &name)),
                }
            }
            (None, real) => {
                return Err(wrong_server(name, real.as_deref().unwrap_or("another name")));
            }
        };
        session.locale = DatabaseLocale::new(ask, codec, config.database.is_some());
        session.open(deadline).await.map_err(|e| explain(e, target))?;
        Ok(session)
    }

    /// One login. `(None, name)` when the server goes by another name.
    async fn attempt(
        dialer: &impl Dialer,
        config: &Arc<Config>,
        codec: TextCodec,
        target: &Target,
        server: &str,
        deadline: Instant,
    ) -> Result<(Option<Self>, Option<String>)> {
        tracing::debug!(
            host = target.host,
            port = target.port,
            tls = target.tls,
            server,
            "connecting"
        );
        let meter = Arc::new(Meter::default());
        let transport = dialer.dial(target, config, deadline).await?;
        let transport = Box::new(Metered::new(transport, Arc::clone(&meter)));
        let chores = Chores::new();
        let mut link = Link::new(transport, Arc::clone(&chores), config.max_field_bytes);
        link.set_limits(Some(deadline), None);
        link.submit_login(&login_request(config, codec, server)?)?;
        let reply = link.login_reply().await.map_err(|e| explain(e, target))?;
        if reply.svcerror == -761 && reply.kind != ReplyKind::Redirect {
            return Ok((
                None,
                Some(reply.server_name.to_string()).filter(|n| !n.is_empty()),
            ));
        }
        accepted(&reply)?;
        let cancel = CancelState::new(link.interrupter());
        let info = ServerInfo {
            version: reply.version.to_string(),
            name: reply.server_name.to_string(),
            database: None,
            flags: 0,
            serial: reply.serial.to_string(),
            application: reply.protocol.to_string(),
            levels: reply.levels,
        };
        let session = Self {
            link,
            config: Arc::clone(config),
            codec,
            locale: DatabaseLocale::new(AskLocale::Never, codec, false),
            info,
            transaction: TransactionState::default(),
            cache: StatementCache::new(config.statement_cache),
            chores,
            cancel,
            meter,
            next_cursor: 1,
            routines: std::collections::HashMap::new(),
            tainted: false,
            statement_timeout: config.statement_timeout,
            overdue: false,
        };
        Ok((Some(session), None))
    }

    /// What follows the login: SQ_PROTOCOLS, and when it is answered everything else in one write, since groups are
    /// answered in order (`sqli-protocol.md` 13.1, P). With `pipeline_connect` SQ_PROTOCOLS is in that write too: INFO and
    /// DBOPEN have no negotiated width.
    async fn open(&mut self, deadline: Instant) -> Result<()> {
        self.link.set_limits(Some(deadline), None);
        let protocols = ClientMessage::Protocols(Protocols(Capabilities::JDBC));
        let first = self
            .link
            .submit(Group::of(self.group(), &[protocols])?, Purpose::Plain)?;
        let pipelined = self.config.pipeline_connect;
        if !pipelined {
            self.link.finish(&first).await?.check()?;
            if self.link.negotiated().pam() {
                self.authenticate().await?;
            }
        }
        let info = ClientMessage::Info(Info::environment(info_variables(&self.config)));
        let second = self
            .link
            .submit(Group::of(self.group(), &[info])?, Purpose::Plain)?;
        let third = match self.config.database.clone() {
            Some(name) => Some((self.submit_database(&name)?, name)),
            None => None,
        };
        // Its form is negotiated.
        if !pipelined {
            self.ask_with_opening()?;
        }
        if pipelined {
            self.link.finish(&first).await?.check()?;
            if self.link.negotiated().pam() {
                return Err(Error::config(
                    "the server asks questions (PAM) before it goes on: turn pipeline_connect off",
                ));
            }
        }
        self.link.finish(&second).await?.check()?;
        if let Some((ticket, name)) = third {
            let reply = self.link.finish(&ticket).await?;
            self.database_opened(reply, name)?;
        }
        if self.config.database.is_some() {
            let limit = Limit {
                deadline: Some(deadline),
            };
            self.know_locale_at_opening(limit).await?;
        }
        self.apply_modes().await
    }

    fn submit_database(&mut self, name: &str) -> Result<super::link::Ticket> {
        let name = WireText::from(self.encode_sql(name)?);
        let open = ClientMessage::DbOpen(DbOpen { name, exclusive: 0 });
        self.link
            .submit(Group::of(self.group(), &[open])?, Purpose::Plain)
    }

    fn database_opened(&mut self, reply: Reply, name: String) -> Result<()> {
        let reply = reply.check().map_err(|e| {
            let e = if matches!(e.kind(), Kind::Server) {
                e.with_kind(Kind::Login)
            } else {
                e
            };
            e.with_context(format!("opening database {name:?}"))
        })?;
        self.set_database(name, reply.last().done.warnings);
        Ok(())
    }

    /// Opens another database: SQ_DBOPEN, which closes the current one as the statement DATABASE does (I). Its statements are
    /// gone.
    pub(crate) async fn use_database(&mut self, name: &str) -> Result<()> {
        if self.in_transaction() {
            return Err(Error::server(-377, 0, 0, ""));
        }
        if name.is_empty()
            || name
                .chars()
                .any(|c| c.is_whitespace() || c == ';' || c == '\'' || c == '"')
        {
            return Err(Error::server(-354, 0, 0, name));
        }
        self.clear_statements();
        self.start().await?;
        let ticket = self.submit_database(name)?;
        // Until the answer is here nobody knows which database is open: a call that is given up leaves it at that.
        let was_tainted = std::mem::replace(&mut self.tainted, true);
        let limit = self.limit();
        let reply = self.finish(&ticket, limit).await?.check()?;
        self.set_database(name.to_owned(), reply.last().done.warnings);
        self.forget_locale();
        self.know_locale_at_opening(limit).await?;
        self.tainted = was_tainted;
        Ok(())
    }

    /// Names of the databases of the server: SQ_DBLIST (`sqli-protocol.md` 7, N J).
    pub(crate) async fn databases(&mut self) -> Result<Vec<String>> {
        let group = Group::of(self.group(), &[ClientMessage::DbList])?;
        Ok(self.ask(group, Purpose::Plain, "databases").await?.databases)
    }

    pub(super) fn set_database(&mut self, name: String, flags: u16) {
        self.info.database = Some(name);
        self.info.flags = flags;
        self.routines.clear();
    }

    /// PAM: the server asks until it is content (`sqli-protocol.md` 12.3, J).
    async fn authenticate(&mut self) -> Result<()> {
        let mut message = ClientMessage::Ack;
        // A wrong answer is refused at once by servers; a bound for those that would ask for ever.
        for _ in 0..MAX_QUESTIONS {
            let ticket = self
                .link
                .submit(Group::of(self.group(), &[message])?, Purpose::Plain)?;
            // A wrong answer is met with SQ_EXIT: the Java client then says that PAM has refused it.
            let reply = self.link.finish(&ticket).await.map_err(refused)?;
            let reply = reply.check().map_err(|e| e.with_kind(Kind::Login))?;
            let Some(challenge) = reply.challenge.filter(|_| !reply.accepted) else {
                return Ok(());
            };
            message = ClientMessage::Response(self.answer(&challenge)?);
        }
        Err(Error::new(
            Kind::Login,
            -951,
            "the server keeps asking questions: no answer satisfies it",
        ))
    }

    /// The answer of the configured responder, or the password, which is what `pamauth=password` asks for.
    fn answer(&self, challenge: &Challenge) -> Result<Response> {
        let question = config::Challenge {
            prompt: self
                .codec
                .decode(challenge.prompt.as_bytes())
                .map_or_else(|_| challenge.prompt.to_string(), |text| text.into_owned()),
            echo: challenge.style != Challenge::ECHO_OFF,
        };
        let answer = match &self.config.responder {
            Some(responder) => responder.answer(&question).map_err(|e| {
                Error::new(Kind::Login, -951, "a question of the login was not answered").with_source(e)
            })?,
            None => self.config.password.clone().unwrap_or_else(|| "".into()),
        };
        let bytes = self.codec.encode(answer.reveal()).map_err(|e| {
            Error::config("an answer has a character that the client's code set does not have").with_source(e)
        })?;
        Ok(Response(WireText::from(bytes.into_owned())))
    }

    /// Ends the session: EXIT, which rolls an open transaction back (J).
    pub(crate) async fn close(&mut self) -> Result<()> {
        if self.link.check().is_err() {
            return Ok(());
        }
        let exit = Group::of(self.group(), &[ClientMessage::Exit])?;
        drop(self.link.submit(exit, Purpose::Chore)?);
        self.link
            .set_limits(Some(Instant::now() + std::time::Duration::from_secs(2)), None);
        // Whatever the server still says: it has ended the session, or notices the closed socket.
        let _ = self.link.drain().await;
        self.link
            .break_with(Error::closed("the connection was closed by its owner"));
        Ok(())
    }

    /// Says EXIT without waiting for anything, for a connection that is dropped.
    pub(crate) async fn abandon(&mut self, limit: Option<Instant>) {
        if self.link.check().is_ok()
            && let Ok(exit) = Group::of(self.group(), &[ClientMessage::Exit])
            && self.link.submit(exit, Purpose::Chore).is_ok()
        {
            self.link.set_limits(limit, None);
            // The socket is closed right after it.
            let _ = self.link.flush().await;
        }
    }
}

fn wrong_server(asked: &str, real: &str) -> Error {
    Error::new(
        Kind::Login,
        -761,
        format!("asked for {asked:?}, the server calls itself {real:?}"),
    )
}

/// A failure before the session was open: says where.
fn explain(e: Error, target: &Target) -> Error {
    if e.is_timeout() {
        return Error::timeout(
            -27001,
            format!(
                "{}:{} took the connection but did not answer the login within the time limit; is it an SQLI listener, and is TLS {}?",
                target.host,
                target.port,
                if target.tls {
                    "right there"
                } else {
                    "not needed there"
                }
            ),
        );
    }
    if matches!(e.kind(), Kind::Disconnected | Kind::Protocol) {
        let context = format!("logging in at {}:{}: {}", target.host, target.port, e.message());
        return e.with_context(context);
    }
    e
}
