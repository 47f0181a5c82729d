//! A server, sessions on it, and statements with their results as values.

use std::sync::Arc;

use informix_devserver::engine::{
    CursorOptions, Engine, EngineConfig, Outcome, PlainRows, PrepareOptions, Session, SessionOptions,
};
use informix_devserver::{SqlError, SqlResult};
use informix_types::{BoundValue, ColumnType, RowForm, Value, row};

pub(crate) fn engine() -> Arc<Engine> {
    let config = EngineConfig {
        writer_grace: std::time::Duration::from_millis(200),
        ..EngineConfig::default()
    };
    Engine::open(config).expect("engine")
}

pub(crate) fn session(engine: &Arc<Engine>, database: &str) -> Session {
    let mut session = engine.session(SessionOptions::new("informix")).expect("session");
    session.open_database(database, false).expect("database");
    session
}

pub(crate) fn testdb() -> Session {
    session(&engine(), "testdb")
}

/// A table of the rows 1 to 5 with `v` 10 to 50, and two sessions. Nobody fails because SQLite has one writer: that
/// would take a minute.
pub(crate) fn pair() -> (Arc<Engine>, Session, Session) {
    let config = EngineConfig {
        writer_grace: std::time::Duration::from_secs(60),
        ..EngineConfig::default()
    };
    let engine = Engine::open(config).expect("engine");
    let (mut a, b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    for n in 1..=5 {
        a.run(&format!("INSERT INTO t VALUES ({n}, {})", n * 10));
    }
    (engine, a, b)
}

/// Returns when so many sessions wait for others.
pub(crate) fn until_waiting(engine: &Engine, sessions: usize) {
    while engine.waiting_sessions() < sessions {
        std::thread::yield_now();
    }
}

/// The type that a client would name for a value.
pub(crate) fn bound(value: Value) -> BoundValue {
    let column = match &value {
        Value::SmallInt(_) => ColumnType::smallint(),
        Value::Integer(_) => ColumnType::integer(),
        Value::BigInt(_) => ColumnType::bigint(),
        Value::Int8(_) => ColumnType::int8(),
        Value::SmallFloat(_) => ColumnType::smallfloat(),
        Value::Float(_) => ColumnType::float(),
        Value::Decimal(_) => ColumnType::decimal(32, None),
        Value::Date(_) => ColumnType::date(),
        Value::DateTime(v) => ColumnType::datetime(v.qualifier()),
        Value::Interval(v) => ColumnType::interval(v.qualifier()),
        Value::Boolean(_) => ColumnType::boolean(),
        Value::Bytes(_) => ColumnType::byte(),
        _ => ColumnType::char(0),
    };
    BoundValue { column, value }
}

pub(crate) trait Run {
    fn run(&mut self, sql: &str) -> Outcome;
    fn run_with(&mut self, sql: &str, values: &[Value]) -> SqlResult<Outcome>;
    fn fails(&mut self, sql: &str) -> SqlError;
    fn try_rows(&mut self, sql: &str, values: &[Value]) -> SqlResult<Vec<Vec<Value>>>;
    fn rows(&mut self, sql: &str) -> Vec<Vec<Value>>;
    /// Rows as texts, one per row, columns joined by `|`.
    fn texts(&mut self, sql: &str) -> Vec<String>;
    fn one(&mut self, sql: &str) -> String;
}

impl Run for Session {
    fn run(&mut self, sql: &str) -> Outcome {
        self.run_with(sql, &[]).unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    fn run_with(&mut self, sql: &str, values: &[Value]) -> SqlResult<Outcome> {
        let prepared = self.prepare(sql, &PrepareOptions::default())?;
        let values: Vec<BoundValue> = values.iter().cloned().map(bound).collect();
        self.execute(&prepared, &values)
    }

    fn fails(&mut self, sql: &str) -> SqlError {
        match self.run_with(sql, &[]) {
            Err(error) if error.sqlcode == -260 => match self.try_rows(sql, &[]) {
                Err(error) => error,
                Ok(rows) => panic!("{sql} gave {rows:?}"),
            },
            Err(error) => error,
            Ok(outcome) => panic!("{sql} gave {outcome:?}"),
        }
    }

    fn try_rows(&mut self, sql: &str, values: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
        let prepared = self.prepare(sql, &PrepareOptions::default())?;
        let values: Vec<BoundValue> = values.iter().cloned().map(bound).collect();
        let cursor = self.open_cursor(&prepared, &values, CursorOptions::default())?;
        let codec = *self.codec().expect("codec");
        let mut out = PlainRows::default();
        while !self.fetch(cursor, 4096, RowForm::default(), &mut out)?.done {}
        self.close_cursor(cursor)?;
        let columns: Vec<ColumnType> = prepared.columns().iter().map(|c| c.ty.clone()).collect();
        let mut rows = Vec::new();
        for bytes in out.iter() {
            let cells = row::split(&columns, bytes, RowForm::default()).expect("row");
            let values = columns.iter().zip(cells).map(|(ty, cell)| {
                let cell = bytes.get(cell).expect("cell");
                row::decode_value(ty, cell, &codec).expect("value")
            });
            rows.push(values.collect());
        }
        Ok(rows)
    }

    fn rows(&mut self, sql: &str) -> Vec<Vec<Value>> {
        self.try_rows(sql, &[]).unwrap_or_else(|e| panic!("{sql}: {e}"))
    }

    fn texts(&mut self, sql: &str) -> Vec<String> {
        let value = |v: &Value| {
            if v.is_null() {
                "NULL".to_owned()
            } else {
                v.to_string().trim_end().to_owned()
            }
        };
        let text = |row: Vec<Value>| row.iter().map(value).collect::<Vec<_>>().join("|");
        self.rows(sql).into_iter().map(text).collect()
    }

    fn one(&mut self, sql: &str) -> String {
        let mut texts = self.texts(sql);
        assert_eq!(texts.len(), 1, "{sql}");
        texts.remove(0)
    }
}
