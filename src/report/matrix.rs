//! Many operations in one table: a line for each, and what is wrong grouped by requirement.

use std::collections::BTreeMap;

use super::terminal::{TerminalOptions, clause_tone, mark, status_tone};
use super::text::{Paint, Tone, escape, plural};
use crate::checklist::{Checklist, ClauseVerdict, Decision, ExitStatus};
use crate::contract::{Clause, Requirement, Verdict};

/// One operation among many, as far as the table tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// Its name.
    pub name: String,
    /// What is known about each clause; empty where nothing ran.
    pub clauses: Vec<(Clause, ClauseVerdict)>,
    /// What is violated and not forgiven.
    pub violated: Vec<Requirement>,
    /// What is violated and forgiven.
    pub forgiven: Vec<Requirement>,
    /// What could not be decided.
    pub undecided: Vec<Requirement>,
    /// What decides its exit status; absent where nothing was selected, so that nothing ran.
    pub decision: Option<Decision>,
}

impl MatrixRow {
    /// The line of an operation that was probed.
    pub fn of(name: String, checklist: &Checklist<'_>) -> Self {
        let those = |wanted: &dyn Fn(&crate::checklist::RequirementLine<'_>) -> bool| {
            checklist.requirements().filter(|line| wanted(line)).map(|line| line.requirement).collect()
        };
        Self {
            name,
            clauses: checklist.clauses.iter().map(|line| (line.clause, line.verdict)).collect(),
            violated: those(&|line| line.counting.is_some()),
            forgiven: those(&|line| line.is_forgiven()),
            undecided: those(&|line| matches!(line.verdict, Verdict::Inconclusive(_))),
            decision: Some(checklist.decision),
        }
    }

    /// The line of an operation of which nothing was selected.
    pub fn idle(name: String) -> Self {
        let (violated, forgiven, undecided) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, clauses: Vec::new(), violated, forgiven, undecided, decision: None }
    }

    /// With what status a run of it alone would end.
    pub fn status(&self) -> ExitStatus {
        self.decision.map_or(ExitStatus::NothingSelected, Decision::status)
    }

    /// The word for what decides.
    fn word(&self) -> &'static str {
        self.decision.map_or(ExitStatus::NothingSelected.word(), Decision::word)
    }
}

/// With what status a run of several operations ends: the worst of what was selected.
pub fn worst(rows: &[MatrixRow]) -> ExitStatus {
    let worst_first = [ExitStatus::Usage, ExitStatus::Violated, ExitStatus::Inconclusive, ExitStatus::Sound];
    let is_there = |status: &ExitStatus| rows.iter().any(|row| row.status() == *status);
    worst_first.into_iter().find(is_there).unwrap_or(ExitStatus::NothingSelected)
}

/// Names are cut off after so many characters.
const WIDEST_NAME: usize = 40;

/// The width of a clause: that of its longest verdict, with its mark and a space.
const CLAUSE_WIDTH: usize = 15;

/// Names of operations that are told for each requirement.
const MOST_NAMES: usize = 12;

/// Renders the table: operation × clause.
pub fn matrix(rows: &[MatrixRow], options: &TerminalOptions) -> String {
    let paint = Paint::new(options.color);
    let names: Vec<String> = rows.iter().map(|row| shortened(&row.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max("operation".len());
    let titles: String = Clause::ALL.iter().map(|clause| format!("{:CLAUSE_WIDTH$}", clause.id())).collect();
    let title = format!("{:width$}  {titles}result", "operation");
    let mut text = format!("{}\n", paint.apply(Tone::Strong, &title));
    for (row, name) in rows.iter().zip(&names) {
        let result = paint.apply(status_tone(row.status()), row.word());
        text.push_str(&format!("{name:width$}  {}{result}\n", cells(row, paint)));
    }
    text.push_str(&grouped("Violations", "✗", rows, |row| &row.violated, paint));
    text.push_str(&grouped("Violations that are waived", "~", rows, |row| &row.forgiven, paint));
    text.push_str(&grouped("Inconclusive", "?", rows, |row| &row.undecided, paint));
    text.push_str(&total(rows, paint));
    text
}

fn shortened(name: &str) -> String {
    let name = escape(name);
    if name.chars().count() <= WIDEST_NAME {
        return name;
    }
    name.chars().take(WIDEST_NAME - 1).chain(['…']).collect()
}

fn cells(row: &MatrixRow, paint: Paint) -> String {
    let cell = |clause: Clause| match row.clauses.iter().find(|(known, _)| *known == clause) {
        Some((_, verdict)) => (format!("{} {verdict}", mark(*verdict)), clause_tone(*verdict)),
        None => (String::new(), Tone::Quiet),
    };
    // Colours have no width, so they come after the padding.
    Clause::ALL.into_iter().map(cell).map(|(text, tone)| paint.apply(tone, &format!("{text:CLAUSE_WIDTH$}"))).collect()
}

/// A line for each requirement of which something is to be said, with the operations of which it is said.
fn grouped(
    title: &str,
    mark: &str,
    rows: &[MatrixRow],
    of: impl Fn(&MatrixRow) -> &Vec<Requirement>,
    paint: Paint,
) -> String {
    let mut groups: BTreeMap<Requirement, Vec<&str>> = BTreeMap::new();
    for row in rows {
        of(row).iter().for_each(|requirement| groups.entry(*requirement).or_default().push(&row.name));
    }
    if groups.is_empty() {
        return String::new();
    }
    let line = |(requirement, names): (&Requirement, &Vec<&str>)| {
        let first: Vec<String> = names.iter().take(MOST_NAMES).map(|name| shortened(name)).collect();
        let more = names.len().saturating_sub(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{mark} {requirement} ({} of {}): {}{more}\n", names.len(), rows.len(), first.join(", "))
    };
    let lines: String = groups.iter().map(line).collect();
    format!("\n{}\n{lines}", paint.apply(Tone::Strong, title))
}

/// `200 operations: 190 holds, 8 violated, 2 inconclusive`, and the exit status.
fn total(rows: &[MatrixRow], paint: Paint) -> String {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        match words.iter_mut().find(|(word, _)| *word == row.word()) {
            Some((_, number)) => *number += 1,
            None => words.push((row.word(), 1)),
        }
    }
    words.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let words: Vec<String> = words.iter().map(|(word, number)| format!("{number} {word}")).collect();
    let status = worst(rows);
    let result = paint.apply(status_tone(status), &format!("Result: {} (exit {})", status.word(), status.code()));
    format!("\n{}: {}\n{result}\n", plural(rows.len(), "operation"), words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, replay: ClauseVerdict, decision: Decision) -> MatrixRow {
        let verdict = |clause| if clause == Clause::Replay { replay } else { ClauseVerdict::Holds };
        MatrixRow {
            clauses: Clause::ALL.map(|clause| (clause, verdict(clause))).to_vec(),
            decision: Some(decision),
            ..MatrixRow::idle(name.to_owned())
        }
    }

    fn many(number: usize) -> Vec<MatrixRow> {
        let mut rows: Vec<MatrixRow> = (1..=number)
            .map(|index| match index % 10 {
                0 => MatrixRow {
                    violated: vec![Requirement::ReplaySingleEffect, Requirement::ReplayAfterSuccess],
                    ..row(&format!("shop.operation-{index}"), ClauseVerdict::Violated, Decision::MustViolated)
                },
                7 => MatrixRow {
                    undecided: vec![Requirement::ReplaySettles],
                    ..row(&format!("shop.operation-{index}"), ClauseVerdict::Inconclusive, Decision::Inconclusive)
                },
                _ => row(&format!("shop.operation-{index}"), ClauseVerdict::Holds, Decision::Sound),
            })
            .collect();
        rows.push(MatrixRow {
            forgiven: vec![Requirement::ReplayFidelity],
            ..row("a-very-long-name-of-a-profile-and.of-its-operation", ClauseVerdict::Violated, Decision::Forgiven)
        });
        rows.push(MatrixRow::idle("nothing".into()));
        rows
    }

    #[test]
    fn a_few_operations_are_a_table() {
        insta::assert_snapshot!(matrix(&many(10), &TerminalOptions::default()));
    }

    #[test]
    fn two_hundred_operations_stay_readable() {
        let text = matrix(&many(200), &TerminalOptions::default());
        assert!(text.lines().count() < 202 + 15, "{text}");
        assert!(text.lines().take(203).all(|line| line.chars().count() <= 140), "{text}");
        assert!(text.contains("replay.single-effect (20 of 202): shop.operation-10"), "{text}");
        assert!(text.contains("and 8 more"), "{text}");
        assert!(text.contains("202 operations: 160 holds, 20 violated, 20 inconclusive, 1 violated, waived"), "{text}");
    }

    #[test]
    fn the_worst_operation_decides() {
        let of = |decisions: &[Decision]| {
            let rows: Vec<MatrixRow> = decisions.iter().map(|one| row("a", ClauseVerdict::Holds, *one)).collect();
            worst(&rows).code()
        };
        assert_eq!(of(&[Decision::Sound, Decision::Forgiven]), 0);
        assert_eq!(of(&[Decision::Sound, Decision::NothingHolds]), 3);
        assert_eq!(of(&[Decision::Inconclusive, Decision::MustViolated, Decision::Sound]), 1);
        assert_eq!(worst(&[MatrixRow::idle("a".into())]).code(), 4);
        assert_eq!(worst(&[MatrixRow::idle("a".into()), row("b", ClauseVerdict::Holds, Decision::Sound)]).code(), 0);
    }
}
