//! Nothing that is logged or shown holds a password.

mod support;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use informix::blocking::Connection;
use support::{Script, Server};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps everything that is logged, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Writer<'a>(&'a mut String);

impl Visit for Writer<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Writer(&mut self.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Writer(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Writer(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn passwords_are_neither_logged_nor_shown() {
    let log = Log::default();
    let server = Server::start(Script::default());
    let shown = tracing::subscriber::with_default(log.clone(), || {
        let c = Connection::connect(server.config()).unwrap();
        c.execute("insert into t values (?)", ("private",)).unwrap();
        c.query_all("select 3", ()).unwrap();
        let error = c.execute("fail -206", ()).unwrap_err();
        format!("{c:?} {:?} {error:?} {error}", c.config())
    });
    let log = log.0.lock().unwrap();
    assert!(
        log.contains("request=\"command\"") && log.contains("connecting"),
        "{log}"
    );
    for text in [log.as_str(), &shown] {
        assert!(!text.contains("secret") && !text.contains("private"), "{text}");
    }
    assert!(shown.contains("kim"), "{shown}");
}
