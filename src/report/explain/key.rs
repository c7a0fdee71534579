//! Explanations of the requirements of the clauses `key` and `retention`.

use super::Explanation;
use crate::contract::Requirement;

pub(super) const MISSING: Explanation = Explanation {
    arises: "The request carries no key at all.",
    declared: "contract.key.missing",
    needs: "Nothing beyond the operation itself; an effect counter shows whether a refusal really had no effect.",
    breaks: "Usually a route that was never wired to the middleware: the documentation demands a key, and requests \
             without one run unprotected. Clients that forget the header notice nothing until they double an order.",
    remedy: "Refuse the request before anything is executed if a key is required, and say so in the error. If keys are \
             optional, declare `missing: executes`.",
    related: &[Requirement::KeyEmpty, Requirement::KeyMalformed],
};

pub(super) const MALFORMED: Explanation = Explanation {
    arises: "The key has a shape that the contract does not recommend: spaces, commas, control characters, no UUID.",
    declared: "contract.key.malformed; without it: a 4xx, or the full protection of any other key",
    needs: "A scenario that sends odd keys. The promise of the contract is not needed: silence has a meaning here.",
    breaks: "A proxy or framework trims, splits or re-encodes the header, so that two different keys become one, or one \
             key is seen as none. A 500 shows a column or parser that was never tried with such a value.",
    remedy: "Check the key where it enters, answer a 4xx that names the rule, and compare keys byte by byte from then on.",
    related: &[Requirement::KeyOverlong, Requirement::KeyDistinct],
};

pub(super) const OVERLONG: Explanation = Explanation {
    arises: "The key is longer than `contract.key.max_length`.",
    declared: "contract.key.overlong; without it: a 4xx, or the full protection of any other key",
    needs: "`contract.key.max_length`, and a scenario that exceeds it.",
    breaks: "The store cuts the key off silently, so that two keys with the same beginning collide and the second order is \
             answered with the first; or the insert fails and the request runs without a record.",
    remedy: "Compare the length before the look-up and refuse with a 4xx, or store a hash of the whole key.",
    related: &[Requirement::KeyLongest, Requirement::KeyMalformed],
};

pub(super) const LONGEST: Explanation = Explanation {
    arises: "The key has exactly `contract.key.max_length` characters; a second one differs in the last character only.",
    declared: "contract.key.max_length",
    needs: "A scenario that builds keys of the maximum length.",
    breaks: "An off-by-one in the check refuses what the documentation permits, or the column is shorter than promised and \
             both keys are stored as the same value.",
    remedy: "Make the column at least as long as the promise, in characters and not in bytes, and test at the edge.",
    related: &[Requirement::KeyOverlong, Requirement::KeyDistinct],
};

pub(super) const EMPTY: Explanation = Explanation {
    arises: "The request carries a key of no characters: an empty header, field or member.",
    declared: "contract.key.empty",
    needs: "A scenario that sends an empty key.",
    breaks: "The empty text is taken as an ordinary key, so that every client with the same bug shares it and is answered \
             with somebody else's order; or it counts as \"no key\" although a key is required.",
    remedy: "Treat an empty key as malformed and answer with a 4xx.",
    related: &[Requirement::KeyMissing, Requirement::KeyMalformed],
};

pub(super) const FIRST_SENT: Explanation = Explanation {
    arises: "The contract has a date travel beside the key, that of the first request, and only one of the two comes; or what \
             comes is no date.",
    declared: "contract.key.first_sent.incomplete",
    needs: "contract.key.first_sent, with the header field of the date.",
    breaks: "The date is read only where a key is looked up late, and nobody minds that it is missing. A client that lost its \
             date is then protected for as long as the server happens to remember, and executed again afterwards, where it \
             should have been told at once.",
    remedy: "Check that key and date come together, and that the date is one, before anything else is looked at.",
    related: &[Requirement::KeyMissing, Requirement::KeyMalformed, Requirement::RetentionExpired],
};

pub(super) const DISTINCT: Explanation = Explanation {
    arises: "Two keys are used that differ in case, in quotes, in spaces or in the last of many characters only.",
    declared: "nowhere: it holds under every contract, save for what `contract.key.ignores` names, and what the carrier or \
               the format of a UUID makes equal",
    needs: "A scenario that sends such a pair of keys.",
    breaks: "A case-insensitive collation of the database, a column that is too narrow, or a parser that strips quotes or \
             spaces, merges keys that clients meant to be different. The second action never happens, and its client believes that it did.",
    remedy: "Store and compare keys with a binary collation, after exactly the decoding that the carrier demands.",
    related: &[Requirement::KeyFresh, Requirement::KeyLongest],
};

pub(super) const FRESH: Explanation = Explanation {
    arises: "A key that nobody has used comes with parameters that another key has used before.",
    declared: "nowhere: it holds under every contract",
    needs: "Nothing beyond the operation; the control shows it first.",
    breaks: "The server recognises duplicates by the content instead of by the key: two honest orders for the same book become \
             one. A time window that merges equal requests has the same effect.",
    remedy: "Look duplicates up by key and scope alone. A guard against equal contents belongs in front of the user, with a \
             question, not behind the API.",
    related: &[Requirement::KeyDistinct, Requirement::ReplaySingleEffect],
};

pub(super) const KEPT: Explanation = Explanation {
    arises: "A finished request is repeated past half of the promised retention, or after many other keys were used.",
    declared: "contract.retention.at_least",
    needs: "A clock hook or a short retention in staging, or a --max-wait that is long enough; for pressure, permission to send \
            many requests.",
    breaks: "Records live in a cache that evicts under memory pressure or is lost at a restart, or an expiry was configured \
             shorter than the documentation says. The late retry is executed again.",
    remedy: "Keep the records in durable storage, with the promised time as a lower bound, and alert when they are evicted.",
    related: &[Requirement::RetentionExpired, Requirement::ReplayAfterSuccess],
};

pub(super) const EXPIRED: Explanation = Explanation {
    arises: "A key is used again after `contract.retention.at_most`.",
    declared: "contract.retention.expired, together with contract.retention.at_most",
    needs: "A clock hook or a short retention in staging, or a --max-wait that is long enough.",
    breaks: "Records are never swept, so that a key that was documented as free is answered with an ancient order; or the sweep \
             and a retry at the same moment leave a half-deleted record.",
    remedy: "Decide expiry when the record is read, not when the sweep happens to run, and document what a late key gets.",
    related: &[Requirement::RetentionKept, Requirement::KeyFresh],
};
