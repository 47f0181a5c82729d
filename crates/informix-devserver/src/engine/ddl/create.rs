//! CREATE TABLE and SELECT … INTO.

use informix_types::{ColumnType, TypeCode};

use super::super::outcome::ColumnDescription;
use super::super::serial::SerialKind;
use super::super::session::Session;
use super::columns::serial_start;
use crate::analyze;
use crate::catalog::coltype;
use crate::catalog::model::{Column, ConstraintKind, Table, TableKind};
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{self, CreateTable, ObjectName, TableLockMode};

/// Largest row without large objects, in bytes.
const MAX_ROW: i64 = 32_767;

impl Session {
    pub(super) fn create_table(&mut self, create: &CreateTable, text: &str) -> SqlResult<()> {
        if create.kind == ast::TableKind::External {
            return Err(SqlError::new(-999).because("EXTERNAL tables"));
        }
        let of_type = create
            .of_type
            .as_ref()
            .map(|name| self.table_type(name))
            .transpose()?;
        let temporary = create.kind == ast::TableKind::Temp;
        let place = if temporary {
            Place::Temp
        } else {
            self.place_to_create(&create.name)?
        };
        if self.name_taken(&place, &create.name)? {
            return if create.if_not_exists {
                Ok(())
            } else {
                Err(exists(&place, &create.name))
            };
        }
        if let Some(query) = &create.query {
            let kind = if temporary {
                ast::IntoKind::Temp
            } else {
                ast::IntoKind::Standard
            };
            return self.create_table_as(&create.name.name.name, kind, query);
        }
        let lock_level = match create.options.lock_mode {
            Some(TableLockMode::Row) => 'R',
            _ => 'P',
        };
        let owner = self.owner_for(&create.name);
        let mut starts = Vec::new();
        self.define(&place, |definer| {
            let mut table = Table {
                place: place.clone(),
                tabid: definer.writer.next_tabid()?,
                name: create.name.name.name.clone(),
                owner,
                kind: TableKind::Base,
                lock_level,
                columns: Vec::with_capacity(create.columns.len()),
                constraints: Vec::new(),
                indexes: Vec::new(),
            };
            for definition in &create.columns {
                let column = definer.session.column(definition)?;
                if table.position(&column.name).is_some() {
                    return Err(SqlError::new(-328)
                        .at(definition.name.span.start)
                        .token(&column.name));
                }
                if let Some(kind) = SerialKind::of(&column.ty) {
                    starts.push((table.tabid, kind, serial_start(definition)));
                }
                table.columns.push(column);
            }
            if let Some((_, fields)) = &of_type {
                table.columns.extend(fields.iter().map(|(name, ty)| Column {
                    name: name.clone(),
                    ty: ty.clone(),
                    default: None,
                    by_primary_key: false,
                }));
            }
            check_shape(&table)?;
            definer.session.written_constraints(&mut table, create, text)?;
            definer.writer.create(&mut table)?;
            if let Some((id, _)) = of_type {
                definer.writer.set_table_type(table.tabid, id)?;
            }
            definer.write_storage(&table, create, text)?;
            definer.default_privileges(&table)?;
            let database = definer.session.database_of(&place)?;
            for (tabid, kind, start) in &starts {
                definer
                    .session
                    .facts
                    .serials
                    .start(&database, *tabid, *kind, *start)?;
                definer
                    .session
                    .facts
                    .serials
                    .keep(definer.connection(), &place, &database, *tabid, *kind)?;
            }
            Ok(())
        })
    }

    /// In the order in which a 14.10 server numbers them (SchemaCrawler's record, `public-traces.md` 11): keys, foreign keys, CHECK
    /// (its place is unconfirmed), NOT NULL; of one kind those at columns first.
    fn written_constraints(&self, table: &mut Table, create: &CreateTable, text: &str) -> SqlResult<()> {
        let implied: Vec<Written> = (0..create.columns.len())
            .filter_map(|position| implied_not_null(table, create, position))
            .collect();
        let at_columns = create
            .columns
            .iter()
            .enumerate()
            .flat_map(|(position, c)| c.constraints.iter().map(move |w| Written::Column(position, w)));
        let mut all: Vec<Written> = at_columns
            .chain(create.constraints.iter().map(Written::Table))
            .chain(implied)
            .collect();
        all.sort_by_key(Written::turn);
        for written in &all {
            refuse_on_temporary(table, written.name())?;
            let constraint = match written {
                Written::Column(position, c) => self.column_constraint(table, *position, c, text)?,
                Written::Implied(position, c) => self.column_constraint(table, *position, c, text)?,
                Written::Table(c) => Some(self.table_constraint(table, c, text)?),
            };
            table.constraints.extend(constraint);
        }
        for position in 0..table.constraints.len() {
            if let Some(constraint) = table.constraints.get(position) {
                let name = &constraint.name;
                if !name.is_empty() && self.constraint_taken(table, name, position)? {
                    return Err(SqlError::new(-625).token(name));
                }
                if constraint.kind == ConstraintKind::Primary {
                    for column in constraint.columns.clone() {
                        require_key_column(table, column);
                    }
                }
            }
        }
        Ok(())
    }

    fn constraint_taken(&self, table: &Table, name: &str, position: usize) -> SqlResult<bool> {
        let twice = table.constraints.iter().take(position).any(|c| c.name == name);
        if twice || table.place == Place::Temp {
            return Ok(twice);
        }
        let open = self.require_database()?;
        let reader = crate::catalog::read::Reader {
            connection: &open.connection,
            place: table.place.clone(),
        };
        Ok(reader.constraint(name)?.is_some())
    }

    /// Whether the place already has an object of that name.
    pub(super) fn name_taken(&self, place: &Place, name: &ObjectName) -> SqlResult<bool> {
        let open = self.require_database()?;
        open.schema.validate(self.schema_generation(open));
        Ok(open
            .schema
            .table(&open.connection, place, &name.name.name)?
            .is_some())
    }

    /// CREATE TABLE … AS SELECT.
    fn create_table_as(&mut self, name: &str, kind: ast::IntoKind, query: &ast::Query) -> SqlResult<()> {
        let statement = ast::Statement {
            kind: ast::StatementKind::Select(Box::new(query.clone())),
            span: query.span,
            first_parameter: 0,
            parameters: 0,
        };
        let plan = analyze::plan(&statement, self)?;
        let analyze::Body::Query(found) = plan.body else {
            return Err(SqlError::new(-201).at(query.span.start));
        };
        let columns: Vec<ColumnDescription> = plan
            .columns
            .into_iter()
            .map(|c| ColumnDescription {
                name: c.name,
                ty: c.ty,
            })
            .collect();
        self.fill_result_table(name, kind, &columns, &found.sql, &[])
            .map(drop)
    }

    /// The table of SELECT … INTO, with the columns of the query. Serial columns become plain integers.
    pub(crate) fn create_result_table(
        &mut self,
        name: &str,
        kind: ast::IntoKind,
        columns: &[ColumnDescription],
    ) -> SqlResult<Table> {
        let place = match kind {
            ast::IntoKind::Temp => Place::Temp,
            ast::IntoKind::Standard | ast::IntoKind::Raw => Place::Main,
            ast::IntoKind::External => return Err(SqlError::new(-999).because("INTO EXTERNAL")),
        };
        let open = self.require_database()?;
        open.schema.validate(self.schema_generation(open));
        if open.schema.table(&open.connection, &place, name)?.is_some() {
            return Err(SqlError::new(if place == Place::Temp { -958 } else { -310 }).token(name));
        }
        let mut table = Table {
            place: place.clone(),
            tabid: 0,
            name: name.to_owned(),
            owner: self.user().to_owned(),
            kind: TableKind::Base,
            lock_level: 'P',
            columns: Vec::with_capacity(columns.len()),
            constraints: Vec::new(),
            indexes: Vec::new(),
        };
        for column in columns {
            if column.name.starts_with('(') {
                return Err(SqlError::new(-249).token(&column.name));
            }
            if table.position(&column.name).is_some() {
                return Err(SqlError::new(-328).token(&column.name));
            }
            table.columns.push(Column {
                name: column.name.clone(),
                ty: without_counter(&column.ty),
                default: None,
                by_primary_key: false,
            });
        }
        let mut made = table.clone();
        self.define(&place, |definer| {
            table.tabid = definer.writer.next_tabid()?;
            definer.writer.create(&mut table)?;
            made = table;
            Ok(())
        })?;
        Ok(made)
    }
}

/// A constraint of CREATE TABLE.
enum Written<'a> {
    Column(usize, &'a ast::ColumnConstraint),
    /// The NOT NULL of a serial column.
    Implied(usize, Box<ast::ColumnConstraint>),
    Table(&'a ast::TableConstraint),
}

impl Written<'_> {
    /// Kind, and the column of a NOT NULL.
    fn turn(&self) -> (u8, usize) {
        use ast::{ColumnConstraintKind as C, TableConstraintKind as T};
        match self {
            Self::Column(position, c) => match c.kind {
                C::PrimaryKey | C::Unique => (0, 0),
                C::References(_) => (1, 0),
                C::Check(_) => (2, 0),
                C::NotNull | C::Null => (3, *position),
            },
            Self::Table(c) => match c.kind {
                T::PrimaryKey(_) | T::Unique(_) => (0, 0),
                T::ForeignKey(..) => (1, 0),
                T::Check(_) => (2, 0),
            },
            Self::Implied(position, _) => (3, *position),
        }
    }

    fn name(&self) -> Option<&ObjectName> {
        match self {
            Self::Column(_, c) => c.name.as_ref(),
            Self::Table(c) => c.name.as_ref(),
            Self::Implied(..) => None,
        }
    }
}

fn implied_not_null<'a>(table: &Table, create: &CreateTable, position: usize) -> Option<Written<'a>> {
    let definition = create.columns.get(position)?;
    let declared = definition
        .constraints
        .iter()
        .any(|c| matches!(c.kind, ast::ColumnConstraintKind::NotNull));
    SerialKind::of(&table.columns.get(position)?.ty).filter(|_| !declared)?;
    let constraint = ast::ColumnConstraint {
        kind: ast::ColumnConstraintKind::NotNull,
        name: None,
        disabled: false,
        span: definition.span,
    };
    Some(Written::Implied(position, Box::new(constraint)))
}

pub(super) fn without_counter(ty: &ColumnType) -> ColumnType {
    match ty.code {
        TypeCode::Serial => ColumnType::integer(),
        TypeCode::Serial8 => ColumnType::int8(),
        TypeCode::BigSerial => ColumnType::bigint(),
        _ => ty.clone().nullable(),
    }
}

fn exists(place: &Place, name: &ObjectName) -> SqlError {
    let code = if *place == Place::Temp { -958 } else { -310 };
    SqlError::new(code)
        .at(name.name.span.start)
        .token(&name.name.name)
}

/// Constraints of temporary tables have no names of their own.
fn refuse_on_temporary(table: &Table, name: Option<&ObjectName>) -> SqlResult<()> {
    match name {
        Some(name) if table.place == Place::Temp => Err(SqlError::new(-576).token(&name.name.name)),
        _ => Ok(()),
    }
}

/// Columns of a primary key don't accept NULL.
pub(super) fn require_key_column(table: &mut Table, position: usize) {
    if let Some(column) = table.columns.get_mut(position)
        && column.ty.is_nullable()
    {
        column.ty = column.ty.clone().not_null();
        column.by_primary_key = true;
    }
}

/// One counter of each size class, and a row that fits a page.
pub(super) fn check_shape(table: &Table) -> SqlResult<()> {
    let count = |large: bool| {
        let kinds = table.columns.iter().filter_map(|c| SerialKind::of(&c.ty));
        kinds.filter(|k| (*k != SerialKind::Serial) == large).count()
    };
    if count(false) > 1 || count(true) > 1 {
        return Err(SqlError::new(-362).token(&table.name));
    }
    let size: i64 = table
        .columns
        .iter()
        .map(|c| i64::from(coltype::row_width(&c.ty)))
        .sum();
    if size > MAX_ROW {
        return Err(SqlError::new(-499).token(&table.name));
    }
    let mut names: Vec<String> = table.columns.iter().map(|c| names::physical(&c.name)).collect();
    names.sort();
    names.dedup();
    if names.len() == table.columns.len() {
        Ok(())
    } else {
        Err(SqlError::new(-328).token(&table.name))
    }
}
