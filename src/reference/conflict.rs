//! What other parameters get under a key that is bound.

use super::disposition::Disposition;
use super::policy::promised;
use super::record::{Progress, Record};
use super::sameness;
use super::submission::Submission;
use crate::contract::{Contract, Matcher, Row, Situation, Treatment};
use crate::message::Response;

pub(super) fn on_conflict(contract: &Contract, record: &Record, submission: &Submission) -> Disposition {
    if let Some(situation) = sameness::conflict(contract, &record.fingerprint, submission) {
        return situation;
    }
    let first = match &record.progress {
        Progress::Finished { outcome, .. } => Some(outcome.answer.message()),
        Progress::InFlight { .. } => None,
    };
    changed_after(contract, submission.variant.as_deref(), first.as_ref())
}

/// What parameters of another meaning get, by their variant where that is known, whatever the first outcome was.
pub(super) fn changed_parameters(contract: &Contract, variant: Option<&str>) -> Disposition {
    changed_after(contract, variant, None)
}

fn changed_after(contract: &Contract, variant: Option<&str>, first: Option<&Response>) -> Disposition {
    let promise = match variant {
        None => promised(contract, Row::ChangedParameters, first),
        Some(variant) => contract
            .promise(Row::ChangedParameters, variant)
            .and_then(|promise| promise.case(first)?.allow.first().cloned()),
    };
    in_conflict(Situation::ChangedParameters, promise)
}

pub(super) fn in_conflict(situation: Situation, promise: Option<Treatment>) -> Disposition {
    Disposition { situation, treatment: promise.unwrap_or_else(|| Treatment::Rejects(Matcher::default())) }
}
