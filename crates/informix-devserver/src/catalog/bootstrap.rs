//! The catalog of a new database. Its tables are made like any other ones, from `system.sql`, so that they describe
//! themselves.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::Connection;

use super::model::{Column, Index, IndexPart, Table, TableKind};
use super::names::Place;
use super::write::Writer;
use crate::analyze::{CatalogView, TableInfo, column_type};
use crate::engine::{DatabaseInfo, errors};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{CreateTable, ObjectName, StatementKind};
use crate::sql::{ParseOptions, parse_statements};

const SYSTEM: &str = include_str!("system.sql");
const SYSMASTER: &str = include_str!("sysmaster.sql");

/// What a 14.10 server shows as views (SchemaCrawler's record, `public-traces.md` 11). Here they are tables.
const VIEWS: &str = "tabname IN ('sysindexes', 'sysdomains')";

/// Owner of everything that the server makes.
pub(crate) const SERVER_OWNER: &str = "informix";

/// Keys that make queries of the catalog fast. None on systables' name: SQLite would read the names from it, in its order,
/// where a real server gives the tables by number (the peer's suite counts on `systables` coming first).
const KEYS: [(&str, &[&str]); 14] = [
    ("systables", &["tabid"]),
    ("syscolumns", &["tabid", "colno"]),
    ("sysindices", &["tabid"]),
    ("sysindices", &["idxname"]),
    ("sysindexes", &["tabid"]),
    ("sysindexes", &["idxname"]),
    ("sysconstraints", &["constrid"]),
    ("sysconstraints", &["tabid"]),
    ("sysreferences", &["ptabid"]),
    ("sysdefaults", &["tabid", "colno"]),
    ("syscoldepend", &["tabid"]),
    ("sysviews", &["tabid", "seqno"]),
    ("sysobjstate", &["tabid"]),
    ("sysfragments", &["tabid"]),
];

/// The catalog's tables, in the order of their numbers.
pub(crate) fn catalog_tables() -> SqlResult<Vec<Table>> {
    tables_of(SYSTEM, 1)
}

/// Makes the catalog's tables and their own rows in a new database.
pub(crate) fn fill(connection: &Connection, info: &DatabaseInfo) -> SqlResult<()> {
    let writer = Writer {
        connection,
        place: Place::Main,
    };
    writer.run("BEGIN")?;
    writer.create_private_tables()?;
    let mut tables = catalog_tables()?;
    if info.name == crate::engine::SYSMASTER {
        tables.extend(tables_of(SYSMASTER, super::write::FIRST_USER_TABLE)?);
    }
    for table in &tables {
        writer.run(&table.create_sql())?;
    }
    for table in &tables {
        writer.describe(table)?;
    }
    for (name, columns) in KEYS {
        if let Some(table) = tables.iter().find(|t| t.name == name) {
            index(&writer, table, columns)?;
        }
    }
    writer.run(&format!(
        "UPDATE systables SET tabtype = 'V', partnum = 0, pagesize = 0, fextsize = 0, nextsize = 0 WHERE {VIEWS}"
    ))?;
    pseudo_rows(connection, info)?;
    builtin_types(connection)?;
    access_methods(connection)?;
    privileges(connection, info)?;
    writer.run("COMMIT")
}

/// An SQLite index that the catalog does not mention.
fn index(writer: &Writer<'_>, table: &Table, columns: &[&str]) -> SqlResult<()> {
    let parts = columns
        .iter()
        .filter_map(|c| table.position(c))
        .map(|position| IndexPart::Column {
            position,
            descending: false,
        })
        .collect();
    let index = Index {
        name: format!("{}_{}", table.name, columns.join("_")),
        owner: SERVER_OWNER.to_owned(),
        unique: false,
        cluster: false,
        parts,
        implicit: true,
        disabled: false,
    };
    for sql in table.index_sql(&index) {
        writer.run(&sql)?;
    }
    Ok(())
}

fn tables_of(text: &str, first: i32) -> SqlResult<Vec<Table>> {
    let statements = parse_statements(text, &ParseOptions::default())?;
    let mut tables = Vec::with_capacity(statements.len());
    for (statement, tabid) in statements.iter().zip(first..) {
        let StatementKind::CreateTable(create) = &statement.kind else {
            return Err(SqlError::new(-201).at(statement.span.start));
        };
        tables.push(table(create, tabid)?);
    }
    Ok(tables)
}

/// Before there is a catalog, only built-in types have a name.
pub(super) struct NoCatalog;

impl CatalogView for NoCatalog {
    fn table(&self, _: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        Ok(None)
    }
}

fn table(create: &CreateTable, tabid: i32) -> SqlResult<Table> {
    let column = |c: &crate::sql::ast::ColumnDefinition| -> SqlResult<Column> {
        // The catalog's own columns are described as nullable, except serials.
        let ty: ColumnType = column_type(&c.ty, &NoCatalog)?;
        Ok(Column {
            name: c.name.name.clone(),
            ty,
            default: None,
            by_primary_key: false,
        })
    };
    Ok(Table {
        place: Place::Main,
        tabid,
        name: create.name.name.name.clone(),
        owner: SERVER_OWNER.to_owned(),
        kind: TableKind::Base,
        lock_level: 'R',
        columns: create.columns.iter().map(column).collect::<SqlResult<_>>()?,
        constraints: Vec::new(),
        indexes: Vec::new(),
    })
}

/// Rows of `systables` that are no tables: the locale stands in `site` (informix-sql.md 2).
fn pseudo_rows(connection: &Connection, info: &DatabaseInfo) -> SqlResult<()> {
    let locale = info.catalog_locale();
    for (tabid, name, site) in [
        (90, " GL_COLLATE", locale.as_str()),
        (91, " GL_CTYPE", locale.as_str()),
        (99, " VERSION", ""),
    ] {
        connection
            .execute(
                "INSERT INTO systables (tabname, owner, partnum, tabid, rowsize, ncols, nindexes, nrows, created,
                   version, tabtype, locklevel, npused, fextsize, nextsize, flags, site, dbname, type_xid, am_id)
                 VALUES (?, '', 0, ?, 0, 0, 0, 0.0, ?, 0, '', '', 0.0, 0, 0, 0, ?, '', 0, 0)",
                (name, tabid, info.created, site),
            )
            .map_err(|e| errors::translate(&e, errors::Doing::Define))?;
    }
    Ok(())
}

/// Ids of `sysxtdtypes` that clients know: 1 lvarchar, 5 boolean, 10 blob, 11 clob; the others are unconfirmed.
fn builtin_types(connection: &Connection) -> SqlResult<()> {
    const TYPES: [(i32, &str, &str, i32, i32, i32); 8] = [
        (1, "B", "lvarchar", 40, 2048, 0),
        (2, "B", "sendrecv", 40, 2048, 0),
        (3, "B", "impexp", 40, 2048, 0),
        (4, "B", "impexpbin", 40, 2048, 0),
        (5, "B", "boolean", 41, 1, 1),
        (10, "B", "blob", 41, 72, 72),
        (11, "B", "clob", 41, 72, 72),
        (12, "B", "pointer", 41, 8, 8),
    ];
    for (id, mode, name, code, maxlen, length) in TYPES {
        connection
            .execute(
                "INSERT INTO sysxtdtypes VALUES (?, 'O', ?, ?, ?, ?, 0, ?, ?, 'f', 'f', 4, 0)",
                (id, mode, SERVER_OWNER, name, code, maxlen, length),
            )
            .map_err(|e| errors::translate(&e, errors::Doing::Define))?;
    }
    Ok(())
}

/// The secondary access methods and operator classes that every database has (vendor's pages on identifying them, and on
/// `sysams` and `sysopclasses` for R-trees). The switches of `sysams` (key scan, unique keys …) are unconfirmed.
fn access_methods(connection: &Connection) -> SqlResult<()> {
    connection
        .execute_batch(
            "INSERT INTO sysams (am_name, am_owner, am_id, am_type, am_sptype, am_defopclass, am_keyscan, am_unique,
               am_cluster, am_rowids, am_readwrite, am_parallel, am_costfactor) VALUES
               ('btree', 'informix', 1, 'S', 'A', 1, 1, 1, 0, 0, 1, 0, 1.0),
               ('rtree', 'informix', 2, 'S', 'D', 2, 0, 0, 0, 0, 1, 0, 1.0);
             INSERT INTO sysopclasses (opclassname, owner, amid, opclassid, ops, support) VALUES
               ('btree_ops', 'informix', 1, 1,
                'lessthan;lessthanorequal;equal;greaterthanorequal;greaterthan;', 'compare;'),
               ('rtree_ops', 'informix', 2, 2, 'overlap;equal;contains;within;', 'union;size;inter;');",
        )
        .map_err(|e| errors::translate(&e, errors::Doing::Define))
}

/// The database's owner is its administrator; everybody may read the catalog.
fn privileges(connection: &Connection, info: &DatabaseInfo) -> SqlResult<()> {
    let run = |sql: &str, parameters: &[&dyn rusqlite::ToSql]| {
        connection
            .execute(sql, parameters)
            .map(drop)
            .map_err(|e| errors::translate(&e, errors::Doing::Define))
    };
    run("INSERT INTO sysusers VALUES (?, 'D', 9, '', '')", &[&info.owner])?;
    if info.owner != SERVER_OWNER {
        run(
            "INSERT INTO sysusers VALUES (?, 'D', 9, '', '')",
            &[&SERVER_OWNER],
        )?;
    }
    run(
        "INSERT INTO systabauth SELECT ?, 'public', tabid, 's--------' FROM systables WHERE tabtype <> ''",
        &[&SERVER_OWNER],
    )?;
    run(
        &format!(
            "INSERT INTO systabauth SELECT owner, owner, tabid, 'S--------' FROM systables WHERE {VIEWS}"
        ),
        &[],
    )
}

#[cfg(test)]
mod tests {
    use crate::engine::{Engine, EngineConfig, SessionOptions};

    #[test]
    fn a_new_database_describes_itself() -> Result<(), Box<dyn std::error::Error>> {
        let engine = Engine::open(EngineConfig::default())?;
        assert_eq!(engine.database_names(), ["sysmaster", "testdb"]);
        let mut session = engine.session(SessionOptions::new("informix"))?;
        session.open_database("sysmaster", false)?;
        let connection = &session.require_database()?.connection;
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0));
        assert_eq!(one("SELECT tabname FROM systables WHERE tabid = 1")?, "systables");
        assert_eq!(
            one("SELECT tabname FROM systables WHERE tabid = 2")?,
            "syscolumns"
        );
        assert_eq!(
            one("SELECT site FROM systables WHERE tabname = ' GL_COLLATE'")?,
            "en_US.819"
        );
        // Every table's rows in syscolumns are the columns that SQLite has.
        let wrong = one(
            "SELECT count(*) || '' FROM systables t WHERE tabtype = 'T' AND ncols <>
               (SELECT count(*) FROM syscolumns c JOIN pragma_table_info(t.tabname) p
                 ON p.name = c.colname AND p.cid = c.colno - 1 WHERE c.tabid = t.tabid)",
        )?;
        assert_eq!(wrong, "0");
        // Scroll tests of clients want a hundred rows.
        assert!(one("SELECT count(*) || '' FROM systables")?.parse::<i32>()? >= 100);
        assert_eq!(
            one(
                "SELECT coltype || '/' || collength FROM syscolumns WHERE colname = 'tabname' AND tabid = 1"
            )?,
            "13/128"
        );
        Ok(())
    }
}
