//! The step `send`: one attempt on the wire, again only where the target turned it away.

use std::time::Duration;

use super::RunError;
use super::case::{CaseRun, Stop};
use super::control::UNAUTHORISED;
use super::odd_key::{CarriedKey, odd_date, odd_key};
use super::patience::{MOST_RETRIES, turns_away};
use super::tokens::TokenNumber;
use crate::contract::{Contract, Drawn, Reason, Row};
use crate::history::{
    AttemptEnd, AttemptId, AttemptStart, Ending, EventKind, Intent, LossPoint, Outcome, Protocol, SocketError, Timing,
};
use crate::message::{Request, Response};
use crate::plan;
use crate::profile::{BASE, DEFAULT, RenderRequest};
use crate::scenario::{KeyChoice, Percent, Send};
use crate::wire::{self, AttemptOptions};

/// Where in the service time an execution is broken off, if the scenario does not say.
const MIDDLE: Percent = Percent(50);

/// How often a loss that came too late is tried again.
const MOST_VOIDS: u32 = 5;

impl CaseRun<'_> {
    /// Sends one attempt. Where it was to be lost while the server works, and the answer was faster, the action is
    /// void: the same is tried again with a fresh one, and an earlier loss where the scenario leaves the moment open. A
    /// moment that the scenario names is kept: a case that says 95% must not show what happens at 10%.
    pub(super) async fn send(&mut self, send: &Send) -> Result<AttemptEnd, Stop> {
        let open = send.after.is_none();
        let mut send = send.clone();
        for _ in 0..MOST_VOIDS {
            let end = self.send_once(&send).await?;
            if !self.is_void(&send, &end) {
                return Ok(end);
            }
            self.void(&send.intent)?;
            if open {
                send.after = Some(Percent(send.after.unwrap_or(MIDDLE).0 / 2));
            }
        }
        self.send_once(&send).await
    }

    /// Whether an action came to nothing; where that was decided before, it is not decided again.
    fn is_void(&self, send: &Send, end: &AttemptEnd) -> bool {
        if self.past.is_over() { self.came_too_late(send, end) } else { self.past.void_is_next() }
    }

    /// Whether the answer to an action's first attempt was faster than a loss that was to hit its execution.
    fn came_too_late(&self, send: &Send, end: &AttemptEnd) -> bool {
        let meant = send.lose.is_some_and(|loss| loss.at == LossPoint::Execution);
        let missed = match end.outcome {
            Outcome::Lost { at: LossPoint::Execution, .. } => !self.context.pulse.still_works(&end.timing),
            Outcome::Lost { .. } => true,
            Outcome::Answered(_) | Outcome::Hidden(_) | Outcome::Failed { .. } | Outcome::Swallowed => false,
        };
        let first = self.intents.get(&send.intent).is_some_and(|intent| intent.like.is_none())
            && self.first_attempts.get(&send.intent) == Some(&end.id);
        meant && missed && first
    }

    /// Gives an action up; the next mention of its name creates a fresh one.
    pub(super) fn void(&mut self, name: &str) -> Result<(), Stop> {
        self.first_attempts.remove(name);
        if let Some(intent) = self.intents.shift_remove(name)
            && !self.past.take_void(intent.id)
        {
            self.go_live()?;
            self.context.recorder.record(Some(&self.case.id), EventKind::Voided { intent: intent.id })?;
        }
        Ok(())
    }

    /// Sends one attempt. Where the target turned it away without a promise (429, 502, 503, 504), the same attempt is
    /// sent again after the time that `Retry-After` names, or else after one that is drawn; so it is where nobody listened,
    /// on a target that was there before and may be starting again. A target that does so to the end does so with the next
    /// attempt of the case as well.
    async fn send_once(&mut self, send: &Send) -> Result<AttemptEnd, Stop> {
        let intent = self.intent(&send.intent, send.like.as_deref()).await?;
        let variant = send.parameters.as_deref().unwrap_or(BASE);
        let meant = self.context.bound.outcome(variant) == Drawn::TurnedAway;
        for refusals in 1..=if self.out_of_patience || meant { 0 } else { MOST_RETRIES } {
            let end = self.attempt(&intent, send).await?;
            let Some(pause) = self.pause_before_again(&end, refusals) else { return Ok(end) };
            self.pause(pause).await?;
        }
        let end = self.attempt(&intent, send).await?;
        self.out_of_patience |= !meant && self.pause_before_again(&end, MOST_RETRIES).is_some();
        Ok(end)
    }

    /// How long to wait before an attempt is sent again; nothing where it is not to be.
    fn pause_before_again(&self, end: &AttemptEnd, refusals: u32) -> Option<Duration> {
        let name = format!("{} {}", self.case.id, end.id);
        match &end.outcome {
            Outcome::Answered(response) if turned_away(&self.context.bound.profile().contract, response) => {
                self.context.patience.pause(response, &name, refusals)
            }
            Outcome::Failed { error: SocketError::Refused, bytes_written: 0, .. } if self.context.pulse.beats() => {
                Some(self.context.patience.pause_unreached(&name, refusals))
            }
            Outcome::Answered(_)
            | Outcome::Hidden(_)
            | Outcome::Lost { .. }
            | Outcome::Failed { .. }
            | Outcome::Swallowed => None,
        }
    }

    /// One attempt; where an earlier process made it, what became of it. One that was swallowed with that process is
    /// lost: when it can be under way no more, the same is sent again, under the same key.
    async fn attempt(&mut self, intent: &Intent, send: &Send) -> Result<AttemptEnd, Stop> {
        let mut swallowed = false;
        while let Some((start, recorded)) = self.past.take_start(intent.id) {
            self.note_start(&intent.name, start.id);
            let end = match self.past.take_end() {
                Some(end) => end,
                None => self.swallow(start.id, recorded)?,
            };
            self.note_end(intent, &end);
            if end.outcome != Outcome::Swallowed && !end.token_refused {
                self.learn(intent, &end);
                return Ok(end);
            }
            if end.outcome == Outcome::Swallowed {
                (self.swallowed, swallowed) = (true, true);
            }
        }
        self.go_live()?;
        if swallowed {
            self.wait_until_finished().await?;
        }
        let end = self.send_attempt(intent, send, true).await?;
        if !end.token_refused {
            return Ok(end);
        }
        self.send_attempt(intent, send, false).await
    }

    /// Writes down that nobody knows what became of an attempt.
    fn swallow(&self, id: AttemptId, recorded: Duration) -> Result<AttemptEnd, Stop> {
        self.go_live()?;
        let timing = Timing { began: recorded, ended: self.context.recorder.elapsed(), ..Timing::default() };
        let end = AttemptEnd {
            id,
            outcome: Outcome::Swallowed,
            timing,
            protocol: None,
            token_refused: false,
            success: false,
            identity: None,
        };
        self.context.recorder.record(Some(&self.case.id), EventKind::AttemptEnded(end.clone()))?;
        Ok(end)
    }

    /// Sends an attempt. Where the answer says that its token no longer counts, and `renews`, the token is given up.
    async fn send_attempt(&mut self, intent: &Intent, send: &Send, renews: bool) -> Result<AttemptEnd, Stop> {
        self.check_interrupt()?;
        let cancels = send.lose.is_some_and(|loss| loss.by == Ending::Cancelled);
        if cancels && !self.context.connector.may_speak_http2() {
            return Err(Stop::Because(Reason::NeedsHttp2));
        }
        self.wait_as_client(intent).await?;
        self.context.pace.take_attempt()?;
        self.turn(1).await?;
        let token = self.token(send).await?;
        let (start, request) = self.prepare(intent, send)?;
        let id = start.id;
        self.context.recorder.record_synced(Some(&self.case.id), EventKind::AttemptStarted(start)).await?;
        let options = self.options(send);
        let attempted = wire::attempt(self.context.connector_to(send.replica.as_deref()), &request, &options).await;
        let end = self.conclude(intent, id, send, attempted, token.filter(|_| renews)).await?;
        if cancels && end.protocol == Some(Protocol::Http1) {
            // Nothing was sent: another ending in its place would be another test.
            return Err(Stop::Because(Reason::NeedsHttp2));
        }
        self.learn(intent, &end);
        Ok(end)
    }

    /// The token that an attempt is about to show, fetched if need be; none where it shows none.
    pub(super) async fn token(&self, send: &Send) -> Result<Option<TokenNumber>, Stop> {
        let token = self.context.tokens.ready(self.context, account(send)).await;
        let token = token.map_err(|error| match error.is_of_the_cap() {
            true => Stop::Because(Reason::RequestCap),
            false => Stop::Fatal(RunError::Token(error)),
        })?;
        Ok(token.filter(|_| self.shows_token(send)))
    }

    /// Whether an attempt shows the credentials of its account, and not others.
    pub(super) fn shows_token(&self, send: &Send) -> bool {
        let operation = send.operation.as_deref().unwrap_or(DEFAULT);
        self.context.bound.shows_own_credentials(operation, variant(send))
    }

    /// Notes what became of an attempt, whoever made it.
    pub(super) fn note_end(&mut self, intent: &Intent, end: &AttemptEnd) {
        self.note_unfinished(end);
        self.last_ends.insert(intent.name.clone(), end.timing.ended);
        self.succeeded |= end.success;
        self.named.extend(end.identity.iter().map(|identity| (intent.marker.clone(), identity.clone())));
    }

    /// A first attempt that succeeded was executed; what comes later may be a replay, which tells nothing.
    fn learn(&self, intent: &Intent, end: &AttemptEnd) {
        let first = intent.like.is_none() && self.first_attempts.get(&intent.name) == Some(&end.id);
        if first && end.success && matches!(end.outcome, Outcome::Answered(_)) {
            self.context.pulse.learn(&end.timing);
        }
    }

    pub(super) fn note_start(&mut self, name: &str, id: AttemptId) {
        self.attempts = self.attempts.max(id.0);
        self.first_attempts.entry(name.to_owned()).or_insert(id);
    }

    /// Writes down what became of an attempt. A token that it showed, and that can be renewed, is given up where the answer
    /// says that it does not count any more.
    pub(super) async fn conclude(
        &mut self,
        intent: &Intent,
        id: AttemptId,
        send: &Send,
        attempted: wire::Attempted,
        token: Option<TokenNumber>,
    ) -> Result<AttemptEnd, Stop> {
        let mut end = self.end(id, send, attempted);
        if let Some(token) = token
            && self.is_unauthorised(send, &end)
        {
            end.token_refused = true;
            self.context.tokens.give_up(account(send), token).await;
        }
        self.context.recorder.record(Some(&self.case.id), EventKind::AttemptEnded(end.clone()))?;
        self.note_end(intent, &end);
        Ok(end)
    }

    /// Whether an answer says that the credentials do not count, where neither parameters nor contract have it say so.
    fn is_unauthorised(&self, send: &Send, end: &AttemptEnd) -> bool {
        let bound = &self.context.bound;
        end.outcome.response().is_some_and(|response| {
            response.status == UNAUTHORISED && !is_promised(&bound.profile().contract, response)
        }) && bound.outcome(variant(send)) != Drawn::TurnedAway
    }

    /// Renders the request of an attempt.
    fn render(&self, intent: &Intent, send: &Send) -> Result<Request, Stop> {
        let bound = &self.context.bound;
        let key = self.key(intent, send.key);
        let request = bound.request(&RenderRequest {
            variant: send.parameters.as_deref().unwrap_or(BASE),
            marker: &intent.marker,
            key: key.as_ref().map(|key| key.text.as_str()),
            encoded: key.as_ref().is_some_and(|key| key.encoded),
            first_sent: self.first_sent(intent, send.key),
            account: send.account.as_deref().unwrap_or(DEFAULT),
            operation: send.operation.as_deref().unwrap_or(DEFAULT),
            replica: send.replica.as_deref(),
            method: send.method.as_deref().map(|written| plan::method(bound, written)),
        })?;
        Ok(request)
    }

    pub(super) fn prepare(&mut self, intent: &Intent, send: &Send) -> Result<(AttemptStart, Request), Stop> {
        let key = self.key(intent, send.key);
        let operation = send.operation.as_deref().unwrap_or(DEFAULT);
        let variant = send.parameters.as_deref().unwrap_or(BASE);
        let account = send.account.as_deref().unwrap_or(DEFAULT);
        let request = self.render(intent, send)?;
        // What stood in the place of a secret then is not known, and other parameters under the same key are a conflict.
        if self.past.has_sent(intent.id) && request.asks_with_secrets() {
            return Err(Stop::Restart);
        }
        let id = AttemptId(self.attempts + 1);
        self.note_start(&intent.name, id);
        let start = AttemptStart {
            id,
            intent: intent.id,
            key: key.map(|key| key.text),
            key_kind: send.key.and_then(KeyChoice::kind),
            parameters: variant.to_owned(),
            account: account.to_owned(),
            operation: operation.to_owned(),
            method: request.method.to_string(),
            replica: send.replica.clone(),
            lose: send.lose,
            request: request.shown(),
        };
        Ok((start, request))
    }

    /// The key that an attempt carries, if it carries one.
    fn key(&self, intent: &Intent, choice: Option<KeyChoice>) -> Option<CarriedKey> {
        let clause = self.context.bound.profile().contract.key.as_ref();
        match choice {
            None => Some(CarriedKey { text: intent.key.clone(), encoded: false }),
            Some(KeyChoice::None) => None,
            Some(KeyChoice::Odd(kind)) => odd_key(kind, &intent.key, clause),
        }
    }

    /// The date that travels beside the key of an attempt, if one does. Without a key there is none.
    fn first_sent<'i>(&self, intent: &'i Intent, choice: Option<KeyChoice>) -> Option<&'i str> {
        let own = intent.first_sent.as_deref().filter(|_| choice != Some(KeyChoice::None));
        odd_date(choice.and_then(KeyChoice::kind), own)
    }

    pub(super) fn options(&self, send: &Send) -> AttemptOptions<'_> {
        let fraction = send.after.unwrap_or(MIDDLE);
        AttemptOptions {
            lose: send.lose,
            service_time: self
                .context
                .pulse
                .fastest(self.calibration.latency)
                .saturating_sub(self.calibration.round_trip),
            fraction: f64::from(fraction.0) / 100.0,
            time_limit: self.context.bound.profile().target.time_limit.duration(),
            body_limit: self.context.max_response,
            ..AttemptOptions::new(self.context.recorder.started(), self.context.bound.secrets())
        }
    }

    fn end(&self, id: AttemptId, send: &Send, attempted: wire::Attempted) -> AttemptEnd {
        let operation = self.context.bound.operation(send.operation.as_deref().unwrap_or(DEFAULT));
        let response = attempted.outcome.response();
        let matcher = operation.and_then(|operation| operation.success);
        let success = response.is_some_and(|response| match matcher {
            Some(matcher) => matcher.fits(response, None),
            None => (200..300).contains(&response.status),
        });
        let named = response.filter(|_| success).zip(operation);
        let identity = named.and_then(|(response, operation)| operation.identity.extract(response).into_iter().next());
        AttemptEnd {
            id,
            outcome: attempted.outcome,
            timing: attempted.timing.later_by(self.context.recorder.age()),
            protocol: attempted.protocol,
            token_refused: false,
            success,
            identity,
        }
    }
}

/// Whether a target turned an attempt away: a 429, 502, 503 or 504 that no promise of the contract describes.
fn turned_away(contract: &Contract, response: &Response) -> bool {
    turns_away(response) && !is_promised(contract, response)
}

/// Whether some promise of the contract describes an answer that rejects.
fn is_promised(contract: &Contract, response: &Response) -> bool {
    Row::ALL.iter().any(|row| contract.rejections(*row).any(|matcher| matcher.fits(response, None)))
}

fn account(send: &Send) -> &str {
    send.account.as_deref().unwrap_or(DEFAULT)
}

fn variant(send: &Send) -> &str {
    send.parameters.as_deref().unwrap_or(BASE)
}

/// Whether an answer says that an earlier attempt is still running. An answer that fits the finished row is settled,
/// whatever else it resembles.
pub(super) fn says_in_flight(contract: &Contract, outcome: &Outcome) -> bool {
    let Some(response) = outcome.answer() else { return false };
    let fits = |row| contract.rejections(row).any(|matcher| matcher.fits(response, None));
    fits(Row::InFlight) && !fits(Row::AfterSuccess)
}
