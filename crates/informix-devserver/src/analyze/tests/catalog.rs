//! A catalog in memory and a SQLite database of the same shape.

use std::rc::Rc;
use std::sync::Arc;

use informix_types::{ColumnType, Qualifier, TypeCode};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use crate::analyze::{
    Body, CatalogView, ColumnInfo, Plan, RoutineInfo, RoutineParameterInfo, SequenceInfo, TableInfo,
    ViewInfo, plan,
};
use crate::error::{SqlError, SqlResult};
use crate::expr::{self, NoSession};
use crate::sql::ast::ObjectName;
use crate::sql::{ParseOptions, parse_statement};

pub(super) struct Fake {
    pub connection: Connection,
    tables: Vec<Rc<TableInfo>>,
}

fn table(id: i64, name: &str, columns: &[(&str, ColumnType)]) -> TableInfo {
    TableInfo {
        name: name.to_owned(),
        owner: "informix".to_owned(),
        database: "testdb".to_owned(),
        sqlite_name: format!("main.\"{name}\""),
        id,
        columns: columns
            .iter()
            .map(|(name, ty)| ColumnInfo {
                name: (*name).to_owned(),
                sqlite_name: format!("\"{name}\""),
                ty: ty.clone(),
            })
            .collect(),
        view: None,
    }
}

fn view(id: i64, name: &str, columns: &[(&str, ColumnType)], query: &str) -> TableInfo {
    let mut info = table(id, name, columns);
    info.view = Some(ViewInfo {
        query: query.to_owned(),
        check_option: false,
    });
    info
}

impl TableInfo {
    fn checked(mut self) -> Self {
        if let Some(view) = &mut self.view {
            view.check_option = true;
        }
        self
    }
}

impl Fake {
    pub(super) fn new() -> Self {
        let int = ColumnType::integer;
        let tables = [
            table(
                100,
                "customer",
                &[
                    ("id", ColumnType::serial()),
                    ("name", ColumnType::varchar(20, 0)),
                    ("city", ColumnType::char(10)),
                ],
            ),
            table(
                101,
                "orders",
                &[
                    ("id", ColumnType::serial()),
                    ("cust", int()),
                    ("amount", ColumnType::decimal(8, Some(2))),
                    ("day", ColumnType::date()),
                ],
            ),
            table(
                102,
                "item",
                &[
                    ("ord", int().not_null()),
                    ("what", ColumnType::varchar(20, 0)),
                    ("n", ColumnType::smallint()),
                ],
            ),
            table(
                103,
                "stamp",
                &[
                    ("k", int()),
                    ("at", ColumnType::datetime(Qualifier::YEAR_TO_SECOND)),
                    ("Big", ColumnType::bigint()),
                ],
            ),
            table(
                104,
                "docs",
                &[
                    ("k", int()),
                    ("body", ColumnType::text()),
                    ("pic", ColumnType::byte()),
                ],
            ),
            table(
                107,
                "people",
                &[
                    ("k", int()),
                    (
                        "r",
                        ColumnType::composite(TypeCode::Row, "ROW(name varchar(50), age integer)"),
                    ),
                ],
            ),
            view(
                105,
                "rich",
                &[("cust", int()), ("total", ColumnType::decimal(32, Some(2)))],
                "SELECT cust, SUM(amount) total FROM orders GROUP BY cust HAVING SUM(amount) > 50",
            ),
            view(
                106,
                "berliners",
                &[
                    ("number", ColumnType::serial()),
                    ("who", ColumnType::varchar(20, 0)),
                ],
                "SELECT id, name FROM customer WHERE city = 'Berlin'",
            ),
            view(
                108,
                "checked",
                &[("id", ColumnType::serial()), ("city", ColumnType::char(10))],
                "SELECT id, city FROM customer WHERE city = 'Bonn'",
            )
            .checked(),
        ];
        let connection = Connection::open_in_memory().unwrap();
        let facts: expr::SharedFacts = Arc::new(NoSession);
        expr::register(&connection, &facts).unwrap();
        crate::analyze::register(&connection).unwrap();
        let larger = |context: &mut rusqlite::functions::Context<'_>| {
            (0..context.len())
                .map(|i| context.get::<i64>(i))
                .try_fold(0, |a, b| b.map(|b| a.max(b)))
        };
        connection
            .create_scalar_function("fake_larger", -1, FunctionFlags::SQLITE_UTF8, larger)
            .unwrap();
        for info in tables.iter().filter(|t| t.view.is_none()) {
            let columns: Vec<String> = info
                .columns
                .iter()
                .map(|c| format!("{} {}", c.sqlite_name, expr::storage::declaration(&c.ty)))
                .collect();
            connection
                .execute(
                    &format!("CREATE TABLE {} ({})", info.sqlite_name, columns.join(", ")),
                    [],
                )
                .unwrap();
        }
        let fake = Self {
            connection,
            tables: tables.into_iter().map(Rc::new).collect(),
        };
        for text in [
            "INSERT INTO customer VALUES (1, 'Ann', 'Berlin')",
            "INSERT INTO customer VALUES (2, 'Bob', 'Bonn')",
            "INSERT INTO customer VALUES (3, 'Cid ', NULL)",
            "INSERT INTO orders VALUES (10, 1, 99.5, '05/06/2024')",
            "INSERT INTO orders VALUES (11, 1, 0.5, NULL)",
            "INSERT INTO orders VALUES (12, 2, 20, '12/31/2023')",
            "INSERT INTO item VALUES (10, 'nut', 5)",
            "INSERT INTO item VALUES (10, 'bolt', 7)",
            "INSERT INTO item VALUES (12, 'nut', 1)",
            "INSERT INTO stamp VALUES (1, DATETIME(2024-05-06 07:08:09) YEAR TO SECOND, 9000000000)",
        ] {
            fake.run(text);
        }
        fake
    }

    pub(super) fn plan(&self, text: &str) -> SqlResult<Plan> {
        plan(
            &parse_statement(
                text,
                &ParseOptions {
                    delimident: text.contains("\"Big\""),
                },
            )?,
            self,
        )
    }

    pub(super) fn planned(&self, text: &str) -> Plan {
        self.plan(text).unwrap_or_else(|e| panic!("{text}\n  {e}"))
    }

    /// The rows of a query: each value as a text, `NULL` for NULL.
    pub(super) fn rows_with(&self, text: &str, parameters: &[Value]) -> SqlResult<Vec<String>> {
        let plan = self.plan(text)?;
        let Body::Query(query) = &plan.body else {
            panic!("{text}: {:?}", plan.body)
        };
        let mut statement = self
            .connection
            .prepare(&query.sql)
            .unwrap_or_else(|e| panic!("{text}\n{}\n{e}", query.sql));
        let failed = |e: rusqlite::Error| {
            expr::sqlite_error(&e).unwrap_or_else(|| panic!("{text}\n{}\n{e}", query.sql))
        };
        let width = statement.column_count();
        assert_eq!(
            width,
            plan.columns.len() + usize::from(query.for_update.is_some()),
            "{}",
            query.sql
        );
        let mut rows = statement
            .query(rusqlite::params_from_iter(parameters))
            .map_err(failed)?;
        let mut out = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let mut cells = Vec::new();
            for (i, column) in plan.columns.iter().enumerate() {
                let value = expr::storage::read(row.get_ref(i).unwrap(), &column.ty)?;
                cells.push(match value {
                    informix_types::Value::Null => "NULL".to_owned(),
                    value => value.to_string().trim_end().to_owned(),
                });
            }
            out.push(cells.join("|"));
        }
        Ok(out)
    }

    pub(super) fn rows(&self, text: &str) -> Vec<String> {
        self.rows_with(text, &[])
            .unwrap_or_else(|e| panic!("{text}\n  {e}"))
    }

    /// Runs a changing statement; the number of rows.
    pub(super) fn run(&self, text: &str) -> usize {
        self.try_run(text).unwrap_or_else(|e| panic!("{text}\n  {e}"))
    }

    pub(super) fn try_run(&self, text: &str) -> SqlResult<usize> {
        let plan = self.plan(text)?;
        let execute = |sql: &str| {
            self.connection
                .execute(sql, [])
                .map_err(|e| expr::sqlite_error(&e).unwrap_or_else(|| panic!("{text}\n{sql}\n{e}")))
        };
        match &plan.body {
            Body::Insert(plan) => execute(&plan.sql().unwrap()),
            Body::Update(plan) => execute(&plan.sql(1)),
            Body::Delete(plan) => execute(&plan.sql(1)),
            Body::Merge(plan) => {
                execute(&format!(
                    "CREATE TEMP TABLE ifx_merge_pairs AS {}",
                    plan.pairs_query
                ))?;
                let mut rows = 0;
                match &plan.matched {
                    Some(crate::analyze::MergeAction::Delete(delete)) => rows += execute(&delete.sql(1))?,
                    Some(update) => rows += execute(&plan.update_sql(update).unwrap())?,
                    None => {}
                }
                if let Some(insert) = &plan.not_matched {
                    rows += execute(&insert.sql().unwrap())?;
                }
                execute("DROP TABLE temp.ifx_merge_pairs")?;
                Ok(rows)
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    pub(super) fn code(&self, text: &str) -> (i32, u32, String) {
        match self.plan(text) {
            Ok(plan) => panic!("{text}: planned {:?}", plan.body),
            Err(error) => (error.sqlcode, error.offset, error.token),
        }
    }
}

impl CatalogView for Fake {
    fn table(&self, name: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        if name.database.as_ref().is_some_and(|d| d.name != "testdb") {
            return Err(SqlError::new(-329).token("other"));
        }
        let owner_fits = name.owner.as_ref().is_none_or(|o| o.name == "informix");
        Ok(self
            .tables
            .iter()
            .find(|t| t.name == name.name.name && owner_fits)
            .cloned())
    }

    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<SequenceInfo>> {
        let known = name.name.name == "seq";
        Ok(known.then(|| SequenceInfo {
            next: "fake_larger(41)".to_owned(),
            current: "fake_larger(40)".to_owned(),
        }))
    }

    fn routines(&self, name: &ObjectName, _: usize) -> SqlResult<Vec<RoutineInfo>> {
        let parameter = |name: &str, default: Option<&str>| RoutineParameterInfo {
            name: name.to_owned(),
            ty: ColumnType::integer(),
            out: false,
            default: default.map(str::to_owned),
        };
        let known = (name.name.name == "p_add").then(|| RoutineInfo {
            id: 1,
            parameters: vec![parameter("a", None), parameter("b", Some("5"))],
            returns: vec![
                (String::new(), ColumnType::integer()),
                ("rest".to_owned(), ColumnType::char(5)),
            ],
            sqlite_function: Some("fake_larger".to_owned()),
            sqlite_rows: None,
        });
        Ok(known.into_iter().collect())
    }
}
