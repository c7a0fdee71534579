//! Live progress: one event, at most one line.

use super::text::{cut, escape, plural};
use crate::history::{AttemptEnd, CaseEnding, Count, Event, EventKind, Listing, Outcome};

/// Longer messages would not fit on the line that shows them.
const DETAIL_LIMIT: usize = 60;

/// What to tell somebody who watches a run; `None` for events that need no telling.
pub fn progress(event: &Event) -> Option<String> {
    let message = message(&event.event)?;
    Some(match &event.case {
        Some(case) => format!("{}: {message}", escape(&case.0)),
        None => message,
    })
}

fn message(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::RunStarted(run) => Some(format!("probing {} as {}", escape(&run.base_url), escape(&run.profile))),
        EventKind::CaseSkipped(skipped) => Some(format!("not run ({})", escape(&skipped.reason.to_string()))),
        EventKind::CaseStarted(_) => Some("began".into()),
        EventKind::IntentCreated(_)
        | EventKind::Planned(_)
        | EventKind::TokensTook { .. }
        | EventKind::HookStarted { .. } => None,
        EventKind::Resumed(_) => Some("going on with the run".into()),
        EventKind::Waiting(waiting) => Some(format!("waiting until {}", escape(&waiting.due))),
        EventKind::Suspended(waiting) => Some(format!("suspended until {}", escape(&waiting.due))),
        EventKind::CaseRepeated => Some("an attempt was swallowed; once more with fresh actions".into()),
        EventKind::CaseRestarted => Some("cut short before; again with fresh actions".into()),
        EventKind::Voided { .. } => Some("the answer was faster than the loss; again with a fresh action".into()),
        EventKind::AttemptStarted(start) => {
            let lose = start.lose.map(|loss| format!(", to be lost: {loss}")).unwrap_or_default();
            let (method, target) = (escape(&start.method), cut(&start.request.target, DETAIL_LIMIT));
            Some(format!("attempt {} sent, {method} {target}{lose}", start.id))
        }
        EventKind::AttemptEnded(end) => Some(format!("attempt {} {}", end.id, outcome(end))),
        EventKind::Counted(count) => Some(counted(count)),
        EventKind::Raced(race) => {
            let copies = plural(race.attempts.len(), "attempt");
            Some(format!("{copies} raced, {}", if race.overlapped { "overlapping" } else { "not shown to overlap" }))
        }
        EventKind::HookRan(run) => Some(match &run.error {
            None => format!("hook {} ran", escape(&run.name)),
            Some(error) => format!("hook {} failed: {}", escape(&run.name), cut(error, DETAIL_LIMIT)),
        }),
        EventKind::CaseEnded(ending) => Some(match ending {
            CaseEnding::Completed => "done".into(),
            CaseEnding::Interrupted => "interrupted".into(),
            CaseEnding::Stopped(reason) => format!("stopped ({})", escape(&reason.to_string())),
        }),
        EventKind::Calibrated(learned) => {
            let latency = learned.latency.as_secs_f64() * 1000.0;
            Some(format!("calibrated: the target takes {latency:.1} ms"))
        }
        EventKind::CleanedUp(cleanup) => Some(match &cleanup.error {
            None => format!("removed {}", cut(&cleanup.identity, DETAIL_LIMIT)),
            Some(error) => {
                format!("could not remove {}: {}", cut(&cleanup.identity, DETAIL_LIMIT), cut(error, DETAIL_LIMIT))
            }
        }),
        EventKind::Interrupted => Some("interrupted: cleaning up".into()),
        EventKind::RunEnded { requests } => Some(format!("over after {requests} requests")),
    }
}

fn outcome(end: &AttemptEnd) -> String {
    match &end.outcome {
        Outcome::Answered(response) => format!("answered {}", response.status),
        Outcome::Hidden(response) => format!("answered {}, treated as lost", response.status),
        Outcome::Lost { at, .. } => format!("lost on purpose ({})", at.id()),
        Outcome::Failed { error, .. } => format!("failed: {}", error.words()),
        Outcome::Swallowed => "swallowed: the tool was killed".into(),
    }
}

fn counted(count: &Count) -> String {
    match &count.listing {
        Listing::Items(items) => format!("counted {}", plural(items.len(), "effect")),
        Listing::Failed(failure) => cut(&failure.to_string(), DETAIL_LIMIT),
    }
}

#[cfg(test)]
mod tests {
    use crate::history::{EventKind, Outcome, Race};
    use crate::report::{fixtures::*, progress};

    const CASE: &str = "lost-response[lose=response]";

    #[test]
    fn a_case_is_told_line_by_line() {
        let told: Vec<String> = doubled(CASE).iter().filter_map(progress).take(5).collect();
        assert_eq!(
            told,
            [
                "lost-response[lose=response]: began",
                "lost-response[lose=response]: attempt #1 sent, POST /orders, to be lost: response",
                "lost-response[lose=response]: attempt #1 answered 201, treated as lost",
                "lost-response[lose=response]: counted 1 effect",
                "lost-response[lose=response]: attempt #2 sent, POST /orders",
            ]
        );
    }

    #[test]
    fn every_message_is_one_harmless_line() {
        let mut poisoned = start(1);
        poisoned.request.target = "/\u{1b}[2J\n".repeat(100);
        let events = [
            event(0, None, EventKind::RunStarted(Box::new(run_info()))),
            event(0, Some("a\u{1b}\nb"), EventKind::AttemptStarted(poisoned)),
            event(0, Some(CASE), EventKind::AttemptEnded(end(1, Outcome::Answered(answer(201, "\n"))))),
            event(0, None, EventKind::Interrupted),
        ];
        for message in events.iter().filter_map(progress) {
            assert!(!message.chars().any(char::is_control) && message.chars().count() < 400, "{message:?}");
        }
    }

    #[test]
    fn a_race_says_whether_it_was_one() {
        let race = |overlapped| {
            let race =
                Race { attempts: Vec::new(), overlapped, spread: Default::default(), release: Default::default() };
            progress(&event(0, None, EventKind::Raced(race))).unwrap()
        };
        assert_ne!(race(true), race(false));
    }
}
