//! What a client and its counter saw, and what follows from that alone: the ground on which it is decided what the
//! oracle could have known. It shares no code with the oracle, and works from whole histories instead of step by step.

use std::time::Duration;

use idemspec::history::{Attempt, CaseHistory, Count, Outcome};

use super::driver::identities;
use super::policy::{BOUND, Policy, Promise, Time};

/// The recording of a random case.
pub(crate) struct Witness<'h> {
    pub(crate) policy: Policy,
    settle: Time,
    case: &'h CaseHistory,
    markers: Vec<&'h str>,
}

/// In which situation an attempt met the server, as far as the client can be certain of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    Keyless,
    /// Nothing earlier can have done anything.
    Nothing,
    /// This attempt bound the key.
    Bound(usize),
    /// The last outcome does not bind.
    Unbound(usize),
    /// Requests with other parameters came before, and the contract does not say what that means.
    Unregulated,
    /// An attempt whose end nobody saw came before, or one of several may have bound the key.
    Unclear,
    /// Two effects were named before, so that it is open what a repeat should get.
    Split,
    /// Another attempt overlaps, while the key is not bound.
    Overlapped,
}

fn millis(duration: Duration) -> Time {
    Time::try_from(duration.as_millis()).unwrap()
}

impl<'h> Witness<'h> {
    pub(crate) fn new(policy: Policy, settle: Time, case: &'h CaseHistory) -> Self {
        let marker = |attempt: &Attempt| {
            let intent = case.intents.iter().find(|intent| intent.id == attempt.start.intent);
            intent.map_or("", |intent| intent.marker.as_str())
        };
        Self { policy, settle, case, markers: case.attempts.iter().map(marker).collect() }
    }

    fn attempts(&self) -> std::ops::Range<usize> {
        0..self.case.attempts.len()
    }

    fn attempt(&self, index: usize) -> &'h Attempt {
        &self.case.attempts[index]
    }

    pub(crate) fn outcome_of(&self, index: usize) -> &'h Outcome {
        &self.attempt(index).end.as_ref().unwrap().outcome
    }

    pub(crate) fn key(&self, index: usize) -> Option<&'h str> {
        self.attempt(index).start.key.as_deref()
    }

    pub(crate) fn variant(&self, index: usize) -> &'h str {
        &self.attempt(index).start.parameters
    }

    pub(crate) fn marker(&self, index: usize) -> &'h str {
        self.markers[index]
    }

    pub(crate) fn sent(&self, index: usize) -> Time {
        millis(self.attempt(index).end.as_ref().unwrap().timing.began)
    }

    pub(crate) fn ended(&self, index: usize) -> Time {
        millis(self.attempt(index).end.as_ref().unwrap().timing.ended)
    }

    /// The status of the answer, also of one that was hidden on purpose.
    pub(crate) fn status(&self, index: usize) -> Option<u16> {
        self.outcome_of(index).response().map(|response| response.status)
    }

    /// The body of the answer.
    pub(crate) fn body(&self, index: usize) -> Option<String> {
        self.outcome_of(index).response().map(|response| response.body.text().into_owned())
    }

    /// A refusal, also by "in flight".
    pub(crate) fn is_refused(&self, index: usize) -> bool {
        self.status(index).is_some_and(|status| (400..500).contains(&status))
    }

    /// The client of this very exchange knows the answer.
    pub(crate) fn is_told(&self, index: usize) -> bool {
        matches!(self.outcome_of(index), Outcome::Answered(_))
    }

    /// The effect that a success names.
    pub(crate) fn named(&self, index: usize) -> Option<&'h str> {
        self.attempt(index).end.as_ref().filter(|end| end.success).and_then(|end| end.identity.as_deref())
    }

    /// Whether the first answer that named an effect was one to these parameters, and of this action.
    pub(crate) fn is_named_first_for(&self, name: &str, index: usize) -> bool {
        let namers = self.attempts().filter(|other| self.named(*other) == Some(name));
        let first = namers.min_by_key(|other| self.ended(*other));
        first.is_some_and(|first| self.variant(first) == self.variant(index) && self.action(index).contains(&first))
    }

    pub(crate) fn reached(&self, index: usize) -> bool {
        !self.outcome_of(index).reached_nothing()
    }

    /// A 5xx for parameters that do not draw one.
    pub(crate) fn is_unplanned_error(&self, index: usize) -> bool {
        self.status(index).is_some_and(|status| status >= 500) && self.variant(index) != "crashing"
    }

    /// Silence, or a 5xx that tells as little: the server may still be working on it.
    fn may_run(&self, index: usize) -> bool {
        self.reached(index) && (self.status(index).is_none() || self.is_unplanned_error(index))
    }

    /// It may have been executed or not: the server may still be at it, or said that it succeeded and not with what.
    pub(crate) fn is_unknown(&self, index: usize) -> bool {
        let nameless = self.status(index).is_some_and(|status| status / 100 == 2) && self.named(index).is_none();
        self.may_run(index) || (!self.draws_failure(index) && nameless)
    }

    /// From when on the server is certainly not working on it: answered, nothing sent, or the declared bound past.
    pub(crate) fn over(&self, index: usize) -> Option<Time> {
        let bounded = self.policy.bounded && self.policy.in_flight != Promise::Silent;
        match (self.may_run(index), bounded) {
            (false, _) => Some(self.ended(index)),
            (true, true) => Some(self.ended(index) + BOUND),
            (true, false) => None,
        }
    }

    /// Whether nothing else that was sent with the key can be running while this attempt is.
    pub(crate) fn is_quiet(&self, index: usize) -> bool {
        let other = |other: &usize| {
            *other != index
                && self.key(*other) == self.key(index)
                && self.reached(*other)
                && self.sent(*other) < self.ended(index)
        };
        self.attempts().filter(other).all(|other| self.over(other).is_some_and(|over| over <= self.sent(index)))
    }

    /// The attempts from which at most one effect may come: those with the same key. Without a key each is alone, and
    /// where other parameters execute, those of each meaning belong together.
    pub(crate) fn action(&self, index: usize) -> Vec<usize> {
        if self.key(index).is_none() {
            return vec![index];
        }
        let own = self.policy.changed == Promise::Executes;
        let same = |other: &usize| {
            self.key(*other) == self.key(index) && (!own || self.variant(*other) == self.variant(index))
        };
        self.attempts().filter(same).collect()
    }

    /// Those whose effects are counted together with its own.
    pub(crate) fn group(&self, index: usize) -> Vec<usize> {
        self.attempts().filter(|other| self.marker(*other) == self.marker(index)).collect()
    }

    /// Those of the same action that were being worked on at the same time, as far as the client can tell.
    pub(crate) fn beside(&self, index: usize) -> Vec<usize> {
        let meets = |other: &usize| {
            *other != index && self.sent(*other) < self.ended(index) && self.sent(index) < self.ended(*other)
        };
        self.action(index).into_iter().filter(meets).collect()
    }

    /// The attempts of the action that had ended at the client before this one was sent.
    pub(crate) fn before(&self, index: usize) -> Vec<usize> {
        let earlier = |other: &usize| self.reached(*other) && self.ended(*other) <= self.sent(index);
        self.action(index).into_iter().filter(|other| *other != index).filter(earlier).collect()
    }

    /// In which situation the attempt met the server.
    pub(crate) fn met(&self, index: usize) -> Met {
        if self.key(index).is_none() {
            return Met::Keyless;
        }
        let before = self.before(index);
        let bound = before.iter().copied().find(|other| self.binds(*other, &before));
        if let Some(bound) = bound {
            return self.met_bound(index, bound, &before);
        }
        if !self.beside(index).is_empty() {
            return Met::Overlapped;
        }
        let drawn: Vec<usize> = before.iter().copied().filter(|other| self.is_drawn(*other)).collect();
        let other = |loose: &usize| self.variant(*loose) != self.variant(index) && !self.is_correctable(*loose);
        if drawn.iter().any(other) {
            return Met::Unregulated;
        }
        if before.iter().any(|other| self.is_unknown(*other)) {
            return Met::Unclear;
        }
        match drawn.last() {
            Some(last) => Met::Unbound(*last),
            None if self.is_unregulated(index) => Met::Unregulated,
            None => Met::Nothing,
        }
    }

    /// Whether other parameters, which are an action of their own under the same key, came before with an outcome
    /// about which the contract says nothing, or are not over.
    fn is_unregulated(&self, index: usize) -> bool {
        let other = |other: &usize| {
            self.key(*other) == self.key(index)
                && self.variant(*other) != self.variant(index)
                && self.reached(*other)
                && self.sent(*other) < self.ended(index)
        };
        let loose = |other: usize| {
            self.is_unknown(other)
                || self.ended(other) > self.sent(index)
                || (self.is_drawn(other) && !self.is_correctable(other))
        };
        self.attempts().filter(other).any(loose)
    }

    /// Whether the action has had other parameters by then, of which the contract does not say what they mean.
    pub(crate) fn is_mixed_in_silence(&self, index: usize) -> bool {
        let other = |other: usize| {
            self.reached(other) && self.variant(other) != self.variant(index) && self.sent(other) < self.ended(index)
        };
        self.policy.changed == Promise::Silent && self.action(index).into_iter().any(other)
    }

    /// A success binds the key, and so does another outcome that the contract says is returned again, unless other
    /// parameters may have bound it before.
    fn binds(&self, index: usize, before: &[usize]) -> bool {
        if self.named(index).is_some() {
            return true;
        }
        let promise = match self.variant(index) {
            "invalid" => self.policy.after_validation_failure,
            "failing" => self.policy.after_failure,
            "crashing" => self.policy.after_server_error,
            _ => return false,
        };
        let doubtful = |other: &&usize| {
            **other < index
                && self.variant(**other) != self.variant(index)
                && (self.is_unknown(**other) || (self.is_drawn(**other) && !self.is_correctable(**other)))
        };
        self.is_drawn(index) && promise == Promise::Replays && !before.iter().any(|other| doubtful(&other))
    }

    fn met_bound(&self, index: usize, bound: usize, before: &[usize]) -> Met {
        let beside = self.beside(index);
        let mut named = before.iter().chain(&beside).filter(|other| self.variant(**other) == self.variant(bound));
        if named.any(|other| self.named(*other).is_some_and(|name| Some(name) != self.named(bound))) {
            return Met::Split;
        }
        // Where other parameters may get the first answer, also while it is on its way, it may have been theirs.
        let repeats = |promise| matches!(promise, Promise::Replays | Promise::Silent);
        let repeats = repeats(self.policy.changed) || repeats(self.policy.in_flight);
        let rival = |other: &usize| {
            let unknown = self.is_unknown(*other) && *other < bound;
            let shares = self.beside(bound).contains(other) && self.named(*other) == self.named(bound);
            self.variant(*other) != self.variant(bound) && (unknown || shares)
        };
        match repeats && before.iter().any(rival) {
            true => Met::Unclear,
            false if self.variant(bound) != self.variant(index) && self.policy.changed == Promise::Silent => {
                Met::Unregulated
            }
            false => Met::Bound(bound),
        }
    }

    /// Whether its parameters declare that they fail.
    pub(crate) fn draws_failure(&self, index: usize) -> bool {
        matches!(self.variant(index), "invalid" | "failing" | "crashing")
    }

    /// The failure that its parameters declare.
    pub(crate) fn is_drawn(&self, index: usize) -> bool {
        let class = self.status(index).map(|status| status / 100);
        match self.variant(index) {
            "invalid" => matches!(self.status(index), Some(400 | 422)),
            "failing" => matches!(self.status(index), Some(402 | 406)),
            "crashing" => class == Some(5),
            _ => false,
        }
    }

    /// A refusal after which corrected parameters fall under the same promise.
    fn is_correctable(&self, index: usize) -> bool {
        self.variant(index) == "invalid" && self.policy.after_validation_failure == Promise::Executes
    }

    fn reads(&self, marker: &str) -> Vec<&'h Count> {
        self.case.counts.iter().filter(|count| count.marker == marker).collect()
    }

    /// The effects that are listed in the end.
    pub(crate) fn listed(&self, index: usize) -> Vec<&'h str> {
        self.reads(self.marker(index)).last().map(|count| identities(count)).unwrap_or_default()
    }

    /// When everything that was sent by the time of a read is over.
    fn all_over(&self, count: &Count) -> Option<Time> {
        let sent = self.attempts().filter(|other| self.markers[*other] == count.marker);
        let sent = sent.filter(|other| self.attempt(*other).start.id.0 <= count.after);
        sent.map(|other| self.over(other)).try_fold(0, |latest, over| Some(latest.max(over?)))
    }

    /// How long the reads up to this one have agreed since everything was over; `None` if it is not over.
    fn agreed(&self, reads: &[&Count], last: usize) -> Option<Vec<Time>> {
        let quiet = self.all_over(reads[last]).filter(|quiet| *quiet <= millis(reads[last].began))?;
        let same = |read: &&&Count| millis(read.began) >= quiet && identities(read) == identities(reads[last]);
        Some(reads[..=last].iter().rev().take_while(same).map(|read| millis(read.began)).collect())
    }

    /// Whether a read is a closed count: everything before it is over, and it agrees with one `settle` earlier.
    fn is_closed(&self, reads: &[&Count], last: usize) -> bool {
        let Some(agreed) = self.agreed(reads, last) else { return false };
        let mut sent = self.attempts().filter(|other| self.markers[*other] == reads[last].marker);
        let untouched = sent.all(|other| self.attempt(other).start.id.0 > reads[last].after);
        untouched || agreed.last().is_some_and(|since| millis(reads[last].began) >= since + self.settle)
    }

    /// Whether the last count is closed, and late enough to say that something is missing.
    pub(crate) fn is_confirmed(&self, index: usize) -> bool {
        let reads = self.reads(self.marker(index));
        let Some(last) = reads.len().checked_sub(1) else { return false };
        let Some(quiet) = self.all_over(reads[last]) else { return false };
        let late = millis(reads[last].began) >= quiet + 2 * self.settle;
        self.is_closed(&reads, last) && late && self.agreed(&reads, last).is_some_and(|agreed| agreed.len() >= 2)
    }

    /// How many effects the counts lay at the door of this attempt alone, if they do: a closed count right before
    /// it, and one after it that is closed as well or shows more.
    pub(crate) fn rise(&self, index: usize) -> Option<usize> {
        let reads = self.reads(self.marker(index));
        let group = self.group(index);
        let this = self.attempt(index).start.id.0;
        let neighbour = |other: Option<&usize>, none| other.map_or(none, |other| self.attempt(*other).start.id.0);
        let previous = neighbour(group.iter().rev().find(|other| **other < index), 0);
        let next = neighbour(group.iter().find(|other| **other > index), u32::MAX);
        let base = reads.iter().rposition(|read| read.after < this).filter(|base| reads[*base].after >= previous)?;
        let last = reads.iter().rposition(|read| read.after < next).filter(|last| *last > base)?;
        let rise = identities(reads[last]).len() - identities(reads[base]).len();
        (self.is_closed(&reads, base) && (rise > 0 || self.is_closed(&reads, last))).then_some(rise)
    }

    /// Whether the counts show that an answer with a known effect had none of its own: right around it, or because
    /// the last closed one shows no more effects than were named.
    pub(crate) fn spares(&self, index: usize) -> bool {
        let reads = self.reads(self.marker(index));
        let mut named: Vec<&str> = self.group(index).into_iter().filter_map(|other| self.named(other)).collect();
        named.sort_unstable();
        named.dedup();
        let explained = reads
            .len()
            .checked_sub(1)
            .is_some_and(|last| self.is_closed(&reads, last) && identities(reads[last]).len() == named.len());
        match self.rise(index) {
            Some(rise) => rise == 0,
            None => explained,
        }
    }

    /// The most effects that a group of attempts can rightly have had, as far as the client knows: one for each action
    /// of which an attempt succeeded, crashed or was lost; more where the contract leaves it open whether other
    /// parameters begin an action of their own.
    pub(crate) fn at_most(&self, index: usize) -> usize {
        let mut known: Vec<usize> = Vec::new();
        let mut sum = 0;
        for other in self.group(index) {
            if known.contains(&other) {
                continue;
            }
            let action = self.action(other);
            sum += match self.at_most_of(&action) {
                // What a refusal certainly had is its own fault, and no other action's.
                0 => action.iter().filter_map(|refused| self.rise(*refused)).sum(),
                most => most,
            };
            known.extend(action);
        }
        sum
    }

    pub(crate) fn at_most_of(&self, action: &[usize]) -> usize {
        let may_have: Vec<usize> = action.iter().copied().filter(|other| self.may_have_effect(*other)).collect();
        let open = self.policy.changed == Promise::Silent || may_have.iter().any(|other| self.may_crash(*other));
        let mut variants: Vec<&str> = may_have.iter().map(|other| self.variant(*other)).collect();
        variants.sort_unstable();
        variants.dedup();
        if open { variants.len() } else { variants.len().min(1) }
    }

    /// An execution that may have stopped after its effect, and left the key free.
    pub(crate) fn may_crash(&self, index: usize) -> bool {
        let crashing = self.variant(index) == "crashing" && (self.is_drawn(index) || self.status(index).is_none());
        self.reached(index)
            && (self.is_unplanned_error(index) || (crashing && self.policy.after_server_error != Promise::Replays))
    }

    fn may_have_effect(&self, index: usize) -> bool {
        self.named(index).is_some()
            || self.is_unknown(index)
            || (self.variant(index) == "crashing" && self.is_drawn(index))
    }
}
