//! How the end of a key's retention was reached, and how far the clocks of the two sides are apart.

use std::time::{Duration, SystemTime};

use super::terminal::View;
use super::text::{escape, wrap};
use crate::contract::{Clause, Contract, Period};
use crate::history::{CaseHistory, History};
use crate::oracle::{margin_of, whole_margin};

/// The scenario whose answers tell the target's clock before anybody moves it.
const CONTROL: &str = "control";

impl View<'_> {
    /// A line for each case about retention.
    pub(super) fn retention(&self) -> String {
        let ways = ways(self.history);
        let Some(width) = ways.iter().map(|(case, _)| case.chars().count()).max() else {
            return String::new();
        };
        let lines: String = ways.iter().map(|(case, way)| format!("  {case:<width$}  {way}\n")).collect();
        let notes = notes(self.contract, self.history);
        let notes: String = notes.iter().map(|note| wrap(note, self.width(), "  ")).collect();
        format!("{}\n{lines}{notes}\n", self.heading("Retention"))
    }
}

/// Every case about retention, and by what it let a key grow old.
pub(super) fn ways(history: &History) -> Vec<(String, String)> {
    let cases = history.cases.values().filter(|case| case.info.clause == Some(Clause::Retention));
    cases.filter_map(|case| Some((escape(&case.id.0), way(case)?))).collect()
}

/// What a reader has to know of the windows and the clocks.
pub(super) fn notes(contract: &Contract, history: &History) -> Vec<String> {
    let document = history.run.as_ref().map(|run| &run.document);
    let is_shorter = document.and_then(|document| document.get("target")?.get("retention_override")).is_some();
    let shorter = is_shorter.then(|| "the window is the one of this deployment (target.retention_override)".to_owned());
    let clocks = skew(history).map(|(least, most)| {
        format!("the target's clock is {least:+.1} to {most:+.1} s of ours (Date, in whole seconds)")
    });
    [shorter, short_window(contract, history), clocks].into_iter().flatten().collect()
}

/// Says so where the time for which keys are kept is too short for the margin that longer ones have.
fn short_window(contract: &Contract, history: &History) -> Option<String> {
    let retention = contract.retention.as_ref()?;
    let round_trip = history.calibration.unwrap_or_default().round_trip;
    let windows = [retention.at_least, retention.at_most].into_iter().flatten().map(Period::duration);
    let window = windows.min().filter(|window| margin_of(*window, round_trip) < whole_margin(round_trip))?;
    let margin = margin_of(window, round_trip);
    Some(format!(
        "{} is too short for the whole margin of 2 s and a round trip: what is nearer than {:.1} s to its end is not judged, \
         and the target must read its clock more finely than in whole seconds",
        Period(window),
        margin.as_secs_f64()
    ))
}

/// By what a case lets a key grow old; nothing where it did not come to that, or where none does.
fn way(case: &CaseHistory) -> Option<String> {
    let hooks: Vec<String> = case
        .hooks
        .iter()
        .map(|(_, _, hook)| {
            let by = if hook.advanced.is_zero() { String::new() } else { format!(" by {}", Period(hook.advanced)) };
            format!("{}{by}", escape(&hook.name))
        })
        .collect();
    if !hooks.is_empty() {
        return Some(format!("by hook: {}", hooks.join(", ")));
    }
    if let Some(waiting) = &case.course.suspended {
        return Some(format!("by waiting: suspended until {}", escape(&waiting.due)));
    }
    let (first, last) = (case.attempts.first()?.end.as_ref()?, case.attempts.last()?);
    let aged = Duration::from_secs(last.recorded.saturating_sub(first.timing.ended).as_secs());
    if aged.is_zero() {
        return None;
    }
    let over = if case.course.resumptions.is_empty() { "" } else { ", over several processes" };
    Some(format!("by waiting: {} in real time{over}", Period(aged)))
}

/// Between which two numbers of seconds the target's clock is ahead of ours.
fn skew(history: &History) -> Option<(f64, f64)> {
    let began = humantime::parse_rfc3339(&history.plan.as_ref()?.began).ok()?;
    let ours = |at: Duration| began.checked_add(at)?.duration_since(SystemTime::UNIX_EPOCH).ok();
    let control = history.cases.values().filter(|case| case.info.scenario == CONTROL);
    let ends = control.flat_map(|case| &case.attempts).filter_map(|attempt| attempt.end.as_ref());
    let bounds = ends.filter_map(|end| {
        let date = httpdate::parse_http_date(end.outcome.answer()?.header("date")?).ok()?;
        let date = date.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
        let (written, read) = (ours(end.timing.last_written?)?, ours(end.timing.first_read?)?);
        Some((date - read.as_secs_f64(), date + 1.0 - written.as_secs_f64()))
    });
    bounds.reduce(|(least, most), (low, high)| (least.max(low), most.min(high))).filter(|(least, most)| least <= most)
}
