//! What breaks where a client relies on one treatment and meets another: a table, by row of the contract.
//!
//! The first rule that fits counts. A sentence stands for itself, so that it can also follow "a client may find that".

mod conflict;
mod key;
mod replay;
mod retention;
mod scope;

use super::line::{Consequence, Harm};
use crate::contract::{Clause, Row, Treatment};

/// A treatment, whatever a refusal looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Executes,
    Replays,
    Refreshes,
    Rejects,
}

impl Kind {
    /// What a client relies on that relies on this.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Executes => "an execution",
            Self::Replays => "the first answer",
            Self::Refreshes => "the current state",
            Self::Rejects => "a refusal",
        }
    }
}

impl From<&Treatment> for Kind {
    fn from(treatment: &Treatment) -> Self {
        match treatment {
            Treatment::Executes => Self::Executes,
            Treatment::Replays => Self::Replays,
            Treatment::Refreshes => Self::Refreshes,
            Treatment::Rejects(_) => Self::Rejects,
        }
    }
}

/// What a client relies on; nothing, where the contract that it knows is silent.
type Relied = Option<Kind>;

const NOTHING: Relied = None;
const EXECUTION: Relied = Some(Kind::Executes);
const ANSWER: Relied = Some(Kind::Replays);
const STATE: Relied = Some(Kind::Refreshes);
const REFUSAL: Relied = Some(Kind::Rejects);

/// What it does to a client to meet one treatment where it relies on another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    row: Row,
    met: Kind,
    relied: &'static [Relied],
    harm: Harm,
    sentence: &'static str,
}

const fn breaks(row: Row, met: Kind, relied: &'static [Relied], sentence: &'static str) -> Rule {
    Rule { row, met, relied, harm: Harm::Breaks, sentence }
}

const fn may_break(row: Row, met: Kind, relied: &'static [Relied], sentence: &'static str) -> Rule {
    Rule { row, met, relied, harm: Harm::MayBreak, sentence }
}

/// The sentence is the reason why nothing breaks.
const fn harmless(row: Row, met: Kind, relied: &'static [Relied], sentence: &'static str) -> Rule {
    Rule { row, met, relied, harm: Harm::Nothing, sentence }
}

impl Rule {
    /// What follows, as a sentence about any client.
    fn consequence(self) -> Consequence {
        match self.harm {
            Harm::Nothing => Consequence::nothing(self.sentence),
            Harm::MayBreak => Consequence::may_break(self.sentence),
            Harm::Breaks => Consequence::breaks(self.sentence),
        }
    }
}

/// What follows for a client that relies on one treatment in a row, or on none, and meets another.
pub(super) fn consequence(row: Row, relied: Option<Kind>, met: Kind) -> Option<Consequence> {
    let rules = match row.clause() {
        Clause::Key => key::RULES,
        Clause::Retention => retention::RULES,
        Clause::Replay => replay::RULES,
        Clause::Conflict => conflict::RULES,
        Clause::Scope => scope::RULES,
    };
    let found = rules.iter().find(|rule| rule.row == row && rule.met == met && rule.relied.contains(&relied));
    found.map(|rule| rule.consequence()).or_else(|| between_answers(relied, met))
}

/// What holds in every row that has no rule of its own for it.
fn between_answers(relied: Option<Kind>, met: Kind) -> Option<Consequence> {
    match (relied?, met) {
        (Kind::Replays, Kind::Refreshes) => Some(Consequence::breaks(
            "the answer tells how the action stands now, and not what the first attempt was answered",
        )),
        (Kind::Refreshes, Kind::Replays) => Some(Consequence::breaks(
            "the answer is as old as the first attempt: what has changed since then does not show",
        )),
        (Kind::Executes | Kind::Replays | Kind::Refreshes | Kind::Rejects, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 4] = [Kind::Executes, Kind::Replays, Kind::Refreshes, Kind::Rejects];

    #[test]
    fn every_row_has_a_rule_for_everything_that_a_client_can_rely_on_and_meet() {
        for row in Row::ALL {
            for relied in [NOTHING, EXECUTION, ANSWER, STATE, REFUSAL] {
                for met in KINDS.into_iter().filter(|met| Some(*met) != relied) {
                    let found = consequence(row, relied, met);
                    assert!(found.is_some_and(|found| found.sentence.len() > 30), "{row:?} {relied:?} {met:?}");
                }
            }
        }
    }

    #[test]
    fn sentences_have_the_voice_of_the_house() {
        let rules = [key::RULES, retention::RULES, replay::RULES, conflict::RULES, scope::RULES];
        for rule in rules.into_iter().flatten() {
            assert!(rule.sentence.starts_with(|first: char| !first.is_uppercase()), "{}", rule.sentence);
            assert!(!rule.sentence.ends_with('.') && !rule.sentence.contains("  "), "{}", rule.sentence);
            assert!(!rule.relied.contains(&Some(rule.met)), "relied on what is met: {}", rule.sentence);
        }
    }

    #[test]
    fn no_rule_is_hidden_by_one_before_it() {
        for rules in [key::RULES, retention::RULES, replay::RULES, conflict::RULES, scope::RULES] {
            for (index, rule) in rules.iter().enumerate() {
                let before = &rules[..index];
                let hidden = |relied: &Relied| {
                    before
                        .iter()
                        .any(|other| other.row == rule.row && other.met == rule.met && other.relied.contains(relied))
                };
                assert!(!rule.relied.iter().any(hidden), "{:?} {}", rule.row, rule.sentence);
            }
        }
    }
}
