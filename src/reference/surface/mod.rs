//! The surface of the server: which requests there are, how they read, and how what they come to is told.
//!
//! The interpreter behind it knows keys, records and effects, and nothing of paths and members. There are two surfaces:
//! the order API, whose rules for what is acceptable are its own; and one that is derived from a profile.

mod account;
mod answers;
mod build;
mod content;
mod derived;
mod fields;
mod issuer;
mod mock;
mod operation;
mod pattern;
mod place;
mod routes;
mod signer;

use axum::http::request::Parts;
use bytes::Bytes;

pub(super) use content::{Content, Markup};
pub(super) use derived::Derived;
pub(super) use place::Place;

use super::answer::Answer;
use super::book::Item;
use super::interpreter::Interpreter;
use super::policy::Submission;

/// Where every listener serves the second replica as well, so that a target with one URL has two.
pub(super) const SECOND_REPLICA: &str = "/replicas/second";

/// A request, as it came.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    /// Its head.
    pub(super) parts: &'a Parts,
    /// Its content.
    pub(super) body: Bytes,
    /// Which replica took it.
    pub(super) replica: u16,
}

/// What a request turned out to be.
#[derive(Debug)]
pub(super) enum Routed {
    /// Something that no key plays a part in, and its answer.
    Answered(Answer),
    /// A request that may carry a key.
    Submitted(Box<Submission>),
}

/// Which requests there are, how they read, and how what they come to is told.
pub(super) trait Surface: Send + Sync {
    /// Finds what a request is about. An `Err` is an answer as well: one that ends the matter early.
    fn route(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Result<Routed, Answer>;

    /// What the head of a request tells of the request that is to come, if that is one that makes something.
    fn announced(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Option<Submission>;

    /// The answer to a request that has made a resource.
    fn made(&self, item: &Item) -> Answer;

    /// A resource as it is now.
    fn shown(&self, item: &Item) -> Bytes;

    /// The answer to a request that is declined.
    fn declined(&self, submission: &Submission) -> Answer;

    /// The answer to a request that ends in a server error.
    fn crashed(&self, submission: &Submission) -> Answer;

    /// How a resource is named.
    fn identity(&self, number: u64) -> String;
}
