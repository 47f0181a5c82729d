//! Statement-type numbers of DESCRIBE (sqli-protocol.md 9.4: 2, 6, 32-36, 45, 56 measured by the peer, the rest is the
//! public ESQL/C numbering).

use crate::sql::ast::{Filter, IntoKind, ObjectKind, SetStatement, StatementKind, TableKind};

/// SELECT that is fetched through a cursor.
pub(super) const SELECT: i16 = 2;
/// INSERT.
pub(super) const INSERT: i16 = 6;
/// EXECUTE PROCEDURE or FUNCTION.
pub(super) const EXECUTE: i16 = 56;
/// Statements without a number of their own: "utility, no rows".
const UTILITY: i16 = 45;

/// The number of a statement.
pub(crate) fn number(statement: &StatementKind) -> i16 {
    match statement {
        StatementKind::Select(query) => match query.into.as_ref().map(|into| into.kind) {
            None => SELECT,
            Some(IntoKind::Temp | IntoKind::Standard | IntoKind::Raw | IntoKind::External) => 3,
        },
        StatementKind::Insert(_) => INSERT,
        StatementKind::Update(update) => match update.filter {
            None => 33,
            Some(Filter::Condition(_)) => 4,
            Some(Filter::CurrentOf(_)) => 7,
        },
        StatementKind::Delete(delete) => match delete.filter {
            None => 32,
            Some(Filter::Condition(_)) => 5,
            Some(Filter::CurrentOf(_)) => 8,
        },
        StatementKind::CreateTable(table) if table.kind == TableKind::Temp => UTILITY,
        StatementKind::CreateTable(_) => 14,
        StatementKind::CreateIndex(_) => 16,
        StatementKind::CreateView(_) => 40,
        StatementKind::CreateSynonym(_) => 43,
        StatementKind::CreateDatabase(_) => 12,
        StatementKind::CreateRoutine(_) => 53,
        StatementKind::CreateTrigger(_) => 70,
        StatementKind::AlterTable(_) => 29,
        StatementKind::Drop(drop) => match drop.kind {
            ObjectKind::Table => 15,
            ObjectKind::Index => 17,
            ObjectKind::View => 41,
            ObjectKind::Synonym => 44,
            ObjectKind::Database => 13,
            ObjectKind::Procedure | ObjectKind::Function | ObjectKind::Routine => 54,
            ObjectKind::Trigger => 71,
            _ => UTILITY,
        },
        StatementKind::Grant(_) => 18,
        StatementKind::Revoke(_) => 19,
        StatementKind::Set(set) => match set {
            SetStatement::LockMode(_) => 46,
            SetStatement::Isolation { .. } => 48,
            SetStatement::Log { .. } => 49,
            SetStatement::Explain => 50,
            _ => UTILITY,
        },
        StatementKind::Begin => 34,
        StatementKind::Commit => 35,
        StatementKind::Rollback(None) => 36,
        StatementKind::Rollback(Some(_))
        | StatementKind::Savepoint(_)
        | StatementKind::ReleaseSavepoint(_) => 37,
        StatementKind::Database(_) => 1,
        StatementKind::CloseDatabase => 31,
        StatementKind::LockTable(_) => 10,
        StatementKind::UnlockTable(_) => 11,
        StatementKind::UpdateStatistics(_) => 30,
        StatementKind::Execute(_) => EXECUTE,
        _ => UTILITY,
    }
}
