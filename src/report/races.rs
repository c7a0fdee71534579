//! What the races of a run amount to: how many rounds there were, whether their copies met, how close together they were
//! released, and how many effects each round had. Times differ from run to run, so this stands at the end of a report.

use std::collections::BTreeSet;
use std::time::Duration;

use super::terminal::View;
use super::text::{escape, plural};
use crate::history::{Attempt, AttemptId, CaseHistory, History, IntentId, Listing, RaceRound, Release};

/// The scenario whose race calibrates, and has two actions of its own.
const CONTROL: &str = "control";

impl View<'_> {
    /// A line for every case that raced.
    pub(super) fn races(&self) -> String {
        let races = lines(self.history);
        let Some(width) = races.iter().map(|(case, _)| case.chars().count()).max() else {
            return String::new();
        };
        let lines: String = races.iter().map(|(case, text)| format!("  {case:<width$}  {text}\n")).collect();
        format!("{}\n{lines}\n", self.heading("Races"))
    }
}

/// Every case that raced, and what its races amount to.
pub(super) fn lines(history: &History) -> Vec<(String, String)> {
    summaries(history).iter().map(|race| (escape(&race.case), race.text())).collect()
}

/// The races of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Summary {
    case: String,
    /// How many copies each round had.
    copies: Vec<usize>,
    meeting: Meeting,
    /// How each round was released, where several copies were to leave together.
    spreads: Vec<Duration>,
    releases: BTreeSet<&'static str>,
    /// How many effects each action of each round had; absent where nobody counted.
    effects: Vec<Vec<Option<usize>>>,
}

/// Whether the copies met.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meeting {
    /// In so many rounds they were shown to be under way at the same time.
    Overlapped(usize),
    /// They were sent when the first had been answered; this was the longest time that passed in between.
    OneAfterTheOther(Duration),
}

fn summaries(history: &History) -> Vec<Summary> {
    let raced = history.cases.values().filter(|case| !case.races.is_empty() && case.info.scenario != CONTROL);
    raced.map(summary).collect()
}

fn summary(case: &CaseHistory) -> Summary {
    let together = || case.races.iter().filter(|round| !round.spread.is_zero());
    let mut spreads: Vec<Duration> = together().map(|round| round.spread).collect();
    spreads.sort_unstable();
    let gaps: Option<Vec<Duration>> = case.races.iter().map(|round| gap(case, round)).collect();
    let overlapped = case.races.iter().filter(|round| round.overlapped).count();
    let last = gaps.and_then(|gaps| gaps.into_iter().max());
    Summary {
        case: case.id.0.clone(),
        copies: case.races.iter().map(|round| round.attempts.len()).collect(),
        meeting: last.map_or(Meeting::Overlapped(overlapped), Meeting::OneAfterTheOther),
        spreads,
        releases: together().map(|round| word(round.release)).collect(),
        effects: case.races.iter().map(|round| effects(case, round)).collect(),
    }
}

fn word(release: Release) -> &'static str {
    match release {
        Release::LastByte => "last byte",
        Release::SinglePacket => "single packet",
        Release::Unsynchronised => "unsynchronised",
    }
}

/// If every copy but one was sent when that one had been answered: how long after its answer the next one left.
fn gap(case: &CaseHistory, round: &RaceRound) -> Option<Duration> {
    let times: Option<Vec<(Duration, Duration)>> = attempts(case, round)
        .map(|attempt| {
            let timing = attempt.end.as_ref()?.timing;
            Some((timing.first_written?, timing.ended))
        })
        .collect();
    let mut times = times?;
    times.sort_unstable();
    let ((_, answered), later) = times.split_first()?;
    let (next, _) = later.first()?;
    (next >= answered).then(|| *next - *answered)
}

fn attempts<'h>(case: &'h CaseHistory, round: &'h RaceRound) -> impl Iterator<Item = &'h Attempt> {
    round.attempts.iter().filter_map(|id| case.attempt(*id))
}

/// How many effects each action of a round had, by the count after it.
fn effects(case: &CaseHistory, round: &RaceRound) -> Vec<Option<usize>> {
    let intents: BTreeSet<IntentId> = attempts(case, round).map(|attempt| attempt.start.intent).collect();
    let last = round.attempts.iter().max().copied().unwrap_or(AttemptId(0));
    intents.into_iter().map(|intent| counted(case, intent, last).or_else(|| named(case, round, intent))).collect()
}

/// What the first counter listed for an action after an attempt, and before any later one.
fn counted(case: &CaseHistory, intent: IntentId, last: AttemptId) -> Option<usize> {
    let marker = &case.intent(intent)?.marker;
    let counts =
        case.counts.iter().filter(|count| count.counter == 0 && count.marker == *marker && count.after == last.0);
    counts.rev().find_map(|count| match &count.listing {
        Listing::Items(items) => Some(items.len()),
        Listing::Failed(_) => None,
    })
}

/// How many identities the answers of a round name, where nothing lists effects.
fn named(case: &CaseHistory, round: &RaceRound, intent: IntentId) -> Option<usize> {
    let own = attempts(case, round).filter(|attempt| attempt.start.intent == intent);
    let named: BTreeSet<&str> = own.filter_map(|attempt| attempt.end.as_ref()?.identity.as_deref()).collect();
    Some(named.len()).filter(|number| *number > 0)
}

impl Summary {
    /// `3 rounds of 20 copies, 3 shown to overlap, spread 0.05/0.08/0.10 ms (last byte), effects 1 1 1`.
    fn text(&self) -> String {
        let (fewest, most) = (self.copies.iter().min().unwrap_or(&0), self.copies.iter().max().unwrap_or(&0));
        let copies = if fewest == most { format!("{most} copies") } else { format!("{fewest} to {most} copies") };
        let rounds = plural(self.copies.len(), "round");
        let meeting = match self.meeting {
            Meeting::Overlapped(number) => format!("{number} shown to overlap"),
            Meeting::OneAfterTheOther(gap) => format!("the next within {} ms of the answer", milliseconds(gap)),
        };
        format!("{rounds} of {copies}, {meeting}{}, {}", self.spread(), self.effects_text())
    }

    /// The least, the median and the largest spread.
    fn spread(&self) -> String {
        let (Some(least), Some(largest)) = (self.spreads.first(), self.spreads.last()) else { return String::new() };
        let median = self.spreads[self.spreads.len() / 2];
        let times = [*least, median, *largest].map(milliseconds).join("/");
        let releases: Vec<&str> = self.releases.iter().copied().collect();
        format!(", spread {times} ms ({})", releases.join(", "))
    }

    fn effects_text(&self) -> String {
        let action = |effects: &Option<usize>| effects.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let round = |effects: &Vec<Option<usize>>| effects.iter().map(action).collect::<Vec<_>>().join("+");
        let rounds: Vec<String> = self.effects.iter().map(round).collect();
        if self.effects.iter().flatten().all(Option::is_none) {
            return "effects not counted".into();
        }
        match rounds.as_slice() {
            [first, _, _, _, _, _, ..] if rounds.iter().all(|other| other == first) => {
                format!("effects {first} in each")
            }
            _ => format!("effects {}", rounds.join(" ")),
        }
    }
}

/// Rounded up, so that it never says less than was measured.
pub(super) fn milliseconds(time: Duration) -> String {
    let hundredths = time.as_nanos().div_ceil(10_000);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{AttemptEnd, Event, EventKind, Intent, Outcome, Race, Timing};
    use crate::report::fixtures::{answer, case_started, count, end, event, history, render, start};

    /// A round of copies that leave and are answered at these moments, and the effects that are listed after it.
    fn round(number: u32, copies: &[(u64, u64)], overlapped: bool, spread: u64, effects: &[&str]) -> Vec<Event> {
        let case = Some("in-flight[first=slow]");
        let at = u64::from(number) * 1000;
        let ids: Vec<u32> = (1..).map(|index| number * 100 + index).take(copies.len()).collect();
        let marker = format!("m-{number}");
        let name = format!("burst {number}");
        let intent = Intent {
            id: IntentId(number),
            name,
            key: "k".into(),
            first_sent: None,
            marker: marker.clone(),
            like: None,
        };
        let mut events = vec![event(at, case, EventKind::IntentCreated(intent))];
        for (id, (sent, answered)) in ids.iter().zip(copies) {
            let mut copy = start(*id);
            copy.intent = IntentId(number);
            events.push(event(at, case, EventKind::AttemptStarted(copy)));
            let moment = |milliseconds| Duration::from_millis(at + milliseconds);
            let timing = Timing { first_written: Some(moment(*sent)), ended: moment(*answered), ..Timing::default() };
            let ended = AttemptEnd { timing, ..end(*id, Outcome::Answered(answer(201, "{}"))) };
            events.push(event(at, case, EventKind::AttemptEnded(ended)));
        }
        let last = ids.last().copied().unwrap_or_default();
        let attempts = ids.into_iter().map(AttemptId).collect();
        let spread = Duration::from_micros(spread);
        events.push(event(
            at,
            case,
            EventKind::Raced(Race { attempts, overlapped, release: Release::LastByte, spread }),
        ));
        let listed = crate::history::Count { marker, ..count(last, effects) };
        events.push(event(at, case, EventKind::Counted(listed)));
        events
    }

    fn raced(rounds: Vec<Vec<Event>>) -> History {
        let began = event(0, Some("in-flight[first=slow]"), case_started("in-flight"));
        history(std::iter::once(began).chain(rounds.concat()).collect())
    }

    fn line(rounds: Vec<Vec<Event>>) -> String {
        summaries(&raced(rounds)).iter().map(Summary::text).collect()
    }

    #[test]
    fn every_round_says_whether_its_copies_met_and_what_they_did() {
        let burst = [(0, 200), (0, 210), (0, 205)];
        let rounds = vec![
            round(1, &burst, true, 100, &["1"]),
            round(2, &burst, false, 50, &["2", "3"]),
            round(3, &burst[..2], true, 81, &[]),
        ];
        assert_eq!(
            line(rounds),
            "3 rounds of 2 to 3 copies, 2 shown to overlap, spread 0.05/0.09/0.10 ms (last byte), effects 1 2 0"
        );
    }

    #[test]
    fn copies_that_follow_an_answer_are_not_blamed_for_meeting_nobody() {
        let copies = [(0, 30), (31, 60), (31, 61)];
        let rounds: Vec<_> = (1..=7).map(|number| round(number, &copies, false, 0, &["1"])).collect();
        assert_eq!(line(rounds), "7 rounds of 3 copies, the next within 1.00 ms of the answer, effects 1 in each");
        let mut uncounted = raced(vec![round(1, &copies, false, 0, &["1"])]);
        uncounted.cases[0].counts.clear();
        assert!(summaries(&uncounted)[0].text().ends_with(", effects not counted"));
        let met = vec![round(1, &[(0, 30), (10, 60), (31, 61)], false, 0, &["1"])];
        assert_eq!(line(met), "1 round of 3 copies, 0 shown to overlap, effects 1");
    }

    #[test]
    fn the_section_of_the_report() {
        let burst = [(0, 200), (0, 210)];
        let history = raced(vec![round(1, &burst, true, 100, &["1"]), round(2, &burst, true, 120, &["2"])]);
        let report = render(&history, &[], None, 0);
        let (_, from) = report.split_once("Races\n").unwrap();
        insta::assert_snapshot!(from.split("\n\n").next().unwrap());
    }
}
