//! Requests that are not under test: counts, cleanup, hooks, readings of the clock.

use super::Context;
use super::patience::{MOST_RETRIES, turns_away};
use super::tokens::TokenNumber;
use crate::message::{Request, Response};
use crate::profile::RenderError;
use crate::wire::ControlError;

/// Renders a request. It is rendered for every time that it is sent: tokens are renewed, and signatures are of the moment.
pub(super) type Render<'r> = &'r (dyn Fn() -> Result<Request, RenderError> + Sync);

/// A request that is not under test.
#[derive(Clone, Copy)]
pub(super) struct ControlRequest<'r> {
    /// The account that sends it.
    pub(super) account: &'r str,
    /// The replica that it is sent to; none for the target itself.
    pub(super) replica: Option<&'r str>,
    /// How it reads.
    pub(super) render: Render<'r>,
}

impl Context {
    /// Sends a request when its turn has come; once more where it was refused for its token, with another one.
    pub(super) async fn send_control(
        &self,
        request: ControlRequest<'_>,
    ) -> Result<Result<Response, ControlError>, RenderError> {
        let (outcome, token) = Box::pin(self.send_once(request)).await?;
        match (&outcome, token) {
            (Ok(response), Some(token)) if response.status == UNAUTHORISED => {
                self.tokens.give_up(request.account, token).await;
                if self.pace.take_for_token().is_err() {
                    return Ok(outcome);
                }
                self.tokens.count();
                Ok(Box::pin(self.send_once(request)).await?.0)
            }
            _ => Ok(outcome),
        }
    }

    async fn send_once(&self, request: ControlRequest<'_>) -> Result<Sent, RenderError> {
        self.pace.turn(1).await;
        let token = match self.tokens.ready(self, request.account).await {
            Ok(token) => token,
            Err(error) => return Ok((Err(ControlError::Unauthorised(error.to_string())), None)),
        };
        let rendered = (request.render)()?;
        let connector = self.connector_to(request.replica);
        Ok((self.control.send(connector, &rendered, self.bound.secrets()).await, token))
    }

    /// Sends a request that changes nothing, or nothing more when it is repeated, and again where it was turned away, or
    /// where nobody listened although the target was there before.
    pub(super) async fn send_patiently(
        &self,
        request: ControlRequest<'_>,
    ) -> Result<Result<Response, ControlError>, RenderError> {
        for refusals in 1..=MOST_RETRIES {
            let outcome = Box::pin(self.send_control(request)).await?;
            let named = (request.render)()?;
            let name = format!("{} {} {refusals}", named.method, named.target.shown());
            let pause = match &outcome {
                Ok(response) if turns_away(response) => self.patience.pause(response, &name, refusals),
                Err(ControlError::Unreachable(_)) if self.pulse.beats() => {
                    Some(self.patience.pause_unreached(&name, refusals))
                }
                Ok(_) | Err(_) => None,
            };
            let Some(pause) = pause else { return Ok(outcome) };
            if !self.rest(pause).await || self.pace.take_control().is_err() {
                return Ok(outcome);
            }
        }
        Box::pin(self.send_control(request)).await
    }
}

/// What became of a request, and the token that it showed.
type Sent = (Result<Response, ControlError>, Option<TokenNumber>);

/// What a target answers to a token that does not count (RFC 6750 section 3.1).
pub(super) const UNAUTHORISED: u16 = 401;
