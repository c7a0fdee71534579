//! The facts about a profile that a recording keeps for the oracle.

use crate::history::{CounterFact, Subject, VariantFact};
use crate::profile::{Bound, EffectSource};

/// The facts about the probed operation that the oracle needs.
pub fn subject(bound: &Bound) -> Subject {
    let variants = bound.variants().into_iter().map(|name| {
        let fact = VariantFact {
            meaning: bound.meaning(&name),
            outcome: bound.outcome(&name),
            draws: bound.draws(&name).cloned(),
        };
        (name, fact)
    });
    let effects = bound.profile().operation.effects.as_ref();
    let counters = match effects {
        Some(EffectSource::Counters(counters)) => counters
            .iter()
            .map(|counter| CounterFact {
                title: format!("{} {}", counter.request.method, counter.request.path.0),
                settle: counter.settle,
            })
            .collect(),
        Some(EffectSource::Identity(_)) | None => Vec::new(),
    };
    Subject {
        variants: variants.collect(),
        counters,
        count_by_identity: matches!(effects, Some(EffectSource::Identity(_))),
    }
}
