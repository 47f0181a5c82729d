//! The catalog as the analysis sees it: tables, sequences and types of the session's databases.

use std::rc::Rc;

use informix_types::ColumnType;

use super::super::server::{Engine, SYSMASTER};
use super::super::{databases, sequence, sysmaster};
use super::Session;
use crate::analyze::{
    CatalogView, ColumnInfo, RoutineInfo, SelectTrigger, SequenceInfo, TableInfo, ViewInfo,
};
use crate::catalog::model::{SynonymTarget, Table, TableKind};
use crate::catalog::names::{self, Place};
use crate::catalog::read::Reader;
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::expr::{CharWidth, SessionFacts as _};
use crate::sql::ast::ObjectName;

/// Synonyms of synonyms end here.
const MAX_SYNONYMS: usize = 16;

/// Other databases that SQLite takes beside a connection's own.
const MAX_ATTACHED: usize = 10;

/// Makes room for another database: lets go of the one that was named longest ago and that nothing uses.
fn detach_one(open: &super::OpenDatabase) {
    let mut attached = open.attached.borrow_mut();
    let unused = attached.iter().position(|database| {
        let schema = Place::Attached(database.info.name.clone()).schema();
        open.connection.execute_batch(&format!("DETACH {schema}")).is_ok()
    });
    if let Some(position) = unused {
        let database = attached.remove(position);
        Engine::leave_database(&database);
        // Statements over it are planned again; the sum of `schema_generation` must never come back to an old value.
        let local = &open.local_changes;
        local.set(local.get() + database.generation() + 1);
    }
}

impl Session {
    /// The place of a database: the current one's, or that of one attached now.
    pub(crate) fn place_of(&self, database: Option<&str>) -> SqlResult<Place> {
        let open = self.require_database()?;
        let Some(name) = database.filter(|name| *name != open.database.info.name) else {
            return Ok(Place::Main);
        };
        let place = Place::Attached(name.to_owned());
        let known = open.attached.borrow().iter().position(|d| d.info.name == name);
        if let Some(position) = known {
            // The one used last stands last.
            if let Some(rest) = open.attached.borrow_mut().get_mut(position..) {
                rest.rotate_left(1);
            }
            return Ok(place);
        }
        let info = self
            .engine
            .database_info(name)
            .ok_or_else(|| databases::unknown(name))?;
        // Reading across is allowed both ways, as sysmaster is logged and user databases may not be; ANSI is not.
        if info.mode.is_ansi() != open.mode().is_ansi() && name != SYSMASTER {
            return Err(SqlError::new(-568).token(name));
        }
        // Counted as a user, so that nobody drops it meanwhile.
        let database = self.engine.enter_database(name, false)?;
        if open.attached.borrow().len() >= MAX_ATTACHED {
            detach_one(open);
        }
        if let Err(error) = self
            .engine
            .storage
            .attach(&open.connection, name, &place.schema())
        {
            Engine::leave_database(&database);
            return Err(SqlError::new(-329).token(name).because(error.to_string()));
        }
        open.attached.borrow_mut().push(database);
        Ok(place)
    }

    /// The object behind a name, as it stands in the catalog: synonyms not followed.
    pub(crate) fn find_table(&self, name: &ObjectName) -> SqlResult<Option<Rc<Table>>> {
        let database = name.database.as_ref().map(|d| d.name.as_str());
        self.find_named(
            database,
            name.owner.as_ref().map(|o| o.name.as_str()),
            &name.name.name,
        )
    }

    fn find_named(
        &self,
        database: Option<&str>,
        owner: Option<&str>,
        name: &str,
    ) -> SqlResult<Option<Rc<Table>>> {
        let open = self.require_database()?;
        let place = self.place_of(database)?;
        open.schema.validate(self.schema_generation(open));
        let places = if place == Place::Main {
            vec![Place::Temp, Place::Main]
        } else {
            vec![place]
        };
        for place in places {
            let mut found = open.schema.table(&open.connection, &place, name)?;
            if self.require_definition(&place, name, found.as_deref())? {
                open.schema.validate(self.schema_generation(open));
                found = open.schema.table(&open.connection, &place, name)?;
            }
            if let Some(table) = found
                && owner.is_none_or(|owner| table.owner.trim_end().eq_ignore_ascii_case(owner))
            {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    /// Changes whenever the schema of any database that the session sees may have changed.
    pub(crate) fn schema_generation(&self, open: &super::OpenDatabase) -> u64 {
        let attached: u64 = open.attached.borrow().iter().map(|d| d.generation()).sum();
        open.database.generation() + attached + open.local_changes.get()
    }

    /// The table behind a name with synonyms followed.
    pub(crate) fn resolve_table(&self, name: &ObjectName) -> SqlResult<Option<Rc<Table>>> {
        let Some(mut table) = self.find_table(name)? else {
            return Ok(None);
        };
        let open = self.require_database()?;
        for _ in 0..MAX_SYNONYMS {
            let target = match &table.kind {
                TableKind::Synonym { target, .. } => target.clone(),
                _ => return Ok(Some(table)),
            };
            let next = match &target {
                SynonymTarget::Local(tabid) => {
                    open.schema.table_by_id(&open.connection, &table.place, *tabid)?
                }
                SynonymTarget::Remote {
                    database,
                    owner,
                    table,
                } => {
                    let owner = Some(owner.trim_end()).filter(|o| !o.is_empty());
                    self.find_named(Some(database), owner, table)?
                }
            };
            let Some(next) = next else { return Ok(None) };
            table = next;
        }
        Err(SqlError::new(-218).token(&name.name.name))
    }

    /// The database name of a place, empty for temporary tables.
    pub(crate) fn database_of(&self, place: &Place) -> SqlResult<String> {
        Ok(match place {
            Place::Temp => String::new(),
            Place::Main => self.require_database()?.database.info.name.clone(),
            Place::Attached(name) => name.clone(),
        })
    }

    fn info(&self, table: &Table) -> SqlResult<TableInfo> {
        let view = match &table.kind {
            TableKind::View {
                query, check_option, ..
            } => Some(ViewInfo {
                query: query.clone(),
                check_option: *check_option,
            }),
            _ => None,
        };
        let database = self.database_of(&table.place)?;
        let live = database == SYSMASTER && sysmaster::is_live(&table.name);
        Ok(TableInfo {
            name: table.name.clone(),
            owner: table.owner.trim_end().to_owned(),
            database,
            sqlite_name: if live {
                sysmaster::shadow(&table.name)
            } else {
                table.sqlite_name()
            },
            id: i64::from(table.tabid),
            columns: table
                .columns
                .iter()
                .map(|c| ColumnInfo {
                    name: c.name.clone(),
                    sqlite_name: names::quote(&c.physical()),
                    ty: c.ty.clone(),
                })
                .collect(),
            view,
        })
    }

    /// The engine's table behind what the analysis calls one.
    pub(crate) fn table_of(&self, info: &TableInfo) -> SqlResult<Rc<Table>> {
        let open = self.require_database()?;
        let place = if info.is_temporary() {
            Place::Temp
        } else {
            self.place_of(Some(&info.database))?
        };
        open.schema.validate(self.schema_generation(open));
        i32::try_from(info.id)
            .ok()
            .map(|tabid| open.schema.table_by_id(&open.connection, &place, tabid))
            .transpose()?
            .flatten()
            .ok_or_else(|| SqlError::new(-206).isam(-111).token(&info.name))
    }
}

impl CatalogView for Session {
    fn select_triggers(&self, table: &TableInfo) -> SqlResult<Vec<SelectTrigger>> {
        let open = self.require_database()?;
        let own = table.database == open.database.info.name || table.database.is_empty();
        let tabid = i32::try_from(table.id).unwrap_or(0);
        if table.is_temporary() || !own || tabid < FIRST_USER_TABLE {
            return Ok(Vec::new());
        }
        self.select_triggers_of(tabid)
    }

    fn table(&self, name: &ObjectName) -> SqlResult<Option<Rc<TableInfo>>> {
        match self.resolve_table(name)? {
            Some(table) if table.kind != TableKind::Sequence => self.info(&table).map(Rc::new).map(Some),
            _ => Ok(None),
        }
    }

    fn sequence(&self, name: &ObjectName) -> SqlResult<Option<SequenceInfo>> {
        Ok(match self.resolve_table(name)? {
            Some(table) if table.kind == TableKind::Sequence => {
                let open = self.require_database()?;
                let (database, id) = (self.database_of(&table.place)?, table.tabid);
                self.facts
                    .sequences
                    .load(&open.connection, &table.place, &database, id)?;
                let database = names::literal(&database);
                Some(SequenceInfo {
                    next: format!("{}({database}, {id})", sequence::NEXT),
                    current: format!("{}({database}, {id})", sequence::CURRENT),
                })
            }
            _ => None,
        })
    }

    fn data_type(&self, name: &ObjectName) -> SqlResult<Option<ColumnType>> {
        let open = self.require_database()?;
        let place = self.place_of(name.database.as_ref().map(|d| d.name.as_str()))?;
        Reader {
            connection: &open.connection,
            place,
        }
        .named_type(&name.name.name)
    }

    fn row_fields(&self, ty: &ColumnType) -> SqlResult<Vec<(String, ColumnType)>> {
        let open = self.require_database()?;
        Reader {
            connection: &open.connection,
            place: Place::Main,
        }
        .row_fields(ty.extended_id)
    }

    fn cursor(&self, name: &str) -> Option<Rc<TableInfo>> {
        match self.foreach.iter().rfind(|f| f.name == name) {
            Some(foreach) => Some(Rc::clone(&foreach.table)),
            None => self.cursors.update_table(name),
        }
    }

    fn routines(&self, name: &ObjectName, arguments: usize) -> SqlResult<Vec<RoutineInfo>> {
        self.routine_infos(name, arguments)
    }

    fn dbspace(&self, partition: &str) -> Option<String> {
        Some(crate::catalog::fragments::space_of(partition))
    }

    fn delimident(&self) -> bool {
        self.settings.delimident
    }

    fn ansi(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.mode().is_ansi())
    }

    fn char_width(&self) -> CharWidth {
        self.facts.char_width()
    }
}
