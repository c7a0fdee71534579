//! The program as its users run it: whole runs against the embedded target and against targets that misbehave.

#![allow(clippy::unwrap_used)]

mod anchors;
mod broken_targets;
mod check_then_act;
mod checklist;
mod connections;
mod credentials;
mod damaged_journals;
mod dated;
mod defects;
mod diff;
mod durability;
mod elsewhere;
mod generated;
mod hooks;
mod interruption;
mod judge;
mod killed;
mod manners;
mod mocks;
mod order_api;
mod outage;
mod profiles;
mod providers;
mod put;
mod races;
mod release;
mod restarted;
mod resume;
mod retention;
mod secrets;
mod seed;
mod selftest;
mod serve;
mod served;
mod settings;
mod staggered;
mod strangers;
mod support;
mod survival;
mod suspended;
mod voids;
mod xml;
