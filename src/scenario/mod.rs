//! Scenarios: lists of stimuli, and nothing else. They hold no expectation; the contract alone judges.

mod check;
mod choice;
mod document;
mod load;
mod model;
mod percent;
mod race;

pub use choice::{Advance, KeyChoice};
pub use document::ScenarioDocument;
pub use load::{load_directory, load_shipped, parse, shipped};
pub use model::{Count, FanOut, HookStep, Pressure, Repeat, Scenario, ScenarioCase, Send, Step, Sweep, Until, Wait};
pub use percent::{Moment, Percent};
pub use race::{Copies, Race, RaceCopy};
