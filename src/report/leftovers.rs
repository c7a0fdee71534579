//! What the run made in the target, and what of it is still there.

use std::collections::BTreeMap;

use super::terminal::View;
use super::text::{Tone, cut};
use crate::history::{CaseHistory, History, Listing};

/// Effects that are still there are listed up to this number.
const LEFTOVER_LIMIT: usize = 20;

/// The effects of a run by identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects<'h> {
    /// How many were seen in all.
    pub(super) made: usize,
    /// Those that are still there, each with the reason as far as it is known.
    pub(super) left: BTreeMap<&'h str, Option<&'h str>>,
}

impl<'h> Effects<'h> {
    /// Collects the effects from counts, answers and cleanups.
    pub(super) fn of(history: &'h History) -> Self {
        let mut left: BTreeMap<&str, Option<&str>> =
            history.cases.values().flat_map(identities).map(|identity| (identity, None)).collect();
        left.extend(history.cleanups.iter().map(|cleanup| (cleanup.identity.as_str(), cleanup.error.as_deref())));
        let made = left.len();
        for removed in history.cleanups.iter().filter(|cleanup| cleanup.error.is_none()) {
            left.remove(removed.identity.as_str());
        }
        Self { made, left }
    }
}

/// The first counter is the API's own list; a further one may name the same effects otherwise.
fn identities(case: &CaseHistory) -> impl Iterator<Item = &str> {
    let answered = case.attempts.iter().filter_map(|attempt| attempt.end.as_ref());
    let answered = answered.filter(|end| end.success).filter_map(|end| end.identity.as_deref());
    let listed = case.counts.iter().filter(|count| count.counter == 0).flat_map(|count| match &count.listing {
        Listing::Items(items) => items.as_slice(),
        Listing::Failed(_) => &[],
    });
    answered.chain(listed.map(|item| item.identity.as_str()))
}

impl View<'_> {
    /// The effects that could not be removed, for somebody to remove by hand.
    pub(super) fn leftovers(&self, effects: &Effects<'_>) -> String {
        if effects.left.is_empty() {
            return String::new();
        }
        let declared = self.history.run.as_ref().and_then(|run| run.document.get("operation")?.get("cleanup"));
        if declared.is_none() && self.history.cleanups.is_empty() {
            return String::new();
        }
        let limit = if self.is_verbose() { usize::MAX } else { LEFTOVER_LIMIT };
        let mut section = format!("{}\n", self.heading("Left behind in the target"));
        for (identity, error) in effects.left.iter().take(limit) {
            let reason = error.map_or_else(|| "not cleaned up".into(), |error| cut(error, 200));
            section.push_str(&format!("  {}  {}\n", cut(identity, 80), self.paint.apply(Tone::Quiet, &reason)));
        }
        if effects.left.len() > limit {
            section.push_str(&format!("  … and {} more (-v shows them)\n", effects.left.len() - limit));
        }
        section.push('\n');
        section
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixtures::{doubled, history};

    #[test]
    fn what_was_not_removed_is_left() {
        let mut history = history(doubled("lost-response"));
        assert_eq!(Effects::of(&history), Effects { made: 2, left: [("2", Some("the target answered 500"))].into() });
        history.cleanups.pop();
        assert_eq!(Effects::of(&history), Effects { made: 2, left: [("2", None)].into() });
        history.cleanups.clear();
        assert_eq!(Effects::of(&history), Effects { made: 2, left: [("1", None), ("2", None)].into() });
    }
}
