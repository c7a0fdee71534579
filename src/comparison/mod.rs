//! Two contracts side by side: where they differ, and what breaks in a client that was built for the one and talks to the
//! other. Pure: nothing is sent, and nothing is written.
//!
//! It has a direction. A client *knows* one contract and *meets* another one; what breaks for it is not what breaks for a
//! client that comes the other way. A contract is taken apart into *facts* (where the key travels, how long it is kept) and
//! *promises* (a treatment in a situation). What breaks follows from two tables, one of facts and one of treatments; no
//! provider is named in either.

mod compare;
mod facts;
mod line;
mod promises;
mod refusal;
mod rules;

#[cfg(test)]
mod every_field;
#[cfg(test)]
mod tests;

pub use compare::{Comparison, Party, Summary, compare};
pub use line::{Agreement, Consequence, Harm, Line, Named, Stated};
