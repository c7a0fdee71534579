//! How old a key is: an interval on the tool's own clock, plus the clock hooks that are confirmed.

use std::time::Duration;

use super::action::Action;
use super::docket::Docket;
use super::facts::Fact;
use crate::contract::{Anchor, PRESSURE, Retention};
use crate::history::CaseHistory;

/// By how much a reading of the target's clock may be off: one that tells whole seconds, before and after. Of a small
/// move, half must be seen.
const ROUNDING: Duration = Duration::from_secs(2);

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
}

#[derive(Debug)]
struct Move {
    /// The number of the last attempt before it.
    after: u32,
    by: Duration,
    /// The target's own `Date` moved as well.
    confirmed: bool,
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
}

impl Clock {
    pub(super) fn new(facts: &[Fact<'_>], case: &CaseHistory) -> Self {
        let hooks = &case.hooks;
        let expired = hooks.iter().filter(|(_, _, hook)| hook.name == EXPIRE_KEYS && hook.error.is_none());
        let moved = hooks.iter().filter(|(_, _, hook)| !hook.advanced.is_zero() && hook.error.is_none());
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
        }
    }

    /// Whether the keys were taken for expired between two attempts.
    fn expired_between(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> bool {
        self.expiries.iter().any(|after| (earlier.id.0..later.id.0).contains(after))
    }

    /// By how much the time between two attempts may be longer or shorter than the tool's clocks tell, where they are the
    /// wall clocks of two processes. Within seconds nobody goes to another machine.
    fn doubt(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> Duration {
        let gap = self.gaps.iter().any(|gap| (earlier.sent..=later.sent).contains(gap));
        let short = later.sent.saturating_sub(earlier.sent) / 8;
        if gap { ROUNDING.min(short) } else { Duration::ZERO }
    }

    /// How far the clock was moved between two attempts; `None` where a move is not confirmed.
    fn between(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> Option<Duration> {
        let mut between = self.moves.iter().filter(|moved| (earlier.id.0..later.id.0).contains(&moved.after));
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
    if docket.clock.expired_between(&docket.facts[last], &docket.facts[attempt]) {
        return Age::Expired;
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
            let pressed = docket.fresh_keys_between(action.outcome().unwrap_or(first), attempt) >= PRESSURE as usize;
            Age::Kept { late: pressed || (oldest > least / 2 && youngest > least / 2) }
        }
        (None, None) => Age::Kept { late: false },
        (Some(_), Some(_) | None) | (None, Some(_)) => Age::Either,
    }
}

/// How close to the end of a window nothing is certain: the target may read its clock in whole seconds when a key is
/// stored and when it is looked up, and a request takes its time on the way. Short windows are kept by finer clocks.
fn margin(docket: &Docket<'_, '_>, window: Duration) -> Duration {
    ROUNDING.saturating_add(docket.calibration.round_trip).min(window / 8)
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
fn interval(docket: &Docket<'_, '_>, earlier: usize, later: usize) -> Option<(Duration, Duration)> {
    let (earlier, later) = (&docket.facts[earlier], &docket.facts[later]);
    let moved = docket.clock.between(earlier, later)?;
    let latest_arrival = if earlier.is_unknown() { earlier.over.unwrap_or(Duration::MAX) } else { earlier.read };
    let shortest = later.written.saturating_sub(latest_arrival);
    let longest = later.read.saturating_sub(earlier.written);
    let doubt = docket.clock.doubt(earlier, later);
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
