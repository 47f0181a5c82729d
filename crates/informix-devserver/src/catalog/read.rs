//! Reads tables back from the catalog.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use super::coltype::{self, StoredType};
use super::model::{
    Column, Constraint, ConstraintKind, DefaultValue, Index, IndexPart, Reference, SynonymTarget, Table,
    TableKind,
};
use super::names::Place;
use super::write::FIRST_USER_TABLE;
use crate::engine::errors::{self, Doing};
use crate::error::{SqlError, SqlResult};

/// The one who reads a place's catalog.
pub(crate) struct Reader<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) place: Place,
}

fn failed(error: &rusqlite::Error) -> SqlError {
    match errors::translate(error, Doing::Read) {
        interrupted if interrupted.sqlcode == -213 => interrupted,
        other => SqlError::new(-211).because(other.detail),
    }
}

impl Reader<'_> {
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> SqlResult<Vec<T>> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(parameters, read)?.collect())
            .map_err(|e| failed(&e))
    }

    /// The number of the object of that name, with its owner.
    pub(crate) fn find(&self, name: &str) -> SqlResult<Option<(i32, String)>> {
        let sql = format!(
            "SELECT tabid, owner FROM {} WHERE tabname = ?",
            self.place.catalog("systables")
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut s| {
                s.query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .map_err(|e| failed(&e))
    }

    /// Everything about an object.
    pub(crate) fn table(&self, tabid: i32) -> SqlResult<Option<Table>> {
        let sql = format!(
            "SELECT tabname, owner, tabtype, locklevel FROM {} WHERE tabid = ?",
            self.place.catalog("systables")
        );
        let head = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut s| {
                s.query_row([tabid], |row| {
                    let texts: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
                    Ok(texts)
                })
                .optional()
            })
            .map_err(|e| failed(&e))?;
        let Some([name, owner, tabtype, lock_level]) = head else {
            return Ok(None);
        };
        let kind = match tabtype.as_str() {
            "T" => TableKind::Base,
            // The catalog's own views are kept as tables.
            "V" if tabid < FIRST_USER_TABLE && self.place != Place::Temp => TableKind::Base,
            "V" => self.view(tabid)?,
            "S" | "P" => TableKind::Synonym {
                target: self.synonym(tabid)?,
                private: tabtype == "P",
            },
            "Q" => TableKind::Sequence,
            _ => return Ok(None),
        };
        let mut table = Table {
            place: self.place.clone(),
            tabid,
            name,
            owner,
            kind,
            lock_level: lock_level.chars().next().unwrap_or('P'),
            columns: self.columns(tabid)?,
            constraints: Vec::new(),
            indexes: Vec::new(),
        };
        // The catalog's own tables have neither.
        if table.kind == TableKind::Base && (tabid >= FIRST_USER_TABLE || self.place == Place::Temp) {
            table.indexes = self.indexes(tabid)?;
            table.constraints = self.constraints(&table)?;
            for index in &mut table.indexes {
                index.implicit = table.constraints.iter().any(|c| c.index == index.name);
            }
        }
        Ok(Some(table))
    }

    fn view(&self, tabid: i32) -> SqlResult<TableKind> {
        let sql = format!(
            "SELECT viewtext FROM {} WHERE tabid = ? ORDER BY seqno",
            self.place.catalog("sysviews")
        );
        let text = self
            .rows(&sql, &[&tabid], |row| row.get::<_, String>(0))?
            .concat();
        let sql = format!(
            "SELECT part, sql FROM {} WHERE kind = 'view' AND id = ?",
            self.place.private("texts")
        );
        let kept = self.rows(&sql, &[&tabid], |row| {
            Ok((row.get::<_, bool>(0)?, row.get::<_, String>(1)?))
        })?;
        let (check_option, query) = kept.into_iter().next().unwrap_or_default();
        Ok(TableKind::View {
            text,
            query,
            check_option,
        })
    }

    fn synonym(&self, tabid: i32) -> SqlResult<SynonymTarget> {
        let sql = format!(
            "SELECT btabid, dbname, owner, tabname FROM {} WHERE tabid = ?",
            self.place.catalog("syssyntable")
        );
        let targets = self.rows(&sql, &[&tabid], |row| {
            Ok(match row.get::<_, Option<i32>>(0)? {
                Some(id) => SynonymTarget::Local(id),
                None => SynonymTarget::Remote {
                    database: row.get(1)?,
                    owner: row.get(2)?,
                    table: row.get(3)?,
                },
            })
        })?;
        targets
            .into_iter()
            .next()
            .ok_or_else(|| SqlError::new(-218).because(format!("synonym {tabid}")))
    }

    fn columns(&self, tabid: i32) -> SqlResult<Vec<Column>> {
        let sql = format!(
            "SELECT c.colname, c.coltype, c.collength, c.extended_id, c.colattr, x.owner, coalesce(t.sql, x.name),
                    d.type, d.\"default\", s.sql
               FROM {columns} c
               LEFT JOIN {types} x ON x.extended_id = c.extended_id AND c.extended_id <> 0
               LEFT JOIN {texts} t ON t.kind = 'type' AND t.id = c.extended_id AND t.part = 0
               LEFT JOIN {defaults} d ON d.tabid = c.tabid AND d.colno = c.colno
               LEFT JOIN {texts} s ON s.kind = 'default' AND s.id = c.tabid AND s.part = c.colno
              WHERE c.tabid = ? ORDER BY c.colno",
            columns = self.place.catalog("syscolumns"),
            types = self.place.catalog("sysxtdtypes"),
            texts = self.place.private("texts"),
            defaults = self.place.catalog("sysdefaults"),
        );
        let raw = self.rows(&sql, &[&tabid], |row| {
            let stored = StoredType {
                coltype: row.get(1)?,
                collength: row.get(2)?,
                extended_id: row.get(3)?,
            };
            let extended: (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
            let default: (Option<String>, Option<String>, Option<String>) =
                (row.get(7)?, row.get(8)?, row.get(9)?);
            let colattr: i32 = row.get(4)?;
            Ok((row.get::<_, String>(0)?, stored, extended, default, colattr))
        })?;
        let mut columns = Vec::with_capacity(raw.len());
        for (name, stored, (owner, type_name), default, colattr) in raw {
            let ty = coltype::load(stored, |_| type_name.map(|n| (owner.unwrap_or_default(), n)))
                .ok_or_else(|| SqlError::new(-211).token(&name).because(format!("{stored:?}")))?;
            let default = match default {
                (Some(kind), text, Some(sql)) => Some(DefaultValue {
                    kind: kind.chars().next().unwrap_or('L'),
                    text: text.unwrap_or_default(),
                    sql,
                }),
                _ => None,
            };
            columns.push(Column {
                name,
                ty,
                default,
                by_primary_key: colattr & 128 != 0,
            });
        }
        Ok(columns)
    }

    fn indexes(&self, tabid: i32) -> SqlResult<Vec<Index>> {
        let sql = format!(
            "SELECT rowid, idxname, owner, idxtype, clustered, indexkeys,
                    EXISTS (SELECT 1 FROM {states} o WHERE o.objtype = 'I' AND o.name = idxname AND o.state = 'D')
               FROM {} WHERE tabid = ? ORDER BY rowid",
            self.place.catalog("sysindices"),
            states = self.place.catalog("sysobjstate"),
        );
        let raw = self.rows(&sql, &[&tabid], |row| {
            let texts: [String; 5] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
            Ok((row.get::<_, i64>(0)?, texts, row.get::<_, bool>(6)?))
        })?;
        let mut indexes = Vec::with_capacity(raw.len());
        for (id, [name, owner, kind, clustered, keys], disabled) in raw {
            let expressions = if keys.contains('<') {
                self.index_expressions(id)?
            } else {
                HashMap::new()
            };
            indexes.push(Index {
                name,
                owner,
                unique: kind == "U",
                cluster: clustered == "C",
                parts: key_parts(&keys, &expressions),
                implicit: false,
                disabled,
            });
        }
        Ok(indexes)
    }

    fn index_expressions(&self, id: i64) -> SqlResult<HashMap<usize, (String, String)>> {
        let texts = self.place.private("texts");
        let sql = format!(
            "SELECT a.part, b.sql, a.sql FROM {texts} a JOIN {texts} b ON b.kind = 'index text' AND b.id = a.id
               AND b.part = a.part WHERE a.kind = 'index' AND a.id = ?"
        );
        Ok(self
            .rows(&sql, &[&id], |row| {
                Ok((usize::from(row.get::<_, u16>(0)?), (row.get(1)?, row.get(2)?)))
            })?
            .into_iter()
            .collect())
    }

    fn constraints(&self, table: &Table) -> SqlResult<Vec<Constraint>> {
        let sql = format!(
            "SELECT c.constrid, c.constrname, c.owner, c.constrtype, coalesce(c.idxname, ''),
                    EXISTS (SELECT 1 FROM {states} o WHERE o.tabid = c.tabid AND o.objtype = 'C'
                             AND o.name = c.constrname AND o.state = 'D')
               FROM {constraints} c WHERE c.tabid = ? ORDER BY c.constrid",
            constraints = self.place.catalog("sysconstraints"),
            states = self.place.catalog("sysobjstate"),
        );
        let raw = self.rows(&sql, &[&table.tabid], |row| {
            let texts: [String; 4] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
            Ok((row.get::<_, i32>(0)?, texts, row.get::<_, bool>(5)?))
        })?;
        let mut constraints = Vec::with_capacity(raw.len());
        for (id, [name, owner, letter, index], disabled) in raw {
            let kind = match letter.as_str() {
                "P" => ConstraintKind::Primary,
                "U" => ConstraintKind::Unique,
                "N" => ConstraintKind::NotNull,
                "C" => self.check(id)?,
                "R" => ConstraintKind::Foreign(self.reference(id)?),
                other => {
                    return Err(SqlError::new(-211)
                        .token(&name)
                        .because(format!("constraint type {other}")));
                }
            };
            let columns = if index.is_empty() {
                self.dependent_columns(id)?
            } else {
                let parts = table
                    .indexes
                    .iter()
                    .find(|i| i.name == index)
                    .map(|i| i.parts.as_slice());
                parts
                    .unwrap_or_default()
                    .iter()
                    .filter_map(IndexPart::column)
                    .collect()
            };
            constraints.push(Constraint {
                id,
                name,
                owner,
                kind,
                columns,
                index,
                disabled,
            });
        }
        Ok(constraints)
    }

    fn check(&self, id: i32) -> SqlResult<ConstraintKind> {
        let sql = format!(
            "SELECT checktext FROM {} WHERE constrid = ? AND type = 'T' ORDER BY seqno",
            self.place.catalog("syschecks")
        );
        let text = self.rows(&sql, &[&id], |row| row.get::<_, String>(0))?.concat();
        let sql = format!(
            "SELECT sql FROM {} WHERE kind = 'check' AND id = ?",
            self.place.private("texts")
        );
        let sql = self.rows(&sql, &[&id], |row| row.get::<_, String>(0))?.concat();
        Ok(ConstraintKind::Check { text, sql })
    }

    fn dependent_columns(&self, id: i32) -> SqlResult<Vec<usize>> {
        let sql = format!(
            "SELECT colno FROM {} WHERE constrid = ?",
            self.place.catalog("syscoldepend")
        );
        let numbers = self.rows(&sql, &[&id], |row| row.get::<_, u16>(0))?;
        Ok(numbers
            .into_iter()
            .filter_map(|n| usize::from(n).checked_sub(1))
            .collect())
    }

    fn reference(&self, id: i32) -> SqlResult<Reference> {
        let sql = format!(
            "SELECT r.\"primary\", r.ptabid, r.delrule, t.tabname, c.idxname
               FROM {references} r JOIN {tables} t ON t.tabid = r.ptabid
               JOIN {constraints} c ON c.constrid = r.\"primary\" WHERE r.constrid = ?",
            references = self.place.catalog("sysreferences"),
            tables = self.place.catalog("systables"),
            constraints = self.place.catalog("sysconstraints"),
        );
        let found = self.rows(&sql, &[&id], |row| {
            let texts: [String; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
            Ok((row.get::<_, i32>(0)?, row.get::<_, i32>(1)?, texts))
        })?;
        let (constraint, table, [rule, table_name, index]) = found
            .into_iter()
            .next()
            .ok_or_else(|| SqlError::new(-211).because(format!("reference {id}")))?;
        let parts = self
            .indexes(table)?
            .into_iter()
            .find(|i| i.name == index)
            .map(|i| i.parts)
            .unwrap_or_default();
        let names = self.columns(table)?;
        let columns = parts
            .iter()
            .filter_map(IndexPart::column)
            .filter_map(|p| names.get(p).map(|c| c.name.clone()))
            .collect();
        Ok(Reference {
            constraint,
            table,
            table_name,
            columns,
            cascade: rule == "C",
        })
    }

    /// Foreign keys of other tables that lead to this one: constraint, its name and owner, table.
    pub(crate) fn referencing(&self, tabid: i32) -> SqlResult<Vec<(i32, String, i32)>> {
        let sql = format!(
            "SELECT c.constrid, c.constrname, c.tabid FROM {} r JOIN {} c ON c.constrid = r.constrid
              WHERE r.ptabid = ? AND c.tabid <> r.ptabid",
            self.place.catalog("sysreferences"),
            self.place.catalog("sysconstraints"),
        );
        self.rows(&sql, &[&tabid], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    /// The table of an index.
    pub(crate) fn index_table(&self, name: &str) -> SqlResult<Option<i32>> {
        let sql = format!(
            "SELECT tabid FROM {} WHERE idxname = ?",
            self.place.catalog("sysindices")
        );
        Ok(self.rows(&sql, &[&name], |row| row.get(0))?.into_iter().next())
    }

    /// Number and table of a constraint.
    pub(crate) fn constraint(&self, name: &str) -> SqlResult<Option<(i32, i32)>> {
        let sql = format!(
            "SELECT constrid, tabid FROM {} WHERE constrname = ?",
            self.place.catalog("sysconstraints")
        );
        Ok(self
            .rows(&sql, &[&name], |row| Ok((row.get(0)?, row.get(1)?)))?
            .into_iter()
            .next())
    }
}

impl IndexPart {
    /// The position of a plain column.
    pub(crate) fn column(&self) -> Option<usize> {
        match self {
            Self::Column { position, .. } => Some(*position),
            Self::Expression { .. } => None,
        }
    }
}

/// Reads `sysindices.indexkeys` as [`Index::keys_text`] writes it.
fn key_parts(keys: &str, expressions: &HashMap<usize, (String, String)>) -> Vec<IndexPart> {
    let mut parts = Vec::new();
    let mut rest = keys;
    while !rest.is_empty() {
        let descending = rest.starts_with('-');
        let body = rest.trim_start_matches('-');
        let number = parts.len();
        if let Some((text, sql)) = expressions.get(&number).filter(|_| body.starts_with('<')) {
            parts.push(IndexPart::Expression {
                text: text.clone(),
                sql: sql.clone(),
                descending,
            });
            rest = body.get(text.len() + 2..).unwrap_or_default();
        } else {
            let digits = body.bytes().take_while(u8::is_ascii_digit).count();
            let position = body
                .get(..digits)
                .and_then(|n| n.parse::<usize>().ok())
                .and_then(|n| n.checked_sub(1));
            let Some(position) = position else { break };
            parts.push(IndexPart::Column { position, descending });
            rest = body.get(digits..).unwrap_or_default();
        }
        rest = rest.strip_prefix(" [1]").unwrap_or(rest);
        rest = rest.strip_prefix(", ").unwrap_or(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_texts_come_back() {
        let parts = vec![
            IndexPart::Column {
                position: 0,
                descending: false,
            },
            IndexPart::Expression {
                text: "upper(a, ', ')".into(),
                sql: "f(\"a\")".into(),
                descending: true,
            },
            IndexPart::Column {
                position: 11,
                descending: true,
            },
        ];
        let index = Index {
            name: "i".into(),
            owner: "o".into(),
            unique: false,
            cluster: false,
            parts: parts.clone(),
            implicit: false,
            disabled: false,
        };
        let text = index.keys_text();
        assert_eq!(text, "1 [1], -<upper(a, ', ')> [1], -12 [1]");
        let expressions = HashMap::from([(1, ("upper(a, ', ')".to_owned(), "f(\"a\")".to_owned()))]);
        assert_eq!(key_parts(&text, &expressions), parts);
    }
}
