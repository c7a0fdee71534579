//! What a requirement or a clause means, what a violation of it usually comes from, and what can be done about it.

mod conflict;
mod key;
mod replay;
mod scope;

use super::text::wrap;
use crate::contract::{Clause, Requirement};

/// Explanations are wrapped to this width: they are prose.
const WIDTH: usize = 92;

/// Something that can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A requirement, by its id.
    Requirement(Requirement),
    /// A clause, by its name.
    Clause(Clause),
}

/// What there is to say about a requirement.
struct Explanation {
    /// The situations that lead to it.
    arises: &'static str,
    /// Where a profile declares it.
    declared: &'static str,
    /// What it takes to exercise it.
    needs: &'static str,
    /// What a violation usually means in the field.
    breaks: &'static str,
    /// How it is put right.
    remedy: &'static str,
    /// Requirements that are worth a look together with it.
    related: &'static [Requirement],
}

impl Topic {
    /// Finds the topic of this name: `replay.after-success`, or `replay`.
    pub fn find(name: &str) -> Option<Self> {
        let clause = Clause::ALL.into_iter().find(|clause| clause.id() == name).map(Self::Clause);
        clause.or_else(|| Requirement::from_id(name).map(Self::Requirement))
    }

    /// The names of all topics, clauses first.
    pub fn names() -> Vec<&'static str> {
        let clauses = Clause::ALL.into_iter().map(Clause::id);
        clauses.chain(Requirement::ALL.iter().map(|requirement| requirement.id())).collect()
    }

    /// The explanation, as plain text.
    pub fn explain(self) -> String {
        match self {
            Self::Requirement(requirement) => explain_requirement(requirement),
            Self::Clause(clause) => explain_clause(clause),
        }
    }
}

/// The names that are close to one that is unknown, the closest first: for "did you mean".
pub fn suggestions<'n>(unknown: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let unknown = unknown.to_lowercase();
    let mut near: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (likeness(&unknown, name), name))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

/// How alike two names are, from 0 to 1; a requirement may be meant without its clause.
fn likeness(unknown: &str, name: &str) -> f64 {
    let without_clause = name.split_once('.').map_or(name, |(_, own)| own);
    let whole = strsim::normalized_damerau_levenshtein(unknown, name);
    whole.max(strsim::normalized_damerau_levenshtein(unknown, without_clause))
}

fn explain_requirement(requirement: Requirement) -> String {
    let Explanation { arises, declared, needs, breaks, remedy, related } = explanation(requirement);
    let related: Vec<&str> = related.iter().map(|other| other.id()).collect();
    let parts = [
        ("When it arises", arises),
        ("Where a profile declares it", declared),
        ("What it takes to test it", needs),
        ("What a violation usually means", breaks),
        ("How to put it right", remedy),
        ("See also", &related.join(", ")),
    ];
    let mut text = format!("{requirement} (clause {})\n", requirement.clause());
    text.push_str(&wrap(requirement.sentence(), WIDTH, "  "));
    for (title, words) in parts {
        text.push_str(&format!("\n{title}\n{}", wrap(words, WIDTH, "  ")));
    }
    text
}

fn explain_clause(clause: Clause) -> String {
    let mut text = format!("{clause}\n{}", wrap(clause.question(), WIDTH, "  "));
    text.push_str(&format!("\nWhy it matters\n{}\nRequirements\n", wrap(importance(clause), WIDTH, "  ")));
    for requirement in Requirement::ALL.iter().filter(|requirement| requirement.clause() == clause) {
        text.push_str(&format!("  {requirement}\n{}", wrap(requirement.sentence(), WIDTH, "      ")));
    }
    text
}

fn importance(clause: Clause) -> &'static str {
    match clause {
        Clause::Key => {
            "The key is the client's word for \"this one action\". If the server reads another word than the client wrote \
             (cut off, folded, ignored), then retries are executed twice, or two honest actions become one. Both look fine \
             in every single answer."
        }
        Clause::Retention => {
            "A retry is safe only for as long as the server remembers. A client has to know how long it may go on trying, \
             and what happens to a key afterwards: a queue that is drained after a weekend must not charge anybody twice."
        }
        Clause::Replay => {
            "After a lost answer, a client can only send again. What it gets must tell it how the first attempt ended, \
             without making it happen once more: after a success, a refusal, a crash, and when nobody knows."
        }
        Clause::Conflict => {
            "The same key with other parameters is a bug of the client, and answering it with the old result hides the \
             bug. The same key twice at the same time is ordinary life: a timeout and a retry, a double click. Exactly one \
             of the two may have an effect."
        }
        Clause::Scope => {
            "A key means something only within bounds: this account, this operation, these replicas. Bounds that are too \
             wide leak one customer's result to another; bounds that are too narrow let a retry through as a new action."
        }
    }
}

fn explanation(requirement: Requirement) -> Explanation {
    match requirement {
        Requirement::KeyMissing => key::MISSING,
        Requirement::KeyMalformed => key::MALFORMED,
        Requirement::KeyOverlong => key::OVERLONG,
        Requirement::KeyLongest => key::LONGEST,
        Requirement::KeyEmpty => key::EMPTY,
        Requirement::KeyFirstSent => key::FIRST_SENT,
        Requirement::KeyDistinct => key::DISTINCT,
        Requirement::KeyFresh => key::FRESH,
        Requirement::RetentionKept => key::KEPT,
        Requirement::RetentionExpired => key::EXPIRED,
        Requirement::ReplaySingleEffect => replay::SINGLE_EFFECT,
        Requirement::ReplayFailureEffect => replay::FAILURE_EFFECT,
        Requirement::ReplayNoServerError => replay::NO_SERVER_ERROR,
        Requirement::ReplayRateLimited => replay::RATE_LIMITED,
        Requirement::ReplayAfterSuccess => replay::AFTER_SUCCESS,
        Requirement::ReplayAfterFailure => replay::AFTER_FAILURE,
        Requirement::ReplayAfterServerError => replay::AFTER_SERVER_ERROR,
        Requirement::ReplayAfterValidationFailure => replay::AFTER_VALIDATION_FAILURE,
        Requirement::ReplayAfterTurningAway => replay::AFTER_TURNING_AWAY,
        Requirement::ReplayAfterLostConnection => replay::AFTER_LOST_CONNECTION,
        Requirement::ReplayAfterLostRequest => replay::AFTER_LOST_REQUEST,
        Requirement::ReplayAfterLostExecution => replay::AFTER_LOST_EXECUTION,
        Requirement::ReplayAfterLostResponse => replay::AFTER_LOST_RESPONSE,
        Requirement::ReplayFidelity => replay::FIDELITY,
        Requirement::ReplayMarker => replay::MARKER,
        Requirement::ReplayNotExecuted => replay::NOT_EXECUTED,
        Requirement::ReplaySettles => replay::SETTLES,
        Requirement::ReplayAfterChange => replay::AFTER_CHANGE,
        Requirement::ConflictChangedParameters => conflict::CHANGED_PARAMETERS,
        Requirement::ConflictOriginalSurvives => conflict::ORIGINAL_SURVIVES,
        Requirement::ConflictEquivalentParameters => conflict::EQUIVALENT_PARAMETERS,
        Requirement::ConflictInFlight => conflict::IN_FLIGHT,
        Requirement::ConflictInFlightChanged => conflict::IN_FLIGHT_CHANGED,
        Requirement::ConflictNoLeak => conflict::NO_LEAK,
        Requirement::ScopeMethods => scope::METHODS,
        Requirement::ScopeOtherAccount => scope::OTHER_ACCOUNT,
        Requirement::ScopeOtherOperation => scope::OTHER_OPERATION,
        Requirement::ScopeReplicas => scope::REPLICAS,
        Requirement::ScopeStoreUnavailable => scope::STORE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::Contract;

    /// `contract.…` paths in a text.
    fn paths(text: &str) -> impl Iterator<Item = &str> {
        let end = |character: char| !(character.is_alphanumeric() || character == '.' || character == '_');
        text.split(end).filter_map(|word| word.strip_prefix("contract.")).map(|path| path.trim_end_matches('.'))
    }

    #[test]
    fn every_requirement_is_explained_in_words_of_its_own() {
        let mut seen = BTreeSet::new();
        for requirement in Requirement::ALL {
            let own = explanation(*requirement);
            for words in [own.arises, own.needs, own.breaks, own.remedy] {
                assert!(words.len() > 20, "{requirement}: {words}");
            }
            assert!(seen.insert(own.breaks) && seen.insert(own.remedy), "{requirement} borrows its words");
            assert!(!own.related.is_empty() && !own.related.contains(requirement), "{requirement}");
        }
    }

    /// The paths are compared with the schema of the contract, so that none of them leads nowhere.
    #[test]
    fn every_path_exists_in_a_contract() {
        let schema = serde_json::to_value(schemars::schema_for!(Contract)).unwrap();
        let (schema, mut checked) = (schema.to_string(), 0);
        for requirement in Requirement::ALL {
            let own = explanation(*requirement);
            for path in [own.arises, own.declared, own.needs].into_iter().flat_map(paths) {
                for part in path.split('.') {
                    assert!(schema.contains(&format!("\"{part}\":{{")), "{requirement}: contract.{path}");
                }
                checked += 1;
            }
        }
        assert!(checked > 30, "{checked}");
    }

    /// A requirement that holds under every contract must not be said to be declared, and the other way round.
    #[test]
    fn what_is_universal_is_said_to_be() {
        for requirement in Requirement::ALL {
            let declared = explanation(*requirement).declared;
            let says = declared.starts_with("nowhere") || declared.contains("; without it: ");
            let derived = *requirement == Requirement::ConflictInFlightChanged
                || *requirement == Requirement::ConflictEquivalentParameters;
            assert_eq!(says, requirement.is_universal() || derived, "{requirement}: {declared}");
        }
    }

    #[test]
    fn every_name_finds_its_topic() {
        for name in Topic::names() {
            assert!(Topic::find(name).unwrap().explain().starts_with(name), "{name}");
        }
        assert_eq!(Topic::find("replay.after"), None);
    }

    #[test]
    fn a_near_miss_is_suggested() {
        let suggest = |unknown| suggestions(unknown, Topic::names().into_iter().chain(["lost-response"]));
        assert_eq!(suggest("replay.after-succes")[0], "replay.after-success");
        assert_eq!(suggest("Single-Effects")[0], "replay.single-effect");
        assert_eq!(suggest("lost-respose")[0], "lost-response");
        assert_eq!(suggest("conflcit")[0], "conflict");
        assert!(suggest("weather").is_empty(), "{:?}", suggest("weather"));
    }

    #[test]
    fn an_explanation_of_a_requirement() {
        insta::assert_snapshot!(Topic::Requirement(Requirement::ReplayAfterLostExecution).explain());
    }

    #[test]
    fn an_explanation_of_a_clause() {
        insta::assert_snapshot!(Topic::Clause(Clause::Retention).explain());
    }
}
