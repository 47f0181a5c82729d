//! `ifx`: shell, development server and connection doctor.

mod cli;
mod doctor;
mod exit;
mod sql;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    println!("{cli:?}");
    exit::Exit::Success.into()
}
