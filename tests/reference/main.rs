//! The reference target over bare sockets: a sound one keeps every promise of its contract, and each defect breaks it
//! in exactly the way that it describes.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod check_then_act;
mod client;
mod clock;
mod contracts;
mod defects;
mod defects_in_flight;
mod defects_of_keys;
mod defects_of_replays;
mod disconnect;
mod durable;
mod fixture;
mod http2;
mod incidents;
mod more_defects;
mod profiles;
mod promises;
mod protocols;
mod replicas;
mod surface;
