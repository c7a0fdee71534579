//! Repeats that come sooner than a client may send them: nothing is promised to them, nor to what follows them.

use std::collections::HashMap;
use std::time::Duration;

use super::super::Judgement;
use super::super::docket::Docket;
use super::super::effects::Effects;
use super::super::facts::{Fact, Reply};
use super::super::sink::Record;
use crate::contract::Contract;

/// By group of effects: from which attempt on somebody had sent a key again sooner than the contract lets a client. Of two
/// that were so close it is the earlier one, because which of them the server took first, nobody knows.
pub(in crate::oracle) fn first_of_groups(
    contract: &Contract,
    facts: &[Fact<'_>],
    effects: &Effects<'_>,
) -> Vec<Option<usize>> {
    let mut groups = vec![None; effects.groups.len()];
    let Some(waits) = contract.client_waits() else {
        return groups;
    };
    let mut latest: HashMap<(usize, &str), usize> = HashMap::new();
    for (attempt, fact) in facts.iter().enumerate().filter(|(_, fact)| !matches!(fact.reply, Reply::NotSent)) {
        let Some(key) = fact.key else { continue };
        let before = latest.insert((key.number, fact.account), attempt);
        if let Some(before) = before.filter(|before| distance(&facts[*before], fact) < waits) {
            let group = &mut groups[effects.group_of[attempt]];
            *group = Some(group.map_or(before, |known: usize| known.min(before)));
        }
    }
    groups
}

/// How far apart two attempts were sent. The copies of a race are numbered before they are.
fn distance(one: &Fact<'_>, other: &Fact<'_>) -> Duration {
    one.sent.abs_diff(other.sent)
}

/// What was judged of such repeats, or of what shares their effects, is only observed.
pub(in crate::oracle) fn excuse(docket: &Docket<'_, '_>, records: &mut [Record<'_>]) {
    for record in records {
        let hurried = docket.hurried[docket.effects.group_of[record.attempt]];
        if hurried.is_some_and(|from| record.attempt >= from) {
            record.judgement = Judgement::Observed;
        }
    }
}
