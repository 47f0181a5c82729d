//! One running routine: its variables and what they are called.

use std::rc::Rc;

use informix_types::ColumnType;
use rusqlite::types::Value;

use super::code::{Code, Routine};
use super::shared::{Global, Shared};
use crate::analyze::TableInfo;
use crate::error::{SqlError, SqlResult};

/// A FOREACH cursor that stands on a row of a table.
#[derive(Debug, Clone)]
pub(crate) struct ForeachCursor {
    pub(crate) name: String,
    pub(crate) table: Rc<TableInfo>,
    pub(crate) rowid: Option<i64>,
}

/// The variables of a running routine. Each has a slot, which is the number of its SQLite parameter less one.
#[derive(Debug)]
pub(super) struct Frame {
    slots: Vec<Slot>,
    /// Names that count now, innermost last.
    visible: Vec<(String, usize)>,
    /// Rows that a trigger's action can name: OLD, NEW.
    pub(super) rows: Vec<Correlation>,
}

/// A row with a name: its columns and their slots.
#[derive(Debug, Clone)]
pub(super) struct Correlation {
    pub(super) name: String,
    pub(super) columns: Vec<(String, usize)>,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    ty: Option<ColumnType>,
    /// None as long as nothing was assigned.
    value: Option<Value>,
    /// It only stands for the global variable of that name.
    global: Option<String>,
}

impl Frame {
    /// The frame of a routine with its parameters visible.
    pub(super) fn of(routine: &Routine) -> Self {
        let mut frame = Self::with_slots(&routine.code);
        if let Some(slot) = routine.code.sqlcode {
            frame.define("sqlcode", slot, ColumnType::integer());
            frame.set(slot, Value::Integer(0));
        }
        for (slot, parameter) in routine.parameters.iter().enumerate() {
            frame.define(&parameter.name, slot, parameter.ty.clone());
        }
        frame
    }

    /// A frame without names.
    pub(super) fn with_slots(code: &Code) -> Self {
        Self {
            slots: vec![Slot::default(); code.slot_count],
            visible: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Makes a variable visible, without a value.
    pub(super) fn define(&mut self, name: &str, slot: usize, ty: ColumnType) {
        self.define_slot(slot, ty);
        self.visible.push((name.to_owned(), slot));
    }

    /// Gives a slot its type, without a name.
    pub(super) fn define_slot(&mut self, slot: usize, ty: ColumnType) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = Slot {
                ty: Some(ty),
                ..Slot::default()
            };
        }
    }

    /// Makes a global variable visible.
    pub(super) fn define_global(&mut self, name: &str, slot: usize, ty: ColumnType) {
        self.define(name, slot, ty);
        if let Some(place) = self.slots.get_mut(slot) {
            place.global = Some(name.to_owned());
        }
    }

    /// How many names are visible, for [`Self::hide`].
    pub(super) fn visible(&self) -> usize {
        self.visible.len()
    }

    /// Hides the names behind the first so many; gives them.
    pub(super) fn hide(&mut self, keep: usize) -> Vec<(String, usize)> {
        self.visible.split_off(keep.min(self.visible.len()))
    }

    /// Undoes [`Self::hide`].
    pub(super) fn show(&mut self, names: Vec<(String, usize)>) {
        self.visible.extend(names);
    }

    /// Whether the name stands among those behind the first so many.
    pub(super) fn defined_since(&self, mark: usize, name: &str) -> bool {
        self.visible.iter().skip(mark).any(|(known, _)| known == name)
    }

    /// The slot and type of a visible variable.
    pub(super) fn variable(&self, name: &str) -> Option<(usize, &ColumnType)> {
        let (_, slot) = self.visible.iter().rfind(|(known, _)| known == name)?;
        Some((*slot, self.slots.get(*slot)?.ty.as_ref()?))
    }

    /// The slot and type of a column of a trigger's row.
    pub(super) fn row_variable(&self, correlation: &str, column: &str) -> Option<(usize, &ColumnType)> {
        let row = self.rows.iter().find(|row| row.name == correlation)?;
        let (_, slot) = row.columns.iter().find(|(known, _)| known == column)?;
        Some((*slot, self.slots.get(*slot)?.ty.as_ref()?))
    }

    /// The value of a slot.
    ///
    /// # Errors
    /// -696 when nothing was assigned.
    pub(super) fn value(&self, slot: usize, shared: &Shared) -> SqlResult<Value> {
        let found = self.slots.get(slot);
        let value = match found.and_then(|s| s.global.as_deref()) {
            Some(name) => shared.globals.borrow().get(name).and_then(|g| g.value.clone()),
            None => found.and_then(|s| s.value.clone()),
        };
        value.ok_or_else(|| {
            let name = self.visible.iter().rfind(|(_, known)| *known == slot);
            SqlError::new(-696).token(name.map_or("", |(name, _)| name.as_str()))
        })
    }

    /// All values; NULL where nothing was assigned.
    pub(super) fn values(&self, shared: &Shared) -> Vec<Value> {
        (0..self.slots.len())
            .map(|slot| self.value(slot, shared).unwrap_or(Value::Null))
            .collect()
    }

    /// Gives a variable that is not global its value.
    pub(super) fn set(&mut self, slot: usize, value: Value) {
        if let Some(place) = self.slots.get_mut(slot) {
            place.value = Some(value);
        }
    }

    /// Assigns a value in the stored form of the slot's type.
    pub(super) fn assign(&mut self, slot: usize, value: Value, shared: &Shared) {
        let Some(place) = self.slots.get_mut(slot) else {
            return;
        };
        match &place.global {
            Some(name) => {
                if let Some(global) = shared.globals.borrow_mut().get_mut(name) {
                    global.value = Some(value);
                }
            }
            None => place.value = Some(value),
        }
    }
}

impl Shared {
    /// DEFINE GLOBAL: the variable's type; the first DEFINE of the session gives it its value.
    ///
    /// # Errors
    /// -999 when other routines know it by another type.
    pub(super) fn define_global(
        &self,
        name: &str,
        ty: &ColumnType,
        default: impl FnOnce() -> SqlResult<Option<Value>>,
    ) -> SqlResult<()> {
        if let Some(known) = self.globals.borrow().get(name) {
            return if known.ty.sql_name() == ty.sql_name() {
                Ok(())
            } else {
                Err(SqlError::new(-999)
                    .token(name)
                    .because("a global variable of another type"))
            };
        }
        let value = default()?;
        let global = Global {
            ty: ty.clone(),
            value,
        };
        self.globals.borrow_mut().insert(name.to_owned(), global);
        Ok(())
    }
}
