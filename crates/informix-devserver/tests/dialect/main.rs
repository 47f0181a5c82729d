//! Every statement and function form of the dialect that the server knows, with what it answers: one text file per
//! section of the dialect, read from the top to the bottom in one session of an empty database.
//!
//! ```text
//! # comment
//! SELECT a, b FROM t WHERE a = ?      a statement; further lines of it are indented
//! @ 5                                 the values of its parameters: numbers, quoted texts, NULL
//! : integer a, varchar(20) not null b what DESCRIBE says: type, name
//! = 5|five                            a row; NULL is NULL
//! ```
//!
//! A statement without rows answers `= ok` or `= ok N` with the rows it changed; one that fails `= error NUMBER` with
//! the name that the error is about. What the server refuses though real servers know it is marked `! why`: these are
//! counted. `INFORMIX_DIALECT=write` writes the answers into the files: read the difference before it is committed.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "../engine/support.rs"]
mod support;

mod large;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use informix_devserver::SqlError;
use informix_devserver::engine::{PrepareOptions, Session};
use informix_types::Value;
use support::{Run, testdb};

/// One statement of a file.
#[derive(Default)]
struct Form {
    /// Lines of comment and empty lines before it.
    before: String,
    sql: String,
    parameters: Option<String>,
    refused: Option<String>,
    expected: String,
}

fn forms(text: &str) -> (Vec<Form>, String) {
    let mut forms = Vec::new();
    let mut form = Form::default();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("@ ") {
            form.parameters = Some(rest.to_owned());
        } else if let Some(rest) = line.strip_prefix("! ") {
            form.refused = Some(rest.to_owned());
        } else if line.starts_with(": ") || line.starts_with("= ") {
            writeln!(form.expected, "{line}").unwrap();
        } else if line.trim().is_empty() || line.starts_with('#') {
            if !form.sql.is_empty() {
                forms.push(std::mem::take(&mut form));
            }
            writeln!(form.before, "{line}").unwrap();
        } else {
            if !form.sql.is_empty() && !line.starts_with(' ') {
                forms.push(std::mem::take(&mut form));
            }
            if !form.sql.is_empty() {
                form.sql.push('\n');
            }
            form.sql.push_str(line);
        }
    }
    let mut end = String::new();
    if form.sql.is_empty() {
        end = form.before;
    } else {
        forms.push(form);
    }
    (forms, end)
}

fn values(text: &str) -> Vec<Value> {
    let value = |part: &str| {
        let part = part.trim();
        if part == "NULL" {
            return Value::Null;
        }
        if let Some(quoted) = part.strip_prefix('\'').and_then(|p| p.strip_suffix('\'')) {
            return Value::Text(quoted.to_owned());
        }
        match part.parse::<i32>() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Decimal(part.parse().unwrap_or_else(|_| panic!("{part} is no value"))),
        }
    };
    text.split(", ").map(value).collect()
}

fn shown(value: &Value) -> String {
    if value.is_null() {
        return "NULL".to_owned();
    }
    // Blank padding is told by the type.
    value.to_string().trim_end().replace('\n', "\\n")
}

/// What the server answers, in the form of the files.
fn answer(session: &mut Session, form: &Form) -> String {
    let parameters = form.parameters.as_deref().map(values).unwrap_or_default();
    let described = match session.prepare(&form.sql, &PrepareOptions::default()) {
        Ok(prepared) => prepared
            .columns()
            .iter()
            .map(|c| format!("{} {}", c.ty, c.name))
            .collect::<Vec<_>>(),
        Err(error) => return error_line(&error),
    };
    match session.run_with(&form.sql, &parameters) {
        Ok(outcome) if outcome.rows == 0 => "= ok\n".to_owned(),
        Ok(outcome) => format!("= ok {}\n", outcome.rows),
        Err(error) if error.sqlcode == -260 => match session.try_rows(&form.sql, &parameters) {
            Ok(rows) => {
                let mut text = format!(": {}\n", described.join(", "));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(shown).collect();
                    writeln!(text, "= {}", cells.join("|")).unwrap();
                }
                text
            }
            Err(error) => error_line(&error),
        },
        Err(error) => error_line(&error),
    }
}

fn error_line(error: &SqlError) -> String {
    let token = if error.token.is_empty() {
        String::new()
    } else {
        format!(" {}", error.token)
    };
    format!("= error {}{token}\n", error.sqlcode)
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialect");
    let entries = std::fs::read_dir(directory).expect("the directory of the forms");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    files
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/dialect")
        .join(name);
    let text = std::fs::read_to_string(&path).expect("the file of the forms");
    let (forms, end) = forms(&text);
    let mut session = testdb();
    let (mut written, mut wrong) = (String::new(), String::new());
    for form in &forms {
        let got = answer(&mut session, form);
        if got != form.expected {
            writeln!(wrong, "{}\nanswers\n{got}and not\n{}", form.sql, form.expected).unwrap();
        }
        writeln!(written, "{}{}", form.before, form.sql).unwrap();
        for (mark, line) in [("@", &form.parameters), ("!", &form.refused)] {
            if let Some(line) = line {
                writeln!(written, "{mark} {line}").unwrap();
            }
        }
        written.push_str(&got);
    }
    written.push_str(&end);
    if std::env::var("INFORMIX_DIALECT").is_ok_and(|mode| mode == "write") {
        std::fs::write(&path, written).expect("writing the answers");
    } else {
        assert!(wrong.is_empty(), "{name}:\n{wrong}");
    }
}

/// One test per file.
macro_rules! sections {
    ($($test:ident),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                check(concat!(stringify!($test), ".txt"));
            }
        )*

        /// Every file is a test, and the sums are those of the documentation.
        #[test]
        fn the_sums_are_documented() {
            let tests = [$(concat!(stringify!($test), ".txt")),*];
            let (mut all, mut refused) = (0, 0);
            for file in files() {
                let name = file.file_name().and_then(|n| n.to_str()).expect("a name");
                assert!(tests.contains(&name), "{name} is no test");
                let text = std::fs::read_to_string(&file).expect("the file");
                let (forms, _) = forms(&text);
                for form in &forms {
                    let fails = form.expected.starts_with("= error");
                    assert!(fails || form.refused.is_none(), "not refused: {}", form.sql);
                }
                all += forms.len();
                refused += forms.iter().filter(|f| f.refused.is_some()).count();
            }
            let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/devserver.md");
            let docs = std::fs::read_to_string(docs).expect("the documentation");
            let sums = format!("{all} statements, {refused} of them refused");
            assert!(docs.contains(&sums), "docs/devserver.md does not say: {sums}");
        }
    };
}

sections!(
    datetimes, ddl, dml, functions, lexical, queries, routines, sessions, types
);
