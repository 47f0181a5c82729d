//! The locks on one table and its rows.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;

use super::HolderId;
use super::rowset::RowSet;

/// A lock on a row that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Others may read it and claim it as well.
    Shared,
    /// Others may read it; one at a time means to change it (FOR UPDATE).
    Update,
}

/// A lock on a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// Nobody else changes it.
    Share,
    /// Nobody else reads it either, but dirty.
    Exclusive,
}

/// What stands in a row that a transaction has changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Image {
    /// The row is deleted.
    Gone,
    /// The columns, in order.
    Row(Arc<[Value]>),
}

/// Why a lock is not to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Who has it.
    pub(crate) holders: Vec<HolderId>,
    /// A lock on a whole table is in the way.
    pub(crate) whole: bool,
}

impl Conflict {
    /// One that is over already.
    pub(crate) fn over() -> Self {
        Self {
            holders: Vec::new(),
            whole: false,
        }
    }

    fn row(holder: HolderId) -> Self {
        Self {
            holders: vec![holder],
            whole: false,
        }
    }
}

/// What one holder has changed.
#[derive(Default)]
struct Changes {
    rows: RowSet,
    /// What others see in them. Not of all: [`super::MAX_IMAGES`].
    images: HashMap<i64, Image>,
}

#[derive(Default)]
pub(super) struct TableLocks {
    /// Rows changed, by holder. One in practice, as SQLite has one writer.
    changed: Vec<(HolderId, Changes)>,
    claimed: HashMap<i64, Vec<(HolderId, Claim)>>,
    whole: Vec<(HolderId, Whole)>,
}

impl TableLocks {
    pub(super) fn is_free(&self) -> bool {
        self.changed.is_empty() && self.claimed.is_empty() && self.whole.is_empty()
    }

    pub(super) fn is_changed_by_others(&self, me: HolderId) -> bool {
        self.changed.iter().any(|(id, _)| *id != me)
            || self
                .whole
                .iter()
                .any(|(id, whole)| *id != me && *whole == Whole::Exclusive)
    }

    /// Others' locks on the whole table that forbid what the caller wants.
    fn whole_conflict(&self, me: HolderId, forbids: impl Fn(Whole) -> bool) -> Result<(), Conflict> {
        let holders: Vec<HolderId> = self
            .whole
            .iter()
            .filter(|(id, whole)| *id != me && forbids(*whole))
            .map(|(id, _)| *id)
            .collect();
        if holders.is_empty() {
            Ok(())
        } else {
            Err(Conflict { holders, whole: true })
        }
    }

    fn changed_conflict(&self, me: HolderId, row: i64) -> Result<(), Conflict> {
        match self
            .changed
            .iter()
            .find(|(id, changes)| *id != me && changes.rows.contains(row))
        {
            Some((id, _)) => Err(Conflict::row(*id)),
            None => Ok(()),
        }
    }

    /// Whether the table may be read at all.
    pub(super) fn exclusive_conflict(&self, me: HolderId) -> Result<(), Conflict> {
        self.whole_conflict(me, |whole| whole == Whole::Exclusive)
    }

    pub(super) fn enter(&mut self, me: HolderId) -> Result<(), Conflict> {
        self.whole_conflict(me, |_| true)?;
        self.own_changes(me);
        Ok(())
    }

    fn own_changes(&mut self, me: HolderId) -> Option<&mut Changes> {
        let at = match self.changed.iter().position(|(id, _)| *id == me) {
            Some(at) => at,
            None => {
                self.changed.push((me, Changes::default()));
                self.changed.len() - 1
            }
        };
        self.changed.get_mut(at).map(|(_, changes)| changes)
    }

    pub(super) fn change_conflict(&self, me: HolderId, rows: &[i64]) -> Result<(), Conflict> {
        self.whole_conflict(me, |_| true)?;
        for row in rows {
            self.changed_conflict(me, *row)?;
            if self.claimed.is_empty() {
                continue;
            }
            let claims = self.claimed.get(row).into_iter().flatten();
            let holders: Vec<HolderId> = claims.map(|(id, _)| *id).filter(|id| *id != me).collect();
            if !holders.is_empty() {
                return Err(Conflict {
                    holders,
                    whole: false,
                });
            }
        }
        Ok(())
    }

    pub(super) fn take_changed(&mut self, me: HolderId, rows: &[i64]) -> Result<(), Conflict> {
        self.change_conflict(me, rows)?;
        if let Some(own) = self.own_changes(me) {
            own.rows.extend(rows);
        }
        Ok(())
    }

    /// Which of the rows are to be published when there is room for so many more images: those that others see
    /// already, and the first of the rest. Takes the room.
    pub(super) fn to_publish(&self, me: HolderId, rows: &[i64], room: &mut usize) -> Vec<i64> {
        let Some((_, own)) = self.changed.iter().find(|(id, _)| *id == me) else {
            return Vec::new();
        };
        if *room == 0 && own.images.is_empty() {
            return Vec::new();
        }
        let chosen = rows.iter().filter(|row| {
            if !own.rows.contains(**row) {
                return false;
            }
            let seen = own.images.contains_key(row);
            let fits = seen || *room > 0;
            *room -= usize::from(fits && !seen);
            fits
        });
        chosen.copied().collect()
    }

    pub(super) fn publish(&mut self, me: HolderId, images: Vec<(i64, Image)>) {
        if let Some(own) = self.own_changes(me) {
            own.images.extend(images);
        }
    }

    /// Rows whose images others see.
    pub(super) fn published_by(&self, me: HolderId) -> Option<Vec<i64>> {
        self.changed
            .iter()
            .find(|(id, _)| *id == me)
            .map(|(_, own)| own.images.keys().copied().collect())
    }

    pub(super) fn others_changes(&self, me: HolderId) -> Vec<(i64, Image)> {
        let others = self.changed.iter().filter(|(id, _)| *id != me);
        others
            .flat_map(|(_, own)| own.images.iter().map(|(row, image)| (*row, image.clone())))
            .collect()
    }

    pub(super) fn read_conflict(&self, me: HolderId, row: i64) -> Result<(), Conflict> {
        self.exclusive_conflict(me)?;
        self.changed_conflict(me, row)
    }

    pub(super) fn claim(&mut self, me: HolderId, row: i64, claim: Claim) -> Result<(), Conflict> {
        self.whole_conflict(me, |whole| whole == Whole::Exclusive || claim == Claim::Update)?;
        self.changed_conflict(me, row)?;
        let claims = self.claimed.entry(row).or_default();
        if claim == Claim::Update
            && let Some((id, _)) = claims.iter().find(|(id, c)| *id != me && *c == Claim::Update)
        {
            return Err(Conflict::row(*id));
        }
        match claims.iter_mut().find(|(id, _)| *id == me) {
            Some((_, known)) if *known == Claim::Shared => *known = claim,
            Some(_) => {}
            None => claims.push((me, claim)),
        }
        Ok(())
    }

    pub(super) fn release_claim(&mut self, me: HolderId, row: i64) {
        if let Some(claims) = self.claimed.get_mut(&row) {
            claims.retain(|(id, _)| *id != me);
            if claims.is_empty() {
                self.claimed.remove(&row);
            }
        }
    }

    pub(super) fn take_whole(&mut self, me: HolderId, whole: Whole) -> Result<(), Conflict> {
        self.whole_conflict(me, |other| whole == Whole::Exclusive || other == Whole::Exclusive)?;
        let mut holders: Vec<HolderId> = self.changed.iter().map(|(id, _)| *id).collect();
        // A shared claim goes with a shared table.
        let claims = self.claimed.values().flatten();
        holders.extend(
            claims
                .filter(|(_, claim)| whole == Whole::Exclusive || *claim == Claim::Update)
                .map(|(id, _)| *id),
        );
        holders.retain(|id| *id != me);
        holders.sort_unstable();
        holders.dedup();
        if !holders.is_empty() {
            return Err(Conflict { holders, whole: true });
        }
        match self.whole.iter_mut().find(|(id, _)| *id == me) {
            Some((_, known)) if *known == Whole::Share => *known = whole,
            Some(_) => {}
            None => self.whole.push((me, whole)),
        }
        Ok(())
    }

    pub(super) fn release_whole(&mut self, me: HolderId) -> bool {
        let before = self.whole.len();
        self.whole.retain(|(id, _)| *id != me);
        self.whole.len() < before
    }

    /// Forgets the changes; whether the holder still has something here.
    pub(super) fn release_changes(&mut self, me: HolderId) -> bool {
        self.changed.retain(|(id, _)| *id != me);
        self.whole.iter().any(|(id, _)| *id == me) || self.claimed.values().flatten().any(|(id, _)| *id == me)
    }

    pub(super) fn release_all(&mut self, me: HolderId) {
        self.changed.retain(|(id, _)| *id != me);
        self.whole.retain(|(id, _)| *id != me);
        self.claimed.retain(|_, claims| {
            claims.retain(|(id, _)| *id != me);
            !claims.is_empty()
        });
    }
}
