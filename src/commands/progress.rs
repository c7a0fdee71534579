//! Live progress on stderr: a bar on a terminal, a line for each finished case elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::say;
use crate::history::{Event, EventKind};

/// Shows how far a run has come.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    cases: usize,
    finished: AtomicUsize,
}

impl Progress {
    pub(super) fn new(cases: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{pos}/{len} cases  {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, cases, finished: AtomicUsize::new(0) }
    }

    pub(super) fn show(&self, event: &Event) {
        match (&event.event, &event.case, &self.bar) {
            (EventKind::CaseEnded(_), Some(case), None) => {
                let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
                say(&format!("{finished}/{} {case}", self.cases));
            }
            (kind, _, Some(bar)) => {
                if matches!(kind, EventKind::CaseEnded(_)) {
                    bar.inc(1);
                }
                if let Some(line) = crate::report::progress(event) {
                    bar.set_message(line);
                }
            }
            _ => {}
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
