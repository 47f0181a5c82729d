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
        (None, None) => report.fail(
            "address",
            "no address",
            &advice::refused(&case_of(&config), Kind::Config, -25560, ""),
        ),
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
            return report
                .fail("name", &error.to_string(), &advice::unresolved(&case.host))
                .map(Err);
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
    report
        .fail("tcp", &last.to_string(), &advice::unreachable(case, &last))
        .map(Err)
}

fn login(report: &mut Report<'_>, config: &Config, mut case: Case, address: SocketAddr) -> io::Result<Exit> {
    match Connection::connect(config.clone()) {
        Ok(connection) => healthy(report, config, &connection),
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
        Connection::connect(other).ok()
    };
    match error.sqlcode() {
        -761 => {
            let found = connect(&|c| (c.server, c.database) = (None, None));
            case.true_server = found
                .map(|c| c.server_info().name().to_owned())
                .filter(|name| !name.is_empty());
        }
        -329 => {
            if let Some(connection) = connect(&|c| c.database = None) {
                case.databases = connection.databases().unwrap_or_default();
                case.databases.sort();
            }
        }
        -23197 => {
            let database = case.database.clone().unwrap_or_default();
            let change = |c: &mut Config| {
                c.database = Some("sysmaster".to_owned());
                c.db_locale = None;
            };
            let sql = "select dbs_collate from sysdbslocale where dbs_dbsname = ?";
            let row = connect(&change).and_then(|c| c.query_opt(sql, [database]).ok().flatten());
            case.true_locale = row
                .and_then(|row| row.get::<String>(0).ok())
                .map(|l| l.trim_end().to_owned());
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

fn healthy(report: &mut Report<'_>, config: &Config, connection: &Connection) -> io::Result<Exit> {
    let info = connection.server_info();
    report.good(
        "login",
        &format!("user {:?} at server {:?}", config.user, info.name()),
    )?;
    let version = connection
        .server_version()
        .unwrap_or_else(|_| info.version().to_owned());
    report.good("version", &version)?;
    let Some(database) = info.database() else {
        report.good("database", "none asked for")?;
        writeln!(report.out, "\nThe connection works.")?;
        return Ok(Exit::Success);
    };
    let mode = match (info.is_ansi(), info.is_logged()) {
        (true, _) => "ANSI",
        (false, true) => "logged",
        (false, false) => "without transactions",
    };
    let locale = connection
        .database_locale()
        .ok()
        .flatten()
        .unwrap_or_else(|| "unknown".to_owned());
    report.good("database", &format!("{database}, {mode}, locale {locale}"))?;
    if let Err(error) = connection.query_all("select first 1 tabid from systables", ()) {
        return report.fail(
            "query",
            &error.to_string(),
            "The connection works but a query fails: look the error up.",
        );
    }
    report.good("query", "the server answers queries")?;
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
