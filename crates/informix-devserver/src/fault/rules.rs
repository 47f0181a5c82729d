//! The rules of a server and how often each has applied.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::message::Message;
use super::rule::{Fault, Reaction, Scope};

/// The name of a rule in its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FaultId(u64);

/// The rules of a running server; all clones are the same rules.
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether there is any rule: all that a server without rules looks at.
    any: AtomicBool,
    rules: Mutex<Rules>,
}

#[derive(Debug, Default)]
struct Rules {
    next: u64,
    rules: Vec<Counted>,
    /// Of rules that are gone, too.
    hits: HashMap<FaultId, u64>,
}

#[derive(Debug)]
struct Counted {
    id: FaultId,
    fault: Fault,
    /// Occurrences so far: under 0 those of all connections.
    seen: HashMap<u64, u64>,
}

impl Faults {
    /// Adds a rule; it counts from now on.
    pub fn add(&self, fault: Fault) -> FaultId {
        let mut rules = self.lock();
        let id = FaultId(rules.next);
        rules.next += 1;
        rules.rules.push(Counted {
            id,
            fault,
            seen: HashMap::new(),
        });
        self.0.any.store(true, Ordering::Release);
        id
    }

    /// Takes a rule away; whether it was there.
    pub fn remove(&self, id: FaultId) -> bool {
        let mut rules = self.lock();
        let before = rules.rules.len();
        rules.rules.retain(|rule| rule.id != id);
        self.0.any.store(!rules.rules.is_empty(), Ordering::Release);
        rules.rules.len() < before
    }

    /// Takes all rules away.
    pub fn clear(&self) {
        self.lock().rules.clear();
        self.0.any.store(false, Ordering::Release);
    }

    /// How often a rule has applied, also after it was taken away.
    #[must_use]
    pub fn hits(&self, id: FaultId) -> u64 {
        self.lock().hits.get(&id).copied().unwrap_or(0)
    }

    /// The rules in the order in which they were added.
    #[must_use]
    pub fn list(&self) -> Vec<(FaultId, Fault)> {
        let rules = self.lock();
        rules
            .rules
            .iter()
            .map(|rule| (rule.id, rule.fault.clone()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Rules> {
        self.0.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules as one connection meets them; connections are counted from 1.
    pub(crate) fn connection(&self, number: u64) -> ConnectionFaults {
        ConnectionFaults {
            faults: self.clone(),
            number,
        }
    }
}

/// The rules as one connection meets them.
#[derive(Debug)]
pub(crate) struct ConnectionFaults {
    faults: Faults,
    number: u64,
}

impl ConnectionFaults {
    /// Whether there is any rule.
    pub(crate) fn any(&self) -> bool {
        self.faults.0.any.load(Ordering::Acquire)
    }

    /// Counts a message and gives what it brings about. `statement` is the text of the statement that it acts on.
    pub(crate) fn meet(&self, message: Message, statement: Option<&str>) -> Vec<Reaction> {
        let mut rules = self.faults.lock();
        let mut reactions = Vec::new();
        let Rules { rules, hits, .. } = &mut *rules;
        for rule in rules {
            let condition = &rule.fault.condition;
            if !condition.covers(self.number, message, statement) {
                continue;
            }
            let counter = match condition.scope {
                Scope::PerConnection => self.number,
                Scope::Server | Scope::Connection(_) => 0,
            };
            let seen = rule.seen.entry(counter).or_insert(0);
            *seen += 1;
            if condition.includes(*seen) {
                *hits.entry(rule.id).or_insert(0) += 1;
                tracing::info!(rule = %rule.fault, connection = self.number, "fault");
                reactions.push(rule.fault.reaction.clone());
            }
        }
        reactions
    }
}

impl Drop for ConnectionFaults {
    /// The counters of this connection are not needed any more.
    fn drop(&mut self) {
        if self.any() {
            for rule in &mut self.faults.lock().rules {
                rule.seen.remove(&self.number);
            }
        }
    }
}
