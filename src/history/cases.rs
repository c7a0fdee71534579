//! The same events, put together by case.

use indexmap::IndexMap;

use super::{
    AttemptEnd, AttemptId, AttemptStart, Calibration, CaseEnding, CaseId, CaseInfo, Cleanup, Count, Event, EventKind,
    HookRun, Intent, IntentId, PlanInfo, Race, RunInfo, SkippedCase, Waiting,
};
use crate::contract::Reason;
use std::time::Duration;

/// Everything that a run wrote down, put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// What the recording says about its run.
    pub run: Option<RunInfo>,
    /// What the run was to do.
    pub plan: Option<PlanInfo>,
    /// When other processes went on with it.
    pub resumptions: Vec<Duration>,
    /// The cases that were run, in the order of their names, so that reports do not depend on scheduling.
    pub cases: IndexMap<CaseId, CaseHistory>,
    /// The cases that were not run, in the order of their names.
    pub skipped: IndexMap<CaseId, SkippedCase>,
    /// What the control learned.
    pub calibration: Option<Calibration>,
    /// Effects that were cleaned up, or could not be.
    pub cleanups: Vec<Cleanup>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
    /// Requests that were sent in all, once the run is over.
    pub requests: Option<u64>,
    /// When the last thing happened, as time since the run began.
    pub ended: Duration,
}

/// What happened in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseHistory {
    /// The case.
    pub id: CaseId,
    /// Its scenario and clause.
    pub info: CaseInfo,
    /// Its actions, by number.
    pub intents: Vec<Intent>,
    /// Its attempts, by number: the order in which they were begun.
    pub attempts: Vec<Attempt>,
    /// Attempts of actions that came to nothing. They are kept and cleaned up, and not judged.
    pub voided: Vec<Attempt>,
    /// Its counts, in the order in which they were taken.
    pub counts: Vec<Count>,
    /// Its races.
    pub races: Vec<RaceRound>,
    /// Its hooks, each with the time at which it was over and the number of the last attempt begun by then.
    pub hooks: Vec<(std::time::Duration, u32, HookRun)>,
    /// How it ended; absent where the run was killed, or the case suspended.
    pub ending: Option<CaseEnding>,
    /// How it went on over several processes.
    pub course: Course,
}

/// How a case went on over several processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Until when it waits, where it is suspended and nothing has happened since.
    pub suspended: Option<Waiting>,
    /// When another process went on with the run, since the case began.
    pub resumptions: Vec<Duration>,
    /// What was counted before the case was taken from its beginning again.
    pub voided_counts: Vec<Count>,
}

/// One attempt, from beginning to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What was sent.
    pub start: AttemptStart,
    /// When its record was written.
    pub recorded: std::time::Duration,
    /// What became of it; absent where the run was killed.
    pub end: Option<AttemptEnd>,
}

/// One round of a race.
pub type RaceRound = Race;

impl CaseHistory {
    fn new(id: CaseId, info: CaseInfo) -> Self {
        Self {
            id,
            info,
            intents: Vec::new(),
            attempts: Vec::new(),
            voided: Vec::new(),
            counts: Vec::new(),
            races: Vec::new(),
            hooks: Vec::new(),
            ending: None,
            course: Course::default(),
        }
    }

    /// The intent with this number.
    pub fn intent(&self, id: IntentId) -> Option<&Intent> {
        self.intents.iter().find(|intent| intent.id == id)
    }

    /// The attempt with this number.
    pub fn attempt(&self, id: AttemptId) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.start.id == id)
    }

    /// All attempts, also those of actions that came to nothing.
    pub fn all_attempts(&self) -> impl Iterator<Item = &Attempt> {
        self.voided.iter().chain(&self.attempts)
    }

    /// Whether some action of the case was sent, not lost on purpose, and never answered.
    pub fn is_mute(&self) -> bool {
        self.intents.iter().any(|intent| {
            let mut sent = self.attempts.iter().filter(|attempt| attempt.start.intent == intent.id).peekable();
            let tried = sent.clone().any(|attempt| attempt.start.lose.is_none());
            sent.peek().is_some()
                && tried
                && sent.all(|attempt| attempt.end.as_ref().is_some_and(|end| end.outcome.response().is_none()))
        })
    }

    /// Whether the target turned away every attempt that it answered, so that nothing is known about it.
    pub fn is_turned_away(&self) -> bool {
        let mut answers = self.attempts.iter().filter_map(|attempt| attempt.end.as_ref()?.outcome.answer()).peekable();
        answers.peek().is_some() && answers.all(|answer| matches!(answer.status, 429 | 502 | 503 | 504))
    }

    /// The first hook that failed, with its error.
    pub fn failed_hook(&self) -> Option<(&str, &str)> {
        self.hooks.iter().find_map(|(_, _, run)| Some((run.name.as_str(), run.error.as_deref()?)))
    }

    /// All counts, also those that belong to what came to nothing.
    pub fn all_counts(&self) -> impl Iterator<Item = &Count> {
        self.course.voided_counts.iter().chain(&self.counts)
    }

    /// Takes everything that was done for void.
    fn restart(&mut self) {
        self.voided.append(&mut self.attempts);
        self.course.voided_counts.append(&mut self.counts);
        self.races.clear();
        self.hooks.clear();
        self.ending = None;
    }

    fn apply(&mut self, event: &Event) {
        self.course.suspended = None;
        match &event.event {
            EventKind::IntentCreated(intent) => self.intents.push(intent.clone()),
            EventKind::Voided { intent } => {
                let (voided, kept) =
                    self.attempts.drain(..).partition(|attempt: &Attempt| attempt.start.intent == *intent);
                self.attempts = kept;
                self.voided.extend::<Vec<Attempt>>(voided);
            }
            EventKind::AttemptStarted(start) => {
                self.attempts.push(Attempt { start: start.clone(), recorded: event.at, end: None });
            }
            EventKind::AttemptEnded(end) => {
                if let Some(attempt) = self.attempts.iter_mut().find(|attempt| attempt.start.id == end.id) {
                    attempt.end = Some(end.clone());
                }
            }
            EventKind::Counted(count) => self.counts.push(count.clone()),
            EventKind::Raced(race) => self.races.push(race.clone()),
            EventKind::HookRan(run) => {
                let after = self.attempts.last().map_or(0, |attempt| attempt.start.id.0);
                self.hooks.push((event.at, after, run.clone()));
            }
            EventKind::Suspended(waiting) => self.course.suspended = Some(waiting.clone()),
            EventKind::CaseRestarted => self.restart(),
            EventKind::CaseEnded(ending) => self.ending = Some(ending.clone()),
            EventKind::RunStarted(_)
            | EventKind::Planned(_)
            | EventKind::Resumed(_)
            | EventKind::HookStarted { .. }
            | EventKind::CaseRepeated
            | EventKind::Waiting(_)
            | EventKind::CaseSkipped(_)
            | EventKind::CaseStarted(_)
            | EventKind::Calibrated(_)
            | EventKind::CleanedUp(_)
            | EventKind::Interrupted
            | EventKind::RunEnded { .. } => {}
        }
    }
}

impl History {
    /// Why the run shows less than it set out to show, if it was broken off: by its user or a kill, by the cap on
    /// requests, or because the target fell silent. In this order.
    pub fn broken_off(&self) -> Option<Reason> {
        let under_way = self.cases.values().filter(|case| case.course.suspended.is_none());
        let endings = || under_way.clone().map(|case| case.ending.as_ref());
        let killed = endings().any(|ending| matches!(ending, None | Some(CaseEnding::Interrupted)));
        if self.interrupted || killed {
            return Some(Reason::Interrupted);
        }
        let capped = endings().any(|ending| ending == Some(&CaseEnding::Stopped(Reason::RequestCap)));
        let taken = |case: &CaseHistory| case.ending == Some(CaseEnding::Completed);
        let mute = || self.cases.values().any(|case| taken(case) && case.is_mute());
        let turned_away = || self.cases.values().any(CaseHistory::is_turned_away);
        capped
            .then_some(Reason::RequestCap)
            .or_else(|| mute().then_some(Reason::NoAnswer))
            .or_else(|| turned_away().then_some(Reason::RateLimited))
    }

    /// What an earlier process left unfinished is finished now.
    fn resume(&mut self, at: Duration) {
        self.resumptions.push(at);
        self.interrupted = false;
        self.requests = None;
        for case in self.cases.values_mut().filter(|case| case.ending.is_none()) {
            case.course.resumptions.push(at);
        }
    }

    /// Puts events together. Events of a case that never began are left out.
    pub fn from_events<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(event);
        }
        history.cases.sort_keys();
        history.skipped.sort_keys();
        history
    }

    fn apply(&mut self, event: &Event) {
        self.ended = self.ended.max(event.at);
        match (&event.event, &event.case) {
            (EventKind::RunStarted(run), _) => self.run = Some((**run).clone()),
            (EventKind::Planned(plan), _) => self.plan = Some((**plan).clone()),
            (EventKind::Resumed(_), _) => self.resume(event.at),
            (EventKind::Calibrated(calibration), _) => self.calibration = Some(*calibration),
            (EventKind::CleanedUp(cleanup), _) => self.cleanups.push(cleanup.clone()),
            (EventKind::Interrupted, _) => self.interrupted = true,
            (EventKind::RunEnded { requests }, _) => self.requests = Some(*requests),
            (EventKind::CaseSkipped(skipped), Some(id)) => {
                self.skipped.insert(id.clone(), skipped.clone());
            }
            (EventKind::CaseStarted(info), Some(id)) => {
                self.skipped.shift_remove(id);
                self.cases.insert(id.clone(), CaseHistory::new(id.clone(), info.clone()));
            }
            (_, Some(id)) => {
                if let Some(case) = self.cases.get_mut(id) {
                    case.apply(event);
                }
            }
            (_, None) => {}
        }
    }
}
