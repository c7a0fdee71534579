//! The order of events. A recording is written in order, and the oracle relies on it; one that was cut, merged or
//! edited is put in order first.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::history::{CaseHistory, History};

/// The history with the events of every case in order, and each attempt once.
pub fn in_order(history: &History) -> Cow<'_, History> {
    if history.cases.values().all(is_in_order) {
        return Cow::Borrowed(history);
    }
    let mut history = history.clone();
    history.cases.values_mut().for_each(put_in_order);
    Cow::Owned(history)
}

fn is_in_order(case: &CaseHistory) -> bool {
    case.attempts.is_sorted_by(|one, other| one.start.id < other.start.id)
        && case.counts.is_sorted_by_key(|count| (count.after, count.began))
        && case.hooks.is_sorted_by_key(|(_, after, _)| *after)
}

fn put_in_order(case: &mut CaseHistory) {
    let mut known = HashSet::new();
    case.attempts.retain(|attempt| known.insert(attempt.start.id));
    case.attempts.sort_by_key(|attempt| attempt.start.id);
    case.counts.sort_by_key(|count| (count.after, count.began));
    case.hooks.sort_by_key(|(_, after, _)| *after);
}
