//! One table of parameter names for every text form. Names are compared without regard to case,
//! `-` and `_` are the same.

use std::time::Duration;

use super::sqlhosts::{port_of, protocol_tls};
use super::{Config, Host, Password, TlsConfig, TlsVerify};
use crate::error::{Error, Result};

/// Variables that go to the server as they are (`jdbc-observed.md` 1, `connection-config.md` 4).
const SERVER_VARIABLES: &[&str] = &[
    "DBDATE",
    "GL_DATE",
    "GL_DATETIME",
    "DBTIME",
    "DBCENTURY",
    "DBMONEY",
    "USE_DTENV",
    "DBANSIWARN",
    "DBPATH",
    "DBSPACETEMP",
    "DBTEMP",
    "DBUPSPACE",
    "DBLANG",
    "PSORT_DBTEMP",
    "PSORT_NPROCS",
    "NODEFDAC",
    "PDQPRIORITY",
    "OPTCOMPIND",
    "OPT_GOAL",
    "IFX_DIRECTIVES",
    "IFX_EXTDIRECTIVES",
    "IFX_FLAT_UCSQ",
    "IFX_PAD_VARCHAR",
    "STMT_CACHE",
    "INFORMIXOPCACHE",
    "INFORMIXSTACKSIZE",
    "PLCONFIG",
    "PLOAD_LO_PATH",
    "SUBQCACHESZ",
    "IFX_UPDDESC",
    "OPTOFC",
];

/// Properties of other clients that change nothing here: accepted and ignored.
const IGNORED: &[&str] = &[
    "driver",
    "ifx_autofree",
    "autofreecursors",
    "ifx_useput",
    "ifx_batchupdate_per_spec",
    "lobcache",
    "jdbctemp",
    "ifx_codesetlob",
    "ifx_trimtrailingspaces",
    "auto_case_schema",
    "autocaseschema",
    "appendisam",
    "appendisamcodetosqlexception",
    "enable_type_cache",
    "enable_cache_type",
    "ifx_xaspec",
    "ifx_set_float_as_smfloat",
    "ifx_get_smfloat_as_float",
    "ifx_use_strenc",
    "big_fet_buf_size",
    "sqlh_type",
    "enablescrollablecursors",
    "scur",
    "optimizeautocommit",
    "oac",
    "leavetrailingspaces",
    "newlocale",
    "newnlsmap",
    "trace",
    "tracefile",
    "protocoltrace",
    "protocoltracefile",
    "sqlidebug",
    "ssl_protocols",
];

fn bad(name: &str, place: &str, why: &str) -> Error {
    Error::config(format!("{place} {name}: {why}"))
}

fn flag(name: &str, value: &str, place: &str) -> Result<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "y" | "on" => Ok(true),
        "0" | "false" | "no" | "n" | "off" | "" => Ok(false),
        _ => Err(bad(name, place, &format!("{value:?} is neither yes nor no"))),
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str, place: &str) -> Result<T> {
    value
        .trim()
        .parse()
        .map_err(|_| bad(name, place, &format!("{value:?} is not a number in its range")))
}

/// `5`, `2.5`, `500ms`, `30s`, `2m`; a bare number counts `unit`s.
fn duration(name: &str, value: &str, place: &str, unit: Duration) -> Result<Duration> {
    let text = value.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(at);
    let unit = match suffix.trim() {
        "" => unit,
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        "m" | "min" => Duration::from_secs(60),
        _ => {
            return Err(bad(
                name,
                place,
                &format!("{value:?}: unknown unit, use ms, s or m"),
            ));
        }
    };
    let count: f64 = number(name, digits, place)?;
    Duration::try_from_secs_f64(count * unit.as_secs_f64())
        .map_err(|_| bad(name, place, &format!("{value:?} is no duration")))
}

/// A limit: zero means none.
fn limit(name: &str, value: &str, place: &str, unit: Duration) -> Result<Option<Duration>> {
    Ok(Some(duration(name, value, place, unit)?).filter(|d| !d.is_zero()))
}

fn tls(config: &mut Config) -> &mut TlsConfig {
    config.tls.get_or_insert_with(TlsConfig::default)
}

fn first_host(config: &mut Config) -> &mut Host {
    if config.hosts.is_empty() {
        config.hosts.push(Host {
            name: "localhost".to_owned(),
            port: super::DEFAULT_PORT,
        });
    }
    &mut config.hosts[0]
}

/// Sets one parameter. `place` starts the error message ("URL parameter").
#[allow(clippy::too_many_lines)] // One table.
pub(super) fn set(config: &mut Config, name: &str, value: &str, place: &str) -> Result<()> {
    let second = Duration::from_secs(1);
    let milli = Duration::from_millis(1);
    let key = name.trim().to_ascii_lowercase().replace('-', "_");
    let text = || Some(value.to_owned()).filter(|v| !v.is_empty());
    match key.as_str() {
        "user" | "uid" | "username" => value.clone_into(&mut config.user),
        "password" | "pwd" => config.password = Some(Password::new(value)),
        "host" | "hostname" | "ifxhost" => value.clone_into(&mut first_host(config).name),
        "port" | "portno" | "service" => {
            let port = port_of(value.trim()).ok_or_else(|| {
                bad(
                    name,
                    place,
                    &format!("{value:?} is neither a port nor a known service"),
                )
            })?;
            first_host(config).port = port;
        }
        "database" | "db" | "dbname" | "databasename" => config.database = text(),
        "server" | "informixserver" | "dbservername" => config.server = text(),
        "protocol" => match protocol_tls(value) {
            Some(true) => {
                tls(config);
            }
            Some(false) => config.tls = None,
            None => {
                return Err(bad(
                    name,
                    place,
                    &format!("{value:?}: only onsoctcp and onsocssl are spoken"),
                ));
            }
        },
        "sqlhosts" | "informixsqlhosts" | "sqlh_file" | "sqlh_loc" => {
            config.sqlhosts = text().map(Into::into);
        }
        "client_locale" | "cloc" => config.client_locale = text(),
        "db_locale" | "dloc" => config.db_locale = text(),
        "newcodeset" => config.new_code_set = text(),
        "discover_locale" => config.discover_locale = flag(name, value, place)?,
        "decode" => match value {
            "strict" => config.replace_undecodable = false,
            "replace" => config.replace_undecodable = true,
            _ => return Err(bad(name, place, "strict or replace")),
        },
        "connect_timeout" | "informixcontime" | "connection_timeout" => {
            config.connect_timeout = duration(name, value, place, second)?;
        }
        "logintimeout" => {
            if let Some(time) = limit(name, value, place, milli)? {
                config.connect_timeout = time;
            }
        }
        "connect_retries" | "informixconretry" => config.connect_retries = number(name, value, place)?,
        "read_timeout" => config.read_timeout = limit(name, value, place, second)?,
        "ifx_soc_timeout" => config.read_timeout = limit(name, value, place, milli)?,
        "statement_timeout" | "query_timeout" | "querytimeout" => {
            config.statement_timeout = limit(name, value, place, second)?;
        }
        "keepalive" | "ifx_soc_keepalive" => config.keepalive = flag(name, value, place)?,
        "fetch_buffer" | "fet_buf_size" | "fetchbuffersize" | "fbc" => {
            config.fetch_buffer = number::<u32>(name, value, place)?.max(4096);
            config.max_fetch_buffer = config.max_fetch_buffer.max(config.fetch_buffer);
        }
        "max_fetch_buffer" => {
            config.max_fetch_buffer = number::<u32>(name, value, place)?.max(4096);
            config.fetch_buffer = config.fetch_buffer.min(config.max_fetch_buffer);
        }
        "statement_cache" | "ifmx_preparedstatement_cache_size" => {
            config.statement_cache = number(name, value, place)?;
        }
        "max_field_bytes" => config.max_field_bytes = number::<usize>(name, value, place)?.max(4096),
        "pipeline_connect" => config.pipeline_connect = flag(name, value, place)?,
        "application" | "client_label" | "appname" => config.application = text(),
        "delimident" => config.delimident = flag(name, value, place)?,
        "isolation" | "ifx_isolation_level" => {
            config.isolation = match value.trim() {
                "0" | "" => None,
                other => Some(other.parse().map_err(|e: Error| bad(name, place, &e.message()))?),
            };
        }
        "lock_wait" | "ifx_lock_mode_wait" => {
            config.lock_mode = Some(value.parse().map_err(|e: Error| bad(name, place, &e.message()))?);
        }
        "trusted_context" => config.trusted_context = flag(name, value, place)?,
        "tls" | "ssl" | "sslconnection" => {
            if flag(name, value, place)? {
                tls(config);
            } else {
                config.tls = None;
            }
        }
        "tls_ca" | "sslrootcert" => tls(config).ca_file = text().map(Into::into),
        "tls_cert" | "sslcert" => tls(config).client_cert = text().map(Into::into),
        "tls_key" | "sslkey" => tls(config).client_key = text().map(Into::into),
        "tls_name" => tls(config).server_name = text(),
        "tls_verify" => {
            tls(config).verify = match value {
                "full" => TlsVerify::Full,
                "chain" | "ca" => TlsVerify::ChainOnly,
                "danger-nothing" => TlsVerify::DangerNothing,
                _ => return Err(bad(name, place, "full, chain or danger-nothing")),
            }
        }
        "security" | "csm" => {
            return Err(bad(
                name,
                place,
                "communication support modules are gone from servers since 14.10.xC9: use TLS",
            ));
        }
        "ssl_truststore" | "ssl_truststore_password" => {
            return Err(bad(
                name,
                place,
                "a Java key store cannot be read: give tls_ca, a PEM file",
            ));
        }
        _ if IGNORED.contains(&key.as_str()) => {
            tracing::debug!(parameter = name, "connection parameter of another client ignored");
        }
        _ => {
            let upper = name.trim().to_ascii_uppercase();
            let variable = match upper.strip_prefix("ENV.") {
                Some(free) if !free.is_empty() => free.to_owned(),
                _ if SERVER_VARIABLES.contains(&upper.as_str()) => upper,
                _ => return Err(bad(name, place, "unknown parameter")),
            };
            set_variable(config, variable, value);
        }
    }
    Ok(())
}

/// Sets a variable for the server, replacing an earlier one of that name.
pub(super) fn set_variable(config: &mut Config, name: String, value: &str) {
    config.environment.retain(|(n, _)| *n != name);
    config.environment.push((name, value.to_owned()));
}
