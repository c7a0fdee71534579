//! Looking promises up: the case that counts, with level and source filled in from its clause.

use std::time::Duration;

use super::{
    Case, Contract, Fidelity, FirstSent, Level, Marker, Matcher, Period, Promise, Row, Ruling, Treatment,
    VariantPromise,
};
use crate::message::Response;

/// The level and source that a clause gives to promises without their own.
#[derive(Clone, Copy, Default)]
struct Defaults<'c> {
    level: Option<Level>,
    source: Option<&'c str>,
}

impl Contract {
    /// The promise that stands in a row, if the contract has one. `variant` is the name of the parameter variant,
    /// where the promise may differ by variant.
    pub fn promise(&self, row: Row, variant: &str) -> Option<&Promise> {
        let (key, replay, scope) = (self.key.as_ref(), self.replay.as_ref(), self.scope.as_ref());
        let conflict = self.conflict.as_ref();
        match row {
            Row::Missing => key?.missing.as_ref(),
            Row::Empty => key?.empty.as_ref(),
            Row::Malformed => key?.malformed.as_ref(),
            Row::Overlong => key?.overlong.as_ref(),
            Row::Incomplete => key?.first_sent.as_ref()?.incomplete.as_ref(),
            Row::Expired => self.retention.as_ref()?.expired.as_ref(),
            Row::AfterSuccess => replay?.after_success.as_ref(),
            Row::AfterFailure => replay?.after_failure.as_ref(),
            Row::AfterServerError => replay?.after_server_error.as_ref(),
            Row::AfterValidationFailure => replay?.after_validation_failure.as_ref(),
            Row::AfterTurningAway => replay?.after_turning_away.as_ref(),
            Row::AfterChange => replay?.after_change.as_ref(),
            Row::RateLimited => replay?.rate_limited.as_ref(),
            Row::ChangedParameters => conflict?.changed_parameters.as_ref()?.of(variant),
            Row::EquivalentParameters => conflict?.equivalent_parameters.as_ref()?.of(variant),
            Row::InFlight => conflict?.in_flight.as_ref().map(|in_flight| &in_flight.promise),
            Row::InFlightChanged => conflict?.in_flight_changed.as_ref(),
            Row::OtherMethods => scope?.other_methods.as_ref(),
            Row::OtherAccount => scope?.other_account.as_ref(),
            Row::OtherOperation => scope?.other_operation.as_ref(),
            Row::Replicas => scope?.replicas.as_ref(),
            Row::StoreUnavailable => scope?.store_unavailable.as_ref(),
        }
    }

    /// Whether the promise in a row speaks of this parameter variant by its name.
    pub fn names(&self, row: Row, variant: &str) -> bool {
        self.by_variant(row).is_some_and(|promise| match promise {
            VariantPromise::Every(_) => false,
            VariantPromise::ByVariant(promises) => promises.contains_key(variant),
        })
    }

    /// The promise in a row where it may differ from one parameter variant to the next.
    fn by_variant(&self, row: Row) -> Option<&VariantPromise> {
        let conflict = self.conflict.as_ref()?;
        match row {
            Row::ChangedParameters => conflict.changed_parameters.as_ref(),
            Row::EquivalentParameters => conflict.equivalent_parameters.as_ref(),
            _ => None,
        }
    }

    /// The case of a promise that counts after this first outcome, with level and source filled in from its clause.
    pub fn ruling(&self, row: Row, variant: &str, first: Option<&Response>) -> Option<Ruling<'_>> {
        Some(self.with_defaults(row, self.promise(row, variant)?.case(first)?))
    }

    /// Every case of every promise that stands in a row, with level and source filled in.
    pub fn rulings(&self, row: Row) -> Vec<Ruling<'_>> {
        let promises = match self.by_variant(row) {
            Some(promises) => promises.promises(),
            None => self.promise(row, "").into_iter().collect(),
        };
        promises.into_iter().flat_map(|promise| &promise.cases).map(|case| self.with_defaults(row, case)).collect()
    }

    /// Every matcher with which the contract describes a rejection in a row.
    pub fn rejections(&self, row: Row) -> impl Iterator<Item = &Matcher> {
        let treatments = self.rulings(row).into_iter().flat_map(|ruling| &ruling.case.allow);
        treatments.filter_map(|treatment| match treatment {
            Treatment::Rejects(matcher) => Some(matcher),
            Treatment::Executes | Treatment::Replays | Treatment::Refreshes => None,
        })
    }

    /// For how long a key may be in flight after its request has ended, if the deployment says so, or else the contract.
    pub fn ends_within(&self) -> Option<Period> {
        let in_flight = self.conflict.as_ref().and_then(|conflict| conflict.in_flight.as_ref());
        self.ends_within_here.or(in_flight.and_then(|in_flight| in_flight.ends_within))
    }

    /// How much of the first answer a replay returns, with level and source filled in, if the contract says so.
    pub fn fidelity(&self) -> Option<(&Fidelity, Level, Option<&str>)> {
        let replay = self.replay.as_ref()?;
        let fidelity = replay.fidelity.as_ref()?;
        let level = fidelity.level.or(replay.level).unwrap_or_default();
        Some((fidelity, level, fidelity.source.as_deref().or(replay.source.as_deref())))
    }

    /// What marks a replay, with level and source filled in, if the contract says so.
    pub fn marker(&self) -> Option<(&Marker, Level, Option<&str>)> {
        let replay = self.replay.as_ref()?;
        let marker = replay.marker.as_ref()?;
        let level = marker.level.or(replay.level).unwrap_or_default();
        Some((marker, level, marker.source.as_deref().or(replay.source.as_deref())))
    }

    /// The date that travels beside the key, if the contract has one.
    pub fn first_sent(&self) -> Option<&FirstSent> {
        self.key.as_ref()?.first_sent.as_ref()
    }

    /// What marks an answer whose request was not executed, with level and source filled in, if the contract says so.
    pub fn not_executed(&self) -> Option<(&Matcher, Level, Option<&str>)> {
        let replay = self.replay.as_ref()?;
        let matcher = replay.not_executed.as_ref()?;
        Some((matcher, replay.level.unwrap_or_default(), replay.source.as_deref()))
    }

    /// How long a client waits before it sends the same key again, if the contract says so.
    pub fn client_waits(&self) -> Option<Duration> {
        self.replay.as_ref()?.client_waits.map(Period::duration)
    }

    /// For how long a client goes on sending the same key again, if the contract says so.
    pub fn client_retries_for(&self) -> Option<Period> {
        self.replay.as_ref()?.client_retries_for
    }

    fn with_defaults<'c>(&'c self, row: Row, case: &'c Case) -> Ruling<'c> {
        let defaults = self.defaults(row);
        Ruling {
            case,
            level: case.level.or(defaults.level).unwrap_or_default(),
            source: case.source.as_deref().or(defaults.source),
        }
    }

    fn defaults(&self, row: Row) -> Defaults<'_> {
        let (level, source) = match row {
            Row::Missing | Row::Empty | Row::Malformed | Row::Overlong | Row::Incomplete => {
                self.key.as_ref().map(|clause| (clause.level, &clause.source))
            }
            Row::Expired => self.retention.as_ref().map(|clause| (clause.level, &clause.source)),
            Row::AfterSuccess
            | Row::AfterFailure
            | Row::AfterServerError
            | Row::AfterValidationFailure
            | Row::AfterTurningAway
            | Row::AfterChange
            | Row::RateLimited => self.replay.as_ref().map(|clause| (clause.level, &clause.source)),
            Row::ChangedParameters | Row::EquivalentParameters | Row::InFlight | Row::InFlightChanged => {
                self.conflict.as_ref().map(|clause| (clause.level, &clause.source))
            }
            Row::OtherMethods | Row::OtherAccount | Row::OtherOperation | Row::Replicas | Row::StoreUnavailable => {
                self.scope.as_ref().map(|clause| (clause.level, &clause.source))
            }
        }
        .unwrap_or((None, &None));
        Defaults { level, source: source.as_deref() }
    }
}
