//! Names of things inside SQLite. Informix names are case-sensitive once they are quoted, SQLite's never are.

/// The database file, the session's temporary tables, or another database that is attached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Main,
    Temp,
    Attached(String),
}

impl Place {
    /// SQLite's schema name, quoted.
    pub(crate) fn schema(&self) -> String {
        match self {
            Self::Main => "main".to_owned(),
            Self::Temp => "temp".to_owned(),
            // Prefixed: databases may be called `main` and `temp`, and `A` beside `a`.
            Self::Attached(database) => quote(&format!("d${}", physical(database))),
        }
    }

    /// A catalog table. Temporary tables have a private catalog of the same shape, which rolls back with them.
    pub(crate) fn catalog(&self, table: &str) -> String {
        match self {
            Self::Temp => format!("temp.\"${table}\""),
            _ => format!("{}.{}", self.schema(), quote(table)),
        }
    }

    /// A table that only the server itself knows.
    pub(crate) fn private(&self, table: &str) -> String {
        format!("{}.\"${table}\"", self.schema())
    }

    /// A table or index by its name in SQLite.
    pub(crate) fn object(&self, physical: &str) -> String {
        format!("{}.{}", self.schema(), quote(physical))
    }
}

/// An SQLite identifier in quotes.
pub(crate) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The SQLite name of a table or column: capitals are marked, so that `a` and `A` differ.
pub(crate) fn physical(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    if name.starts_with("sqlite_") {
        out.push('^');
    }
    for c in name.chars() {
        if c.is_ascii_uppercase() || c == '^' {
            out.push('^');
        }
        out.push(c);
    }
    out
}

/// The SQLite index behind an Informix index; indexes share SQLite's name space with tables.
pub(crate) fn index(name: &str) -> String {
    format!("i${}", physical(name))
}

/// The second SQLite index of a unique one: at most one row may have NULL in its key.
pub(crate) fn null_index(name: &str) -> String {
    format!("n${}", physical(name))
}

/// The inverse of [`physical`].
pub(crate) fn logical(physical: &str) -> String {
    let mut out = String::with_capacity(physical.len());
    let mut chars = physical
        .strip_prefix("^sqlite_")
        .map_or(physical, |_| physical.get(1..).unwrap_or_default())
        .chars();
    while let Some(c) = chars.next() {
        if c == '^' {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}

/// The Informix index of an SQLite index.
pub(crate) fn index_name(physical: &str) -> Option<String> {
    let marked = physical
        .strip_prefix("i$")
        .or_else(|| physical.strip_prefix("n$"))?;
    Some(logical(marked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_distinct_and_come_back() {
        assert_eq!(physical("orders"), "orders");
        let names = [
            "orders", "Orders", "ORDERS", "^orders", "sqlite_x", "a\"b", " 100_1",
        ];
        let folded: std::collections::HashSet<String> =
            names.iter().map(|n| physical(n).to_ascii_lowercase()).collect();
        assert_eq!(folded.len(), names.len());
        for name in names {
            assert_eq!(index_name(&index(name)).as_deref(), Some(name));
            assert_eq!(index_name(&null_index(name)).as_deref(), Some(name));
        }
        assert_eq!(quote("a\"b"), "\"a\"\"b\"");
    }
}
