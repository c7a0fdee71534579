//! The questions of the checklist, a table for each clause.

mod conflict;
mod key;
mod replay;
mod retention;
mod scope;

use super::question::Question;

/// The questions of each clause, in the order of the checklist.
pub(super) const ALL: [&[Question]; 5] =
    [key::QUESTIONS, retention::QUESTIONS, replay::QUESTIONS, conflict::QUESTIONS, scope::QUESTIONS];
