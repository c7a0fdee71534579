//! What a reader has to know where the target was a mock.

use std::collections::BTreeSet;

use super::terminal::View;
use super::text::{Tone, escape, wrap};
use crate::history::{History, MockInfo};

/// The hook that moves a clock.
const CLOCK: &str = "advance-clock";

impl View<'_> {
    /// That this was a mock, and what was done to it that nobody may be able to do to the real target.
    pub(super) fn mocked(&self) -> String {
        let Some(mock) = self.history.plan.as_ref().and_then(|plan| plan.mock.as_ref()) else {
            return String::new();
        };
        let title = self.paint.apply(Tone::Doubtful, "THIS WAS A MOCK, NOT THE REAL API");
        let paragraphs = sentences(self.history, mock);
        let text: String = paragraphs.iter().map(|sentence| wrap(&escape(sentence), self.width(), "  ")).collect();
        format!("{title}\n{text}\n")
    }
}

/// What there is to say of a mock.
pub(super) fn sentences(history: &History, mock: &MockInfo) -> Vec<String> {
    let sentences = [
        "idemspec itself served what the profile describes, on this machine, and nothing left it. What holds below says that \
         the profile can be kept and the breach of it be seen; it says nothing about the real API."
            .to_owned(),
        own_hooks(history, mock),
        removed(mock),
        bound(mock),
    ];
    sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

/// The hooks of the mock's own that were used.
fn own_hooks(history: &History, mock: &MockInfo) -> String {
    let runs = history.cases.values().flat_map(|case| &case.hooks);
    let used: BTreeSet<&str> = runs.map(|(_, _, run)| run.name.as_str()).collect();
    let own = mock.hooks.iter().map(String::as_str).filter(|name| used.contains(name));
    let told: Vec<&str> =
        own.map(|name| if name == CLOCK { "advance-clock (its clock was moved)" } else { name }).collect();
    if told.is_empty() {
        return String::new();
    }
    format!("The profile has no such hooks, but the mock did: {}.", told.join(", "))
}

fn removed(mock: &MockInfo) -> String {
    if mock.without.is_empty() {
        return String::new();
    }
    format!("The mock did not have these hooks of the profile: {}.", mock.without.join(", "))
}

fn bound(mock: &MockInfo) -> String {
    mock.ends_within.map_or_else(String::new, |bound| {
        format!(
            "What the contract says of how long a request may be in flight was not waited for: the mock's own bound, {bound}, was taken."
        )
    })
}
