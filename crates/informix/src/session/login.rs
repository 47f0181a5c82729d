//! The login request, what counts as an acceptance, and the environment of a session (`sqli-protocol.md` 3, 4, 6).

use informix_protocol::WireText;
use informix_protocol::login::{
    LoginReply, LoginRequest, MiscBlock, Password as WirePassword, ProcessBlock, ReplyKind,
};
use informix_types::TextCodec;

use crate::config::Config;
use crate::error::{Error, Kind, Result};

/// Variables that travel in the login; all others go into SQ_INFO (`jdbc-observed.md` 1).
const LOGIN_VARIABLES: &[&str] = &[
    "DBDATE",
    "GL_DATE",
    "NODEFDAC",
    "STMT_CACHE",
    "DBSPACETEMP",
    "DBPATH",
    "IFX_UPDDESC",
];

/// Success is kind 2 and svcerror 0; anything else is a refusal (`sqli-protocol.md` 4).
pub(super) fn accepted(reply: &LoginReply) -> Result<()> {
    if reply.kind == ReplyKind::Redirect {
        return Err(Error::new(
            Kind::Login,
            -25598,
            "a connection manager redirects to another server, which this client cannot follow: give the server's own address",
        ));
    }
    if reply.accepted() {
        return Ok(());
    }
    let code = if reply.svcerror == 0 {
        -1809
    } else {
        i32::from(reply.svcerror)
    };
    let insert = reply
        .messages
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    Err(Error::server(code, i32::from(reply.oserror), 0, insert).with_kind(Kind::Login))
}

/// The request for a server of that name.
pub(super) fn login_request(config: &Config, codec: TextCodec, server: &str) -> Result<LoginRequest> {
    let encode = |text: &str| {
        codec
            .encode(text)
            .map(|bytes| WireText::from(bytes.into_owned()))
            .map_err(|e| {
                Error::config("a login text has a character that the client's code set does not have")
                    .with_source(e)
            })
    };
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    let directory = std::env::current_dir()
        .map(|d| d.to_string_lossy().into_owned())
        .unwrap_or_default();
    let pid = std::process::id();
    let application = config
        .application
        .clone()
        .unwrap_or_else(|| format!("informix-rs@pid{pid}"));
    let environment = login_variables(config)
        .into_iter()
        .map(|(name, value)| Ok((WireText::from(name), encode(&value)?)))
        .collect::<Result<_>>()?;
    Ok(LoginRequest {
        user: Some(encode(&config.login_user())?),
        password: config
            .password
            .as_ref()
            .map(|p| encode(p.reveal()).map(WirePassword::new))
            .transpose()?,
        // 04000000 asks for a trusted connection (J).
        options: if config.trusted_context { 0x0400_0003 } else { 3 },
        server: Some(encode(server)?),
        // A database in the login makes a later DBOPEN fail with -759 (P).
        database: None,
        environment,
        process: Some(ProcessBlock {
            process_id: i32::try_from(pid).unwrap_or(0),
            host: Some(host.into()),
            directory: Some(directory.into()),
            ..ProcessBlock::default()
        }),
        misc: Some(MiscBlock {
            application: Some(encode(&application)?),
            ..MiscBlock::default()
        }),
        ..LoginRequest::default()
    })
}

/// The environment of the login, in the order of the vendor's Java client (`sqli-protocol.md` 3.4).
fn login_variables(config: &Config) -> Vec<(String, String)> {
    let given = |name: &str| {
        config
            .environment
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone())
    };
    let mut list = vec![
        (
            "DBPATH".to_owned(),
            given("DBPATH").unwrap_or_else(|| ".".to_owned()),
        ),
        (
            "CLIENT_LOCALE".to_owned(),
            config.effective_client_locale().to_owned(),
        ),
        ("CLNT_PAM_CAPABLE".to_owned(), "1".to_owned()),
    ];
    match given("DBDATE") {
        Some(format) => list.push(("DBDATE".to_owned(), format)),
        None if config.db_locale.is_none() && given("GL_DATE").is_none() => {
            list.push(("DBDATE".to_owned(), "Y4MD-".to_owned()));
        }
        None => {}
    }
    list.push((
        "IFX_UPDDESC".to_owned(),
        given("IFX_UPDDESC").unwrap_or_else(|| "1".to_owned()),
    ));
    if let Some(locale) = &config.db_locale {
        list.push(("DB_LOCALE".to_owned(), locale.clone()));
    }
    list.push((
        "NODEFDAC".to_owned(),
        given("NODEFDAC").unwrap_or_else(|| "no".to_owned()),
    ));
    if config.delimident {
        list.push(("DELIMIDENT".to_owned(), "y".to_owned()));
    }
    for name in ["GL_DATE", "STMT_CACHE", "DBSPACETEMP"] {
        if let Some(value) = given(name) {
            list.push((name.to_owned(), value));
        }
    }
    list
}

/// The environment of SQ_INFO (`sqli-protocol.md` 6).
pub(super) fn info_variables(config: &Config) -> Vec<(WireText, WireText)> {
    let mut list: Vec<(String, String)> = vec![
        ("DBTEMP".to_owned(), "/tmp".to_owned()),
        ("SUBQCACHESZ".to_owned(), "10".to_owned()),
    ];
    for (name, value) in &config.environment {
        if LOGIN_VARIABLES.contains(&name.as_str()) {
            continue;
        }
        match list.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => old.clone_from(value),
            None => list.push((name.clone(), value.clone())),
        }
    }
    if let Some(label) = &config.application {
        list.push(("CLIENT_LABEL".to_owned(), label.clone()));
    }
    list.into_iter().map(|(n, v)| (n.into(), v.into())).collect()
}
