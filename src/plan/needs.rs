//! What a case needs and the profile may not offer.

use super::place::methods;
use super::time::{at_least, at_most, counts_from_resource_end, wait_for_age};
use crate::contract::{Carrier, Encoding, Key, Period, Requirement};
use crate::history::{Ending, KeyKind};
use crate::profile::{BASE, Bound, DEFAULT};
use crate::scenario::{Advance, Count, HookStep, KeyChoice, ScenarioCase, Send, Step, Wait};

/// The word for having any replicas at all.
const TARGET_REPLICAS: &str = "target.replicas";

/// The word for a date that travels beside the key.
const FIRST_SENT: &str = "key.first_sent";

/// The word for having any field that can be changed.
const FIELDS: &str = "fields";

/// The word for retention that counts from the end of the resource.
const RESOURCE_END: &str = "retention.anchor.resource-end";

/// The first thing that a case needs and the profile does not offer.
pub(super) fn missing(bound: &Bound, case: &ScenarioCase) -> Option<String> {
    case.needs.iter().cloned().chain(case.steps.iter().flat_map(needs_of_step)).find(|need| !offers(bound, need))
}

/// What the profile must offer for a requirement to be tested at all, where it does not.
pub(super) fn of_requirement(bound: &Bound, requirement: Requirement) -> Option<String> {
    let need = match requirement {
        Requirement::ReplayAfterFailure => "parameters.failing",
        Requirement::ReplayAfterServerError => "parameters.crashing",
        Requirement::ReplayAfterTurningAway => "parameters.unauthenticated",
        Requirement::ReplayRateLimited => "hooks.last-token",
        Requirement::ReplayAfterValidationFailure | Requirement::ReplayFailureEffect => "parameters.invalid",
        Requirement::KeyFirstSent => FIRST_SENT,
        Requirement::ScopeOtherAccount => "accounts.other",
        Requirement::ScopeOtherOperation => "operations.other",
        Requirement::ScopeReplicas => TARGET_REPLICAS,
        Requirement::ScopeStoreUnavailable => "hooks.store-down",
        _ => return None,
    };
    Some(need.to_owned()).filter(|need| !offers(bound, need))
}

/// Whether any attempt is to be lost by RST_STREAM alone, which only HTTP/2 has.
pub fn cancels(steps: &[Step]) -> bool {
    let by = |step: &Step| match step {
        Step::Send(send) => send.lose.map(|loss| loss.by),
        Step::Race(_)
        | Step::Repeat(_)
        | Step::FanOut(_)
        | Step::Sweep(_)
        | Step::Pressure(_)
        | Step::Wait(_)
        | Step::Hook(_)
        | Step::Count(_) => None,
    };
    steps.iter().any(|step| by(step) == Some(Ending::Cancelled))
}

/// Whether copies of one action are sent at the same time. Those of the control belong to two.
pub(super) fn races_copies(steps: &[Step]) -> bool {
    let races = |step: &Step| match step {
        Step::Race(race) => race.copies().count() > race.intents(1).len(),
        _ => false,
    };
    steps.iter().any(races)
}

fn needs_of_step(step: &Step) -> Vec<String> {
    let parameters =
        |name: &Option<String>| -> Vec<String> { name.iter().map(|name| format!("parameters.{name}")).collect() };
    match step {
        // A conditional step is passed over where something is missing.
        Step::Send(send) if send.unless_counted.is_some() => Vec::new(),
        Step::Send(send) => {
            let mut needs: Vec<String> = parameters(&send.parameters);
            needs.extend(needs_of_place(send.account.as_ref(), send.operation.as_ref()));
            needs.extend(needs_of_scope(send));
            needs
        }
        Step::Race(race) if race.if_offered => Vec::new(),
        Step::Race(race) => race.copies().flat_map(|copy| parameters(&copy.parameters)).collect(),
        Step::Repeat(repeat) => parameters(&repeat.parameters),
        Step::FanOut(fan_out) => {
            let replicas = fan_out.each_replica.then(|| TARGET_REPLICAS.to_owned());
            parameters(&fan_out.parameters).into_iter().chain(replicas).collect()
        }
        Step::Sweep(_) => vec![FIELDS.to_owned()],
        Step::Pressure(_) => Vec::new(),
        Step::Hook(hook) => needs_of_hook(hook),
        Step::Count(Count { account, operation, .. }) => needs_of_place(account.as_ref(), operation.as_ref()),
        Step::Wait(Wait::HalfExpiry | Wait::BeforeExpiry) => vec!["retention.at_least".into()],
        Step::Wait(Wait::AfterExpiry) => vec!["retention.at_most".into()],
        Step::Wait(Wait::For(_) | Wait::Settle | Wait::Handler | Wait::InFlight) => Vec::new(),
    }
}

fn needs_of_place(account: Option<&String>, operation: Option<&String>) -> Vec<String> {
    let account = account.map(|name| format!("accounts.{name}"));
    account.into_iter().chain(operation.map(|name| format!("operations.{name}"))).collect()
}

fn needs_of_scope(send: &Send) -> Vec<String> {
    // Without a key there is none that could be odd, or left out.
    let clause = send.key.map(|_| "key");
    let method = send.method.as_ref().map(|_| "scope.methods");
    let key = match send.key.and_then(KeyChoice::kind) {
        Some(
            KeyKind::Longest
            | KeyKind::LongestSibling
            | KeyKind::LongestOtherCase
            | KeyKind::Overlong
            | KeyKind::OverlongSibling,
        ) => Some("key.max_length"),
        Some(KeyKind::Quoted) => Some("key.encoding.bare"),
        Some(KeyKind::Padded) => Some("key.spaces"),
        Some(KeyKind::Accented) => Some("key.unicode"),
        Some(KeyKind::Undated | KeyKind::DateAlone | KeyKind::Misdated | KeyKind::Outdated) => Some(FIRST_SENT),
        Some(
            KeyKind::Empty
            | KeyKind::Malformed
            | KeyKind::OtherCase
            | KeyKind::Spaced
            | KeyKind::Long(_)
            | KeyKind::LongSibling(_),
        )
        | None => None,
    };
    let replica = send.replica.as_ref().map(|name| format!("replicas.{name}"));
    clause.into_iter().chain(method).chain(key).map(str::to_owned).chain(replica).collect()
}

fn needs_of_hook(hook: &HookStep) -> Vec<String> {
    let ages: &[&str] = match hook.by {
        Some(Advance::Half | Advance::BeforeExpiry) => &["retention.at_least"],
        Some(Advance::Rest) => &["retention.at_least", "retention.at_most"],
        Some(Advance::Expiry) => &["retention.at_most"],
        Some(Advance::For(_)) | None => &[],
    };
    std::iter::once(format!("hooks.{}", hook.name)).chain(ages.iter().map(|age| (*age).to_owned())).collect()
}

fn offers(bound: &Bound, need: &str) -> bool {
    let profile = bound.profile();
    let key = profile.contract.key.as_ref();
    match need.split_once('.') {
        Some(("parameters", name)) => name == BASE || bound.has_variant(name),
        Some(("accounts", name)) => name == DEFAULT || profile.target.accounts.contains_key(name),
        Some(("operations", name)) => name == DEFAULT || profile.operations.contains_key(name),
        Some(("hooks", name)) => profile.hooks.contains_key(name),
        Some(("replicas", name)) => bound.replicas().contains_key(name),
        _ => match need {
            "effects" => profile.operation.effects.is_some(),
            "cleanup" => profile.operation.cleanup.is_some(),
            "clock" => profile.hooks.contains_key("advance-clock"),
            "key" => key.is_some(),
            "key.max_length" => key.is_some_and(|key| key.max_length.is_some()),
            "key.encoding.bare" => key.is_some_and(|key| key.encoding == Encoding::Bare),
            "key.spaces" => key.is_some_and(keeps_spaces),
            "key.unicode" => key.is_some_and(|key| key.encoding == Encoding::Bare && !is_in_header(key)),
            FIRST_SENT => profile.contract.first_sent().is_some(),
            "retention.at_least" => at_least(&profile.contract).is_some(),
            RESOURCE_END => counts_from_resource_end(&profile.contract),
            "retention.at_most" => at_most(&profile.contract).is_some(),
            "scope.methods" => !methods(&profile.contract).is_empty(),
            FIELDS => !bound.fields().is_empty(),
            TARGET_REPLICAS => !bound.replicas().is_empty(),
            _ => false,
        },
    }
}

/// Whether spaces around a key are a part of it. Around the value of a header field they are not (RFC 9110 section 5.5).
fn keeps_spaces(key: &Key) -> bool {
    key.encoding == Encoding::Quoted || !is_in_header(key)
}

fn is_in_header(key: &Key) -> bool {
    matches!(key.carrier, Carrier::Header(_))
}

/// Whether the profile offers a way to let keys grow old without waiting.
pub(super) fn moves_clocks(bound: &Bound) -> bool {
    offers(bound, "clock") || offers(bound, "hooks.expire-keys")
}

/// The longest time for which the steps let a key grow old, if they do, where nothing must happen on time: whoever comes
/// later than that has not missed anything.
pub(super) fn longest_rest(bound: &Bound, steps: &[Step]) -> Option<Period> {
    let rest = |step: &Step| match step {
        Step::Wait(Wait::For(period)) => Some(*period),
        Step::Wait(wait @ (Wait::HalfExpiry | Wait::AfterExpiry)) => {
            wait_for_age(&bound.profile().contract, *wait).map(Period)
        }
        _ => None,
    };
    steps.iter().filter_map(rest).max()
}

/// The longest single wait among the steps that somebody has to sit out, if there is one.
pub(super) fn longest_wait(bound: &Bound, steps: &[Step]) -> Option<Period> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Wait(Wait::InFlight) => bound.profile().contract.ends_within(),
            Step::Wait(wait @ Wait::BeforeExpiry) => wait_for_age(&bound.profile().contract, *wait).map(Period),
            Step::Repeat(repeat) => repeat.at_most,
            Step::FanOut(fan_out) => fan_out.again.iter().max().copied(),
            Step::Wait(Wait::For(_) | Wait::HalfExpiry | Wait::AfterExpiry | Wait::Settle | Wait::Handler)
            | Step::Pressure(_)
            | Step::Send(_)
            | Step::Race(_)
            | Step::Sweep(_)
            | Step::Hook(_)
            | Step::Count(_) => None,
        })
        .max()
}
