//! A set of rowids as ranges: statements on many rows mostly change neighbours.

use std::collections::BTreeMap;

/// Rowids; the first of each range with its last one. Ranges neither meet nor touch.
#[derive(Debug, Default)]
pub(super) struct RowSet(BTreeMap<i64, i64>);

impl RowSet {
    /// The range that starts at or before a row, and whose end is asked about.
    fn before(&self, row: i64) -> Option<(i64, i64)> {
        self.0
            .range(..=row)
            .next_back()
            .map(|(first, last)| (*first, *last))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// First and last row of each range, in order.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.0.iter().map(|(first, last)| (*first, *last))
    }

    pub(super) fn contains(&self, row: i64) -> bool {
        self.before(row).is_some_and(|(_, last)| row <= last)
    }

    /// Puts rows in; neighbours that come in order, up or down, cost one look-up together.
    pub(super) fn extend(&mut self, rows: &[i64]) {
        let mut rows = rows.iter().copied().peekable();
        while let Some(row) = rows.next() {
            let (mut first, mut last) = (row, row);
            while let Some(next) = rows.peek().copied() {
                if last.checked_add(1) == Some(next) {
                    last = next;
                } else if first.checked_sub(1) == Some(next) {
                    first = next;
                } else if !(first..=last).contains(&next) {
                    break;
                }
                rows.next();
            }
            self.insert(first, last);
        }
    }

    fn insert(&mut self, mut first: i64, mut last: i64) {
        if let Some((start, end)) = self.before(first)
            && end >= first.saturating_sub(1)
        {
            if end >= last {
                return;
            }
            first = start;
        }
        while let Some((start, end)) = self
            .before(last.saturating_add(1))
            .filter(|(start, _)| *start > first)
        {
            self.0.remove(&start);
            last = last.max(end);
        }
        self.0.insert(first, last);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// As a set of single rows has it, and in ranges that do not touch.
    fn check(set: &RowSet, known: &BTreeSet<i64>, around: &[i64]) {
        for row in around {
            for row in [row.saturating_sub(1), *row, row.saturating_add(1)] {
                assert_eq!(set.contains(row), known.contains(&row), "{row} in {set:?}");
            }
        }
        let ranges: Vec<(i64, i64)> = set.ranges().collect();
        assert_eq!(set.is_empty(), known.is_empty());
        for pair in ranges.windows(2) {
            assert!(pair[0].1 + 1 < pair[1].0, "{set:?}");
        }
    }

    #[test]
    fn ranges_hold_what_single_rows_hold() {
        let cases: &[&[&[i64]]] = &[
            &[&[1, 2, 3], &[5], &[4]],
            &[&[3, 2, 1], &[2], &[7, 6, 5, 9]],
            &[&[i64::MAX, i64::MAX - 1], &[i64::MIN, i64::MIN + 1], &[0]],
            &[&[i64::MIN], &[i64::MAX], &[i64::MIN + 2], &[i64::MIN + 1]],
            &[
                &[10, 20, 30, 40],
                &[11, 12, 13, 14, 15, 16, 17, 18, 19],
                &[21, 29, 28],
            ],
            &[&[5, 5, 6, 5, 4, 6]],
        ];
        for case in cases {
            let (mut set, mut known) = (RowSet::default(), BTreeSet::new());
            for rows in *case {
                set.extend(rows);
                known.extend(rows.iter().copied());
                check(&set, &known, &known.iter().copied().collect::<Vec<_>>());
            }
        }
        // Numbers without an order, from a fixed seed.
        let (mut set, mut known, mut seed) = (RowSet::default(), BTreeSet::new(), 1_u64);
        for _ in 0..2_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let row = i64::try_from(seed >> 54).unwrap_or(0);
            set.extend(&[row, row + 1]);
            known.extend([row, row + 1]);
            check(&set, &known, &[row]);
        }
        assert!((-2..1_030).all(|row| set.contains(row) == known.contains(&row)));
    }
}
