//! What the control teaches about the path to the target.

use std::time::Duration;

use crate::history::{Attempt, Calibration, History, Timing};
use crate::plan::CONTROL;

/// Learns latency, jitter and round trip from the attempts of the control.
pub(super) fn calibrate(history: &History) -> Calibration {
    let control = history.cases.values().filter(|case| case.info.scenario == CONTROL);
    let timings: Vec<Timing> = control.flat_map(|case| &case.attempts).filter_map(answered).collect();
    let mut latencies: Vec<Duration> = timings.iter().filter_map(latency).collect();
    latencies.sort_unstable();
    let (Some(shortest), Some(longest)) = (latencies.first(), latencies.last()) else {
        return Calibration::default();
    };
    Calibration {
        latency: latencies[latencies.len() / 2],
        jitter: *longest - *shortest,
        round_trip: timings.iter().filter_map(round_trip).max().unwrap_or_default(),
        overlaps: None,
    }
}

fn answered(attempt: &Attempt) -> Option<Timing> {
    let end = attempt.end.as_ref()?;
    end.outcome.answer().map(|_| end.timing)
}

fn latency(timing: &Timing) -> Option<Duration> {
    Some(timing.first_read?.saturating_sub(timing.last_written?))
}

fn round_trip(timing: &Timing) -> Option<Duration> {
    Some(timing.connected?.saturating_sub(timing.began))
}
