//! idemspec tells people, with proof, whether an HTTP API is safe to retry.
//!
//! A request that carries an idempotency key meets a server in a *situation*, the server gives it a *treatment*, and a
//! *contract* says which treatments are allowed there. A *profile* binds a contract to a target; a *scenario* is a
//! list of stimuli without any expectation; the *runner* applies it and records a *history*; the *oracle*, a pure
//! function, judges the history by the contract; the *checklist* turns its findings into verdicts.
//!
//! The modules stand in reading order; a test holds that imports run one way.

pub mod secret;

pub mod message;

pub mod contract;

pub mod history;

pub mod document;

pub mod profile;

pub mod scenario;

pub mod plan;

pub mod wire;

pub mod journal;

pub mod runner;

pub mod oracle;

pub mod waiver;

pub mod checklist;

pub mod lint;

pub mod openapi;

pub mod draft;

pub mod report;

pub mod reference;

pub mod selftest;

pub mod cli;

pub mod commands;
