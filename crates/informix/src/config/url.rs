//! `informix://user:password@host:port,host2:port/database?name=value&…`; `informixs://` with TLS.

use percent_encoding::percent_decode_str;

use super::{Config, DEFAULT_PORT, Host, Password, TlsConfig, params};
use crate::error::{Error, Result};

fn decode(text: &str, what: &str) -> Result<String> {
    percent_decode_str(text)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| Error::config(format!("URL {what}: the percent-encoded bytes are not UTF-8")))
}

pub(super) fn parse(text: &str) -> Result<Config> {
    let mut config = Config::default();
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    if scheme.eq_ignore_ascii_case("informixs") {
        config.tls = Some(TlsConfig::default());
    }
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    // A password may hold an unencoded `/` or `@`: the address starts after the last `@`.
    let (login, place) = match rest.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, rest),
    };
    let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
    if let Some(login) = login {
        let (user, password) = login.split_once(':').map_or((login, None), |(u, p)| (u, Some(p)));
        config.user = decode(user, "user")?;
        config.password = password
            .map(|p| decode(p, "password").map(Password::new))
            .transpose()?;
    }
    for host in hosts.split(',').filter(|h| !h.is_empty()) {
        config.hosts.push(address(host)?);
    }
    config.database = Some(decode(database.trim_end_matches('/'), "database")?).filter(|d| !d.is_empty());
    for pair in query.split('&').filter(|p| !p.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "1"));
        params::set(
            &mut config,
            &decode(name, "parameter")?,
            &decode(&value.replace('+', " "), name)?,
            "URL parameter",
        )?;
    }
    Ok(config)
}

/// `host`, `host:port`, `[v6]:port`.
pub(super) fn address(text: &str) -> Result<Host> {
    let (name, port) = if let Some(rest) = text.strip_prefix('[') {
        let (name, rest) = rest.split_once(']').ok_or_else(|| {
            Error::config(format!(
                "URL host {text:?}: the bracket of the IPv6 address is not closed"
            ))
        })?;
        (name, rest.strip_prefix(':'))
    } else {
        text.split_once(':')
            .map_or((text, None), |(name, port)| (name, Some(port)))
    };
    let port = match port.filter(|p| !p.is_empty()) {
        None => DEFAULT_PORT,
        Some(port) => port
            .parse()
            .ok()
            .filter(|p| *p != 0)
            .ok_or_else(|| Error::config(format!("URL port {port:?}: not a number from 1 to 65535")))?,
    };
    let name = if name.is_empty() {
        "localhost".to_owned()
    } else {
        decode(name, "host")?
    };
    Ok(Host { name, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, port: u16) -> Host {
        Host {
            name: name.into(),
            port,
        }
    }

    #[test]
    fn all_parts() {
        let c = Config::parse("informix://kim:p%40ss/w@db1:9099,[::1]:1526,db3/stores?server=ids1&read_timeout=2m&tls_verify=chain")
            .unwrap();
        assert_eq!(
            (c.user.as_str(), c.password.as_ref().unwrap().reveal()),
            ("kim", "p@ss/w")
        );
        assert_eq!(c.hosts, [host("db1", 9099), host("::1", 1526), host("db3", 9088)]);
        assert_eq!(
            (c.database.as_deref(), c.server.as_deref()),
            (Some("stores"), Some("ids1"))
        );
        assert_eq!(c.read_timeout.unwrap().as_secs(), 120);
        assert_eq!(c.tls.unwrap().verify, super::super::TlsVerify::ChainOnly);
    }

    #[test]
    fn small_forms() {
        let c = Config::parse("informixs://db1").unwrap();
        assert!(c.tls.is_some() && c.user.is_empty() && c.database.is_none() && c.password.is_none());
        assert_eq!(c.hosts, [host("db1", 9088)]);
        assert!(
            Config::parse("informix:///stores?server=x")
                .unwrap()
                .hosts
                .is_empty()
        );
    }

    #[test]
    fn errors_say_which_parameter_and_keep_the_password() {
        for (text, words) in [
            ("informix://u:secret@h:0/d", "URL port \"0\""),
            ("informix://u:secret@h:99999/d", "URL port \"99999\""),
            ("informix://u:secret@[::1/d", "bracket"),
            (
                "informix://u:secret@h/d?colour=red",
                "URL parameter colour: unknown",
            ),
            (
                "informix://u:secret@h/d?read_timeout=soon",
                "URL parameter read_timeout",
            ),
            ("informix://u:secret@h/d?isolation=9", "URL parameter isolation"),
            (
                "informix://u:secret@h/d?protocol=onipcshm",
                "URL parameter protocol",
            ),
            ("informix://u:secret@h/d?csm=x", "use TLS"),
            ("informix://u:%ff@h/d", "URL password"),
            ("secret", "not a connection text"),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let shown = format!("{:?}", Config::parse("informix://u:secret@h/d").unwrap());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
