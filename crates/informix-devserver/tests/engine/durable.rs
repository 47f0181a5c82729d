//! Directory storage: what a restart finds.

use std::path::Path;
use std::sync::Arc;

use informix_devserver::engine::{Backing, DatabaseMode, Engine, EngineConfig};

use crate::support::{Run, session};

fn open(path: &Path) -> Arc<Engine> {
    let config = EngineConfig {
        backing: Backing::Directory(path.to_owned()),
        ..EngineConfig::default()
    };
    Engine::open(config).expect("engine")
}

#[test]
fn a_restart_finds_everything_committed_and_nothing_else() {
    let directory = tempfile::tempdir().expect("directory");
    {
        let engine = open(directory.path());
        let mut s = session(&engine, "testdb");
        s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, v VARCHAR(10) NOT NULL, CHECK (v <> 'no') CONSTRAINT not_no)");
        s.run("CREATE UNIQUE INDEX by_upper ON t (UPPER(v))");
        s.run("CREATE VIEW w AS SELECT v FROM t");
        s.run("CREATE SEQUENCE q START WITH 5");
        s.run("CREATE FUNCTION twice(n INT) RETURNING INT; RETURN n * 2; END FUNCTION");
        s.run("CREATE TABLE watched (a INT, b INT)");
        s.run("CREATE TRIGGER g INSERT ON watched REFERENCING NEW AS n FOR EACH ROW (EXECUTE FUNCTION twice(n.a) INTO b)");
        s.run("INSERT INTO t VALUES (0, 'a')");
        s.run("INSERT INTO t VALUES (0, 'b')");
        s.run("DELETE FROM t WHERE id = 2");
        s.run("INSERT INTO t SELECT 0, 'q' || q.NEXTVAL FROM systables WHERE tabid = 1");
        s.run("CREATE DATABASE other WITH LOG MODE ANSI");
        s.run("CREATE TABLE odd (n INT)");
        s.run("COMMIT");
        let mut lost = session(&engine, "testdb");
        lost.run("BEGIN");
        lost.run("INSERT INTO t VALUES (0, 'lost')");
    }
    let engine = open(directory.path());
    assert_eq!(engine.database_names(), ["other", "sysmaster", "testdb"]);
    assert_eq!(
        engine.database_info("other").map(|i| i.mode),
        Some(DatabaseMode::Ansi)
    );
    let mut s = session(&engine, "testdb");
    assert_eq!(s.texts("SELECT id, v FROM t ORDER BY id"), ["1|a", "3|q5"]);
    // The lost row took no number of those that are kept.
    assert_eq!(s.run("INSERT INTO t VALUES (0, 'c')").serial, 4);
    assert_eq!(s.fails("INSERT INTO t VALUES (0, 'no')").token, "informix.not_no");
    assert_eq!(s.fails("INSERT INTO t VALUES (0, 'C')").sqlcode, -239);
    assert_eq!(s.fails("INSERT INTO t (id) VALUES (0)").sqlcode, -292);
    assert_eq!(s.one("SELECT COUNT(*) FROM w"), "3");
    assert_eq!(s.one("SELECT q.NEXTVAL FROM systables WHERE tabid = 1"), "6");
    assert_eq!(s.one("EXECUTE FUNCTION twice(4)"), "8");
    s.run("INSERT INTO watched (a) VALUES (7)");
    assert_eq!(s.one("SELECT a, b FROM watched"), "7|14");
    s.run("ALTER TABLE t ADD (n INT DEFAULT 3)");
    s.run("DROP INDEX by_upper");
    s.run("INSERT INTO t (v) VALUES ('C')");
    assert_eq!(s.one("SELECT SUM(n) FROM t"), "12");
}

/// Environment variable with the directory in which [`writes_until_it_is_killed`] works.
const KILLED_IN: &str = "INFORMIX_DEVSERVER_TEST_KILLED_IN";

/// Not a test of its own: the process that the next test kills.
#[test]
fn writes_until_it_is_killed() {
    let Some(directory) = std::env::var_os(KILLED_IN) else {
        return;
    };
    let engine = open(Path::new(&directory));
    let mut s = session(&engine, "testdb");
    s.run("CREATE TABLE IF NOT EXISTS t (id SERIAL PRIMARY KEY, half INT)");
    loop {
        s.run("BEGIN");
        let first = s.run("INSERT INTO t VALUES (0, 1)").serial;
        let second = s.run("INSERT INTO t VALUES (0, 2)").serial;
        s.run("COMMIT");
        // Told only after the commit.
        println!("\ncommitted {first} {second}");
    }
}

#[test]
fn a_kill_loses_no_commit_and_shows_no_half() {
    use std::io::BufRead;
    let directory = tempfile::tempdir().expect("directory");
    let mut told = Vec::new();
    for _ in 0..3 {
        let mut child = std::process::Command::new(std::env::current_exe().expect("program"))
            .args(["--exact", "durable::writes_until_it_is_killed", "--nocapture"])
            .env(KILLED_IN, directory.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("child");
        let lines = std::io::BufReader::new(child.stdout.take().expect("stdout")).lines();
        let committed = lines
            .map_while(Result::ok)
            .filter(|l| l.starts_with("committed "));
        for line in committed.take(25) {
            told.extend(line.split(' ').skip(1).map(|n| n.parse::<i32>().expect("number")));
        }
        child.kill().expect("kill");
        child.wait().expect("wait");
        let engine = open(directory.path());
        let mut s = session(&engine, "testdb");
        let found: Vec<i32> = s
            .texts("SELECT id FROM t ORDER BY id")
            .iter()
            .map(|n| n.parse().expect("id"))
            .collect();
        let missing: Vec<&i32> = told.iter().filter(|n| found.binary_search(n).is_err()).collect();
        assert!(missing.is_empty(), "lost {missing:?}");
        assert_eq!(
            s.one("SELECT COUNT(*) FROM t WHERE half = 1"),
            s.one("SELECT COUNT(*) FROM t WHERE half = 2")
        );
        told = found;
    }
    assert!(told.len() >= 150);
}

/// Environment variable with the kind of work of [`works_until_it_is_killed`].
const WORK: &str = "INFORMIX_DEVSERVER_TEST_WORK";
/// Rows of a large transaction.
const MANY: i32 = 400;

/// One step of a kind of work: a transaction that can be told from all others.
fn step(s: &mut informix_devserver::engine::Session, work: &str, n: i32) {
    s.run("BEGIN");
    match work {
        "tables" => {
            s.run(&format!("CREATE TABLE d{n} (a INT PRIMARY KEY)"));
            s.run(&format!("INSERT INTO d{n} VALUES ({n})"));
            if n > 2 {
                s.run(&format!("DROP TABLE d{}", n - 2));
            }
        }
        _ => {
            let insert = s
                .prepare(
                    "INSERT INTO r VALUES (?, ?)",
                    &informix_devserver::engine::PrepareOptions::default(),
                )
                .expect("prepare");
            for row in 0..MANY {
                let values = [n, row].map(|v| crate::support::bound(informix_types::Value::Integer(v)));
                s.execute(&insert, &values).expect("insert");
            }
        }
    }
    s.run("COMMIT");
}

/// What the steps up to `told` must have left, and that there is nothing by halves.
fn check(s: &mut informix_devserver::engine::Session, work: &str, told: i32) -> i32 {
    let number = |text: String| text.parse::<i32>().expect("number");
    match work {
        "tables" => {
            let there = s.texts(
                "SELECT tabname FROM systables WHERE tabid >= 100 AND tabname LIKE 'd%' ORDER BY tabid",
            );
            let numbers: Vec<i32> = there.iter().map(|name| number(name[1..].to_owned())).collect();
            let last = numbers.last().copied().unwrap_or(0);
            assert_eq!(
                numbers,
                ((last - 1).max(1)..=last).collect::<Vec<_>>(),
                "after {told}"
            );
            for n in numbers {
                assert_eq!(s.one(&format!("SELECT a FROM d{n}")), n.to_string());
                assert_eq!(s.fails(&format!("INSERT INTO d{n} VALUES ({n})")).sqlcode, -268);
            }
            last
        }
        _ => {
            let counts = s.texts("SELECT n, COUNT(*) FROM r GROUP BY n ORDER BY n");
            let last = i32::try_from(counts.len()).expect("few");
            let whole: Vec<String> = (1..=last).map(|n| format!("{n}|{MANY}")).collect();
            assert_eq!(counts, whole);
            last
        }
    }
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn works_until_it_is_killed() {
    let (Some(directory), Ok(work)) = (std::env::var_os(KILLED_IN), std::env::var(WORK)) else {
        return;
    };
    let directory = Path::new(&directory);
    let engine = open(&directory.join("data"));
    let mut s = session(&engine, "testdb");
    s.run("CREATE TABLE IF NOT EXISTS r (n INT, m INT)");
    let first = check(&mut s, &work, 0) + 1;
    for n in first.. {
        step(&mut s, &work, n);
        println!("\ncommitted {n}");
    }
}

#[test]
fn a_kill_breaks_neither_tables_nor_large_transactions() {
    use std::io::BufRead;
    for work in ["tables", "rows"] {
        let directory = tempfile::tempdir().expect("directory");
        std::fs::create_dir(directory.path().join("data")).expect("data");
        let mut told = 0;
        for _ in 0..3 {
            let mut child = std::process::Command::new(std::env::current_exe().expect("program"))
                .args(["--exact", "durable::works_until_it_is_killed", "--nocapture"])
                .env(KILLED_IN, directory.path())
                .env(WORK, work)
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("child");
            let lines = std::io::BufReader::new(child.stdout.take().expect("stdout")).lines();
            let committed = lines
                .map_while(Result::ok)
                .filter_map(|l| l.strip_prefix("committed ")?.parse().ok());
            for n in committed.take(4) {
                told = n;
            }
            child.kill().expect("kill");
            child.wait().expect("wait");
            let engine = open(&directory.path().join("data"));
            let mut s = session(&engine, "testdb");
            let last = check(&mut s, work, told);
            assert!(last >= told, "{work}: {told} were told, {last} are there");
        }
        assert!(told >= 12, "{work}: {told}");
    }
}
