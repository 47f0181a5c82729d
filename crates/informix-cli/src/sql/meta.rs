//! The shell's own commands, which start with a backslash.

use clap::ValueEnum;

use super::output::Format;

/// A command of the interactive shell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meta {
    Help,
    Quit,
    /// Tables of the database, or the columns of one.
    Describe(Option<String>),
    Databases,
    /// Open another database.
    Connect(String),
    Format(Format),
    /// Turn the display of run times on or off.
    Timing,
    /// Run a file.
    Include(String),
}

/// What `\?` prints.
pub(crate) const HELP: &str = r"
\?              this text
\d              tables, views and synonyms of the database
\d TABLE        columns of a table
\l              databases of the server
\c DATABASE     open another database
\f FORMAT       write results as table, csv or json
\i FILE         run the statements of a file
\t              show run times, or stop showing them
\q              end (also Ctrl-D)

Statements end with `;` and may take several lines. Ctrl-C cancels a running statement.
";

/// Reads a command; the error says what is wrong with it.
pub(crate) fn parse(line: &str) -> Result<Meta, String> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let needed = |what: &str| {
        if argument.is_empty() {
            Err(format!("{name} needs {what}"))
        } else {
            Ok(argument.to_owned())
        }
    };
    let meta = match name {
        r"\?" | r"\h" | r"\help" => Meta::Help,
        r"\q" | r"\quit" => Meta::Quit,
        r"\d" => Meta::Describe(Some(argument.to_owned()).filter(|a| !a.is_empty())),
        r"\l" => Meta::Databases,
        r"\c" => Meta::Connect(needed("the name of a database")?),
        r"\f" => Meta::Format(
            Format::from_str(&needed("table, csv or json")?, true)
                .map_err(|_| format!("unknown format {argument:?}: table, csv or json"))?,
        ),
        r"\i" => Meta::Include(needed("a file")?),
        r"\t" => Meta::Timing,
        _ => return Err(format!(r"unknown command {name}; \? lists the commands")),
    };
    Ok(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_arguments() {
        let cases = [
            (r"\?", Ok(Meta::Help)),
            (r" \q ", Ok(Meta::Quit)),
            (r"\d", Ok(Meta::Describe(None))),
            (r"\d  customer;", Ok(Meta::Describe(Some("customer".into())))),
            (r"\l;", Ok(Meta::Databases)),
            (r"\c stores", Ok(Meta::Connect("stores".into()))),
            (r"\c", Err(r"\c needs the name of a database".to_owned())),
            (r"\f CSV", Ok(Meta::Format(Format::Csv))),
            (
                r"\f xml",
                Err("unknown format \"xml\": table, csv or json".to_owned()),
            ),
            (r"\i a file.sql", Ok(Meta::Include("a file.sql".into()))),
            (r"\t", Ok(Meta::Timing)),
            (
                r"\x",
                Err(r"unknown command \x; \? lists the commands".to_owned()),
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
