//! Judging: history × contract → findings. A pure function.

mod finding;

pub use finding::{Finding, Judgement};

use crate::contract::Contract;
use crate::history::History;

/// Judges a history by a contract.
pub fn judge(_contract: &Contract, _history: &History) -> Vec<Finding> {
    Vec::new()
}
