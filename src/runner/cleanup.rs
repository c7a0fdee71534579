//! Removing the effects of a run. Runs in any case but one: where the journal failed.

use std::collections::BTreeSet;

use super::control::ControlRequest;
use super::{Context, RunError, case, count};
use crate::history::{CaseHistory, Cleanup, EventKind, History, Listing};
use crate::plan::Place;
use crate::profile::DEFAULT;

/// An effect that a run left behind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leftover {
    /// The account that owns it.
    pub account: String,
    /// The operation that made it.
    pub operation: String,
    /// Its identity.
    pub identity: String,
    /// The marker of its action.
    pub marker: String,
    /// The replica whose answer named it, where nothing else knows it; absent for the target itself.
    pub replica: Option<String>,
}

/// The effects that a history shows and that are to be removed, in a stable order: those that answers name, and those
/// that counters listed. One that the target itself knows is removed there, whatever replica has named it as well. What
/// a suspended case needs stays; what has been removed is gone.
pub fn leftovers(history: &History) -> BTreeSet<Leftover> {
    let removed: BTreeSet<(&str, &str)> = history
        .cleanups
        .iter()
        .filter(|cleanup| cleanup.error.is_none())
        .map(|cleanup| (cleanup.operation.as_deref().unwrap_or(DEFAULT), cleanup.identity.as_str()))
        .collect();
    let all: BTreeSet<Leftover> = to_clean_up(history)
        .flat_map(leftovers_of_case)
        .filter(|effect| !removed.contains(&(effect.operation.as_str(), effect.identity.as_str())))
        .collect();
    let known = |effect: &Leftover| all.contains(&Leftover { replica: None, ..effect.clone() });
    all.iter().filter(|effect| effect.replica.is_none() || !known(effect)).cloned().collect()
}

fn to_clean_up(history: &History) -> impl Iterator<Item = &CaseHistory> {
    history.cases.values().filter(|case| case.course.suspended.is_none())
}

fn leftovers_of_case(case: &CaseHistory) -> Vec<Leftover> {
    let answered = case.all_attempts().filter_map(|attempt| {
        let identity = attempt.end.as_ref()?.identity.clone()?;
        let marker = case.intent(attempt.start.intent)?.marker.clone();
        Some(Leftover {
            account: attempt.start.account.clone(),
            operation: attempt.start.operation.clone(),
            identity,
            marker,
            replica: attempt.start.replica.clone(),
        })
    });
    let listed = case.all_counts().flat_map(|count| match &count.listing {
        Listing::Items(items) => items
            .iter()
            .map(|item| Leftover {
                account: count.account.clone(),
                operation: count.operation.clone(),
                identity: item.identity.clone(),
                marker: count.marker.clone(),
                replica: None,
            })
            .collect(),
        Listing::Failed(_) => Vec::new(),
    });
    answered.chain(listed).collect()
}

/// Removes what the run left behind.
pub(super) async fn clean_up(context: &Context) -> Result<(), RunError> {
    let removes = |name: &str| context.bound.operation(name).is_some_and(|operation| operation.cleanup.is_some());
    if !std::iter::once(DEFAULT).chain(context.bound.profile().operations.keys().map(String::as_str)).any(removes) {
        return Ok(());
    }
    let history = context.recorder.history();
    let mut effects = leftovers(&history);
    effects.extend(late_effects(context, &history).await?);
    for effect in effects {
        let error = remove(context, &effect).await?;
        let operation = Some(effect.operation).filter(|name| name != DEFAULT);
        let cleanup = Cleanup { operation, identity: effect.identity, error };
        context.recorder.record(None, EventKind::CleanedUp(cleanup))?;
    }
    Ok(())
}

/// Effects of attempts without an answer, which may have come after the last count.
async fn late_effects(context: &Context, history: &History) -> Result<Vec<Leftover>, RunError> {
    let mut effects = Vec::new();
    for (marker, place) in unanswered_markers(history) {
        for counter in context.bound.counters(&place.operation).iter().enumerate() {
            if context.pace.take_cleanup().is_err() {
                return Ok(effects);
            }
            let listing = match count::list(context, &place, counter, &marker).await {
                Ok(listing) => listing,
                Err(case::Stop::Fatal(error)) => return Err(error),
                Err(_) => continue,
            };
            if let Listing::Items(items) = listing {
                effects.extend(items.into_iter().map(|item| Leftover {
                    account: place.account.clone(),
                    operation: place.operation.clone(),
                    identity: item.identity,
                    marker: marker.clone(),
                    replica: None,
                }));
            }
        }
    }
    Ok(effects)
}

fn unanswered_markers(history: &History) -> BTreeSet<(String, Place)> {
    let mut markers = BTreeSet::new();
    for case in to_clean_up(history) {
        for attempt in case.all_attempts() {
            let answered = attempt.end.as_ref().is_some_and(|end| end.outcome.response().is_some());
            if let (false, Some(intent)) = (answered, case.intent(attempt.start.intent)) {
                let (account, operation) = (attempt.start.account.clone(), attempt.start.operation.clone());
                markers.insert((intent.marker.clone(), Place { account, operation }));
            }
        }
    }
    markers
}

/// Whether the target still lists an effect of which it says that it is not there, once its list has settled. A list that
/// cannot be read says nothing.
async fn is_listed(context: &Context, effect: &Leftover) -> Result<bool, RunError> {
    let Some(counter) = context.bound.counters(&effect.operation).first() else {
        return Ok(false);
    };
    if context.pace.take_cleanup().is_err() {
        return Ok(false);
    }
    tokio::time::sleep(counter.settle.duration()).await;
    let place = Place { account: effect.account.clone(), operation: effect.operation.clone() };
    match count::list(context, &place, (0, counter), &effect.marker).await {
        Ok(Listing::Items(items)) => Ok(items.iter().any(|item| item.identity == effect.identity)),
        Err(case::Stop::Fatal(error)) => Err(error),
        Ok(Listing::Failed(_)) | Err(_) => Ok(false),
    }
}

/// Removes one effect; what is already gone counts as removed. Returns why it could not be removed.
async fn remove(context: &Context, effect: &Leftover) -> Result<Option<String>, RunError> {
    let operation = effect.operation.as_str();
    let rendered = || context.bound.cleanup_request(operation, &effect.identity, &effect.marker, &effect.account);
    let Some(first) = rendered()? else {
        return Ok(Some("the operation has no `cleanup`".into()));
    };
    let render = || Ok(rendered()?.unwrap_or_else(|| first.clone()));
    let request = ControlRequest { account: &effect.account, replica: effect.replica.as_deref(), render: &render };
    if context.pace.take_cleanup().is_err() {
        return Ok(Some("the cap of --max-requests was reached".into()));
    }
    Ok(match context.send_patiently(request).await? {
        Ok(response) if (200..300).contains(&response.status) => None,
        Ok(response) if matches!(response.status, 404 | 410) => {
            let answered = format!("the target answered {}, and lists it", response.status);
            is_listed(context, effect).await?.then_some(answered)
        }
        Ok(response) => Some(format!("the target answered {}", response.status)),
        Err(error) => Some(error.to_string()),
    })
}
