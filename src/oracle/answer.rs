//! What an answer is: a success, an outcome that its parameters draw, a turning away, or something else.

use std::ptr;

use serde_json::Value;

use super::sameness::Contents;
use crate::contract::{Contract, Marker, Matcher, Row};
use crate::history::{AttemptEnd, Drawn};
use crate::message::Response;

/// An answer with everything that the rules ask about it.
#[derive(Clone, Debug)]
pub(super) struct Answer<'h> {
    pub(super) response: &'h Response,
    /// The number of its content among the different ones of the case.
    pub(super) body: usize,
    /// The values of the header fields about which fidelity speaks, in its order: equal numbers for equal values.
    pub(super) fields: Box<[Option<usize>]>,
    /// The matchers of the contract that it fits, or may fit if the first effect has the right identity.
    fitting: Vec<Fitting<'h>>,
    /// Equal for answers with the same content, as far as replays are to be faithful.
    pub(super) content: usize,
    pub(super) kind: AnswerKind,
    /// The identity that it names, if any.
    pub(super) identity: Option<&'h str>,
    /// The number of that identity.
    pub(super) named: Option<usize>,
    /// A success in the sense of the profile, whether or not it names an identity.
    pub(super) succeeded: bool,
    /// Carries the marker that the contract names.
    pub(super) marked: bool,
    /// Says that its request was not executed.
    pub(super) disowned: bool,
    /// Fits a matcher of the in-flight promise.
    pub(super) in_flight: bool,
    /// The client of this exchange does not know it.
    pub(super) hidden: bool,
}

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// A success that names an identity.
    Success,
    /// The failure that its parameters declare.
    Drawn(Drawn),
    /// 429, 502, 503 or 504 that no promise describes.
    TurnedAway,
    /// Another 5xx that the parameters do not draw.
    ServerError,
    /// Another 4xx that the parameters do not draw.
    ClientError,
    /// Anything else, for example a success that names no identity.
    Other,
}

impl Answer<'_> {
    pub(super) fn is_success(&self) -> bool {
        self.kind == AnswerKind::Success
    }

    /// A 5xx that these parameters do not draw, whether or not it turned the attempt away.
    pub(super) fn is_unplanned_server_error(&self) -> bool {
        match self.kind {
            AnswerKind::ServerError => true,
            AnswerKind::TurnedAway => self.response.status >= 500,
            AnswerKind::Success | AnswerKind::Drawn(_) | AnswerKind::ClientError | AnswerKind::Other => false,
        }
    }

    /// Whether one cannot tell from it if the request was executed.
    pub(super) fn leaves_unknown(&self, draws: Drawn) -> bool {
        match self.kind {
            AnswerKind::Other => self.succeeded && draws == Drawn::Success,
            AnswerKind::ServerError | AnswerKind::TurnedAway => self.is_unplanned_server_error(),
            AnswerKind::Success | AnswerKind::Drawn(_) | AnswerKind::ClientError => false,
        }
    }

    /// Whether a server that processes parameters of this kind can give it.
    pub(super) fn can_be_drawn(&self) -> bool {
        matches!(self.kind, AnswerKind::Success | AnswerKind::Drawn(_))
    }

    /// Whether it fits a matcher with which the contract describes a rejection, if the first effect has this identity.
    /// Nothing is parsed for that, unless the matcher points at the effect.
    pub(super) fn fits(&self, matcher: &Matcher, identity: Option<&str>) -> bool {
        let fitting = self.fitting.iter().find(|known| ptr::eq(known.matcher, matcher));
        fitting.is_some_and(|known| !known.points || matcher.fits(self.response, identity))
    }

    pub(super) fn is_client_error(&self) -> bool {
        (400..500).contains(&self.response.status)
    }
}

/// A matcher that an answer fits.
#[derive(Clone, Copy, Debug)]
struct Fitting<'h> {
    matcher: &'h Matcher,
    /// It points at the first effect, so that it may fit.
    points: bool,
}

/// What the parameters of an attempt draw, and how that is told from others.
pub(super) type Draws<'h> = (Drawn, Option<&'h Matcher>);

/// Tells the kinds apart under one contract.
pub(super) struct AnswerReader<'h> {
    /// Every matcher with which the contract describes a rejection.
    rejections: Vec<Fitting<'h>>,
    in_flight: Vec<&'h Matcher>,
    marker: Option<&'h Marker>,
    not_executed: Option<&'h Matcher>,
    /// The header fields about which fidelity speaks.
    fields: Vec<&'h str>,
}

impl<'h> AnswerReader<'h> {
    pub(super) fn new(contract: &'h Contract) -> Self {
        let rejections = Row::ALL.into_iter().flat_map(|row| contract.rejections(row));
        let fidelity = contract.fidelity().map(|(fidelity, _, _)| fidelity);
        Self {
            rejections: rejections.map(|matcher| Fitting { matcher, points: matcher.names_identity() }).collect(),
            in_flight: [Row::InFlight, Row::InFlightChanged]
                .into_iter()
                .flat_map(|row| contract.rejections(row))
                .collect(),
            marker: contract.marker().map(|(marker, _, _)| marker),
            not_executed: contract.not_executed().map(|(matcher, _, _)| matcher),
            fields: fidelity
                .into_iter()
                .flat_map(|fidelity| fidelity.headers.iter().chain(&fidelity.fresh))
                .map(String::as_str)
                .collect(),
        }
    }

    pub(super) fn read(
        &self,
        response: &'h Response,
        end: &'h AttemptEnd,
        draws: Draws<'_>,
        contents: &mut Contents<'h>,
        (key, hidden): (Option<&str>, bool),
    ) -> Answer<'h> {
        let body = contents.number(response);
        let mut answer = Answer {
            response,
            body,
            fields: self.fields.iter().map(|name| Some(contents.text(response.header(name)?))).collect(),
            fitting: self.fitting(response, end, contents.json(body)),
            content: contents.class(body),
            kind: AnswerKind::Other,
            identity: end.identity.as_deref(),
            named: end.identity.as_deref().map(|identity| contents.text(identity)),
            succeeded: end.success,
            marked: self.marker.is_some_and(|marker| marker.marks(response, key)),
            disowned: self.not_executed.is_some_and(|matcher| matcher.fits_parsed(response, contents.json(body), None)),
            in_flight: false,
            hidden,
        };
        answer.in_flight = self.is_in_flight(&answer);
        answer.kind = self.kind(&answer, draws, contents.json(body));
        answer
    }

    /// The rejections that an answer fits. Nobody asks that of a success, unless it is a strange one.
    fn fitting(&self, response: &Response, end: &AttemptEnd, json: Option<&Value>) -> Vec<Fitting<'h>> {
        if end.success && end.identity.is_some() && response.status / 100 != 4 {
            return Vec::new();
        }
        let fits = |known: &&Fitting<'h>| known.points || known.matcher.fits_parsed(response, json, None);
        self.rejections.iter().filter(fits).copied().collect()
    }

    fn is_in_flight(&self, answer: &Answer<'_>) -> bool {
        !answer.succeeded && self.in_flight.iter().any(|matcher| answer.fits(matcher, answer.identity))
    }

    fn kind(&self, answer: &Answer<'_>, draws: Draws<'_>, json: Option<&Value>) -> AnswerKind {
        if answer.succeeded {
            return if answer.identity.is_some() { AnswerKind::Success } else { AnswerKind::Other };
        }
        if is_drawn(answer.response, draws, json) {
            return AnswerKind::Drawn(draws.0);
        }
        match answer.response.status {
            429 | 502 | 503 | 504 if !self.is_promised(answer) => AnswerKind::TurnedAway,
            500..=599 => AnswerKind::ServerError,
            400..=499 => AnswerKind::ClientError,
            _ => AnswerKind::Other,
        }
    }

    fn is_promised(&self, answer: &Answer<'_>) -> bool {
        self.rejections.iter().any(|known| answer.fits(known.matcher, answer.identity))
    }
}

/// Whether the answer is the failure that the parameters declare.
fn is_drawn(response: &Response, (draws, drawn): Draws<'_>, json: Option<&Value>) -> bool {
    let status = response.status;
    let usual = match draws {
        Drawn::Success => return false,
        Drawn::ValidationFailure | Drawn::Failure => status / 100 == 4,
        Drawn::ServerError => status / 100 == 5,
        Drawn::TurnedAway => matches!(status, 401 | 403 | 429 | 503),
    };
    drawn.map_or(usual, |matcher| matcher.fits_parsed(response, json, None))
}
