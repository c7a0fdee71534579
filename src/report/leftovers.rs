//! What the run made in the target, and what of it is still there.

use std::collections::BTreeMap;

use super::terminal::View;
use super::text::{Tone, cut};
use crate::history::{CaseHistory, Cleanup, History, Listing};

/// Effects that are still there are listed up to this number.
const LEFTOVER_LIMIT: usize = 20;

/// An effect: its identity, and the operation that made it. Two operations may well give the same identity.
pub(super) type Name<'h> = (&'h str, &'h str);

/// The name of the profile's own operation.
const OWN: &str = "default";

/// The effects of a run by identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects<'h> {
    /// How many were seen in all.
    pub(super) made: usize,
    /// Those that are still there, each with the reason as far as it is known.
    pub(super) left: BTreeMap<Name<'h>, Option<&'h str>>,
}

impl<'h> Effects<'h> {
    /// Collects the effects from counts, answers and cleanups.
    pub(super) fn of(history: &'h History) -> Self {
        let mut left: BTreeMap<Name<'_>, Option<&str>> =
            history.cases.values().flat_map(identities).map(|name| (name, None)).collect();
        left.extend(history.cleanups.iter().map(|cleanup| (name(cleanup), cleanup.error.as_deref())));
        let made = left.len();
        for removed in history.cleanups.iter().filter(|cleanup| cleanup.error.is_none()) {
            left.remove(&name(removed));
        }
        Self { made, left }
    }
}

/// The first counter is the API's own list; a further one may name the same effects otherwise.
fn identities(case: &CaseHistory) -> impl Iterator<Item = Name<'_>> {
    let answered = case.attempts.iter().filter_map(|attempt| {
        let end = attempt.end.as_ref().filter(|end| end.success)?;
        Some((end.identity.as_deref()?, attempt.start.operation.as_str()))
    });
    let listed = case.counts.iter().filter(|count| count.counter == 0).flat_map(|count| {
        let items = match &count.listing {
            Listing::Items(items) => items.as_slice(),
            Listing::Failed(_) => &[],
        };
        items.iter().map(|item| (item.identity.as_str(), count.operation.as_str()))
    });
    answered.chain(listed)
}

fn name(cleanup: &Cleanup) -> Name<'_> {
    (cleanup.identity.as_str(), cleanup.operation.as_deref().unwrap_or(OWN))
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
        for ((identity, operation), error) in effects.left.iter().take(limit) {
            let reason = error.map_or_else(|| "not cleaned up".into(), |error| cut(error, 200));
            let of = if *operation == OWN { String::new() } else { format!(" of operation {}", cut(operation, 40)) };
            section.push_str(&format!("  {}{of}  {}\n", cut(identity, 80), self.paint.apply(Tone::Quiet, &reason)));
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
        assert_eq!(
            Effects::of(&history),
            Effects { made: 2, left: [(("2", OWN), Some("the target answered 500"))].into() }
        );
        history.cleanups.pop();
        assert_eq!(Effects::of(&history), Effects { made: 2, left: [(("2", OWN), None)].into() });
        history.cleanups.clear();
        assert_eq!(Effects::of(&history), Effects { made: 2, left: [(("1", OWN), None), (("2", OWN), None)].into() });
    }
}
