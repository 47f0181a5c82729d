//! A routine as it is run.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use informix_types::ColumnType;

use super::evaluate::Expressions;
use crate::engine::Prepared;
use crate::sql::ast::{ParameterMode, SplKind, SplStatement};

/// A stored routine.
#[derive(Debug)]
pub(crate) struct Routine {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) function: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// Label (empty without one) and type of each value returned.
    pub(crate) returns: Vec<(String, ColumnType)>,
    pub(crate) code: Rc<Code>,
}

/// A parameter of a routine.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) mode: ParameterMode,
    pub(crate) ty: ColumnType,
    /// SQLite text of the DEFAULT in the stored form.
    pub(crate) default: Option<String>,
}

impl Routine {
    /// How many arguments a call must have at least.
    pub(crate) fn required(&self) -> usize {
        let needed = |p: &&Parameter| p.default.is_none() && p.mode != ParameterMode::Out;
        self.parameters.iter().filter(needed).count()
    }

    pub(crate) fn has_output(&self) -> bool {
        self.parameters.iter().any(|p| p.mode != ParameterMode::In)
    }
}

/// Statements with what they were compiled to.
pub(crate) struct Code {
    /// The text that the tree's places mean.
    pub(crate) text: String,
    pub(crate) body: Vec<SplStatement>,
    /// Slot of each DEFINEd variable, by the place of its name.
    slots: HashMap<usize, usize>,
    /// Number of all slots.
    pub(crate) slot_count: usize,
    /// Slot of the SQLCODE function, when the text may call it.
    pub(super) sqlcode: Option<usize>,
    compiled: RefCell<HashMap<(usize, usize), Compiled>>,
    /// Of the schema that they were compiled for.
    generation: Cell<u64>,
}

/// What a piece of a body was compiled to.
#[derive(Clone)]
pub(crate) enum Compiled {
    Expressions(Rc<Expressions>),
    /// A statement and the slots that it reads.
    Statement(Prepared, Rc<[usize]>),
}

impl Code {
    /// Gives every variable a slot, behind `first` ones that are taken (parameters, columns of a trigger's row).
    pub(crate) fn new(text: String, body: Vec<SplStatement>, first: usize) -> Self {
        let mut slots = HashMap::new();
        number(&body, first, &mut slots);
        let named = first + slots.len();
        let sqlcode = text.to_ascii_lowercase().contains("sqlcode").then_some(named);
        Self {
            text,
            slot_count: named + usize::from(sqlcode.is_some()),
            sqlcode,
            body,
            slots,
            compiled: RefCell::default(),
            generation: Cell::new(0),
        }
    }

    /// The slot of a variable by the place of its name in DEFINE.
    pub(crate) fn slot(&self, defined_at: usize) -> Option<usize> {
        self.slots.get(&defined_at).copied()
    }

    /// What the piece at a place was compiled to for this schema.
    pub(crate) fn compiled(&self, place: (usize, usize), generation: u64) -> Option<Compiled> {
        if self.generation.get() != generation {
            self.compiled.borrow_mut().clear();
            self.generation.set(generation);
            return None;
        }
        self.compiled.borrow().get(&place).cloned()
    }

    pub(crate) fn keep(&self, place: (usize, usize), compiled: Compiled) {
        self.compiled.borrow_mut().insert(place, compiled);
    }

    /// Lets go of what belongs to an open database.
    pub(crate) fn forget(&self) {
        self.compiled.borrow_mut().clear();
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

fn number(body: &[SplStatement], first: usize, slots: &mut HashMap<usize, usize>) {
    for statement in body {
        match &statement.kind {
            SplKind::Define { names, .. } => {
                for name in names {
                    let next = first + slots.len();
                    slots.entry(name.span.start).or_insert(next);
                }
            }
            other => blocks(other, &mut |block| number(block, first, slots)),
        }
    }
}

/// Calls `each` with every block inside of a statement.
pub(crate) fn blocks<'b>(kind: &'b SplKind, each: &mut dyn FnMut(&'b [SplStatement])) {
    match kind {
        SplKind::OnException { body, .. }
        | SplKind::For { body, .. }
        | SplKind::While { body, .. }
        | SplKind::Foreach { body, .. }
        | SplKind::Block(body) => each(body),
        SplKind::If(branches, otherwise) => {
            branches.iter().for_each(|(_, body)| each(body));
            each(otherwise);
        }
        SplKind::Case {
            branches, otherwise, ..
        } => {
            branches.iter().for_each(|(_, body)| each(body));
            otherwise.iter().for_each(|body| each(body));
        }
        _ => {}
    }
}

/// Whether a statement of that kind stands anywhere in a body.
pub(crate) fn contains(body: &[SplStatement], test: &dyn Fn(&SplKind) -> bool) -> bool {
    body.iter().any(|statement| {
        let mut found = test(&statement.kind);
        blocks(&statement.kind, &mut |block| found |= contains(block, test));
        found
    })
}
