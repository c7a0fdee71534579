//! How old a key is: an interval on the tool's own clock, plus the clock hooks that are confirmed.

use std::time::Duration;

use super::action::Action;
use super::docket::Docket;
use super::effects::Rise;
use super::facts::Fact;
use super::resource_end::{self, Made, ResourceEnd};
use crate::contract::{Anchor, PRESSURE, Retention};
use crate::history::{CaseHistory, HookRun};

/// A window below this leaves no room for the whole margin on its inner side.
const SHORT: Duration = Duration::from_secs(16);

/// By how much a reading of the target's clock may be off: one that tells whole seconds, before and after. Of a small
/// move, half must be seen.
const ROUNDING: Duration = Duration::from_secs(2);

/// By which part of the time between two moments two sound clocks may disagree about it: each is slowed or hastened by half
/// of that at the most while it is being set.
const DRIFT: u32 = 1000;

/// The hook that has the target take its keys for expired.
const EXPIRE_KEYS: &str = "expire-keys";

/// How far the target's clock was moved, and when.
#[derive(Debug, Default)]
pub(super) struct Clock {
    moves: Vec<Move>,
    /// The number of the last attempt before each time that the target was told to take its keys for expired.
    expiries: Vec<u32>,
    /// When another process went on with the run: the wall clock alone tells how long that took.
    gaps: Vec<Duration>,
    /// What ended the life of a resource, or may have.
    pub(super) ends: Vec<ResourceEnd>,
}

/// A hook that moved the target's clock.
#[derive(Debug)]
pub(super) struct Move {
    /// The number of the last attempt before it.
    after: u32,
    by: Duration,
    /// The target's own `Date` moved as well.
    confirmed: bool,
}

impl Move {
    /// Whether a hook moved the target's clock.
    pub(super) fn is_one(hook: &HookRun) -> bool {
        !hook.advanced.is_zero() && hook.error.is_none()
    }
}

/// What the age of a key says about its retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// Certainly within the time for which keys are kept; `late` past half of it, or after many fresh keys.
    Kept { late: bool },
    /// Certainly older than the time after which keys are forgotten.
    Expired,
    /// Between the two: remembered or forgotten.
    Either,
    /// The clock was moved, and nothing shows that the target followed.
    Unconfirmed,
    /// The target was told to take the key for expired. Whether it did, its answers alone can show.
    Told,
}

impl Clock {
    pub(super) fn new(facts: &[Fact<'_>], case: &CaseHistory) -> Self {
        let hooks = &case.hooks;
        let expired = hooks.iter().filter(|(_, _, hook)| hook.name == EXPIRE_KEYS && hook.error.is_none());
        let moved = hooks.iter().filter(|(_, _, hook)| Move::is_one(hook));
        let moves = moved.map(|(_, after, hook)| Move {
            after: *after,
            by: hook.advanced,
            confirmed: match hook.confirmed {
                Some(seen) => seen.saturating_add(ROUNDING.min(hook.advanced / 2)) >= hook.advanced,
                None => is_confirmed(facts, *after, hook.advanced),
            },
        });
        Self {
            moves: moves.collect(),
            expiries: expired.map(|(_, after, _)| *after).collect(),
            gaps: case.course.resumptions.clone(),
            ends: resource_end::ends(facts, case),
        }
    }

    /// Whether the keys were taken for expired between two attempts.
    fn expired_between(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> bool {
        self.expiries.iter().any(|after| (earlier.id.0..later.id.0).contains(after))
    }

    /// By how much the time between two attempts may be longer or shorter than the tool's clocks tell, where they are the
    /// wall clocks of two processes. Within seconds nobody goes to another machine.
    pub(super) fn doubt(&self, earlier: Duration, later: &Fact<'_>) -> Duration {
        let gap = self.gaps.iter().any(|gap| (earlier..=later.sent).contains(gap));
        let short = later.sent.saturating_sub(earlier) / 8;
        if gap { ROUNDING.min(short) } else { Duration::ZERO }
    }

    /// How far the clock was moved between two attempts; `None` where a move is not confirmed.
    fn between(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> Option<Duration> {
        self.moved(self.moves.partition_point(|moved| moved.after < earlier.id.0), later)
    }

    /// How far the clock was moved before an attempt, from this move on; `None` where one is not confirmed.
    pub(super) fn moved(&self, first: usize, later: &Fact<'_>) -> Option<Duration> {
        let mut between = self.moves.iter().skip(first).filter(|moved| moved.after < later.id.0);
        between.try_fold(Duration::ZERO, |sum, moved| moved.confirmed.then(|| sum.saturating_add(moved.by)))
    }
}

/// Whether the `Date` of the answers around a move jumped by at least half of it.
fn is_confirmed(facts: &[Fact<'_>], after: u32, by: Duration) -> bool {
    let dates = |fact: &Fact<'_>| fact.answer().and_then(|answer| seconds(answer.response.header("date")?));
    let before = facts.iter().rev().filter(|fact| fact.id.0 <= after).find_map(dates);
    let since = facts.iter().filter(|fact| fact.id.0 > after).find_map(dates);
    before.zip(since).is_some_and(|(before, since)| since.saturating_sub(before) >= (by.as_secs() / 2).max(1))
}

/// The age of an action's key when this attempt reached the server.
pub(super) fn age(docket: &Docket<'_, '_>, action: &Action, attempt: usize) -> Age {
    let Some(retention) = &docket.contract.retention else {
        return Age::Kept { late: false };
    };
    let (Some(first), Some(last)) = (action.first_use, action.last_use) else {
        return Age::Kept { late: false };
    };
    // A refusal does not bring a key back that was taken for expired.
    let sure = action.last_sure_use.unwrap_or(last);
    if docket.clock.expired_between(&docket.facts[sure], &docket.facts[attempt]) {
        return Age::Told;
    }
    if retention.anchor == Some(Anchor::ResourceEnd)
        && let Some(made) = made(docket, action)
    {
        return resource_end::age(docket, retention, &made, first, attempt);
    }
    let (kept_since, expired_since) = anchors(retention, action, first, last);
    let Some((_, oldest)) = interval(docket, kept_since, attempt) else {
        return Age::Unconfirmed;
    };
    let Some((youngest, _)) = interval(docket, expired_since, attempt) else {
        return Age::Unconfirmed;
    };
    let least = retention.at_least.map(crate::contract::Period::duration);
    let most = retention.at_most.map(crate::contract::Period::duration);
    let ends_with_resource = retention.anchor == Some(Anchor::ResourceEnd);
    match (least, most) {
        (_, Some(most)) if youngest > most.saturating_add(margin(docket, most)) && !ends_with_resource => Age::Expired,
        (Some(least), _) if oldest.saturating_add(margin(docket, least)) <= least => {
            let pressed = is_pressed(docket, action.outcome().unwrap_or(first), attempt);
            // What a use has prolonged is kept for longer than from the first use on.
            let prolonged = retention.anchor == Some(Anchor::LastUse)
                && interval(docket, first, attempt).is_some_and(|(youngest, _)| youngest > least);
            Age::Kept { late: pressed || prolonged || (oldest > least / 2 && youngest > least / 2) }
        }
        (None, None) => Age::Kept { late: false },
        (Some(_), Some(_) | None) | (None, Some(_)) => Age::Either,
    }
}

pub(super) fn margin(docket: &Docket<'_, '_>, window: Duration) -> Duration {
    margin_of(window, docket.calibration.round_trip)
}

/// How close to the end of a window nothing is certain: the target may read its clock in whole seconds when a key is
/// stored and when it is looked up, and a request takes its time on the way. Short windows are kept by finer clocks.
pub fn margin_of(window: Duration, round_trip: Duration) -> Duration {
    let whole = whole_margin(round_trip);
    if window < SHORT { whole.min(window / 8) } else { whole }
}

/// The margin of a window that is long enough for it.
pub fn whole_margin(round_trip: Duration) -> Duration {
    ROUNDING.saturating_add(round_trip)
}

/// By how much the two sides may disagree about a time that passed on both of their clocks. How far apart the clocks are,
/// and whether a date is wrong on either side, does not matter: no time of one is ever compared with a time of the other.
pub(super) fn drift(passed: Duration) -> Duration {
    passed / DRIFT
}

/// Whether many fresh keys were used between two attempts.
pub(super) fn is_pressed(docket: &Docket<'_, '_>, first: usize, attempt: usize) -> bool {
    docket.fresh_keys_between(first, attempt) >= PRESSURE as usize
}

/// What an action made, where its answer names it.
fn made<'h>(docket: &Docket<'_, 'h>, action: &Action) -> Option<Made<'h>> {
    let outcome = action.bound.as_ref()?.attempt;
    Some(Made { outcome, identity: docket.facts[outcome].success_identity()? })
}

/// Whether some key that was known before the target was told to take its keys for expired was seen to have expired: the
/// first attempt with it since had an effect of its own.
pub(super) fn shows_expiry(docket: &Docket<'_, '_>) -> bool {
    let facts = &docket.facts;
    docket.clock.expiries.iter().any(|after| {
        facts.iter().enumerate().filter(|(_, fact)| fact.id.0 > *after).any(|(attempt, fact)| {
            let same = |other: &&Fact<'_>| fact.key.is_some() && other.key == fact.key && other.account == fact.account;
            let known = facts[..attempt].iter().filter(same).any(|other| other.success_identity().is_some());
            let is_first = !facts[..attempt].iter().filter(same).any(|other| other.id.0 > *after);
            let is_new = fact.success_identity().is_some() && !docket.names_known(attempt);
            known && is_first && is_new && docket.rise(attempt) != Rise::Nothing
        })
    })
}

/// The attempts from which *kept* and *expired* are counted. Where the anchor is not declared, each is counted so
/// that a sound server cannot be blamed.
fn anchors(retention: &Retention, action: &Action, first: usize, last: usize) -> (usize, usize) {
    let outcome = action.outcome();
    match retention.anchor {
        Some(Anchor::First) => (first, first),
        Some(Anchor::Completion) => (outcome.unwrap_or(first), outcome.unwrap_or(last)),
        Some(Anchor::LastUse) => (action.last_sure_use.unwrap_or(first), last),
        Some(Anchor::ResourceEnd) | None => (first, last),
    }
}

/// The shortest and the longest time that can have passed at the server between two attempts.
pub(super) fn interval(docket: &Docket<'_, '_>, earlier: usize, later: usize) -> Option<(Duration, Duration)> {
    let (earlier, later) = (&docket.facts[earlier], &docket.facts[later]);
    let moved = docket.clock.between(earlier, later)?;
    let latest_arrival = if earlier.is_unknown() { earlier.over.unwrap_or(Duration::MAX) } else { earlier.read };
    let shortest = later.written.saturating_sub(latest_arrival);
    let longest = later.read.saturating_sub(earlier.written);
    let doubt = docket.clock.doubt(earlier.sent, later).saturating_add(drift(longest));
    Some((shortest.saturating_sub(doubt).saturating_add(moved), longest.saturating_add(doubt).saturating_add(moved)))
}

/// The seconds since 1970 of an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
fn seconds(date: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = date.split_once(',')?.1.split_whitespace();
    let day = words.next()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let (year, time) = (words.next()?, words.next()?);
    let written = format!("{year}-{month:02}-{day:0>2}T{time}Z");
    let time = humantime::parse_rfc3339(&written).ok()?;
    Some(time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_dates_are_read() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("yesterday"), None);
    }
}
