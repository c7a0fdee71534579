//! The reference target over bare sockets: a sound one keeps every promise of its contract, and each defect breaks it
//! in exactly the way that it describes.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod check_then_act;
mod client;
mod clock;
mod contracts;
mod defects;
mod disconnect;
mod fixture;
mod more_defects;
mod promises;
mod surface;
