//! Requests whose key is older than its retention.

use super::Kind::{Executes, Refreshes, Rejects, Replays};
use super::{ANSWER, EXECUTION, NOTHING, REFUSAL, Rule, STATE, breaks, harmless};
use crate::contract::Row::Expired;

pub(super) const RULES: &[Rule] = &[
    breaks(
        Expired,
        Executes,
        &[NOTHING, ANSWER, STATE],
        "a retry that comes too late is carried out as a new action: it may be done twice",
    ),
    breaks(
        Expired,
        Executes,
        &[REFUSAL],
        "a retry that comes too late is carried out as a new action and not refused: it may be done twice, and nothing \
         warns the client",
    ),
    breaks(
        Expired,
        Rejects,
        &[EXECUTION],
        "a key that has expired is refused, and not free again: each new action needs a new key",
    ),
    breaks(
        Expired,
        Rejects,
        &[ANSWER, STATE],
        "a retry that comes too late is refused: the client does not learn from it what became of the first attempt",
    ),
    harmless(Expired, Rejects, &[NOTHING], "a retry that comes too late is refused, and so not done twice"),
    breaks(
        Expired,
        Replays,
        &[EXECUTION],
        "a key that has expired is still answered from memory: a new action under it is not carried out",
    ),
    harmless(Expired, Replays, &[NOTHING, REFUSAL], "a retry that comes late still gets the first answer"),
    breaks(
        Expired,
        Refreshes,
        &[EXECUTION],
        "a key that has expired is still known: a new action under it is not carried out",
    ),
    harmless(Expired, Refreshes, &[NOTHING, REFUSAL], "a retry that comes late still tells how the action stands"),
];
