//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use informix_devserver::engine::DatabaseSpec;
use informix_devserver::fault::Fault;

use crate::sql::output::Format;

/// Shell, development server and connection doctor for IBM/HCL Informix.
#[derive(Debug, Parser)]
#[command(name = "ifx", version, about, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Write what happens to stderr; RUST_LOG refines it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a statement failed, or a file could not be read or written
  2  wrong command line
  3  no connection (address, TLS, login, database)
  4  the connection broke while it was used";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run SQL: interactive, from arguments, from a file or from standard input.
    Sql(SqlArgs),
    /// Run the embedded development server.
    Serve(ServeArgs),
    /// Find out why a connection fails, and what to change.
    Doctor(Target),
}

/// Where to connect.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// informix://user:password@host:port/database?server=…, a jdbc:informix-sqli: URL, or key=value pairs.
    /// Without it: INFORMIXSERVER and sqlhosts, else the defaults of `ifx serve`.
    #[arg(value_name = "URL", env = "IFX_URL", hide_env_values = true)]
    pub(crate) url: Option<String>,
}

/// `ifx sql`.
#[derive(Debug, Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Run this SQL (`;` between statements) and end. May be repeated.
    #[arg(short, long = "command", value_name = "SQL")]
    pub(crate) command: Vec<String>,
    /// Run the statements of this file and end; `-` is standard input. May be repeated, runs after -c.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// How results are written.
    #[arg(short = 'o', long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Text for NULL in tables and CSV [default: NULL in tables, empty in CSV].
    #[arg(long, value_name = "TEXT")]
    pub(crate) null: Option<String>,
    /// Leave out column names.
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Go on after a statement that failed (the exit code still tells).
    #[arg(short, long)]
    pub(crate) keep_going: bool,
    /// Run everything in one transaction: commit at the end, roll back at the first error.
    #[arg(short = '1', long, conflicts_with = "keep_going")]
    pub(crate) single_transaction: bool,
}

/// `ifx serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// TCP port; 0 picks a free one.
    #[arg(short, long, default_value_t = 9088)]
    pub(crate) port: u16,
    /// Keep the databases in this directory; without it they live as long as the server.
    #[arg(long, value_name = "PATH")]
    pub(crate) dir: Option<PathBuf>,
    /// User that may log in.
    #[arg(long, default_value = "informix")]
    pub(crate) user: String,
    /// Its password.
    #[arg(
        long,
        default_value = "in4mix",
        env = "IFX_SERVE_PASSWORD",
        hide_env_values = true
    )]
    pub(crate) password: String,
    /// DBSERVERNAME that clients must give.
    #[arg(long, default_value = "informix")]
    pub(crate) server_name: String,
    /// Have this database instead of `testdb`; made when it is missing. The mode is unlogged, logged (when left out),
    /// buffered or ansi; the locale fixes its code set. May be repeated.
    #[arg(long, value_name = "NAME[:MODE][:LOCALE]")]
    pub(crate) database: Vec<DatabaseSpec>,
    /// Speak TLS on the port instead of plain TCP, with the certificate chain of this PEM file.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, a PEM file.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Ask every client this after its login (PAM, pamauth=challenge): the question, `=`, and the answer. May be repeated.
    #[arg(long, value_name = "QUESTION=ANSWER", value_parser = question)]
    pub(crate) challenge: Vec<(String, String)>,
    /// Load this before accepting connections: a .sql script or a dbexport directory. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) load: Vec<PathBuf>,
    /// Misbehave by this rule, such as 'execute#3 close' or 'login delay 2s' (docs/devserver.md). May be repeated.
    #[arg(long, value_name = "RULE")]
    pub(crate) fault: Vec<Fault>,
}

/// Question and answer of `--challenge`. A message about it must not show the answer.
fn question(text: &str) -> Result<(String, String), String> {
    text.rsplit_once('=')
        .map(|(prompt, answer)| (prompt.to_owned(), answer.to_owned()))
        .ok_or_else(|| "expected QUESTION=ANSWER".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn a_question_ends_at_the_last_equals_sign() {
        assert_eq!(
            super::question("2+2= ?=4").unwrap(),
            ("2+2= ?".to_owned(), "4".to_owned())
        );
        assert!(super::question("secret").is_err());
    }

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
