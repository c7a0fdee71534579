//! The text of `idemspec run --plan`: what would be sent.

use crate::plan::{Plan, PlannedCase};
use crate::scenario::{Send, Step, Wait};

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
