//! Splitting a run over several jobs: every case belongs to exactly one of them, the same one every time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Budget, CONTROL, Plan, PlannedCase};
use crate::contract::{Period, Reason, Requirement};
use crate::history::SkippedCase;
use crate::profile::Bound;

/// One of the equal parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// Which one, from 0.
    index: usize,
    /// Of how many.
    of: usize,
}

impl Shard {
    /// The shard of this number, from 1; none where there are not so many.
    pub fn new(number: usize, of: usize) -> Option<Self> {
        (1..=of).contains(&number).then(|| Self { index: number - 1, of })
    }

    /// Its part in one of several operations; none where others have all of it.
    ///
    /// Where there are enough operations each belongs to one shard as a whole, so that its control runs once. Otherwise
    /// several shards have parts of one operation.
    pub fn part_of(self, operation: usize, operations: usize) -> Option<Self> {
        let whole = Self { index: 0, of: 1 };
        if operations >= self.of {
            return (operation % self.of == self.index).then_some(whole);
        }
        let sharing = (self.of - operation).div_ceil(operations);
        (self.index % operations == operation).then(|| Self { index: self.index / operations, of: sharing })
    }

    /// Whether it is everything.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index + 1, self.of)
    }
}

impl Plan {
    /// The part of the plan that belongs to a shard: the control, and whole scenarios. All cases that change the target for
    /// everybody belong to one shard, so that they meet none of their kind. What others have is left out, with that reason.
    #[must_use]
    pub fn part(mut self, shard: Shard, bound: &Bound, max_wait: Period) -> Self {
        if shard.is_whole() {
            return self;
        }
        let weight = |case: &PlannedCase| Budget::of(bound, std::slice::from_ref(case), max_wait).requests();
        let own = own_groups(&groups(&self.cases, weight), shard);
        let is_own = |case: &PlannedCase| case.scenario == CONTROL || own.contains(&group(&self.cases, case));
        let (kept, others): (Vec<_>, Vec<_>) = self.cases.iter().cloned().partition(is_own);
        for case in &others {
            let skipped = SkippedCase { scenario: case.scenario.clone(), reason: Reason::OtherShard };
            self.skipped.push((case.id.clone(), skipped));
        }
        let reached: BTreeSet<Requirement> = kept.iter().flat_map(|case| case.reaches.iter().copied()).collect();
        for requirement in others.iter().flat_map(|case| &case.reaches).filter(|one| !reached.contains(one)) {
            self.untested.insert(*requirement, Reason::OtherShard);
        }
        self.budget = Budget::of(bound, &kept, max_wait);
        self.cases = kept;
        self
    }
}

/// The name of the group of all cases that run alone.
const ALONE: &str = "";

/// What a case stays together with: its scenario; and where that changes the target for everybody, all such scenarios.
fn group<'c>(cases: &'c [PlannedCase], case: &'c PlannedCase) -> &'c str {
    let is_alone = cases.iter().any(|other| other.scenario == case.scenario && other.alone);
    if is_alone { ALONE } else { &case.scenario }
}

/// The groups, with how much is sent for each.
fn groups<'c>(cases: &'c [PlannedCase], weight: impl Fn(&PlannedCase) -> u64) -> BTreeMap<&'c str, u64> {
    let mut groups = BTreeMap::new();
    for case in cases.iter().filter(|case| case.scenario != CONTROL) {
        *groups.entry(group(cases, case)).or_default() += weight(case);
    }
    groups
}

/// The groups that belong to a shard: the heaviest first, each to the shard that has the least by then.
fn own_groups<'c>(groups: &BTreeMap<&'c str, u64>, shard: Shard) -> BTreeSet<&'c str> {
    let mut heaviest: Vec<(&'c str, u64)> = groups.iter().map(|(name, weight)| (*name, *weight)).collect();
    heaviest.sort_by_key(|(name, weight)| (std::cmp::Reverse(*weight), *name));
    let mut loads = vec![0_u64; shard.of];
    let mut own = BTreeSet::new();
    for (name, weight) in heaviest {
        let least = (0..shard.of).min_by_key(|index| loads[*index]).unwrap_or_default();
        loads[least] += weight.max(1);
        if least == shard.index {
            own.insert(name);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::CaseId;

    fn case(scenario: &str, number: usize, alone: bool) -> PlannedCase {
        PlannedCase {
            id: CaseId(format!("{scenario}[n={number}]")),
            scenario: scenario.to_owned(),
            clause: None,
            steps: Vec::new(),
            alone,
            reaches: BTreeSet::new(),
        }
    }

    /// The names of the cases that each of so many shards has.
    fn split(cases: &[PlannedCase], weights: &BTreeMap<String, u64>, of: usize) -> Vec<BTreeSet<String>> {
        let weight = |case: &PlannedCase| weights.get(&case.scenario).copied().unwrap_or_default();
        let all = groups(cases, weight);
        let of_shard = |number| {
            let own = own_groups(&all, Shard::new(number, of).unwrap());
            let is_own = |one: &&PlannedCase| own.contains(group(cases, one));
            cases.iter().filter(is_own).map(|case| case.id.0.clone()).collect()
        };
        (1..=of).map(of_shard).collect()
    }

    proptest! {
        #[test]
        fn every_case_belongs_to_exactly_one_shard(
            drawn in prop::collection::vec((0_usize..12, 0_usize..4, prop::bool::weighted(0.2)), 0..40),
            weights in prop::collection::btree_map("s[0-9]", 0_u64..500, 0..8),
            of in 1_usize..9,
        ) {
            let cases: Vec<PlannedCase> =
                drawn.iter().map(|(scenario, number, alone)| case(&format!("s{scenario}"), *number, *alone)).collect();
            let shards = split(&cases, &weights, of);
            let union: BTreeSet<String> = shards.iter().flatten().cloned().collect();
            let all: BTreeSet<String> = cases.iter().map(|case| case.id.0.clone()).collect();
            prop_assert_eq!(&union, &all, "nothing is left out");
            prop_assert_eq!(shards.iter().map(BTreeSet::len).sum::<usize>(), all.len(), "nothing is done twice");
            prop_assert_eq!(&split(&cases, &weights, of), &shards, "the same every time");
            for one in &cases {
                let holder = |wanted: &PlannedCase| shards.iter().position(|shard| shard.contains(&wanted.id.0));
                for other in &cases {
                    if one.scenario == other.scenario || (one.alone && other.alone) {
                        prop_assert_eq!(holder(one), holder(other), "{} and {}", one.id, other.id);
                    }
                }
            }
        }

        #[test]
        fn every_operation_belongs_to_its_shards(operations in 1_usize..50, of in 1_usize..20) {
            for operation in 0..operations {
                let shards = (1..=of).filter_map(|number| Shard::new(number, of));
                let parts: Vec<Shard> = shards.filter_map(|shard| shard.part_of(operation, operations)).collect();
                let numbers: BTreeSet<usize> = parts.iter().map(|part| part.index).collect();
                prop_assert!(!parts.is_empty());
                prop_assert!(parts.iter().all(|part| part.of == parts.len()), "{parts:?}");
                prop_assert_eq!(numbers, (0..parts.len()).collect(), "each part once");
            }
            let idle = (1..=of).filter_map(|number| Shard::new(number, of)).find(|shard| {
                (0..operations).all(|operation| shard.part_of(operation, operations).is_none())
            });
            prop_assert_eq!(idle, None, "every shard has something to do");
        }
    }

    #[test]
    fn shards_share_the_load() {
        let cases: Vec<PlannedCase> = (0..8).map(|number| case(&format!("s{number}"), 0, false)).collect();
        let weights = (0..8).map(|number| (format!("s{number}"), 10)).collect();
        assert!(split(&cases, &weights, 4).iter().all(|shard| shard.len() == 2));
    }
}
