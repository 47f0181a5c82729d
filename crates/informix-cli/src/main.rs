//! `ifx`: shell, development server and connection doctor.

mod cli;
mod doctor;
mod exit;
mod serve;
mod sql;
mod target;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};
use exit::Exit;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    log(cli.verbose);
    let done = match &cli.command {
        Command::Serve(args) => serve::run(args).map(|()| Exit::Success),
        Command::Sql(args) => sql::run(args),
        Command::Doctor(target) => doctor::run(target, &mut std::io::stdout()).map_err(Into::into),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("ifx: {error:#}");
            Exit::Failed.into()
        }
    }
}

/// Messages go to stderr: warnings, with -v what happens, with -vv everything. RUST_LOG wins.
fn log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "informix=info,informix_devserver=info,ifx=info",
        _ => "informix=trace,informix_devserver=trace,informix_protocol=trace,ifx=trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .init();
}
