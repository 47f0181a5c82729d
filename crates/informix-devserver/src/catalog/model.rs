//! Tables as the server knows them: what DDL writes and the catalog is read back into.

use informix_types::ColumnType;

use super::names::{self, Place};

/// A table, view, synonym or sequence.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) place: Place,
    pub(crate) tabid: i32,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) kind: TableKind,
    /// `P` page, `R` row.
    pub(crate) lock_level: char,
    pub(crate) columns: Vec<Column>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) indexes: Vec<Index>,
}

/// What `systables.tabtype` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// A base table, also of the catalog.
    Base,
    /// A view: what `sysviews` shows, and the query itself.
    View {
        text: String,
        query: String,
        check_option: bool,
    },
    /// A synonym; private when the flag is set.
    Synonym { target: SynonymTarget, private: bool },
    /// A sequence.
    Sequence,
}

impl TableKind {
    pub(crate) fn letter(&self) -> char {
        match self {
            Self::Base => 'T',
            Self::View { .. } => 'V',
            Self::Synonym { private: false, .. } => 'S',
            Self::Synonym { private: true, .. } => 'P',
            Self::Sequence => 'Q',
        }
    }
}

/// What a synonym stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SynonymTarget {
    /// A table of the same database.
    Local(i32),
    /// A table of another one.
    Remote {
        database: String,
        owner: String,
        table: String,
    },
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) ty: ColumnType,
    pub(crate) default: Option<DefaultValue>,
    /// NOT NULL only because it is part of the primary key.
    pub(crate) by_primary_key: bool,
}

impl Column {
    /// Its name inside SQLite.
    pub(crate) fn physical(&self) -> String {
        names::physical(&self.name)
    }
}

/// DEFAULT of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefaultValue {
    /// `sysdefaults.type`: L literal, C current, N null, S server name, T today, U user.
    pub(crate) kind: char,
    /// `sysdefaults.default`.
    pub(crate) text: String,
    /// The value in the stored form, as SQLite text.
    pub(crate) sql: String,
}

/// A constraint. Columns are positions, from 0.
#[derive(Debug, Clone)]
pub(crate) struct Constraint {
    /// `sysconstraints.constrid`; 0 before it is written.
    pub(crate) id: i32,
    /// Empty before it is written means: the server names it.
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) kind: ConstraintKind,
    pub(crate) columns: Vec<usize>,
    /// Name of its index; empty for CHECK and NOT NULL.
    pub(crate) index: String,
    pub(crate) disabled: bool,
}

/// Kinds of constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConstraintKind {
    Primary,
    Unique,
    NotNull,
    /// The condition as written, and as SQLite text.
    Check {
        text: String,
        sql: String,
    },
    Foreign(Reference),
}

impl ConstraintKind {
    pub(crate) fn letter(&self) -> char {
        match self {
            Self::Primary => 'P',
            Self::Unique => 'U',
            Self::NotNull => 'N',
            Self::Check { .. } => 'C',
            Self::Foreign(_) => 'R',
        }
    }

    /// Letter of the names that the server makes: `u100_1`, `r100_2`, `c100_3`, `n100_4` (informix-sql.md 7).
    pub(crate) fn name_letter(&self) -> char {
        match self {
            Self::Primary | Self::Unique => 'u',
            Self::NotNull => 'n',
            Self::Check { .. } => 'c',
            Self::Foreign(_) => 'r',
        }
    }

    pub(crate) fn is_key(&self) -> bool {
        matches!(self, Self::Primary | Self::Unique)
    }
}

/// The other end of a foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Constraint of the parent: its primary key or a unique one.
    pub(crate) constraint: i32,
    pub(crate) table: i32,
    /// Parent's name and columns, for SQLite's text.
    pub(crate) table_name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) cascade: bool,
}

/// An index.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) unique: bool,
    pub(crate) cluster: bool,
    pub(crate) parts: Vec<IndexPart>,
    /// It belongs to a constraint (its name then usually begins with a blank).
    pub(crate) implicit: bool,
    /// SQLite does not have it.
    pub(crate) disabled: bool,
}

/// A part of an index key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexPart {
    /// A column's position, from 0.
    Column { position: usize, descending: bool },
    /// An expression: as written and as SQLite text.
    Expression {
        text: String,
        sql: String,
        descending: bool,
    },
}

impl Table {
    /// Its name inside SQLite.
    pub(crate) fn physical(&self) -> String {
        names::physical(&self.name)
    }

    /// Schema and name inside SQLite, quoted.
    pub(crate) fn sqlite_name(&self) -> String {
        self.place.object(&self.physical())
    }

    pub(crate) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == column)
    }

    pub(crate) fn primary_key(&self) -> Option<&Constraint> {
        self.constraints
            .iter()
            .find(|c| c.kind == ConstraintKind::Primary)
    }

    /// The table's text for SQLite, which stands in `sqlite_schema`. Keys are indexes of their own, so that they can
    /// come and go without building the table again.
    pub(crate) fn create_sql(&self) -> String {
        self.create_sql_in_order(&[])
    }

    /// [`Self::create_sql`] for a table whose stored rows have the columns in another order: that of `stored`, their
    /// names in SQLite; columns that it does not name come last.
    pub(crate) fn create_sql_in_order(&self, stored: &[String]) -> String {
        let mut columns: Vec<&Column> = self.columns.iter().collect();
        columns.sort_by_key(|c| {
            stored
                .iter()
                .position(|s| *s == c.physical())
                .unwrap_or(stored.len())
        });
        let mut parts = Vec::with_capacity(self.columns.len() + self.constraints.len());
        for column in columns {
            let mut part = format!(
                "{} {}",
                names::quote(&column.physical()),
                super::coltype::affinity(&column.ty)
            );
            if !column.ty.is_nullable() && !self.admits_null(column) {
                part.push_str(" NOT NULL");
            }
            if let Some(default) = &column.default {
                part.push_str(&format!(" DEFAULT ({})", default.sql));
            }
            parts.push(part);
        }
        for constraint in self.constraints.iter().filter(|c| !c.disabled) {
            let name = names::quote(&constraint.name);
            match &constraint.kind {
                ConstraintKind::Check { sql, .. } => parts.push(format!("CONSTRAINT {name} CHECK ({sql})")),
                ConstraintKind::Foreign(to) => parts.push(format!(
                    "CONSTRAINT {name} FOREIGN KEY ({}) REFERENCES {} ({}) ON DELETE {}",
                    self.column_list(&constraint.columns),
                    names::quote(&names::physical(&to.table_name)),
                    to.columns
                        .iter()
                        .map(|c| names::quote(&names::physical(c)))
                        .collect::<Vec<_>>()
                        .join(", "),
                    if to.cascade { "CASCADE" } else { "NO ACTION" },
                )),
                ConstraintKind::Primary | ConstraintKind::Unique | ConstraintKind::NotNull => {}
            }
        }
        format!(
            "CREATE TABLE {} ({})",
            names::quote(&self.physical()),
            parts.join(", ")
        )
    }

    /// Its NOT NULL is disabled, and no key forbids NULL as well.
    fn admits_null(&self, column: &Column) -> bool {
        let of_column = |c: &&Constraint| {
            let mut named = c.columns.iter().filter_map(|&at| self.columns.get(at));
            named.any(|other| other.name == column.name)
        };
        let constraints = || self.constraints.iter().filter(of_column);
        constraints().any(|c| c.disabled && c.kind == ConstraintKind::NotNull)
            && !constraints().any(|c| c.kind == ConstraintKind::Primary)
    }

    fn column_list(&self, positions: &[usize]) -> String {
        positions
            .iter()
            .filter_map(|&p| self.columns.get(p))
            .map(|c| names::quote(&c.physical()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The SQLite statements that make an index of this table.
    pub(crate) fn index_sql(&self, index: &Index) -> Vec<String> {
        if index.disabled {
            return Vec::new();
        }
        let mut keys = Vec::with_capacity(index.parts.len());
        let mut nullable = Vec::new();
        for part in &index.parts {
            match part {
                IndexPart::Column { position, descending } => {
                    if let Some(column) = self.columns.get(*position) {
                        let name = names::quote(&column.physical());
                        if column.ty.is_nullable() {
                            nullable.push(name.clone());
                        }
                        keys.push((name, *descending));
                    }
                }
                IndexPart::Expression { sql, descending, .. } => keys.push((format!("({sql})"), *descending)),
            }
        }
        let table = names::quote(&self.physical());
        let schema = self.place.schema();
        let key_text = keys
            .iter()
            .map(|(key, descending)| format!("{key}{}", if *descending { " DESC" } else { "" }))
            .collect::<Vec<_>>()
            .join(", ");
        let unique = if index.unique { "UNIQUE " } else { "" };
        let mut statements = vec![format!(
            "CREATE {unique}INDEX {schema}.{} ON {table} ({key_text})",
            names::quote(&names::index(&index.name))
        )];
        if index.unique && !nullable.is_empty() {
            // For Informix two NULLs are duplicates in a unique index, for SQLite they never are.
            let parts = keys
                .iter()
                .flat_map(|(key, _)| {
                    [
                        format!("{key} IS NULL"),
                        format!("coalesce({key}, 0) COLLATE RTRIM"),
                    ]
                })
                .collect::<Vec<_>>()
                .join(", ");
            let some_null = nullable
                .iter()
                .map(|n| format!("{n} IS NULL"))
                .collect::<Vec<_>>()
                .join(" OR ");
            statements.push(format!(
                "CREATE UNIQUE INDEX {schema}.{} ON {table} ({parts}) WHERE {some_null}",
                names::quote(&names::null_index(&index.name))
            ));
        }
        statements
    }
}

impl Index {
    /// `sysindexes.part1` …: column numbers, negative when descending, 0 for none and for expressions.
    pub(crate) fn part_numbers(&self) -> [i64; 16] {
        let mut numbers = [0; 16];
        for (slot, part) in numbers.iter_mut().zip(&self.parts) {
            if let IndexPart::Column { position, descending } = part {
                let number = i64::try_from(position + 1).unwrap_or(0);
                *slot = if *descending { -number } else { number };
            }
        }
        numbers
    }

    /// `sysindices.indexkeys`: `1 [1], -4 [1]`.
    pub(crate) fn keys_text(&self) -> String {
        let mut texts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            texts.push(match part {
                IndexPart::Column { position, descending } => {
                    format!("{}{} [1]", if *descending { "-" } else { "" }, position + 1)
                }
                IndexPart::Expression { text, descending, .. } => {
                    format!("{}<{text}> [1]", if *descending { "-" } else { "" })
                }
            });
        }
        texts.join(", ")
    }
}
