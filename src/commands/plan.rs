//! The text of `idemspec run --plan`: what would be sent.

use crate::plan::{Plan, PlannedCase};
use crate::scenario::{Race, RaceCopy, Send, Step, Wait};

/// Says what a plan would send, and what it leaves out and why.
pub(super) fn text(plan: &Plan, announcement: &str) -> String {
    let mut text = format!("{announcement}\n\nCases\n");
    for case in &plan.cases {
        text.push_str(&format!("  {}{}\n", case.id, if case.alone { "  (alone, last)" } else { "" }));
        text.push_str(&format!("      {}\n", stimuli(case)));
    }
    if !plan.skipped.is_empty() {
        text.push_str("\nLeft out\n");
        for (id, skipped) in &plan.skipped {
            text.push_str(&format!("  {id}: {}\n", skipped.reason));
        }
    }
    text.push_str("\nNothing was sent.\n");
    text
}

fn stimuli(case: &PlannedCase) -> String {
    let steps: Vec<String> = case.steps.iter().map(stimulus).collect();
    steps.join(", ")
}

/// One step, in a few words.
pub(super) fn stimulus(step: &Step) -> String {
    match step {
        Step::Send(send) => sending(send),
        Step::Race(race) => racing(race),
        Step::Repeat(repeat) => {
            let parameters = repeat.parameters.as_ref().map_or_else(String::new, |name| format!(" with {name}"));
            format!("repeat {}{parameters} until it is settled", repeat.intent)
        }
        Step::Wait(Wait::For(period)) => format!("wait {period}"),
        Step::Wait(Wait::Settle) => "wait until counts settle".into(),
        Step::Wait(Wait::Handler) => "wait for the handler".into(),
        Step::Wait(Wait::InFlight) => "wait until nothing can be in flight".into(),
        Step::Hook(hook) => format!("hook {}", hook.name),
        Step::Count(count) => format!("count {}", count.intent),
    }
}

fn racing(race: &Race) -> String {
    let copies: Vec<_> = race.copies().collect();
    let own = race.parameters.as_deref();
    let mut text = format!("race {} copies of {}", copies.len(), race.intent);
    if let Some(parameters) = own {
        text.push_str(&format!(" with {parameters}"));
    }
    let differing: Vec<String> = copies.iter().filter_map(|copy| differing(race, copy)).collect();
    if !differing.is_empty() {
        text.push_str(&format!(" ({})", differing.join(", ")));
    }
    if race.rounds() > 1 {
        text.push_str(&format!(", {} rounds", race.rounds()));
    }
    text
}

/// What sets a copy apart from the others of its race.
fn differing(race: &Race, copy: &RaceCopy) -> Option<String> {
    let intent = copy.intent.as_ref().filter(|intent| **intent != race.intent);
    let parameters = copy.parameters.as_ref().filter(|parameters| race.parameters.as_ref() != Some(parameters));
    let words = [
        Some(format!("at {}", copy.at)).filter(|_| copy.at.0 > 0),
        intent.map(|name| format!("for {name}")),
        parameters.map(|name| format!("with {name}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    if words.is_empty() { None } else { Some(words.join(" ")) }
}

fn sending(send: &Send) -> String {
    let mut text = format!("send {}", send.intent);
    for (word, value) in [("like", &send.like), ("with", &send.parameters), ("as", &send.account)] {
        if let Some(value) = value {
            text.push_str(&format!(" {word} {value}"));
        }
    }
    if send.key.is_some() {
        text.push_str(" without a key");
    }
    if let Some(enough) = send.unless_counted {
        text.push_str(&format!(" unless {enough} effects are counted"));
    }
    if let Some(loss) = send.lose {
        text.push_str(&format!(" (lost: {loss})"));
    }
    text
}
