//! Statements: from text to something that can be executed many times.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use informix_types::{ColumnType, RowForm};

use super::super::SYSMASTER;
use super::super::kinds;
use super::super::outcome::ColumnDescription;
use super::super::program::Program;
use super::super::rows::ColumnEncoder;
use super::super::serial::SerialKind;
use super::Session;
use super::guarded::ReadsTable;
use crate::analyze::{
    self, Body, CallPlan, CatalogView, InsertPlan, InsertRows, InsertValue, IntoPlan, MergePlan, Plan,
    TableInfo,
};
use crate::error::{SqlError, SqlResult};
use crate::expr::ParameterUse;
use crate::routine::InsteadPlan;
use crate::sql::ast::{Statement, StatementKind};
use crate::sql::{ParseOptions, parse_statements};
use crate::storage::OwnedStatement;

/// Options of [`Session::prepare`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrepareOptions {}

/// A prepared statement. Cheap to clone; it is planned again by itself when the schema has changed.
#[derive(Clone)]
pub struct Prepared(Rc<Inner>);

pub(crate) struct Inner {
    text: String,
    /// The statements of a text that holds several; then this one stands for the first.
    parts: Vec<Prepared>,
    statement: Statement,
    kind: i16,
    columns: Vec<ColumnDescription>,
    parameters: Vec<Option<ColumnType>>,
    uses: Vec<ParameterUse>,
    /// Tables of `sysmaster` that have to be filled before it reads them.
    server_tables: Vec<String>,
    compiled: RefCell<Rc<Compiled>>,
    /// Of the schema that it was compiled for.
    generation: Cell<u64>,
    /// SQLite's statement while no cursor uses it.
    idle: RefCell<Option<OwnedStatement>>,
    /// For the form of rows that the client asked for last.
    encoders: RefCell<Option<(RowForm, Rc<[ColumnEncoder]>)>>,
}

/// What a statement runs.
#[derive(Debug, PartialEq)]
pub(crate) enum Compiled {
    /// The tree itself.
    Tree,
    Query {
        sql: String,
        for_update: Option<Rc<TableInfo>>,
        has_blobs: bool,
        /// Tables whose rows others may have locked.
        reads: Vec<ReadsTable>,
    },
    Program(Program),
    Into(IntoPlan),
    Call(CallPlan),
    /// INSERT … EXECUTE FUNCTION: the call, the types it returns, and the INSERT of one of its rows.
    InsertCall(CallPlan, Vec<ColumnType>, Program),
    Instead(Box<InsteadPlan>),
    Merge(Box<MergePlan>),
}

impl Inner {
    pub(super) fn let_go(&self) {
        self.idle.take();
        // Compiled for a database that is not open any more.
        self.generation.set(0);
    }
}

impl Prepared {
    /// Several statements as one: of the kind of the first, without columns (J).
    fn of_parts(text: &str, first: Statement, parts: Vec<Self>) -> Self {
        Self(Rc::new(Inner {
            text: text.to_owned(),
            kind: kinds::number(&first.kind),
            statement: first,
            columns: Vec::new(),
            parameters: parts
                .iter()
                .flat_map(|p| p.parameters().iter().cloned())
                .collect(),
            uses: parts.iter().flat_map(|p| p.uses().iter().copied()).collect(),
            server_tables: Vec::new(),
            compiled: RefCell::new(Rc::new(Compiled::Tree)),
            generation: Cell::new(0),
            idle: RefCell::new(None),
            encoders: RefCell::new(None),
            parts,
        }))
    }

    /// The statements of a text that holds several, else none.
    pub(crate) fn parts(&self) -> &[Self] {
        &self.0.parts
    }

    /// The statement-type number (sqli-protocol.md 9.4).
    #[must_use]
    pub fn kind(&self) -> i16 {
        self.0.kind
    }

    /// The columns that DESCRIBE tells: those of the result, for INSERT with markers those of the target.
    #[must_use]
    pub fn columns(&self) -> &[ColumnDescription] {
        &self.0.columns
    }

    /// The types of the `?` markers, where they are known.
    #[must_use]
    pub fn parameters(&self) -> &[Option<ColumnType>] {
        &self.0.parameters
    }

    /// The statement's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether it is run by opening a cursor and not by executing it.
    #[must_use]
    pub fn opens_cursor(&self) -> bool {
        self.0.kind == kinds::SELECT || (self.0.kind == kinds::EXECUTE && !self.0.columns.is_empty())
    }

    /// Whether it is an INSERT (its reply carries SQ_INSERTDONE).
    #[must_use]
    pub fn is_insert(&self) -> bool {
        self.0.kind == kinds::INSERT
    }

    /// The columns of an INSERT's target that get values by themselves, with their numbers from 1.
    #[must_use]
    pub fn serial_columns(&self) -> Vec<(usize, ColumnDescription)> {
        let compiled = self.compiled();
        let Compiled::Program(program) = &*compiled else {
            return Vec::new();
        };
        if !self.is_insert() {
            return Vec::new();
        }
        let columns = program.table.columns.iter().enumerate();
        columns
            .filter(|(_, column)| SerialKind::of(&column.ty).is_some())
            .map(|(at, column)| {
                (
                    at + 1,
                    ColumnDescription {
                        name: column.name.clone(),
                        ty: column.ty.clone(),
                    },
                )
            })
            .collect()
    }

    /// Whether it is a SELECT … FOR UPDATE.
    #[must_use]
    pub fn is_for_update(&self) -> bool {
        self.update_table().is_some()
    }

    pub(crate) fn update_table(&self) -> Option<Rc<TableInfo>> {
        match &*self.compiled() {
            Compiled::Query { for_update, .. } => for_update.clone(),
            _ => None,
        }
    }

    /// How each bound value is stored.
    pub(crate) fn uses(&self) -> &[ParameterUse] {
        &self.0.uses
    }

    pub(crate) fn server_tables(&self) -> &[String] {
        &self.0.server_tables
    }

    pub(crate) fn statement(&self) -> &StatementKind {
        &self.0.statement.kind
    }

    pub(super) fn tree(&self) -> &Statement {
        &self.0.statement
    }

    pub(crate) fn compiled(&self) -> Rc<Compiled> {
        Rc::clone(&self.0.compiled.borrow())
    }

    /// Columns of SQLite's statement: one more than described when rows may be updated.
    pub(crate) fn sqlite_columns(&self) -> usize {
        self.columns().len() + usize::from(self.is_for_update())
    }

    pub(crate) fn downgrade(&self) -> Weak<Inner> {
        Rc::downgrade(&self.0)
    }

    /// How the columns of a row are written; chosen again only when the client changes the form, which it does once.
    pub(crate) fn encoders(&self, form: RowForm) -> SqlResult<Rc<[ColumnEncoder]>> {
        if let Some((known, encoders)) = &*self.0.encoders.borrow()
            && *known == form
        {
            return Ok(Rc::clone(encoders));
        }
        let chosen: Rc<[ColumnEncoder]> = self
            .columns()
            .iter()
            .map(|c| ColumnEncoder::new(&c.ty, form))
            .collect::<SqlResult<_>>()?;
        *self.0.encoders.borrow_mut() = Some((form, Rc::clone(&chosen)));
        Ok(chosen)
    }

    /// Takes SQLite's statement out for one use.
    pub(crate) fn take(&self) -> Option<OwnedStatement> {
        self.0.idle.take()
    }

    pub(crate) fn give_back(&self, statement: OwnedStatement) {
        // After the database was left, generation is 0 and nothing may be kept.
        if self.0.generation.get() != 0 {
            *self.0.idle.borrow_mut() = Some(statement);
        }
    }
}

impl Session {
    /// Reads, names and types a statement. Nothing of it is executed.
    ///
    /// # Errors
    /// Syntax, names and types, with the place in the text; -349 without a database.
    pub fn prepare(&mut self, text: &str, options: &PrepareOptions) -> SqlResult<Prepared> {
        let PrepareOptions {} = options;
        let parse = ParseOptions {
            delimident: self.settings.delimident,
        };
        let mut statements = parse_statements(text, &parse)?;
        if statements.len() > 1 {
            let parts = self.prepare_parts(text, &statements, options)?;
            return Ok(Prepared::of_parts(text, statements.swap_remove(0), parts));
        }
        let statement = statements.pop().unwrap_or_else(Statement::empty);
        let prepared = self.prepare_tree(statement, text, self)?;
        self.track(&prepared);
        Ok(prepared)
    }

    /// Prepares a statement that has been read, with the names that `catalog` knows.
    pub(crate) fn prepare_tree(
        &self,
        statement: Statement,
        text: &str,
        catalog: &dyn CatalogView,
    ) -> SqlResult<Prepared> {
        let planned = self.plan(&statement, catalog)?;
        Ok(Prepared(Rc::new(Inner {
            text: text.to_owned(),
            parts: Vec::new(),
            kind: kinds::number(&statement.kind),
            columns: planned.columns,
            parameters: planned.parameters,
            uses: planned.uses,
            server_tables: planned.server_tables,
            compiled: RefCell::new(Rc::new(planned.compiled)),
            generation: Cell::new(planned.generation),
            idle: RefCell::new(None),
            encoders: RefCell::new(None),
            statement,
        })))
    }

    /// Plans a statement again when the schema is not the one it was planned for.
    pub(crate) fn refresh(&mut self, prepared: &Prepared) -> SqlResult<Rc<Compiled>> {
        let inner = &prepared.0;
        let generation = self.open.as_ref().map_or(0, |open| self.schema_generation(open));
        if generation == inner.generation.get() && generation != 0 || *prepared.compiled() == Compiled::Tree {
            return Ok(prepared.compiled());
        }
        let planned = self.plan(&inner.statement, self)?;
        if planned.columns != inner.columns || planned.parameters != inner.parameters {
            return Err(SqlError::new(-710).because("the statement now has another description"));
        }
        inner.idle.take();
        inner.generation.set(planned.generation);
        *inner.compiled.borrow_mut() = Rc::new(planned.compiled);
        self.track(prepared);
        Ok(prepared.compiled())
    }

    fn plan(&self, statement: &Statement, catalog: &dyn CatalogView) -> SqlResult<Planned> {
        let without_database = !matches!(
            statement.kind,
            StatementKind::Database(_)
                | StatementKind::CreateDatabase(_)
                | StatementKind::CloseDatabase
                | StatementKind::Drop(_)
                | StatementKind::Rename(_)
                | StatementKind::Set(_)
                | StatementKind::Empty
        );
        if without_database {
            self.require_database()?;
        }
        let instead = self.instead_of(statement)?;
        let plan = analyze::plan(instead.as_ref().map_or(statement, |i| &i.rows), catalog)?;
        let count = statement.parameters;
        let Plan {
            columns,
            parameters,
            parameter_uses,
            reads,
            body,
        } = plan;
        // INSERT describes its target only for the sake of its markers (P).
        let mut columns: Vec<ColumnDescription> = columns
            .into_iter()
            .map(|c| ColumnDescription {
                name: c.name,
                ty: c.ty,
            })
            .collect();
        let compiled = match body {
            Body::Query(query) if instead.is_some() => {
                let Some(instead) = instead else {
                    return Err(SqlError::new(-999).because("no view"));
                };
                let types = columns.drain(..).map(|c| c.ty).collect();
                if count > 0 && matches!(statement.kind, StatementKind::Insert(_)) {
                    let described = self.instead_columns(&instead)?.into_iter();
                    columns.extend(described.map(|(name, ty)| ColumnDescription { name, ty }));
                }
                Compiled::Instead(Box::new(InsteadPlan {
                    sql: query.sql,
                    types,
                    instead,
                }))
            }
            Body::Query(query) => Compiled::Query {
                sql: query.sql,
                for_update: query.for_update,
                has_blobs: query.has_simple_large_objects,
                reads: reads.iter().filter_map(ReadsTable::of).collect(),
            },
            Body::Insert(plan) => match &plan.source {
                InsertRows::Call(call, types) => {
                    Compiled::InsertCall(call.clone(), types.clone(), Program::insert(&one_row(&plan))?)
                }
                _ => Compiled::Program(Program::insert(&plan)?),
            },
            Body::Update(plan) => Compiled::Program(Program::update(&plan, count)?),
            Body::Delete(plan) => Compiled::Program(Program::delete(&plan, count)?),
            Body::IntoTable(plan) => Compiled::Into(plan),
            Body::Merge(plan) => Compiled::Merge(Box::new(plan)),
            Body::Call(call) => Compiled::Call(call),
            Body::Other => Compiled::Tree,
        };
        let generation = self.open.as_ref().map_or(0, |open| self.schema_generation(open));
        let server_tables = reads
            .into_iter()
            .filter(|t| t.database == SYSMASTER)
            .map(|t| t.name.clone())
            .filter(|name| super::super::sysmaster::is_live(name))
            .collect();
        Ok(Planned {
            columns,
            parameters,
            uses: parameter_uses,
            server_tables,
            compiled,
            generation,
        })
    }
}

/// The INSERT of one row of a routine, whose values are its parameters.
fn one_row(plan: &InsertPlan) -> InsertPlan {
    let values = (1..=plan.targets.len()).map(|number| InsertValue {
        sql: format!("?{number}"),
        is_null: false,
        parameter: None,
    });
    InsertPlan {
        source: InsertRows::Values(values.collect()),
        ..plan.clone()
    }
}

struct Planned {
    columns: Vec<ColumnDescription>,
    parameters: Vec<Option<ColumnType>>,
    uses: Vec<ParameterUse>,
    server_tables: Vec<String>,
    compiled: Compiled,
    generation: u64,
}
