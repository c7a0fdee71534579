//! What happened during a run: typed events, and the same events put together by case. Pure.
//!
//! The runner appends [`Event`]s; everything else (progress, journal, oracle, reports) reads them.

mod attempt;
mod cases;
mod count;
mod event;
mod key;
mod plan;
mod subject;

pub use crate::contract::Drawn;
pub use attempt::{
    AttemptEnd, AttemptId, AttemptStart, Ending, Loss, LossPoint, Outcome, Protocol, SocketError, Timing,
};
pub use cases::{Attempt, CaseHistory, Course, History, RaceRound};
pub use count::{Count, CountFailure, Item, Listing};
pub use event::{
    CaseEnding, CaseId, CaseInfo, Cleanup, ConnectionInfo, Event, EventKind, HookRun, Intent, IntentId, Race, Release,
    RunInfo, SkippedCase, VERSION,
};
pub use key::KeyKind;
pub use plan::{CasePlan, Declaration, MockInfo, PlanInfo, Resumption, Waiting};
pub use subject::{Calibration, CounterFact, OperationFact, Subject, VariantFact};
