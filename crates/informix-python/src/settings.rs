//! The arguments of `connect`.

use std::time::Duration;

use informix::config::{Config, Host, Password, Responder, TlsVerify};
use informix::driver::AskLocale;
use informix_types::CodeSet;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};

use crate::errors;
use crate::tls::{self, Context};

/// Everything that a connection is made with.
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// The caller's SSLContext.
    pub(crate) context: Option<Context>,
    pub(crate) autocommit: bool,
    pub(crate) row_factory: Py<PyAny>,
    /// For error messages.
    pub(crate) place: String,
    /// The locale is to be learnt from the database.
    discover_locale: bool,
    /// Largest single value from the server.
    pub(crate) max_read: usize,
}

/// Largest single value unless IFX_MAX_READ_BYTES says otherwise.
const MAX_READ: usize = 256 * 1024 * 1024;

fn seconds(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    if value.is_none() {
        return Ok(None);
    }
    let py = value.py();
    let number: f64 = value.extract()?;
    let time = Duration::try_from_secs_f64(number)
        .map_err(|_| errors::interface(py, &format!("{name}: {number} is no number of seconds")))?;
    Ok(Some(time).filter(|t| !t.is_zero()))
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    value.extract()
}

/// A path-like object as text.
fn path(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value
        .py()
        .import("os")?
        .call_method1("fspath", (value,))?
        .extract()
}

/// A function of a question's text and whether the answer may be shown. What it raises is what `connect` raises.
fn responder(value: &Bound<'_, PyAny>) -> PyResult<Responder> {
    if !value.is_callable() {
        return Err(pyo3::exceptions::PyTypeError::new_err(
            "on_challenge must be a function of prompt and echo",
        ));
    }
    let function = value.clone().unbind();
    Ok(Responder::new(move |challenge| {
        Python::attach(|py| {
            let answer: String = function
                .call1(py, (challenge.prompt.as_str(), challenge.echo))?
                .extract(py)?;
            Ok(Password::new(answer))
        })
        .map_err(|e: PyErr| e.into())
    }))
}

fn config_error(py: Python<'_>) -> impl Fn(informix::Error) -> PyErr + '_ {
    move |e| errors::to_py(py, &e)
}

impl Settings {
    /// When the database is asked for its locale. `soon`: it must be known when the connection is there.
    pub(crate) fn ask_locale(&self, soon: bool) -> AskLocale {
        match (self.discover_locale, soon || self.config.discover_locale) {
            (false, _) => AskLocale::Never,
            (true, true) => AskLocale::AtOpening,
            (true, false) => AskLocale::WithRequest,
        }
    }

    /// Reads the arguments: `host` and `port` by position, everything by name.
    pub(crate) fn from_call(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = args.py();
        if args.len() > 2 {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "only host and port can be given by position",
            ));
        }
        let all = PyDict::new(py);
        for (name, value) in ["host", "port"].iter().zip(args.iter()) {
            all.set_item(name, value)?;
        }
        if let Some(kwargs) = kwargs {
            for (name, value) in kwargs.iter() {
                if all.contains(&name)? {
                    return Err(pyo3::exceptions::PyTypeError::new_err(format!(
                        "got multiple values for argument {name}"
                    )));
                }
                all.set_item(name, value)?;
            }
        }
        let mut config = match all.get_item("url")? {
            Some(url) if !url.is_none() => Config::parse(url.extract()?).map_err(config_error(py))?,
            _ => {
                let mut config = Config::new();
                // The peer's default.
                config.keepalive = false;
                config
            }
        };
        let mut settings = Loose::default();
        for (name, value) in all.iter() {
            let name: String = name.extract()?;
            settings.take(&mut config, &name, &value)?;
        }
        settings.finish(py, config)
    }
}

/// Arguments that are put together at the end.
#[derive(Default)]
struct Loose {
    host: Option<String>,
    port: Option<u16>,
    tls: Option<Tls>,
    tls_name: Option<String>,
    tls_verify: Option<TlsVerify>,
    autocommit: bool,
    row_factory: Option<Py<PyAny>>,
    later: Vec<(String, String)>,
}

enum Tls {
    Off,
    /// Encrypted, nothing verified.
    Unverified,
    Authorities(String),
    Context(Context),
}

impl Loose {
    fn take(&mut self, config: &mut Config, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let bad = config_error(py);
        match name {
            "url" => {}
            "host" => self.host = text(value)?,
            "port" if value.is_none() => {}
            "port" => self.port = Some(value.extract()?),
            "user" => {
                if let Some(user) = text(value)? {
                    config.user = user;
                }
            }
            "password" => {
                if let Some(password) = text(value)? {
                    config.password = Some(Password::new(password));
                }
            }
            "database" => {
                config.database = text(value)?
                    .filter(|t| !t.is_empty())
                    .or_else(|| config.database.take());
            }
            "server" => {
                config.server = text(value)?
                    .filter(|t| !t.is_empty())
                    .or_else(|| config.server.take());
            }
            "connect_timeout" => {
                if let Some(time) = seconds(name, value)? {
                    config.connect_timeout = time;
                }
            }
            "read_timeout" => config.read_timeout = seconds(name, value)?.or(config.read_timeout),
            "statement_timeout" => {
                config.statement_timeout = seconds(name, value)?.or(config.statement_timeout);
            }
            "keepalive" => config.keepalive = value.extract()?,
            "client_locale" => config.client_locale = text(value)?.or_else(|| config.client_locale.take()),
            "db_locale" => config.db_locale = text(value)?.or_else(|| config.db_locale.take()),
            "env" => {
                if !value.is_none() {
                    let items = value.call_method0("items")?;
                    for item in items.try_iter()? {
                        let (name, value): (String, String) = item?.extract()?;
                        let known = ["CLIENT_LOCALE", "DB_LOCALE", "DELIMIDENT"].contains(&name.as_str());
                        let name = if known { name } else { format!("ENV.{name}") };
                        config.set(&name, &value).map_err(&bad)?;
                    }
                }
            }
            "on_challenge" if value.is_none() => {}
            "on_challenge" => config.responder = Some(responder(value)?),
            "autocommit" => self.autocommit = value.is_truthy()?,
            "row_factory" => self.row_factory = Some(value.clone().unbind()).filter(|f| !f.is_none(py)),
            "decode_errors" => config.set("decode", value.extract()?).map_err(&bad)?,
            "tls" => self.tls = Some(Self::tls(value)?),
            "tls_server_hostname" => self.tls_name = text(value)?,
            "tls_verify" => {
                self.tls_verify = match text(value)?.as_deref() {
                    None => None,
                    Some("full") => Some(TlsVerify::Full),
                    Some("chain") => Some(TlsVerify::ChainOnly),
                    Some("none" | "danger-nothing") => Some(TlsVerify::DangerNothing),
                    Some(other) => {
                        return Err(errors::interface(
                            py,
                            &format!("tls_verify {other:?}: \"full\", \"chain\" or \"none\""),
                        ));
                    }
                }
            }
            _ if value.is_none() => {}
            _ => {
                let as_text = if value.is_instance_of::<PyBool>() {
                    if value.is_truthy()? { "1" } else { "0" }.to_owned()
                } else if value.is_instance_of::<PyString>() {
                    value.extract()?
                } else if value.hasattr("__fspath__")? {
                    path(value)?
                } else {
                    value.str()?.extract()?
                };
                self.later.push((name.to_owned(), as_text));
            }
        }
        Ok(())
    }

    fn tls(value: &Bound<'_, PyAny>) -> PyResult<Tls> {
        if value.is_none() || value.is_exact_instance_of::<PyBool>() {
            return Ok(if value.is_truthy()? {
                Tls::Unverified
            } else {
                Tls::Off
            });
        }
        if let Some(context) = tls::context(value)? {
            return Ok(Tls::Context(context));
        }
        if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
            return Ok(Tls::Authorities(path(value)?));
        }
        Err(pyo3::exceptions::PyTypeError::new_err(
            "tls must be a bool, the path of a PEM file or an ssl.SSLContext",
        ))
    }

    fn finish(self, py: Python<'_>, mut config: Config) -> PyResult<Settings> {
        let bad = config_error(py);
        if let Some(host) = self.host {
            config.hosts = vec![Host {
                name: host,
                port: self.port.unwrap_or(informix::config::DEFAULT_PORT),
            }];
        } else if let (Some(port), Some(first)) = (self.port, config.hosts.first_mut()) {
            first.port = port;
        }
        let mut context = None;
        match self.tls {
            None => {}
            Some(Tls::Off) => config.tls = None,
            Some(Tls::Unverified) => {
                config.tls.get_or_insert_default().verify = TlsVerify::DangerNothing;
            }
            Some(Tls::Authorities(file)) => config.tls.get_or_insert_default().ca_file = Some(file.into()),
            Some(Tls::Context(own)) => {
                config.tls.get_or_insert_default();
                context = Some(own);
            }
        }
        for (name, value) in self.later {
            let set = config.set(&name, &value);
            if let Err(e) = set {
                // A wrong name is a TypeError, as with any Python function.
                if e.message().contains("unknown parameter") {
                    return Err(pyo3::exceptions::PyTypeError::new_err(format!(
                        "connect() got an unexpected keyword argument {name:?}"
                    )));
                }
                return Err(bad(e));
            }
        }
        if let Some(tls) = &mut config.tls {
            if self.tls_name.is_some() {
                tls.server_name = self.tls_name;
            }
            if let Some(verify) = self.tls_verify {
                tls.verify = verify;
            }
        }
        config.fill_from_env().map_err(&bad)?;
        let place = match config.hosts.first() {
            Some(host) => format!("{}:{}", host.name, host.port),
            None => config.server.clone().unwrap_or_else(|| "no host".to_owned()),
        };
        let max_read = match std::env::var("IFX_MAX_READ_BYTES") {
            Ok(text) => text
                .trim()
                .parse()
                .map_err(|_| errors::interface(py, &format!("IFX_MAX_READ_BYTES={text:?} is no number")))?,
            Err(_) => MAX_READ,
        };
        config.max_field_bytes = max_read;
        Ok(Settings {
            discover_locale: config.discover_locale
                || (config.client_locale.is_none() && config.db_locale.is_none()),
            config,
            context,
            autocommit: self.autocommit,
            row_factory: self.row_factory.unwrap_or_else(|| py.None()),
            place,
            max_read,
        })
    }
}

/// Python's name of a code set.
pub(crate) fn python_codec(codeset: CodeSet) -> String {
    let name = codeset.name();
    match codeset.number() {
        57372 => "utf-8".to_owned(),
        364 => "ascii".to_owned(),
        5488 => "gb18030".to_owned(),
        57357 => "gbk".to_owned(),
        57356 => "euc_kr".to_owned(),
        57351 | 5050 => "euc_jp".to_owned(),
        850 => "cp850".to_owned(),
        852 => "cp852".to_owned(),
        57373 => "cp874".to_owned(),
        57350 => "shift_jis".to_owned(),
        _ if name.starts_with("8859-") => format!("iso-{name}"),
        _ => name.to_ascii_lowercase(),
    }
}

/// The parameters in a URL or DSN as keyword arguments.
#[pyfunction]
pub(crate) fn parse_url<'py>(py: Python<'py>, url: &str) -> PyResult<Bound<'py, PyDict>> {
    let config = Config::parse(url).map_err(config_error(py))?;
    let found = PyDict::new(py);
    if let Some(host) = config.hosts.first() {
        found.set_item("host", &host.name)?;
        found.set_item("port", host.port)?;
    }
    found.set_item("user", &config.user)?;
    found.set_item("password", config.password.as_ref().map(Password::reveal))?;
    found.set_item("database", &config.database)?;
    found.set_item("server", &config.server)?;
    found.set_item("client_locale", &config.client_locale)?;
    found.set_item("db_locale", &config.db_locale)?;
    found.set_item("connect_timeout", config.connect_timeout.as_secs_f64())?;
    found.set_item("read_timeout", config.read_timeout.map(|t| t.as_secs_f64()))?;
    found.set_item(
        "statement_timeout",
        config.statement_timeout.map(|t| t.as_secs_f64()),
    )?;
    found.set_item("keepalive", config.keepalive)?;
    found.set_item(
        "env",
        config
            .environment
            .into_iter()
            .collect::<std::collections::HashMap<_, _>>(),
    )?;
    Ok(found)
}
