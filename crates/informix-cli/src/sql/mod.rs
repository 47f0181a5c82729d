//! `ifx sql`: the shell.

mod caret;
mod cells;
mod complete;
mod interactive;
mod meta;
pub(crate) mod output;
mod script;
mod shell;

use std::io::{self, BufWriter, IsTerminal, Read};
use std::path::Path;

use informix::blocking::Connection;

use self::shell::{Look, Shell, Stop};
use crate::cli::SqlArgs;
use crate::exit::Exit;

/// Runs what the arguments ask for.
pub(crate) fn run(args: &SqlArgs) -> anyhow::Result<Exit> {
    let config = match args.target.config() {
        Ok(config) => config,
        Err(error) => {
            eprintln!("ifx: {error}");
            return Ok(Exit::Usage);
        }
    };
    let connection = match Connection::connect(config) {
        Ok(connection) => connection,
        Err(error) => {
            eprintln!("ifx: {error}\nifx: `ifx doctor` with the same URL says what to change");
            return Ok(Exit::Connect);
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let look = Look {
        format: args.format,
        null: args.null.clone(),
        header: !args.no_header,
        timing: false,
    };
    let mut shell = Shell {
        connection,
        look,
        keep_going: args.keep_going,
        out: &mut out,
    };
    if args.command.is_empty() && args.file.is_empty() && io::stdin().is_terminal() {
        return interactive::run(&mut shell);
    }
    let done = if args.single_transaction {
        in_transaction(&mut shell, args)
    } else {
        run_all(&mut shell, args)
    };
    Ok(match done {
        Ok(()) => Exit::Success,
        Err(stop) => stop.exit(),
    })
}

fn run_all(shell: &mut Shell<'_>, args: &SqlArgs) -> Result<(), Stop> {
    let mut failed = false;
    let mut run = |shell: &mut Shell<'_>, text: &str, source: &str| match shell.run_script(text, source) {
        Err(Stop::Statement) if shell.keep_going => {
            failed = true;
            Ok(())
        }
        done => done,
    };
    for text in &args.command {
        run(shell, text, "-c")?;
    }
    let standard_input = [Path::new("-").to_owned()];
    let files = if args.command.is_empty() && args.file.is_empty() {
        &standard_input[..]
    } else {
        &args.file
    };
    for path in files {
        let (text, name) = if path == Path::new("-") {
            let mut text = String::new();
            (
                io::stdin().read_to_string(&mut text).map(|_| text),
                "stdin".to_owned(),
            )
        } else {
            (std::fs::read_to_string(path), path.display().to_string())
        };
        match text {
            Ok(text) => run(shell, &text, &name)?,
            Err(error) => {
                eprintln!("ifx: cannot read {name}: {error}");
                return Err(Stop::Statement);
            }
        }
    }
    if failed { Err(Stop::Statement) } else { Ok(()) }
}

/// All or nothing. What is not committed is rolled back by the server when the connection ends.
fn in_transaction(shell: &mut Shell<'_>, args: &SqlArgs) -> Result<(), Stop> {
    if let Err(error) = shell.connection.execute("begin work", ()) {
        return Err(shell.report(&error, "", ""));
    }
    run_all(shell, args)?;
    shell
        .connection
        .commit()
        .map_err(|error| shell.report(&error, "", "commit: "))
}
