//! The locks on one table and its rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::images::{Attention, Images};
use super::rowset::RowSet;
use super::{HolderId, TableKey};

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

/// Why a lock is not to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Who has it.
    pub(crate) holders: Vec<HolderId>,
    /// A lock on a whole table is in the way.
    pub(crate) whole: bool,
    /// The table and row, where they are known.
    pub(crate) at: Option<(TableKey, Option<i64>)>,
}

impl Conflict {
    /// One that is over already.
    pub(crate) fn over() -> Self {
        Self {
            holders: Vec::new(),
            whole: false,
            at: None,
        }
    }

    /// The same, about the whole table or about rows.
    pub(crate) fn of(self, whole: bool) -> Self {
        Self { whole, ..self }
    }
}

/// Holders that are in the way, of a row or (None) of the whole table.
#[derive(Debug)]
pub(super) struct InTheWay {
    holders: Vec<HolderId>,
    row: Option<i64>,
}

impl InTheWay {
    fn of_row(row: i64, holders: Vec<HolderId>) -> Self {
        let row = Some(row);
        Self { holders, row }
    }

    fn of_table(holders: Vec<HolderId>) -> Self {
        let row = None;
        Self { holders, row }
    }

    /// As others hear of it.
    pub(super) fn in_table(self, key: &TableKey) -> Conflict {
        Conflict {
            holders: self.holders,
            whole: self.row.is_none(),
            at: Some((key.clone(), self.row)),
        }
    }
}

/// What one holder has changed.
struct Changes {
    rows: RowSet,
    /// Grows with every statement that changes rows.
    version: u64,
    /// What stands in them, when somebody has asked, and the version of then.
    images: Option<(u64, Arc<Images>)>,
    attention: Arc<Attention>,
}

impl Changes {
    fn new(attention: &Arc<Attention>) -> Self {
        Self {
            rows: RowSet::default(),
            version: 0,
            images: None,
            attention: Arc::clone(attention),
        }
    }

    /// The images are not those of the rows as they are now.
    fn is_stale(&self) -> bool {
        let known = self.images.as_ref().map(|(version, _)| *version);
        !self.rows.is_empty() && known != Some(self.version)
    }
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
    fn whole_conflict(&self, me: HolderId, forbids: impl Fn(Whole) -> bool) -> Result<(), InTheWay> {
        let holders: Vec<HolderId> = self
            .whole
            .iter()
            .filter(|(id, whole)| *id != me && forbids(*whole))
            .map(|(id, _)| *id)
            .collect();
        if holders.is_empty() {
            Ok(())
        } else {
            Err(InTheWay::of_table(holders))
        }
    }

    fn changed_conflict(&self, me: HolderId, row: i64) -> Result<(), InTheWay> {
        match self
            .changed
            .iter()
            .find(|(id, changes)| *id != me && changes.rows.contains(row))
        {
            Some((id, _)) => Err(InTheWay::of_row(row, vec![*id])),
            None => Ok(()),
        }
    }

    /// Whether the table may be read at all.
    pub(super) fn exclusive_conflict(&self, me: HolderId) -> Result<(), InTheWay> {
        self.whole_conflict(me, |whole| whole == Whole::Exclusive)
    }

    pub(super) fn enter(&mut self, me: HolderId, attention: &Arc<Attention>) -> Result<(), InTheWay> {
        self.whole_conflict(me, |_| true)?;
        if self.own_changes(me).is_none() {
            self.changed.push((me, Changes::new(attention)));
        }
        Ok(())
    }

    fn own_changes(&mut self, me: HolderId) -> Option<&mut Changes> {
        self.changed
            .iter_mut()
            .find(|(id, _)| *id == me)
            .map(|(_, changes)| changes)
    }

    pub(super) fn change_conflict(&self, me: HolderId, rows: &[i64]) -> Result<(), InTheWay> {
        self.whole_conflict(me, |_| true)?;
        for row in rows {
            self.changed_conflict(me, *row)?;
            if self.claimed.is_empty() {
                continue;
            }
            let claims = self.claimed.get(row).into_iter().flatten();
            let holders: Vec<HolderId> = claims.map(|(id, _)| *id).filter(|id| *id != me).collect();
            if !holders.is_empty() {
                return Err(InTheWay::of_row(*row, holders));
            }
        }
        Ok(())
    }

    pub(super) fn take_changed(
        &mut self,
        me: HolderId,
        rows: &[i64],
        attention: &Arc<Attention>,
    ) -> Result<(), InTheWay> {
        self.change_conflict(me, rows)?;
        if self.own_changes(me).is_none() {
            self.changed.push((me, Changes::new(attention)));
        }
        if let Some(own) = self.own_changes(me) {
            own.rows.extend(rows);
            own.version += 1;
        }
        Ok(())
    }

    /// The rows have become others without a statement that changed them: a rollback to a savepoint.
    pub(super) fn outdate(&mut self, me: HolderId) {
        if let Some(own) = self.own_changes(me) {
            own.version += 1;
        }
    }

    /// The rows of which others could not see what stands in them now, as ranges, and their version.
    pub(super) fn stale_changes(&self, me: HolderId) -> Option<(u64, Vec<(i64, i64)>)> {
        let (_, own) = self.changed.iter().find(|(id, _)| *id == me)?;
        own.is_stale().then(|| (own.version, own.rows.ranges().collect()))
    }

    /// Shows others what stands in the changed rows of a version.
    pub(super) fn publish(&mut self, me: HolderId, version: u64, images: Arc<Images>) {
        if let Some(own) = self.own_changes(me) {
            own.images = Some((version, images));
        }
    }

    /// Asks others to show what they have changed; true when all have done so already.
    pub(super) fn ask_others(&self, me: HolderId) -> bool {
        let others = self
            .changed
            .iter()
            .filter(|(id, own)| *id != me && own.is_stale());
        others.fold(true, |_, (_, own)| {
            own.attention.ask();
            false
        })
    }

    /// What others have changed, as far as they have shown it.
    pub(super) fn others_changes(&self, me: HolderId) -> Vec<Arc<Images>> {
        let others = self.changed.iter().filter(|(id, _)| *id != me);
        others
            .filter_map(|(_, own)| own.images.as_ref().map(|(_, images)| Arc::clone(images)))
            .collect()
    }

    pub(super) fn read_conflict(&self, me: HolderId, row: i64) -> Result<(), InTheWay> {
        self.exclusive_conflict(me)?;
        self.changed_conflict(me, row)
    }

    pub(super) fn claim(&mut self, me: HolderId, row: i64, claim: Claim) -> Result<(), InTheWay> {
        self.whole_conflict(me, |whole| whole == Whole::Exclusive || claim == Claim::Update)?;
        self.changed_conflict(me, row)?;
        let claims = self.claimed.entry(row).or_default();
        if claim == Claim::Update
            && let Some((id, _)) = claims.iter().find(|(id, c)| *id != me && *c == Claim::Update)
        {
            return Err(InTheWay::of_row(row, vec![*id]));
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

    pub(super) fn take_whole(&mut self, me: HolderId, whole: Whole) -> Result<(), InTheWay> {
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
            return Err(InTheWay::of_table(holders));
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

    /// The locks as tools see them: holder, row (None for the table) and kind.
    pub(super) fn shown(&self) -> Vec<(HolderId, Option<i64>, &'static str)> {
        let mut shown = Vec::new();
        let mut intents: HashMap<HolderId, &'static str> = HashMap::new();
        for (row, claims) in &self.claimed {
            for (id, claim) in claims {
                let (kind, intent) = match claim {
                    Claim::Shared => ("S", "IS"),
                    Claim::Update => ("U", "IX"),
                };
                shown.push((*id, Some(*row), kind));
                let known = intents.entry(*id).or_insert(intent);
                if intent == "IX" {
                    *known = intent;
                }
            }
        }
        for (id, own) in self.changed.iter().filter(|(_, own)| !own.rows.is_empty()) {
            let rows = own.rows.ranges().flat_map(|(first, last)| first..=last);
            shown.extend(rows.map(|row| (*id, Some(row), "X")));
            intents.insert(*id, "IX");
        }
        for (id, whole) in &self.whole {
            let intent = intents.get(id).copied();
            intents.insert(
                *id,
                match (whole, intent) {
                    (Whole::Exclusive, _) => "X",
                    (Whole::Share, Some("IX")) => "SIX",
                    (Whole::Share, _) => "S",
                },
            );
        }
        shown.extend(intents.into_iter().map(|(id, kind)| (id, None, kind)));
        shown
    }
}
