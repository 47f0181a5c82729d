//! `ifx doctor`: goes the way of a connection step by step and says at the first failure, in one
//! sentence, what to change.

mod advice;
mod listener;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use informix::Config;
use informix::blocking::Connection;
use informix::error::{Error, Kind};

use self::advice::Case;
use crate::cli::Target;
use crate::exit::Exit;

/// Longest wait for one answer of a listener that is no Informix server.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the examination and prints it.
pub(crate) fn run(target: &Target, out: &mut dyn Write) -> io::Result<Exit> {
    let mut report = Report { out };
    let config = match target.config() {
        Ok(config) => config,
        Err(error) => return report.fail("settings", &error.to_string(), &wrong_settings(&error)),
    };
    let targets = match config.targets() {
        Ok(targets) => targets,
        Err(error) => return report.fail("address", &error.to_string(), &wrong_settings(&error)),
    };
    let mut reachable = None;
    let mut outcome = None;
    for place in &targets {
        let mut case = case_of(&config);
        case.host.clone_from(&place.host);
        case.port = place.port;
        case.tls = place.tls;
        match reach(&mut report, &case)? {
            Ok(address) => {
                reachable = Some((case, address));
                break;
            }
            Err(exit) => outcome = Some(exit),
        }
    }
    match (reachable, outcome) {
        (Some((case, address)), _) => login(&mut report, &config, case, address),
        (None, Some(exit)) => Ok(exit),
        (None, None) => report.fail("address", "no address", &advice::refused(&case_of(&config), Kind::Config, -25560, "")),
    }
}

fn wrong_settings(error: &Error) -> String {
    advice::refused(&Case::default(), error.kind(), error.sqlcode(), error.token())
}

fn case_of(config: &Config) -> Case {
    Case {
        user: config.user.clone(),
        server: config.server.clone(),
        database: config.database.clone(),
        client_locale: config.client_locale.clone(),
        db_locale: config.db_locale.clone(),
        ..Case::default()
    }
}

/// Name resolution and TCP.
fn reach(report: &mut Report<'_>, case: &Case) -> io::Result<Result<SocketAddr, Exit>> {
    let found = match (case.host.as_str(), case.port).to_socket_addrs() {
        Ok(addresses) => addresses.collect::<Vec<_>>(),
        Err(error) => {
            return report.fail("name", &error.to_string(), &advice::unresolved(&case.host)).map(Err);
        }
    };
    let shown: Vec<String> = found.iter().map(|a| a.ip().to_string()).collect();
    report.good("name", &format!("{} is {}", case.host, shown.join(", ")))?;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in found {
        let start = Instant::now();
        match TcpStream::connect_timeout(&address, PATIENCE * 2) {
            Ok(_) => {
                let time = start.elapsed().as_secs_f64() * 1000.0;
                report.good("tcp", &format!("{address} accepts connections ({time:.1} ms)"))?;
                return Ok(Ok(address));
            }
            Err(error) => last = error,
        }
    }
    report.fail("tcp", &last.to_string(), &advice::unreachable(case, &last)).map(Err)
}

fn login(report: &mut Report<'_>, config: &Config, mut case: Case, address: SocketAddr) -> io::Result<Exit> {
    match Connection::connect(config) {
        Ok(mut connection) => healthy(report, config, &mut connection),
        Err(error) => {
            learn(config, &mut case, &error, address);
            let sentence = advice::refused(&case, error.kind(), error.sqlcode(), error.token());
            let step = match error.sqlcode() {
                -329 | -387 | -23197 => "database",
                _ if error.kind() == Kind::Tls => "tls",
                _ => "login",
            };
            report.fail(step, &error.to_string(), &sentence)
        }
    }
}

/// Asks the server, or the listener, for what makes the advice exact.
fn learn(config: &Config, case: &mut Case, error: &Error, address: SocketAddr) {
    let connect = |change: &dyn Fn(&mut Config)| {
        let mut other = config.clone();
        change(&mut other);
        Connection::connect(&other).ok()
    };
    match error.sqlcode() {
        -761 => {
            let found = connect(&|c| (c.server, c.database) = (None, None));
            case.true_server = found.and_then(|c| c.server_name().map(str::to_owned));
        }
        -329 => {
            if let Some(mut connection) = connect(&|c| c.database = Some("sysmaster".to_owned())) {
                case.databases = texts(&mut connection, "select name from sysdatabases order by name");
            }
        }
        -23197 => {
            let database = case.database.clone().unwrap_or_default().replace('\'', "''");
            let change = |c: &mut Config| {
                c.database = Some("sysmaster".to_owned());
                c.db_locale = None;
            };
            if let Some(mut connection) = connect(&change) {
                let sql = format!("select dbs_collate from sysdbslocale where dbs_dbsname = '{database}'");
                case.true_locale = texts(&mut connection, &sql).pop();
            }
        }
        _ => {
            let strange = matches!(
                error.kind(),
                Kind::Connect | Kind::Protocol | Kind::Disconnected | Kind::Timeout | Kind::Tls
            );
            if strange {
                case.listener = Some(listener::identify(address, PATIENCE));
            }
        }
    }
}

/// First column of a query, trimmed; nothing when it fails.
fn texts(connection: &mut Connection, sql: &str) -> Vec<String> {
    let read = |connection: &mut Connection| -> informix::Result<Vec<String>> {
        let mut found = Vec::new();
        for row in connection.query(sql, &[])? {
            found.push(row?.get::<String>(0)?.trim().to_owned());
        }
        Ok(found)
    };
    read(connection).unwrap_or_default()
}

fn healthy(report: &mut Report<'_>, config: &Config, connection: &mut Connection) -> io::Result<Exit> {
    report.good("login", &format!("user {:?} at server {:?}", config.user, connection.server_name().unwrap_or_default()))?;
    report.good("version", connection.server_version())?;
    match &config.database {
        Some(name) => report.good("database", name)?,
        None => report.good("database", "none asked for")?,
    }
    if config.database.is_some() {
        match connection.query("select first 1 tabid from systables", &[]).and_then(Iterator::collect::<informix::Result<Vec<_>>>) {
            Ok(_) => report.good("query", "the server answers queries")?,
            Err(error) => {
                return report.fail("query", &error.to_string(), "The connection works but a query fails: look the error up.");
            }
        }
    }
    writeln!(report.out, "\nThe connection works.")?;
    Ok(Exit::Success)
}

struct Report<'a> {
    out: &'a mut dyn Write,
}

impl Report<'_> {
    fn good(&mut self, step: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "ok    {step:<9} {text}")
    }

    fn fail(&mut self, step: &str, text: &str, advice: &str) -> io::Result<Exit> {
        writeln!(self.out, "FAIL  {step:<9} {text}")?;
        writeln!(self.out, "\n{advice}")?;
        Ok(Exit::Connect)
    }
}
