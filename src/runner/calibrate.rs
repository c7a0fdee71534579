//! What the control teaches about the path to the target, and about the target's pace.

use std::time::Duration;

use crate::history::{Attempt, Calibration, CaseHistory, History, RaceRound, Timing};
use crate::plan::CONTROL;

/// Learns latency, jitter and round trip from the attempts of the control, and from its race whether the target works
/// on two requests at the same time.
pub(super) fn calibrate(history: &History) -> Calibration {
    let mut calibration = Calibration::default();
    let controls = || history.cases.values().filter(|case| case.info.scenario == CONTROL);
    let raced =
        |case: &CaseHistory, attempt: &Attempt| case.races.iter().any(|race| race.attempts.contains(&attempt.start.id));
    let timings = |of_races: bool| -> Vec<Timing> {
        controls()
            .flat_map(|case| case.attempts.iter().filter(move |attempt| raced(case, attempt) == of_races))
            .filter_map(answered)
            .collect()
    };
    let mut latencies: Vec<Duration> = timings(false).iter().filter_map(latency).collect();
    latencies.sort_unstable();
    if let (Some(shortest), Some(longest)) = (latencies.first(), latencies.last()) {
        calibration.latency = latencies[latencies.len() / 2];
        calibration.jitter = *longest - *shortest;
    }
    let all = [timings(false), timings(true)].concat();
    calibration.round_trip = all.iter().filter_map(round_trip).max().unwrap_or_default();
    for pair in controls().flat_map(|case| case.races.iter().filter_map(|race| Pair::of(case, race))) {
        calibration.slow_latency = Some(pair.faster);
        calibration.overlaps = pair.overlaps();
        if calibration.overlaps == Some(true) {
            calibration.jitter = calibration.jitter.max(pair.slower - pair.faster);
        }
    }
    calibration
}

/// How long the target took for two slow requests that were sent at the same moment.
struct Pair {
    faster: Duration,
    slower: Duration,
    /// Whether both were under way at the same time, as far as our side can tell.
    raced: bool,
}

impl Pair {
    /// The pair of a race in which both succeeded.
    fn of(case: &CaseHistory, race: &RaceRound) -> Option<Self> {
        let succeeded = |attempt: &Attempt| attempt.end.as_ref().is_some_and(|end| end.success);
        let attempts: Option<Vec<&Attempt>> = race.attempts.iter().map(|id| case.attempt(*id)).collect();
        let attempts = attempts.filter(|attempts| attempts.iter().all(|attempt| succeeded(attempt)))?;
        let latencies: Option<Vec<Duration>> =
            attempts.iter().map(|attempt| answered(attempt).and_then(|timing| latency(&timing))).collect();
        let latencies = latencies?;
        Some(Self { faster: *latencies.iter().min()?, slower: *latencies.iter().max()?, raced: race.overlapped })
    }

    /// A target that handles one request after the other needs about twice as long for the second; one that works on
    /// both at once, about as long as for the first. Where the requests did not meet at all, nothing is known.
    fn overlaps(&self) -> Option<bool> {
        self.raced.then(|| self.slower - self.faster < self.faster / 2)
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
