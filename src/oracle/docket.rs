//! Everything that is known about one case before it is judged, and never changes while it is.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::answer::Answer;
use super::effects::{Effects, Rise};
use super::facts::{self, Extracted, Fact};
use super::odd_key::{self, OddKey};
use super::reading::{Evidence, begins_action};
use super::retention::Clock;
use super::rules::hurried;
use super::sameness::Content;
use super::situation::World;
use super::terms::Terms;
use crate::contract::{Contract, Row, Situation};
use crate::history::{Calibration, CaseHistory, KeyKind, Subject};

/// A rejection that points at the first effect may point at any of the first few that are listed.
const LISTED: usize = 3;

/// One case, prepared for judging.
#[derive(Debug)]
pub(super) struct Docket<'c, 'h> {
    pub(super) contract: &'c Contract,
    pub(super) calibration: Calibration,
    pub(super) subject: &'h Subject,
    pub(super) case: &'h CaseHistory,
    pub(super) facts: Vec<Fact<'h>>,
    /// The contents of the answers.
    contents: Vec<Content>,
    pub(super) effects: Effects<'h>,
    pub(super) clock: Clock,
    /// How many keys and how many scopes there are.
    pub(super) keys: usize,
    pub(super) scopes: usize,
    /// Whether an attempt may be executed while the store that knows keys is down, and with an empty key.
    pub(super) executes_unguarded: bool,
    pub(super) executes_empty: bool,
    /// By attempt: what is odd about its key.
    pub(super) odd: Vec<Option<OddKey>>,
    /// By identity: the attempt whose answer named it first.
    namers: HashMap<&'h str, usize>,
    /// By attempt: the attempt whose answer named the identity of its success first.
    namer_of: Vec<Option<usize>>,
    /// By attempt: the number of its marker and its key without case, quotes and spaces; none without a key.
    pub(super) spelled: Vec<Option<usize>>,
    /// How many of these there are.
    pub(super) spellings: usize,
    /// By group: whether distinct identities stand in for the count of its effects.
    by_identity: Vec<bool>,
    /// Whether some attempt was told to slow down, and whether the contract says what repeats get then.
    pub(super) limits_rate: bool,
    /// By group: whether the closed counts show as many effects as identities were named, so that a repeat that
    /// names a known one had none of its own.
    explained: Vec<bool>,
    /// By group: the first attempts of unknown outcome, of two keys at most.
    unseen: Vec<Vec<usize>>,
    /// Whether a first answer carried the marker of a replay, so that the marker tells nothing.
    marker_spoiled: bool,
    /// A key that does not come together with its date may be carried out without protection.
    pub(super) executes_incomplete: bool,
    /// By group of effects: from which attempt on a client had come sooner than it may, if one had.
    pub(super) hurried: Vec<Option<usize>>,
    /// By attempt: whether the key store was down.
    store_down: Vec<bool>,
    /// By attempt: how many keys had been used by then, this attempt's own included.
    keys_used: Vec<usize>,
    /// By marker: how many intents have it.
    intents: HashMap<&'h str, usize>,
    /// By marker: the number of the last attempt before each change of its resource.
    changes: HashMap<&'h str, Vec<u32>>,
}

impl<'c: 'h, 'h> Docket<'c, 'h> {
    pub(super) fn new(
        contract: &'c Contract,
        subject: &'h Subject,
        calibration: Calibration,
        case: &'h CaseHistory,
    ) -> Self {
        let Extracted { facts, scopes, contents } = facts::extract(contract, subject, case);
        let (keys, scopes) = scopes.count();
        let effects = Effects::new(subject, &facts, &case.counts);
        let namers = namers(&facts);
        let (spelled, spellings) = spelled(&facts, &effects);
        let mut docket = Self {
            namer_of: facts.iter().map(|fact| namers.get(fact.success_identity()?).copied()).collect(),
            spelled,
            spellings,
            by_identity: effects.groups.iter().map(|group| subject.counts_by_identity(group.operation)).collect(),
            limits_rate: limits_rate(contract, &facts),
            contents,
            intents: intents(case),
            keys,
            scopes,
            executes_unguarded: may_execute(contract, Row::StoreUnavailable),
            executes_empty: may_execute(contract, Row::Empty),
            executes_incomplete: may_execute(contract, Row::Incomplete),
            hurried: hurried::first_of_groups(contract, &facts, &effects),
            keys_used: keys_used(&facts),
            odd: facts.iter().map(|fact| OddKey::of(contract, fact.key.map(|key| key.text), fact.key_kind)).collect(),
            clock: Clock::new(&facts, case),
            store_down: store_down(&facts, case),
            explained: Vec::new(),
            unseen: unseen(&facts, &effects),
            marker_spoiled: false,
            contract,
            calibration,
            subject,
            case,
            facts,
            effects,
            namers,
            changes: changes(case),
        };
        docket.explained = docket.explained();
        docket.marker_spoiled = docket.marker_spoiled();
        docket
    }

    /// The values of an answer's content by their names, if it is JSON or XML.
    pub(super) fn document(&self, answer: &Answer<'_>) -> Option<&Value> {
        self.contents[answer.body].document.as_ref()
    }

    /// The attempt whose answer named this identity first.
    pub(super) fn namer_of_identity(&self, identity: &str) -> Option<usize> {
        self.namers.get(identity).copied()
    }

    /// The attempt whose answer named the identity of this attempt's success first.
    pub(super) fn namer(&self, attempt: usize) -> Option<usize> {
        self.namer_of[attempt]
    }

    /// Whether another attempt named this attempt's identity before.
    pub(super) fn names_known(&self, attempt: usize) -> bool {
        self.namer(attempt).is_some_and(|namer| namer != attempt)
    }

    /// Whether an attempt that begins an action names an effect that was listed before it was sent.
    fn names_listed(&self, attempt: usize, situation: Situation) -> bool {
        let fact = &self.facts[attempt];
        let listed = |identity| self.effects.group(attempt).listed_before(fact.id.0, identity);
        begins_action(situation) && fact.success_identity().is_some_and(listed)
    }

    /// Whether an attempt with another key named this attempt's identity before it was sent.
    pub(super) fn names_foreign(&self, attempt: usize) -> bool {
        let fact = &self.facts[attempt];
        let namer = self.namer(attempt).map(|namer| &self.facts[namer]);
        namer.is_some_and(|namer| namer.key != fact.key && namer.end() <= fact.sent)
    }

    /// Whether an attempt with another key, the end of which nobody saw, may have made the effect that this one names.
    fn may_be_anothers(&self, attempt: usize) -> bool {
        let fact = &self.facts[attempt];
        let unseen = &self.unseen[self.effects.group_of[attempt]];
        unseen.iter().any(|other| self.facts[*other].key != fact.key && self.facts[*other].sent < fact.read)
    }

    /// Whether several intents have this marker, so that their effects are counted together.
    pub(super) fn is_shared(&self, marker: &str) -> bool {
        self.intents.get(marker).is_some_and(|intents| *intents > 1)
    }

    /// How many keys were used for the first time between two attempts.
    pub(super) fn fresh_keys_between(&self, first: usize, later: usize) -> usize {
        self.keys_used[later].saturating_sub(self.keys_used[first])
    }

    pub(super) fn is_store_down(&self, attempt: usize) -> bool {
        self.store_down[attempt]
    }

    /// Whether the resource of an attempt's parameters was changed between two attempts.
    pub(super) fn is_changed_between(&self, first: usize, later: usize) -> bool {
        let (from, to) = (self.facts[first].id.0, self.facts[later].id.0);
        let changes = self.changes.get(self.facts[later].marker);
        changes.is_some_and(|changes| changes.iter().any(|after| (from..to).contains(after)))
    }

    /// What the counts say about one attempt. Where distinct identities stand in for the count, they do.
    pub(super) fn rise(&self, attempt: usize) -> Rise {
        self.rise_beside(attempt, self.names_known(attempt))
    }

    fn rise_beside(&self, attempt: usize, names_known: bool) -> Rise {
        let counted = self.effects.rises[attempt];
        let names_success = self.facts[attempt].success_identity().is_some();
        match counted {
            Rise::Of(_) | Rise::Nothing => counted,
            Rise::Unknown if !names_success => Rise::Unknown,
            Rise::Unknown if self.by_identity[self.effects.group_of[attempt]] => {
                if names_known {
                    Rise::Nothing
                } else {
                    Rise::Of(1)
                }
            }
            Rise::Unknown if self.explained[self.effects.group_of[attempt]] && names_known => Rise::Nothing,
            Rise::Unknown => Rise::Unknown,
        }
    }

    /// Whether key and date do not come together in an attempt, where the contract has them do so.
    pub(super) fn is_incomplete(&self, attempt: usize) -> bool {
        let kind = self.facts[attempt].key_kind;
        self.contract.first_sent().is_some() && kind.is_some_and(KeyKind::is_incomplete)
    }

    /// Whether the date beside the key of an attempt is older than any key that is kept.
    pub(super) fn is_outdated(&self, attempt: usize) -> bool {
        self.contract.first_sent().is_some() && self.facts[attempt].key_kind == Some(KeyKind::Outdated)
    }

    /// Whether the marker can be believed at this attempt, if it tells replays at all.
    pub(super) fn trusts_marker(&self, attempt: usize) -> bool {
        let tells = self.contract.marker().is_some_and(|(marker, _, _)| marker.tells_replays());
        tells && !self.marker_spoiled && !matches!(self.effects.rises[attempt], Rise::Of(_))
    }

    /// The evidence about one attempt under these terms.
    pub(super) fn evidence(&self, attempt: usize, world: &World, terms: &Terms<'c>) -> Evidence<'_, 'h> {
        let World { first, situation, unseen, .. } = *world;
        let named = |index: usize| self.facts[index].success_number();
        let names_first = first.is_some_and(|first| named(first).is_some() && named(first) == named(attempt));
        let names_known = names_first || self.names_known(attempt) || self.names_listed(attempt, situation);
        Evidence {
            fidelity: self.contract.fidelity().map(|(fidelity, _, _)| fidelity),
            attempt: &self.facts[attempt],
            first: first.map(|first| &self.facts[first]),
            situation,
            unseen: unseen.map_or(self.facts[attempt].draws, |unseen| self.facts[unseen].draws),
            executes_allowed: terms.allows_executing(),
            rise: self.rise_beside(attempt, names_known),
            first_rise: first.map_or(Rise::Unknown, |first| self.effects.rises[first]),
            names_known,
            names_foreign: self.names_foreign(attempt),
            may_be_anothers: self.may_be_anothers(attempt),
            marker_trusted: self.trusts_marker(attempt),
        }
    }

    /// Whether the answer is a rejection that points at an effect of these parameters, where nobody saw which it was. Where there
    /// is no list, it may be any.
    pub(super) fn points_at_listed(&self, attempt: usize, terms: &Terms<'_>) -> bool {
        let Some(answer) = self.facts[attempt].answer() else {
            return false;
        };
        if self.effects.group(attempt).series.is_empty() {
            return terms.rejects_pointing_anywhere(answer);
        }
        self.effects.group(attempt).listed().take(LISTED).any(|identity| terms.rejects_with(answer, identity))
    }

    /// The margin by which an attempt must lie inside another to have met it in flight for certain.
    pub(super) fn margin(&self) -> Duration {
        self.calibration.jitter.saturating_mul(2).max(self.calibration.round_trip)
    }

    fn explained(&self) -> Vec<bool> {
        let mut named = vec![0_usize; self.effects.groups.len()];
        for attempt in self.namers.values() {
            named[self.effects.group_of[*attempt]] += 1;
        }
        let closed = |group: usize| {
            let series = &self.effects.groups[group].series;
            !series.is_empty()
                && series
                    .iter()
                    .all(|series| series.last().is_some_and(|read| read.closed && read.total == named[group]))
        };
        (0..named.len()).map(closed).collect()
    }

    /// A key's very first attempt cannot be a replay, so a marker on it is worth nothing.
    fn marker_spoiled(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        self.facts.iter().any(|fact| {
            let first = fact.key.is_none_or(|key| seen.insert(key.number));
            first && fact.answer().is_some_and(|answer| answer.marked)
        })
    }
}

/// By marker: the number of the last attempt before each change of its resource.
fn changes(case: &CaseHistory) -> HashMap<&str, Vec<u32>> {
    let mut changes: HashMap<&str, Vec<u32>> = HashMap::new();
    for (_, after, hook) in &case.hooks {
        if let (Some(marker), None) = (&hook.changed, &hook.error) {
            changes.entry(marker.as_str()).or_default().push(*after);
        }
    }
    changes
}

/// By marker: how many intents have it.
fn intents(case: &CaseHistory) -> HashMap<&str, usize> {
    let mut intents: HashMap<&str, usize> = HashMap::new();
    for intent in &case.intents {
        *intents.entry(intent.marker.as_str()).or_default() += 1;
    }
    intents
}

/// Whether the contract lets an attempt be executed there, or does not say.
fn may_execute(contract: &Contract, row: Row) -> bool {
    let rulings = contract.rulings(row);
    rulings.is_empty() || rulings.iter().any(|ruling| ruling.case.allows_executing())
}

fn keys_used(facts: &[Fact<'_>]) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    facts
        .iter()
        .map(|fact| {
            seen.extend(fact.key.map(|key| key.number));
            seen.len()
        })
        .collect()
}

fn namers<'h>(facts: &[Fact<'h>]) -> HashMap<&'h str, usize> {
    let mut namers: HashMap<&str, usize> = HashMap::new();
    for (attempt, fact) in facts.iter().enumerate() {
        if let Some(identity) = fact.success_identity() {
            let first = namers.entry(identity).or_insert(attempt);
            if fact.read < facts[*first].read {
                *first = attempt;
            }
        }
    }
    namers
}

/// Numbers for the keys of each group without what keys that resemble each other differ in.
fn spelled(facts: &[Fact<'_>], effects: &Effects<'_>) -> (Vec<Option<usize>>, usize) {
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    let mut number = |attempt: usize, fact: &Fact<'_>| {
        let folded = odd_key::folded(fact.key?.text, fact.key_kind);
        let fresh = known.len();
        Some(*known.entry((effects.group_of[attempt], folded)).or_insert(fresh))
    };
    let numbers = facts.iter().enumerate().map(|(attempt, fact)| number(attempt, fact)).collect();
    (numbers, known.len())
}

/// Whether the contract says what a repeat gets that is told to slow down, and somebody was told to.
fn limits_rate(contract: &Contract, facts: &[Fact<'_>]) -> bool {
    let is_limited = |fact: &Fact<'_>| fact.answer().is_some_and(|answer| answer.response.status == 429);
    facts.iter().any(is_limited) && !contract.rulings(Row::RateLimited).is_empty()
}

fn unseen(facts: &[Fact<'_>], effects: &Effects<'_>) -> Vec<Vec<usize>> {
    let mut unseen: Vec<Vec<usize>> = vec![Vec::new(); effects.groups.len()];
    for (attempt, fact) in facts.iter().enumerate().filter(|(_, fact)| fact.is_unknown()) {
        let known = &mut unseen[effects.group_of[attempt]];
        if known.len() < 2 && known.iter().all(|other| facts[*other].key != fact.key) {
            known.push(attempt);
        }
    }
    unseen
}

fn store_down(facts: &[Fact<'_>], case: &CaseHistory) -> Vec<bool> {
    let mut hooks = case.hooks.iter().filter(|(_, _, hook)| hook.error.is_none()).peekable();
    let mut down = false;
    facts
        .iter()
        .map(|fact| {
            while let Some((_, _, hook)) = hooks.next_if(|(_, after, _)| *after < fact.id.0) {
                match hook.name.as_str() {
                    "store-down" => down = true,
                    "store-up" => down = false,
                    _ => {}
                }
            }
            down
        })
        .collect()
}
