//! The `sqlhosts` file: where the servers are (`connection-config.md` 5, D).

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// One address that a connect may try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// The listener speaks TLS (`onsocssl`).
    pub tls: bool,
    /// DBSERVERNAME of that listener, when known.
    pub server: Option<String>,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// DBSERVERNAME, alias or group.
    pub name: String,
    /// Network type: `onsoctcp`, `onsocssl`, `group`, …
    pub nettype: String,
    /// Host name; `-` for groups.
    pub host: String,
    /// Service name or port; `-` for groups.
    pub service: String,
    /// Options `k=v`, in order.
    pub options: Vec<(String, String)>,
    /// 1-based line number.
    pub line: usize,
}

impl Entry {
    fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|(k, _)| k == name)
            .map(|(_, v)| v.as_str())
    }

    fn is_group(&self) -> bool {
        self.nettype == "group"
    }
}

/// A parsed file.
#[derive(Debug, Clone, Default)]
pub struct Sqlhosts {
    entries: Vec<Entry>,
    path: PathBuf,
}

impl Sqlhosts {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or a line has fewer than four fields.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Error::new(
                crate::error::Kind::Config,
                -25553,
                format!("cannot read the sqlhosts file {}", path.display()),
            )
            .with_source(e)
        })?;
        Self::parse(&text, path)
    }

    /// Parses the text of a file; `path` is for error messages.
    ///
    /// # Errors
    /// When a line has fewer than four fields.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [name, nettype, host, service, rest @ ..] = fields.as_slice() else {
                return Err(Error::new(
                    crate::error::Kind::Config,
                    -25556,
                    format!(
                        "{} line {}: expected name, protocol, host and service, found {} fields",
                        path.display(),
                        at + 1,
                        fields.len()
                    ),
                ));
            };
            entries.push(Entry {
                name: (*name).to_owned(),
                nettype: nettype.to_ascii_lowercase(),
                host: (*host).to_owned(),
                service: (*service).to_owned(),
                options: rest.first().map(|o| split_options(o)).unwrap_or_default(),
                line: at + 1,
            });
        }
        Ok(Self {
            entries,
            path: path.to_owned(),
        })
    }

    /// The entries in file order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The addresses of a server or of every member of a group, in the order to try them.
    /// `start` picks the first member of a group with option `c=1`.
    ///
    /// # Errors
    /// When the name is not in the file, the group is empty, or an entry is not reachable by TCP.
    pub fn targets(&self, name: &str, start: usize) -> Result<Vec<Target>> {
        let found = self
            .entries
            .iter()
            .find(|e| e.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| {
                Error::new(
                    crate::error::Kind::Config,
                    -25596,
                    format!("server {name:?} is not in {}", self.path.display()),
                )
            })?;
        if !found.is_group() {
            return Ok(vec![self.target(found)?]);
        }
        let mut members = Vec::new();
        for member in &self.entries {
            if member
                .option("g")
                .is_some_and(|g| g.eq_ignore_ascii_case(&found.name))
                && !member.is_group()
            {
                members.push(self.target(member)?);
                if found
                    .option("e")
                    .is_some_and(|last| last.eq_ignore_ascii_case(&member.name))
                {
                    break;
                }
            }
        }
        if members.is_empty() {
            return Err(Error::new(
                crate::error::Kind::Config,
                -27009,
                format!(
                    "{} line {}: group {name:?} has no members",
                    self.path.display(),
                    found.line
                ),
            ));
        }
        if found.option("c") == Some("1") {
            let by = start % members.len();
            members.rotate_left(by);
        }
        Ok(members)
    }

    fn target(&self, entry: &Entry) -> Result<Target> {
        let place = format!("{} line {}", self.path.display(), entry.line);
        let tls = match protocol_tls(&entry.nettype) {
            Some(tls) => tls,
            None => {
                return Err(Error::config(format!(
                    "{place}: protocol {:?} of server {:?} is not SQLI over TCP (onsoctcp or onsocssl)",
                    entry.nettype, entry.name
                )));
            }
        };
        let host = match entry.host.trim_start_matches('*') {
            "" => "localhost",
            host => host,
        };
        let port = port_of(&entry.service).ok_or_else(|| {
            Error::new(
                crate::error::Kind::Config,
                -931,
                format!(
                    "{place}: service {:?} is neither a port nor a known service name",
                    entry.service
                ),
            )
        })?;
        Ok(Target {
            host: host.to_owned(),
            port,
            tls,
            server: Some(entry.name.clone()),
        })
    }
}

/// `Some(tls)` for the protocols that run over a TCP socket, `None` for all others.
pub(crate) fn protocol_tls(nettype: &str) -> Option<bool> {
    let nettype = nettype.to_ascii_lowercase();
    match nettype.as_str() {
        "onsocssl" | "olsocssl" => Some(true),
        "onsoctcp" | "olsoctcp" | "ontlitcp" | "oltlitcp" | "onsqlmux" => Some(false),
        _ => None,
    }
}

/// The port of a service: a number, or a name of the system's service list.
pub(crate) fn port_of(service: &str) -> Option<u16> {
    if let Ok(port) = service.parse::<u16>() {
        return (port != 0).then_some(port);
    }
    let list = std::fs::read_to_string("/etc/services").ok()?;
    list.lines().find_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let name = words.next()?;
        let port = words.next()?.strip_suffix("/tcp")?.parse().ok()?;
        (name == service || words.any(|alias| alias == service)).then_some(port)
    })
}

/// Splits `c=1,g=name,csm=(SPWDCSM,p=1)` at the commas outside parentheses.
fn split_options(text: &str) -> Vec<(String, String)> {
    let mut depth = 0usize;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|o| !o.is_empty())
    .map(|option| match option.split_once('=') {
        Some((k, v)) => (k.to_ascii_lowercase(), v.to_owned()),
        None => (option.to_ascii_lowercase(), String::new()),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# comment
ids1      onsoctcp  alpha     9088
ids1_tls  onsocssl  *alpha    9089   k=1,s=4,pam_serv=(pam,x)
g1        group     -         -      c=1,e=m2
m1        onsoctcp  beta      9088   g=g1
m2        ontlitcp  gamma     9090   g=g1,k=0
m3        onsoctcp  delta     9091   g=g1
empty     group     -         -
shm       onipcshm  alpha     x
bad       onsoctcp  alpha     no-such-service-name
";

    fn file() -> Sqlhosts {
        Sqlhosts::parse(FILE, Path::new("sqlhosts")).unwrap()
    }

    fn target(host: &str, port: u16, tls: bool, server: &str) -> Target {
        Target {
            host: host.into(),
            port,
            tls,
            server: Some(server.into()),
        }
    }

    #[test]
    fn servers_and_groups_resolve() {
        assert_eq!(
            file().targets("ids1", 0).unwrap(),
            [target("alpha", 9088, false, "ids1")]
        );
        assert_eq!(
            file().targets("IDS1_TLS", 0).unwrap(),
            [target("alpha", 9089, true, "ids1_tls")]
        );
        let (m1, m2) = (
            target("beta", 9088, false, "m1"),
            target("gamma", 9090, false, "m2"),
        );
        assert_eq!(file().targets("g1", 0).unwrap(), [m1.clone(), m2.clone()]);
        assert_eq!(file().targets("g1", 3).unwrap(), [m2, m1]);
    }

    #[test]
    fn what_cannot_be_reached_says_where_it_stands() {
        for (name, words) in [
            ("nosuch", "\"nosuch\" is not in sqlhosts"),
            ("empty", "line 8: group \"empty\" has no members"),
            ("shm", "line 9: protocol \"onipcshm\""),
            ("bad", "line 10: service \"no-such-service-name\""),
        ] {
            let error = file().targets(name, 0).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let error = Sqlhosts::parse("a b\n", Path::new("f")).unwrap_err();
        assert!(error.to_string().contains("f line 1"), "{error}");
    }
}
