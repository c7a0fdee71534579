//! The idempotency contract: a table from situations to allowed treatments, and the words to talk about it. Pure.
//!
//! Everything else in the program hangs on this small model: a request that carries a key meets the server in a
//! [`Situation`], the server gives it a [`Treatment`], and a [`Contract`] says which treatments are allowed there.

mod clauses;
mod drawn;
mod first_sent;
mod marker;
mod matcher;
mod overlap;
mod period;
mod place;
mod promise;
mod rate;
mod requirement;
mod rulings;
mod situation;
mod treatment;
mod verdict;

pub use clauses::{
    Anchor, BodyFidelity, Carrier, Conflict, Contract, Encoding, Fidelity, InFlight, Key, KeyDifference, PRESSURE,
    Replay, Retention, Scope, StatusFidelity,
};
pub use drawn::Drawn;
pub use first_sent::FirstSent;
pub use marker::{FirstAnswer, Marker};
pub use matcher::{Condition, Expected, Matcher, StatusPattern, StatusSet};
pub use period::Period;
pub use promise::{Case, Effects, Level, Promise, Row, Ruling, VariantPromise};
pub use rate::Rate;
pub use requirement::{Clause, Requirement, Standing};
pub use situation::Situation;
pub use treatment::Treatment;
pub use verdict::{Cause, Reason, Verdict};
