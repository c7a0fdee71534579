//! What an answer is: a success, an outcome that its parameters draw, a turning away, or something else.

use crate::contract::{Contract, Marker, Matcher, Row};
use crate::history::{AttemptEnd, Drawn};
use crate::message::Response;

/// An answer with everything that the rules ask about it.
#[derive(Clone, Debug)]
pub(super) struct Answer<'h> {
    pub(super) response: &'h Response,
    pub(super) kind: AnswerKind,
    /// The identity that it names, if any.
    pub(super) identity: Option<&'h str>,
    /// A success in the sense of the profile, whether or not it names an identity.
    pub(super) succeeded: bool,
    /// Carries the marker of a replay.
    pub(super) marked: bool,
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

    pub(super) fn is_client_error(&self) -> bool {
        (400..500).contains(&self.response.status)
    }
}

/// Tells the kinds apart under one contract.
pub(super) struct AnswerReader<'c> {
    /// Every matcher with which the contract describes a rejection.
    rejections: Vec<&'c Matcher>,
    in_flight: Vec<&'c Matcher>,
    marker: Option<&'c Marker>,
}

impl<'c> AnswerReader<'c> {
    pub(super) fn new(contract: &'c Contract) -> Self {
        Self {
            rejections: Row::ALL.into_iter().flat_map(|row| contract.rejections(row)).collect(),
            in_flight: [Row::InFlight, Row::InFlightChanged]
                .into_iter()
                .flat_map(|row| contract.rejections(row))
                .collect(),
            marker: contract.marker().map(|(marker, _, _)| marker),
        }
    }

    pub(super) fn read<'h>(
        &self,
        response: &'h Response,
        end: &'h AttemptEnd,
        draws: Drawn,
        drawn: Option<&Matcher>,
        hidden: bool,
    ) -> Answer<'h> {
        let identity = end.identity.as_deref();
        Answer {
            response,
            kind: self.kind(response, end, draws, drawn),
            identity,
            succeeded: end.success,
            marked: self.marker.is_some_and(|marker| marker.marks(response)),
            in_flight: !end.success && self.in_flight.iter().any(|matcher| matcher.fits(response, identity)),
            hidden,
        }
    }

    fn kind(&self, response: &Response, end: &AttemptEnd, draws: Drawn, drawn: Option<&Matcher>) -> AnswerKind {
        if end.success {
            return if end.identity.is_some() { AnswerKind::Success } else { AnswerKind::Other };
        }
        if is_drawn(response, draws, drawn) {
            return AnswerKind::Drawn(draws);
        }
        match response.status {
            429 | 502 | 503 | 504 if !self.is_promised(response, end) => AnswerKind::TurnedAway,
            500..=599 => AnswerKind::ServerError,
            400..=499 => AnswerKind::ClientError,
            _ => AnswerKind::Other,
        }
    }

    fn is_promised(&self, response: &Response, end: &AttemptEnd) -> bool {
        self.rejections.iter().any(|matcher| matcher.fits(response, end.identity.as_deref()))
    }
}

/// Whether the answer is the failure that the parameters declare.
fn is_drawn(response: &Response, draws: Drawn, drawn: Option<&Matcher>) -> bool {
    let status = response.status;
    let usual = match draws {
        Drawn::Success => return false,
        Drawn::ValidationFailure | Drawn::Failure => status / 100 == 4,
        Drawn::ServerError => status / 100 == 5,
        Drawn::TurnedAway => matches!(status, 401 | 403 | 429 | 503),
    };
    drawn.map_or(usual, |matcher| matcher.fits(response, None))
}
