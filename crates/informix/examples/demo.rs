//! Creates a table with every scalar type, inserts with parameters inside a transaction, and prints what comes back.
//!
//! `demo URL`: against any server. Without URL it starts the embedded server in this process.

use informix::blocking::Connection;
use informix::types::Value;
use informix::{Result, ToSql};
use informix_devserver::DevServer;

/// Column type and the text that goes in as parameter: the server converts it.
const COLUMNS: &[(&str, &str)] = &[
    ("smallint", "-32767"),
    ("integer", "2147483647"),
    ("int8", "9223372036854775807"),
    ("bigint", "-9223372036854775807"),
    ("smallfloat", "1.5"),
    ("float", "0.1"),
    ("decimal(16)", "123.45"),
    ("decimal(32,10)", "1234567890123456789012.0123456789"),
    ("money(10,2)", "19.90"),
    ("date", "2024-02-29"),
    ("datetime year to fraction(5)", "2024-02-29 12:34:56.12345"),
    ("datetime hour to minute", "23:59"),
    ("interval year to month", "3-11"),
    ("interval day(4) to second", "-1234 04:03:02"),
    ("char(8)", "char"),
    ("nchar(8)", "nchar"),
    ("varchar(40)", "it's a varchar"),
    ("nvarchar(40)", "nvarchar"),
    ("lvarchar(2000)", "lvarchar"),
    ("boolean", "t"),
];

fn main() {
    let url = std::env::args().nth(1);
    let done = match url {
        Some(url) => run(&url).map_err(|e| e.to_string()),
        None => DevServer::start().map_err(|e| e.to_string()).and_then(|server| {
            println!("embedded server: {}", server.address());
            run(&server.url()).map_err(|e| e.to_string())
        }),
    };
    if let Err(error) = done {
        eprintln!("demo: {error}");
        std::process::exit(1);
    }
}

fn run(url: &str) -> Result<()> {
    let db = informix::blocking::connect(url)?;
    println!("{}", db.server_version()?);
    let columns: Vec<String> = COLUMNS
        .iter()
        .enumerate()
        .map(|(i, (kind, _))| format!("c{i} {kind}"))
        .collect();
    db.execute(
        &format!("create table demo (id serial, {})", columns.join(", ")),
        (),
    )?;
    let done = fill_and_show(&db);
    db.execute("drop table demo", ())?;
    done
}

fn fill_and_show(db: &Connection) -> Result<()> {
    let marks = vec!["?"; COLUMNS.len()].join(", ");
    let insert = format!("insert into demo values (0, {marks})");
    let values: Vec<&dyn ToSql> = COLUMNS.iter().map(|(_, text)| text as &dyn ToSql).collect();
    let nothing: Vec<Option<i32>> = vec![None; COLUMNS.len()];

    let transaction = db.begin()?;
    transaction.execute(&insert, &values[..])?;
    let outcome = transaction.execute(&insert, &nothing[..])?;
    println!(
        "two rows, last serial {}",
        outcome.last_serial().unwrap_or_default()
    );
    transaction.commit()?;

    let rows = db.query_all("select * from demo order by id", ())?;
    let [first, second] = rows.as_slice() else {
        return Ok(());
    };
    println!("{:<30} {:<36} NULL row", "column type", "value");
    for (at, column) in first.columns().iter().enumerate() {
        let (value, null) = (first.get::<Value>(at)?, second.get::<Value>(at)?);
        let null = if null.is_null() {
            "NULL".to_owned()
        } else {
            null.to_string()
        };
        println!(
            "{:<30} {:<36} {null}",
            column.column_type().sql_name(),
            value.to_string()
        );
    }

    // A parameter in a query, and an error with its number.
    let row = db.query_one("select count(*) from demo where c1 = ?", (2_147_483_647,))?;
    println!("rows with c1 = 2147483647: {}", row.get::<i64>(0)?);
    match db.execute("insert into demo (id, c0) values (0, ?)", ("no number",)) {
        Ok(_) => println!("a text in a SMALLINT was accepted"),
        Err(error) => println!("as it should be: {error}"),
    }
    Ok(())
}
