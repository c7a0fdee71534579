//! What happened in a case, in the order of time: from a history to the parts of a drawing. Nothing here has a place yet.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Subject;
use super::label;
use crate::history::{Attempt, AttemptId, Count, Listing, LossPoint, Outcome, RaceRound};

/// Something that is drawn, and when it happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timed {
    pub(super) at: Duration,
    pub(super) what: Item,
}

/// Something that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// The copies of a race were let go.
    Release(String),
    /// A request left.
    Request(Message),
    /// An answer came, or the part of it that came.
    Answer(Message),
    /// The client went away, or gave up, and there was no answer.
    Gone(Message),
    /// Effects were counted.
    Effects(Effects),
    /// Something that concerns both sides.
    Band(Band, String),
}

/// One message of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) attempt: u32,
    /// How far it came on its way, from 0 to 1.
    pub(super) reach: f64,
    pub(super) tone: Tone,
    /// What it says, without what tells it from others that say the same.
    pub(super) says: String,
    /// How long the attempt took, where it is over.
    pub(super) took: Option<Duration>,
    /// What stands beside it; absent where the message before says it for this one as well.
    pub(super) label: Option<String>,
    /// What became of it where it broke off.
    pub(super) loss: Option<String>,
    /// All that there is to say about it.
    pub(super) title: String,
    /// Whether something was found to be wrong here.
    pub(super) wrong: bool,
    /// The race to which it belongs. Neighbours of one race that say the same share one label.
    pub(super) group: Option<usize>,
}

/// What a message is about. Words and forms say the same as the colour that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// A request.
    Plain,
    /// A success.
    Good,
    /// An answer with a 3xx or 4xx.
    Refused,
    /// An answer with a 5xx.
    Failed,
    /// It did not arrive, or nobody knows.
    Lost,
}

/// What a counter showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effects {
    /// How many there were; absent where the counter failed.
    pub(super) number: Option<usize>,
    /// Whether there were fewer at the reading before.
    pub(super) rose: bool,
    /// Which effects these are, in few words.
    pub(super) note: String,
    pub(super) title: String,
}

/// What concerns both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Band {
    /// Time passes.
    Wait,
    /// The target's clock was moved.
    Clock,
    /// A hook was run.
    Hook,
    /// Another process goes on with the run.
    Resumed,
    /// Attempts are left out here.
    LeftOut,
}

/// How far a message is drawn that left our socket in part only. Where on the network it ended nobody knows.
const NOTHING_LEFT: f64 = 0.06;
const HEAD_LEFT: f64 = 0.3;
const HALF_LEFT: f64 = 0.55;
const ANSWER_CUT: f64 = 0.5;
const ANSWER_HIDDEN: f64 = 0.86;

/// Copies of a race that left within this time left together.
const TOGETHER: Duration = Duration::from_millis(5);

/// Puts a case into the order of time.
pub(super) fn scene(subject: &Subject<'_>) -> Vec<Timed> {
    let mut items: Vec<(Duration, u8, Item)> = Vec::new();
    let attempts = subject.case.attempts.iter().filter(|attempt| subject.shown.contains(&attempt.start.id));
    for attempt in attempts {
        let group = subject.case.races.iter().position(|race| race.attempts.contains(&attempt.start.id));
        let (sent, over) = (sent(attempt), over(attempt));
        items.push((sent, 1, Item::Request(request(subject, attempt, group))));
        items.extend(end(subject, attempt, group).map(|item| (over.max(sent), 2, item)));
    }
    for race in &subject.case.races {
        items.extend(release(subject, race).map(|(at, item)| (at, 0, item)));
    }
    items.extend(left_out(subject).into_iter().map(|(at, item)| (at, 1, item)));
    items.extend(marked_events(subject));
    items.extend(effects(subject).into_iter().map(|(at, item)| (at, 4, item)));
    items.sort_by_key(|(at, rank, _)| (*at, *rank));
    let mut timed: Vec<Timed> = items.into_iter().map(|(at, _, what)| Timed { at, what }).collect();
    let last = timed.last().map(|item| item.at).unwrap_or_default();
    timed.extend(suspended(subject).map(|what| Timed { at: last, what }));
    share_labels(&mut timed);
    timed
}

/// When the last byte that left of a request left: for a copy of a race that is its release.
fn sent(attempt: &Attempt) -> Duration {
    attempt.end.as_ref().map_or(attempt.recorded, |end| end.timing.last_written.unwrap_or(end.timing.began))
}

fn over(attempt: &Attempt) -> Duration {
    attempt.end.as_ref().map_or(attempt.recorded, |end| end.timing.ended)
}

fn request(subject: &Subject<'_>, attempt: &Attempt, group: Option<usize>) -> Message {
    let reach = attempt.end.as_ref().map_or(1.0, |end| request_reach(&end.outcome));
    let broken = reach < 1.0;
    Message {
        attempt: attempt.start.id.0,
        reach,
        tone: if broken { Tone::Lost } else { Tone::Plain },
        says: label::request(subject, &attempt.start),
        took: None,
        label: None,
        loss: broken.then(|| label::loss(attempt)),
        title: label::request_title(&attempt.start),
        wrong: subject.wrong.contains(&attempt.start.id),
        group,
    }
}

fn request_reach(outcome: &Outcome) -> f64 {
    match outcome {
        Outcome::Answered(_) | Outcome::Hidden(_) | Outcome::Swallowed => 1.0,
        Outcome::Lost { at, .. } => match at {
            LossPoint::Connection => NOTHING_LEFT,
            LossPoint::Head => HEAD_LEFT,
            LossPoint::Request => HALF_LEFT,
            LossPoint::Execution | LossPoint::PartialResponse | LossPoint::Response => 1.0,
        },
        Outcome::Failed { bytes_written: 0, .. } => NOTHING_LEFT,
        Outcome::Failed { request_written: false, .. } => HALF_LEFT,
        Outcome::Failed { .. } => 1.0,
    }
}

/// The end of an attempt, unless the break of its request says it already.
fn end(subject: &Subject<'_>, attempt: &Attempt, group: Option<usize>) -> Option<Item> {
    let message = |reach, tone, loss: Option<String>| Message {
        attempt: attempt.start.id.0,
        reach,
        tone,
        says: label::answer(subject, attempt),
        took: attempt.end.as_ref().map(|end| end.timing.ended.saturating_sub(end.timing.began)),
        label: None,
        loss,
        title: label::answer_title(attempt),
        wrong: false,
        group,
    };
    let loss = Some(label::loss(attempt));
    let Some(end) = &attempt.end else {
        return Some(Item::Gone(message(0.0, Tone::Lost, loss)));
    };
    match &end.outcome {
        Outcome::Answered(response) => Some(Item::Answer(message(1.0, tone(response.status, end.success), None))),
        Outcome::Hidden(response) => {
            Some(Item::Answer(message(ANSWER_HIDDEN, tone(response.status, end.success), loss)))
        }
        Outcome::Lost { at: LossPoint::PartialResponse, .. } => {
            Some(Item::Answer(message(ANSWER_CUT, Tone::Lost, loss)))
        }
        outcome if request_reach(outcome) < 1.0 => None,
        Outcome::Lost { .. } | Outcome::Failed { .. } | Outcome::Swallowed => {
            Some(Item::Gone(message(0.0, Tone::Lost, loss)))
        }
    }
}

fn tone(status: u16, success: bool) -> Tone {
    match status {
        _ if success => Tone::Good,
        200..=299 => Tone::Good,
        500.. => Tone::Failed,
        _ => Tone::Refused,
    }
}

/// The moment at which the first copy of a race was complete.
fn release(subject: &Subject<'_>, race: &RaceRound) -> Option<(Duration, Item)> {
    let copies = race.attempts.iter().filter(|copy| subject.shown.contains(copy));
    let first = copies.filter_map(|copy| subject.case.attempt(*copy)).map(sent).min()?;
    Some((first, Item::Release(label::release(race))))
}

/// A note for every gap between attempts that are drawn.
fn left_out(subject: &Subject<'_>) -> Vec<(Duration, Item)> {
    let mut gaps: Vec<(Duration, usize)> = Vec::new();
    let mut within = false;
    for attempt in &subject.case.attempts {
        let hidden = !subject.shown.contains(&attempt.start.id);
        match gaps.last_mut().filter(|_| hidden && within) {
            Some((_, number)) => *number += 1,
            None if hidden => gaps.push((sent(attempt), 1)),
            None => {}
        }
        within = hidden;
    }
    gaps.into_iter().map(|(at, number)| (at, Item::Band(Band::LeftOut, label::left_out(number)))).collect()
}

/// Hooks, and what became of the run in between.
fn marked_events(subject: &Subject<'_>) -> Vec<(Duration, u8, Item)> {
    let hooks = subject.case.hooks.iter().map(|(at, _, run)| {
        let band = if run.advanced.is_zero() { Band::Hook } else { Band::Clock };
        (*at, 3, Item::Band(band, label::hook(run)))
    });
    let resumed = subject
        .case
        .course
        .resumptions
        .iter()
        .map(|at| (*at, 3, Item::Band(Band::Resumed, "another process goes on with the run".to_owned())));
    hooks.chain(resumed).collect()
}

/// Until when the case waits, where it has not been gone on with.
fn suspended(subject: &Subject<'_>) -> Option<Item> {
    let waiting = subject.case.course.suspended.as_ref()?;
    Some(Item::Band(Band::Wait, label::suspended(waiting)))
}

/// Every reading of a counter that says something new, and the last one of each stretch without attempts.
fn effects(subject: &Subject<'_>) -> Vec<(Duration, Item)> {
    let mut known: BTreeMap<(&str, usize, &str, &str), (u32, &Listing)> = BTreeMap::new();
    let mut items = Vec::new();
    for count in &subject.case.counts {
        let before = known.insert(counter_of(count), (count.after, &count.listing));
        if before != Some((count.after, &count.listing)) && is_shown(subject, count) {
            let before = before.map(|(_, listing)| listing);
            items.push((count.ended, Item::Effects(read(subject, count, before))));
        }
    }
    items
}

fn counter_of(count: &Count) -> (&str, usize, &str, &str) {
    (&count.marker, count.counter, &count.account, &count.operation)
}

/// Whether the attempt before a reading is drawn, so that the reading has its place.
fn is_shown(subject: &Subject<'_>, count: &Count) -> bool {
    count.after == 0 || subject.shown.contains(&AttemptId(count.after))
}

fn read(subject: &Subject<'_>, count: &Count, before: Option<&Listing>) -> Effects {
    let number = |listing: &Listing| match listing {
        Listing::Items(items) => Some(items.len()),
        Listing::Failed(_) => None,
    };
    let now = number(&count.listing);
    Effects {
        number: now,
        rose: now > before.and_then(number).or(Some(0)),
        note: label::effects(&count.listing, before),
        title: label::effects_title(subject, count),
    }
}

/// Gives every message its label. Neighbours of one race that say the same share one.
fn share_labels(items: &mut [Timed]) {
    let mut first = 0;
    while first < items.len() {
        let alike = items[first..].iter().take_while(|other| is_alike(&items[first], other)).count().max(1);
        let numbers: Vec<u32> = messages(&items[first..first + alike]).map(|message| message.attempt).collect();
        let times: Vec<Duration> = messages(&items[first..first + alike]).filter_map(|message| message.took).collect();
        let is_request = matches!(items[first].what, Item::Request(_));
        for (position, item) in items[first..first + alike].iter_mut().enumerate() {
            if let Some(message) = message_mut(&mut item.what) {
                message.label = (position == 0).then(|| match is_request {
                    true => label::of_requests(&message.says, &numbers),
                    false => label::of_answers(&message.says, numbers.len(), &times),
                });
                message.loss = message.loss.take().filter(|_| position == 0);
            }
        }
        first += alike;
    }
}

fn is_alike(left: &Timed, right: &Timed) -> bool {
    let same = |left: &Message, right: &Message| {
        left.group.is_some()
            && (left.group, left.tone, left.reach, left.wrong) == (right.group, right.tone, right.reach, right.wrong)
            && (&left.says, &left.loss) == (&right.says, &right.loss)
    };
    match (&left.what, &right.what) {
        // Copies with a delay of their own have a time of their own.
        (Item::Request(first), Item::Request(second)) => {
            same(first, second) && right.at.saturating_sub(left.at) <= TOGETHER
        }
        (Item::Answer(left), Item::Answer(right)) | (Item::Gone(left), Item::Gone(right)) => same(left, right),
        _ => false,
    }
}

fn messages(items: &[Timed]) -> impl Iterator<Item = &Message> {
    items.iter().filter_map(|item| match &item.what {
        Item::Request(message) | Item::Answer(message) | Item::Gone(message) => Some(message),
        Item::Release(_) | Item::Effects(_) | Item::Band(..) => None,
    })
}

fn message_mut(item: &mut Item) -> Option<&mut Message> {
    match item {
        Item::Request(message) | Item::Answer(message) | Item::Gone(message) => Some(message),
        Item::Release(_) | Item::Effects(_) | Item::Band(..) => None,
    }
}
