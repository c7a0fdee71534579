//! Judging: history × contract → findings. A pure function.
//!
//! Each case is judged by itself. First come the `facts` about its attempts and `effects`, each worked out once.
//! Then the attempts are taken one after the other: each belongs to an `action`, meets the server in a
//! `situation`, is read (`reading`) as processed or not, and is compared with the `terms` of the contract.
//! The `rules` stand one to a file. What the control of the run shows about the instrument decides what may be said.

mod action;
mod answer;
mod control;
mod docket;
mod effects;
mod facts;
mod finding;
mod odd_key;
mod order;
mod reading;
mod resource_end;
mod retention;
mod rules;
mod sameness;
mod scope;
mod sink;
mod situation;
mod terms;
mod trial;
mod words;

pub use control::{Instrument, examine};
pub use finding::{Finding, Judgement};
pub use retention::{margin_of, whole_margin};

use crate::contract::Contract;
use crate::history::History;

/// Judges a history by a contract: the findings of every case, in the order of the cases and of their attempts.
pub fn judge(contract: &Contract, history: &History) -> Vec<Finding> {
    let Some(run) = &history.run else {
        return Vec::new();
    };
    let ordered = order::in_order(history);
    let history = ordered.as_ref();
    let calibration = history.calibration.unwrap_or_default();
    let mut findings: Vec<Finding> =
        history.cases.values().flat_map(|case| trial::hold(contract, &run.subject, calibration, case)).collect();
    control::temper(&examine(history), history, &mut findings);
    findings
}
