//! `scope.other-account`, under every contract: no answer names an effect that only the other account's own list
//! shows.

use std::collections::HashMap;

use super::super::Judgement;
use super::super::trial::Trial;
use crate::contract::Requirement;
use crate::history::Listing;

const WORDS: (&str, &str) =
    ("no answer shows another account's result", "an effect of the account's own, or a refusal");

/// Judges every success against the lists of all accounts.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>) {
    let owners = owners(trial);
    if owners.is_empty() {
        return;
    }
    for attempt in 0..trial.docket.facts.len() {
        let fact = &trial.docket.facts[attempt];
        let Some(identity) = fact.answer().and_then(|answer| answer.identity) else {
            continue;
        };
        let listed = owners.get(identity).is_some_and(|accounts| !accounts.contains(&fact.account));
        let own_list_read = || {
            trial.docket.case.counts.iter().any(|count| {
                count.account == fact.account && count.after >= fact.id.0 && matches!(count.listing, Listing::Items(_))
            })
        };
        if listed && own_list_read() {
            let action = trial.actions.of[attempt];
            let attempts = (trial.docket.namer_of_identity(identity), attempt);
            let requirement = Requirement::ScopeOtherAccount;
            trial.sink.universal(action, attempts, requirement, Judgement::Violated, WORDS);
        }
    }
}

/// By identity: the accounts whose lists show it. Empty where only one account's lists were read.
fn owners<'h>(trial: &Trial<'_, 'h>) -> HashMap<&'h str, Vec<&'h str>> {
    let counts = &trial.docket.case.counts;
    let mut owners: HashMap<&str, Vec<&str>> = HashMap::new();
    let several = counts.iter().any(|count| count.account != counts[0].account);
    for count in counts.iter().filter(|count| several && count.counter == 0) {
        if let Listing::Items(items) = &count.listing {
            for item in items {
                let accounts = owners.entry(item.identity.as_str()).or_default();
                if !accounts.contains(&count.account.as_str()) {
                    accounts.push(&count.account);
                }
            }
        }
    }
    owners
}
