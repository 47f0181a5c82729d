//! The process environment (`connection-config.md` 4, D).

use super::{Config, params};
use crate::error::Result;

/// Variables with a meaning of their own, as parameter names.
const OWN: &[&str] = &["INFORMIXSERVER", "INFORMIXSQLHOSTS", "CLIENT_LOCALE", "DB_LOCALE"];

/// Variables for the server that native clients pass on.
const PASSED: &[&str] = &[
    "DBDATE",
    "GL_DATE",
    "GL_DATETIME",
    "DBTIME",
    "DBCENTURY",
    "USE_DTENV",
    "DBSPACETEMP",
    "DBUPSPACE",
    "NODEFDAC",
    "PDQPRIORITY",
    "OPTCOMPIND",
    "OPT_GOAL",
    "IFX_DIRECTIVES",
    "IFX_EXTDIRECTIVES",
    "STMT_CACHE",
    "PSORT_NPROCS",
];

pub(super) fn fill(config: &mut Config, lookup: &dyn Fn(&str) -> Option<String>) -> Result<()> {
    let lookup = |name: &str| lookup(name).filter(|v| !v.trim().is_empty());
    let mut given = Config::default();
    for name in OWN {
        if let Some(value) = lookup(name) {
            params::set(&mut given, name, &value, "environment variable")?;
        }
    }
    // A server name only helps to find an address, or to log in at the address it belongs to.
    if config.hosts.is_empty() && config.server.is_none() {
        config.server = given.server;
    }
    config.sqlhosts = config.sqlhosts.take().or(given.sqlhosts);
    config.client_locale = config.client_locale.take().or(given.client_locale);
    config.db_locale = config.db_locale.take().or(given.db_locale);

    let default = Config::default();
    for (name, unset) in [
        (
            "INFORMIXCONTIME",
            config.connect_timeout == default.connect_timeout,
        ),
        (
            "INFORMIXCONRETRY",
            config.connect_retries == default.connect_retries,
        ),
        ("FET_BUF_SIZE", config.fetch_buffer == default.fetch_buffer),
        ("DELIMIDENT", !config.delimident),
    ] {
        if let (true, Some(value)) = (unset, lookup(name)) {
            // DELIMIDENT counts as set whatever its value, except n.
            let value = if name == "DELIMIDENT" && !value.eq_ignore_ascii_case("n") {
                "y".to_owned()
            } else {
                value
            };
            params::set(config, name, &value, "environment variable")?;
        }
    }
    for name in PASSED {
        if config.environment.iter().all(|(n, _)| n != name)
            && let Some(value) = lookup(name)
        {
            params::set_variable(config, (*name).to_owned(), &value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(mut config: Config, vars: &[(&str, &str)]) -> Result<Config> {
        config.fill_from(&|name| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        })?;
        Ok(config)
    }

    #[test]
    fn the_environment_fills_gaps_only() {
        let vars = [
            ("INFORMIXSERVER", "ids1"),
            ("INFORMIXSQLHOSTS", "/etc/sqlhosts"),
            ("CLIENT_LOCALE", "en_US.utf8"),
            ("DB_LOCALE", "de_DE.8859-1"),
            ("INFORMIXCONTIME", "7"),
            ("PDQPRIORITY", "50"),
            ("DELIMIDENT", ""),
        ];
        let config = filled(Config::default(), &vars).unwrap();
        assert_eq!(config.server.as_deref(), Some("ids1"));
        assert_eq!(
            config.sqlhosts.as_deref(),
            Some(std::path::Path::new("/etc/sqlhosts"))
        );
        assert_eq!(config.client_locale.as_deref(), Some("en_US.utf8"));
        assert_eq!(config.connect_timeout.as_secs(), 7);
        assert_eq!(config.environment, [("PDQPRIORITY".to_owned(), "50".to_owned())]);
        assert!(!config.delimident);

        let given =
            Config::parse("informix://u@h/d?client_locale=ja_JP.sjis&PDQPRIORITY=1&connect_timeout=3")
                .unwrap();
        let config = filled(given, &vars).unwrap();
        assert_eq!(config.server, None, "the name of another server");
        assert_eq!(config.client_locale.as_deref(), Some("ja_JP.sjis"));
        assert_eq!(config.connect_timeout.as_secs(), 3);
        assert_eq!(config.environment, [("PDQPRIORITY".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn a_bad_variable_is_named() {
        let error = filled(Config::default(), &[("INFORMIXCONTIME", "soon")])
            .unwrap_err()
            .to_string();
        assert!(error.contains("environment variable INFORMIXCONTIME"), "{error}");
    }
}
