//! Live progress on stderr: a bar on a terminal, a line for each finished case elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::say;
use crate::history::{Event, EventKind};

/// Shows how far something has come that has many parts.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    parts: usize,
    finished: AtomicUsize,
}

impl Progress {
    /// Of so many parts, which are called so.
    pub(super) fn new(parts: usize, noun: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(&format!("{{pos}}/{{len}} {noun}  {{wide_msg}}")) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, parts, finished: AtomicUsize::new(0) }
    }

    /// Shows an event of a run whose parts are its cases.
    pub(super) fn show(&self, event: &Event) {
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
