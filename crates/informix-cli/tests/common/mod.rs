//! Starts the binary under test.
#![allow(dead_code, unreachable_pub)] // Each test file uses its part.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// The command under test, free of the caller's environment.
pub fn ifx() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifx"));
    for name in [
        "IFX_URL",
        "INFORMIXSERVER",
        "INFORMIXSQLHOSTS",
        "INFORMIXDIR",
        "CLIENT_LOCALE",
        "DB_LOCALE",
        "RUST_LOG",
    ] {
        command.env_remove(name);
    }
    command
}

/// A running `ifx serve` on a free port, ended with the test.
pub struct Server {
    pub port: u16,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    pub fn start() -> Self {
        Self::with(&[])
    }

    pub fn with(arguments: &[&str]) -> Self {
        let mut child = ifx()
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        let port = first
            .strip_prefix("listening on 127.0.0.1:")
            .and_then(|port| port.trim_end().parse().ok())
            .unwrap_or_else(|| panic!("first line of ifx serve: {first:?}"));
        Self { port, child, stdout }
    }

    pub fn url(&self) -> String {
        format!("informix://informix:in4mix@127.0.0.1:{}/testdb", self.port)
    }

    /// Ends the server with a signal and gives its exit code.
    pub fn end(mut self, signal: &str) -> Option<i32> {
        let done = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(done.success());
        self.child.wait().unwrap().code()
    }

    /// `ifx sql` against this server.
    pub fn sql(&self, arguments: &[&str]) -> Output {
        ifx()
            .args(["sql", &self.url()])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// `ifx sql` that reads its statements from standard input.
    pub fn sql_from_stdin(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = ifx()
            .args(["sql", &self.url()])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
