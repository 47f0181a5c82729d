//! Which of several routines of a name a call means: the one whose parameters are nearest to the arguments' types.
//!
//! A simple form of the vendor's routine resolution: an exact type counts before one of the same family, a wider number
//! before a narrower one. Two that are equally near are -9700.

use informix_types::ColumnType;

use super::catalog::RoutineInfo;
use crate::error::{SqlError, SqlResult};
use crate::expr::Kind;
use crate::sql::ast::ObjectName;

/// Picks a routine; `arguments` are the types in the order of the parameters, `None` where nothing is known.
pub(super) fn choose(
    mut candidates: Vec<RoutineInfo>,
    arguments: &[Option<ColumnType>],
    name: &ObjectName,
) -> SqlResult<Option<RoutineInfo>> {
    if candidates.len() < 2 {
        return Ok(candidates.pop());
    }
    let mut ranked: Vec<(u32, RoutineInfo)> = candidates
        .into_iter()
        .map(|routine| (distance(&routine, arguments), routine))
        .collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    let mut nearest = ranked.into_iter();
    match (nearest.next(), nearest.next()) {
        (Some((first, _)), Some((second, _))) if first == second => {
            Err(SqlError::new(-9700).at(name.span.start).token(&name.name.name))
        }
        (found, _) => Ok(found.map(|(_, routine)| routine)),
    }
}

fn distance(routine: &RoutineInfo, arguments: &[Option<ColumnType>]) -> u32 {
    arguments
        .iter()
        .zip(&routine.parameters)
        .map(|(argument, parameter)| argument.as_ref().map_or(1, |ty| step(ty, &parameter.ty)))
        .sum()
}

fn step(from: &ColumnType, to: &ColumnType) -> u32 {
    if from.sql_name() == to.sql_name() {
        return 0;
    }
    let (from, to) = (Kind::of(from), Kind::of(to));
    if from == to {
        return 1;
    }
    if from.is_character() && to.is_character() {
        return 2;
    }
    if let (Some(from), Some(to)) = (width(from), width(to)) {
        return if to >= from {
            3 + (to - from)
        } else {
            12 + (from - to)
        };
    }
    if from.is_time() && to.is_time() {
        return 4;
    }
    30
}

/// Numbers by what they can hold.
fn width(kind: Kind) -> Option<u32> {
    Some(match kind {
        Kind::SmallInt => 0,
        Kind::Integer => 1,
        Kind::BigInt | Kind::Int8 => 2,
        kind if kind.is_decimal() => 3,
        Kind::SmallFloat => 4,
        Kind::Float => 5,
        _ => return None,
    })
}
