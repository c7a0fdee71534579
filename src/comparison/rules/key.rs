//! Requests with no key, or with a bad one.

use super::Kind::{Executes, Refreshes, Rejects, Replays};
use super::{ANSWER, EXECUTION, NOTHING, REFUSAL, Rule, STATE, breaks, harmless};
use crate::contract::Row::{Empty, Incomplete, Malformed, Missing, Overlong};

pub(super) const RULES: &[Rule] = &[
    breaks(
        Missing,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a request without a key is carried out, and so is every retry of it: that the key was left out does not show",
    ),
    breaks(
        Missing,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a request without a key is refused: every request of this kind has to carry one",
    ),
    breaks(
        Missing,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a request without a key is taken for a retry of an equal one: a second action that is meant is not carried out",
    ),
    breaks(
        Missing,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a request without a key is taken for a retry of an equal one: a second action that is meant is not carried out",
    ),
    breaks(
        Empty,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a request with an empty key is carried out, and so is every retry of it: that the key is empty does not show",
    ),
    breaks(
        Empty,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a request with an empty key is refused: a client that means none has to leave the key out",
    ),
    breaks(
        Empty,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "two requests with an empty key are taken for one action: the second is not carried out",
    ),
    breaks(
        Empty,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "two requests with an empty key are taken for one action: the second is not carried out",
    ),
    harmless(
        Malformed,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a key of any format is taken, and protects like another one",
    ),
    breaks(
        Malformed,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a key of another format than <met> takes is refused: the client has to make its keys in that format",
    ),
    harmless(
        Malformed,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key of any format is taken, and protects like another one",
    ),
    harmless(
        Malformed,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key of any format is taken, and protects like another one",
    ),
    harmless(
        Overlong,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a key that is too long is taken, and protects like another one",
    ),
    breaks(
        Overlong,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a key that is longer than <met> takes is refused: the client has to make shorter ones",
    ),
    harmless(
        Overlong,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that is too long is taken, and protects like another one",
    ),
    harmless(
        Overlong,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that is too long is taken, and protects like another one",
    ),
    breaks(
        Incomplete,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a request that has its key and not its date, or the date alone, is carried out, and may be so at every retry",
    ),
    breaks(
        Incomplete,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a request that has its key and not its date, or the date alone, is refused: every request has to carry both",
    ),
    harmless(
        Incomplete,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a request that has its key and not its date is known all the same",
    ),
    harmless(
        Incomplete,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a request that has its key and not its date is known all the same",
    ),
];
