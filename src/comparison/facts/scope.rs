//! The methods with which a key counts.

use super::key::beyond;
use super::{Fact, fact, relies_on_nothing, treatment};
use crate::comparison::compare::{KNOWN, MET};
use crate::comparison::line::{Consequence, Stated};
use crate::comparison::rules::Kind;
use crate::contract::{Contract, Row};

pub(super) const FACTS: &[Fact] = &[fact("scope.methods", methods, other_methods)];

fn named(contract: &Contract) -> Vec<String> {
    let mut names = contract.scope.as_ref().map(|scope| scope.methods.clone()).unwrap_or_default();
    names.sort();
    names
}

fn methods(contract: &Contract) -> Option<Stated> {
    let names = named(contract);
    (!names.is_empty()).then(|| Stated::exact(names.join(", ")))
}

fn other_methods(known: &Contract, met: &Contract) -> Consequence {
    let (ours, theirs) = (named(known), named(met));
    let missing: Vec<&str> = beyond(&ours, &theirs).into_iter().map(String::as_str).collect();
    let missing = missing.join(", ");
    if ours.is_empty() {
        return relies_on_nothing();
    }
    if theirs.is_empty() {
        return Consequence::may_break(format!(
            "{MET} does not say with which methods a key counts; a client that sends one with {missing} may find that it \
             protects nothing"
        ));
    }
    if missing.is_empty() {
        return Consequence::nothing(format!("a key counts with every method with which it counts at {KNOWN}"));
    }
    Consequence::breaks(match treatment(met, Row::OtherMethods) {
        Some(Kind::Executes) => {
            format!("a key protects nothing with {missing}: the request is carried out, and so is every retry of it")
        }
        Some(Kind::Rejects) => format!("a key is refused with {missing}"),
        Some(Kind::Replays | Kind::Refreshes) | None => {
            format!("a key is not said to count with {missing}: a retry may be carried out again")
        }
    })
}
