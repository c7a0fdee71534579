//! The terms of a situation: the treatments that the contract allows there, and how binding that is.

use super::answer::Answer;
use super::facts::Fact;
use super::odd_key::OddKey;
use super::words;
use crate::contract::{Contract, Level, Row, Ruling, Situation, Treatment};
use crate::message::Response;

/// What is allowed in one situation.
#[derive(Clone, Debug)]
pub(super) struct Terms<'c> {
    allowed: Allowed<'c>,
    pub(super) level: Level,
    pub(super) source: Option<&'c str>,
    situation: Situation,
}

#[derive(Clone, Debug)]
enum Allowed<'c> {
    /// The treatments of one ruling, or of two together.
    Declared(Ruling<'c>, Option<Ruling<'c>>),
    /// Under every contract a fresh key executes.
    Executing,
    /// Under every contract a changed resource is not made again, and a repeat gets no 5xx.
    NotExecuting,
    /// An odd key about which the contract is silent: refused, or taken like any other.
    RefusedOrExecuting,
    /// An odd key that was taken, and a contract that is silent about repeats: protected all the same.
    Protected,
}

impl<'c> Terms<'c> {
    /// The terms for an attempt, or `None` where the contract is silent and the situation has no default.
    pub(super) fn of(
        contract: &'c Contract,
        situation: Situation,
        fact: &Fact<'_>,
        odd: Option<OddKey>,
        first: Option<&Response>,
    ) -> Option<Self> {
        let ruling = |row| contract.ruling(row, fact.variant, first);
        if situation == Situation::Fresh
            && let Some(odd) = odd
            && let Some(row) = odd.row()
        {
            return Self::of_odd_key(ruling(row), odd);
        }
        match situation {
            Situation::Fresh if matches!(odd, Some(OddKey::Distinct | OddKey::Accented)) => {
                Some(Self::universal(Allowed::RefusedOrExecuting, situation))
            }
            Situation::Fresh => Some(Self::universal(Allowed::Executing, situation)),
            Situation::AfterChange => Some(match ruling(Row::AfterChange) {
                Some(ruling) => Self::declared(situation, ruling, None),
                None => Self::universal(Allowed::NotExecuting, situation),
            }),
            Situation::InFlightChanged => match ruling(Row::InFlightChanged) {
                Some(ruling) => Some(Self::declared(situation, ruling, None)),
                None => Self::union(situation, ruling(Row::InFlight), ruling(Row::ChangedParameters)),
            },
            // Whether they are the same, nobody has said: what both would get is allowed.
            Situation::EquivalentParameters if fact.guess.is_some() => {
                let same = ruling(Row::EquivalentParameters).or_else(|| ruling(Row::AfterSuccess));
                Self::union(situation, same, ruling(Row::ChangedParameters))
            }
            Situation::EquivalentParameters => match ruling(Row::EquivalentParameters) {
                Some(ruling) => Some(Self::declared(situation, ruling, None)),
                None => Self::union(situation, ruling(Row::AfterSuccess), ruling(Row::ChangedParameters)),
            },
            Situation::AfterSuccess if odd.is_some() => Some(match ruling(Row::AfterSuccess) {
                Some(ruling) => Self::declared(situation, ruling, None),
                None => Self::universal(Allowed::Protected, situation),
            }),
            Situation::NoKey
            | Situation::Incomplete
            | Situation::StoreUnavailable
            | Situation::OtherAccount
            | Situation::OtherOperation
            | Situation::OtherMethod
            | Situation::OtherReplica
            | Situation::Expired
            | Situation::InFlight
            | Situation::ChangedParameters
            | Situation::OriginalSurvives
            | Situation::AfterSuccess
            | Situation::AfterFailure
            | Situation::AfterServerError
            | Situation::AfterValidationFailure
            | Situation::AfterTurningAway => {
                let ruling = ruling(situation.row()?)?;
                Some(Self::declared(situation, ruling, None))
            }
        }
    }

    /// The terms of a repeat on another replica.
    pub(super) fn of_replica(contract: &'c Contract, situation: Situation, first: Option<&Response>) -> Option<Self> {
        contract.ruling(Row::Replicas, "", first).map(|ruling| Self::declared(situation, ruling, None))
    }

    /// The terms of a repeat while the caller is rate limited.
    pub(super) fn of_rate_limit(
        contract: &'c Contract,
        situation: Situation,
        first: Option<&Response>,
    ) -> Option<Self> {
        contract.ruling(Row::RateLimited, "", first).map(|ruling| Self::declared(situation, ruling, None))
    }

    /// The first request with an odd key. What an empty key means is the contract's to say.
    fn of_odd_key(ruling: Option<Ruling<'c>>, odd: OddKey) -> Option<Self> {
        match (ruling, odd) {
            (Some(ruling), _) => Some(Self::declared(Situation::Fresh, ruling, None)),
            (None, OddKey::Empty) => None,
            (None, OddKey::Malformed | OddKey::Overlong | OddKey::Longest | OddKey::Distinct | OddKey::Accented) => {
                Some(Self::universal(Allowed::RefusedOrExecuting, Situation::Fresh))
            }
        }
    }

    fn declared(situation: Situation, ruling: Ruling<'c>, other: Option<Ruling<'c>>) -> Self {
        let level = other.as_ref().map_or(ruling.level, |other| other.level.min(ruling.level));
        let source = ruling.source.or(other.as_ref().and_then(|other| other.source));
        Self { allowed: Allowed::Declared(ruling, other), level, source, situation }
    }

    fn universal(allowed: Allowed<'c>, situation: Situation) -> Self {
        Self { allowed, level: Level::Must, source: None, situation }
    }

    /// Either of two promises; silent where one of them is, because silence allows everything.
    fn union(situation: Situation, one: Option<Ruling<'c>>, other: Option<Ruling<'c>>) -> Option<Self> {
        Some(Self::declared(situation, one?, Some(other?)))
    }

    /// Makes the terms no more binding than this.
    pub(super) fn at_most(mut self, level: Level) -> Self {
        self.level = self.level.min(level);
        self
    }

    /// The treatments that are declared; empty where a default counts.
    pub(super) fn treatments(&self) -> impl Iterator<Item = &'c Treatment> + '_ {
        let (one, other) = match &self.allowed {
            Allowed::Declared(one, other) => (Some(one.case), other.as_ref().map(|ruling| ruling.case)),
            Allowed::Executing | Allowed::NotExecuting | Allowed::RefusedOrExecuting | Allowed::Protected => {
                (None, None)
            }
        };
        one.into_iter().chain(other).flat_map(|case| &case.allow)
    }

    /// Whether processing is allowed.
    pub(super) fn allows_executing(&self) -> bool {
        match &self.allowed {
            Allowed::Declared(..) => self.treatments().any(|treatment| *treatment == Treatment::Executes),
            Allowed::Executing | Allowed::RefusedOrExecuting => true,
            Allowed::NotExecuting | Allowed::Protected => false,
        }
    }

    /// Whether the first outcome may be returned.
    pub(super) fn allows_replaying(&self) -> bool {
        match &self.allowed {
            Allowed::Declared(..) => self.treatments().any(|treatment| *treatment == Treatment::Replays),
            Allowed::NotExecuting | Allowed::Protected => true,
            Allowed::Executing | Allowed::RefusedOrExecuting => false,
        }
    }

    /// Whether the current state of the first action may be returned.
    pub(super) fn allows_refreshing(&self) -> bool {
        match &self.allowed {
            Allowed::Declared(..) => self.treatments().any(|treatment| *treatment == Treatment::Refreshes),
            Allowed::NotExecuting | Allowed::Protected => true,
            Allowed::Executing | Allowed::RefusedOrExecuting => false,
        }
    }

    /// Whether any 4xx is a fitting refusal, by default.
    pub(super) fn allows_any_refusal(&self) -> bool {
        match &self.allowed {
            Allowed::NotExecuting | Allowed::RefusedOrExecuting | Allowed::Protected => true,
            Allowed::Declared(..) | Allowed::Executing => false,
        }
    }

    /// Whether the answer fits a matcher of the terms if the first effect has this identity.
    pub(super) fn rejects_with(&self, answer: &Answer<'_>, identity: &str) -> bool {
        !answer.is_success()
            && self.treatments().any(|treatment| match treatment {
                Treatment::Rejects(matcher) => answer.fits(matcher, Some(identity)),
                Treatment::Executes | Treatment::Replays | Treatment::Refreshes => false,
            })
    }

    /// Whether the answer fits a matcher of the terms, whatever effect it points at.
    pub(super) fn rejects_pointing_anywhere(&self, answer: &Answer<'_>) -> bool {
        !answer.is_success()
            && self.treatments().any(|treatment| match treatment {
                Treatment::Rejects(matcher) => matcher.fits_pointing_anywhere(answer.response),
                Treatment::Executes | Treatment::Replays | Treatment::Refreshes => false,
            })
    }

    /// The promise in words.
    pub(super) fn promise(&self) -> String {
        let situation = words::situation(self.situation);
        match &self.allowed {
            Allowed::Declared(one, None) => format!("{situation}: {}", one.case),
            Allowed::Declared(one, Some(other)) => format!("{situation}: {}, or {}", one.case, other.case),
            Allowed::Executing => format!("{situation}: executes"),
            Allowed::NotExecuting => format!("{situation}: anything but a new execution and a 5xx"),
            Allowed::RefusedOrExecuting => "an odd key: refused with a 4xx, or taken and fully protected".into(),
            Allowed::Protected => "an odd key that was taken: fully protected".into(),
        }
    }

    /// Every acceptable outcome, in words.
    pub(super) fn acceptable(&self, first: Option<&Fact<'_>>) -> Vec<String> {
        match &self.allowed {
            Allowed::Declared(..) => self.treatments().map(|treatment| words::treatment(treatment, first)).collect(),
            Allowed::Executing => vec![words::treatment(&Treatment::Executes, first)],
            Allowed::NotExecuting | Allowed::Protected => vec![
                words::treatment(&Treatment::Replays, first),
                words::treatment(&Treatment::Refreshes, first),
                "a refusal with a 4xx".into(),
            ],
            Allowed::RefusedOrExecuting => {
                vec!["a refusal with a 4xx".into(), words::treatment(&Treatment::Executes, first)]
            }
        }
    }
}
