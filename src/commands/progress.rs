//! Live progress on stderr: a bar on a terminal, a line for each finished case elsewhere. Waits say how long they last.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::output::{is_quiet, say};
use crate::history::{CaseId, Event, EventKind};

/// How often the time that is left is shown anew.
const TICK: Duration = Duration::from_secs(1);

/// A wait that is over sooner is not worth a line.
const SHORTEST: Duration = Duration::from_secs(3);

/// Shows how far something has come that has many parts.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    parts: usize,
    finished: AtomicUsize,
    waits: Arc<Waits>,
}

impl Progress {
    /// Of so many parts, which are called so.
    pub(super) fn new(parts: usize, noun: &str) -> Self {
        let waits = Arc::new(Waits::default());
        let bar = (std::io::stderr().is_terminal() && !is_quiet()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
            let template = format!("{{pos}}/{{len}} {noun}{{waits}}  {{wide_msg}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                let waits = Arc::clone(&waits);
                let shown = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
                    let _ = text.write_str(&waits.shown(SystemTime::now()));
                };
                bar.set_style(style.with_key("waits", shown));
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Self { bar, parts, finished: AtomicUsize::new(0), waits }
    }

    /// Shows an event of a run whose parts are its cases.
    pub(super) fn show(&self, event: &Event) {
        if let Some(case) = &event.case {
            self.waits.note(case, &event.event);
            if let (EventKind::Waiting(waiting), None) = (&event.event, &self.bar)
                && let Some(left) = left(&waiting.due, SystemTime::now()).filter(|left| *left >= SHORTEST)
            {
                say(&format!("{case}: waits for {} (until {})", humantime::format_duration(left), waiting.due));
            }
        }
        if let (EventKind::CaseEnded(_), Some(case)) = (&event.event, &event.case) {
            self.part_ended(&case.to_string());
        }
        if let (Some(bar), Some(line)) = (&self.bar, crate::report::progress(event)) {
            bar.set_message(line);
        }
    }

    /// Shows that a part is over, and what is to be said about it.
    pub(super) fn part_ended(&self, line: &str) {
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(line.to_owned());
            }
            None => {
                let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
                say(&format!("{finished}/{} {line}", self.parts));
            }
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The cases that wait, and until when.
#[derive(Default)]
struct Waits(Mutex<BTreeMap<String, SystemTime>>);

impl Waits {
    /// Whatever a case does after it began to wait, it does not wait any more.
    fn note(&self, case: &CaseId, event: &EventKind) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.remove(&case.0);
        if let EventKind::Waiting(waiting) = event
            && let Ok(due) = humantime::parse_rfc3339(&waiting.due)
        {
            waits.insert(case.0.clone(), due);
        }
    }

    /// How many cases wait, and for how long the last of them does.
    fn shown(&self, now: SystemTime) -> String {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        if let Some(last) = waits.values().max() {
            let left = Duration::from_secs(last.duration_since(now).unwrap_or_default().as_secs());
            let _ = write!(text, ", {} waiting, {} left", waits.len(), humantime::format_duration(left));
        }
        text
    }
}

/// The time until a date, in whole seconds; none where it has passed.
fn left(due: &str, now: SystemTime) -> Option<Duration> {
    let due = humantime::parse_rfc3339(due).ok()?;
    due.duration_since(now).ok().map(|left| Duration::from_secs(left.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Waiting;

    #[test]
    fn the_longest_wait_is_shown_until_its_case_goes_on() {
        let (waits, now) = (Waits::default(), humantime::parse_rfc3339("2026-12-01T10:00:00Z").unwrap());
        let waiting = |due: &str| EventKind::Waiting(Waiting { until: Duration::ZERO, due: due.into() });
        assert_eq!(waits.shown(now), "");
        waits.note(&CaseId("a".into()), &waiting("2026-12-01T10:00:30Z"));
        waits.note(&CaseId("b".into()), &waiting("2026-12-01T10:01:40Z"));
        assert_eq!(waits.shown(now), ", 2 waiting, 1m 40s left");
        assert_eq!(waits.shown(now + Duration::from_secs(95)), ", 2 waiting, 5s left");
        waits.note(&CaseId("b".into()), &EventKind::CaseRestarted);
        assert_eq!(waits.shown(now), ", 1 waiting, 30s left");
        assert_eq!(left("2026-12-01T10:00:30Z", now), Some(Duration::from_secs(30)));
        assert_eq!(left("2026-12-01T09:00:30Z", now), None);
    }
}
