//! Explanations of the requirements of the clause `conflict`.

use super::Explanation;
use crate::contract::Requirement;

pub(super) const CHANGED_PARAMETERS: Explanation = Explanation {
    arises: "The key is bound to a request, and comes again with parameters of another meaning: those of a variant, or with \
             one field of the body or the query changed.",
    declared: "contract.conflict.changed_parameters, for all variants or for each",
    needs: "A parameter variant `changed` (a JSON merge patch over the request). A refusal of a field that the tool changed \
            by itself is only observed: nobody has said that its new value is acceptable.",
    breaks: "No fingerprint of the parameters is kept, or it covers too little: only the body and not the path, only the amount \
             and not the currency. The client is answered with the result of an order that it did not place.",
    remedy: "Store a fingerprint of everything that gives the request its meaning, and compare it before replaying.",
    related: &[Requirement::ConflictOriginalSurvives, Requirement::ConflictEquivalentParameters],
};

pub(super) const ORIGINAL_SURVIVES: Explanation = Explanation {
    arises: "After other parameters were tried under its key, the original request comes once more.",
    declared: "contract.replay.after_success",
    needs: "A parameter variant `changed`; an effect counter that lists contents shows whether the effect was altered.",
    breaks: "The refused request overwrote the stored fingerprint or answer, or was applied to the resource as an update. From \
             then on the honest client is the one that is refused.",
    remedy: "Make the record of a key immutable once it is bound: a conflict reads it and writes nothing.",
    related: &[Requirement::ConflictChangedParameters, Requirement::ReplayAfterSuccess],
};

pub(super) const EQUIVALENT_PARAMETERS: Explanation = Explanation {
    arises: "The same parameters come in other bytes: members in another order, other spaces, escapes. Whether 100 and \
             100.0, null and nothing, or two Unicode forms of a text are the same, is the contract's to say: by the names \
             `decimal`, `without-nulls` and `decomposed`. Where it does not, what either would get is allowed.",
    declared: "contract.conflict.equivalent_parameters; without it: as after a success, or as changed parameters",
    needs: "A parameter variant that declares the meaning of another one.",
    breaks: "The fingerprint is taken over raw bytes, so that a client that serialises anew gets a conflict for an honest retry. \
             Executing again is a fault under every contract.",
    remedy: "Take the fingerprint over a canonical form of the parsed parameters, or document that bytes count.",
    related: &[Requirement::ConflictChangedParameters, Requirement::ReplayAfterSuccess],
};

pub(super) const IN_FLIGHT: Explanation = Explanation {
    arises: "A duplicate arrives while the first request is still running.",
    declared: "contract.conflict.in_flight",
    needs: "A parameter variant `slow`, or a target that takes its time, so that a duplicate certainly arrives in between.",
    breaks: "Check and claim are two steps, so that both copies find no record and both are executed; or the lock covers the \
             look-up and not the work; or its lease is shorter than the work.",
    remedy: "Insert the claim atomically (a unique constraint, a conditional write) before the work starts, and renew its lease.",
    related: &[Requirement::ReplaySingleEffect, Requirement::ReplaySettles, Requirement::ConflictInFlightChanged],
};

pub(super) const IN_FLIGHT_CHANGED: Explanation = Explanation {
    arises: "A request with other parameters arrives while the first under its key is still running.",
    declared: "contract.conflict.in_flight_changed; without it: what in_flight or changed_parameters allows",
    needs: "Parameter variants `slow` and `changed`.",
    breaks: "The fingerprint is stored when the first request finishes, so that the second is not recognised as different and is \
             executed, or waits and is answered with a foreign result.",
    remedy: "Store the fingerprint together with the claim, before the work starts.",
    related: &[Requirement::ConflictInFlight, Requirement::ConflictChangedParameters],
};

pub(super) const NO_LEAK: Explanation = Explanation {
    arises: "A request is refused because its key is bound to other parameters.",
    declared: "nowhere: it holds under every contract",
    needs: "A parameter variant `changed`.",
    breaks: "The error page helpfully contains the stored request or answer. Whoever guesses or reuses a key reads somebody \
             else's order.",
    remedy: "Say that there is a conflict, and nothing about what the key is bound to, unless the caller is known to own it.",
    related: &[Requirement::ConflictChangedParameters, Requirement::ScopeOtherAccount],
};
