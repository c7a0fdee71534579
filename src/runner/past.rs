//! What a case has done already, in an earlier process. The case takes its steps again, and wherever it would act, it
//! finds here what came of it: nothing is sent twice, and every decision falls as it fell before. Where the past ends,
//! the case goes on in the present.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use crate::history::{
    AttemptEnd, AttemptStart, CaseEnding, Count, Event, EventKind, HookRun, Intent, IntentId, Waiting,
};

/// What has become of a case so far.
pub(super) enum Standing {
    /// It is over.
    Over,
    /// It never began.
    Ahead,
    /// It is in the middle of its steps.
    Begun(Past),
    /// It cannot go on where it was cut short.
    Void(Past),
}

/// The recorded events of a case that are not yet taken again.
#[derive(Debug, Default)]
pub(super) struct Past {
    events: VecDeque<Event>,
    /// How many actions were created before the case was taken from its beginning.
    pub(super) created: u32,
    /// The number of the last attempt before that.
    pub(super) attempts: u32,
    /// The actions that an earlier process sent something for.
    sent: BTreeSet<IntentId>,
}

impl Standing {
    /// What the events of a case say about it.
    pub(super) fn of(events: Vec<Event>) -> Self {
        let began = events.iter().any(|event| matches!(event.event, EventKind::CaseStarted(_)));
        let ending = events.iter().rev().find_map(|event| match &event.event {
            EventKind::CaseEnded(ending) => Some(Some(ending)),
            EventKind::CaseRestarted => Some(None),
            _ => None,
        });
        match ending.flatten() {
            _ if !began => Self::Ahead,
            Some(CaseEnding::Completed | CaseEnding::Stopped(_)) => Self::Over,
            // Its effects were removed when the run was interrupted, so a key may stand for what is gone.
            Some(CaseEnding::Interrupted) => Self::Void(Past::of(events)),
            None => Self::Begun(Past::of(events)),
        }
    }
}

impl Past {
    pub(super) fn of(events: Vec<Event>) -> Self {
        let mut past = Self::default();
        for event in events {
            match event.event {
                EventKind::CaseStarted(_) | EventKind::CaseSkipped(_) | EventKind::CaseEnded(_) => {}
                EventKind::CaseRestarted => past = past.void(),
                _ => past.events.push_back(event),
            }
        }
        past
    }

    /// The same after everything in it was taken for void: only the numbers go on.
    pub(super) fn void(self) -> Self {
        let mut void = Self { events: VecDeque::new(), sent: BTreeSet::new(), ..self };
        for event in &self.events {
            match &event.event {
                EventKind::IntentCreated(intent) => void.created = void.created.max(intent.id.0),
                EventKind::AttemptStarted(start) => void.attempts = void.attempts.max(start.id.0),
                _ => {}
            }
        }
        void
    }

    /// Whether everything was taken again.
    pub(super) fn is_over(&self) -> bool {
        self.events.is_empty()
    }

    /// When the next event was recorded.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.events.front().map(|event| event.at)
    }

    fn next(&self) -> Option<&EventKind> {
        self.events.front().map(|event| &event.event)
    }

    fn take<T>(&mut self, wanted: impl Fn(&EventKind) -> Option<T>) -> Option<T> {
        let taken = self.next().and_then(wanted)?;
        self.events.pop_front();
        Some(taken)
    }

    /// Whether an attempt comes next.
    pub(super) fn attempt_is_next(&self) -> bool {
        matches!(self.next(), Some(EventKind::AttemptStarted(_)))
    }

    /// Whether a count comes next.
    pub(super) fn count_is_next(&self) -> bool {
        matches!(self.next(), Some(EventKind::Counted(_)))
    }

    /// Whether it is next that an action came to nothing.
    pub(super) fn void_is_next(&self) -> bool {
        matches!(self.next(), Some(EventKind::Voided { .. }))
    }

    /// The action of this name, if it comes next.
    pub(super) fn take_intent(&mut self, name: &str) -> Option<Intent> {
        self.take(|event| match event {
            EventKind::IntentCreated(intent) if intent.name == name => Some(intent.clone()),
            _ => None,
        })
    }

    /// The attempt for an action, if it comes next, and when it was recorded.
    pub(super) fn take_start(&mut self, intent: IntentId) -> Option<(AttemptStart, Duration)> {
        let at = self.next_at()?;
        let taken = self.take(|event| match event {
            EventKind::AttemptStarted(start) if start.intent == intent => Some((start.clone(), at)),
            _ => None,
        });
        self.sent.extend(taken.iter().map(|(start, _)| start.intent));
        taken
    }

    /// Whether an earlier process sent something for an action.
    pub(super) fn has_sent(&self, intent: IntentId) -> bool {
        self.sent.contains(&intent)
    }

    /// The end of an attempt, if it comes next.
    pub(super) fn take_end(&mut self) -> Option<AttemptEnd> {
        self.take(|event| match event {
            EventKind::AttemptEnded(end) => Some(end.clone()),
            _ => None,
        })
    }

    /// Whether a race came to its end, if it is next: what comes next up to there are its attempts.
    pub(super) fn race_is_whole(&self) -> bool {
        let own = |event: &&Event| matches!(event.event, EventKind::AttemptStarted(_) | EventKind::AttemptEnded(_));
        let after = self.events.iter().skip_while(|event| own(event)).map(|event| &event.event).next();
        matches!(after, Some(EventKind::Raced(_)))
    }

    /// Takes the race off that is over.
    pub(super) fn take_race(&mut self) -> bool {
        self.take(|event| matches!(event, EventKind::Raced(_)).then_some(())).is_some()
    }

    /// That the steps were taken once more, if that comes next.
    pub(super) fn take_repetition(&mut self) -> bool {
        self.take(|event| (*event == EventKind::CaseRepeated).then_some(())).is_some()
    }

    /// That an action came to nothing, if it comes next.
    pub(super) fn take_void(&mut self, intent: IntentId) -> bool {
        self.take(|event| (*event == EventKind::Voided { intent }).then_some(())).is_some()
    }

    /// A count of this marker by this counter, if it comes next.
    pub(super) fn take_count(&mut self, marker: &str, counter: usize) -> Option<Count> {
        self.take(|event| match event {
            EventKind::Counted(count) if count.marker == marker && count.counter == counter => Some(count.clone()),
            _ => None,
        })
    }

    /// That a hook was about to be run, if it comes next.
    pub(super) fn take_hook_start(&mut self) -> bool {
        self.take(|event| matches!(event, EventKind::HookStarted { .. }).then_some(())).is_some()
    }

    /// A hook that was run, if it comes next.
    pub(super) fn take_hook(&mut self) -> Option<HookRun> {
        self.take(|event| match event {
            EventKind::HookRan(run) => Some(run.clone()),
            _ => None,
        })
    }

    /// Until when the case waited, if that comes next, and whether it was suspended meanwhile.
    pub(super) fn take_wait(&mut self) -> Option<(Waiting, bool)> {
        let waiting = self.take(|event| match event {
            EventKind::Waiting(waiting) => Some(waiting.clone()),
            _ => None,
        })?;
        let suspended = |event: &EventKind| matches!(event, EventKind::Suspended(_)).then_some(());
        let mut was_suspended = false;
        while self.take(suspended).is_some() {
            was_suspended = true;
        }
        Some((waiting, was_suspended))
    }
}
