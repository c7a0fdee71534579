//! Explanations of the requirements of the clause `replay`.

use super::Explanation;
use crate::contract::Requirement;

const EVERY_CONTRACT: &str = "nowhere: it holds under every contract";
const AFTER_LOSS: &str = "nowhere: it holds under every contract; contract.conflict.in_flight.ends_within says how long a retry \
                          may be kept waiting";

pub(super) const SINGLE_EFFECT: Explanation = Explanation {
    arises: "In every action that succeeds, however often its request was sent.",
    declared: EVERY_CONTRACT,
    needs: "An effect counter (`operation.effects`) that does not rest on the answers.",
    breaks: "The classic double charge: check and insert are two steps, and a retry slips in between; or the effect happens in \
             another system than the record, and a crash between the two forgets one of them. None at all means that a success \
             was announced for work that was rolled back.",
    remedy: "Claim the key with a unique constraint before the work starts, and write effect and record in one transaction; \
             pass a derived key on to systems downstream.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ConflictInFlight, Requirement::ReplayFailureEffect],
};

pub(super) const FAILURE_EFFECT: Explanation = Explanation {
    arises: "A request was answered with a 4xx.",
    declared: EVERY_CONTRACT,
    needs: "An effect counter, and a parameter variant that is refused (`operation.parameters.invalid` or `failing`).",
    breaks: "The effect is made first and the check comes after it, or the failure path forgets to undo it. Clients correct \
             their request, send it under a new key, and have two effects.",
    remedy: "Check before the first side effect, and roll everything back on the way to a 4xx.",
    related: &[Requirement::ReplaySingleEffect, Requirement::ReplayAfterValidationFailure],
};

pub(super) const NO_SERVER_ERROR: Explanation = Explanation {
    arises: "A duplicate that must not be executed is answered with a 5xx, or is turned away again and again while fresh keys \
             get through.",
    declared: "nowhere: it holds under every contract, unless the row itself promises such an answer",
    needs: "Any request that is repeated under its key.",
    breaks: "The unique constraint did its work, and nobody caught its error; or the stored answer cannot be read back. The client \
             takes the 500 for a reason to try again, for ever.",
    remedy: "Catch the duplicate and answer as the contract says. A duplicate is an expected event, not an exception.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ReplaySettles],
};

pub(super) const RATE_LIMITED: Explanation = Explanation {
    arises: "A finished request is repeated while its caller has used up the rate limit.",
    declared: "contract.replay.rate_limited",
    needs: "A way to use the limit up in staging, such as a low limit or a hook.",
    breaks: "The limiter, or a check of a single-use token, stands in front of the replay look-up. A client whose answer was \
             lost cannot learn the result of work that it has already paid for.",
    remedy: "Look the key up first, and let replays pass, or count them against a budget of their own.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ReplayNoServerError],
};

pub(super) const AFTER_SUCCESS: Explanation = Explanation {
    arises: "The first request succeeded, and the same request comes again under the same key.",
    declared: "contract.replay.after_success",
    needs: "Nothing beyond the operation; an effect counter tells a replay from a second execution.",
    breaks: "The key is accepted and ignored on this route: a new endpoint, a variant or a batch form that bypasses the \
             middleware. An empty or changed answer under the right status comes from a record that was saved too early.",
    remedy: "Make the protection a property of the route table and not of each handler, save the answer with the effect, and \
             return it as it was.",
    related: &[Requirement::ReplaySingleEffect, Requirement::ReplayFidelity, Requirement::ReplayMarker],
};

pub(super) const AFTER_FAILURE: Explanation = Explanation {
    arises: "The first request failed after its execution had begun, for example with a declined card, and is repeated.",
    declared: "contract.replay.after_failure",
    needs: "A parameter variant `failing` with the answer that it `draws`.",
    breaks: "Failures are not saved although the contract says so, and the retry is charged; or they are frozen although the \
             contract says that a retry tries again, and the customer can never pay.",
    remedy: "Decide for each failure whether it is final, document it, and store exactly the final ones.",
    related: &[Requirement::ReplayAfterServerError, Requirement::ReplayAfterValidationFailure],
};

pub(super) const AFTER_SERVER_ERROR: Explanation = Explanation {
    arises: "The first request ended in a 5xx after its execution had begun, and is repeated.",
    declared: "contract.replay.after_server_error",
    needs: "A parameter variant `crashing` with the answer that it `draws`, and an effect counter.",
    breaks: "The handler fails after the effect and before the record is written: the retry makes a second effect. The opposite \
             happens too: a passing outage is stored, and the key answers 500 for a day.",
    remedy: "Record how far the work got, and let a retry go on from there; where 5xx answers are stored, make sure that the \
             effect is known.",
    related: &[Requirement::ReplaySingleEffect, Requirement::ReplaySettles],
};

pub(super) const AFTER_VALIDATION_FAILURE: Explanation = Explanation {
    arises: "The first request was refused before execution; it, or a corrected one, comes under the same key.",
    declared: "contract.replay.after_validation_failure",
    needs: "A parameter variant `invalid` with the answer that it `draws`.",
    breaks: "The key is bound before the parameters are checked, so that a corrected typing error is answered with a conflict, or \
             with the old 400; or the contract promises the saved refusal and the key was left free.",
    remedy: "Check first and bind the key afterwards, or document that a correction needs a new key.",
    related: &[Requirement::ReplayFailureEffect, Requirement::ConflictChangedParameters],
};

pub(super) const AFTER_TURNING_AWAY: Explanation = Explanation {
    arises: "The first request was turned away before anybody looked at it (not authenticated, too many requests, not \
             available), and comes again when nothing stands in its way.",
    declared: "contract.replay.after_turning_away",
    needs: "A parameter variant that draws it: `unauthenticated`, `throttled` or `unavailable`, for example by a header field.",
    breaks: "The layer that stores answers stands in front of the one that turns requests away, and stores its 401, 429 or 503: \
             the client does what it was asked for, comes back, and gets the old refusal until the key expires.",
    remedy: "Look keys up behind authentication and rate limits, or store nothing that came from in front of the handler.",
    related: &[Requirement::ReplayAfterValidationFailure, Requirement::ReplayNoServerError],
};

pub(super) const AFTER_LOST_CONNECTION: Explanation = Explanation {
    arises: "The connection broke before a byte of the request was sent; the retry is the first that the server sees.",
    declared: AFTER_LOSS,
    needs: "A scenario with `lose: connection`.",
    breaks: "Rare, and telling: something in front of the server (a proxy, a pool, a limiter per connection) keeps state for \
             requests that never came.",
    remedy: "Look at the hops between the client and the server first; the server itself has seen one ordinary request.",
    related: &[Requirement::ReplayAfterLostRequest, Requirement::ReplaySingleEffect],
};

pub(super) const AFTER_LOST_REQUEST: Explanation = Explanation {
    arises: "The connection broke while the request was being sent: the head or half of the content arrived.",
    declared: AFTER_LOSS,
    needs: "A scenario with `lose: head` or `lose: request`.",
    breaks: "The key is claimed when the head arrives and never released when the content does not: every retry is told that \
             the first is still running. Or a truncated content is executed.",
    remedy: "Claim the key when the request is complete, and release the claim on every way out.",
    related: &[Requirement::ReplaySettles, Requirement::ReplayAfterLostExecution],
};

pub(super) const AFTER_LOST_EXECUTION: Explanation = Explanation {
    arises: "The whole request was sent, and the client went away while the server was working on it.",
    declared: AFTER_LOSS,
    needs: "A scenario with `lose: execution`, an effect counter, and best contract.conflict.in_flight.ends_within.",
    breaks: "Many frameworks cancel the handler when the client disconnects: the effect is there and the record is not, so the \
             retry doubles it; or the in-flight mark stays, so the retry is refused for ever; or an empty success is stored.",
    remedy: "Run the work in a task that outlives the connection, and tie the in-flight mark to a lease that ends by itself.",
    related: &[Requirement::ReplaySettles, Requirement::ReplaySingleEffect, Requirement::ReplayAfterLostResponse],
};

pub(super) const AFTER_LOST_RESPONSE: Explanation = Explanation {
    arises: "The server finished, and its answer did not reach the client.",
    declared: AFTER_LOSS,
    needs: "A scenario with `lose: response` or `lose: partial-response`, and an effect counter.",
    breaks: "The very failure that keys are made for is not covered: the retry is executed as if it were new. Often only the last \
             call is remembered, or the record is written after the answer was sent.",
    remedy: "Commit the record before the first byte of the answer leaves.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ReplaySingleEffect],
};

pub(super) const FIDELITY: Explanation = Explanation {
    arises: "An answer is a replay of a first answer that is known.",
    declared: "contract.replay.fidelity",
    needs: "A contract that says how much of the first answer is repeated: status, body, headers, volatile values.",
    breaks: "The replay is built anew from the database: another status, fields in their present state, a missing Location. Clients \
             that follow the answer take another path on a retry than on a first try.",
    remedy: "Store status, chosen header fields and content, and send those. Name what may differ under `volatile`.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ReplayMarker],
};

pub(super) const MARKER: Explanation = Explanation {
    arises: "An answer is known to be a replay, or known to be a first answer. Only a marker that first answers do not have \
             tells the two apart: one that stands on every answer says that the key is looked after, and no more.",
    declared: "contract.replay.marker, and contract.replay.marker.first_answer for one that is not on replays alone",
    needs: "A contract that names the header field.",
    breaks: "The marker is set on a path that executes, or is stripped by a gateway, or is stored with the first answer. Clients \
             that count replays, and people who read logs, are misled.",
    remedy: "Set the marker in the one place that reads a stored answer, and let the gateway pass it.",
    related: &[Requirement::ReplayFidelity, Requirement::ReplaySingleEffect],
};

pub(super) const NOT_EXECUTED: Explanation = Explanation {
    arises: "An answer says of itself that its request was not executed, by what contract.replay.not_executed describes.",
    declared: "contract.replay.not_executed",
    needs: "Something that draws such an answer: a conflict, a key without its date, a crash (a parameter variant `crashing`); \
            and an effect counter.",
    breaks: "The layer that looks after keys writes the mark on every error that passes it, also on one that came after the \
             effect. A client that believes it starts over under a new key, and orders twice.",
    remedy: "Write the mark where a request is turned back, and nowhere else; an error whose effect is not known must not \
             bear it.",
    related: &[Requirement::ReplayFailureEffect, Requirement::ReplayAfterServerError, Requirement::ReplayMarker],
};

pub(super) const SETTLES: Explanation = Explanation {
    arises: "An answer says \"still in flight\" although nothing can still be running.",
    declared: "nowhere: it holds under every contract; contract.replay.settle and contract.conflict.in_flight.ends_within \
               say how much time there is",
    needs: "Any repeated request; after a loss also contract.conflict.in_flight.ends_within.",
    breaks: "The in-flight mark outlives its request: after a crash, a timeout, a business refusal, a disconnected client. The key \
             is stuck, and the client can neither learn the result nor try again.",
    remedy: "Give the mark an owner and a lease, release it on every way out, and take it over when the lease has run out.",
    related: &[Requirement::ConflictInFlight, Requirement::ReplayAfterLostExecution, Requirement::ReplaySingleEffect],
};

pub(super) const AFTER_CHANGE: Explanation = Explanation {
    arises: "The resource that the first request made was changed or deleted, and the request is repeated.",
    declared: "contract.replay.after_change; without it: neither a second execution nor a 5xx",
    needs: "A hook `change` or `delete` in the profile.",
    breaks: "The replay loads the resource and fails with a 500 when it is gone, or finds none and makes it again: a cancelled \
             order comes back.",
    remedy: "Keep the record of the key apart from the life of the resource, and say in the contract which state is returned.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::ReplayFidelity],
};
