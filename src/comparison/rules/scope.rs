//! The same key elsewhere, and the store of the keys.

use super::Kind::{Executes, Refreshes, Rejects, Replays};
use super::{ANSWER, EXECUTION, NOTHING, REFUSAL, Rule, STATE, breaks, harmless};
use crate::contract::Row::{OtherAccount, OtherMethods, OtherOperation, Replicas, StoreUnavailable};

pub(super) const RULES: &[Rule] = &[
    breaks(
        OtherMethods,
        Executes,
        &[NOTHING, REFUSAL],
        "a key that is sent with another method protects nothing, and nothing says so: every retry is carried out again",
    ),
    breaks(
        OtherMethods,
        Executes,
        &[ANSWER, STATE],
        "a key that was used with one method is new with another one: the request is carried out",
    ),
    breaks(
        OtherMethods,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a request with another method that carries a key is refused: the client has to leave the key out",
    ),
    breaks(
        OtherMethods,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that was used with one method gets that answer with another one: the second request is not carried out",
    ),
    breaks(
        OtherMethods,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that was used with one method is known with another one: the second request is not carried out",
    ),
    breaks(
        OtherAccount,
        Executes,
        &[ANSWER, STATE],
        "a retry with the credentials of another account is carried out again: it has to come from the account of the first \
         attempt",
    ),
    breaks(
        OtherAccount,
        Executes,
        &[REFUSAL],
        "a key that another account has used is a new one: that it was used twice does not show",
    ),
    harmless(OtherAccount, Executes, &[NOTHING], "each account has keys of its own"),
    breaks(
        OtherAccount,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a key that another account has used is refused: keys have to differ between accounts as well",
    ),
    breaks(
        OtherAccount,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "two accounts share their keys: under a key that the other one has used, an action is not carried out and the \
         other's answer is given",
    ),
    breaks(
        OtherAccount,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "two accounts share their keys: under a key that the other one has used, an action is not carried out and the \
         other's resource is shown",
    ),
    breaks(
        OtherOperation,
        Executes,
        &[ANSWER, STATE],
        "a key that was used on another operation is new here: the request is carried out",
    ),
    breaks(
        OtherOperation,
        Executes,
        &[REFUSAL],
        "a key that is used on another operation by mistake is not caught: both requests are carried out",
    ),
    harmless(OtherOperation, Executes, &[NOTHING], "each operation has keys of its own"),
    breaks(
        OtherOperation,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a key that was used on another operation is refused: each request needs a key of its own, also across operations",
    ),
    breaks(
        OtherOperation,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that was used on another operation gets the answer from there: the request is not carried out, and the client \
         takes it for done",
    ),
    breaks(
        OtherOperation,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a key that was used on another operation shows the resource from there: the request is not carried out, and the \
         client takes it for done",
    ),
    breaks(
        Replicas,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "a retry that reaches another replica or region is carried out again: it has to go where the first attempt went",
    ),
    breaks(
        Replicas,
        Rejects,
        &[NOTHING, EXECUTION, ANSWER, STATE],
        "a retry that reaches another replica or region is refused: the client does not learn from it what became of the \
         first attempt",
    ),
    breaks(
        Replicas,
        Replays,
        &[EXECUTION],
        "a key is known on every replica: a new action under it elsewhere is not carried out",
    ),
    harmless(Replicas, Replays, &[NOTHING, REFUSAL], "a retry gets the first answer on whichever replica it arrives"),
    breaks(
        Replicas,
        Refreshes,
        &[EXECUTION],
        "a key is known on every replica: a new action under it elsewhere is not carried out",
    ),
    harmless(Replicas, Refreshes, &[NOTHING, REFUSAL], "a retry is known on whichever replica it arrives"),
    breaks(
        StoreUnavailable,
        Executes,
        &[NOTHING, ANSWER, STATE, REFUSAL],
        "while the store of the keys is down, requests are carried out without protection: a retry may be done twice",
    ),
    breaks(
        StoreUnavailable,
        Rejects,
        &[EXECUTION, ANSWER, STATE],
        "while the store of the keys is down, requests are refused: the client has to try again later",
    ),
    harmless(
        StoreUnavailable,
        Rejects,
        &[NOTHING],
        "while the store of the keys is down, requests are refused and nothing is done twice",
    ),
    harmless(
        StoreUnavailable,
        Replays,
        &[NOTHING, EXECUTION, REFUSAL],
        "a retry gets the first answer even while the store of the keys is down",
    ),
    harmless(
        StoreUnavailable,
        Refreshes,
        &[NOTHING, EXECUTION, REFUSAL],
        "a retry is known even while the store of the keys is down",
    ),
];
