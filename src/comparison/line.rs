//! What a comparison consists of.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::{Clause, Level};

/// How what two contracts say of one thing compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Both say the same, as firmly.
    Same,
    /// They say different things, or one says it more firmly.
    Different,
    /// One of them says nothing, or neither says anything.
    Undeclared,
}

/// What a difference does to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Harm {
    /// Nothing: what the client relies on is there.
    Nothing,
    /// Something may break: it is not said, not binding, or it depends on what the client does.
    MayBreak,
    /// Something that the client may rely on is not there.
    Breaks,
}

/// One thing that follows from a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Consequence {
    /// How bad it is.
    pub harm: Harm,
    /// What it is, in a sentence.
    pub sentence: String,
}

impl Consequence {
    pub(super) fn breaks(sentence: impl Into<String>) -> Self {
        Self { harm: Harm::Breaks, sentence: sentence.into() }
    }

    pub(super) fn may_break(sentence: impl Into<String>) -> Self {
        Self { harm: Harm::MayBreak, sentence: sentence.into() }
    }

    /// The reason why nothing breaks.
    pub(super) fn nothing(reason: impl AsRef<str>) -> Self {
        Self { harm: Harm::Nothing, sentence: format!("nothing breaks: {}", reason.as_ref()) }
    }

    /// Takes what one may rely on where it is no must for what may break.
    pub(super) fn relied_on_at(mut self, level: Level) -> Self {
        if level != Level::Must {
            self.harm = self.harm.min(Harm::MayBreak);
        }
        self
    }
}

/// What a contract says of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stated {
    /// In words.
    pub text: String,
    /// How binding it is.
    pub level: Level,
    /// What it is compared by: the words, without what does not count.
    #[serde(skip)]
    pub(super) compared: String,
}

impl Stated {
    /// Something that every letter counts of.
    pub(super) fn exact(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { compared: text.clone(), text, level: Level::Must }
    }

    /// Something of which the case of letters does not count, such as the name of a header field.
    pub(super) fn without_case(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { compared: text.to_lowercase(), text, level: Level::Must }
    }

    /// The same, as binding as that.
    pub(super) fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Whether it says what the other says, as firmly or not.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.compared == other.compared
    }

    /// The words, with the level where it is no must.
    pub fn shown(&self) -> String {
        match self.level {
            Level::Must => self.text.clone(),
            Level::Should | Level::May => format!("{} ({})", self.text, self.level),
        }
    }
}

/// One thing that contracts can say something of, and what the two say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// The clause that it belongs to.
    pub clause: Clause,
    /// Its place in a profile's contract, such as `replay.after_success`.
    pub item: String,
    /// The parameter variants that it is about, where a promise differs by variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The first answer that it is about, where a promise differs by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What the contract says that the client knows.
    pub known: Option<Stated>,
    /// What the contract says that it meets.
    pub met: Option<Stated>,
    /// How the two compare.
    pub agreement: Agreement,
    /// What follows for the client. Empty where both say the same, and where neither says anything.
    pub consequences: Vec<Consequence>,
}

impl Line {
    /// Whether the two differ in something that is a must for one of them.
    pub fn differs_in_a_must(&self) -> bool {
        let is_must = |stated: &Option<Stated>| stated.as_ref().is_some_and(|stated| stated.level == Level::Must);
        self.agreement != Agreement::Same && (is_must(&self.known) || is_must(&self.met))
    }

    /// The worst that follows, if anything does.
    pub fn harm(&self) -> Option<Harm> {
        self.consequences.iter().map(|consequence| consequence.harm).max()
    }

    /// Whether neither contract says anything.
    pub fn is_silent(&self) -> bool {
        self.known.is_none() && self.met.is_none()
    }
}

/// A contract by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// The name of its profile.
    pub profile: String,
    /// The title of its profile.
    pub title: String,
}
