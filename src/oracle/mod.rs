//! Judging: history × contract → findings. A pure function.
//!
//! It goes in three steps, which [`judge`] takes one after the other. [`extract`] takes everything out of the history that
//! the rules ask about: a `docket` for each case, with the `facts` about its attempts and the `effects` that were counted.
//! [`Dockets::judge`] decides: the attempts of a case are taken one after the other; each belongs to an `action`, meets
//! the server in a `situation`, is read (`reading`) as processed or not, and is compared with the `terms` of the contract.
//! [`Judged::findings`] puts what was found into words (`telling`). The `rules` stand one to a file. What the control of
//! the run shows about the instrument decides what may be said.

mod action;
mod answer;
mod control;
mod docket;
mod dockets;
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
mod telling;
mod terms;
mod trial;
mod words;

pub use control::{Instrument, examine};
pub use dockets::{Dockets, Judged, extract};
pub use finding::{Finding, Judgement};
pub use order::in_order;
pub use retention::{margin_of, whole_margin};

use crate::contract::Contract;
use crate::history::History;

/// Judges a history by a contract: the findings of every case, in the order of the cases and of their attempts.
pub fn judge(contract: &Contract, history: &History) -> Vec<Finding> {
    let ordered = in_order(history);
    extract(contract, &ordered).judge().findings()
}
