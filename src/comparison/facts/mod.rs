//! What a contract says beside its promises: where the key travels, how long it is kept, how much of an answer comes again.
//!
//! One entry of a table for each. What breaks is asked only where the two do not say the same.

mod conflict;
mod key;
mod replay;
mod retention;
mod scope;

use super::compare::{KNOWN, MET};
use super::line::{Agreement, Consequence, Line, Stated};
use super::rules::Kind;
use crate::contract::{Clause, Contract, Level, Row};

/// One thing that a contract can say.
struct Fact {
    /// Its place in a profile's contract.
    member: &'static str,
    /// What a contract says of it.
    says: fn(&Contract) -> Option<Stated>,
    /// What follows where the first contract is known, the second one is met, and they do not say the same.
    follows: fn(&Contract, &Contract) -> Consequence,
}

const fn fact(
    member: &'static str,
    says: fn(&Contract) -> Option<Stated>,
    follows: fn(&Contract, &Contract) -> Consequence,
) -> Fact {
    Fact { member, says, follows }
}

/// The facts of a clause, side by side.
pub(super) fn lines(clause: Clause, known: &Contract, met: &Contract) -> Vec<Line> {
    let facts = match clause {
        Clause::Key => key::FACTS,
        Clause::Retention => retention::FACTS,
        Clause::Replay => replay::FACTS,
        Clause::Conflict => conflict::FACTS,
        Clause::Scope => scope::FACTS,
    };
    facts.iter().map(|fact| line(clause, fact, known, met)).collect()
}

fn line(clause: Clause, fact: &Fact, known: &Contract, met: &Contract) -> Line {
    let (ours, theirs) = ((fact.says)(known), (fact.says)(met));
    let (agreement, consequence) = match (&ours, &theirs) {
        (None, None) => (Agreement::Undeclared, None),
        (Some(ours), Some(theirs)) if ours.says_the_same(theirs) => of_levels(ours.level, theirs.level),
        (Some(ours), Some(_)) => (Agreement::Different, Some((fact.follows)(known, met).relied_on_at(ours.level))),
        (Some(ours), None) => (Agreement::Undeclared, Some((fact.follows)(known, met).relied_on_at(ours.level))),
        (None, Some(_)) => (Agreement::Undeclared, Some((fact.follows)(known, met))),
    };
    Line {
        clause,
        item: fact.member.to_owned(),
        variant: None,
        when: None,
        known: ours,
        met: theirs,
        agreement,
        consequences: consequence.into_iter().collect(),
    }
}

/// Both say the same, but perhaps one of them more firmly.
fn of_levels(known: Level, met: Level) -> (Agreement, Option<Consequence>) {
    if known == met {
        (Agreement::Same, None)
    } else if met > known {
        (Agreement::Different, Some(Consequence::nothing(format!("{MET} says the same, and more firmly"))))
    } else {
        let sentence =
            format!("{MET} says so as a {met} only, and {KNOWN} as a {known}: a client has to do without it");
        (Agreement::Different, Some(Consequence::may_break(sentence)))
    }
}

/// Nothing is said that a client could have been built for.
fn relies_on_nothing() -> Consequence {
    Consequence::nothing(format!("{KNOWN} says nothing here that a client could rely on"))
}

/// The treatment that a contract promises first in a row.
fn treatment(contract: &Contract, row: Row) -> Option<Kind> {
    contract.promise(row, "")?.case(None)?.allow.first().map(Kind::from)
}

/// What becomes of a request without a key.
fn without_a_key(contract: &Contract) -> &'static str {
    match treatment(contract, Row::Missing) {
        Some(Kind::Executes) => "such a request is carried out, and so is every retry of it",
        Some(Kind::Replays | Kind::Refreshes) => "such a request is taken for a retry of an equal one",
        Some(Kind::Rejects) => "such a request is refused",
        None => "what such a request gets is not said, and a retry of it may be done twice",
    }
}

/// What becomes of a retry that comes too late.
fn too_late(contract: &Contract) -> &'static str {
    match treatment(contract, Row::Expired) {
        Some(Kind::Executes) => "is carried out as a new action, and so done twice",
        Some(Kind::Replays | Kind::Refreshes) => "still gets its first result, as far as it is known",
        Some(Kind::Rejects) => "is refused, and does not learn what became of the first attempt",
        None => "may be carried out as a new action, and so done twice: what it gets is not said",
    }
}
