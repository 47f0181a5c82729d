//! The interactive shell: prompt, history, completion, backslash commands.

use std::path::PathBuf;

use informix::blocking::Connection;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Editor};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use super::complete::ShellHelper;
use super::meta::{self, Meta};
use super::script;
use super::shell::{Shell, Stop};
use crate::exit::Exit;

/// Reads and runs until the user ends it.
pub(crate) fn run(shell: &mut Shell<'_>) -> anyhow::Result<Exit> {
    let settings = rustyline::Config::builder()
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .auto_add_history(true)
        .build();
    let mut editor: Editor<ShellHelper, FileHistory> = Editor::with_config(settings)?;
    editor.set_helper(Some(ShellHelper {
        names: names(&shell.connection),
    }));
    let history = history_file();
    if let Some(file) = &history {
        // The first run has no file yet.
        let _ = editor.load_history(file);
    }
    cancel_on_interrupt(&shell.connection)?;
    println!("{}", greeting(&shell.connection));
    let exit = read_and_run(shell, &mut editor)?;
    if let Some(file) = &history
        && let Err(error) = editor.save_history(file)
    {
        eprintln!("ifx: cannot keep the history in {}: {error}", file.display());
    }
    Ok(exit)
}

fn read_and_run(
    shell: &mut Shell<'_>,
    editor: &mut Editor<ShellHelper, FileHistory>,
) -> anyhow::Result<Exit> {
    loop {
        let prompt = format!("{}> ", shell.connection.server_info().database().unwrap_or("ifx"));
        let input = match editor.readline(&prompt) {
            Ok(input) => input,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(Exit::Success),
            Err(error) => return Err(error.into()),
        };
        let done = if input.trim_start().starts_with('\\') {
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
        match done {
            Ok(()) | Err(Stop::Statement) => {}
            Err(stop) => return Ok(stop.exit()),
        }
        shell.out.flush()?;
        if changes_names(&input)
            && let Some(helper) = editor.helper_mut()
        {
            helper.names = names(&shell.connection);
        }
    }
}

/// Ctrl-C while a statement runs cancels it; at the prompt the line editor takes the key itself.
fn cancel_on_interrupt(connection: &Connection) -> anyhow::Result<()> {
    let handle = connection.cancel_handle();
    let mut signals = Signals::new([SIGINT])?;
    std::thread::Builder::new()
        .name("cancel".to_owned())
        .spawn(move || {
            for _ in signals.forever() {
                if let Err(error) = handle.cancel() {
                    eprintln!("ifx: cannot cancel: {error}");
                }
            }
        })?;
    Ok(())
}

fn greeting(connection: &Connection) -> String {
    let version = connection
        .server_version()
        .unwrap_or_else(|_| connection.server_info().version().to_owned());
    format!("{version}\n\\? lists the commands, \\q ends.")
}

/// Table and column names for completion; an empty list when the catalog does not answer.
fn names(connection: &Connection) -> Vec<String> {
    let mut found = Vec::new();
    for sql in [
        "select tabname from systables where tabid >= 100",
        "select distinct colname from syscolumns where tabid >= 100",
    ] {
        let Ok(rows) = connection.query_all(sql, ()) else {
            continue;
        };
        found.extend(
            rows.iter()
                .filter_map(|row| row.get::<String>(0).ok())
                .map(|name| name.trim_end().to_owned()),
        );
    }
    found.sort();
    found.dedup();
    found
}

/// Whether completion must learn the names again.
fn changes_names(input: &str) -> bool {
    const WORDS: &[&str] = &["create", "drop", "alter", "rename", "database"];
    let (pieces, _) = script::split(input);
    let first = pieces.first().and_then(|piece| script::first_word(&piece.text));
    first.is_some_and(|first| WORDS.iter().any(|word| first.eq_ignore_ascii_case(word)))
        || [r"\c", r"\i"]
            .iter()
            .any(|command| input.trim_start().starts_with(command))
}

fn statements(shell: &mut Shell<'_>, input: &str) -> Result<(), Stop> {
    let (pieces, rest) = script::split(input);
    pieces
        .into_iter()
        .chain(rest)
        .try_for_each(|piece| shell.run_or_report(&piece.text, ""))
}

fn command(shell: &mut Shell<'_>, meta: Meta) -> Result<(), Stop> {
    match meta {
        Meta::Quit => {}
        Meta::Help => writeln!(shell.out, "{}", meta::HELP.trim())?,
        Meta::Timing => {
            shell.look.timing = !shell.look.timing;
            writeln!(
                shell.out,
                "Run times are {}.",
                if shell.look.timing { "shown" } else { "not shown" }
            )?;
        }
        Meta::Format(format) => shell.look.format = format,
        Meta::Databases => statements(
            shell,
            "select name, owner, is_logging, is_ansi from sysmaster:sysdatabases order by name",
        )?,
        Meta::Connect(name) => {
            if let Err(error) = shell.connection.use_database(&name) {
                return Err(shell.report(&error, "", ""));
            }
        }
        Meta::Describe(None) => statements(
            shell,
            "select tabname, owner, tabtype, ncols from systables where tabid >= 100 order by tabname",
        )?,
        Meta::Describe(Some(table)) => describe(shell, &table)?,
        Meta::Include(path) => match std::fs::read_to_string(&path) {
            Ok(text) => shell.run_script(&text, &path)?,
            Err(error) => eprintln!("ifx: cannot read {path}: {error}"),
        },
    }
    Ok(())
}

/// The columns as the server describes a query of all of them: exact types without reading the catalog's codes.
fn describe(shell: &mut Shell<'_>, table: &str) -> Result<(), Stop> {
    let lines: Result<Vec<String>, _> =
        shell
            .connection
            .prepare(&format!("select * from {table}"))
            .map(|statement| {
                let columns = statement.columns();
                let width = columns
                    .iter()
                    .map(|c| c.name().chars().count())
                    .max()
                    .unwrap_or_default();
                columns
                    .iter()
                    .map(|column| {
                        let kind = column.column_type();
                        let null = if kind.is_nullable() { "" } else { " not null" };
                        format!("{:<width$}  {}{null}", column.name(), kind.sql_name())
                    })
                    .collect()
            });
    match lines {
        Ok(lines) => writeln!(shell.out, "{}", lines.join("\n"))?,
        Err(error) => return Err(shell.report(&error, "", "")),
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::changes_names;

    #[test]
    fn definitions_refresh_completion() {
        for input in [
            "create table t (a int);",
            " DROP table t;",
            r"\c stores",
            r"\i x.sql",
            "database d;",
        ] {
            assert!(changes_names(input), "{input}");
        }
        for input in ["select 1;", r"\d", "insert into create_log values (1);"] {
            assert!(!changes_names(input), "{input}");
        }
    }
}
