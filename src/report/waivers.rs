//! Known deviations: what became of each waiver that is about what was probed.

use super::terminal::View;
use super::text::{Tone, escape};
use crate::checklist::{WaiverLine, WaiverState};
use crate::waiver::Waiver;

impl View<'_> {
    /// Every waiver with what became of it; nothing where none is about what was probed.
    pub(super) fn waivers(&self) -> String {
        if self.checklist.waivers.is_empty() {
            return String::new();
        }
        let lines: String = self.checklist.waivers.iter().map(|line| self.waiver(line)).collect();
        format!("{}\n\n{lines}\n", self.heading("Waivers"))
    }

    fn waiver(&self, WaiverLine { waiver, state }: &WaiverLine<'_>) -> String {
        let (mark, tone) = match state {
            WaiverState::Forgives(_) => ("~", Tone::Doubtful),
            WaiverState::Expired(_) | WaiverState::Unused => ("!", Tone::Bad),
            WaiverState::NotExercised => ("-", Tone::Quiet),
        };
        let state = self.paint.apply(tone, &state.words());
        let mut text = format!("{mark} {}, until {}: {state}\n", escape(&named(waiver)), waiver.until);
        text.push_str(&self.field("reason", &waiver.reason));
        if let Some(issue) = &waiver.issue {
            text.push_str(&self.field("issue", issue));
        }
        text.push_str(&self.field("written in", &waiver.place));
        text
    }
}

/// What a waiver is about: `replay.fidelity in key-reuse`.
fn named(waiver: &Waiver) -> String {
    let part =
        |word: &str, name: &Option<String>| name.as_ref().map(|name| format!(" {word} {name}")).unwrap_or_default();
    format!(
        "{}{}{}{}",
        waiver.requirement,
        part("of operation", &waiver.operation),
        part("in", &waiver.scenario),
        part("for profile", &waiver.profile)
    )
}
