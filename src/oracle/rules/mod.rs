//! The rules, one to a file.

pub(super) mod account;
pub(super) mod distinct;
pub(super) mod failure_effect;
pub(super) mod fidelity;
pub(super) mod hurried;
pub(super) mod lost;
pub(super) mod marker;
pub(super) mod no_leak;
pub(super) mod not_executed;
pub(super) mod original;
pub(super) mod other_method;
pub(super) mod race;
pub(super) mod row;
pub(super) mod server_error;
pub(super) mod settles;
pub(super) mod single_effect;
pub(super) mod stale;
pub(super) mod turning_away;
