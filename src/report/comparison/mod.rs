//! Two contracts side by side, for people and for machines.

mod json;
mod markdown;
mod table;

pub use json::json;
pub use markdown::markdown;
pub use table::table;

use crate::comparison::{Agreement, Comparison, Harm, Line};
use crate::contract::Clause;

/// The lines of a clause of which one of the contracts says something, and the names of the others.
fn of_clause(comparison: &Comparison, clause: Clause) -> (Vec<&Line>, Vec<&str>) {
    let lines = comparison.lines.iter().filter(|line| line.clause == clause);
    let (silent, said): (Vec<&Line>, Vec<&Line>) = lines.partition(|line| line.is_silent());
    (said, silent.into_iter().map(|line| line.item.as_str()).collect())
}

/// What a line is about: its place in the contract, and which part of it.
fn subject(line: &Line) -> (String, Vec<String>) {
    let variant = line.variant.iter().map(|variant| format!("parameters: {variant}"));
    let when = line.when.iter().map(|when| format!("first answer: {when}"));
    (line.item.clone(), variant.chain(when).collect())
}

/// A sign for how the two compare. The words of the line say the same.
fn sign(line: &Line) -> &'static str {
    match line.agreement {
        Agreement::Same => "=",
        Agreement::Different => "≠",
        Agreement::Undeclared => "?",
    }
}

/// What follows, a sentence for each thing.
fn sentences(line: &Line) -> Vec<String> {
    if line.agreement == Agreement::Same {
        return vec!["same".to_owned()];
    }
    let sentence = |consequence: &crate::comparison::Consequence| match consequence.harm {
        Harm::Nothing => consequence.sentence.clone(),
        Harm::MayBreak => format!("may break: {}", consequence.sentence),
        Harm::Breaks => format!("breaks: {}", consequence.sentence),
    };
    line.consequences.iter().map(sentence).collect()
}

/// What it comes to, in two sentences.
fn outcome(comparison: &Comparison) -> String {
    let (known, met, summary) = (&comparison.known.profile, &comparison.met.profile, comparison.summary);
    format!(
        "{} the same, {} different, {} that {met} does not say, {} that {known} does not say, {} that neither says. \
         For a client that was built for {known}, {} {} at {met}, and {} may.",
        summary.same,
        summary.different,
        summary.undeclared_by_met,
        summary.undeclared_by_known,
        summary.undeclared_by_both,
        summary.breaks,
        if summary.breaks == 1 { "breaks" } else { "break" },
        summary.may_break,
    )
}
