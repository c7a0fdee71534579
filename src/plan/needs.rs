//! What a case needs and the profile may not offer.

use crate::contract::{Period, Requirement};
use crate::profile::{BASE, Bound, DEFAULT};
use crate::scenario::{ScenarioCase, Step, Wait};

/// The first thing that a case needs and the profile does not offer.
pub(super) fn missing(bound: &Bound, case: &ScenarioCase) -> Option<String> {
    case.needs.iter().cloned().chain(case.steps.iter().flat_map(needs_of_step)).find(|need| !offers(bound, need))
}

/// What the profile must offer for a requirement to be tested at all, where it does not.
pub(super) fn of_requirement(bound: &Bound, requirement: Requirement) -> Option<String> {
    let need = match requirement {
        Requirement::ReplayAfterFailure => "parameters.failing",
        Requirement::ReplayAfterServerError => "parameters.crashing",
        Requirement::ReplayAfterValidationFailure | Requirement::ReplayFailureEffect => "parameters.invalid",
        Requirement::ScopeOtherAccount => "accounts.other",
        _ => return None,
    };
    Some(need.to_owned()).filter(|need| !offers(bound, need))
}

fn needs_of_step(step: &Step) -> Vec<String> {
    let parameters =
        |name: &Option<String>| -> Vec<String> { name.iter().map(|name| format!("parameters.{name}")).collect() };
    match step {
        // A conditional step is passed over where something is missing.
        Step::Send(send) if send.unless_counted.is_some() => Vec::new(),
        Step::Send(send) => {
            let mut needs: Vec<String> = parameters(&send.parameters);
            needs.extend(send.account.iter().map(|name| format!("accounts.{name}")));
            needs
        }
        Step::Race(race) if race.if_offered => Vec::new(),
        Step::Race(race) => race.copies().flat_map(|copy| parameters(&copy.parameters)).collect(),
        Step::Repeat(repeat) => parameters(&repeat.parameters),
        Step::Hook(hook) => vec![format!("hooks.{}", hook.name)],
        Step::Wait(_) | Step::Count(_) => Vec::new(),
    }
}

fn offers(bound: &Bound, need: &str) -> bool {
    let profile = bound.profile();
    match need.split_once('.') {
        Some(("parameters", name)) => name == BASE || bound.has_variant(name),
        Some(("accounts", name)) => name == DEFAULT || profile.target.accounts.contains_key(name),
        Some(("hooks", name)) => profile.hooks.contains_key(name),
        _ => match need {
            "effects" => profile.operation.effects.is_some(),
            "cleanup" => profile.operation.cleanup.is_some(),
            "clock" => profile.hooks.contains_key("advance-clock"),
            _ => false,
        },
    }
}

/// The longest single wait among the steps, if there is one.
pub(super) fn longest_wait(bound: &Bound, steps: &[Step]) -> Option<Period> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Wait(Wait::For(period)) => Some(*period),
            Step::Wait(Wait::InFlight) => bound.profile().contract.ends_within(),
            Step::Repeat(repeat) => repeat.at_most,
            Step::Wait(Wait::Settle | Wait::Handler)
            | Step::Send(_)
            | Step::Race(_)
            | Step::Hook(_)
            | Step::Count(_) => None,
        })
        .max()
}
