//! `jdbc:informix-sqli://host:port/database:NAME=value;…` (`connection-config.md` 1, D U).

use super::{Config, params, url};
use crate::error::{Error, Result};

pub(super) fn parse(text: &str) -> Result<Config> {
    let mut config = Config::default();
    let after = text.get(5..).unwrap_or_default();
    let rest = ["informix-sqli:", "informix:"]
        .iter()
        .find_map(|p| {
            after
                .get(..p.len())
                .filter(|h| h.eq_ignore_ascii_case(p))
                .and_then(|_| after.get(p.len()..))
        })
        .ok_or_else(|| Error::config("JDBC URL: expected jdbc:informix-sqli: or jdbc:informix:"))?;

    if rest.split('=').next().unwrap_or_default().contains('?') {
        return Err(Error::config("JDBC URL: properties follow a ':', not a '?'"));
    }
    // Properties start at the last `:` before the first `=`.
    let head_end = rest
        .find('=')
        .map_or(rest.len(), |eq| rest[..eq].rfind(':').unwrap_or(eq));
    let (head, properties) = rest.split_at(head_end);
    let properties = properties.strip_prefix(':').unwrap_or(properties);

    let (address, database) = match head.strip_prefix("//") {
        Some(head) => head.split_once('/').unwrap_or((head, "")),
        None => ("", head.trim_start_matches('/')),
    };
    if !address.is_empty() {
        config.hosts.push(url::address(address.trim_end_matches(':'))?);
    }
    config.database = Some(database.trim_end_matches(':').to_owned()).filter(|d| !d.is_empty());
    for property in properties.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, value) = property
            .split_once('=')
            .ok_or_else(|| Error::config("JDBC property without '='"))?;
        params::set(&mut config, name, value.trim(), "JDBC property")?;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_forms() {
        let c = Config::parse(
            "jdbc:informix-sqli://db1:1526/stores:INFORMIXSERVER=ids1;user=kim;password=p:w;DB_LOCALE=en_US.utf8;\
             IFX_ISOLATION_LEVEL=2U;IFX_SOC_TIMEOUT=1500;",
        )
        .unwrap();
        assert_eq!((c.hosts[0].name.as_str(), c.hosts[0].port), ("db1", 1526));
        assert_eq!(
            (c.server.as_deref(), c.database.as_deref()),
            (Some("ids1"), Some("stores"))
        );
        assert_eq!(c.password.unwrap().reveal(), "p:w");
        assert_eq!(c.read_timeout.unwrap().as_millis(), 1500);
        assert_eq!(c.isolation, Some(crate::Isolation::CommittedRead));

        let c = Config::parse("jdbc:informix-sqli://db1:1526:INFORMIXSERVER=ids1").unwrap();
        assert_eq!((c.hosts[0].port, c.database), (1526, None));

        let c =
            Config::parse("jdbc:informix-sqli:/stores:SQLH_TYPE=FILE;SQLH_FILE=/x/sqlhosts;INFORMIXSERVER=g")
                .unwrap();
        assert!(c.hosts.is_empty());
        assert_eq!(
            (c.database.as_deref(), c.sqlhosts),
            (Some("stores"), Some("/x/sqlhosts".into()))
        );

        let c = Config::parse("jdbc:informix://[::1]:9088/d:sslConnection=true").unwrap();
        assert_eq!((c.hosts[0].name.as_str(), c.tls.is_some()), ("::1", true));
        assert_eq!(
            Config::parse("jdbc:informix-sqli://h:9088/d")
                .unwrap()
                .database
                .as_deref(),
            Some("d")
        );
    }

    #[test]
    fn errors_name_the_property() {
        for (text, words) in [
            ("jdbc:mysql://h/d", "expected jdbc:informix-sqli:"),
            ("jdbc:informix-sqli://h:1/d?user=x", "not a '?'"),
            ("jdbc:informix-sqli://h:1/d:FOO=1", "JDBC property FOO: unknown"),
            ("jdbc:informix-sqli://h:x/d:USER=a", "URL port"),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
