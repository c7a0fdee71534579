//! Whether the copies of a race were under way at the same time, as far as this side can tell.

use std::time::Duration;

use super::{Lap, Start};

/// Whether the copies were under way at the same time.
///
/// The last copy of the burst has arrived one slowest round trip after its release at the latest, on its way there
/// and back: a first byte of any copy's answer that comes later was sent after every copy had arrived. A delayed copy
/// must in the same way have arrived before the answer of one of the burst. Copies that need not meet any other have no
/// part in this.
///
/// `held_up` is for how long this process did not get its turn: by so much an answer may have been there before it was
/// read.
pub(super) fn overlapped(laps: &[Lap], held_up: Duration) -> bool {
    let sent: Vec<(&Lap, Duration)> = laps.iter().filter_map(|lap| Some((lap, lap.released?))).collect();
    let slowest = sent.iter().filter_map(|(lap, _)| lap.attempted.round_trip).max().unwrap_or_default();
    let unanswered_at = |lap: &Lap, moment: Duration| lap.unanswered_until > moment + slowest + held_up;
    let burst = || sent.iter().filter(|(lap, _)| lap.start == Start::Together);
    let last = burst().map(|(_, released)| *released).max().unwrap_or_default();
    let burst_overlaps = burst().count() == 1 || burst().all(|(lap, _)| unanswered_at(lap, last));
    let delayed_overlap = sent
        .iter()
        .filter(|(lap, _)| matches!(lap.start, Start::After(_)))
        .all(|(_, own)| burst().any(|(other, released)| released < own && unanswered_at(other, *own)));
    let to_meet = sent.iter().filter(|(lap, _)| matches!(lap.start, Start::Together | Start::After(_)));
    to_meet.count() >= 2 && burst_overlaps && delayed_overlap
}

/// The time between the first and the last release of the burst.
pub(super) fn spread(laps: &[Lap]) -> Duration {
    let released = || laps.iter().filter(|lap| lap.start == Start::Together).filter_map(|lap| lap.released);
    released().max().unwrap_or_default().saturating_sub(released().min().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Outcome, Timing};
    use crate::message::Response;
    use crate::wire::Attempted;

    const ROUND_TRIP: u64 = 10;

    /// Whether copies overlapped, seen by a process that always got its turn.
    fn overlapped(laps: &[Lap]) -> bool {
        super::overlapped(laps, Duration::ZERO)
    }

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// A copy with a delay, released and answered at these moments.
    fn lap(delay: u64, released: u64, read: u64) -> Lap {
        let start = if delay == 0 { Start::Together } else { Start::After(milliseconds(delay)) };
        started(start, released, read)
    }

    fn started(start: Start, released: u64, read: u64) -> Lap {
        let attempted = Attempted {
            outcome: Outcome::Answered(Response::default()),
            timing: Timing::default(),
            round_trip: Some(milliseconds(ROUND_TRIP)),
            protocol: None,
        };
        let released = Some(milliseconds(released));
        Lap { attempted, start, released, unanswered_until: milliseconds(read) }
    }

    #[test]
    fn a_burst_overlaps_if_no_answer_can_have_left_before_the_last_copy_arrived() {
        assert!(overlapped(&[lap(0, 100, 116), lap(0, 105, 116)]));
        assert!(!overlapped(&[lap(0, 100, 115), lap(0, 105, 200)]), "within a round trip of the last release");
        assert!(!overlapped(&[lap(0, 100, 200)]), "one copy is no race");
        let slow_connection = Lap {
            attempted: Attempted { round_trip: Some(milliseconds(50)), ..lap(0, 0, 0).attempted },
            ..lap(0, 100, 500)
        };
        assert!(!overlapped(&[lap(0, 100, 140), slow_connection]), "the slowest connection counts");
    }

    #[test]
    fn a_copy_that_was_never_sent_overlaps_nothing() {
        let unsent = || Lap { released: None, ..lap(0, 0, 0) };
        assert!(!overlapped(&[lap(0, 100, 200), unsent()]));
        assert!(overlapped(&[lap(0, 100, 200), unsent(), lap(0, 100, 200)]));
        assert_eq!(spread(&[lap(0, 100, 200), unsent(), lap(0, 103, 200), lap(50, 150, 200)]), milliseconds(3));
    }

    #[test]
    fn a_delayed_copy_overlaps_one_that_is_still_running() {
        assert!(overlapped(&[lap(0, 100, 300), lap(50, 150, 170), lap(100, 200, 220)]));
        assert!(!overlapped(&[lap(0, 100, 205), lap(50, 150, 170), lap(100, 200, 220)]), "the last came too late");
    }

    #[test]
    fn a_copy_that_need_not_meet_another_says_nothing_about_overlap() {
        let afterwards = || [started(Start::Late(milliseconds(150)), 250, 260), started(Start::Answered, 206, 216)];
        let with = |laps: [Lap; 2]| overlapped(&laps.into_iter().chain(afterwards()).collect::<Vec<_>>());
        assert!(with([lap(0, 100, 205), lap(50, 150, 170)]));
        assert!(!with([lap(0, 100, 205), lap(100, 200, 220)]), "the second came too late");
        let [late, answered] = afterwards();
        assert!(!overlapped(&[lap(0, 100, 205), late, answered]), "nothing was to meet");
    }

    #[test]
    fn who_was_held_up_may_have_read_an_answer_late() {
        let burst = [lap(0, 100, 300), lap(0, 105, 301)];
        assert!(super::overlapped(&burst, milliseconds(150)) && !super::overlapped(&burst, milliseconds(190)));
        let inside = [lap(0, 100, 300), lap(100, 200, 220)];
        assert!(super::overlapped(&inside, milliseconds(50)) && !super::overlapped(&inside, milliseconds(90)));
    }
}
