//! Which of several actions that share a marker cannot be the one that had an effect too many.

use std::collections::HashSet;

use super::super::super::docket::Docket;
use super::super::super::effects::{Group, Read};
use super::{Attributed, Unit};

/// Whether a unit certainly had no more effects than it may: all of them are known, or what came to be listed from when it
/// began until it was over leaves it no more, as the rest is what others name.
pub(super) fn is_cleared(docket: &Docket<'_, '_>, unit: &Unit<'_>, reads: &[Nameless]) -> bool {
    let Attributed { sum, complete, .. } = unit.attributed;
    let (Some(first), Some(last)) = (unit.attempts.first(), unit.attempts.last()) else { return true };
    let (first, last) = (docket.facts[*first].id.0, docket.facts[*last].id.0);
    let known = reads[..reads.partition_point(|read| read.after < first)].last().map_or(0, |read| read.effects);
    let after = &reads[reads.partition_point(|read| read.after < last)..];
    let own = after.iter().find(|read| read.closed).map(|read| read.effects.saturating_sub(known) + unit.named.len());
    (complete && sum <= unit.most) || own.is_some_and(|own| own <= unit.most)
}

/// How many effects that no answer names there were by a read of the only counter.
pub(super) struct Nameless {
    after: u32,
    closed: bool,
    effects: usize,
}

impl Nameless {
    pub(super) fn of(group: &Group<'_>, units: &[Unit<'_>]) -> Vec<Self> {
        let [series] = group.series.as_slice() else { return Vec::new() };
        let named: HashSet<&str> = units.iter().flat_map(|unit| &unit.named).map(|(identity, _)| *identity).collect();
        let reads = series.reads.iter().filter(|read| read.failure.is_none());
        let of_read = |read: &Read<'_>| {
            let named = read.items.iter().filter(|item| named.contains(item.identity.as_str())).count();
            Self { after: read.after, closed: read.closed, effects: read.total.saturating_sub(named) }
        };
        reads.map(of_read).collect()
    }
}
