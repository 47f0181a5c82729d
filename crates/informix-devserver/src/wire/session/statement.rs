//! The statements of a connection: each has an id, its bound values and perhaps an open cursor.

use informix_protocol::message::AutogenKeys;
use informix_types::{BoundValue, ColumnType, RowForm, TextCodec};

use super::text;
use crate::engine::{ColumnDescription, CursorId, Prepared};
use crate::error::SqlResult;

/// Statement ids travel as signed 16-bit numbers.
const MAX_STATEMENTS: usize = 0x7fff;

/// What a client has prepared, with everything that later messages of it refer to.
pub(super) struct Statement {
    pub(super) prepared: Prepared,
    /// The statements behind the first one of a text like `insert …;insert …`.
    pub(super) more: Vec<Prepared>,
    /// Which keys its INSERTs shall report.
    pub(super) keys: Option<AutogenKeys>,
    /// Values of the last BIND, until the next one.
    pub(super) bound: Vec<BoundValue>,
    /// Parameters among `bound` that wait for their BYTE or TEXT contents, in the order in which these will come.
    pub(super) awaited: Vec<usize>,
    /// How the next OPEN shall open.
    pub(super) opening: Opening,
    pub(super) cursor: Cursor,
    /// In which form rows go out; SQ_RET_TYPE changes it for the rest of the statement's life.
    pub(super) form: RowForm,
    /// Types of the rows of PUT, when SQ_RET_TYPE told them.
    pub(super) put_types: Option<Vec<ColumnType>>,
    /// CLOSE also releases the statement.
    pub(super) autofree: bool,
}

/// What CURNAME, SCROLL and HOLD said since the last OPEN.
#[derive(Debug, Default, Clone)]
pub(super) struct Opening {
    pub(super) name: Option<String>,
    pub(super) scroll: bool,
    pub(super) hold: bool,
}

/// The cursor of a statement.
#[derive(Debug, Default)]
pub(super) enum Cursor {
    #[default]
    Closed,
    /// Of a SELECT or a routine with results.
    Open { id: CursorId, scroll: bool },
    /// Of an INSERT: rows come by PUT.
    Insert,
}

impl Statement {
    pub(super) fn new(prepared: Prepared, form: RowForm) -> Self {
        Self {
            prepared,
            more: Vec::new(),
            keys: None,
            bound: Vec::new(),
            awaited: Vec::new(),
            opening: Opening::default(),
            cursor: Cursor::Closed,
            form,
            put_types: None,
            autofree: false,
        }
    }

    /// The types of the parameters of all its statements, where they are known.
    pub(super) fn parameters(&self) -> Vec<Option<ColumnType>> {
        let all = std::iter::once(&self.prepared).chain(&self.more);
        all.flat_map(|prepared| prepared.parameters().iter().cloned())
            .collect()
    }

    /// The columns whose generated values SQ_AUTOGENKEYS asks for. Only serial columns have such values.
    pub(super) fn wanted_keys(&self, codec: &TextCodec) -> SqlResult<Vec<ColumnDescription>> {
        let Some(keys) = &self.keys else {
            return Ok(Vec::new());
        };
        let names = match keys {
            AutogenKeys::Names(names) => names
                .iter()
                .map(|name| text::name(name, codec))
                .collect::<SqlResult<Vec<_>>>()?,
            _ => Vec::new(),
        };
        let wanted = |number: usize, column: &ColumnDescription| match keys {
            AutogenKeys::All => true,
            AutogenKeys::Columns(numbers) => {
                numbers.iter().any(|known| usize::try_from(*known) == Ok(number))
            }
            AutogenKeys::Names(_) => names.iter().any(|known| known.eq_ignore_ascii_case(&column.name)),
        };
        let columns = self.prepared.serial_columns().into_iter();
        Ok(columns
            .filter(|(number, column)| wanted(*number, column))
            .map(|(_, column)| column)
            .collect())
    }
}

/// The statements by id: a new one gets the lowest free id, starting at 0 (nmap and the peer driver depend on it).
#[derive(Default)]
pub(super) struct Statements {
    slots: Vec<Option<Statement>>,
}

impl Statements {
    /// The id that the next statement will get.
    pub(super) fn next_id(&self) -> Option<i16> {
        let free = self
            .slots
            .iter()
            .position(Option::is_none)
            .unwrap_or(self.slots.len());
        if free < MAX_STATEMENTS {
            i16::try_from(free).ok()
        } else {
            None
        }
    }

    /// Keeps a statement and gives its id; `None` when there are too many.
    pub(super) fn insert(&mut self, statement: Statement) -> Option<i16> {
        let id = self.next_id()?;
        let index = usize::try_from(id).ok()?;
        match self.slots.get_mut(index) {
            Some(slot) => *slot = Some(statement),
            None => self.slots.push(Some(statement)),
        }
        Some(id)
    }

    pub(super) fn get_mut(&mut self, id: i16) -> Option<&mut Statement> {
        self.slots.get_mut(usize::try_from(id).ok()?)?.as_mut()
    }

    pub(super) fn remove(&mut self, id: i16) -> Option<Statement> {
        let statement = self.slots.get_mut(usize::try_from(id).ok()?)?.take();
        while self.slots.last().is_some_and(Option::is_none) {
            self.slots.pop();
        }
        statement
    }
}
