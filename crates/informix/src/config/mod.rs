//! Where and how to connect: [`Config`], its text forms and the environment.
//!
//! A value given in text or by a method wins over the process environment, that wins over the
//! `sqlhosts` file, that wins over the defaults (`connection-config.md` 4, D).
//!
//! Every text form knows the same parameters, by our names and by those of other Informix clients, without regard to
//! case:
//!
//! | parameter | also | meaning |
//! |---|---|---|
//! | `user`, `password` | `uid`, `pwd` | login |
//! | `host`, `port` | `ifxhost`; `portno`, `service` | address, where the form has no other place for it |
//! | `database` | `db` | database to open |
//! | `server` | `informixserver` | DBSERVERNAME; learnt from the server when left out |
//! | `sqlhosts` | `informixsqlhosts`, `sqlh_file` | file to look the server up in when no host is given |
//! | `protocol` | | `onsoctcp`, `onsocssl` (TLS) |
//! | `client_locale`, `db_locale` | `cloc`, `dloc` | locales; the code set of `db_locale` is that of all text |
//! | `discover_locale` | | ask the database for its locale |
//! | `newcodeset` | | code sets that stand for others |
//! | `decode` | | `strict`, `replace` |
//! | `connect_timeout`, `connect_retries` | `informixcontime`, `informixconretry`; `logintimeout` (ms) | 15 s, 0 |
//! | `read_timeout`, `statement_timeout` | `ifx_soc_timeout` (ms); `query_timeout` | none |
//! | `keepalive` | `ifx_soc_keepalive` | yes |
//! | `fetch_buffer`, `max_fetch_buffer` | `fet_buf_size` | 32 KiB, 1 MiB |
//! | `statement_cache` | | 64 |
//! | `pipeline_connect` | | no |
//! | `isolation`, `lock_wait` | `ifx_isolation_level`, `ifx_lock_mode_wait` | as the database has them |
//! | `delimident`, `trusted_context`, `application` | `client_label` | |
//! | `tls`, `tls_ca`, `tls_cert`, `tls_key`, `tls_name` | `sslconnection`, `sslrootcert` | TLS and its PEM files |
//! | `tls_verify` | | `full`, `chain`, `danger-nothing` |
//! | `DBDATE`, `PDQPRIORITY`, …, `env.NAME` | | variables for the server |
//!
//! Times are seconds, or have a unit: `500ms`, `30s`, `2m`.

mod dsn;
mod env;
mod jdbc;
mod modes;
mod params;
mod responder;
mod secret;
mod sqlhosts;
mod tls;
mod url;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub use modes::{Isolation, LockMode};
pub use responder::{Challenge, Responder, ResponderError};
pub use secret::Password;
pub use sqlhosts::{Entry as SqlhostsEntry, Sqlhosts, Target};
pub use tls::{TlsConfig, TlsVerify};

use crate::error::{Error, Result};

/// Usual port of an SQLI listener.
pub const DEFAULT_PORT: u16 = 9088;

/// Everything about one kind of connection. `Debug` shows no password.
///
/// ```
/// let config: informix::Config = "informix://kim:pw@db1:9088/stores?server=ids1".parse()?;
/// assert_eq!(config.database.as_deref(), Some("stores"));
/// # Ok::<(), informix::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// User name; empty = the process's user name from `USER`/`LOGNAME`/`USERNAME`.
    pub user: String,
    /// Password; `None` logs in without one (trusted host).
    pub password: Option<Password>,
    /// Addresses to try in order; empty = look the server up in `sqlhosts`.
    pub hosts: Vec<Host>,
    /// DBSERVERNAME. Without one the server's own name is learnt from its -761 answer.
    pub server: Option<String>,
    /// Database to open.
    pub database: Option<String>,
    /// The `sqlhosts` file.
    pub sqlhosts: Option<PathBuf>,
    /// Locale of the program, `ll_CC.codeset`, as it is told to the server.
    pub client_locale: Option<String>,
    /// Locale of the database. Servers do not convert: text travels in the code set of the database (D), and this says
    /// which that is. Without it the code set of `client_locale` is taken, without that 8859-1.
    pub db_locale: Option<String>,
    /// Ask the catalog for the locale of an opened database, in the write that opens it, so that the code set is right. A database
    /// that does not tell is an error.
    pub discover_locale: bool,
    /// Code sets that stand for others, as in NEWCODESET: `gbk,8859-1,819` reads a database of 8859-1 as GBK.
    pub new_code_set: Option<String>,
    /// Bytes that are no characters of the code set become U+FFFD instead of an error.
    pub replace_undecodable: bool,
    /// Limit for all of connecting: name resolution, TCP, TLS, login.
    pub connect_timeout: Duration,
    /// Extra rounds over the addresses within `connect_timeout`.
    pub connect_retries: u32,
    /// Limit for a silent socket while a reply is awaited; the connection is broken after it.
    pub read_timeout: Option<Duration>,
    /// Limit for one statement; after it the statement is cancelled and the session goes on.
    pub statement_timeout: Option<Duration>,
    /// TCP keep-alive.
    pub keepalive: bool,
    /// TLS; `None` = plain TCP unless `sqlhosts` says `onsocssl`.
    pub tls: Option<TlsConfig>,
    /// Bytes asked for with the first fetch of a cursor.
    pub fetch_buffer: u32,
    /// Bytes that the fetch buffer may grow to.
    pub max_fetch_buffer: u32,
    /// Largest single value accepted from the server, in bytes.
    pub max_field_bytes: usize,
    /// Prepared statements kept per connection.
    pub statement_cache: usize,
    /// Write SQ_PROTOCOLS in front of SQ_INFO and SQ_DBOPEN without waiting for its answer: one round trip less.
    /// No other client does it, and it does not work where the server asks questions (PAM).
    pub pipeline_connect: bool,
    /// Text that the server shows for the session.
    pub application: Option<String>,
    /// `"` delimits identifiers instead of strings.
    pub delimident: bool,
    /// Isolation level to set after connecting.
    pub isolation: Option<Isolation>,
    /// Lock waiting to set after connecting.
    pub lock_mode: Option<LockMode>,
    /// Open as a trusted connection.
    pub trusted_context: bool,
    /// Answers the questions of a login (PAM); without it the password is the answer.
    pub responder: Option<Responder>,
    /// Further variables for the server, in order: `DBDATE`, `PDQPRIORITY`, ….
    pub environment: Vec<(String, String)>,
}

/// One address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Host name or IP address, without brackets.
    pub name: String,
    /// TCP port.
    pub port: u16,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            user: String::new(),
            password: None,
            hosts: Vec::new(),
            server: None,
            database: None,
            sqlhosts: None,
            client_locale: None,
            db_locale: None,
            discover_locale: false,
            new_code_set: None,
            replace_undecodable: false,
            connect_timeout: Duration::from_secs(15),
            connect_retries: 0,
            read_timeout: None,
            statement_timeout: None,
            keepalive: true,
            tls: None,
            fetch_buffer: 32 * 1024,
            max_fetch_buffer: 1024 * 1024,
            max_field_bytes: 256 * 1024 * 1024,
            statement_cache: 64,
            pipeline_connect: false,
            application: None,
            delimident: false,
            isolation: None,
            lock_mode: None,
            trusted_context: false,
            responder: None,
            environment: Vec::new(),
        }
    }
}

impl Config {
    /// A configuration with nothing but defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads any text form: `informix://…`, `informixs://…` (TLS), `jdbc:informix-sqli://…` or `key=value;…`.
    ///
    /// # Errors
    /// Names the parameter and where it stands. The text itself, which may hold a password, is never repeated.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let scheme = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match scheme.as_str() {
            "informix" | "informixs" if text.contains("://") => url::parse(text),
            "jdbc" => jdbc::parse(text),
            _ if text.contains('=') => dsn::parse(text),
            _ => Err(Error::config(
                "not a connection text: expected informix://user:password@host:port/database, a jdbc:informix-sqli: URL or key=value pairs",
            )),
        }
    }

    /// A configuration from the process environment alone (INFORMIXSERVER, INFORMIXSQLHOSTS, CLIENT_LOCALE, …).
    ///
    /// # Errors
    /// When a variable is malformed.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::default();
        config.fill_from_env()?;
        Ok(config)
    }

    /// Takes from the process environment what is not set yet.
    ///
    /// # Errors
    /// When a variable is malformed.
    pub fn fill_from_env(&mut self) -> Result<()> {
        self.fill_from(&|name| std::env::var(name).ok())
    }

    /// As [`Config::fill_from_env`], with any source of variables.
    ///
    /// # Errors
    /// When a variable is malformed.
    pub fn fill_from(&mut self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        env::fill(self, lookup)
    }

    /// Sets one parameter by its name in any of the text forms.
    ///
    /// # Errors
    /// When the name is unknown or the value malformed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        params::set(self, name, value, "parameter")
    }

    /// Sets user and password.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>, password: impl Into<Password>) -> Self {
        self.user = user.into();
        self.password = Some(password.into());
        self
    }

    /// Sets who answers the questions of a login (PAM, `pamauth=challenge`).
    #[must_use]
    pub fn responder(
        mut self,
        answer: impl Fn(&Challenge) -> std::result::Result<Password, ResponderError> + Send + Sync + 'static,
    ) -> Self {
        self.responder = Some(Responder::new(answer));
        self
    }

    /// Adds an address.
    #[must_use]
    pub fn host(mut self, name: impl Into<String>, port: u16) -> Self {
        self.hosts.push(Host {
            name: name.into(),
            port,
        });
        self
    }

    /// Sets the database.
    #[must_use]
    pub fn database(mut self, name: impl Into<String>) -> Self {
        self.database = Some(name.into());
        self
    }

    /// Sets the DBSERVERNAME.
    #[must_use]
    pub fn server(mut self, name: impl Into<String>) -> Self {
        self.server = Some(name.into());
        self
    }

    /// The addresses to try, in order.
    ///
    /// # Errors
    /// When neither address nor server is known, or the `sqlhosts` file does not have it.
    pub fn targets(&self) -> Result<Vec<Target>> {
        if !self.hosts.is_empty() {
            return Ok(self
                .hosts
                .iter()
                .map(|h| Target {
                    host: h.name.clone(),
                    port: h.port,
                    tls: self.tls.is_some(),
                    server: self.server.clone(),
                })
                .collect());
        }
        let Some(server) = &self.server else {
            return Err(Error::new(
                crate::error::Kind::Config,
                -25560,
                "neither a host nor a server name: give a host, or a server (INFORMIXSERVER) that the sqlhosts file knows",
            ));
        };
        let path = match (&self.sqlhosts, std::env::var_os("INFORMIXDIR")) {
            (Some(path), _) => path.clone(),
            (None, Some(dir)) => PathBuf::from(dir).join("etc").join("sqlhosts"),
            (None, None) => {
                return Err(Error::new(
                    crate::error::Kind::Config,
                    -25553,
                    format!(
                        "server {server:?} has no address: give a host, or a sqlhosts file (INFORMIXSQLHOSTS, INFORMIXDIR)"
                    ),
                ));
            }
        };
        // The hasher's keys are the only random numbers of the standard library.
        let start = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 0u8);
        let mut targets =
            Sqlhosts::read(&path)?.targets(server, usize::try_from(start >> 33).unwrap_or(0))?;
        for target in &mut targets {
            target.tls |= self.tls.is_some();
        }
        Ok(targets)
    }

    /// Whether VARCHAR is asked to travel in its full length (`IFX_PAD_VARCHAR=1`).
    pub(crate) fn pads_varchar(&self) -> bool {
        self.environment
            .iter()
            .any(|(name, value)| name == "IFX_PAD_VARCHAR" && value == "1")
    }

    /// The user to log in as.
    pub(crate) fn login_user(&self) -> String {
        if !self.user.is_empty() {
            return self.user.clone();
        }
        ["USER", "LOGNAME", "USERNAME"]
            .iter()
            .find_map(|v| std::env::var(v).ok())
            .unwrap_or_default()
    }

    /// The locale that decides the code set of text on the wire.
    pub(crate) fn wire_locale(&self) -> &str {
        self.db_locale
            .as_deref()
            .unwrap_or_else(|| self.effective_client_locale())
    }

    /// The client's locale with its default.
    pub(crate) fn effective_client_locale(&self) -> &str {
        self.client_locale
            .as_deref()
            .or(self.db_locale.as_deref())
            .unwrap_or("en_US.8859-1")
    }
}

impl FromStr for Config {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
