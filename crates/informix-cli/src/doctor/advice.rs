//! One sentence for each way a connection fails: what to change.

use informix::error::Kind;

use super::listener::Listener;

/// What the doctor knows when it speaks.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    /// DBSERVERNAME that the client asked for.
    pub(crate) server: Option<String>,
    /// DBSERVERNAME that the server calls itself.
    pub(crate) true_server: Option<String>,
    pub(crate) database: Option<String>,
    /// Databases that the server lists.
    pub(crate) databases: Vec<String>,
    pub(crate) client_locale: Option<String>,
    pub(crate) db_locale: Option<String>,
    /// Locale of the database as the server's catalog has it.
    pub(crate) true_locale: Option<String>,
    /// The client asked for TLS.
    pub(crate) tls: bool,
    /// What listens there, when login got no sensible answer.
    pub(crate) listener: Option<Listener>,
}

impl Case {
    fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    fn database(&self) -> &str {
        self.database.as_deref().unwrap_or("(none)")
    }
}

/// A name that does not resolve.
pub(crate) fn unresolved(host: &str) -> String {
    format!(
        "The host name {host:?} does not resolve: correct it in the URL or the sqlhosts file, or add it to DNS or the hosts file."
    )
}

/// A TCP connect that failed.
pub(crate) fn unreachable(case: &Case, error: &std::io::Error) -> String {
    let place = case.place();
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => format!(
            "Nothing listens at {place}: correct the port (the server's sqlhosts file names it, usually 9088), or start the server."
        ),
        std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => format!(
            "{place} does not answer: correct the host, or let the firewall between pass TCP port {}.",
            case.port
        ),
        std::io::ErrorKind::HostUnreachable | std::io::ErrorKind::NetworkUnreachable => {
            format!(
                "No route leads to {place}: correct the host, or the network (VPN, routing) of this machine."
            )
        }
        _ => format!("No TCP connection to {place} ({error}): correct host or port."),
    }
}

/// A login or an open that failed, by SQLCODE and kind.
pub(crate) fn refused(case: &Case, kind: Kind, sqlcode: i32, token: &str) -> String {
    let place = case.place();
    match sqlcode {
        -25560 => "No address is given: write a URL (informix://user:password@host:9088/database), or set INFORMIXSERVER and INFORMIXSQLHOSTS.".to_owned(),
        -25553 => "The sqlhosts file is not found: set INFORMIXSQLHOSTS to its path, or write host and port into the URL.".to_owned(),
        -25596 | -25555 => format!(
            "The sqlhosts file does not know the server {}: correct INFORMIXSERVER, or add the server to the file.",
            quoted(case.server.as_deref().unwrap_or(token))
        ),
        -25556 | -27004 => "The sqlhosts entry is malformed: correct its line (name, protocol, host, port).".to_owned(),
        -761 => match &case.true_server {
            Some(name) => format!(
                "The server at {place} is called {name:?}, not {}: give server={name}.",
                quoted(case.server.as_deref().unwrap_or_default())
            ),
            None => format!(
                "The server at {place} is not called {}: give the DBSERVERNAME of its onconfig file as server=…, or leave server out.",
                quoted(case.server.as_deref().unwrap_or_default())
            ),
        },
        -952..=-950 => format!(
            "The server refuses user {:?} with this password: correct the user or the password of the URL.",
            case.user
        ),
        -956 | -954 => "The server does not trust this machine for a login without password: give a password in the URL.".to_owned(),
        -329 if case.databases.is_empty() => format!(
            "There is no database {:?}, or user {:?} may not see it: correct the database of the URL, or create it.",
            case.database(), case.user
        ),
        -329 => format!(
            "There is no database {:?}: give one of {}, or create it.",
            case.database(),
            case.databases.join(", ")
        ),
        -387 => format!(
            "User {:?} may not connect to database {:?}: let its owner run GRANT CONNECT TO {}.",
            case.user, case.database(), case.user
        ),
        -354 | -909 | -27008 => "The name of the database or the server is malformed: correct it in the URL.".to_owned(),
        -23197 => match &case.true_locale {
            Some(locale) => format!(
                "Database {:?} has the locale {locale}, not {}: give db_locale={locale}.",
                case.database(),
                case.db_locale.as_deref().unwrap_or("en_US.8859-1 (the default)")
            ),
            None => format!(
                "Database {:?} has another locale than {}: give its own as db_locale=… (sysmaster:sysdbslocale lists it).",
                case.database(),
                case.db_locale.as_deref().unwrap_or("en_US.8859-1 (the default)")
            ),
        },
        -23101 => format!(
            "The server does not know the locale {}: correct client_locale and db_locale (form en_US.utf8).",
            locales(case)
        ),
        -23104 | -23115 => format!(
            "No conversion exists between the code sets of {}: give a client_locale with the database's code set or UTF-8.",
            locales(case)
        ),
        -27002 => "The server is in quiescent mode and takes no users: let its administrator run onmode -m.".to_owned(),
        -27001 | -27003 => format!("The server at {place} gave up the login half way: look into its message log, then try again."),
        -25590 | -25561 => "The server asks for an authentication that is not spoken here (PAM, CSM): use a listener with password login.".to_owned(),
        -759 => "The server does not let this session open a database by name: leave the database out of the URL.".to_owned(),
        _ => by_listener(case, kind, sqlcode),
    }
}

fn by_listener(case: &Case, kind: Kind, sqlcode: i32) -> String {
    let place = case.place();
    match (case.listener, case.tls) {
        (Some(Listener::Tls), false) => {
            return format!(
                "{place} speaks TLS: write informixs:// instead of informix://, or use the port of the plain listener (onsoctcp)."
            );
        }
        (Some(Listener::Drda), _) => {
            return format!(
                "{place} is a DRDA listener (drsoctcp), which this client does not speak: use the port of an onsoctcp listener, usually 9088."
            );
        }
        (Some(Listener::Http), _) => {
            return format!("{place} is an HTTP server: use the port of an onsoctcp listener, usually 9088.");
        }
        (Some(Listener::Other), _) => {
            return format!(
                "{place} is a server of another protocol: use the port of an onsoctcp listener, usually 9088."
            );
        }
        (Some(Listener::Closing), _) => {
            return format!(
                "{place} takes connections and closes them at once: correct the port, or look into the server's message log for why it does."
            );
        }
        (Some(Listener::Silent), true) => {
            return format!(
                "{place} does not speak TLS: write informix:// instead of informixs://, or use the port of the TLS listener (onsocssl)."
            );
        }
        (Some(Listener::Silent), false) => {
            return format!(
                "{place} takes connections but does not answer a login: correct the port, or restart the server if it hangs."
            );
        }
        _ => {}
    }
    match kind {
        Kind::Tls => format!(
            "{place} speaks TLS but its certificate is not accepted: give the file of its authority as tls_ca=…, or the name in the certificate as tls_name=…."
        ),
        Kind::Timeout => format!(
            "The server at {place} does not answer in time: give a longer connect_timeout, or look into the server's load."
        ),
        Kind::Config => "The connection text is wrong: correct what the message names.".to_owned(),
        Kind::Protocol => format!(
            "{place} answers something that is not SQLI: use the port of an onsoctcp listener, usually 9088."
        ),
        Kind::Disconnected => format!(
            "{place} closed the connection during the login: look into the server's message log for why it did."
        ),
        _ => format!(
            "The server at {place} refuses the login with error {sqlcode}: look the number up, or ask its administrator."
        ),
    }
}

fn quoted(name: &str) -> String {
    format!("{name:?}")
}

fn locales(case: &Case) -> String {
    match (&case.client_locale, &case.db_locale) {
        (Some(client), Some(db)) if client != db => format!("{client} and {db}"),
        (Some(one), _) | (None, Some(one)) => one.clone(),
        (None, None) => "en_US.8859-1".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        Case {
            host: "db1".into(),
            port: 9088,
            user: "kim".into(),
            server: Some("ids".into()),
            database: Some("stores".into()),
            client_locale: Some("en_US.utf8".into()),
            db_locale: Some("en_US.819".into()),
            ..Case::default()
        }
    }

    /// Every sentence, to be read as a whole.
    #[test]
    fn sentences() {
        let mut all = vec![unresolved("db1")];
        for kind in [
            std::io::ErrorKind::ConnectionRefused,
            std::io::ErrorKind::TimedOut,
            std::io::ErrorKind::HostUnreachable,
            std::io::ErrorKind::InvalidInput,
        ] {
            all.push(unreachable(&case(), &kind.into()));
        }
        let codes = [
            -25560, -25553, -25596, -25556, -761, -951, -956, -329, -387, -354, -23197, -23101, -23104,
            -27002, -27001, -25590, -759,
        ];
        for code in codes {
            all.push(format!("{code}: {}", refused(&case(), Kind::Login, code, "")));
        }
        let known = Case {
            true_server: Some("informix".into()),
            true_locale: Some("en_US.utf8".into()),
            databases: vec!["sysmaster".into(), "testdb".into()],
            ..case()
        };
        for code in [-761, -329, -23197] {
            all.push(format!(
                "{code} known: {}",
                refused(&known, Kind::Login, code, "")
            ));
        }
        for listener in [
            Listener::Tls,
            Listener::Drda,
            Listener::Http,
            Listener::Other,
            Listener::Closing,
            Listener::Silent,
        ] {
            let case = Case {
                listener: Some(listener),
                ..case()
            };
            all.push(format!(
                "{listener:?}: {}",
                refused(&case, Kind::Protocol, -908, "")
            ));
        }
        let plain = Case {
            listener: Some(Listener::Silent),
            tls: true,
            ..case()
        };
        all.push(format!("plain for TLS: {}", refused(&plain, Kind::Tls, -908, "")));
        for kind in [
            Kind::Tls,
            Kind::Timeout,
            Kind::Config,
            Kind::Protocol,
            Kind::Disconnected,
            Kind::Login,
        ] {
            all.push(format!("{kind:?}: {}", refused(&case(), kind, -1, "")));
        }
        insta::assert_snapshot!(all.join("\n"));
        for sentence in &all {
            assert!(sentence.ends_with('.'), "{sentence}");
        }
    }

    #[test]
    fn an_ipv6_address_is_bracketed() {
        let case = Case {
            host: "::1".into(),
            ..case()
        };
        assert!(refused(&case, Kind::Timeout, -1, "").contains("[::1]:9088"));
    }
}
