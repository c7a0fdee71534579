//! In which situation an attempt met the server: the first line of the table that the earlier attempts of its action,
//! and the marked events, make true.

use super::action::{Action, Actions};
use super::answer::AnswerKind;
use super::docket::Docket;
use super::facts::Guess;
use super::odd_key::{OddKey, is_uuid};
use super::reading::Ruled;
use super::retention::{self, Age};
use super::scope::{self, Key};
use super::terms::Terms;
use crate::contract::{Anchor, KeyDifference, Level, Requirement, Situation};
use crate::history::{Drawn, KeyKind};

/// One situation in which an attempt may have met the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct World {
    pub(super) situation: Situation,
    /// The attempt with the first outcome, where there is one and it is known.
    pub(super) first: Option<usize>,
    /// The attempt with the first outcome, where nobody saw it.
    pub(super) unseen: Option<usize>,
    /// No promise about it can be more binding than the one by which the key was bound.
    pub(super) level: Level,
    /// The requirement under which a finding is filed.
    pub(super) requirement: Requirement,
    /// Nothing is promised here: only observed.
    pub(super) observed: bool,
}

/// All situations in which an attempt may have met the server.
#[derive(Debug)]
pub(super) enum Standing {
    /// Certainly this one.
    Certain(World),
    /// One of several: an earlier attempt was lost, or the key is between remembered and forgotten.
    Several(Vec<World>),
    /// The clock was moved, and nothing shows that the target followed.
    Unconfirmed(World),
    /// The target was told to take the key for expired, and answered as if it still knew it: the hook may have done nothing.
    Unshown(World),
}

impl World {
    pub(super) fn new(situation: Situation, first: Option<usize>) -> Self {
        Self {
            situation,
            first,
            unseen: None,
            level: Level::Must,
            requirement: situation.requirement(),
            observed: false,
        }
    }

    /// The terms here, or `None` where the contract is silent.
    pub(super) fn terms<'c>(&self, docket: &Docket<'c, '_>, attempt: usize) -> Option<Terms<'c>> {
        let fact = &docket.facts[attempt];
        // What need not be a change is not held to what changes get.
        let unsaid = fact.guess == Some(Guess::Spelling) && self.situation == Situation::ChangedParameters;
        if self.observed || unsaid {
            return None;
        }
        let first = self.first.and_then(|first| docket.facts[first].answer()).map(|answer| answer.response);
        let terms = if self.requirement == Requirement::ScopeReplicas {
            Terms::of_replica(docket.contract, self.situation, first)
        } else if self.requirement == Requirement::ReplayRateLimited {
            Terms::of_rate_limit(docket.contract, self.situation, first)
        } else {
            Terms::of(docket.contract, self.situation, fact, docket.odd[attempt], first)
        };
        terms.map(|terms| terms.at_most(self.level))
    }
}

/// Works out the standing of an attempt before which everything in its action was folded.
pub(super) fn standing(docket: &Docket<'_, '_>, actions: &Actions, action: &Action, attempt: usize) -> Standing {
    let fact = &docket.facts[attempt];
    if docket.is_incomplete(attempt) {
        return Standing::Certain(World::new(Situation::Incomplete, None));
    }
    let Some(key) = fact.key else {
        return Standing::Certain(World::new(Situation::NoKey, None));
    };
    if docket.is_store_down(attempt) {
        return Standing::Certain(World::new(Situation::StoreUnavailable, action.outcome()));
    }
    if docket.is_outdated(attempt) {
        return Standing::Certain(World { first: action.outcome(), ..World::new(Situation::Expired, None) });
    }
    if action.is_untouched()
        && let Some(world) = other_scope(docket, actions, key, attempt)
    {
        return Standing::Certain(world);
    }
    if action.is_untouched()
        && let Some(world) = other_parameters(docket, actions, key, attempt)
    {
        return Standing::Certain(world);
    }
    let unexpired = unexpired(docket, action, attempt);
    let expired = World { first: action.outcome(), ..World::new(Situation::Expired, None) };
    match retention::age(docket, action, attempt) {
        Age::Expired => Standing::Certain(expired),
        Age::Kept { late } => match unexpired {
            Standing::Certain(world) if late && world.requirement != Requirement::ScopeReplicas => {
                Standing::Certain(kept(docket, world))
            }
            other => other,
        },
        Age::Either => {
            let mut worlds = vec![expired];
            match unexpired {
                Standing::Certain(world) | Standing::Unconfirmed(world) | Standing::Unshown(world) => {
                    worlds.push(world)
                }
                Standing::Several(others) => worlds.extend(others),
            }
            Standing::Several(worlds)
        }
        Age::Unconfirmed => Standing::Unconfirmed(expired),
        Age::Told => told(docket, attempt, expired, &unexpired),
    }
}

/// The target was told to take its keys for expired. An answer that only a key still known can get, while no other key
/// shows that the hook did anything, shows no more than that the two did not go together.
fn told(docket: &Docket<'_, '_>, attempt: usize, expired: World, unexpired: &Standing) -> Standing {
    let forbidden = |world: &World| {
        let terms = world.terms(docket, attempt)?;
        Some(docket.evidence(attempt, world, &terms).ruled(&terms) == Ruled::Forbidden)
    };
    match unexpired {
        Standing::Certain(world)
            if forbidden(&expired) == Some(true)
                && forbidden(world) == Some(false)
                && !retention::shows_expiry(docket) =>
        {
            Standing::Unshown(expired)
        }
        Standing::Certain(_) | Standing::Several(_) | Standing::Unconfirmed(_) | Standing::Unshown(_) => {
            Standing::Certain(expired)
        }
    }
}

/// Late in its retention, a repeat shows that the key is still remembered.
fn kept(docket: &Docket<'_, '_>, world: World) -> World {
    let retention = docket.contract.retention.as_ref();
    let outlives = retention.is_some_and(|retention| retention.anchor == Some(Anchor::ResourceEnd));
    let is_repeat = (outlives && world.situation == Situation::AfterChange)
        || matches!(
            world.situation,
            Situation::AfterSuccess
                | Situation::AfterFailure
                | Situation::AfterServerError
                | Situation::AfterValidationFailure
                | Situation::AfterTurningAway
        );
    if is_repeat { World { requirement: Requirement::RetentionKept, ..world } } else { world }
}

/// The key was used outside this scope only.
fn other_scope(docket: &Docket<'_, '_>, actions: &Actions, key: Key<'_>, attempt: usize) -> Option<World> {
    let fact = &docket.facts[attempt];
    let used = actions.with_key(key).map(|index| &actions.all[index]).filter(|other| !other.is_untouched());
    let mut found: Option<World> = None;
    for other in used {
        let Some(user) = other.attempts.first().map(|user| &docket.facts[*user]) else {
            continue;
        };
        let situation = if user.account != fact.account {
            Situation::OtherAccount
        } else if user.operation != fact.operation {
            Situation::OtherOperation
        } else if user.method != fact.method {
            Situation::OtherMethod
        } else if user.replica != fact.replica && scope::replicas_apart(docket.contract) {
            Situation::OtherReplica
        } else {
            continue;
        };
        if found.is_none_or(|found| situation < found.situation) {
            found = Some(World::new(situation, other.bound.as_ref().map(|bound| bound.attempt)));
        }
    }
    found
}

/// The key was used in this scope with other parameters only, which are an action of their own.
fn other_parameters(docket: &Docket<'_, '_>, actions: &Actions, key: Key<'_>, attempt: usize) -> Option<World> {
    let facts = &docket.facts;
    let fact = &facts[attempt];
    let mut found = None;
    let others = actions.with_key(key).filter(|index| *index != actions.of[attempt]);
    for other in others.map(|index| &actions.all[index]) {
        let Some(user) = other.attempts.first().map(|user| &facts[*user]) else {
            continue;
        };
        let same_scope = (user.account, user.operation, user.method) == (fact.account, fact.operation, fact.method);
        let is_other = user.meaning != fact.meaning && user.with == fact.with && user.sent < fact.end();
        if !same_scope || !is_other {
            continue;
        }
        let overlaps = |other: &usize| facts[*other].sent < fact.end() && fact.sent < facts[*other].end();
        let muddled = !other.unknown.is_empty() || other.attempts.iter().any(overlaps);
        let world = match (&other.bound, other.unbound) {
            (Some(bound), _) if !muddled => World::new(Situation::ChangedParameters, Some(bound.attempt)),
            (None, Some(outcome)) if !muddled && after(docket, outcome) == Situation::AfterValidationFailure => {
                World::new(Situation::AfterValidationFailure, Some(outcome))
            }
            (None, None) if !muddled => continue,
            (Some(_) | None, Some(_) | None) => {
                return Some(World { observed: true, ..World::new(Situation::ChangedParameters, None) });
            }
        };
        found = Some(world);
    }
    found
}

/// The lines below the one about retention.
fn unexpired(docket: &Docket<'_, '_>, action: &Action, attempt: usize) -> Standing {
    if let Some(bound) = &action.bound {
        let mut world = bound_world(docket, action, bound.attempt, attempt);
        world.level = bound.level;
        if bound.rivals.is_empty() {
            return Standing::Certain(world);
        }
        let rivals = bound.rivals.iter().map(|rival| rival_world(docket, *rival, bound.attempt, attempt));
        return Standing::Several([world].into_iter().chain(rivals).collect());
    }
    let current = match action.unbound {
        Some(outcome) => unbound_world(docket, action, outcome, attempt),
        None => World::new(Situation::Fresh, None),
    };
    if action.unknown.is_empty() {
        return Standing::Certain(with_odd_key(docket, current, attempt));
    }
    let mut worlds = vec![current];
    for unknown in &action.unknown {
        after_unknown(docket, *unknown, attempt, &mut worlds);
    }
    Standing::Several(worlds)
}

/// The key is bound.
fn bound_world(docket: &Docket<'_, '_>, action: &Action, outcome: usize, attempt: usize) -> World {
    let (fact, first) = (&docket.facts[attempt], &docket.facts[outcome]);
    let after = after(docket, outcome);
    let situation = if fact.meaning != first.meaning {
        Situation::ChangedParameters
    } else if fact.spelling != first.spelling {
        Situation::EquivalentParameters
    } else if docket.is_changed_between(outcome, attempt) {
        Situation::AfterChange
    } else if action.others_tried && after == Situation::AfterSuccess {
        Situation::OriginalSurvives
    } else {
        after
    };
    let mut world = World::new(situation, Some(outcome));
    if fact.replica != first.replica && situation == after {
        world.requirement = Requirement::ScopeReplicas;
    }
    with_odd_key(docket, world, attempt)
}

/// The key may have been bound by other parameters: those whose effect the first answer that is known already named, or
/// those that failed beside it.
fn rival_world(docket: &Docket<'_, '_>, rival: usize, outcome: usize, attempt: usize) -> World {
    let (fact, other) = (&docket.facts[attempt], &docket.facts[rival]);
    let failed = other.answer().is_some_and(|answer| matches!(answer.kind, AnswerKind::Drawn(_)));
    let first = if failed { rival } else { outcome };
    let situation = if fact.meaning != other.meaning {
        Situation::ChangedParameters
    } else if fact.spelling != other.spelling {
        Situation::EquivalentParameters
    } else {
        after(docket, first)
    };
    World::new(situation, Some(first))
}

/// The last outcome does not bind.
fn unbound_world(docket: &Docket<'_, '_>, action: &Action, outcome: usize, attempt: usize) -> World {
    let meaning = docket.facts[attempt].meaning;
    if action.loose.iter().any(|loose| docket.facts[*loose].meaning != meaning) {
        return World { observed: true, ..World::new(Situation::ChangedParameters, Some(outcome)) };
    }
    let own = action.loose.iter().find(|loose| docket.facts[**loose].meaning == meaning).copied().unwrap_or(outcome);
    World::new(after(docket, own), Some(own))
}

/// What an attempt of unknown outcome may have left behind.
pub(super) fn after_unknown(docket: &Docket<'_, '_>, unknown: usize, attempt: usize, worlds: &mut Vec<World>) {
    let (fact, earlier) = (&docket.facts[attempt], &docket.facts[unknown]);
    let same = fact.meaning == earlier.meaning;
    let unseen = |situation| World { unseen: Some(unknown), ..World::new(situation, None) };
    if earlier.over.is_none_or(|over| over > fact.sent) {
        worlds.push(unseen(if same { Situation::InFlight } else { Situation::InFlightChanged }));
    }
    if earlier.answer().is_some() {
        worlds.push(World::new(Situation::AfterServerError, Some(unknown)));
    }
    let finished = if !same {
        Situation::ChangedParameters
    } else if fact.spelling != earlier.spelling {
        Situation::EquivalentParameters
    } else {
        after_drawing(earlier.draws)
    };
    worlds.push(unseen(finished));
    if same && earlier.draws != Drawn::Success {
        worlds.push(unseen(Situation::AfterSuccess));
    }
}

/// The situation after a known outcome.
pub(super) fn after(docket: &Docket<'_, '_>, outcome: usize) -> Situation {
    match docket.facts[outcome].answer().map(|answer| answer.kind) {
        Some(AnswerKind::Drawn(drawn)) => after_drawing(drawn),
        Some(AnswerKind::ServerError) => Situation::AfterServerError,
        Some(AnswerKind::Success | AnswerKind::TurnedAway | AnswerKind::ClientError | AnswerKind::Other) | None => {
            Situation::AfterSuccess
        }
    }
}

fn after_drawing(drawn: Drawn) -> Situation {
    match drawn {
        Drawn::Success => Situation::AfterSuccess,
        Drawn::ValidationFailure => Situation::AfterValidationFailure,
        Drawn::Failure => Situation::AfterFailure,
        Drawn::ServerError => Situation::AfterServerError,
        Drawn::TurnedAway => Situation::AfterTurningAway,
    }
}

/// An odd key runs through the same lines under its own requirement.
fn with_odd_key(docket: &Docket<'_, '_>, world: World, attempt: usize) -> World {
    match docket.odd[attempt] {
        Some(odd) if matches!(world.situation, Situation::Fresh | Situation::AfterSuccess) => {
            let observed = odd == OddKey::Distinct && is_same(docket, attempt);
            let requirement = odd.requirement().unwrap_or(world.requirement);
            World { requirement, observed: world.observed || observed, ..world }
        }
        Some(_) | None => world,
    }
}

/// Whether a key was taken for one that it resembles, and may be: the contract says that what they differ in is ignored;
/// or both are UUIDs and UUIDs are wanted. The case of its letters does not tell one from another (RFC 9562 section 4), and
/// what reads UUIDs often passes over spaces around them.
fn is_same(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    let (Some(clause), Some(kind)) = (&docket.contract.key, docket.facts[attempt].key_kind) else {
        return false;
    };
    let difference = match kind {
        KeyKind::OtherCase | KeyKind::LongestOtherCase => KeyDifference::Case,
        KeyKind::Quoted => KeyDifference::Quotes,
        KeyKind::Padded | KeyKind::Spaced => KeyDifference::WhiteSpace,
        KeyKind::Empty
        | KeyKind::Malformed
        | KeyKind::Longest
        | KeyKind::LongestSibling
        | KeyKind::Overlong
        | KeyKind::OverlongSibling
        | KeyKind::Accented
        | KeyKind::Undated
        | KeyKind::DateAlone
        | KeyKind::Misdated
        | KeyKind::Outdated
        | KeyKind::Long(_)
        | KeyKind::LongSibling(_) => return false,
    };
    let wants_uuid = clause.recommended.as_deref().is_some_and(|kind| kind.starts_with("uuid"));
    let by_format = match kind {
        KeyKind::OtherCase | KeyKind::Padded => wants_uuid,
        KeyKind::LongestOtherCase => wants_uuid && docket.facts[attempt].key.is_some_and(|key| is_uuid(key.text)),
        _ => false,
    };
    (clause.ignores.contains(&difference) || by_format) && docket.names_known(attempt)
}
