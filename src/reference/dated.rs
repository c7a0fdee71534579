//! Keys beside which a date travels: that of their first request.

use std::time::{Duration, SystemTime};

use super::answer::Answer;
use super::interpreter::Interpreter;
use super::key::{Fault, PresentedDate, PresentedKey};
use super::policy::{Admission, Submission, admit_method, path_parameter, promised, refusal};
use crate::contract::{Contract, Matcher, Period, Situation, Treatment};

/// For how long keys are kept where the contract does not say.
const USUAL: Duration = Duration::from_secs(24 * 60 * 60);

/// A date is cut to whole seconds.
const ROUNDING: Duration = Duration::from_secs(1);

/// What becomes of a request with a key and without its date, with a date and without its key, or with something that is
/// no date; `None` where they come together, and where the contract knows no date.
pub(super) fn admit_date(contract: &Contract, submission: &Submission) -> Option<Admission> {
    contract.first_sent()?;
    if admit_method(contract, &submission.method).is_some() {
        return None;
    }
    match (&submission.key, submission.first_sent) {
        (PresentedKey::Absent, PresentedDate::Absent) => return None,
        (PresentedKey::One(_) | PresentedKey::Unclear, PresentedDate::One(_)) => return None,
        (PresentedKey::Absent, PresentedDate::One(_) | PresentedDate::Unclear)
        | (PresentedKey::One(_) | PresentedKey::Unclear, PresentedDate::Absent | PresentedDate::Unclear) => {}
    }
    let fault = Fault::Incomplete;
    let refused = |matcher: &Matcher| Admission::Refused(fault.words(), fault.refusal().answer(matcher, None));
    Some(match promised(contract, fault.row(), None) {
        Some(Treatment::Rejects(matcher)) => refused(&matcher),
        Some(Treatment::Executes | Treatment::Replays | Treatment::Refreshes) => Admission::Unprotected(fault.words()),
        None => refused(&Matcher::default()),
    })
}

/// Whether a request was first sent longer ago, by its date, than keys are kept. The date comes from a clock that nobody
/// has moved, so it is compared with one.
pub(super) fn is_outdated(contract: &Contract, submission: &Submission) -> bool {
    let PresentedDate::One(date) = submission.first_sent else {
        return false;
    };
    let retention = contract.retention.as_ref().and_then(|retention| retention.at_most.or(retention.at_least));
    let kept = retention.map_or(USUAL, Period::duration) + ROUNDING;
    SystemTime::now().duration_since(date).is_ok_and(|age| age > kept)
}

/// The parameters of a request target, and with them the date, so that another date is another request.
pub(super) fn with_date(mut target: Vec<(String, String)>, first_sent: PresentedDate) -> Vec<(String, String)> {
    if let PresentedDate::One(date) = first_sent {
        target.push((path_parameter("first sent"), httpdate::fmt_http_date(date)));
    }
    target
}

impl Interpreter {
    /// What the key of a request is good for, and whether its date comes with it.
    pub(super) fn admit(&self, submission: &Submission) -> Admission {
        let incomplete = (self.policy.admit_date)(&self.contract, submission);
        incomplete.unwrap_or_else(|| (self.policy.admit_key)(&self.contract, submission))
    }

    /// The refusal of a request that was first sent longer ago than keys are kept, where the contract has it refused.
    pub(super) fn refuse_outdated(&self, submission: &Submission) -> Option<Answer> {
        if !(self.policy.is_outdated)(&self.contract, submission) {
            return None;
        }
        match (self.policy.elsewhere)(&self.contract, &Situation::Expired).treatment {
            Treatment::Rejects(matcher) => Some(refusal(Situation::Expired).answer(&matcher, None)),
            Treatment::Executes | Treatment::Replays | Treatment::Refreshes => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::{contract, submission};
    use super::*;

    #[test]
    fn key_and_date_come_together_or_not_at_all() {
        let dated = contract("key: {carrier: {header: K}, first_sent: {header: D}}");
        let key = PresentedKey::One(b"k".to_vec());
        let admitted = |key: &PresentedKey, first_sent| {
            admit_date(&dated, &Submission { key: key.clone(), first_sent, ..submission("{}") }).is_none()
        };
        let date = PresentedDate::One(SystemTime::now());
        assert!(admitted(&key, date) && admitted(&PresentedKey::Absent, PresentedDate::Absent));
        for (key, date) in [
            (&key, PresentedDate::Absent),
            (&key, PresentedDate::Unclear),
            (&PresentedKey::Absent, date),
            (&PresentedKey::Absent, PresentedDate::Unclear),
        ] {
            assert!(!admitted(key, date), "{key:?} {date:?}");
        }
        let silent = contract("key: {carrier: {header: K}}");
        assert_eq!(admit_date(&silent, &Submission { key, ..submission("{}") }), None);
    }

    #[test]
    fn a_date_is_too_old_when_keys_of_its_age_are_forgotten() {
        let outdated = |contract: &Contract, seconds| {
            let first_sent = PresentedDate::One(SystemTime::now() - Duration::from_secs(seconds));
            is_outdated(contract, &Submission { first_sent, ..submission("{}") })
        };
        let short = contract("retention: {at_least: 5m, at_most: 5m}");
        assert!(outdated(&short, 302) && !outdated(&short, 299));
        assert!(outdated(&Contract::default(), 90_000) && !outdated(&Contract::default(), 80_000));
        assert!(!is_outdated(&short, &submission("{}")));
    }
}
