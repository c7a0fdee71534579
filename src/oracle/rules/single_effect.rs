//! `replay.single-effect`: a success has exactly one effect at the closed count, in each counter: not two, and not
//! none.

mod cleared;

use std::time::Duration;

use self::cleared::{Nameless, is_cleared};
use super::super::action::ActionIndex;
use super::super::answer::AnswerKind;
use super::super::docket::Docket;
use super::super::effects::{Group, Rise, Series};
use super::super::facts::Reply;
use super::super::sink::Grounds;
use super::super::telling::Told;
use super::super::trial::Trial;
use super::super::{Judgement, words};
use crate::contract::{Cause, Effects, Level, Requirement, Row};
use crate::history::Drawn;

const REQUIREMENT: Requirement = Requirement::ReplaySingleEffect;
/// No more attempts than this stand beside a finding.
const EVIDENCE: usize = 20;

/// By action: what the counts say about its effects, if they say anything.
pub(super) type Totals = Vec<Option<Judgement>>;

/// The part of an action whose effects are counted together.
#[derive(Debug)]
pub(in crate::oracle) struct Unit<'h> {
    action: ActionIndex,
    attempts: Vec<usize>,
    /// The effects that it must and may have.
    least: usize,
    most: usize,
    /// Executions that may each have had an effect, because the contract says "at least once".
    repeatable: usize,
    /// Effects beyond the one that the contract grants to repeats.
    granted: usize,
    /// The identities that it named first, each with the meaning of the parameters that it was named for.
    named: Vec<(&'h str, usize)>,
    succeeded: bool,
    /// The meanings of parameters that succeeded, each with the time of its first success.
    successes: Vec<(usize, Duration)>,
    /// When the first success was there.
    finished: Option<Duration>,
    /// A 5xx that may have had an effect.
    crashed: bool,
    /// The meanings of parameters that may have had an effect without binding the key, or beside what it is bound to.
    free: Vec<usize>,
    /// The meanings of parameters that may have had an effect otherwise.
    others: Vec<usize>,
    /// More than one request can have reached the server.
    repeated: bool,
    attributed: Attributed,
}

/// The effects that certainly fall to one unit alone.
#[derive(Clone, Copy, Debug)]
struct Attributed {
    sum: usize,
    /// The most that fall to one attempt: one execution has one, whatever is granted to repeats.
    most: usize,
    /// The counts tell it of every attempt.
    complete: bool,
}

impl Attributed {
    fn add(&mut self, rise: Rise, complete: bool) {
        self.complete &= complete;
        if let Rise::Of(number) = rise {
            self.sum += number;
            self.most = self.most.max(number);
        }
    }
}

/// Judges every action of the case.
pub(in crate::oracle) fn judge(trial: &mut Trial<'_, '_>) -> Totals {
    let mut totals: Totals = vec![None; trial.actions.all.len()];
    let mut seats = vec![0; trial.actions.all.len()];
    for (index, group) in trial.docket.effects.groups.iter().enumerate() {
        let units = units(trial, group, &mut seats);
        let verdicts = verdicts(trial.docket, group, &units);
        for (unit, verdict) in units.into_iter().zip(verdicts) {
            if let Some(judgement) = verdict {
                let total = &mut totals[unit.action];
                *total = Some(total.map_or(judgement, |known| worse(known, judgement)));
                file(trial, index, unit, judgement);
            }
        }
    }
    totals
}

fn worse(one: Judgement, other: Judgement) -> Judgement {
    match (one, other) {
        (Judgement::Violated, _) | (_, Judgement::Violated) => Judgement::Violated,
        (Judgement::Inconclusive(cause), _) | (_, Judgement::Inconclusive(cause)) => Judgement::Inconclusive(cause),
        (Judgement::Observed, other) => other,
        (Judgement::Holds, _) => Judgement::Holds,
    }
}

/// The parts of actions that share a group, in the order of their first attempts. `seats` remembers, by action, where its
/// part stands.
fn units<'h>(trial: &Trial<'_, 'h>, group: &Group<'h>, seats: &mut [usize]) -> Vec<Unit<'h>> {
    // Most groups are of one action.
    let mut units: Vec<Unit<'h>> = Vec::with_capacity(1);
    for attempt in &group.attempts {
        let action = trial.actions.of[*attempt];
        if units.get(seats[action]).is_none_or(|unit| unit.action != action) {
            seats[action] = units.len();
            units.push(Unit::new(action));
        }
        units[seats[action]].add(trial.docket, *attempt);
    }
    for unit in &mut units {
        unit.finish(trial);
    }
    units
}

impl<'h> Unit<'h> {
    fn new(action: ActionIndex) -> Self {
        Self {
            action,
            attempts: Vec::new(),
            least: 0,
            most: 0,
            repeatable: 0,
            granted: 0,
            named: Vec::new(),
            succeeded: false,
            successes: Vec::new(),
            finished: None,
            crashed: false,
            free: Vec::new(),
            others: Vec::new(),
            repeated: false,
            attributed: Attributed { sum: 0, most: 0, complete: true },
        }
    }

    fn add(&mut self, docket: &Docket<'_, 'h>, attempt: usize) {
        let fact = &docket.facts[attempt];
        if matches!(fact.reply, Reply::NotSent) {
            return;
        }
        self.repeated |= !self.attempts.is_empty();
        self.attempts.push(attempt);
        self.attributed.add(docket.effects.rises[attempt], docket.effects.complete[attempt]);
        self.crashed |= fact.answer().is_some_and(|answer| answer.kind == AnswerKind::Drawn(Drawn::ServerError));
        if let Some(identity) = fact.success_identity() {
            self.succeeded = true;
            // What another key's effect was named for did not finish this action: its own execution may be yet to come.
            if !docket.names_foreign(attempt) {
                self.finish_at(fact.meaning, fact.end());
            }
            let began = docket.facts[self.attempts[0]].id.0;
            if docket.namer(attempt) == Some(attempt) && !docket.effects.group(attempt).listed_before(began, identity) {
                self.named.push((identity, fact.meaning));
            }
        }
        let crashed = fact.answer().is_some_and(|answer| answer.kind == AnswerKind::Drawn(Drawn::ServerError));
        // Of answers that came together nobody can say which was the first to name an effect.
        let namer = docket.namer(attempt);
        let succeeded = namer.is_some_and(|namer| docket.facts[namer].end() > fact.sent);
        let crashed = crashed && docket.effects.rises[attempt] != Rise::Nothing;
        let has_effect = crashed || succeeded || fact.is_unknown();
        let bound = self.finished.is_some_and(|finished| finished <= fact.sent);
        if (!bound && may_crash_unbound(docket, attempt)) || (has_effect && may_be_own_action(docket, fact.variant)) {
            if !self.free.contains(&fact.meaning) {
                self.free.push(fact.meaning);
            }
        } else if has_effect && !self.others.contains(&fact.meaning) {
            self.others.push(fact.meaning);
        }
        // Once these parameters succeeded, they are not executed again.
        let finished = self.successes.iter().any(|(meaning, end)| *meaning == fact.meaning && *end <= fact.sent);
        let over = finished || (bound && !may_be_own_action(docket, fact.variant));
        self.repeatable += usize::from(!over && is_repeatable(docket, attempt));
        if self.succeeded || self.crashed || fact.is_unknown() {
            self.most = 1;
        }
    }

    fn finish_at(&mut self, meaning: usize, end: Duration) {
        if !self.successes.iter().any(|(known, _)| *known == meaning) {
            self.successes.push((meaning, end));
        }
        self.finished = Some(self.finished.map_or(end, |finished| finished.min(end)));
    }

    /// Other parameters after a crash that does not bind, or where the contract is silent about them, are only
    /// observed: that both had an effect is nothing to blame.
    fn observed(&self) -> usize {
        let other = self.others.iter().any(|other| !self.free.contains(other));
        (self.free.len() + usize::from(other)).saturating_sub(1)
    }

    fn finish(&mut self, trial: &Trial<'_, '_>) {
        let action = &trial.actions.all[self.action];
        let rose = self.attempts.iter().any(|attempt| matches!(trial.docket.effects.rises[*attempt], Rise::Of(_)));
        // What crashed, or what nobody saw the end of, may have been executed all the same.
        let open = self.crashed || self.attempts.iter().any(|attempt| trial.docket.facts[*attempt].is_unknown());
        if action.merged && !rose && !open && self.named.is_empty() {
            self.most = 0;
        } else if self.most > 0 {
            let succeeded = usize::from(!self.named.is_empty() && self.repeatable > 0);
            self.granted = self.repeatable.saturating_sub(1) + succeeded;
            self.most += self.granted + self.observed();
        }
        self.least = usize::from(!self.named.is_empty());
    }

    /// The most identities that were named for one meaning of the parameters, among those that count.
    fn most_for_one_meaning(&self, counts: impl Fn(&str) -> bool) -> usize {
        most(self.named.iter().filter(|(identity, _)| counts(identity)).map(|(_, meaning)| (*meaning, 1)))
    }

    /// The most effects that certainly fall to one meaning of the parameters.
    fn most_rises_for_one_meaning(&self, docket: &Docket<'_, '_>) -> usize {
        let known = |attempt: &usize| match docket.effects.rises[*attempt] {
            Rise::Of(number) => Some((docket.facts[*attempt].meaning, number)),
            Rise::Nothing | Rise::Unknown => None,
        };
        most(self.attempts.iter().filter_map(known))
    }

    fn is_subject(&self) -> bool {
        self.succeeded || self.crashed
    }
}

/// The greatest sum of the numbers that belong together.
fn most(numbers: impl Iterator<Item = (usize, usize)>) -> usize {
    let mut numbers: Vec<(usize, usize)> = numbers.collect();
    numbers.sort_unstable();
    let together = numbers.chunk_by(|one, other| one.0 == other.0);
    together.map(|chunk| chunk.iter().map(|(_, number)| number).sum()).max().unwrap_or_default()
}

/// Whether an attempt may have crashed after an effect, and every execution may have an effect of its own after that.
fn is_repeatable(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    let fact = &docket.facts[attempt];
    if docket.effects.rises[attempt] == Rise::Nothing {
        return false;
    }
    let crashed = match fact.answer() {
        Some(answer) => answer.kind == AnswerKind::Drawn(Drawn::ServerError) || answer.is_unplanned_server_error(),
        None => fact.is_unknown() && fact.draws == Drawn::ServerError,
    };
    let first = fact.answer().map(|answer| answer.response);
    let ruling = docket.contract.ruling(Row::AfterServerError, fact.variant, first);
    crashed && ruling.is_some_and(|ruling| ruling.case.effects == Effects::Repeatable)
}

/// Whether parameters other than the first begin an action of their own, or the contract leaves that open.
fn may_be_own_action(docket: &Docket<'_, '_>, variant: &str) -> bool {
    let promise = docket.contract.promise(Row::ChangedParameters, variant);
    promise.is_none_or(|promise| promise.cases.iter().any(crate::contract::Case::allows_executing))
}

/// Whether an attempt may have ended in a server error that left an effect, and the key free for other parameters.
fn may_crash_unbound(docket: &Docket<'_, '_>, attempt: usize) -> bool {
    let fact = &docket.facts[attempt];
    let answer = fact.answer();
    if docket.effects.rises[attempt] == Rise::Nothing {
        return false;
    }
    if answer.is_some_and(|answer| answer.is_unplanned_server_error()) {
        return true;
    }
    let crashes = match answer {
        Some(answer) => answer.kind == AnswerKind::Drawn(Drawn::ServerError),
        None => fact.draws == Drawn::ServerError && fact.is_unknown(),
    };
    let first = answer.map(|answer| answer.response);
    let ruling = docket.contract.ruling(Row::AfterServerError, fact.variant, first);
    crashes && ruling.is_none_or(|ruling| ruling.case.allows_executing())
}

/// What the counts say about each unit of a group.
fn verdicts(docket: &Docket<'_, '_>, group: &Group<'_>, units: &[Unit<'_>]) -> Vec<Option<Judgement>> {
    if group.series.is_empty() {
        return units.iter().map(|unit| by_identity(docket, group, unit)).collect();
    }
    let (least, most) = units.iter().fold((0, 0), |(least, most), unit| (least + unit.least, most + unit.most));
    // What a refusal certainly had is not laid at another action's door.
    let refused: usize = units.iter().filter(|unit| unit.most == 0).map(|unit| unit.attributed.sum).sum();
    let too_many = group.at_least().is_some_and(|total| total > most + refused) && most > 0;
    let proven = |unit: &Unit<'_>| has_too_many(docket, group, unit);
    let somebody = units.iter().any(proven);
    let missing = is_short(group, least);
    // One that certainly had no more than it may is not suspected, unless nobody else is left.
    let nameless = if too_many { Nameless::of(group, units) } else { Vec::new() };
    let suspect = |unit: &Unit<'_>| unit.most > 0 && !is_cleared(docket, unit, &nameless);
    let anybody = too_many && units.iter().any(suspect);
    let verdict = |unit| {
        let blamed = (somebody && proven(unit))
            || (too_many && !somebody && if anybody { suspect(unit) } else { unit.most > 0 });
        let lacks = (missing && unit.least > 0 && lacks_its_own(group, unit, units)) || is_unlisted(group, unit);
        if blamed || lacks { Some(Judgement::Violated) } else { undisputed(docket, group, unit, (units, least, most)) }
    };
    units.iter().map(verdict).collect()
}

/// Whether more effects fall to one unit than it may have, whatever the others did.
fn has_too_many(docket: &Docket<'_, '_>, group: &Group<'_>, unit: &Unit<'_>) -> bool {
    if unit.most == 0 {
        return false;
    }
    unit.attributed.most > 1
        || unit.attributed.sum > unit.most
        || (unit.attributed.sum > 1 + unit.granted && unit.most_rises_for_one_meaning(docket) > 1 + unit.granted)
        || (unit.named.len() > 1 + unit.granted
            && unit.most_for_one_meaning(|named| group.lists(named)) > 1 + unit.granted)
}

/// Whether a confirmed count shows fewer effects than there are successes.
fn is_short(group: &Group<'_>, least: usize) -> bool {
    group.series.iter().any(|series| series.last().is_some_and(|read| read.confirmed && read.total < least))
}

/// Whether it is this unit's effect that is missing: the only one, or the one whose identity is not listed.
fn lacks_its_own(group: &Group<'_>, unit: &Unit<'_>, units: &[Unit<'_>]) -> bool {
    let listed = |unit: &Unit<'_>| unit.named.iter().any(|(named, _)| group.lists(named));
    let somebody = units.iter().any(|other| other.least > 0 && !listed(other));
    !somebody || !listed(unit)
}

/// Whether a confirmed list never showed an effect that the unit's answers name.
fn is_unlisted(group: &Group<'_>, unit: &Unit<'_>) -> bool {
    let confirmed = group.series.first().and_then(Series::last).is_some_and(|read| read.confirmed);
    confirmed && names_unlisted(group, unit)
}

/// Whether the unit's answers name an effect that no list showed so far.
fn names_unlisted(group: &Group<'_>, unit: &Unit<'_>) -> bool {
    unit.named.iter().any(|(named, _)| !group.lists(named))
}

/// Nothing speaks against the unit; is there enough that speaks for it? `all` is every unit, and the effects that they must
/// and may have.
fn undisputed(
    docket: &Docket<'_, '_>,
    group: &Group<'_>,
    unit: &Unit<'_>,
    all: (&[Unit<'_>], usize, usize),
) -> Option<Judgement> {
    if !unit.is_subject() {
        return None;
    }
    if !group.series.iter().all(|series| series.last().is_some_and(|read| read.closed)) || has_failed(group) {
        return Some(Judgement::Inconclusive(open_cause(docket, group, unit)));
    }
    let (units, least, most) = all;
    let totals = || group.series.iter().filter_map(|series| series.last().map(|read| read.total));
    // Where an effect that somebody names is not there, the sum is right only because somebody else has one too many.
    let all_listed = !units.iter().any(|unit| names_unlisted(group, unit));
    let exact = least == most && totals().all(|total| total == least) && all_listed && !may_lend(docket, unit, units);
    let promised = unit.least..=unit.most.min(1 + unit.granted);
    let alone = units.len() == 1 && totals().all(|total| promised.contains(&total));
    let Attributed { sum, complete, .. } = unit.attributed;
    let attributed = complete && promised.contains(&sum);
    // Several effects are several executions, and not one that had them all, only where each is seen to have one.
    let told = unit.granted == 0 || complete || totals().all(|total| total <= 1);
    if (exact || alone || attributed) && told && !names_unlisted(group, unit) {
        return Some(Judgement::Holds);
    }
    let short = totals().any(|total| total < least);
    Some(Judgement::Inconclusive(if short { Cause::CountOpen } else { Cause::Ambiguous }))
}

/// Whether an effect that another unit names, and no count lays at that unit's door, may be one of this unit's: of an
/// attempt that nobody saw the end of.
fn may_lend(docket: &Docket<'_, '_>, unit: &Unit<'_>, units: &[Unit<'_>]) -> bool {
    let facts = &docket.facts;
    let unseen: Vec<usize> = unit.attempts.iter().copied().filter(|attempt| facts[*attempt].is_unknown()).collect();
    let others = units.iter().filter(|other| other.action != unit.action);
    let mut namers = others.flat_map(|other| &other.attempts).filter(|attempt| {
        docket.namer(**attempt) == Some(**attempt) && !matches!(docket.effects.rises[**attempt], Rise::Of(_))
    });
    !unseen.is_empty() && namers.any(|namer| unseen.iter().any(|unseen| facts[*unseen].sent < facts[*namer].read))
}

/// Whether the last read of one of its counters failed.
pub(super) fn has_failed(group: &Group<'_>) -> bool {
    group.series.iter().any(|series| series.reads.last().is_some_and(|read| read.failure.is_some()))
}

fn open_cause(docket: &Docket<'_, '_>, group: &Group<'_>, unit: &Unit<'_>) -> Cause {
    let unbounded = unit.attempts.iter().any(|attempt| {
        let fact = &docket.facts[*attempt];
        fact.over.is_none() && fact.ended.is_some()
    });
    match docket.case.ending {
        None | Some(crate::history::CaseEnding::Interrupted) => Cause::Interrupted,
        Some(_) if has_failed(group) => Cause::CountFailed,
        Some(_) if unbounded => Cause::NoBound,
        Some(_) => Cause::CountOpen,
    }
}

/// Distinct identities stand in for the count. The effect of a 5xx is not seen that way.
fn by_identity(docket: &Docket<'_, '_>, group: &Group<'_>, unit: &Unit<'_>) -> Option<Judgement> {
    if !docket.subject.counts_by_identity(group.operation) || !unit.succeeded {
        return None;
    }
    let crashed = unit.attempts.iter().any(|attempt| {
        let answer = docket.facts[*attempt].answer();
        answer.is_some_and(|answer| answer.response.status >= 500)
    });
    match unit.named.len() {
        named if named > 1 + unit.granted && unit.most_for_one_meaning(|_| true) > 1 + unit.granted => {
            Some(Judgement::Violated)
        }
        named if named > unit.most => Some(Judgement::Violated),
        0 => None,
        _ if crashed => Some(Judgement::Inconclusive(Cause::ReplayedOrExecuted)),
        _ => Some(Judgement::Holds),
    }
}

/// Files the verdict on a unit. A success that was never repeated earns no *holds*.
fn file<'h>(trial: &mut Trial<'_, 'h>, group: usize, unit: Unit<'h>, judgement: Judgement) {
    let Some(last) = unit.attempts.last().copied().filter(|_| judgement == Judgement::Violated || unit.repeated) else {
        return;
    };
    let by_identity = trial.docket.effects.groups[group].series.is_empty();
    let action = unit.action;
    let grounds = || Grounds::Effects(group, Box::new(unit));
    trial.sink.file((action, last), REQUIREMENT, judgement, Level::Must, grounds);
    if by_identity {
        trial.sink.by_identity(REQUIREMENT);
    }
}

/// The finding in words.
pub(in crate::oracle) fn told(docket: &Docket<'_, '_>, group: usize, unit: &Unit<'_>) -> Told {
    let acceptable = match (unit.least, unit.most) {
        (least, most) if least == most => words::effects(most),
        (least, most) => format!("{} to {}", least, words::effects(most)),
    };
    let skipped = unit.attempts.len().saturating_sub(EVIDENCE);
    Told {
        source: None,
        promise: "a success has exactly one effect, however often it is repeated".into(),
        acceptable: vec![acceptable],
        attempts: unit.attempts[skipped..].iter().map(|attempt| docket.facts[*attempt].id).collect(),
        seen: seen(docket, group, unit),
    }
}

fn seen(docket: &Docket<'_, '_>, group: usize, unit: &Unit<'_>) -> String {
    let group = &docket.effects.groups[group];
    let mut parts: Vec<String> = Vec::new();
    for (counter, series) in group.series.iter().enumerate() {
        let title =
            docket.subject.counters_of(group.operation).get(counter).map_or("the counter", |fact| fact.title.as_str());
        if let Some(read) = series.last() {
            parts.push(format!("{title} shows {}", words::effects(read.total)));
        }
    }
    match unit.named.as_slice() {
        [] => {}
        named => {
            let named: Vec<&str> = named.iter().map(|(identity, _)| *identity).collect();
            let several = if named.len() > 1 { format!("{} effects: ", named.len()) } else { String::new() };
            parts.push(format!("the answers name {several}{}", named.join(", ")));
        }
    }
    if docket.is_shared(group.marker) {
        parts.push("another intent shares the marker".into());
    }
    parts.join("; ")
}
