//! The server as an object: configure, start, ask for its port, stop.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use informix_types::Locale;

use crate::engine::{Backing, Challenge, DatabaseMode, DatabaseSpec, Engine, EngineConfig, User};
use crate::error::SqlError;
use crate::fault::{Fault, Faults};
use crate::load::{self, LoadError};
use crate::wire::Service;
use crate::wire::listener::Listener;
#[cfg(feature = "tls")]
use crate::wire::tls::TlsIdentity;

/// Where the databases live.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    /// In memory, or rather in a directory that is removed when the server stops.
    #[default]
    Memory,
    /// In this directory, made when it is missing. A second server must not use it at the same time.
    Directory(PathBuf),
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can't be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The databases can't be opened or made.
    #[error("cannot open the databases: {0}")]
    Databases(#[from] SqlError),
    /// A script or the data of a table can't be loaded.
    #[error("cannot load {0}")]
    Load(#[from] LoadError),
}

/// A running server. Dropping it stops it.
///
/// ```no_run
/// use informix_devserver::DevServer;
///
/// let server = DevServer::start()?;
/// println!("connect to {}", server.url());
/// # Ok::<(), informix_devserver::StartError>(())
/// ```
pub struct DevServer {
    listener: Listener,
    engine: Arc<Engine>,
    faults: Faults,
}

impl DevServer {
    /// A server for tests: 127.0.0.1, a free port, memory storage, user `informix` with password `in4mix`, server name
    /// `informix`, databases `sysmaster` and the logged `testdb`.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn start() -> Result<Self, StartError> {
        Self::builder().port(0).start()
    }

    /// The same settings, to be changed; the port is 9088.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// URL of the first configured database (of `sysmaster` when there is none) with the first user, as
    /// `informix::Config` reads it: `informix://user:password@host:port/database?server=name`.
    #[must_use]
    pub fn url(&self) -> String {
        let config = self.engine.config();
        let (user, password) = config
            .users
            .first()
            .map_or(("", ""), |user| (user.name.as_str(), user.password.as_str()));
        let database = config
            .databases
            .first()
            .map_or("sysmaster", |database| database.name.as_str());
        let mut url = String::from("informix://");
        push_encoded(&mut url, user);
        url.push(':');
        push_encoded(&mut url, password);
        url.push_str(&format!("@{}/", self.address()));
        push_encoded(&mut url, database);
        url.push_str("?server=");
        push_encoded(&mut url, &config.server_name);
        url
    }

    /// The SQL engine behind it.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The fault rules: to be added, taken away and counted while the server runs.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Runs a `.sql` script in the first configured database, or loads a directory that `dbexport` has made: the script in it makes the
    /// database it names, and its tables get the rows of their `.unl` files. A script may have `LOAD FROM 'file' INSERT INTO table`.
    ///
    /// # Errors
    /// The first statement, line or value that is wrong, with its place. What was loaded before it stays.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<(), LoadError> {
        load::load(&self.engine, path.as_ref())
    }

    /// Stops accepting, ends all connections (their open transactions roll back) and waits until they have ended.
    /// A second call does nothing.
    pub fn stop(&mut self) {
        self.listener.stop();
        self.engine.drop_branches();
    }
}

impl Drop for DevServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for DevServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevServer")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

/// Settings of a server that is to be started.
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    host: IpAddr,
    port: u16,
    config: EngineConfig,
    /// The default user stays until the first one is given; so does the default database.
    default_user: bool,
    default_database: bool,
    faults: Vec<Fault>,
    load: Vec<PathBuf>,
    #[cfg(feature = "tls")]
    tls: Option<TlsIdentity>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 9088,
            config: EngineConfig::default(),
            default_user: true,
            default_database: true,
            faults: Vec::new(),
            load: Vec::new(),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl Builder {
    /// Address to listen on; 127.0.0.1 when not set.
    pub fn host(mut self, host: IpAddr) -> Self {
        self.host = host;
        self
    }

    /// Port to listen on; 0 takes a free one, 9088 when not set.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Lets a user connect. The first call replaces the default `informix` / `in4mix`, later ones add.
    pub fn user(mut self, name: impl Into<String>, password: impl Into<String>) -> Self {
        if std::mem::take(&mut self.default_user) {
            self.config.users.clear();
        }
        self.config.users.push(User {
            name: name.into(),
            password: password.into(),
        });
        self
    }

    /// Asks every client this question after its login (PAM, `pamauth=challenge`); may be called for several, which are
    /// asked one after the other. Passwords are not looked at then. `echo`: the client may show what is typed.
    pub fn challenge(mut self, prompt: impl Into<String>, answer: impl Into<String>, echo: bool) -> Self {
        self.config.challenges.push(Challenge {
            prompt: prompt.into(),
            answer: answer.into(),
            echo,
        });
        self
    }

    /// DBSERVERNAME; a client that names another one is refused with -761. `informix` when not set.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.config.server_name = name.into();
        self
    }

    /// Where the databases live; in memory when not set.
    pub fn storage(mut self, storage: Storage) -> Self {
        self.config.backing = match storage {
            Storage::Memory => Backing::Memory,
            Storage::Directory(path) => Backing::Directory(path),
        };
        self
    }

    /// A database that shall exist. The first call replaces the default logged `testdb`, later ones add; `sysmaster` is
    /// always there. An existing database of that name in a directory stays as it is.
    pub fn database(mut self, name: impl Into<String>, mode: DatabaseMode, locale: Locale) -> Self {
        if std::mem::take(&mut self.default_database) {
            self.config.databases.clear();
        }
        self.config.databases.push(DatabaseSpec {
            name: name.into(),
            mode,
            locale,
        });
        self
    }

    /// How long a writer waits for another writer of the same database even under SET LOCK MODE TO NOT WAIT.
    pub fn writer_grace(mut self, grace: Duration) -> Self {
        self.config.writer_grace = grace;
        self
    }

    /// Loads a `.sql` script or a `dbexport` directory (see [`DevServer::load`]) before the server accepts connections; may be called
    /// for several.
    pub fn load(mut self, path: impl Into<PathBuf>) -> Self {
        self.load.push(path.into());
        self
    }

    /// Misbehaves by this rule; may be called for several.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Speaks TLS on the port instead of plain TCP.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, identity: TlsIdentity) -> Self {
        self.tls = Some(identity);
        self
    }

    /// Opens the databases and starts to accept connections.
    ///
    /// # Errors
    /// [`StartError::Databases`] when the storage can't be opened, [`StartError::Listen`] when the port is taken,
    /// [`StartError::Load`] when something to be loaded is wrong.
    pub fn start(self) -> Result<DevServer, StartError> {
        let address = SocketAddr::new(self.host, self.port);
        let failed = |source| StartError::Listen { address, source };
        let socket = TcpListener::bind(address).map_err(failed)?;
        let engine = Engine::open(self.config)?;
        for path in &self.load {
            load::load(&engine, path)?;
        }
        let stopping = Arc::new(AtomicBool::new(false));
        let faults = Faults::default();
        for fault in self.faults {
            faults.add(fault);
        }
        let service = Service {
            faults: faults.clone(),
            engine: Arc::clone(&engine),
            stopping: Arc::clone(&stopping),
            #[cfg(feature = "tls")]
            tls: self.tls,
        };
        let listener = Listener::start(socket, stopping, move |stream, peer, id| {
            service.serve(stream, peer, id);
        })
        .map_err(failed)?;
        Ok(DevServer {
            listener,
            engine,
            faults,
        })
    }
}

/// Percent-encodes everything but what may stand anywhere in a URL.
fn push_encoded(url: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
}
