//! The facts about a profile that a recording keeps for the oracle.

use crate::history::{CounterFact, OperationFact, Subject, VariantFact};
use crate::profile::{Bound, DEFAULT};

/// The facts about the probed operation that the oracle needs.
pub fn subject(bound: &Bound) -> Subject {
    let variants = bound.variants().into_iter().map(|name| {
        let fact = VariantFact {
            meaning: bound.meaning(&name),
            outcome: bound.outcome(&name),
            draws: bound.draws(&name).cloned(),
            guessed: bound.is_guessed(&name),
        };
        (name, fact)
    });
    let further = bound.profile().operations.keys().map(|name| {
        let fact = OperationFact { counters: counters(bound, name), count_by_identity: by_identity(bound, name) };
        (name.clone(), fact)
    });
    Subject {
        variants: variants.collect(),
        counters: counters(bound, DEFAULT),
        count_by_identity: by_identity(bound, DEFAULT),
        operations: further.collect(),
    }
}

fn counters(bound: &Bound, operation: &str) -> Vec<CounterFact> {
    bound
        .counters(operation)
        .iter()
        .map(|counter| CounterFact {
            title: format!("{} {}", counter.request.method, counter.request.path.0),
            settle: counter.settle,
        })
        .collect()
}

fn by_identity(bound: &Bound, operation: &str) -> bool {
    bound.operation(operation).is_some_and(|operation| operation.counts_by_identity())
}
