//! One case: its steps, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use indexmap::IndexMap;

use super::pace::CapReached;
use super::past::Past;
use super::slot::Slot;
use super::{Context, RunError};
use crate::contract::Reason;
use crate::history::{AttemptEnd, AttemptId, Calibration, EventKind, Intent, IntentId};
use crate::journal::WriteError;
use crate::plan::{CONTROL, Place, PlannedCase, places};
use crate::profile::RenderError;
use crate::scenario::{Send, Step};

/// A case while it runs.
pub(super) struct CaseRun<'r> {
    pub(super) context: &'r Context,
    pub(super) case: &'r PlannedCase,
    pub(super) calibration: Calibration,
    /// Its slot among those that run at the same time; none for one that runs alone.
    pub(super) slot: Option<Slot>,
    /// What an earlier process did of it, as far as it is not yet taken again.
    pub(super) past: Past,
    pub(super) intents: IndexMap<String, Intent>,
    /// Where its attempts go, and so where effects are counted.
    pub(super) places: Vec<Place>,
    /// How many intents were created, also those that came to nothing.
    created: u32,
    /// The number of the last attempt that was begun.
    pub(super) attempts: u32,
    /// The first attempt of every intent, by the intent's name.
    pub(super) first_attempts: BTreeMap<String, AttemptId>,
    /// By intent: when its latest attempt was over.
    pub(super) last_ends: BTreeMap<String, Duration>,
    /// By marker and counter: how many effects were listed last in the profile's own account and operation.
    pub(super) listed: BTreeMap<String, BTreeMap<usize, usize>>,
    /// Markers and the identities that answers named for them.
    pub(super) named: BTreeSet<(String, String)>,
    /// Whether an attempt ended in a success.
    pub(super) succeeded: bool,
    /// Whether a counter of the profile's own account and operation could not be read.
    pub(super) uncounted: bool,
    /// An attempt was turned away as often as it was sent.
    pub(super) out_of_patience: bool,
    /// What became of an attempt is not known, because the tool was killed.
    pub(super) swallowed: bool,
    /// The latest time by which everything that was sent may still be running, if anything may.
    pub(super) unfinished_until: Option<Duration>,
    /// Whether it has taken the target's key store down.
    pub(super) store_down: bool,
}

/// Why a case ended before its last step.
pub(super) enum Stop {
    Interrupted,
    /// It waits for longer than this process does.
    Suspended,
    /// It was cut short where it cannot go on, so it is taken from its beginning again.
    Restart,
    Because(Reason),
    Fatal(RunError),
}

impl From<CapReached> for Stop {
    fn from(_: CapReached) -> Self {
        Self::Because(Reason::RequestCap)
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        Self::Fatal(RunError::Journal(error))
    }
}

impl From<RenderError> for Stop {
    fn from(error: RenderError) -> Self {
        Self::Fatal(RunError::Render(error))
    }
}

impl<'r> CaseRun<'r> {
    pub(super) fn new(
        context: &'r Context,
        case: &'r PlannedCase,
        calibration: Calibration,
        slot: Option<Slot>,
        past: Past,
    ) -> Self {
        Self {
            context,
            case,
            calibration,
            slot,
            intents: IndexMap::new(),
            places: places(&case.steps),
            created: past.created,
            attempts: past.attempts,
            past,
            first_attempts: BTreeMap::new(),
            last_ends: BTreeMap::new(),
            listed: BTreeMap::new(),
            named: BTreeSet::new(),
            succeeded: false,
            uncounted: false,
            out_of_patience: false,
            swallowed: false,
            unfinished_until: None,
            store_down: false,
        }
    }

    /// Takes all steps; once more where the tool was killed in the middle of an attempt.
    pub(super) async fn run(&mut self) -> Result<(), Stop> {
        loop {
            self.take_steps().await?;
            if !std::mem::take(&mut self.swallowed) {
                return self.go_live();
            }
            if !self.past.take_repetition() {
                self.go_live()?;
                self.context.recorder.record(Some(&self.case.id), EventKind::CaseRepeated)?;
            }
            self.intents.clear();
            self.first_attempts.clear();
        }
    }

    /// Takes all steps, and counts after each of them.
    async fn take_steps(&mut self) -> Result<(), Stop> {
        for step in &self.case.steps {
            self.check_interrupt()?;
            self.step(step).await?;
            if self.has_failed_as_control() {
                return Ok(());
            }
        }
        // A lost attempt may still have an effect; a count is closed only when that is out of the question.
        if self.wait_until_finished().await? {
            self.count_all().await?;
        }
        Ok(())
    }

    /// Whether this is the control, and it has failed already: everything further would only have effects on somebody's
    /// system, and let people wait.
    fn has_failed_as_control(&self) -> bool {
        let sent = !self.first_attempts.is_empty();
        sent && (self.uncounted || !self.succeeded) && self.case.scenario == CONTROL
    }

    /// What an earlier process did has been taken again by now; else it did something else than this one would.
    pub(super) fn go_live(&self) -> Result<(), Stop> {
        if self.past.is_over() { Ok(()) } else { Err(Stop::Restart) }
    }

    /// The time of the run at which the case is: what was recorded has its own.
    pub(super) fn now(&self) -> Duration {
        self.past.next_at().unwrap_or_else(|| self.context.recorder.elapsed())
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Send(send) if self.passes_over(send) => Ok(()),
            Step::Send(send) => {
                self.send(send).await?;
                self.count_intent(&send.intent).await
            }
            Step::Race(race) if self.passes_over_race(race) => Ok(()),
            Step::Race(race) => self.race(race).await,
            Step::Repeat(repeat) => {
                self.repeat(repeat).await?;
                self.count_intent(&repeat.intent).await
            }
            Step::FanOut(fan_out) => {
                self.fan_out(fan_out).await?;
                self.count_intent(&fan_out.intent).await
            }
            Step::Sweep(sweep) => {
                for send in sweep.sends(&self.context.bound.fields()) {
                    self.check_interrupt()?;
                    self.send(&send).await?;
                    self.count_intent(&send.intent).await?;
                }
                Ok(())
            }
            Step::Pressure(pressure) => {
                for send in pressure.sends() {
                    self.send(&send).await?;
                }
                self.count_intent(&pressure.intent).await
            }
            Step::Wait(wait) => self.wait(*wait).await,
            Step::Hook(hook) => {
                self.hook(hook).await?;
                self.count_all().await
            }
            Step::Count(count) => {
                // A first mention reads the counter anyway, before anything is sent.
                if self.intents.contains_key(&count.intent) {
                    self.count_intent(&count.intent).await
                } else {
                    self.intent(&count.intent, None).await.map(|_| ())
                }
            }
        }
    }

    pub(super) fn check_interrupt(&self) -> Result<(), Stop> {
        if self.context.interrupt.is_set() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// The intent of this name. The first mention decides on key and marker, writes them to disk, and reads the
    /// counters, so that effects of an earlier run under the same marker would be noticed.
    pub(super) async fn intent(&mut self, name: &str, like: Option<&str>) -> Result<Intent, Stop> {
        if let Some(intent) = self.intents.get(name) {
            return Ok(intent.clone());
        }
        let intent = match self.past.take_intent(name) {
            Some(intent) => intent,
            None => self.new_intent(name, like).await?,
        };
        self.created = self.created.max(intent.id.0);
        self.intents.insert(name.to_owned(), intent.clone());
        if intent.like.is_none() {
            self.read_counters(&intent.marker).await?;
        }
        Ok(intent)
    }

    async fn new_intent(&self, name: &str, like: Option<&str>) -> Result<Intent, Stop> {
        self.go_live()?;
        let shared = like.and_then(|like| self.intents.get(like));
        let contract = &self.context.bound.profile().contract;
        let intent = Intent {
            id: IntentId(self.created + 1),
            name: name.to_owned(),
            key: new_key(contract.key.as_ref().and_then(|key| key.max_length)),
            first_sent: contract.first_sent().map(|_| httpdate::fmt_http_date(SystemTime::now())),
            marker: shared.map_or_else(new_marker, |shared| shared.marker.clone()),
            like: shared.map(|shared| shared.id),
        };
        self.context.recorder.record_synced(Some(&self.case.id), EventKind::IntentCreated(intent.clone())).await?;
        Ok(intent)
    }

    /// Whether a conditional step is not needed, or not possible.
    fn passes_over(&self, send: &Send) -> bool {
        let Some(enough) = send.unless_counted else { return false };
        let offered = send.parameters.as_deref().is_none_or(|name| self.context.bound.has_variant(name));
        let named = send.like.as_ref().unwrap_or(&send.intent);
        let marker = self.intents.get(named).map(|intent| intent.marker.as_str());
        !offered || marker.is_some_and(|marker| self.counted(marker) >= enough)
    }

    /// How many effects are known of a marker: by the counter that shows the fewest, or by the identities in answers.
    fn counted(&self, marker: &str) -> usize {
        let listed = self.listed.get(marker).and_then(|counters| counters.values().min());
        let named = || self.named.iter().filter(|(own, _)| own == marker).count();
        listed.copied().unwrap_or_else(named)
    }

    /// Notes how long an attempt without an answer may still be running at the server.
    pub(super) fn note_unfinished(&mut self, end: &AttemptEnd) {
        if end.outcome.response().is_some() || end.outcome.reached_nothing() {
            return;
        }
        if let Some(bound) = self.context.bound.profile().contract.ends_within() {
            let until = end.timing.ended + bound.duration();
            self.unfinished_until = self.unfinished_until.max(Some(until));
        }
    }
}

/// A key that no other intent has: a UUID. Where the contract takes no key of that length, it goes without its hyphens, and
/// is cut short if it must be.
fn new_key(longest: Option<usize>) -> String {
    let uuid = uuid::Uuid::new_v4();
    let key = uuid.to_string();
    match longest {
        Some(longest) if longest < key.len() => uuid.simple().to_string().chars().take(longest).collect(),
        Some(_) | None => key,
    }
}

/// A marker that no other intent has.
fn new_marker() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("idemspec-{}", &random[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_no_longer_than_the_contract_allows() {
        let lengths = [None, Some(255), Some(36), Some(32), Some(20)].map(|longest| new_key(longest).len());
        assert_eq!(lengths, [36, 36, 36, 32, 20]);
        assert!(new_key(Some(32)).chars().all(|letter| letter.is_ascii_alphanumeric()));
    }
}
