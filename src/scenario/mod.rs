//! Scenarios: lists of stimuli, and nothing else. They hold no expectation; the contract alone judges.

mod model;

pub use model::{Count, HookStep, KeyChoice, Percent, Repeat, Scenario, ScenarioCase, Send, Step, Until, Wait};
