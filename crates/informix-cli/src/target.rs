//! From the command line and the environment to a connection's configuration.

use informix::{Config, Result};

use crate::cli::Target;

/// What `ifx serve` offers without options, and what is used when nothing else is said.
pub(crate) const LOCAL_URL: &str = "informix://informix:in4mix@127.0.0.1:9088/testdb?server=informix";

impl Target {
    /// The configuration: the URL, filled up from the environment; without both the local `ifx serve`.
    pub(crate) fn config(&self) -> Result<Config> {
        configured(self.url.as_deref(), &|name| std::env::var(name).ok())
    }
}

fn configured(url: Option<&str>, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Config> {
    let mut config = match url {
        Some(url) => Config::parse(url)?,
        None => Config::new(),
    };
    config.fill_from(lookup)?;
    if config.hosts.is_empty() && config.server.is_none() {
        let mut local = Config::parse(LOCAL_URL)?;
        local.fill_from(lookup)?;
        return Ok(local);
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_then_environment_then_the_local_server() {
        let none = |_: &str| None;
        let with_server = |name: &str| (name == "INFORMIXSERVER").then(|| "ids1".to_owned());
        let local = configured(None, &none).unwrap();
        assert_eq!(
            (local.hosts[0].port, local.server.as_deref()),
            (9088, Some("informix"))
        );
        let named = configured(None, &with_server).unwrap();
        assert_eq!((named.hosts.len(), named.server.as_deref()), (0, Some("ids1")));
        let given = configured(Some("informix://kim@db1:1526/stores"), &with_server).unwrap();
        assert_eq!((given.hosts[0].name.as_str(), given.server), ("db1", None));
        assert!(configured(Some("nonsense"), &none).is_err());
    }
}
