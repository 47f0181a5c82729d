//! The catalog queries of the recorded conversations against a real session.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "engine/support.rs"]
mod support;

use informix_devserver::engine::{CursorOptions, PrepareOptions};
use support::testdb;

/// Functions of the vendor's catalog that only its Java driver calls.
const DRIVER_FUNCTIONS: [&str; 2] = ["get_data_type", "schema_coltypename"];

#[test]
fn catalog_queries_run() {
    let mut session = testdb();
    let mut refused = Vec::new();
    let mut ran = 0;
    for line in include_str!("../testdata/captured-statements.txt")
        .lines()
        .skip(1)
    {
        let text = line
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\\", "\\");
        let catalog = text.trim_start().to_ascii_lowercase().starts_with("select") && text.contains("sys");
        if !catalog || text.contains("nosuch") || DRIVER_FUNCTIONS.iter().any(|f| text.contains(f)) {
            continue;
        }
        let result = session
            .prepare(&text, &PrepareOptions::default())
            .and_then(|prepared| session.open_cursor(&prepared, &[], CursorOptions::default()));
        match result {
            Ok(_) => ran += 1,
            Err(error) => refused.push(format!("{error}: {text}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(ran > 40, "{ran}");
}
