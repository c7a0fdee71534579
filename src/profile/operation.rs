//! What the profile's own operation and the further ones have in common.

use super::{Bound, Counter, DEFAULT, EffectSource, RequestTemplate};
use crate::contract::Matcher;
use crate::message::Extractor;

/// An operation that attempts are sent to: the profile's own, or a further one.
#[derive(Clone, Copy, Debug)]
pub struct ProbedOperation<'p> {
    /// Names the effect in an answer.
    pub identity: &'p Extractor,
    /// Tells a success, where a 2xx alone does not.
    pub success: Option<&'p Matcher>,
    /// How its effects are counted.
    pub effects: Option<&'p EffectSource>,
    /// Removes one effect.
    pub cleanup: Option<&'p RequestTemplate>,
}

impl<'p> ProbedOperation<'p> {
    /// Its independent counters.
    pub fn counters(&self) -> &'p [Counter] {
        match self.effects {
            Some(EffectSource::Counters(counters)) => counters,
            Some(EffectSource::Identity(_)) | None => &[],
        }
    }

    /// Whether distinct identities are accepted as the count of its effects.
    pub fn counts_by_identity(&self) -> bool {
        matches!(self.effects, Some(EffectSource::Identity(_)))
    }
}

impl Bound {
    /// The operation of this name: [`DEFAULT`] for the profile's own.
    pub fn operation(&self, name: &str) -> Option<ProbedOperation<'_>> {
        if name == DEFAULT {
            let own = &self.profile.operation;
            return Some(ProbedOperation {
                identity: &own.identity,
                success: own.success.as_ref(),
                effects: own.effects.as_ref(),
                cleanup: own.cleanup.as_ref(),
            });
        }
        self.profile.operations.get(name).map(|further| ProbedOperation {
            identity: &further.identity,
            success: further.success.as_ref(),
            effects: further.effects.as_ref(),
            cleanup: further.cleanup.as_ref(),
        })
    }

    /// The counters of an operation; none where there is no such operation.
    pub fn counters(&self, operation: &str) -> &[Counter] {
        self.operation(operation).map_or(&[], |operation| operation.counters())
    }
}
