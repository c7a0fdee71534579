//! Rendering everything once before anything is sent, so that a mistake in a profile costs nothing.

use super::odd_key::odd_key;
use crate::history::KeyKind;
use crate::message::Request;
use crate::plan::{Plan, advance, method, places};
use crate::profile::{BASE, Bound, DEFAULT, HookValues, RenderError, RenderRequest};
use crate::scenario::{HookStep, KeyChoice, Repeat, Send, Step};

const MARKER: &str = "idemspec-0000000000000000";

const KEY: &str = "00000000-0000-4000-8000-000000000000";

/// Renders every request of a plan once, with stand-ins for key, marker and identity.
///
/// # Errors
/// The first request that cannot be rendered.
pub fn rehearse(bound: &Bound, plan: &Plan) -> Result<(), RenderError> {
    for case in &plan.cases {
        case.steps.iter().try_for_each(|step| rehearse_step(bound, step))?;
        for place in places(&case.steps) {
            for index in 0..bound.counters(&place.operation).len() {
                bound.count_request(&place.operation, index, MARKER, &place.account)?;
            }
            bound.cleanup_request(&place.operation, "1", MARKER, &place.account)?;
        }
    }
    bound.clock_request().map(|_| ())
}

fn rehearse_step(bound: &Bound, step: &Step) -> Result<(), RenderError> {
    match step {
        // A conditional step is passed over where something is missing.
        Step::Send(send) if send.unless_counted.is_some() && !is_offered(bound, send) => Ok(()),
        Step::Send(send) => rehearse_send(bound, send),
        Step::Race(race) => race
            .copies()
            .filter(|copy| !race.if_offered || copy.parameters.as_deref().is_none_or(|name| bound.has_variant(name)))
            .try_for_each(|copy| {
                let send = Send { intent: race.intent.clone(), parameters: copy.parameters, ..Send::default() };
                rehearse_send(bound, &send)
            }),
        Step::Repeat(Repeat { intent, parameters, .. }) => {
            let (intent, parameters) = (intent.clone(), parameters.clone());
            rehearse_send(bound, &Send { intent, parameters, ..Send::default() })
        }
        Step::FanOut(fan_out) => {
            let replicas = bound.replicas().keys().filter(|_| fan_out.each_replica).map(|name| Some(name.as_str()));
            std::iter::once(None).chain(replicas).try_for_each(|replica| rehearse_send(bound, &fan_out.send(replica)))
        }
        Step::Sweep(sweep) => sweep.sends(&bound.fields()).iter().try_for_each(|send| rehearse_send(bound, send)),
        Step::Pressure(pressure) => rehearse_send(bound, &Send { intent: pressure.intent.clone(), ..Send::default() }),
        Step::Hook(hook) => rehearse_hook(bound, hook),
        Step::Wait(_) | Step::Count(_) => Ok(()),
    }
}

fn is_offered(bound: &Bound, send: &Send) -> bool {
    send.parameters.as_deref().is_none_or(|name| bound.has_variant(name))
}

/// Whether the requests of the operation say with secrets what they ask for, so that two processes may ask differently.
///
/// # Errors
/// When the request cannot be rendered.
pub fn asks_with_secrets(bound: &Bound) -> Result<bool, RenderError> {
    rehearsed(bound, &Send::default()).map(|request| request.asks_with_secrets())
}

fn rehearse_send(bound: &Bound, send: &Send) -> Result<(), RenderError> {
    rehearsed(bound, send).map(|_| ())
}

fn rehearsed(bound: &Bound, send: &Send) -> Result<Request, RenderError> {
    let clause = bound.profile().contract.key.as_ref();
    let kind = send.key.and_then(KeyChoice::kind);
    let odd = kind.and_then(|kind| odd_key(kind, KEY, clause));
    let own = if send.key == Some(KeyChoice::None) || kind == Some(KeyKind::DateAlone) { None } else { Some(KEY) };
    bound.request(&RenderRequest {
        variant: send.parameters.as_deref().unwrap_or(BASE),
        marker: MARKER,
        key: odd.as_ref().map_or(own, |odd| Some(odd.text.as_str())),
        encoded: odd.as_ref().is_some_and(|odd| odd.encoded),
        first_sent: None,
        account: send.account.as_deref().unwrap_or(DEFAULT),
        operation: send.operation.as_deref().unwrap_or(DEFAULT),
        replica: send.replica.as_deref(),
        method: send.method.as_deref().map(|written| method(bound, written)),
    })
}

/// A hook is told about an action only where its step names one.
fn rehearse_hook(bound: &Bound, hook: &HookStep) -> Result<(), RenderError> {
    let named = |stand_in| hook.intent.as_ref().map(|_| stand_in);
    let seconds = hook.by.and_then(|by| advance(&bound.profile().contract, by)).map(|by| by.as_secs());
    bound.hook(&hook.name, &HookValues { marker: named(MARKER), identity: named("1"), seconds }).map(|_| ())
}
