//! Where the attempts of a case go, and so where effects must be counted.

use crate::contract::Contract;
use crate::profile::{Bound, DEFAULT};
use crate::scenario::Step;

/// An account and an operation. Effects are counted in each place by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The account; [`DEFAULT`] for the profile's own.
    pub account: String,
    /// The operation; [`DEFAULT`] for the profile's own.
    pub operation: String,
}

impl Place {
    /// The place of a step that names an account, an operation, or neither.
    pub fn new(account: Option<&str>, operation: Option<&str>) -> Self {
        Self { account: account.unwrap_or(DEFAULT).to_owned(), operation: operation.unwrap_or(DEFAULT).to_owned() }
    }

    /// Whether it is the profile's own account and operation.
    pub fn is_own(&self) -> bool {
        self.account == DEFAULT && self.operation == DEFAULT
    }
}

/// Every place that steps use: the profile's own first, the others in the order of their first mention.
pub fn places(steps: &[Step]) -> Vec<Place> {
    let mut places = vec![Place::new(None, None)];
    for step in steps {
        let place = match step {
            Step::Send(send) => Place::new(send.account.as_deref(), send.operation.as_deref()),
            Step::Count(count) => Place::new(count.account.as_deref(), count.operation.as_deref()),
            Step::Race(_)
            | Step::Repeat(_)
            | Step::FanOut(_)
            | Step::Sweep(_)
            | Step::Pressure(_)
            | Step::Wait(_)
            | Step::Hook(_) => {
                continue;
            }
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The word in a scenario for a method with which the contract does not let a key count.
const OTHER: &str = "other";

/// The method that a step names. `other` is one that neither the operation uses nor the contract names; it is looked
/// for where the least can happen.
pub fn method<'m>(bound: &'m Bound, written: &'m str) -> &'m str {
    if written != OTHER {
        return written;
    }
    let own = bound.profile().operation.request.method.as_str();
    let named = methods(&bound.profile().contract);
    let is_other = |method: &&str| *method != own && !named.iter().any(|name| name == method);
    ["PUT", "PATCH", "POST", "GET"].into_iter().find(is_other).unwrap_or(written)
}

/// The methods with which the contract lets a key count.
pub(super) fn methods(contract: &Contract) -> &[String] {
    contract.scope.as_ref().map_or(&[], |scope| &scope.methods)
}
