//! Fixtures: SQL scripts and `dbexport` directories into a server.
//!
//! A script is run statement by statement, each committed by itself unless the script begins transactions, in the first configured
//! database or in the one that a DATABASE or CREATE DATABASE statement names. `LOAD FROM 'file' [DELIMITER 'c'] INSERT INTO
//! table [(columns)]` is carried out; the file's name is relative to the script.
//!
//! A `dbexport` directory `name.exp` has the script `name.sql`, whose comments say what else is to be done:
//! `{ DATABASE name delimiter | }` makes the database (with a log) if there is none, and `{ TABLE "owner".name row size … }`
//! with `{ unload file name = file.unl number of rows = n }` says what is loaded into the table once the statement behind them has
//! made it.
//!
//! | file | what |
//! |---|---|
//! | `script` | statements and comments of a script |
//! | `table` | a `.unl` file into a table; its format is [`informix_types::unl`] |

mod script;
mod table;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::{Engine, SessionOptions};

/// What could not be loaded, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The file.
    pub path: PathBuf,
    /// Line, from 1; 0 when it is about the whole file.
    pub line: usize,
    /// Column, counted in characters from 1; 0 when there is none.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
}

impl LoadError {
    fn new(path: &Path, (line, column): (usize, usize), problem: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            column,
            problem: problem.into(),
        }
    }

    fn file(path: &Path, problem: impl fmt::Display) -> Self {
        Self::new(path, (0, 0), problem.to_string())
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line != 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for LoadError {}

/// Loads a script, or the script of a `dbexport` directory.
pub(crate) fn load(engine: &Arc<Engine>, path: &Path) -> Result<(), LoadError> {
    let script = if path.is_dir() {
        script_of(path)?
    } else {
        path.to_owned()
    };
    let config = engine.config();
    let user = config.users.first().map_or("informix", |user| user.name.as_str());
    // As for the vendor's dbimport: names in double quotes are names when the environment says so.
    let delimident = std::env::var("DELIMIDENT").is_ok_and(|value| !value.eq_ignore_ascii_case("n"));
    let options = SessionOptions {
        delimident,
        ..SessionOptions::new(user)
    };
    let mut session = engine
        .session(options)
        .map_err(|error| LoadError::file(&script, error))?;
    // It never waits for a client: what it has changed is seen at the end of a statement.
    session.will_attend();
    if let Some(database) = config.databases.first() {
        session
            .open_database(&database.name, false)
            .map_err(|error| LoadError::file(&script, error))?;
    }
    script::run(&mut session, &script)
}

/// The one script of a directory.
fn script_of(directory: &Path) -> Result<PathBuf, LoadError> {
    let entries = std::fs::read_dir(directory).map_err(|error| LoadError::file(directory, error))?;
    let mut scripts: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .collect();
    match (scripts.pop(), scripts.is_empty()) {
        (Some(script), true) => Ok(script),
        (None, _) => Err(LoadError::file(directory, "there is no .sql file in it")),
        (Some(_), false) => Err(LoadError::file(
            directory,
            "there are several .sql files in it: name one of them",
        )),
    }
}
