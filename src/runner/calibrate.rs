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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{
        AttemptEnd, AttemptId, AttemptStart, CaseId, CaseInfo, Event, EventKind, IntentId, Outcome, Race,
    };
    use crate::message::{Response, ShownRequest};

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// The control: attempts that take so long each, the last two of them a race.
    fn history(latencies: &[u64], overlapped: bool, status: u16) -> History {
        let id = CaseId(CONTROL.into());
        let event = |event| Event { at: Duration::ZERO, case: Some(id.clone()), event };
        let mut events = vec![event(EventKind::CaseStarted(CaseInfo { scenario: CONTROL.into(), clause: None }))];
        let ids: Vec<AttemptId> = (1..).map(AttemptId).take(latencies.len()).collect();
        for (id, latency) in ids.iter().zip(latencies) {
            events.push(event(EventKind::AttemptStarted(start(*id))));
            events.push(event(EventKind::AttemptEnded(end(*id, milliseconds(*latency), status))));
        }
        let attempts = ids[ids.len() - 2..].to_vec();
        events.push(event(EventKind::Raced(Race {
            attempts,
            overlapped,
            spread: Duration::ZERO,
            release: Default::default(),
        })));
        History::from_events(&events)
    }

    fn start(id: AttemptId) -> AttemptStart {
        AttemptStart {
            id,
            intent: IntentId(id.0),
            key: None,
            parameters: "base".into(),
            account: "default".into(),
            operation: "default".into(),
            method: "POST".into(),
            replica: None,
            key_kind: None,
            lose: None,
            request: ShownRequest::default(),
        }
    }

    fn end(id: AttemptId, latency: Duration, status: u16) -> AttemptEnd {
        let timing = Timing {
            began: milliseconds(10),
            connected: Some(milliseconds(12)),
            first_written: Some(milliseconds(15)),
            last_written: Some(milliseconds(20)),
            first_read: Some(milliseconds(20) + latency),
            ended: milliseconds(21) + latency,
        };
        let outcome = Outcome::Answered(Response { status, ..Response::default() });
        AttemptEnd { id, outcome, timing, protocol: None, token_refused: false, success: status < 300, identity: None }
    }

    #[test]
    fn slow_requests_do_not_pass_for_ordinary_ones() {
        let calibration = calibrate(&history(&[30, 35, 32, 200, 210], true, 201));
        let expected = Calibration {
            latency: milliseconds(32),
            jitter: milliseconds(10),
            round_trip: milliseconds(2),
            slow_latency: Some(milliseconds(200)),
            overlaps: Some(true),
        };
        assert_eq!(calibration, expected);
    }

    #[test]
    fn twice_the_time_for_the_second_means_one_after_the_other() {
        let overlaps =
            |second, overlapped, status| calibrate(&history(&[30, 200, second], overlapped, status)).overlaps;
        assert_eq!(overlaps(400, true, 201), Some(false));
        assert_eq!(overlaps(300, true, 201), Some(false));
        assert_eq!(overlaps(299, true, 201), Some(true));
        assert_eq!(overlaps(200, false, 201), None, "they did not meet, so nothing is known");
        assert_eq!(overlaps(200, true, 422), None, "a refusal is no execution");
        let serial = calibrate(&history(&[30, 34, 200, 400], true, 201));
        assert_eq!(serial.jitter, milliseconds(4), "waiting for one's turn is no jitter");
    }
}
