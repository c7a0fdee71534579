//! The documentation checklist: what a contract says in each clause, what it leaves a reader to guess, and where it
//! contradicts itself. Offline and pure: it reads a profile, and sends nothing.
//!
//! *Questions* are what the documentation of any idempotency contract has to answer; they stand in tables, a file for each
//! clause. *Rules* look for promises that cannot be kept, told apart or shown; they stand in one file each.

#[cfg(test)]
mod fixtures;
mod question;
mod questions;
mod review;
mod row;
mod rule;
mod rules;
mod subject;

pub use question::{Answer, Question};
pub use review::{AnsweredQuestion, ClauseReview, Denial, Review, Standing, review};
pub use rule::{Finding, Rule, Severity};
