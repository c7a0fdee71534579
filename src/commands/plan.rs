//! The text of `idemspec run --plan`: what would be sent.

use crate::history::KeyKind;
use crate::plan::{Plan, PlannedCase};
use crate::scenario::{Advance, FanOut, HookStep, KeyChoice, Moment, Race, RaceCopy, Send, Step, Wait};

/// Says what a plan would send, and what it leaves out and why.
pub(super) fn text(plan: &Plan, announcement: &str) -> String {
    let mut text = format!("{announcement}\n\nCases\n");
    for case in &plan.cases {
        text.push_str(&format!("  {}{}\n", case.id, if case.alone { "  (alone, last)" } else { "" }));
        text.push_str(&format!("      {}\n", stimuli(case)));
        if case.steps.iter().any(|step| matches!(step, Step::Sweep(_))) {
            text.push_str(&format!("      {} fields: {}\n", plan.fields.len(), plan.fields.join(", ")));
        }
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
        Step::FanOut(fan_out) => fanning_out(fan_out),
        Step::Sweep(sweep) => {
            format!("send {} for each of its fields: as it is, with that field changed, as it is", sweep.intent)
        }
        Step::Pressure(pressure) => format!("use {} fresh keys as {}", pressure.keys, pressure.intent),
        Step::Wait(Wait::For(period)) => format!("wait {period}"),
        Step::Wait(Wait::Settle) => "wait until counts settle".into(),
        Step::Wait(Wait::Handler) => "wait for the handler".into(),
        Step::Wait(Wait::InFlight) => "wait until nothing can be in flight".into(),
        Step::Wait(Wait::HalfExpiry) => "wait until half of the time that the key is kept has passed".into(),
        Step::Wait(Wait::BeforeExpiry) => "wait until shortly before the key expires".into(),
        Step::Wait(Wait::AfterExpiry) => "wait until the key has expired".into(),
        Step::Hook(hook) => running(hook),
        Step::Count(count) => {
            format!("count {}{}", count.intent, counted_at(count.account.as_ref(), count.operation.as_ref()))
        }
    }
}

fn fanning_out(fan_out: &FanOut) -> String {
    let parameters = fan_out.parameters.as_ref().map_or_else(String::new, |name| format!(" with {name}"));
    let last = fan_out.again.iter().max().copied().unwrap_or_default();
    let times = if fan_out.again.len() == 1 { "once".into() } else { format!("{} times", fan_out.again.len()) };
    let replicas = if fan_out.each_replica { " on each replica" } else { "" };
    format!("send {}{parameters}, and again {times}{replicas} within {last}", fan_out.intent)
}

fn running(hook: &HookStep) -> String {
    let by = match hook.by {
        None => String::new(),
        Some(Advance::Half) => " by half of the time that a key is kept".into(),
        Some(Advance::Expiry) => " past the time that a key is kept".into(),
        Some(Advance::BeforeExpiry) => " by most of the time that a key is kept".into(),
        Some(Advance::Rest) => " past what is left of the time that a key is kept".into(),
        Some(Advance::For(period)) => format!(" by {period}"),
    };
    let intent = hook.intent.as_ref().map_or_else(String::new, |intent| format!(" on {intent}"));
    format!("hook {}{by}{intent}", hook.name)
}

fn place(account: Option<&String>, operation: Option<&String>) -> String {
    let operation = operation.map_or_else(String::new, |name| format!(" to operation {name}"));
    let account = account.map_or_else(String::new, |name| format!(" as {name}"));
    format!("{operation}{account}")
}

fn counted_at(account: Option<&String>, operation: Option<&String>) -> String {
    let operation = operation.map_or_else(String::new, |name| format!(" of operation {name}"));
    let account = account.map_or_else(String::new, |name| format!(" of account {name}"));
    format!("{operation}{account}")
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
        Some(words_of(copy.at)).filter(|_| !copy.at.is_at_once()),
        intent.map(|name| format!("for {name}")),
        parameters.map(|name| format!("with {name}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    if words.is_empty() { None } else { Some(words.join(" ")) }
}

fn words_of(moment: Moment) -> String {
    match moment {
        Moment::After(part) => format!("at {part}"),
        Moment::Answered => "as the first is answered".into(),
    }
}

fn sending(send: &Send) -> String {
    let mut text = format!("send {}", send.intent);
    for (word, value) in [("like", &send.like), ("with", &send.parameters)] {
        if let Some(value) = value {
            text.push_str(&format!(" {word} {value}"));
        }
    }
    text.push_str(&place(send.account.as_ref(), send.operation.as_ref()));
    if let Some(replica) = &send.replica {
        text.push_str(&format!(" on replica {replica}"));
    }
    if let Some(method) = &send.method {
        text.push_str(&format!(" by {}", if method == "other" { "another method" } else { method }));
    }
    match send.key {
        None => {}
        Some(KeyChoice::None) => text.push_str(" without a key"),
        Some(KeyChoice::Odd(kind)) => text.push_str(&format!(" under {}", oddity(kind))),
    }
    if let Some(enough) = send.unless_counted {
        text.push_str(&format!(" unless {enough} effects are counted"));
    }
    if let Some(loss) = send.lose {
        let after = send.after.map_or_else(String::new, |after| format!(" after {after} of the service time"));
        text.push_str(&format!(" (lost: {loss}{after})"));
    }
    text
}

fn oddity(kind: KeyKind) -> String {
    let words = match kind {
        KeyKind::Long(length) => return format!("a key of {length} characters"),
        KeyKind::LongSibling(length) => return format!("a key of {length} characters with another last one"),
        KeyKind::Empty => "an empty key",
        KeyKind::Malformed => "a malformed key",
        KeyKind::Longest => "a key of the maximum length",
        KeyKind::LongestSibling => "that key with another last character",
        KeyKind::LongestOtherCase => "a key of the maximum length in the other case",
        KeyKind::Overlong => "a key that is too long by one character",
        KeyKind::OverlongSibling => "such a key with another last character",
        KeyKind::OtherCase => "its key in the other case",
        KeyKind::Quoted => "its key in quotes",
        KeyKind::Padded => "its key between spaces",
        KeyKind::Spaced => "its key with a space in it",
        KeyKind::Accented => "its key with a letter that is not ASCII",
        KeyKind::Undated => "its key without its date",
        KeyKind::DateAlone => "its date without a key",
        KeyKind::Misdated => "its key and no date in the date's place",
        KeyKind::Outdated => "its key and a date of long ago",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(step: &str) -> String {
        stimulus(&serde_json::from_value(serde_yaml::from_str(step).unwrap()).unwrap())
    }

    #[test]
    fn every_step_has_its_words() {
        for (step, expected) in [
            ("send: {intent: a, key: none}", "send a without a key"),
            ("send: {intent: a, key: overlong}", "send a under a key that is too long by one character"),
            ("send: {intent: a, key: long-65-sibling}", "send a under a key of 65 characters with another last one"),
            ("send: {intent: a, account: other}", "send a as other"),
            ("send: {intent: a, operation: other}", "send a to operation other"),
            ("send: {intent: a, method: other}", "send a by another method"),
            ("send: {intent: a, method: PUT}", "send a by PUT"),
            ("count: {intent: a, operation: other, account: b}", "count a of operation other of account b"),
            ("hook: {name: advance-clock, by: half}", "hook advance-clock by half of the time that a key is kept"),
            ("hook: {name: advance-clock, by: 30m}", "hook advance-clock by 30m"),
            ("hook: {name: change, intent: a}", "hook change on a"),
            ("send: {intent: a, replica: two}", "send a on replica two"),
            (
                "send: {intent: a, lose: execution by reset, after: 5%}",
                "send a (lost: execution by reset after 5% of the service time)",
            ),
            ("fan-out: {intent: a, again: [0ms, 100ms]}", "send a, and again 2 times within 100ms"),
            (
                "fan-out: {intent: a, parameters: slow, again: [5ms], each_replica: true}",
                "send a with slow, and again once on each replica within 5ms",
            ),
            (
                "race: {intent: a, copies: [{}, {at: 50%}, {at: answered, parameters: changed}]}",
                "race 3 copies of a (at 50%, as the first is answered with changed)",
            ),
            ("wait: after-expiry", "wait until the key has expired"),
            ("sweep: {intent: a}", "send a for each of its fields: as it is, with that field changed, as it is"),
        ] {
            assert_eq!(words(step), expected);
        }
    }
}
