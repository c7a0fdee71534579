//! Retention that counts from the end of the resource: its key is kept while it lives, and the window begins when its
//! life ends.
//!
//! What ends it is the hook `delete`. It lives, as far as anybody outside can tell, while it is listed.

use std::time::Duration;

use super::docket::Docket;
use super::facts::Fact;
use super::retention::{Age, Move, drift, interval, is_pressed, margin};
use crate::contract::{Period, Retention};
use crate::history::CaseHistory;

/// The hook that ends the life of a resource.
const DELETE: &str = "delete";

/// A hook that ended the life of a resource, or may have.
#[derive(Debug)]
pub(super) struct ResourceEnd {
    /// The marker of the resource.
    marker: String,
    /// The number of the last attempt before it.
    after: u32,
    /// Between which two times it happened.
    earliest: Duration,
    latest: Duration,
    /// How many of the clock's moves came before it.
    moves: usize,
    /// It deleted the resource; other changes, and those that failed, may or may not have ended its life.
    certain: bool,
}

/// The resource that an action made.
pub(super) struct Made<'h> {
    /// The attempt with the outcome.
    pub(super) outcome: usize,
    /// The identity that its answer named.
    pub(super) identity: &'h str,
}

/// Every hook of a case that ended the life of a resource, or may have.
pub(super) fn ends(facts: &[Fact<'_>], case: &CaseHistory) -> Vec<ResourceEnd> {
    let mut moves = 0;
    let mut ends = Vec::new();
    for (at, after, hook) in &case.hooks {
        moves += usize::from(Move::is_one(hook));
        let Some(marker) = &hook.changed else { continue };
        let before = || facts.iter().rev().find(|fact| fact.id.0 <= *after).map(Fact::end);
        ends.push(ResourceEnd {
            marker: marker.clone(),
            after: *after,
            earliest: hook.began.or_else(before).unwrap_or_default().min(*at),
            latest: *at,
            moves,
            certain: hook.name == DELETE && hook.error.is_none(),
        });
    }
    ends
}

/// The age of the key of an action that made a resource.
pub(super) fn age(
    docket: &Docket<'_, '_>,
    retention: &Retention,
    made: &Made<'_>,
    first: usize,
    attempt: usize,
) -> Age {
    let (Some((youngest, oldest)), least) =
        (interval(docket, first, attempt), retention.at_least.map(Period::duration))
    else {
        return Age::Unconfirmed;
    };
    let numbers = docket.facts[made.outcome].id.0..docket.facts[attempt].id.0;
    let mut ends = docket
        .clock
        .ends
        .iter()
        .filter(|end| end.marker == docket.facts[attempt].marker && numbers.contains(&end.after))
        .peekable();
    let untouched = ends.peek().is_none();
    if let Some(end) = ends.find(|end| end.certain) {
        return since(docket, retention, made, end, attempt, least.is_some_and(|least| youngest > least));
    }
    let Some(least) = least else { return Age::Either };
    let late = is_pressed(docket, made.outcome, attempt) || youngest > least / 2;
    // From the first use on it is kept so long at least, whenever the resource ends.
    if oldest.saturating_add(margin(docket, least)) <= least || (untouched && lives(docket, made, attempt)) {
        Age::Kept { late }
    } else {
        Age::Either
    }
}

/// The age of a key whose resource has ended; `long` if it was kept for long before that.
fn since(
    docket: &Docket<'_, '_>,
    retention: &Retention,
    made: &Made<'_>,
    end: &ResourceEnd,
    attempt: usize,
    long: bool,
) -> Age {
    let Some((youngest, oldest)) = interval_since(docket, end, attempt) else { return Age::Unconfirmed };
    let (least, most) = (retention.at_least.map(Period::duration), retention.at_most.map(Period::duration));
    if most.is_some_and(|most| youngest > most.saturating_add(margin(docket, most))) {
        return Age::Expired;
    }
    match least {
        Some(least)
            if oldest.saturating_add(margin(docket, least)) <= least && lived_until(docket, made, end, attempt) =>
        {
            Age::Kept { late: long || is_pressed(docket, made.outcome, attempt) || youngest > least / 2 }
        }
        Some(_) | None => Age::Either,
    }
}

/// Whether a count that was taken after an attempt still lists what was made before it.
fn lives(docket: &Docket<'_, '_>, made: &Made<'_>, attempt: usize) -> bool {
    is_listed(docket, made, attempt, docket.facts[attempt].id.0..=u32::MAX)
}

/// Whether a resource was there until a hook ended its life. Where nothing lists it, the hook's success has to show that.
fn lived_until(docket: &Docket<'_, '_>, made: &Made<'_>, end: &ResourceEnd, attempt: usize) -> bool {
    docket.effects.group(attempt).series.is_empty() || is_listed(docket, made, attempt, end.after..=end.after)
}

fn is_listed(docket: &Docket<'_, '_>, made: &Made<'_>, attempt: usize, after: std::ops::RangeInclusive<u32>) -> bool {
    let reads = docket.effects.group(attempt).series.iter().flat_map(|series| &series.reads);
    let mut items = reads.filter(|read| after.contains(&read.after)).flat_map(|read| read.items);
    items.any(|item| item.identity == made.identity)
}

/// The shortest and the longest time that can have passed at the server since the end of a resource.
fn interval_since(docket: &Docket<'_, '_>, end: &ResourceEnd, attempt: usize) -> Option<(Duration, Duration)> {
    let later = &docket.facts[attempt];
    let moved = docket.clock.moved(end.moves, later)?;
    let (shortest, longest) = (later.written.saturating_sub(end.latest), later.read.saturating_sub(end.earliest));
    let doubt = docket.clock.doubt(end.earliest, later).saturating_add(drift(longest));
    Some((shortest.saturating_sub(doubt).saturating_add(moved), longest.saturating_add(doubt).saturating_add(moved)))
}
