//! Completion and multi-line input of the interactive shell.

use rustyline::completion::{Completer, Pair};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper, Highlighter, Hinter};

use super::script;

/// Words of the dialect that are worth completing.
const KEYWORDS: &[&str] = &[
    "alter",
    "and",
    "as",
    "asc",
    "avg",
    "begin work",
    "between",
    "bigint",
    "bigserial",
    "blob",
    "boolean",
    "byte",
    "case",
    "cast",
    "char",
    "check",
    "clob",
    "close",
    "commit work",
    "connect",
    "constraint",
    "count",
    "create",
    "current",
    "cursor",
    "database",
    "date",
    "datetime",
    "day",
    "dbinfo",
    "decimal",
    "default",
    "delete from",
    "desc",
    "describe",
    "distinct",
    "drop",
    "else",
    "end",
    "exists",
    "extend",
    "first",
    "float",
    "foreign key",
    "fraction",
    "from",
    "full",
    "function",
    "grant",
    "group by",
    "having",
    "hour",
    "in",
    "index",
    "inner",
    "insert into",
    "int8",
    "integer",
    "interval",
    "into",
    "is null",
    "isolation",
    "join",
    "left",
    "length",
    "like",
    "limit",
    "lower",
    "lvarchar",
    "matches",
    "max",
    "min",
    "minute",
    "mod",
    "money",
    "month",
    "nchar",
    "not null",
    "null",
    "nvarchar",
    "nvl",
    "on",
    "or",
    "order by",
    "outer",
    "primary key",
    "procedure",
    "references",
    "release",
    "rename",
    "revoke",
    "right",
    "rollback work",
    "round",
    "savepoint",
    "second",
    "select",
    "sequence",
    "serial",
    "serial8",
    "set",
    "skip",
    "smallfloat",
    "smallint",
    "start",
    "substr",
    "sum",
    "synonym",
    "table",
    "temp",
    "text",
    "then",
    "to",
    "today",
    "trigger",
    "trim",
    "trunc",
    "union",
    "unique",
    "unload",
    "update",
    "update statistics",
    "upper",
    "user",
    "values",
    "varchar",
    "view",
    "when",
    "where",
    "with log",
    "with no log",
    "year",
];

/// Line editor support: completes keywords, tables and columns; reads until a statement is ended.
#[derive(Helper, Highlighter, Hinter)]
pub(crate) struct ShellHelper {
    /// Table, view and column names of the open database.
    pub(crate) names: Vec<String>,
}

impl Completer for ShellHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..pos).unwrap_or(line);
        let (start, words) = candidates(before, &self.names);
        let pairs = words
            .into_iter()
            .map(|word| Pair {
                display: word.clone(),
                replacement: word,
            })
            .collect();
        Ok((start, pairs))
    }
}

impl Validator for ShellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        let whole = input.trim_start().starts_with('\\') || script::is_complete(input);
        Ok(if whole {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

/// Where the word before the cursor starts, and what it may become: names before keywords.
fn candidates(before: &str, names: &[String]) -> (usize, Vec<String>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let word = before.get(start..).unwrap_or_default();
    // Inside of a string nothing is completed.
    if before.matches('\'').count() % 2 == 1 {
        return (start, Vec::new());
    }
    let lower = word.to_lowercase();
    let mut found: Vec<String> = names
        .iter()
        .filter(|name| name.starts_with(&lower))
        .cloned()
        .collect();
    // Behind a dot stands a column.
    if !before.get(..start).is_some_and(|b| b.ends_with('.')) && !word.is_empty() {
        let upper = word.chars().all(|c| !c.is_lowercase());
        found.extend(
            KEYWORDS
                .iter()
                .filter(|keyword| keyword.starts_with(&lower))
                .map(|keyword| {
                    if upper {
                        keyword.to_uppercase()
                    } else {
                        (*keyword).to_owned()
                    }
                }),
        );
    }
    found.dedup();
    (start, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(before: &str) -> (usize, Vec<String>) {
        let names = ["customer", "customer_num", "orders"].map(str::to_owned);
        candidates(before, &names)
    }

    #[test]
    fn names_and_keywords_complete_the_last_word() {
        assert_eq!(complete("sel"), (0, vec!["select".to_owned()]));
        assert_eq!(complete("SEL"), (0, vec!["SELECT".to_owned()]));
        assert_eq!(complete("select * from cust").1, ["customer", "customer_num"]);
        assert_eq!(
            complete("select o.cu"),
            (9, vec!["customer".to_owned(), "customer_num".to_owned()])
        );
        assert_eq!(complete("select o.").1.len(), 3);
        assert_eq!(complete("where a = 'or").1, Vec::<String>::new());
        assert_eq!(
            complete("sélect ord"),
            (8, vec!["orders".to_owned(), "order by".to_owned()])
        );
        assert_eq!(complete("").1.len(), 3);
    }

    #[test]
    fn keywords_are_sorted_and_lower_case() {
        assert!(KEYWORDS.is_sorted());
        assert!(KEYWORDS.iter().all(|k| k.to_lowercase() == **k));
    }
}
