//! For how long a key can be in flight.

use super::{Fact, fact, relies_on_nothing};
use crate::comparison::compare::{KNOWN, MET};
use crate::comparison::line::{Consequence, Stated};
use crate::contract::{Contract, Period, Row};

pub(super) const FACTS: &[Fact] = &[fact("conflict.in_flight.ends_within", ends_within, other_end)];

fn bound(contract: &Contract) -> Option<Period> {
    contract.conflict.as_ref()?.in_flight.as_ref()?.ends_within
}

fn ends_within(contract: &Contract) -> Option<Stated> {
    let level = contract.rulings(Row::InFlight).first().map(|ruling| ruling.level).unwrap_or_default();
    bound(contract).map(|period| Stated::exact(format!("ends within {period}")).at(level))
}

fn other_end(known: &Contract, met: &Contract) -> Consequence {
    match (bound(known), bound(met)) {
        (Some(ours), Some(theirs)) if theirs > ours => Consequence::breaks(format!(
            "a key may be in flight for up to {theirs}: a client that asks again for {ours} only gives up before there is an \
             answer"
        )),
        (Some(_), Some(_)) => Consequence::nothing(format!("{MET} is done with a key sooner")),
        (Some(ours), None) => Consequence::may_break(format!(
            "{MET} does not say when \"in flight\" ends; a client that asks again for {ours} may find that it never gets an \
             answer"
        )),
        (None, Some(theirs)) => Consequence::nothing(format!(
            "{MET} says that it ends within {theirs}, and {KNOWN} does not say that it ends"
        )),
        (None, None) => relies_on_nothing(),
    }
}
