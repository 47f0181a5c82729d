//! `SERVER=ids1;DATABASE=stores;HOST=db1;SERVICE=9088;UID=kim;PWD=…` as ODBC and its relatives write it
//! (`connection-config.md` 3). A value in braces may hold anything, `}}` is one brace.

use super::{Config, params};
use crate::error::{Error, Result};

pub(super) fn parse(text: &str) -> Result<Config> {
    let mut config = Config::default();
    let mut rest = text;
    let mut count = 0usize;
    while !rest.trim_start_matches([';', ' ', '\t']).is_empty() {
        rest = rest.trim_start_matches([';', ' ', '\t']);
        count += 1;
        let (name, after) = rest
            .split_once('=')
            .ok_or_else(|| Error::config(format!("DSN entry {count}: no '='")))?;
        let value;
        (value, rest) = take_value(after).ok_or_else(|| {
            Error::config(format!(
                "DSN entry {count} ({}): the brace is not closed",
                name.trim()
            ))
        })?;
        params::set(&mut config, name, &value, "DSN keyword")?;
    }
    Ok(config)
}

/// The value at the start of `text` and what follows its `;`.
fn take_value(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let Some(inner) = text.strip_prefix('{') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return Some((value.trim().to_owned(), rest));
    };
    let mut value = String::new();
    let mut at = inner;
    loop {
        let (part, after) = at.split_once('}')?;
        value.push_str(part);
        match after.strip_prefix('}') {
            Some(more) => {
                value.push('}');
                at = more;
            }
            None => return Some((value, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_and_braces() {
        let c = Config::parse("DRIVER={x};SERVER=ids0;DATABASE=db1;HOST=10.0.0.1;SERVICE=9090;PROTOCOL=onsocssl;UID=kim;PWD={a;b}}c};CLOC=en_US.utf8")
            .unwrap();
        assert_eq!((c.hosts[0].name.as_str(), c.hosts[0].port), ("10.0.0.1", 9090));
        assert_eq!(c.password.unwrap().reveal(), "a;b}c");
        assert!(c.tls.is_some());
        assert_eq!(c.client_locale.as_deref(), Some("en_US.utf8"));
        let c = Config::parse("server=ids0; database=db1").unwrap();
        assert!(c.hosts.is_empty() && c.server.is_some());
    }

    #[test]
    fn errors_name_the_keyword() {
        for (text, words) in [
            ("HOST=h;PWD={secret", "entry 2 (PWD)"),
            ("HOST=h;nonsense", "entry 2: no '='"),
            ("HOST=h;PORT=none-such", "DSN keyword PORT"),
            ("KOLOR=1", "DSN keyword KOLOR: unknown"),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
            assert!(!error.contains("secret"));
        }
    }
}
