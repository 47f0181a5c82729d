//! The statements that the replay server knows, by their texts.

use informix_types::ColumnType;

use super::rows;

/// Which rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// All.
    All,
    /// `WHERE id = n`, or `= ?` (`None`).
    Is(Option<usize>),
    /// `WHERE id >= n`, or `>= ?`.
    From(Option<usize>),
}

/// A table of the benchmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {
    /// `bench_N`: N rows.
    Sized(usize),
    /// Any other name with this beginning: the rows that INSERTs have put into it, which were compared with these ones on the way.
    Filled(String),
}

/// What a statement asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Rows of a table: the columns by number, and which of them.
    Rows {
        /// Numbers of the columns.
        columns: Vec<usize>,
        /// FROM.
        table: Table,
        /// WHERE.
        filter: Filter,
    },
    /// `SELECT n FROM systables …`: one row with that number.
    Number(i32),
    /// `SELECT COUNT(*) FROM table`: how often an INSERT into it was executed.
    Count(String),
    /// A query with an answer of no rows: what drivers ask for by themselves.
    Nothing,
    /// INSERT into a table, with so many markers.
    Insert {
        /// Name of the table.
        table: String,
        /// Number of `?`.
        parameters: usize,
    },
    /// DELETE FROM, DROP TABLE, CREATE TABLE: the table is empty afterwards.
    Empty(String),
    /// Everything else is done at once.
    Utility,
}

/// Names in the answer to [`Statement::Number`], [`Statement::Count`] and [`Statement::Nothing`], as servers give them.
const CONSTANT: &str = "(constant)";
const COUNT: &str = "(count(*))";
const SITE: &str = "site";

impl Statement {
    /// Reads a text. `None` for a query that is not known.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches([';', '\0']).to_ascii_lowercase();
        let spaced = text.replace(',', " , ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        match words.as_slice() {
            ["select", "count", "(", "*", ")", "from", table, ..] => Some(Self::Count((*table).to_owned())),
            ["select", rest @ ..] => Self::query(rest),
            ["insert", "into", table, rest @ ..] => Some(Self::Insert {
                table: (*table).to_owned(),
                parameters: rest.iter().filter(|word| **word == "?").count(),
            }),
            ["delete", "from", table, ..] | ["create" | "drop", "table", table, ..] => {
                Some(Self::Empty((*table).to_owned()))
            }
            _ => Some(Self::Utility),
        }
    }

    fn query(words: &[&str]) -> Option<Self> {
        let from = words.iter().position(|word| *word == "from")?;
        let (list, rest) = (words.get(..from)?, words.get(from + 1..)?);
        let (table, condition) = rest.split_first()?;
        if let Some(rest) = table.strip_prefix("bench_") {
            let table = rest
                .parse()
                .map_or_else(|_| Table::Filled((*table).to_owned()), Table::Sized);
            return Some(Self::Rows {
                columns: columns(list)?,
                table,
                filter: filter(condition)?,
            });
        }
        if !table.ends_with("systables") {
            return None;
        }
        match list {
            [number] if number.parse::<i32>().is_ok() => number.parse().ok().map(Self::Number),
            _ => Some(Self::Nothing),
        }
    }

    /// Whether it is run by opening a cursor.
    pub const fn is_query(&self) -> bool {
        matches!(
            self,
            Self::Rows { .. } | Self::Number(_) | Self::Count(_) | Self::Nothing
        )
    }

    /// Number of the kind of statement in SQ_DESCRIBE (as the embedded server gives it): SELECT 2, INSERT 6, 45 for what has none.
    pub const fn kind(&self) -> i16 {
        match self {
            Self::Insert { .. } => 6,
            Self::Empty(_) | Self::Utility => 45,
            _ => 2,
        }
    }

    /// Names and types of the columns in SQ_DESCRIBE: of a query's rows, or of the table that an INSERT fills.
    pub fn columns(&self) -> Vec<(&'static str, ColumnType)> {
        match self {
            Self::Rows { columns, .. } => {
                let all = rows::columns();
                columns
                    .iter()
                    .filter_map(|place| all.get(*place).cloned())
                    .collect()
            }
            Self::Number(_) => vec![(CONSTANT, ColumnType::integer())],
            Self::Count(_) => vec![(COUNT, ColumnType::decimal(15, Some(0)))],
            Self::Nothing => vec![(SITE, ColumnType::char(128))],
            Self::Insert { .. } => rows::columns().to_vec(),
            Self::Empty(_) | Self::Utility => Vec::new(),
        }
    }

    /// The types of the markers.
    pub fn parameters(&self) -> Vec<ColumnType> {
        match self {
            Self::Insert { parameters, .. } => rows::columns()
                .into_iter()
                .map(|(_, ty)| ty)
                .take(*parameters)
                .collect(),
            Self::Rows {
                filter: Filter::Is(None) | Filter::From(None),
                ..
            } => vec![ColumnType::integer()],
            _ => Vec::new(),
        }
    }
}

/// Numbers of the columns in a select list.
fn columns(list: &[&str]) -> Option<Vec<usize>> {
    let all = rows::columns();
    if list == ["*"] {
        return Some((0..all.len()).collect());
    }
    list.split(|word| *word == ",")
        .map(|names| match names {
            [name] => all.iter().position(|(known, _)| known == name),
            _ => None,
        })
        .collect()
}

fn filter(condition: &[&str]) -> Option<Filter> {
    let number = |text: &str| match text {
        "?" => Some(None),
        text => text.parse().ok().map(Some),
    };
    match condition {
        [] => Some(Filter::All),
        ["where", "id", "=", value] => number(value).map(Filter::Is),
        ["where", "id", ">=", value] => number(value).map(Filter::From),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_of_the_benchmarks_are_known() {
        let rows = |columns: &[usize], rows, filter| Statement::Rows {
            columns: columns.to_vec(),
            table: Table::Sized(rows),
            filter,
        };
        let filled = Statement::Rows {
            columns: vec![0],
            table: Table::Filled("bench_in_7".into()),
            filter: Filter::Is(Some(9)),
        };
        let cases = [
            (
                "SELECT id, name, ratio, amount, since FROM bench_1000",
                rows(&[0, 1, 2, 3, 4], 1000, Filter::All),
            ),
            (
                "select * from bench_10 where id = 3;",
                rows(&[0, 1, 2, 3, 4], 10, Filter::Is(Some(3))),
            ),
            (
                "SELECT id, name FROM bench_1000 WHERE id >= ?",
                rows(&[0, 1], 1000, Filter::From(None)),
            ),
            (
                "SELECT amount FROM bench_10000000",
                rows(&[3], 10_000_000, Filter::All),
            ),
            ("SELECT id FROM bench_in_7 WHERE id = 9", filled),
            ("SELECT 7 FROM systables WHERE tabid = 1", Statement::Number(7)),
            ("SELECT COUNT(*) FROM t", Statement::Count("t".into())),
            (
                "select FIRST 1 site from informix.systables where tabname = ' GL_COLLATE'",
                Statement::Nothing,
            ),
            (
                "INSERT INTO t VALUES (?, ?,?)",
                Statement::Insert {
                    table: "t".into(),
                    parameters: 3,
                },
            ),
            ("DELETE FROM t", Statement::Empty("t".into())),
            ("CREATE TABLE t (i INTEGER)", Statement::Empty("t".into())),
            ("SET ISOLATION TO DIRTY READ", Statement::Utility),
        ];
        for (text, statement) in cases {
            assert_eq!(Statement::parse(text), Some(statement), "{text}");
        }
        for text in [
            "SELECT",
            "SELECT x FROM bench_10",
            "SELECT id FROM bench_10 WHERE name = 'a'",
            "SELECT * FROM t",
        ] {
            assert_eq!(Statement::parse(text), None, "{text}");
        }
    }
}
