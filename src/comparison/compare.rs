//! The whole comparison.

use schemars::JsonSchema;
use serde::Serialize;

use super::line::{Agreement, Harm, Line, Named};
use super::{facts, promises};
use crate::contract::{Clause, Contract, Row};

/// What stands for the name of the contract that the client knows in a sentence.
pub(super) const KNOWN: &str = "<known>";
/// What stands for the name of the contract that it meets.
pub(super) const MET: &str = "<met>";

/// A contract, and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Party<'c> {
    /// The name of its profile.
    pub profile: &'c str,
    /// The title of its profile.
    pub title: &'c str,
    /// The contract.
    pub contract: &'c Contract,
}

/// Two contracts side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The version of this form.
    pub comparison: u32,
    /// The contract that the client was built for.
    pub known: Named,
    /// The contract that it meets.
    pub met: Named,
    /// How much is the same, how much differs, and what follows.
    pub summary: Summary,
    /// Everything that was compared, in the order of the clauses.
    pub lines: Vec<Line>,
}

/// How much is the same, how much differs, and what follows. What neither contract says counts nowhere but there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// What both say in the same way.
    pub same: usize,
    /// What they say in different ways.
    pub different: usize,
    /// What only the known contract says.
    pub undeclared_by_met: usize,
    /// What only the met contract says.
    pub undeclared_by_known: usize,
    /// What neither says.
    pub undeclared_by_both: usize,
    /// Lines of which something breaks.
    pub breaks: usize,
    /// Lines of which something may break, and nothing certainly does.
    pub may_break: usize,
}

/// Compares two contracts: what breaks in a client that was built for `known`, and meets `met`?
pub fn compare(known: Party<'_>, met: Party<'_>) -> Comparison {
    let mut lines: Vec<Line> = Clause::ALL.into_iter().flat_map(|clause| of_clause(clause, known, met)).collect();
    for consequence in lines.iter_mut().flat_map(|line| &mut line.consequences) {
        consequence.sentence = consequence.sentence.replace(KNOWN, known.profile).replace(MET, met.profile);
    }
    let named = |party: Party<'_>| Named { profile: party.profile.into(), title: party.title.into() };
    Comparison { comparison: 1, known: named(known), met: named(met), summary: Summary::of(&lines), lines }
}

fn of_clause(clause: Clause, known: Party<'_>, met: Party<'_>) -> Vec<Line> {
    let facts = facts::lines(clause, known.contract, met.contract);
    let rows = Row::ALL.into_iter().filter(|row| row.clause() == clause);
    facts.into_iter().chain(rows.flat_map(|row| promises::lines(row, known.contract, met.contract))).collect()
}

impl Summary {
    fn of(lines: &[Line]) -> Self {
        let count = |counts: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| counts(line)).count();
        Self {
            same: count(&|line| line.agreement == Agreement::Same),
            different: count(&|line| line.agreement == Agreement::Different),
            undeclared_by_met: count(&|line| line.known.is_some() && line.met.is_none()),
            undeclared_by_known: count(&|line| line.known.is_none() && line.met.is_some()),
            undeclared_by_both: count(&Line::is_silent),
            breaks: count(&|line| line.harm() == Some(Harm::Breaks)),
            may_break: count(&|line| line.harm() == Some(Harm::MayBreak)),
        }
    }
}

impl Comparison {
    /// Whether the two differ in something that is a must for one of them.
    pub fn differs_in_a_must(&self) -> bool {
        self.lines.iter().any(Line::differs_in_a_must)
    }
}
