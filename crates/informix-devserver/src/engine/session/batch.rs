//! Several statements in one text (informix-sql.md 1): they run one after the other, and share the markers of the text
//! in order. The Java driver writes batches of INSERTs so (`jdbc-batch-prepared-perspec0`).

use informix_types::BoundValue;

use super::super::outcome::Outcome;
use super::{PrepareOptions, Prepared, Session};
use crate::error::SqlResult;
use crate::sql::ast::Statement;
use crate::sql::check_batch;

impl Session {
    /// Each statement prepared by itself, errors placed in the whole text.
    pub(super) fn prepare_parts(
        &mut self,
        text: &str,
        statements: &[Statement],
        options: &PrepareOptions,
    ) -> SqlResult<Vec<Prepared>> {
        check_batch(statements)?;
        let mut parts = Vec::with_capacity(statements.len());
        for statement in statements {
            let part = self.prepare(statement.span.text(text), options);
            parts.push(part.map_err(|mut error| {
                if error.offset > 0 {
                    let start = u32::try_from(statement.span.start).unwrap_or(u32::MAX);
                    error.offset = error.offset.saturating_add(start);
                }
                error
            })?);
        }
        Ok(parts)
    }

    /// Runs the parts. The first error ends it; what ran before stays done, as with statements of their own.
    pub(super) fn run_parts(&mut self, parts: &[Prepared], parameters: &[BoundValue]) -> SqlResult<Outcome> {
        let mut outcome = Outcome::default();
        let mut rest = parameters;
        for part in parts {
            let count = part.parameters().len().min(rest.len());
            let (own, others) = rest.split_at(count);
            rest = others;
            let rows = outcome.rows;
            outcome = self.execute(part, own)?;
            outcome.rows += rows;
        }
        Ok(outcome)
    }
}
