//! How long the steps about retention take, by the target's clock or by ours.

use std::time::Duration;

use crate::contract::{Anchor, Contract, Period};
use crate::scenario::{Advance, Wait};

/// How far beyond its end a key is looked at: clocks are read in whole seconds, at both ends, and a request takes its
/// time on the way.
const BEYOND: Duration = Duration::from_secs(3);

/// By which part of a time that is waited for the target's clock may have got behind ours: twice as much as the oracle
/// allows for.
const DRIFT: u32 = 500;

/// More than half, by enough for it to be certain; and early enough for whoever comes a good deal later.
const PAST_HALF: f64 = 0.65;

/// How far a hook moves the clock, in whole seconds; `None` where the contract does not say how long keys are kept.
pub fn advance(contract: &Contract, by: Advance) -> Option<Duration> {
    let exact = match by {
        Advance::For(period) => period.duration(),
        Advance::Half => at_least(contract)? / 2,
        Advance::BeforeExpiry => before_expiry(contract)?,
        Advance::Rest => (at_most(contract)? + BEYOND).saturating_sub(before_expiry(contract)?),
        Advance::Expiry => at_most(contract)? + BEYOND,
    };
    Some(Duration::from_secs(exact.as_secs() + u64::from(exact.subsec_nanos() > 0)))
}

/// How long a wait for the age of a key takes; `None` for other waits, and where the contract does not say how long
/// keys are kept.
pub fn wait_for_age(contract: &Contract, wait: Wait) -> Option<Duration> {
    match wait {
        Wait::HalfExpiry => Some(at_least(contract)?.mul_f64(PAST_HALF)),
        Wait::BeforeExpiry => before_expiry(contract),
        Wait::AfterExpiry => at_most(contract).map(|most| most + BEYOND + most / DRIFT),
        Wait::For(_) | Wait::Settle | Wait::Handler | Wait::InFlight => None,
    }
}

/// The age of a key that is most of the way to the end of the time for which it is kept at least.
fn before_expiry(contract: &Contract) -> Option<Duration> {
    Some(at_least(contract)? * 3 / 4)
}

/// For how long the contract keeps a key at least.
pub(super) fn at_least(contract: &Contract) -> Option<Duration> {
    contract.retention.as_ref()?.at_least.map(Period::duration)
}

/// After how long the contract forgets a key at the latest.
pub(super) fn at_most(contract: &Contract) -> Option<Duration> {
    contract.retention.as_ref()?.at_most.map(Period::duration)
}

/// Whether retention counts from the end of the resource.
pub(super) fn counts_from_resource_end(contract: &Contract) -> bool {
    contract.retention.as_ref().is_some_and(|retention| retention.anchor == Some(Anchor::ResourceEnd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_past_the_half_and_expiry_past_the_end() {
        let contract: Contract = serde_yaml::from_str("retention: {at_least: 5s, at_most: 10s}").unwrap();
        assert_eq!(advance(&contract, Advance::Half), Some(Duration::from_secs(3)));
        assert_eq!(advance(&contract, Advance::Expiry), Some(Duration::from_secs(13)));
        assert_eq!(advance(&contract, Advance::BeforeExpiry), Some(Duration::from_secs(4)));
        assert_eq!(advance(&contract, Advance::Rest), Some(Duration::from_secs(10)));
        assert_eq!(advance(&Contract::default(), Advance::Rest), None);
        assert_eq!(advance(&contract, Advance::For("1500ms".parse().unwrap())), Some(Duration::from_secs(2)));
        assert_eq!(wait_for_age(&contract, Wait::BeforeExpiry), Some(Duration::from_millis(3750)));
        assert_eq!(wait_for_age(&contract, Wait::HalfExpiry), Some(Duration::from_millis(3250)));
        assert_eq!(wait_for_age(&contract, Wait::AfterExpiry), Some(Duration::from_millis(13_020)));
        assert_eq!(advance(&Contract::default(), Advance::Half), None);
        assert_eq!(wait_for_age(&Contract::default(), Wait::AfterExpiry), None);
    }
}
