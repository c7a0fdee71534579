//! Repeats of what is finished.

use super::Kind::{Executes, Refreshes, Rejects, Replays};
use super::{ANSWER, EXECUTION, NOTHING, REFUSAL, Rule, STATE, breaks, harmless};
use crate::contract::Row::{
    AfterChange, AfterFailure, AfterServerError, AfterSuccess, AfterTurningAway, AfterValidationFailure, RateLimited,
};

pub(super) const RULES: &[Rule] = &[
    breaks(
        AfterSuccess,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry after a success executes again: nothing but the operation itself keeps it from being done twice",
    ),
    breaks(
        AfterSuccess,
        Replays,
        &[EXECUTION],
        "a retry after a success gets the saved answer and does nothing: it cannot bring a resource back to what it says",
    ),
    breaks(
        AfterSuccess,
        Replays,
        &[STATE],
        "a retry after a success gets the answer of then: what has changed since does not show, and has to be read",
    ),
    breaks(
        AfterSuccess,
        Replays,
        &[REFUSAL],
        "a retry after a success looks like a first success: a client that tells duplicates by the refusal does not notice \
         them",
    ),
    harmless(AfterSuccess, Replays, &[NOTHING], "a retry after a success gets the first answer"),
    breaks(
        AfterSuccess,
        Refreshes,
        &[EXECUTION],
        "a retry after a success tells how the resource stands and does nothing: it cannot bring it back to what it says",
    ),
    breaks(
        AfterSuccess,
        Refreshes,
        &[ANSWER],
        "a retry after a success gets the state of now and not the first answer: two answers to one action may differ, and \
         a client that keeps the last one keeps something else",
    ),
    breaks(
        AfterSuccess,
        Refreshes,
        &[REFUSAL],
        "a retry after a success shows the resource: a client that tells duplicates by the refusal does not notice them",
    ),
    harmless(AfterSuccess, Refreshes, &[NOTHING], "a retry after a success tells how the action stands"),
    breaks(
        AfterSuccess,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry after a success is refused: a client that takes a refusal for a failure believes that nothing was done",
    ),
    breaks(
        AfterFailure,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry after a failure executes again: it may succeed where the client took the failure as final",
    ),
    breaks(
        AfterFailure,
        Replays,
        &[NOTHING, EXECUTION],
        "a retry after a failure gets the saved failure, however often it is tried: another attempt needs a new key",
    ),
    harmless(AfterFailure, Replays, &[REFUSAL], "a retry after a failure gets that failure again"),
    breaks(
        AfterFailure,
        Refreshes,
        &[NOTHING, EXECUTION],
        "a retry after a failure tells how the failed action stands, and is not carried out: another attempt needs a new key",
    ),
    harmless(AfterFailure, Refreshes, &[REFUSAL], "a retry after a failure tells how the failed action stands"),
    breaks(
        AfterFailure,
        Rejects,
        &[NOTHING, EXECUTION],
        "a retry after a failure is refused: another attempt needs a new key",
    ),
    breaks(
        AfterFailure,
        Rejects,
        &[ANSWER, STATE],
        "a retry after a failure is refused: a client that missed the failure does not learn why it failed",
    ),
    breaks(
        AfterServerError,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry after a 500 executes again: it may succeed after all, and what the first attempt had done may be done twice",
    ),
    breaks(
        AfterServerError,
        Replays,
        &[NOTHING, EXECUTION],
        "a retry after a 500 never succeeds: it gets the saved 500 until the key is forgotten, and another attempt needs a \
         new key",
    ),
    harmless(AfterServerError, Replays, &[REFUSAL], "a retry after a 500 gets that 500 again"),
    breaks(
        AfterServerError,
        Refreshes,
        &[NOTHING, EXECUTION],
        "a retry after a 500 tells how the first attempt stands: where that came to nothing, it is not carried out either",
    ),
    breaks(
        AfterServerError,
        Refreshes,
        &[ANSWER],
        "a retry after a 500 tells how the action stands, perhaps that it succeeded: a client that took the 500 for the \
         outcome is wrong",
    ),
    harmless(AfterServerError, Refreshes, &[REFUSAL], "a retry after a 500 tells how the action stands"),
    breaks(
        AfterServerError,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry after a 500 is refused: the client does not learn from it what became of the first attempt",
    ),
    harmless(
        AfterValidationFailure,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a refused request had no effect, and its key is still free for the corrected one",
    ),
    breaks(
        AfterValidationFailure,
        Replays,
        &[NOTHING, EXECUTION],
        "a refusal stays with the key: the corrected request gets it again or is a conflict, and needs a new key",
    ),
    harmless(AfterValidationFailure, Replays, &[REFUSAL], "a retry of a refused request is refused as before"),
    breaks(
        AfterValidationFailure,
        Refreshes,
        &[NOTHING, EXECUTION],
        "a refusal stays with the key: the corrected request is not carried out, and needs a new key",
    ),
    harmless(AfterValidationFailure, Refreshes, &[REFUSAL], "a retry of a refused request is refused as before"),
    breaks(
        AfterValidationFailure,
        Rejects,
        &[NOTHING, EXECUTION],
        "a key is spent once its request was refused: the corrected request needs a new key",
    ),
    breaks(
        AfterValidationFailure,
        Rejects,
        &[ANSWER, STATE],
        "a retry of a refused request gets another refusal: a client that missed the first does not learn what was wrong",
    ),
    harmless(
        AfterTurningAway,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "what was turned away was not begun, and a retry is carried out",
    ),
    breaks(
        AfterTurningAway,
        Replays,
        &[NOTHING, EXECUTION],
        "a 401, 429 or 503 stays with the key: a retry gets it again even when the cause is gone, and needs a new key",
    ),
    harmless(AfterTurningAway, Replays, &[REFUSAL], "a retry of what was turned away is turned away as before"),
    breaks(
        AfterTurningAway,
        Refreshes,
        &[NOTHING, EXECUTION],
        "a 401, 429 or 503 stays with the key: a retry is not carried out even when the cause is gone, and needs a new key",
    ),
    harmless(AfterTurningAway, Refreshes, &[REFUSAL], "a retry of what was turned away is not carried out either"),
    breaks(
        AfterTurningAway,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a key is spent once its request was turned away: a retry is refused, and needs a new key",
    ),
    breaks(
        AfterChange,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry after the resource was changed or deleted executes again, and may make it anew",
    ),
    breaks(
        AfterChange,
        Replays,
        &[NOTHING, STATE, REFUSAL],
        "a retry after the resource was changed or deleted tells of it as it was at first: a client that reads its state from \
         there is misled",
    ),
    breaks(
        AfterChange,
        Replays,
        &[EXECUTION],
        "a retry after the resource was changed or deleted gets the first answer, and does not bring it back",
    ),
    breaks(
        AfterChange,
        Refreshes,
        &[EXECUTION],
        "a retry after the resource was changed or deleted tells how it stands, and does not bring it back",
    ),
    breaks(
        AfterChange,
        Refreshes,
        &[ANSWER],
        "a retry after the resource was changed or deleted tells how it stands now, and not the first answer",
    ),
    harmless(
        AfterChange,
        Refreshes,
        &[NOTHING, REFUSAL],
        "a retry after the resource was changed or deleted tells how it stands",
    ),
    breaks(
        AfterChange,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry after the resource was changed or deleted is refused: a client that missed the first answer does not get it \
         any more",
    ),
    breaks(
        RateLimited,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a repeat while the caller is rate limited executes again: what was done may be done twice",
    ),
    breaks(
        RateLimited,
        Replays,
        &[EXECUTION],
        "a repeat while the caller is rate limited gets the first answer, and is not carried out",
    ),
    harmless(
        RateLimited,
        Replays,
        &[NOTHING, REFUSAL],
        "a repeat gets the first answer even while the caller is rate limited",
    ),
    breaks(
        RateLimited,
        Refreshes,
        &[EXECUTION],
        "a repeat while the caller is rate limited tells how the action stands, and is not carried out",
    ),
    harmless(
        RateLimited,
        Refreshes,
        &[NOTHING, REFUSAL],
        "a repeat tells how the action stands even while the caller is rate limited",
    ),
    breaks(
        RateLimited,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a repeat while the caller is rate limited is turned away: the client learns the outcome only when it may ask again",
    ),
];
