//! The interactive shell: prompt, history, completion, backslash commands.

use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Editor};

use super::complete::ShellHelper;
use super::meta::{self, Meta};
use super::script;
use super::shell::{Failure, Shell, Stop};
use crate::exit::Exit;

/// Reads and runs until the user ends it.
pub(crate) fn run(shell: &mut Shell<'_>) -> anyhow::Result<Exit> {
    let settings = rustyline::Config::builder()
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .auto_add_history(true)
        .build();
    let mut editor: Editor<ShellHelper, FileHistory> = Editor::with_config(settings)?;
    editor.set_helper(Some(ShellHelper { names: shell.session.names() }));
    let history = history_file();
    if let Some(file) = &history {
        // The first run has no file yet.
        let _ = editor.load_history(file);
    }
    println!("{}", shell.session.greeting());
    println!(r"\? lists the commands, \q ends.");
    let exit = read_and_run(shell, &mut editor)?;
    if let Some(file) = &history
        && let Err(error) = editor.save_history(file)
    {
        eprintln!("ifx: cannot keep the history in {}: {error}", file.display());
    }
    Ok(exit)
}

fn read_and_run(shell: &mut Shell<'_>, editor: &mut Editor<ShellHelper, FileHistory>) -> anyhow::Result<Exit> {
    loop {
        let prompt = format!("{}> ", shell.session.database().unwrap_or("ifx"));
        let input = match editor.readline(&prompt) {
            Ok(input) => input,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(Exit::Success),
            Err(error) => return Err(error.into()),
        };
        let stop = if input.trim_start().starts_with('\\') {
            match meta::parse(&input) {
                Ok(Meta::Quit) => return Ok(Exit::Success),
                Ok(meta) => command(shell, meta),
                Err(message) => {
                    eprintln!("{message}");
                    Ok(())
                }
            }
        } else {
            statements(shell, &input)
        };
        match stop {
            Ok(()) => {}
            Err(Stop::Statement) => {}
            Err(stop) => return Ok(stop.exit()),
        }
        if changes_names(&input)
            && let Some(helper) = editor.helper_mut()
        {
            helper.names = shell.session.names();
        }
    }
}

/// Whether completion must learn the names again.
fn changes_names(input: &str) -> bool {
    let words = ["create", "drop", "alter", "rename", "database", r"\c", r"\i"];
    let (pieces, _) = script::split(input);
    pieces.iter().any(|p| {
        script::first_word(&p.text).is_some_and(|w| words.iter().any(|word| w.eq_ignore_ascii_case(word)))
    }) || words.iter().any(|word| word.starts_with('\\') && input.trim_start().starts_with(word))
}

fn statements(shell: &mut Shell<'_>, input: &str) -> Result<(), Stop> {
    let (pieces, rest) = script::split(input);
    for piece in pieces.into_iter().chain(rest) {
        match shell.session.cancel_on_interrupt(|| ()).and_then(|_guard| Ok(shell.run_statement(&piece.text))) {
            Ok(Ok(())) => {}
            Ok(Err(Failure::Output(error))) => return Err(Stop::Output(error)),
            Ok(Err(Failure::Sql(error))) | Err(error) => {
                shell.report(&error, &piece.text, "")?;
                return Err(if error.is_disconnect() { Stop::Lost } else { Stop::Statement });
            }
        }
    }
    Ok(())
}

fn command(shell: &mut Shell<'_>, meta: Meta) -> Result<(), Stop> {
    match meta {
        Meta::Quit => Ok(()),
        Meta::Help => {
            writeln!(shell.out, "{}", meta::HELP.trim())?;
            Ok(())
        }
        Meta::Timing => {
            shell.look.timing = !shell.look.timing;
            writeln!(shell.out, "Run times are {}.", if shell.look.timing { "shown" } else { "not shown" })?;
            Ok(())
        }
        Meta::Format(format) => {
            shell.look.format = format;
            Ok(())
        }
        Meta::Databases => statements(
            shell,
            "select name, owner, is_logging, is_ansi from sysmaster:sysdatabases order by name",
        ),
        Meta::Connect(name) => statements(shell, &format!("database {name}")),
        Meta::Describe(None) => statements(
            shell,
            "select tabname, owner, tabtype, ncols from systables where tabid >= 100 order by tabname",
        ),
        Meta::Describe(Some(table)) => match shell.session.columns_of(&table) {
            Ok(columns) => {
                for (name, kind) in columns {
                    writeln!(shell.out, "{name:<30} {kind}")?;
                }
                Ok(())
            }
            Err(error) => {
                shell.report(&error, "", "")?;
                Err(if error.is_disconnect() { Stop::Lost } else { Stop::Statement })
            }
        },
        Meta::Include(path) => match std::fs::read_to_string(&path) {
            Ok(text) => shell.run_script(&text, &path),
            Err(error) => {
                eprintln!("ifx: cannot read {path}: {error}");
                Err(Stop::Statement)
            }
        },
    }
}

/// `$XDG_STATE_HOME/ifx/history`, below the home directory by default.
fn history_file() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")))?;
    let directory = base.join("ifx");
    std::fs::create_dir_all(&directory).ok()?;
    Some(directory.join("history"))
}
