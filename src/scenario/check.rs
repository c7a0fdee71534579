//! What the form of a scenario cannot say: names that must have been mentioned, words that must be known.

use super::document::ScenarioDocument;
use super::{FanOut, HookStep, Percent, Pressure, Race, Send, Step};
use crate::document::{At, Located, Problem, is_kebab_case, nearest};
use crate::history::LossPoint;

/// What a profile can offer, as words of their own.
const NEEDS: [&str; 14] = [
    "effects",
    "cleanup",
    "clock",
    "fields",
    "key.max_length",
    "key.encoding.bare",
    "key.spaces",
    "key.unicode",
    "key.first_sent",
    "retention.at_least",
    "retention.at_most",
    "retention.anchor.resource-end",
    "scope.methods",
    "target.replicas",
];

/// The hook that moves the target's clock.
const ADVANCE_CLOCK: &str = "advance-clock";

/// What a profile can offer by name.
const NEEDS_BY_NAME: [&str; 5] = ["parameters", "accounts", "operations", "hooks", "replicas"];

/// Everything that is wrong with one case of a scenario.
pub(super) fn problems(located: &Located, document: &ScenarioDocument) -> Vec<Problem> {
    let mut check = Check { located, mentioned: Vec::new(), problems: Vec::new() };
    if !is_kebab_case(&document.scenario) {
        check.problem("/scenario", "a scenario's name is in kebab-case, for example `lost-response`");
    }
    if document.steps.is_empty() {
        check.problem("/steps", "a scenario without steps does nothing");
    }
    for (index, need) in document.needs.iter().enumerate() {
        check.need(&format!("/needs/{index}"), need);
    }
    for (index, step) in document.steps.iter().enumerate() {
        check.step(index, step);
    }
    check.problems
}

struct Check<'d> {
    located: &'d Located,
    /// The intents so far, in the order of their first mention.
    mentioned: Vec<String>,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn problem(&mut self, at: &str, message: &str) {
        self.problems.push(self.located.problem(At::Value(at), message));
    }

    fn need(&mut self, at: &str, need: &str) {
        let by_name =
            need.split_once('.').is_some_and(|(kind, name)| NEEDS_BY_NAME.contains(&kind) && !name.is_empty());
        if by_name || NEEDS.contains(&need) {
            return;
        }
        let forms: Vec<String> = NEEDS_BY_NAME.iter().map(|kind| format!("{kind}.<name>")).collect();
        let expected = format!("one of: {}, {}", NEEDS.join(", "), forms.join(", "));
        let mut problem = self
            .located
            .problem(At::Value(at), format!("`{need}` is nothing that a profile offers"))
            .expecting(expected);
        let (kind, name) = need.split_once('.').unwrap_or((need, ""));
        problem = match nearest(kind, NEEDS_BY_NAME) {
            Some(kind) => {
                problem.hinting(format!("did you mean `{kind}.{}`?", if name.is_empty() { "<name>" } else { name }))
            }
            None => problem.suggesting(need, NEEDS),
        };
        self.problems.push(problem);
    }

    fn step(&mut self, index: usize, step: &Step) {
        let at = |path: &str| format!("/steps/{index}/{path}");
        match step {
            Step::Send(send) => self.send(&at("send"), send),
            Step::Race(race) => self.race(&at("race"), race),
            Step::Repeat(repeat) => self.mention(&at("repeat/intent"), &repeat.intent),
            Step::FanOut(fan_out) => self.fan_out(&at("fan-out"), fan_out),
            Step::Sweep(sweep) => self.mention(&at("sweep/intent"), &sweep.intent),
            Step::Count(count) => self.mention(&at("count/intent"), &count.intent),
            Step::Hook(hook) => self.hook(&at("hook"), hook),
            Step::Pressure(pressure) => self.pressure(&at("pressure"), pressure),
            Step::Wait(_) => {}
        }
    }

    fn pressure(&mut self, at: &str, pressure: &Pressure) {
        if let Some(like) = &pressure.like {
            self.earlier(&format!("{at}/like"), like);
        }
        if self.mentioned.contains(&pressure.intent) {
            let message = format!("`{}` has been used before: pressure is made by fresh keys", pressure.intent);
            self.problem(&format!("{at}/intent"), &message);
        }
        self.mention(&format!("{at}/intent"), &pressure.intent);
        if pressure.keys == 0 {
            self.problem(&format!("{at}/keys"), "pressure by no keys is none: `keys` is 1 or more");
        }
    }

    fn hook(&mut self, at: &str, hook: &HookStep) {
        if let Some(intent) = &hook.intent {
            self.earlier(&format!("{at}/intent"), intent);
        }
        match (hook.name == ADVANCE_CLOCK, hook.by) {
            (true, None) => {
                self.problem(
                    &format!("{at}/name"),
                    "a clock is moved `by: half`, `before-expiry`, `rest`, `expiry` or a length of time",
                );
            }
            (false, Some(_)) => self.problem(&format!("{at}/by"), "`by` belongs to the hook `advance-clock`"),
            (true, Some(_)) | (false, None) => {}
        }
    }

    fn send(&mut self, at: &str, send: &Send) {
        if send.operation.is_some() && send.parameters.is_some() {
            let message = "the variants of the parameters are those of the profile's own operation";
            self.problem(&format!("{at}/parameters"), message);
        }
        let is_new = !self.mentioned.contains(&send.intent);
        match &send.like {
            Some(like) => {
                self.earlier(&format!("{at}/like"), like);
                if is_new {
                    self.mentioned.push(send.intent.clone());
                } else {
                    let message = format!("`like` belongs to the first mention of `{}`, which is earlier", send.intent);
                    self.problem(&format!("{at}/like"), &message);
                }
            }
            None => self.mention(&format!("{at}/intent"), &send.intent),
        }
        let lost_in_execution = send.lose.is_some_and(|loss| loss.at == LossPoint::Execution);
        if send.after.is_some_and(|after| after > Percent::WHOLE) {
            self.problem(&format!("{at}/after"), "`after` is a part of the service time, from 0% to 100%");
        }
        if send.after.is_some() && !lost_in_execution {
            self.problem(
                &format!("{at}/after"),
                "`after` is a part of the service time, and belongs to `lose: execution`",
            );
        }
    }

    fn fan_out(&mut self, at: &str, fan_out: &FanOut) {
        self.mention(&format!("{at}/intent"), &fan_out.intent);
        if fan_out.again.is_empty() {
            self.problem(&format!("{at}/again"), "nothing is sent again: write when, for example `[0ms, 100ms]`");
        }
    }

    fn race(&mut self, at: &str, race: &Race) {
        self.mention(&format!("{at}/intent"), &race.intent);
        for (index, copy) in race.copies.written().iter().enumerate() {
            if let Some(intent) = &copy.intent {
                self.mention(&format!("{at}/copies/{index}/intent"), intent);
            }
        }
        if race.copies().all(|copy| !copy.at.is_at_once()) {
            self.problem(
                &format!("{at}/copies"),
                "no copy is sent at `0%`: the others are sent after the first, so there must be one",
            );
        }
        if race.rounds() == 0 {
            self.problem(&format!("{at}/rounds"), "a race of no rounds does nothing: `rounds` is 1 or more");
        }
        // The actions of later rounds can be named by later steps.
        for round in 2..=race.rounds() {
            self.mentioned.extend(race.intents(round));
        }
    }

    /// An intent that must have been mentioned before.
    fn earlier(&mut self, at: &str, intent: &str) {
        if self.mentioned.iter().any(|known| known == intent) {
            return;
        }
        let known: Vec<&str> = self.mentioned.iter().map(String::as_str).collect();
        let problem = self.located.problem(At::Value(at), format!("no earlier step mentions intent `{intent}`"));
        let problem =
            if known.is_empty() { problem } else { problem.expecting(format!("one of: {}", known.join(", "))) };
        self.problems.push(problem.suggesting(intent, known.iter().copied()));
    }

    /// An intent that may be new here; a new name that differs from a known one by a slip is none.
    fn mention(&mut self, at: &str, intent: &str) {
        if self.mentioned.iter().any(|known| known == intent) {
            return;
        }
        if let Some(known) = self.mentioned.iter().find(|known| is_slip(known, intent)).cloned() {
            let message = format!("intent `{intent}` is new here, and nearly spelled like `{known}`");
            let problem = self.located.problem(At::Value(at), message);
            self.problems.push(problem.hinting(format!("did you mean `{known}`? else choose names that differ more")));
        }
        self.mentioned.push(intent.to_owned());
    }
}

/// Whether two names differ only by case, dashes, one letter too many, or two letters in the wrong order. One letter
/// in place of another may well be meant: `order-a`, `order-b`.
fn is_slip(known: &str, written: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    let (known, written) = (plain(known), plain(written));
    if known == written {
        return true;
    }
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let (known_letters, written_letters) = (sorted(&known), sorted(&written));
    let long_enough = known_letters.len().min(written_letters.len()) >= 4;
    let other_length = known_letters.len() != written_letters.len();
    let ends_in_digit = [&known, &written].iter().any(|name| name.ends_with(|last: char| last.is_ascii_digit()));
    long_enough
        && !ends_in_digit
        && strsim::damerau_levenshtein(&known, &written) == 1
        && (other_length || known_letters == written_letters)
}
