//! `scope.methods`, where the answer to another method says nothing about keys: the method is not supported there, or not
//! with these parameters; or it only reads, and what it reads may well be what the first request made.

use super::super::action::ActionIndex;
use super::super::situation::World;
use super::super::terms::Terms;
use super::super::trial::Trial;
use super::super::{Judgement, facts::Fact};
use crate::contract::{Row, Situation};

/// The statuses with which a server says that it does not have such a request.
const UNSUPPORTED: [u16; 3] = [404, 405, 501];

/// Judges an attempt with another method, if what it got is nothing that the rows can be compared with.
pub(super) fn judge(
    trial: &mut Trial<'_, '_>,
    action: ActionIndex,
    attempt: usize,
    world: &World,
    terms: &Terms<'_>,
) -> bool {
    let docket = trial.docket;
    let fact = &docket.facts[attempt];
    let Some(answer) = fact.answer().filter(|_| world.situation == Situation::OtherMethod) else {
        return false;
    };
    let status = answer.response.status;
    let by_key = || {
        let rows = [Row::AfterSuccess, Row::ChangedParameters, Row::EquivalentParameters];
        rows.into_iter().flat_map(|row| docket.contract.rejections(row)).any(|rejects| answer.fits(rejects, None))
    };
    if UNSUPPORTED.contains(&status) || (answer.is_client_error() && (fact.reads() || !by_key())) {
        trial.sink.unsaid(action, attempt, world, "whether the method is supported there");
        return true;
    }
    let first = world.first.map(|first| &docket.facts[first]);
    if !fact.reads() || terms.allows_replaying() || is_replayed(fact, first, docket.trusts_marker(attempt)) {
        return false;
    }
    if docket.names_known(attempt) {
        trial.sink.unsaid(action, attempt, world, "what is read there");
    } else if terms.allows_executing() && answer.succeeded {
        trial.sink.row(action, attempt, world, Some(terms), Judgement::Holds);
    } else {
        return false;
    }
    true
}

/// Whether what was asked for was the first answer and nothing else: it is marked, or has a status that says that
/// something was made.
fn is_replayed(fact: &Fact<'_>, first: Option<&Fact<'_>>, trusted: bool) -> bool {
    let (Some(answer), Some(first)) = (fact.answer(), first.and_then(Fact::answer)) else {
        return false;
    };
    let status = answer.response.status;
    (answer.marked && trusted) || (matches!(status, 201 | 202) && status == first.response.status)
}
