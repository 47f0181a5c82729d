//! What a session remembers of the catalog: tables by name, until the schema changes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::Connection;

use super::model::Table;
use super::names::Place;
use super::read::Reader;
use crate::error::SqlResult;

/// Tables that have been looked up.
#[derive(Default)]
pub(crate) struct Schema {
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    generation: u64,
    names: HashMap<(Place, String), Option<i32>>,
    tables: HashMap<(Place, i32), Rc<Table>>,
}

impl Schema {
    /// Forgets everything when the schema is not the one of `generation` any more.
    pub(crate) fn validate(&self, generation: u64) {
        let mut known = self.known.borrow_mut();
        if known.generation != generation {
            *known = Known {
                generation,
                ..Known::default()
            };
        }
    }

    /// The object of that name in a place.
    pub(crate) fn table(
        &self,
        connection: &Connection,
        place: &Place,
        name: &str,
    ) -> SqlResult<Option<Rc<Table>>> {
        let key = (place.clone(), name.to_owned());
        let remembered = self.known.borrow().names.get(&key).copied();
        let tabid = match remembered {
            Some(tabid) => tabid,
            None => {
                let reader = Reader {
                    connection,
                    place: place.clone(),
                };
                let tabid = reader.find(name)?.map(|(tabid, _)| tabid);
                self.known.borrow_mut().names.insert(key, tabid);
                tabid
            }
        };
        match tabid {
            Some(tabid) => self.table_by_id(connection, place, tabid),
            None => Ok(None),
        }
    }

    /// The object of that number in a place.
    pub(crate) fn table_by_id(
        &self,
        connection: &Connection,
        place: &Place,
        tabid: i32,
    ) -> SqlResult<Option<Rc<Table>>> {
        let key = (place.clone(), tabid);
        if let Some(table) = self.known.borrow().tables.get(&key) {
            return Ok(Some(Rc::clone(table)));
        }
        let reader = Reader {
            connection,
            place: place.clone(),
        };
        let Some(table) = reader.table(tabid)? else {
            return Ok(None);
        };
        let table = Rc::new(table);
        self.known.borrow_mut().tables.insert(key, Rc::clone(&table));
        Ok(Some(table))
    }
}
