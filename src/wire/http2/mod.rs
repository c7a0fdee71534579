//! HTTP/2 (RFC 9113), by the h2 crate: one request per connection, unless a race puts several on one.
//!
//! `Line` follows the frames in both directions, so that it is known what has left and what has come; `Conversation`
//! drives a connection; `Exchange` is one request on it, up to any point.

mod conversation;
mod exchange;
mod frames;
mod line;
mod message;

pub(super) use conversation::Conversation;
pub(super) use exchange::{Exchange, explain};
pub(super) use line::Line;
pub(super) use message::message;
