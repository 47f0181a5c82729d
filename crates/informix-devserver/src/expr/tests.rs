//! Table-driven tests through a real SQLite connection.

// Cases are written as values in place.
#![allow(clippy::needless_pass_by_value)]

use std::sync::Arc;

use informix_types::{ColumnType, Date, Field, Qualifier};
use rusqlite::Connection;
use rusqlite::types::Value as SqliteValue;

use super::*;
use crate::error::SqlResult;
use crate::sql::ast::{BinaryOp, MatchKind, UnaryOp};

mod conversions;
mod exact;
mod functions;
mod matrix;
mod operators;
mod stored;

/// A session whose clock stands still at 2024-05-06 07:08:09.12345, DBDATE MDY4/.
struct Fixed {
    ansi: bool,
}

impl SessionFacts for Fixed {
    fn statement_time(&self) -> LocalTime {
        let date = Date::from_ymd(2024, 5, 6).expect("day");
        LocalTime {
            date,
            units: ((7 * 60 + 8) * 60 + 9) * 100_000 + 12_345,
            utc_seconds: 1_714_979_289,
        }
    }

    fn user(&self) -> String {
        "joe".to_owned()
    }

    fn server_name(&self) -> String {
        "ol_test".to_owned()
    }

    fn ansi(&self) -> bool {
        self.ansi
    }
}

fn connection(ansi: bool) -> Connection {
    let db = Connection::open_in_memory().expect("memory");
    let facts: SharedFacts = Arc::new(Fixed { ansi });
    register(&db, &facts).expect("register");
    db
}

/// Type and text form of an expression's value, or the error number.
fn show(db: &Connection, expr: SqlResult<TypedExpr>) -> String {
    let expr = match expr {
        Ok(expr) => expr,
        Err(error) => return format!("{} at prepare", error.sqlcode),
    };
    let sql = format!("SELECT {}", expr.sql);
    let value: rusqlite::Result<SqliteValue> = db.query_row(&sql, [], |row| row.get(0));
    match value {
        Ok(value) => match storage::read((&value).into(), &expr.ty) {
            Ok(value) if value.is_null() => format!("{} NULL", expr.ty),
            Ok(value) => format!("{} {value}", expr.ty),
            Err(error) => format!("{sql}: {error}"),
        },
        Err(error) => match sqlite_error(&error) {
            Some(error) => error.sqlcode.to_string(),
            None => format!("{sql}: {error}"),
        },
    }
}

fn n(text: &str) -> TypedExpr {
    match text.strip_prefix('-') {
        Some(rest) => unary(UnaryOp::Minus, literal::number(rest).expect(text)).expect(text),
        None => literal::number(text).expect(text),
    }
}

fn s(text: &str) -> TypedExpr {
    literal::string(text, CharWidth::default()).expect(text)
}

fn q(text: &str) -> Qualifier {
    text.parse().expect(text)
}

fn dt(text: &str, qualifier: &str) -> TypedExpr {
    literal::datetime(text, q(qualifier)).expect(text)
}

fn iv(text: &str, qualifier: &str) -> TypedExpr {
    literal::interval(text, q(qualifier)).expect(text)
}

fn date(text: &str) -> TypedExpr {
    cast(s(text), &ColumnType::date()).expect(text)
}

/// A value that is not known at preparation: as a column would be.
fn opaque(expr: TypedExpr) -> TypedExpr {
    TypedExpr::column(format!("(SELECT {})", expr.sql), expr.ty)
}

fn check(db: &Connection, cases: Vec<(SqlResult<TypedExpr>, &str)>) {
    let mut wrong = Vec::new();
    for (index, (expr, expected)) in cases.into_iter().enumerate() {
        let text = expr.as_ref().map(|e| e.sql.clone()).unwrap_or_default();
        let got = show(db, expr);
        if got != expected {
            wrong.push(format!("#{index} {text}: got {got:?}, want {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
