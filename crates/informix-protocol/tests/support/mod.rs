//! Reads `testdata/` for the tests.

#![allow(dead_code, reason = "every test uses a part")]

use informix_protocol::login::LoginRequest;
use informix_protocol::message::Protocols;
use informix_protocol::{
    Capabilities, Limits, LoginForm, Negotiated, Reader, ReplyContext, WireMessage, tag,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the test data lie.
pub(crate) fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Client,
    Server,
}

/// One message of a capture, and what was known when it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Line in the file, from 1.
    pub(crate) number: usize,
    pub(crate) side: Side,
    /// `None` when the capture shows only a part.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) login: bool,
    pub(crate) negotiated: Negotiated,
    pub(crate) context: ReplyContext,
    /// A gap (repetitions left out) lies between this message and the one before it.
    pub(crate) after_gap: bool,
    /// The other side answered after this message.
    pub(crate) ends_flush: bool,
}

impl Line {
    pub(crate) fn tag(&self) -> Option<u16> {
        let bytes = self.bytes.as_ref().filter(|_| !self.login)?;
        bytes.first_chunk().map(|tag| u16::from_be_bytes(*tag))
    }

    pub(crate) fn kind(&self) -> &'static str {
        if self.login {
            "login"
        } else {
            self.tag().map_or("?", tag::name)
        }
    }
}

#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
}

/// All captures, in order of their names.
pub(crate) fn captures() -> Vec<Capture> {
    let directory = testdata().join("captures");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name != "left-out.txt" && name != "README.md")
        })
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let lines = read(&name, &std::fs::read_to_string(&path).unwrap());
            Capture { name, lines }
        })
        .collect()
}

fn read(name: &str, text: &str) -> Vec<Line> {
    // Fragments without a login are from the Java client.
    let fragments = name == "jdbc-reply-variants";
    let mut form = LoginForm::Binary;
    let mut offer = Capabilities::JDBC;
    let mut negotiated = if fragments {
        Negotiated::new(&Capabilities::JDBC, &Capabilities::SERVER_15, form)
    } else {
        Negotiated::none(form)
    };
    let mut context = ReplyContext::default();
    let mut seen = [false; 2];
    let mut after_gap = false;
    let mut lines: Vec<Line> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_at(1);
        let side = match mark {
            "C" => Side::Client,
            "S" => Side::Server,
            "~" => {
                after_gap = true;
                continue;
            }
            _ => {
                if let Some(last) = lines.last_mut() {
                    last.ends_flush = true;
                }
                continue;
            }
        };
        let bytes = hex::decode(rest.trim()).ok();
        let body = bytes.as_deref().unwrap_or_default();
        let first = !std::mem::replace(&mut seen[side as usize], true);
        // Fragments: both login replies stand at the beginning.
        let login = if fragments {
            side == Side::Server && number < 2
        } else {
            first
        };
        if login
            && side == Side::Client
            && let Ok(request) = LoginRequest::decode(&mut Reader::new(body, Limits::default()))
        {
            form = request.form.login_form();
            negotiated = Negotiated::none(form);
        }
        let message = Line {
            number: number + 1,
            side,
            login,
            negotiated,
            context,
            after_gap: std::mem::take(&mut after_gap),
            ends_flush: false,
            bytes: bytes.clone(),
        };
        match message.tag() {
            Some(tag::XRECOVER) => context.recover = true,
            Some(tag::EOT) if side == Side::Server => context.recover = false,
            Some(tag::PROTOCOLS) => {
                let mut r = Reader::new(&body[2..], Limits::default());
                let Protocols(mask) = Protocols::decode(&mut r, &negotiated).unwrap();
                match side {
                    Side::Client => offer = mask,
                    Side::Server => negotiated = Negotiated::new(&offer, &mask, form),
                }
            }
            _ => {}
        }
        lines.push(message);
    }
    lines
}

/// `capture:line` and the reason, from `left-out.txt`.
pub(crate) fn left_out() -> BTreeMap<String, String> {
    let path = testdata().join("captures/left-out.txt");
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| {
            let (place, reason) = line.split_once(' ').expect("place and reason");
            assert!(!reason.trim().is_empty(), "{place}: no reason");
            (place.to_owned(), reason.trim().to_owned())
        })
        .collect()
}
