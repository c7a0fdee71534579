//! The sequence timeline of a case: two lanes, an arrow for each message, and what was counted at the side.
//!
//! It goes in three steps, each a pure function: [`scene`] puts what happened into the order of time, [`layout`] gives
//! every part its place, [`svg`] writes it as markup.

mod label;
mod layout;
mod scene;
mod svg;

#[cfg(test)]
mod tests;

pub(super) use label::{loss, spoken};

use std::collections::BTreeSet;

use crate::history::{AttemptId, CaseHistory, RunInfo};

/// A case, and what a reader is to notice in it.
pub(super) struct Subject<'a> {
    pub(super) run: Option<&'a RunInfo>,
    pub(super) case: &'a CaseHistory,
    /// The header field by which the contract has replays marked.
    pub(super) marker: Option<&'a str>,
    /// The attempts that are drawn. Where there are too many, the others are left out.
    pub(super) shown: &'a BTreeSet<AttemptId>,
    /// The attempts at which something was found to be wrong.
    pub(super) wrong: &'a BTreeSet<AttemptId>,
    /// What the names of exchanges on the page begin with.
    pub(super) anchor: &'a str,
}

/// The timeline of a case, as an `svg` element.
pub(super) fn timeline(subject: &Subject<'_>) -> String {
    svg::write(&layout::layout(&scene::scene(subject)), subject.anchor, &subject.case.id.0)
}
