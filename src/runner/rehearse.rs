//! Rendering everything once before anything is sent, so that a mistake in a profile costs nothing.

use crate::plan::Plan;
use crate::profile::{BASE, Bound, DEFAULT, RenderError, RenderRequest};
use crate::scenario::Step;

const MARKER: &str = "idemspec-0000000000000000";

/// Renders every request of a plan once, with stand-ins for key, marker and identity.
///
/// # Errors
/// The first request that cannot be rendered.
pub fn rehearse(bound: &Bound, plan: &Plan) -> Result<(), RenderError> {
    for step in plan.cases.iter().flat_map(|case| &case.steps) {
        rehearse_step(bound, step)?;
    }
    for index in 0..super::count::counters(bound).len() {
        bound.count_request(index, MARKER, DEFAULT)?;
    }
    bound.cleanup_request("1", MARKER, DEFAULT).map(|_| ())
}

fn rehearse_step(bound: &Bound, step: &Step) -> Result<(), RenderError> {
    let render = |variant: Option<&str>, account: Option<&str>, method: Option<&str>| {
        bound
            .request(&RenderRequest {
                variant: variant.unwrap_or(BASE),
                marker: MARKER,
                key: Some("00000000-0000-4000-8000-000000000000"),
                account: account.unwrap_or(DEFAULT),
                method,
            })
            .map(|_| ())
    };
    match step {
        Step::Send(send) => render(send.parameters.as_deref(), send.account.as_deref(), send.method.as_deref()),
        Step::Race(race) => race
            .copies()
            .filter(|copy| !race.if_offered || copy.parameters.as_deref().is_none_or(|name| bound.has_variant(name)))
            .try_for_each(|copy| render(copy.parameters.as_deref(), None, None)),
        Step::Repeat(repeat) => render(repeat.parameters.as_deref(), None, None),
        Step::Hook(hook) => bound.hook(&hook.name, Some(MARKER), Some("1")).map(|_| ()),
        Step::Wait(_) | Step::Count(_) => Ok(()),
    }
}
