use std::collections::BTreeSet;
use std::time::Duration;

use super::layout::{Drawing, Shape, layout};
use super::scene::{Band, Item, Timed, Tone, scene};
use super::{Subject, timeline};
use crate::history::*;
use crate::report::fixtures::*;

const CASE: &str = "lost-response[lose=response]";

/// The case that these events make.
fn case(kinds: Vec<(u64, EventKind)>) -> CaseHistory {
    let began = event(0, Some(CASE), case_started("lost-response"));
    let events: Vec<Event> = kinds.into_iter().map(|(at, kind)| event(at, Some(CASE), kind)).collect();
    history(std::iter::once(began).chain(events).collect()).cases[0].clone()
}

/// An attempt between two moments, in milliseconds, and what became of it.
fn attempt(number: u32, (sent, over): (u64, u64), lose: Option<&str>, outcome: Outcome) -> Vec<(u64, EventKind)> {
    let start = AttemptStart { lose: lose.map(|lose| lose.parse().unwrap()), ..start(number) };
    let timing = Timing {
        began: milliseconds(sent),
        last_written: Some(milliseconds(sent)),
        ended: milliseconds(over),
        ..Timing::default()
    };
    let over_event = EventKind::AttemptEnded(AttemptEnd { timing, ..end(number, outcome) });
    vec![(sent, EventKind::AttemptStarted(start)), (over, over_event)]
}

fn answered(number: u32, times: (u64, u64), status: u16) -> Vec<(u64, EventKind)> {
    attempt(number, times, None, Outcome::Answered(answer(status, r#"{"order_id":1}"#)))
}

fn scene_of(case: &CaseHistory) -> Vec<Timed> {
    let shown: BTreeSet<AttemptId> = case.attempts.iter().map(|attempt| attempt.start.id).collect();
    scene(&subject(case, &shown, &BTreeSet::new()))
}

fn subject<'a>(case: &'a CaseHistory, shown: &'a BTreeSet<AttemptId>, wrong: &'a BTreeSet<AttemptId>) -> Subject<'a> {
    Subject { run: None, case, marker: None, shown, wrong, anchor: "r1-c1" }
}

fn drawing(case: &CaseHistory) -> Drawing {
    layout(&scene_of(case))
}

/// Where a shape stands: for an arrow the client's end of it.
fn height(shape: &Shape) -> Option<i32> {
    match shape {
        Shape::Arrow(arrow) => Some(if arrow.to_server { arrow.from.1 } else { arrow.to.1 }),
        Shape::Gone { y, .. } | Shape::Release { y, .. } | Shape::Effects { y, .. } | Shape::Band { y, .. } => Some(*y),
        Shape::Bar(_) => None,
    }
}

fn race(copies: &[u32], spread: u64) -> EventKind {
    EventKind::Raced(Race {
        attempts: copies.iter().map(|copy| AttemptId(*copy)).collect(),
        overlapped: true,
        spread: Duration::from_micros(spread),
        release: Release::LastByte,
    })
}

fn bands(drawing: &Drawing) -> Vec<(Band, &str)> {
    let shapes = drawing.shapes.iter();
    shapes
        .filter_map(|shape| match shape {
            Shape::Band { band, label, .. } => Some((*band, label.as_str())),
            _ => None,
        })
        .collect()
}

#[test]
fn a_message_breaks_where_it_was_lost() {
    let lost = |at| Outcome::Lost { at, bytes_written: 100, status: None };
    let reaches = |lose: &str, outcome| {
        let case = case(attempt(1, (10, 20), Some(lose), outcome));
        let mut request = None;
        let mut end = "nothing";
        for Timed { what, .. } in scene_of(&case) {
            match what {
                Item::Request(message) => request = Some((message.reach, message.tone)),
                Item::Answer(message) => end = if message.reach < 1.0 { "part of an answer" } else { "an answer" },
                Item::Gone(_) => end = "the client went away",
                Item::Release(_) | Item::Effects(_) | Item::Band(..) => {}
            }
        }
        (request.unwrap(), end)
    };
    let (connection, _) = reaches("connection", lost(LossPoint::Connection));
    let (head, _) = reaches("head", lost(LossPoint::Head));
    let (half, end) = reaches("request", lost(LossPoint::Request));
    assert!(0.0 < connection.0 && connection.0 < head.0 && head.0 < half.0 && half.0 < 1.0);
    assert_eq!((half.1, end), (Tone::Lost, "nothing"), "the break of the request says it all");
    let whole = (1.0, Tone::Plain);
    assert_eq!(reaches("execution", lost(LossPoint::Execution)), (whole, "the client went away"));
    assert_eq!(reaches("partial-response", lost(LossPoint::PartialResponse)), (whole, "part of an answer"));
    assert_eq!(reaches("response", Outcome::Hidden(answer(201, "{}"))), (whole, "part of an answer"));
    assert_eq!(reaches("execution", Outcome::Answered(answer(201, "{}"))), (whole, "an answer"));
    assert_eq!(reaches("execution", Outcome::Swallowed), (whole, "the client went away"));
}

#[test]
fn what_happened_earlier_never_stands_lower() {
    let mut kinds = answered(1, (0, 300), 201);
    kinds.extend(answered(2, (10, 40), 409));
    kinds.extend(answered(3, (20, 900), 201));
    kinds.push((950, EventKind::Counted(Count { ended: milliseconds(950), ..count(3, &["1", "2"]) })));
    kinds.extend(attempt(
        4,
        (5000, 5010),
        Some("request"),
        Outcome::Lost { at: LossPoint::Request, bytes_written: 9, status: None },
    ));
    let drawing = drawing(&case(kinds));
    let heights: Vec<i32> = drawing.shapes.iter().filter_map(height).collect();
    assert!(heights.is_sorted(), "{heights:?}");
    assert!(heights.len() >= 8 && heights.iter().all(|height| *height < drawing.height), "{heights:?}");
}

#[test]
fn copies_that_overlap_are_drawn_beside_each_other() {
    let mut kinds = answered(1, (10, 40), 201);
    kinds.extend(answered(2, (11, 45), 409));
    kinds.extend(answered(3, (60, 70), 201));
    let drawing = drawing(&case(kinds));
    let bars: Vec<_> = drawing
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Bar(bar) => Some(*bar),
            _ => None,
        })
        .collect();
    assert_eq!(
        bars.iter().map(|bar| bar.slot).collect::<Vec<_>>(),
        [0, 1, 0],
        "the third has the lane for itself again"
    );
    assert!(bars[1].top < bars[0].bottom && bars[2].top > bars[1].bottom, "{bars:?}");
    assert!(bars.iter().all(|bar| bar.certain));
}

#[test]
fn nobody_knows_how_long_a_server_worked_for_a_client_that_went_away() {
    let gone = Outcome::Lost { at: LossPoint::Execution, bytes_written: 231, status: None };
    let drawing = drawing(&case(attempt(1, (10, 20), Some("execution by reset"), gone)));
    assert!(drawing.shapes.iter().any(|shape| matches!(shape, Shape::Bar(bar) if !bar.certain)));
    assert!(drawing.shapes.iter().any(|shape| matches!(shape, Shape::Gone { .. })));
}

#[test]
fn copies_of_a_race_share_a_label_where_they_say_the_same() {
    let mut kinds: Vec<(u64, EventKind)> =
        (1..=4).flat_map(|number| answered(number, (10, 40 + u64::from(number)), 409)).collect();
    kinds.extend(answered(5, (10, 60), 201));
    kinds.push((61, race(&[1, 2, 3, 4, 5], 80)));
    let scene = scene_of(&case(kinds));
    let labels: Vec<String> = scene
        .iter()
        .filter_map(|item| match &item.what {
            Item::Request(message) | Item::Answer(message) | Item::Gone(message) => message.label.clone(),
            Item::Release(label) | Item::Band(_, label) => Some(label.clone()),
            Item::Effects(_) => None,
        })
        .collect();
    assert_eq!(
        labels,
        [
            "5 copies let go within 0.08 ms (last byte), overlapping",
            "#1–#5: 5 × POST key 7f3a52d1…",
            "4 × 409 · 31 ms to 34 ms",
            "201 · 50 ms",
        ]
    );
}

#[test]
fn time_that_passes_and_a_clock_that_is_moved_are_told() {
    let mut kinds = answered(1, (10, 20), 201);
    let moved = HookRun {
        name: "advance-clock".into(),
        began: None,
        changed: None,
        advanced: milliseconds(86_400_000),
        confirmed: None,
        error: None,
    };
    kinds.extend(answered(2, (2520, 2530), 201));
    kinds.push((2540, EventKind::HookRan(moved)));
    kinds.extend(answered(3, (2545, 2550), 201));
    let case = case(kinds);
    assert_eq!(
        bands(&drawing(&case)),
        [(Band::Wait, "2.5 s pass"), (Band::Clock, "hook advance-clock: the target's clock is moved by 1day")]
    );
}

#[test]
fn a_suspended_case_says_until_when() {
    let mut kinds = answered(1, (10, 20), 201);
    let waiting = Waiting { until: milliseconds(86_400_000), due: "2026-12-01T10:00:00Z".into() };
    kinds.push((30, EventKind::Suspended(waiting)));
    assert_eq!(bands(&drawing(&case(kinds))), [(Band::Wait, "suspended: goes on at 2026-12-01T10:00:00Z")]);
}

#[test]
fn effects_that_rise_stand_out_and_those_read_again_are_told_once() {
    let mut kinds = vec![(5, EventKind::Counted(count(0, &[])))];
    kinds.extend(answered(1, (10, 12), 201));
    kinds.extend([(16, EventKind::Counted(count(1, &["1"]))), (17, EventKind::Counted(count(1, &["1"])))]);
    kinds.extend(answered(2, (20, 22), 201));
    kinds.push((26, EventKind::Counted(count(2, &["1", "2"]))));
    let scene = scene_of(&case(kinds));
    let effects: Vec<(Option<usize>, bool)> = scene
        .iter()
        .filter_map(|item| match &item.what {
            Item::Effects(effects) => Some((effects.number, effects.rose)),
            _ => None,
        })
        .collect();
    assert_eq!(effects, [(Some(0), false), (Some(1), true), (Some(2), true)]);
}

#[test]
fn attempts_that_are_not_shown_leave_a_note() {
    let kinds = (1..=9).flat_map(|number| answered(number, (u64::from(number) * 10, u64::from(number) * 10 + 2), 201));
    let case = case(kinds.collect());
    let shown: BTreeSet<AttemptId> = [1, 2, 8, 9].map(AttemptId).into();
    let drawing = layout(&scene(&subject(&case, &shown, &BTreeSet::new())));
    assert_eq!(bands(&drawing), [(Band::LeftOut, "5 further attempts left out")]);
}

#[test]
fn keys_that_begin_alike_are_told_apart() {
    let (mut first, mut second) = (start(1), start(2));
    (first.key, second.key) = (Some(format!("{}a", "k".repeat(254))), Some(format!("{}b", "k".repeat(254))));
    (first.key_kind, second.key_kind) = (Some(KeyKind::Longest), Some(KeyKind::LongestSibling));
    let case = case(vec![(10, EventKind::AttemptStarted(first)), (20, EventKind::AttemptStarted(second))]);
    let labels: Vec<String> = scene_of(&case)
        .into_iter()
        .filter_map(|item| match item.what {
            Item::Request(message) => message.label,
            _ => None,
        })
        .collect();
    assert_eq!(labels, ["#1 POST longest key kkkkkkkk…kkka", "#2 POST longest-sibling key kkkkkkkk…kkkb"]);
}

#[test]
fn a_drawing_is_markup_and_leads_to_the_exchanges() {
    let hidden = Outcome::Hidden(answer(201, "{}"));
    let mut kinds = attempt(1, (10, 14), Some("response"), hidden);
    kinds.extend(answered(2, (20, 24), 201));
    let case = case(kinds);
    let shown: BTreeSet<AttemptId> = [1, 2].map(AttemptId).into();
    let wrong: BTreeSet<AttemptId> = [AttemptId(2)].into();
    let markup = timeline(&subject(&case, &shown, &wrong));
    let parsed = roxmltree::Document::parse(&markup).unwrap();
    let links: Vec<_> =
        parsed.descendants().filter_map(|node| node.attribute("href").filter(|href| href.contains("c1"))).collect();
    assert_eq!(links, ["#r1-c1-1", "#r1-c1-2"]);
    let words: String = parsed.descendants().filter_map(|node| node.text()).collect();
    for told in
        ["answer lost (read as evidence)", "✗ judged", "#2 POST key 7f3a52d1…", "201 · 4.0 ms", "client", "server"]
    {
        assert!(words.contains(told), "{told}: {words}");
    }
}
