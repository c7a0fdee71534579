//! An operation, and its parameter variants: which one a request is, and what becomes of it.

use super::answers::Telling;
use super::fields::{Found, Spot, Wanted};
use super::mock::{self, Names};
use super::pattern::Captures;
use super::routes::{Shape, is_parameter, meet};
use crate::contract::{Drawn, Matcher};
use crate::profile::{BASE, DeclaredVariant, FurtherOperation, Mock, MockAnswer};
use crate::reference::answer::Answer;
use crate::reference::book::{Course, SLOW_FACTOR};

/// The name of the variant that takes long.
const SLOW: &str = "slow";

/// An operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    /// How it is recognised.
    pub(super) shape: Shape,
    /// How its answers read.
    pub(super) telling: Telling,
    variants: Vec<Variant>,
}

/// A parameter variant.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// Its name.
    pub(super) name: String,
    /// Its path, where that is not the operation's own.
    other_path: Option<String>,
    /// What it draws.
    pub(super) drawn: Drawn,
    /// How that is told.
    pub(super) draws: Matcher,
    /// How that is written out, if it does not succeed.
    written: Option<MockAnswer>,
    wanted: Vec<Wanted>,
    /// What the operation's own request does not have.
    own: Vec<Wanted>,
    /// What the operation's own request has, and this one does not.
    without: Vec<Spot>,
}

impl Operation {
    /// The operation of a profile.
    pub(super) fn of(
        shape: Shape,
        telling: Telling,
        declared: &[DeclaredVariant<'_>],
        mock: Option<&Mock>,
    ) -> Result<Self, String> {
        let written = |name: &str| mock.and_then(|mock| mock.failures.get(name).cloned());
        let variant = |declared: &DeclaredVariant<'_>| Variant::of(declared, &shape.wanted, written(declared.name));
        let mut variants = declared.iter().map(variant).collect::<Result<Vec<_>, _>>()?;
        let own = declared.first().map(|base| &base.request.path);
        for (variant, declared) in variants.iter_mut().zip(declared) {
            let path = &declared.request.path;
            variant.other_path = (own != Some(path)).then(|| path.0.clone());
        }
        Ok(Self { shape, telling, variants })
    }

    /// The only variant of a further operation.
    pub(super) fn base(operation: &FurtherOperation) -> DeclaredVariant<'_> {
        DeclaredVariant { name: BASE, request: operation.request.clone(), outcome: Drawn::Success, draws: None }
    }

    /// All variants, the operation's own request first.
    pub(super) fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// The variant of this name.
    pub(super) fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// Which variant a request is, and what stands in its holes.
    ///
    /// A request that is exactly what a variant says is that one. Any other is the variant with the most of its own in it,
    /// and without any, the operation's own request: so clients can send what they like, and draw what they like.
    pub(super) fn recognise(&self, found: &[Found], other_path: Option<&str>) -> Option<(&Variant, Captures)> {
        let is_there = |variant: &Variant| variant.other_path.is_none() || variant.other_path.as_deref() == other_path;
        let fitting = self.variants.iter().filter(|variant| is_there(variant) && variant.fits(found));
        // Of equals the first counts, and `max_by_key` takes the last.
        let best = fitting.rev().max_by_key(|variant| {
            let weight: usize = variant.own.iter().map(Wanted::weight).sum();
            let by_path = variant.other_path.is_some();
            (by_path, variant.is_exactly(found), variant.own.len() + variant.without.len(), weight)
        });
        best.map(|variant| (variant, meet(&variant.wanted, found).0))
    }
}

impl Variant {
    fn of(declared: &DeclaredVariant<'_>, base: &[Wanted], written: Option<MockAnswer>) -> Result<Self, String> {
        let wanted = Shape::read(&declared.request)?.wanted;
        let own = wanted.iter().filter(|field| !base.contains(field)).cloned().collect();
        let is_there = |spot: &Spot| wanted.iter().any(|field| field.spot == *spot);
        let without = base.iter().map(|field| field.spot.clone()).filter(|spot| !is_there(spot)).collect();
        let draws = declared.draws.cloned().unwrap_or_default();
        let name = declared.name.to_owned();
        Ok(Self { name, other_path: None, drawn: declared.outcome, draws, written, own, without, wanted })
    }

    fn fits(&self, found: &[Found]) -> bool {
        let is_there = |field: &Wanted| found.iter().any(|found| field.capture(found).is_some());
        self.own.iter().all(is_there) && !found.iter().any(|found| self.without.contains(&found.spot))
    }

    fn is_exactly(&self, found: &[Found]) -> bool {
        let parameters = self.wanted.iter().filter(|wanted| is_parameter(&wanted.spot)).count();
        meet(&self.wanted, found).1 == self.wanted.len()
            && found.iter().filter(|found| is_parameter(&found.spot)).count() == parameters
    }

    /// What becomes of it when it is carried out; an answer if it is not.
    pub(super) fn course(&self) -> Result<Course, Answer> {
        match self.drawn {
            Drawn::Success => Ok(Course::Succeeds),
            Drawn::Failure => Ok(Course::Fails),
            Drawn::ServerError => Ok(Course::Crashes),
            Drawn::ValidationFailure | Drawn::TurnedAway => Err(self.failure()),
        }
    }

    /// The answer to a request that does not succeed.
    pub(super) fn failure(&self) -> Answer {
        let (status, sentence, code) = match self.drawn {
            Drawn::ValidationFailure => (400, "invalid parameters", "invalid"),
            Drawn::Success | Drawn::Failure => (422, "declined", "declined"),
            Drawn::ServerError => (500, "internal error", "internal"),
            Drawn::TurnedAway => (503, "busy; nothing was done", "busy"),
        };
        let usual = Answer::coded(status, sentence, code);
        let answer = match &self.written {
            Some(written) => mock::answer(written, usual, Names::default()),
            None => usual,
        };
        answer.fitting(&self.draws, None)
    }

    /// How many times longer than others it takes.
    pub(super) fn slowness(&self) -> u32 {
        if self.name == SLOW { SLOW_FACTOR } else { 1 }
    }
}
