//! Letting clients in: server name, user and password, locale, and the database that text-form logins name.

use std::net::SocketAddr;
use std::sync::Arc;

use informix_protocol::WireText;
use informix_protocol::login::{LoginReply, LoginRequest, MiscBlock, ProcessBlock, ReplyKind, RequestForm};
use informix_types::{Locale, TextCodec};

use crate::engine::{DatabaseFlags, Engine, Session, SessionOptions};
use crate::error::SqlError;

/// Protocol level that is echoed to clients.
const LEVEL: i32 = 316;
/// The warnings word of an accept without a database, as real servers send it (T).
const NO_DATABASE: u16 = 0x14;
/// Attribute of a reply to a binary and to a text login (T, V).
const BINARY_ATTRIBUTE: u8 = 0x3c;
const TEXT_ATTRIBUTE: u8 = 0x3d;
/// Header options of real servers (T).
const OPTIONS: u16 = 0x1000;

/// Answers a login: the session of an admitted client, and what to send in either case.
pub(super) fn admit(
    engine: &Arc<Engine>,
    request: &LoginRequest,
    peer: SocketAddr,
) -> (Option<Session>, LoginReply) {
    match open_session(engine, request, peer) {
        Ok((session, flags)) => {
            let reply = accept(engine, request, flags);
            (Some(session), reply)
        }
        Err(refusal) => {
            tracing::info!(%peer, error = %refusal, "login refused");
            (None, reject(engine, request, &refusal))
        }
    }
}

fn open_session(
    engine: &Arc<Engine>,
    request: &LoginRequest,
    peer: SocketAddr,
) -> Result<(Session, Option<DatabaseFlags>), SqlError> {
    let client_locale = locale(request, "CLIENT_LOCALE")?;
    let codec = client_codec(request);
    let text = |field: &Option<WireText>| {
        field
            .as_ref()
            .map(|field| decode(field.as_bytes(), &codec))
            .unwrap_or_default()
    };
    let server = text(&request.server);
    // nmap asks with a made-up name first and learns the true one from this refusal, so it comes before the password.
    if server != engine.config().server_name {
        return Err(SqlError::new(-761).token(server));
    }
    let user = text(&request.user);
    let password = request
        .password
        .as_ref()
        .map(|password| whole(password.reveal(), &codec))
        .unwrap_or_default();
    if !engine.authenticate(&user, &password) {
        return Err(unknown_user(request, peer));
    }
    let options = SessionOptions {
        user,
        delimident: request
            .variable("DELIMIDENT")
            .is_some_and(|value| *value != "n" && *value != "N"),
        db_locale: locale(request, "DB_LOCALE")?,
        client_locale,
        environment: request
            .environment
            .iter()
            .map(|(name, value)| (decode(name.as_bytes(), &codec), decode(value.as_bytes(), &codec)))
            .collect(),
        host: client_host(request).unwrap_or_else(|| peer.ip().to_string()),
        program: request
            .misc
            .as_ref()
            .map(|misc| text(&misc.application))
            .unwrap_or_default(),
        pid: request.process.as_ref().map_or(0, |process| process.process_id),
        tty: request
            .process
            .as_ref()
            .map(|process| text(&process.terminal))
            .unwrap_or_default(),
    };
    let mut session = engine.session(options)?;
    let database = text(&request.database);
    let flags = match database
        .split_once('@')
        .map_or(database.as_str(), |(name, _)| name)
    {
        "" => None,
        name => Some(session.open_database(&name.to_lowercase(), false)?),
    };
    Ok((session, flags))
}

/// -951 with the insert that real servers send: `user@host` (T).
fn unknown_user(request: &LoginRequest, peer: SocketAddr) -> SqlError {
    let user = request
        .user
        .as_ref()
        .map(|user| decode(user.as_bytes(), &client_codec(request)))
        .unwrap_or_default();
    let host = client_host(request).unwrap_or_else(|| peer.ip().to_string());
    SqlError::new(-951).token(format!("{user}@{host}"))
}

/// The code set of the client's texts before a database is open.
pub(super) fn client_codec(request: &LoginRequest) -> TextCodec {
    locale(request, "CLIENT_LOCALE")
        .ok()
        .flatten()
        .and_then(|locale| locale.codeset().ok())
        .map_or_else(TextCodec::default, TextCodec::new)
}

fn locale(request: &LoginRequest, variable: &str) -> Result<Option<Locale>, SqlError> {
    let Some(text) = request.variable(variable).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let text = text.to_str_lossy();
    let unknown = |error: informix_types::Error| {
        SqlError::new(-23101)
            .token(text.clone())
            .because(error.to_string())
    };
    let locale: Locale = text.parse().map_err(unknown)?;
    locale.codeset().map_err(unknown)?;
    Ok(Some(locale))
}

/// Text up to the first NUL: nmap hands a server name back with the NUL of the reply in it.
fn decode(bytes: &[u8], codec: &TextCodec) -> String {
    whole(bytes.split(|byte| *byte == 0).next().unwrap_or_default(), codec)
}

/// All of a text, NULs too: a password with more behind a NUL is another password.
fn whole(bytes: &[u8], codec: &TextCodec) -> String {
    codec.decode(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        |text| text.into_owned(),
    )
}

fn client_host(request: &LoginRequest) -> Option<String> {
    request
        .process
        .as_ref()?
        .host
        .as_ref()
        .map(|host| host.to_str_lossy().into_owned())
}

fn attribute(request: &LoginRequest) -> u8 {
    if request.form == RequestForm::Binary {
        BINARY_ATTRIBUTE
    } else {
        TEXT_ATTRIBUTE
    }
}

/// The long accept of real servers: a native client insists on the blocks at its end (V).
fn accept(engine: &Engine, request: &LoginRequest, flags: Option<DatabaseFlags>) -> LoginReply {
    LoginReply {
        kind: ReplyKind::Accept,
        attribute: attribute(request),
        options: OPTIONS,
        version: engine.version_text().into(),
        server_name: engine.config().server_name.as_str().into(),
        levels: [LEVEL, 0, 0],
        warnings: flags.map_or(NO_DATABASE, DatabaseFlags::warnings),
        process: Some(ProcessBlock {
            process_id: i32::try_from(std::process::id()).unwrap_or(0),
            thread_id: 0,
            host: Some(engine.config().host_name.as_str().into()),
            terminal: Some("/dev/null".into()),
            directory: Some("/".into()),
        }),
        bind: true,
        misc: Some(MiscBlock {
            user_id: 0,
            group_id: 0,
            application: Some("oninit".into()),
        }),
        ..LoginReply::default()
    }
}

/// A refusal: kind 3 for the vendor's clients and the peer, svcerror for nmap, the true server name for both.
pub(super) fn reject(engine: &Engine, request: &LoginRequest, refusal: &SqlError) -> LoginReply {
    LoginReply {
        kind: ReplyKind::Reject,
        attribute: attribute(request),
        options: OPTIONS,
        version: "V1.0".into(),
        serial: "SER".into(),
        server_name: engine.config().server_name.as_str().into(),
        levels: [0; 3],
        svcerror: i16::try_from(refusal.sqlcode).unwrap_or(i16::MIN),
        oserror: i16::try_from(refusal.isam).unwrap_or(0),
        warnings: 0,
        messages: vec![refusal.token.as_str().into()],
        ..LoginReply::default()
    }
}
