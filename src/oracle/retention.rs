//! How old a key is: an interval on the tool's own clock, plus the clock hooks that are confirmed.

use std::time::Duration;

use super::action::Action;
use super::docket::Docket;
use super::facts::Fact;
use crate::contract::{Anchor, PRESSURE, Retention};
use crate::history::HookRun;

/// By how much a reading of the target's clock may be off: one that tells whole seconds, before and after. Of a small
/// move, half must be seen.
const ROUNDING: Duration = Duration::from_secs(2);

/// How far the target's clock was moved, and when.
#[derive(Debug, Default)]
pub(super) struct Clock {
    moves: Vec<Move>,
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
    pub(super) fn new(facts: &[Fact<'_>], hooks: &[(Duration, u32, HookRun)]) -> Self {
        let moved = hooks.iter().filter(|(_, _, hook)| !hook.advanced.is_zero() && hook.error.is_none());
        let moves = moved.map(|(_, after, hook)| Move {
            after: *after,
            by: hook.advanced,
            confirmed: match hook.confirmed {
                Some(seen) => seen.saturating_add(ROUNDING.min(hook.advanced / 2)) >= hook.advanced,
                None => is_confirmed(facts, *after, hook.advanced),
            },
        });
        Self { moves: moves.collect() }
    }

    /// How far the clock was moved between two attempts; `None` where a move is not confirmed.
    fn between(&self, earlier: &Fact<'_>, later: &Fact<'_>) -> Option<Duration> {
        let between = self.moves.iter().filter(|moved| (earlier.id.0..later.id.0).contains(&moved.after));
        between.map(|moved| moved.confirmed.then_some(moved.by)).sum()
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
        (_, Some(most)) if youngest > most && !ends_with_resource => Age::Expired,
        (Some(least), _) if oldest <= least => {
            let pressed = docket.fresh_keys_between(action.outcome().unwrap_or(first), attempt) >= PRESSURE as usize;
            Age::Kept { late: pressed || (oldest > least / 2 && youngest > least / 2) }
        }
        (None, None) => Age::Kept { late: false },
        (Some(_), Some(_) | None) | (None, Some(_)) => Age::Either,
    }
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
    Some((shortest.saturating_add(moved), longest.saturating_add(moved)))
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
