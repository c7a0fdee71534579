//! The step `hook`: something is done to the target from outside.

use std::time::Duration;

use super::case::{CaseRun, Stop};
use super::command;
use super::control::ControlRequest;
use crate::history::{EventKind, HookRun, IntentId};
use crate::message::Request;
use crate::plan;
use crate::profile::{BoundHook, ClockUnit, DEFAULT, HookValues, RenderError};
use crate::scenario::HookStep;

/// What a hook came to.
struct Ran {
    /// The time that its answer or the target's clock showed to have passed.
    confirmed: Option<Duration>,
    error: Option<String>,
}

impl CaseRun<'_> {
    /// Runs a hook: a request or a command. Its failure is written down; the oracle draws the conclusions.
    pub(super) async fn hook(&mut self, step: &HookStep) -> Result<(), Stop> {
        let intent = match &step.intent {
            Some(name) => Some(self.intent(name, None).await?),
            None => None,
        };
        if self.past.take_hook_start() {
            return self.take_hook(&step.name);
        }
        self.go_live()?;
        let started = EventKind::HookStarted { name: step.name.clone() };
        self.context.recorder.record_synced(Some(&self.case.id), started).await?;
        let began = Some(self.context.recorder.elapsed());
        let contract = &self.context.bound.profile().contract;
        let advanced = step.by.and_then(|by| plan::advance(contract, by));
        let marker = intent.as_ref().map(|intent| intent.marker.clone());
        let identity = intent.as_ref().and_then(|intent| self.latest_identity(intent.id));
        let told = HookValues {
            marker: marker.as_deref(),
            identity: identity.as_deref(),
            seconds: advanced.map(|advanced| advanced.as_secs()),
        };
        let Ran { confirmed, error } = match self.context.bound.hook(&step.name, &told) {
            Ok(hook) => self.run_hook(&step.name, (&hook, &told), advanced.is_some()).await?,
            // It was rehearsed with stand-ins, so what is missing is what the action was to bring.
            Err(error) => Ran { confirmed: None, error: Some(missing(&error)) },
        };
        let changed = marker.filter(|_| advanced.is_none());
        let advanced = advanced.unwrap_or_default();
        self.context.tokens.age(advanced).await;
        let run = HookRun { name: step.name.clone(), began, changed, advanced, confirmed, error };
        self.context.recorder.record(Some(&self.case.id), EventKind::HookRan(run))?;
        Ok(())
    }

    /// Takes what came of a hook before. Whether one that was cut short did its work is not known.
    fn take_hook(&mut self, name: &str) -> Result<(), Stop> {
        let run = self.past.take_hook();
        self.store_down |= name == HookStep::STORE_DOWN;
        self.store_down &= name != HookStep::STORE_UP || run.as_ref().is_none_or(|run| run.error.is_some());
        run.map(|_| ()).ok_or(Stop::Restart)
    }

    /// Brings the target's key store up, where the case has taken it down and ended before it came to that: nobody else is
    /// to find it down.
    pub(super) async fn bring_store_up(&mut self) -> Result<(), Stop> {
        if !self.store_down {
            return Ok(());
        }
        self.hook(&HookStep { name: HookStep::STORE_UP.to_owned(), by: None, intent: None }).await
    }

    /// Runs a hook. The target's clock is read before and after one that moves it.
    async fn run_hook(
        &mut self,
        name: &str,
        (hook, told): (&BoundHook, &HookValues<'_>),
        moves_clock: bool,
    ) -> Result<Ran, Stop> {
        let before = if moves_clock { self.read_clock().await? } else { None };
        if name == HookStep::STORE_DOWN {
            self.context.pace.set_aside()?;
        }
        if name == HookStep::STORE_UP && self.store_down {
            self.context.pace.take_cleanup()?;
        } else {
            self.context.pace.take_control()?;
        }
        // It may be down even if the hook says that it failed.
        self.store_down |= name == HookStep::STORE_DOWN;
        let error = match hook {
            BoundHook::Request(first) => self.send_hook(name, first, told).await?,
            BoundHook::Command(words) => {
                let limit = self.context.bound.profile().target.hook_time_limit.duration();
                command::run(words, limit, &self.context.interrupt).await.err()
            }
        };
        self.store_down &= name != HookStep::STORE_UP || error.is_some();
        let after = if moves_clock { self.read_clock().await? } else { None };
        let confirmed = before.zip(after).map(|(before, after)| after.passed_since(before));
        Ok(Ran { confirmed, error })
    }

    /// Sends the request of a hook, and returns what went wrong.
    async fn send_hook(&self, name: &str, first: &Request, told: &HookValues<'_>) -> Result<Option<String>, Stop> {
        let render = || match self.context.bound.hook(name, told)? {
            BoundHook::Request(request) => Ok(request),
            BoundHook::Command(_) => Ok(first.clone()),
        };
        let request = ControlRequest { account: DEFAULT, replica: None, render: &render };
        Ok(match self.context.send_control(request).await? {
            Ok(response) if (200..300).contains(&response.status) => None,
            Ok(response) => Some(format!("the hook was answered {}", response.status)),
            Err(error) => Some(error.to_string()),
        })
    }

    /// Reads the target's clock, where the profile says how. A reading that fails is none.
    async fn read_clock(&mut self) -> Result<Option<Reading>, Stop> {
        let Some(first) = self.context.bound.clock_request()? else { return Ok(None) };
        let Some(clock) = &self.context.bound.profile().target.clock else { return Ok(None) };
        self.context.pace.take_control()?;
        let render = || Ok(self.context.bound.clock_request()?.unwrap_or_else(|| first.clone()));
        let request = ControlRequest { account: DEFAULT, replica: None, render: &render };
        let Ok(response) = self.context.send_patiently(request).await? else { return Ok(None) };
        let written = clock.time.extract(&response).into_iter().next();
        let number = written.and_then(|written| written.trim().parse::<f64>().ok());
        let seconds = number.map(|number| match clock.unit {
            ClockUnit::Seconds => number,
            ClockUnit::Milliseconds => number / 1000.0,
        });
        let shows = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(shows.map(|shows| Reading { shows, at: self.context.recorder.elapsed() }))
    }

    /// The identity that the latest success of an action named.
    fn latest_identity(&self, id: IntentId) -> Option<String> {
        let history = self.context.recorder.history();
        let case = history.cases.get(&self.case.id)?;
        let attempts = case.attempts.iter().rev().filter(|attempt| attempt.start.intent == id);
        attempts.filter_map(|attempt| attempt.end.as_ref()).find_map(|end| end.identity.clone())
    }
}

/// What the target's clock showed at a moment of ours.
#[derive(Clone, Copy, Debug)]
struct Reading {
    shows: Duration,
    at: Duration,
}

impl Reading {
    /// The time by which the target's clock went ahead of ours between two readings.
    fn passed_since(self, earlier: Self) -> Duration {
        let ours = self.at.saturating_sub(earlier.at);
        self.shows.saturating_sub(earlier.shows).saturating_sub(ours)
    }
}

fn missing(error: &RenderError) -> String {
    format!("the hook lacks something that no answer gave: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_target_ran_ahead_counts_as_moved() {
        let at = |shows, at| Reading { shows: Duration::from_secs(shows), at: Duration::from_secs(at) };
        assert_eq!(at(105, 5).passed_since(at(0, 0)), Duration::from_secs(100));
        assert_eq!(at(5, 5).passed_since(at(0, 0)), Duration::ZERO);
        assert_eq!(at(0, 5).passed_since(at(7, 0)), Duration::ZERO);
    }
}
