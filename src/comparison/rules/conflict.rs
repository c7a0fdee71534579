//! The same key with other parameters, and while the first request is still running.

use super::Kind::{Executes, Refreshes, Rejects, Replays};
use super::{ANSWER, EXECUTION, NOTHING, REFUSAL, Rule, STATE, breaks, harmless, may_break};
use crate::contract::Row::{ChangedParameters, EquivalentParameters, InFlight, InFlightChanged};

pub(super) const RULES: &[Rule] = &[
    breaks(
        ChangedParameters,
        Executes,
        &[NOTHING, REFUSAL],
        "a key that is used for other parameters by mistake is not caught: both requests are carried out",
    ),
    breaks(
        ChangedParameters,
        Executes,
        &[ANSWER, STATE],
        "other parameters under a known key are carried out: a retry that is not the very same may be done twice",
    ),
    breaks(
        ChangedParameters,
        Rejects,
        &[EXECUTION],
        "other parameters under a known key are refused: each action needs a key of its own",
    ),
    breaks(
        ChangedParameters,
        Rejects,
        &[ANSWER, STATE],
        "a retry whose parameters are not the very same is refused, and does not get the first result",
    ),
    harmless(ChangedParameters, Rejects, &[NOTHING], "a key that is used for other parameters by mistake is caught"),
    breaks(
        ChangedParameters,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "other parameters under a known key get the first answer: the client takes the second request for done, and it is not",
    ),
    breaks(
        ChangedParameters,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "other parameters under a known key get the state of the first action: the client takes the second request for done, \
         and it is not",
    ),
    breaks(
        EquivalentParameters,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry that says the same in other bytes is carried out again: it has to be sent byte by byte as before",
    ),
    breaks(
        EquivalentParameters,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry that says the same in other bytes is refused: it has to be sent byte by byte as before",
    ),
    breaks(
        EquivalentParameters,
        Replays,
        &[EXECUTION],
        "the same parameters in other bytes are taken for a retry: a second action that is meant is not carried out",
    ),
    harmless(
        EquivalentParameters,
        Replays,
        &[NOTHING, REFUSAL],
        "a retry that says the same in other bytes gets the first answer",
    ),
    breaks(
        EquivalentParameters,
        Refreshes,
        &[EXECUTION],
        "the same parameters in other bytes are taken for a retry: a second action that is meant is not carried out",
    ),
    harmless(
        EquivalentParameters,
        Refreshes,
        &[NOTHING, REFUSAL],
        "a retry that says the same in other bytes tells how the action stands",
    ),
    breaks(
        InFlight,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry while the first attempt still runs is carried out beside it: the action may be done twice",
    ),
    breaks(
        InFlight,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry while the first attempt still runs is refused: the client has to wait and ask again, and must not take the \
         refusal for the outcome",
    ),
    may_break(
        InFlight,
        Replays,
        &[EXECUTION, STATE, REFUSAL],
        "a retry while the first attempt still runs waits for its end: a client that gives up sooner gets no answer at all",
    ),
    harmless(
        InFlight,
        Replays,
        &[NOTHING],
        "a retry while the first attempt still runs waits for its end, and gets its answer",
    ),
    may_break(
        InFlight,
        Refreshes,
        &[NOTHING, EXECUTION, ANSWER, REFUSAL],
        "a retry while the first attempt still runs gets a state that need not be the last one: whoever takes it for the \
         outcome may be wrong",
    ),
    breaks(
        InFlightChanged,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "other parameters under a key in flight are carried out beside the first request: a mistake is not caught",
    ),
    breaks(
        InFlightChanged,
        Rejects,
        &[EXECUTION, ANSWER, STATE],
        "other parameters under a key in flight are refused: each action needs a key of its own",
    ),
    harmless(
        InFlightChanged,
        Rejects,
        &[NOTHING],
        "a key in flight that is used for other parameters by mistake is caught",
    ),
    breaks(
        InFlightChanged,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "other parameters under a key in flight get the answer to the first request: the client takes its own for done, and \
         it is not",
    ),
    breaks(
        InFlightChanged,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "other parameters under a key in flight get the state of the first request: the client takes its own for done, and \
         it is not",
    ),
];
