//! The facts about attempts: everything that is parsed, matched or interned is so here, once per attempt, so that the
//! rules only compare small values.

use std::collections::HashMap;
use std::time::Duration;

use indexmap::IndexSet;

use super::answer::{Answer, AnswerReader, Draws};
use super::sameness::{Content, Contents};
use super::scope::{Key, Scopes};
use crate::contract::{Case, Contract, Requirement, Row};
use crate::history::{
    Attempt, AttemptId, CaseHistory, Drawn, IntentId, KeyKind, LossPoint, Outcome, Subject, VariantFact,
};

/// What one attempt was and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Fact<'h> {
    pub(super) id: AttemptId,
    /// The key as it was carried.
    pub(super) key: Option<Key<'h>>,
    /// What was chosen to be odd about it.
    pub(super) key_kind: Option<KeyKind>,
    /// The marker in its parameters.
    pub(super) marker: &'h str,
    /// The name of its parameter variant.
    pub(super) variant: &'h str,
    /// How the tool made its parameters up, where the contract does not speak of them by their name.
    pub(super) guess: Option<Guess>,
    /// Equal for attempts whose parameters mean the same.
    pub(super) meaning: usize,
    /// Equal for attempts whose parameters are the same bytes.
    pub(super) spelling: usize,
    /// The kind of outcome that its parameters draw from a server that executes them.
    pub(super) draws: Drawn,
    pub(super) account: &'h str,
    pub(super) operation: &'h str,
    pub(super) method: &'h str,
    pub(super) replica: Option<&'h str>,
    /// Equal for attempts for which the parameters that the contract counts into the key have the same values.
    pub(super) with: usize,
    /// Equal for attempts that belong to one action as long as their key is kept. Means nothing without a key.
    pub(super) scope: usize,
    /// The loss that it suffered, on purpose or by silence, as the requirement about retries after it.
    pub(super) loss: Option<Requirement>,
    pub(super) reply: Reply<'h>,
    /// The first byte of the request left (or the attempt began, where none did).
    pub(super) sent: Duration,
    /// The last byte of the request left.
    pub(super) written: Duration,
    /// The first byte of the answer came (or the attempt ended, where none did).
    pub(super) read: Duration,
    /// The attempt was over at our socket; absent where the run was killed.
    pub(super) ended: Option<Duration>,
    /// From when on the server can certainly not be working on it any more; absent where nothing bounds that.
    pub(super) over: Option<Duration>,
}

/// Parameters that nobody declared. A server may refuse them for what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// One field was changed. Whether its new value is acceptable, nobody has said.
    Field,
    /// The spelling was changed. Whether that is still the same, nobody has said.
    Spelling,
}

impl Guess {
    fn of(fact: &VariantFact, variant: &str) -> Self {
        if fact.meaning == variant { Self::Field } else { Self::Spelling }
    }
}

/// What came back, as far as the oracle may know it.
#[derive(Clone, Debug)]
pub(super) enum Reply<'h> {
    /// Certainly no byte of the request left.
    NotSent,
    /// Nothing, or not enough to tell the outcome.
    Silence,
    /// The whole answer.
    Answer(Box<Answer<'h>>),
}

impl<'h> Fact<'h> {
    /// The answer, if there is one (also one that was hidden from the client).
    pub(super) fn answer(&self) -> Option<&Answer<'h>> {
        match &self.reply {
            Reply::Answer(answer) => Some(answer),
            Reply::NotSent | Reply::Silence => None,
        }
    }

    /// Whether the outcome stays unknown: it may have been executed, or not.
    pub(super) fn is_unknown(&self) -> bool {
        match &self.reply {
            Reply::NotSent => false,
            Reply::Silence => true,
            Reply::Answer(answer) => !self.reads() && answer.leaves_unknown(self.draws),
        }
    }

    /// Whether it only asks for something.
    pub(super) fn reads(&self) -> bool {
        matches!(self.method, "GET" | "HEAD")
    }

    /// The number of the identity that a success names.
    pub(super) fn success_number(&self) -> Option<usize> {
        self.answer().filter(|answer| answer.is_success()).and_then(|answer| answer.named)
    }

    /// The identity that a success names.
    pub(super) fn success_identity(&self) -> Option<&'h str> {
        self.answer().filter(|answer| answer.is_success()).and_then(|answer| answer.identity)
    }

    /// The end at our socket. A killed run took its sockets with it before anything later began.
    pub(super) fn end(&self) -> Duration {
        self.ended.unwrap_or(self.sent)
    }
}

/// What the attempts of a case say.
pub(super) struct Extracted<'h> {
    /// In the order of the attempts.
    pub(super) facts: Vec<Fact<'h>>,
    /// The keys and scopes that they name.
    pub(super) scopes: Scopes<'h>,
    /// The contents of the answers.
    pub(super) contents: Vec<Content>,
}

/// Takes the facts out of a case.
pub(super) fn extract<'h>(contract: &'h Contract, subject: &'h Subject, case: &'h CaseHistory) -> Extracted<'h> {
    let reader = AnswerReader::new(contract);
    let mut interner = Interner::new(contract, subject, case);
    let facts = case.attempts.iter().map(|attempt| fact(contract, &reader, &mut interner, attempt)).collect();
    Extracted { facts, scopes: interner.scopes, contents: interner.contents.into_all() }
}

/// Numbers for parameters and what else is compared, so that comparing them is comparing numbers.
struct Interner<'h> {
    subject: &'h Subject,
    scopes: Scopes<'h>,
    contents: Contents<'h>,
    markers: HashMap<IntentId, &'h str>,
    meanings: IndexSet<(&'h str, &'h str)>,
    spellings: IndexSet<(&'h str, &'h str)>,
}

impl<'h> Interner<'h> {
    fn new(contract: &'h Contract, subject: &'h Subject, case: &'h CaseHistory) -> Self {
        let markers = case.intents.iter().map(|intent| (intent.id, intent.marker.as_str())).collect();
        Self {
            subject,
            scopes: Scopes::default(),
            contents: Contents::new(contract),
            markers,
            meanings: IndexSet::new(),
            spellings: IndexSet::new(),
        }
    }

    fn marker(&self, intent: IntentId) -> &'h str {
        self.markers.get(&intent).copied().unwrap_or_default()
    }

    fn meaning(&mut self, contract: &Contract, marker: &'h str, variant: &'h str) -> usize {
        let subject = self.subject;
        let meaning = match subject.variants.get(variant) {
            Some(fact) if fact.guessed && may_be_changed(contract, variant) => variant,
            Some(fact) if !fact.meaning.is_empty() => fact.meaning.as_str(),
            Some(_) | None => variant,
        };
        self.meanings.insert_full((marker, meaning)).0
    }

    /// What is turned away before anybody looks at it may differ in its header alone, and not in its bytes.
    fn spelling(&mut self, marker: &'h str, variant: &'h str) -> usize {
        let subject = self.subject;
        let spelled = match subject.variants.get(variant) {
            Some(fact) if fact.outcome == Drawn::TurnedAway && !fact.meaning.is_empty() => fact.meaning.as_str(),
            Some(_) | None => variant,
        };
        self.spellings.insert_full((marker, spelled)).0
    }
}

fn fact<'h>(
    contract: &Contract,
    reader: &AnswerReader<'h>,
    interner: &mut Interner<'h>,
    attempt: &'h Attempt,
) -> Fact<'h> {
    let start = &attempt.start;
    let marker = interner.marker(start.intent);
    let variant = start.parameters.as_str();
    let declared = interner.subject.variants.get(variant);
    let draws = declared.map(|fact| fact.outcome).unwrap_or_default();
    let drawn = declared.and_then(|fact| fact.draws.as_ref());
    let reply = reply(reader, &mut interner.contents, (draws, drawn), attempt);
    let meaning = interner.meaning(contract, marker, variant);
    let place = interner.scopes.place(contract, start, meaning);
    let timing = attempt.end.as_ref().map(|end| end.timing);
    let sent = timing.map_or(attempt.recorded, |timing| timing.first_written.unwrap_or(timing.began));
    let ended = timing.map(|timing| timing.ended);
    let mut fact = Fact {
        id: start.id,
        key: place.key,
        key_kind: start.key_kind,
        marker,
        variant,
        guess: declared
            .filter(|fact| fact.guessed && !is_named(contract, variant))
            .map(|fact| Guess::of(fact, variant)),
        meaning,
        spelling: interner.spelling(marker, variant),
        draws,
        account: &start.account,
        operation: &start.operation,
        method: &start.method,
        replica: start.replica.as_deref(),
        with: place.with,
        scope: place.scope,
        loss: loss(attempt),
        reply,
        sent,
        written: timing.and_then(|timing| timing.last_written).unwrap_or(sent),
        read: timing.map_or(Duration::MAX, |timing| timing.first_read.unwrap_or(timing.ended)),
        ended,
        over: None,
    };
    fact.over = over(contract, &fact);
    fact
}

/// Whether the contract speaks of parameters that the tool made up.
fn is_named(contract: &Contract, variant: &str) -> bool {
    contract.names(Row::ChangedParameters, variant) || contract.names(Row::EquivalentParameters, variant)
}

/// Whether a spelling that need not be the same counts as a change: where the contract says so; or where it says nothing
/// and lets changes begin an action of their own, so that it would be wrong to expect one effect of both.
fn may_be_changed(contract: &Contract, variant: &str) -> bool {
    let is_open = || {
        let promise = contract.promise(Row::ChangedParameters, variant);
        promise.is_none_or(|promise| promise.cases.iter().any(Case::allows_executing))
    };
    !contract.names(Row::EquivalentParameters, variant)
        && (contract.names(Row::ChangedParameters, variant) || is_open())
}

fn reply<'h>(
    reader: &AnswerReader<'h>,
    contents: &mut Contents<'h>,
    draws: Draws<'_>,
    attempt: &'h Attempt,
) -> Reply<'h> {
    let Some(end) = &attempt.end else {
        return Reply::Silence;
    };
    let key = attempt.start.key.as_deref();
    match &end.outcome {
        outcome if outcome.reached_nothing() => Reply::NotSent,
        Outcome::Answered(response) => {
            Reply::Answer(Box::new(reader.read(response, end, draws, contents, (key, false))))
        }
        Outcome::Hidden(response) => Reply::Answer(Box::new(reader.read(response, end, draws, contents, (key, true)))),
        Outcome::Lost { .. } | Outcome::Failed { .. } | Outcome::Swallowed => Reply::Silence,
    }
}

/// Under which requirement a retry after this attempt is judged, if the client saw no whole answer.
fn loss(attempt: &Attempt) -> Option<Requirement> {
    let Some(end) = &attempt.end else {
        return Some(Requirement::ReplayAfterLostExecution);
    };
    match &end.outcome {
        Outcome::Answered(_) => None,
        Outcome::Hidden(_) => Some(Requirement::ReplayAfterLostResponse),
        Outcome::Lost { bytes_written: 0, .. } => Some(Requirement::ReplayAfterLostConnection),
        Outcome::Lost { at, .. } => Some(match at {
            LossPoint::Connection => Requirement::ReplayAfterLostConnection,
            LossPoint::Head | LossPoint::Request => Requirement::ReplayAfterLostRequest,
            LossPoint::Execution => Requirement::ReplayAfterLostExecution,
            LossPoint::PartialResponse | LossPoint::Response => Requirement::ReplayAfterLostResponse,
        }),
        Outcome::Failed { bytes_written: 0, .. } => None,
        Outcome::Failed { .. } | Outcome::Swallowed => Some(Requirement::ReplayAfterLostExecution),
    }
}

/// Answered, nothing sent, or the declared bound past. A gateway may answer 5xx while the server behind it still
/// works, so an unplanned 5xx ends nothing.
fn over(contract: &Contract, fact: &Fact<'_>) -> Option<Duration> {
    let ended = fact.ended?;
    let still_runs = match &fact.reply {
        Reply::NotSent => false,
        Reply::Silence => true,
        Reply::Answer(answer) => answer.is_unplanned_server_error(),
    };
    if !still_runs {
        return Some(ended);
    }
    contract.ends_within().map(|bound| ended.saturating_add(bound.duration()))
}
