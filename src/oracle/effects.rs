//! Effects, as the counters showed them: how many there were, when a count is closed, and which attempt a rise falls to.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::facts::{Fact, Reply};
use crate::history::{Count, CountFailure, Item, Listing, Subject};

/// A count of a counter beyond so many is passed over.
const MOST_COUNTERS: usize = 256;

/// The effects of one marker, in one account and one operation.
#[derive(Debug)]
pub(super) struct Group<'h> {
    pub(super) marker: &'h str,
    /// The operation that has them.
    pub(super) operation: &'h str,
    /// The attempts that could have these effects, in order.
    pub(super) attempts: Vec<usize>,
    /// One series of reads per counter.
    pub(super) series: Vec<Series<'h>>,
    /// The identities that the first counter ever listed.
    seen: HashSet<&'h str>,
    /// Identities that only answers to another account, or of another operation, name. Where they share a list with this
    /// group, that shows them here as well; they are no effects of this group's attempts all the same.
    foreign: HashSet<&'h str>,
}

/// The reads of one counter, in order.
#[derive(Debug, Default)]
pub(super) struct Series<'h> {
    pub(super) reads: Vec<Read<'h>>,
    settle: Duration,
    /// What the next read is compared with.
    sweep: Sweep,
}

/// One read of one counter.
#[derive(Debug)]
pub(super) struct Read<'h> {
    /// The number of the last attempt that had begun by then.
    pub(super) after: u32,
    /// Every effect that was ever seen up to this read: an item that was not in the read before is one.
    pub(super) total: usize,
    /// No earlier attempt can add to it, and two reads agree.
    pub(super) closed: bool,
    /// Closed, and confirmed late enough to say that something is missing.
    pub(super) confirmed: bool,
    pub(super) items: &'h [Item],
    pub(super) failure: Option<&'h CountFailure>,
}

#[derive(Debug, Default)]
struct Sweep {
    next_attempt: usize,
    /// From when on every attempt begun so far is over.
    quiet: Option<Duration>,
    /// The first of the agreeing reads that were taken after everything was over.
    stable_since: Option<Duration>,
    agreeing: usize,
}

/// What the counters say about one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rise {
    /// It had this many effects.
    Of(usize),
    /// It had none.
    Nothing,
    /// They cannot tell.
    Unknown,
}

/// All effects of a case.
#[derive(Debug)]
pub(super) struct Effects<'h> {
    pub(super) groups: Vec<Group<'h>>,
    /// By attempt: its group.
    pub(super) group_of: Vec<usize>,
    /// By attempt: what the counters say about it.
    pub(super) rises: Vec<Rise>,
    /// By attempt: whether that is all that it had, and nothing of it can be listed later.
    pub(super) complete: Vec<bool>,
}

impl<'h> Effects<'h> {
    pub(super) fn new(subject: &Subject, facts: &[Fact<'h>], counts: &'h [Count]) -> Self {
        let mut index: HashMap<(&str, &str, &str), usize> = HashMap::new();
        let mut groups: Vec<Group<'h>> = Vec::new();
        let mut group_of = Vec::with_capacity(facts.len());
        for (attempt, fact) in facts.iter().enumerate() {
            let group = *index.entry((fact.marker, fact.account, fact.operation)).or_insert_with(|| {
                let series = new_series(subject, fact.operation);
                groups.push(Group {
                    marker: fact.marker,
                    operation: fact.operation,
                    attempts: Vec::new(),
                    series,
                    seen: HashSet::new(),
                    foreign: HashSet::new(),
                });
                groups.len() - 1
            });
            groups[group].attempts.push(attempt);
            group_of.push(group);
        }
        tell_apart(facts, &mut groups);
        for count in counts {
            if let Some(group) = index.get(&(count.marker.as_str(), count.account.as_str(), count.operation.as_str())) {
                groups[*group].add(facts, count);
            }
        }
        let mut rises = vec![Rise::Unknown; facts.len()];
        let mut complete = vec![false; facts.len()];
        for group in &mut groups {
            group.attribute(facts, &mut rises, &mut complete);
            group.outdate(facts);
        }
        Self { groups, group_of, rises, complete }
    }

    /// The group of an attempt.
    pub(super) fn group(&self, attempt: usize) -> &Group<'h> {
        &self.groups[self.group_of[attempt]]
    }
}

/// Finds for every group the identities that are named only by answers of another group with the same marker.
fn tell_apart<'h>(facts: &[Fact<'h>], groups: &mut [Group<'h>]) {
    let named = |group: &Group<'h>| -> HashSet<&'h str> {
        group.attempts.iter().filter_map(|attempt| facts[*attempt].success_identity()).collect()
    };
    let all: Vec<(&'h str, HashSet<&'h str>)> = groups.iter().map(|group| (group.marker, named(group))).collect();
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    for (marker, _) in &all {
        *sharing.entry(marker).or_default() += 1;
    }
    let shared = groups.iter_mut().enumerate().filter(|(_, group)| sharing.get(group.marker).is_some_and(|n| *n > 1));
    for (own, group) in shared {
        let others = all.iter().enumerate().filter(|(other, (marker, _))| *other != own && *marker == group.marker);
        let foreign = others.flat_map(|(_, (_, named))| named).filter(|identity| !all[own].1.contains(*identity));
        group.foreign = foreign.copied().collect();
    }
}

fn new_series<'h>(subject: &Subject, operation: &str) -> Vec<Series<'h>> {
    let counters = subject.counters_of(operation).iter();
    counters.map(|counter| Series { settle: counter.settle.duration(), ..Series::default() }).collect()
}

impl<'h> Group<'h> {
    fn add(&mut self, facts: &[Fact<'_>], count: &'h Count) {
        // No profile has so many counters: the number is damaged, and room for it may be more than there is.
        if count.counter >= MOST_COUNTERS {
            return;
        }
        while self.series.len() <= count.counter {
            self.series.push(Series::default());
        }
        if let (0, Listing::Items(items)) = (count.counter, &count.listing) {
            self.seen.extend(items.iter().map(|item| item.identity.as_str()));
        }
        self.series[count.counter].add(facts, &self.attempts, &self.foreign, count);
    }

    /// Gives every rise to the one attempt that can explain it.
    fn attribute(&self, facts: &[Fact<'_>], rises: &mut [Rise], complete: &mut [bool]) {
        let mut verdicts: Vec<Option<(Rise, bool)>> = vec![None; self.attempts.len()];
        for series in &self.series {
            for (position, attempt) in self.attempts.iter().enumerate() {
                let previous = position.checked_sub(1).map_or(0, |previous| facts[self.attempts[previous]].id.0);
                let next = self.attempts.get(position + 1).map_or(u32::MAX, |next| facts[*next].id.0);
                let (rise, closed) = series.rise(previous, facts[*attempt].id.0, next);
                let both = verdicts[position].map_or((rise, closed), |(known, all)| (known.and(rise), all && closed));
                verdicts[position] = Some(both);
            }
        }
        for (position, attempt) in self.attempts.iter().enumerate() {
            (rises[*attempt], complete[*attempt]) = verdicts[position].unwrap_or((Rise::Unknown, false));
        }
    }

    /// A read that is older than the latest attempt says nothing about that attempt, so it closes no count: later reads
    /// have failed, or the run ended before one.
    fn outdate(&mut self, facts: &[Fact<'_>]) {
        let mut sent = self.attempts.iter().rev().filter(|attempt| !matches!(facts[**attempt].reply, Reply::NotSent));
        let Some(latest) = sent.next().map(|attempt| facts[*attempt].id.0) else { return };
        for series in &mut self.series {
            let last = series.reads.iter_mut().rev().find(|read| read.failure.is_none());
            if let Some(read) = last.filter(|read| read.after < latest) {
                (read.closed, read.confirmed) = (false, false);
            }
        }
    }

    /// The most effects that any counter ever showed: a lower bound of what there was.
    pub(super) fn at_least(&self) -> Option<usize> {
        self.series.iter().filter_map(|series| series.last().map(|read| read.total)).max()
    }

    /// Whether the first counter listed an identity before an attempt with this number was sent.
    pub(super) fn listed_before(&self, number: u32, identity: &str) -> bool {
        let series = self.series.first();
        let reads =
            series.map_or(&[][..], |series| &series.reads[..series.reads.partition_point(|read| read.after < number)]);
        let last = reads.iter().rev().find(|read| read.failure.is_none());
        last.is_some_and(|read| read.items.iter().any(|item| item.identity == identity))
    }

    /// Whether the first counter ever listed an identity.
    pub(super) fn lists(&self, identity: &str) -> bool {
        self.seen.contains(identity)
    }

    /// The identities that the first counter listed, read by read.
    pub(super) fn listed(&self) -> impl Iterator<Item = &'h str> + '_ {
        let first = self.series.first();
        first
            .into_iter()
            .flat_map(|series| &series.reads)
            .flat_map(|read| read.items)
            .map(|item| item.identity.as_str())
    }
}

impl Rise {
    /// Two counters together: either may show an effect, both must show none.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Of(left), Self::Of(right)) => Self::Of(left.max(right)),
            (Self::Of(some), Self::Nothing | Self::Unknown) | (Self::Nothing | Self::Unknown, Self::Of(some)) => {
                Self::Of(some)
            }
            (Self::Nothing, Self::Nothing) => Self::Nothing,
            (Self::Unknown, Self::Nothing | Self::Unknown) | (Self::Nothing, Self::Unknown) => Self::Unknown,
        }
    }
}

impl<'h> Series<'h> {
    /// The last read that showed something.
    pub(super) fn last(&self) -> Option<&Read<'h>> {
        self.reads.iter().rev().find(|read| read.failure.is_none())
    }

    fn add(&mut self, facts: &[Fact<'_>], attempts: &[usize], foreign: &HashSet<&str>, count: &'h Count) {
        let quiet = self.quiet(facts, attempts, count.after);
        let untouched = self.sweep.next_attempt == 0;
        let (items, failure) = match &count.listing {
            Listing::Items(items) => (items.as_slice(), None),
            Listing::Failed(failure) => (&[][..], Some(failure)),
        };
        let previous = self.last().map(|read| (read.items, read.total));
        let (before, known) = previous.unwrap_or_default();
        // What was listed before anything was sent is no effect of the attempts.
        let total = if failure.is_some() || untouched { known } else { known + appeared(before, items, foreign) };
        let unchanged = failure.is_none() && previous.is_some() && same_identities(before, items);
        self.steady(quiet, count.began, failure.is_none(), unchanged);
        let since = self.sweep.stable_since;
        let settled = since.is_some_and(|since| count.began >= since.saturating_add(self.settle));
        let closed = failure.is_none() && (untouched || settled);
        let late = quiet.is_some_and(|quiet| count.began >= quiet.saturating_add(self.settle.saturating_mul(2)));
        let confirmed = closed && self.sweep.agreeing >= 2 && late;
        self.reads.push(Read { after: count.after, total, closed, confirmed, items, failure });
    }

    /// Follows for how long the reads have agreed since everything was over.
    fn steady(&mut self, quiet: Option<Duration>, began: Duration, read: bool, unchanged: bool) {
        let stable = self.sweep.stable_since.is_some_and(|since| quiet.is_some_and(|quiet| since >= quiet));
        if !read || quiet.is_none_or(|quiet| began < quiet) {
            (self.sweep.stable_since, self.sweep.agreeing) = (None, 0);
        } else if unchanged && stable {
            self.sweep.agreeing += 1;
        } else {
            (self.sweep.stable_since, self.sweep.agreeing) = (Some(began), 1);
        }
    }

    /// From when on every attempt up to this number is over; `None` for never.
    fn quiet(&mut self, facts: &[Fact<'_>], attempts: &[usize], after: u32) -> Option<Duration> {
        let mut quiet = if self.sweep.next_attempt == 0 { Some(Duration::ZERO) } else { self.sweep.quiet };
        while let Some(attempt) = attempts.get(self.sweep.next_attempt).filter(|next| facts[**next].id.0 <= after) {
            quiet = quiet.zip(facts[*attempt].over).map(|(quiet, over)| quiet.max(over));
            self.sweep.next_attempt += 1;
        }
        self.sweep.quiet = quiet;
        quiet
    }

    /// What this counter says about the attempt with this number, given the numbers of the group's
    /// previous and next one: only a closed read right before it tells where it began. The second value says whether no more
    /// can come: only a closed read after it does.
    fn rise(&self, previous: u32, this: u32, next: u32) -> (Rise, bool) {
        let start = self.reads.partition_point(|read| read.after < this);
        let end = self.reads.partition_point(|read| read.after < next);
        let Some(base) = self.reads[..start].last().filter(|read| read.closed && read.after >= previous) else {
            return (Rise::Unknown, false);
        };
        let Some(last) = self.reads[start..end].iter().rev().find(|read| read.failure.is_none()) else {
            return (Rise::Unknown, false);
        };
        let rise = match last.total.saturating_sub(base.total) {
            0 if last.closed => Rise::Nothing,
            0 => Rise::Unknown,
            rise => Rise::Of(rise),
        };
        (rise, last.closed)
    }
}

/// The items that are listed now and were not before, as identities with their multiplicity.
fn appeared(before: &[Item], now: &[Item], foreign: &HashSet<&str>) -> usize {
    // What stands first in both lists is not new, and most lists only grow.
    let same = before.iter().zip(now).take_while(|(before, now)| before.identity == now.identity).count();
    let (before, now) = (&before[same..], &now[same..]);
    let mut left: Vec<&str> = before.iter().map(|item| item.identity.as_str()).collect();
    now.iter()
        .filter(|item| !foreign.contains(item.identity.as_str()))
        .filter(|item| match left.iter().position(|identity| *identity == item.identity) {
            Some(position) => {
                left.swap_remove(position);
                false
            }
            None => true,
        })
        .count()
}

fn same_identities(before: &[Item], now: &[Item]) -> bool {
    before.len() == now.len() && appeared(before, now, &HashSet::new()) == 0
}
