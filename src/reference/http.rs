//! HTTP on the outside of the interpreter. Every answer, every error among them, is JSON or empty.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::json;

use super::answer::Answer;
use super::interpreter::{Interpreter, Reply};
use super::key;
use super::orders::{Collection, new_quantity};
use super::policy::Submission;
use crate::contract::Period;

/// Longer bodies are refused.
const LONGEST_BODY: usize = 64 * 1024;

/// And no more than this of them is read.
const LONGEST_PATIENCE: usize = 16 * LONGEST_BODY;

/// Whose requests bear no credentials.
const DEFAULT_ACCOUNT: &str = "default";

/// One request, as the log of the server tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLine {
    /// The request method.
    pub method: String,
    /// The path, without query.
    pub path: String,
    /// The status that was answered; `None` if the client had gone before.
    pub status: Option<u16>,
    /// How the request met the server, and what it got. Empty where no key plays a part.
    pub note: String,
    /// How long after its look-up the request claimed its key, as measured, on a server where that is not one step.
    pub window: Option<Duration>,
}

impl fmt::Display for RequestLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ", self.method, self.path)?;
        match self.status {
            Some(status) => write!(formatter, "{status}")?,
            None => formatter.write_str("-")?,
        }
        if !self.note.is_empty() {
            write!(formatter, " {}", self.note)?;
        }
        match self.window {
            Some(window) => write!(formatter, ", {} µs after its look-up", window.as_micros()),
            None => Ok(()),
        }
    }
}

#[derive(Clone)]
struct Service {
    interpreter: Arc<Interpreter>,
    replica: u16,
    log: Option<Sender<RequestLine>>,
}

/// The routes of one replica of the server.
pub(super) fn router(interpreter: Arc<Interpreter>, replica: u16, log: Option<Sender<RequestLine>>) -> Router {
    Router::new().fallback(serve).with_state(Service { interpreter, replica, log })
}

async fn serve(State(service): State<Service>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let line = OpenLine::new(&parts, service.log.clone());
    let reading = Reading { service: &service, parts: &parts, over: false };
    let reply = match reading.read(body).await {
        Ok(content) => route(&service, &parts, content).await.unwrap_or_else(plain),
        Err(refused) => plain(refused),
    };
    line.close(&reply);
    let date = httpdate::fmt_http_date(service.interpreter.clock.date());
    reply.answer.with_header(DATE.as_str(), &date).into_http()
}

fn plain(answer: Answer) -> Reply {
    Reply { answer, note: String::new(), window: None }
}

/// The reading of a body. A body that breaks off, or whose client goes away before its end, is told to the interpreter.
struct Reading<'s> {
    service: &'s Service,
    parts: &'s Parts,
    over: bool,
}

impl Reading<'_> {
    /// Reads a whole body. One that breaks off is an error, so half a request never gets any further. One that is too
    /// long is read on for a while: a client that is still sending would not see the answer.
    async fn read(mut self, mut body: Body) -> Result<Bytes, Answer> {
        let mut content = Vec::new();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Answer::error(400, "the content broke off"))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            length += data.len();
            if length <= LONGEST_BODY {
                content.extend_from_slice(&data);
            } else if length > LONGEST_PATIENCE {
                break;
            }
        }
        self.over = true;
        if length > LONGEST_BODY { Err(Answer::error(413, "the content is too long")) } else { Ok(content.into()) }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if !self.over
            && let Some(announced) = announced(self.service, self.parts)
        {
            self.service.interpreter.break_off(&announced);
        }
    }
}

/// What the head of a request tells of the request that is to come, if that is one that makes something.
fn announced(service: &Service, parts: &Parts) -> Option<Submission> {
    if !matches!(parts.method, Method::POST | Method::PUT) {
        return None;
    }
    let collection = Collection::named(parts.uri.path().strip_prefix('/')?)?;
    submission(service, parts, Bytes::new(), account(&parts.headers).ok()?, collection).into()
}

fn submission(service: &Service, parts: &Parts, body: Bytes, account: String, collection: Collection) -> Submission {
    let (key, body) = key::take(&service.interpreter.contract, parts, body);
    Submission { replica: service.replica, account, collection, method: parts.method.to_string(), key, body }
}

/// Finds what a request is about. An `Err` is an answer as well: one that ends the matter early.
async fn route(service: &Service, parts: &Parts, body: Bytes) -> Result<Reply, Answer> {
    let interpreter = &service.interpreter;
    let path = parts.uri.path();
    let path = path.strip_prefix('/').unwrap_or(path);
    let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
    if (first, rest) == ("clock", None) {
        return clock(interpreter, parts, &body).map(plain);
    }
    let collection = Collection::named(first).ok_or_else(not_found)?;
    let account = account(&parts.headers)?;
    match rest {
        None => many(service, parts, body, account, collection).await,
        Some(number) => {
            let number = number.parse().map_err(|_| not_found())?;
            one(interpreter, parts, &body, &account, collection, number).map(plain)
        }
    }
}

/// `POST /orders`, `PUT /orders`, `GET /orders`. The two that make something differ in name alone, so that a key can be
/// tried with another method.
async fn many(
    service: &Service,
    parts: &Parts,
    body: Bytes,
    account: String,
    collection: Collection,
) -> Result<Reply, Answer> {
    let interpreter = &service.interpreter;
    match parts.method {
        Method::POST | Method::PUT => {
            expect_json(parts)?;
            Ok(interpreter.submit(submission(service, parts, body, account, collection)).await)
        }
        Method::GET | Method::HEAD => {
            let reference = reference(parts)?;
            let list = interpreter.with_book(|book| book.list(&account, collection, reference.as_deref()));
            Ok(plain(Answer::json(200, &list)))
        }
        _ => Err(Answer::method_not_allowed("GET, HEAD, POST, PUT")),
    }
}

/// `GET /orders/{number}`, `PATCH /orders/{number}`, `DELETE /orders/{number}`
fn one(
    interpreter: &Interpreter,
    parts: &Parts,
    body: &[u8],
    account: &str,
    collection: Collection,
    number: u64,
) -> Result<Answer, Answer> {
    match parts.method {
        Method::GET | Method::HEAD => {
            let shown = interpreter.with_book(|book| book.show(account, collection, number)).ok_or_else(not_found)?;
            Ok(Answer::json(200, &shown))
        }
        Method::PATCH => {
            expect_json(parts)?;
            let quantity = new_quantity(body).ok_or_else(|| Answer::error(400, "invalid parameters"))?;
            let changed = interpreter.with_book(|book| book.change(account, collection, number, quantity));
            changed.map(|shown| Answer::json(200, &shown)).ok_or_else(not_found)
        }
        Method::DELETE if interpreter.with_book(|book| book.delete(account, collection, number)) => {
            Ok(Answer::no_content())
        }
        Method::DELETE => Err(not_found()),
        _ => Err(Answer::method_not_allowed("DELETE, GET, HEAD, PATCH")),
    }
}

/// `GET /clock` tells what the clock shows; `POST /clock {"advance": "25h"}` or `{"advance_seconds": 90000}` moves it
/// on. Every answer of the server bears the date that the clock shows.
fn clock(interpreter: &Interpreter, parts: &Parts, body: &[u8]) -> Result<Answer, Answer> {
    match parts.method {
        Method::GET | Method::HEAD => {}
        Method::POST => {
            expect_json(parts)?;
            let by = advance(body).ok_or_else(|| Answer::error(400, "invalid parameters"))?;
            interpreter.clock.advance(by);
        }
        _ => return Err(Answer::method_not_allowed("GET, HEAD, POST")),
    }
    let elapsed = u64::try_from(interpreter.clock.now().as_millis()).unwrap_or(u64::MAX);
    let now = humantime::format_rfc3339_seconds(interpreter.clock.date()).to_string();
    Ok(Answer::json(200, &json!({"now": now, "elapsed_ms": elapsed})))
}

/// By how much the clock is to be moved: exactly one of the two ways to say it.
fn advance(body: &[u8]) -> Option<Duration> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Hand {
        advance: Option<Period>,
        advance_seconds: Option<Seconds>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Seconds {
        Number(f64),
        Text(String),
    }
    let hand: Hand = serde_json::from_slice(body).ok()?;
    let seconds = match (hand.advance, hand.advance_seconds) {
        (Some(period), None) => return Some(period.duration()),
        (None, Some(Seconds::Number(number))) => number,
        (None, Some(Seconds::Text(text))) => text.parse().ok()?,
        (None, None) | (Some(_), Some(_)) => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

fn not_found() -> Answer {
    Answer::error(404, "not found")
}

/// The account that a bearer token names.
fn account(headers: &HeaderMap) -> Result<String, Answer> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let Some(credentials) = given.next() else {
        return Ok(DEFAULT_ACCOUNT.to_owned());
    };
    credentials
        .to_str()
        .ok()
        .filter(|_| given.next().is_none())
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty())
        .map(|(_, token)| token.trim().to_owned())
        .ok_or_else(|| Answer::error(401, "a bearer token is required").with_header("WWW-Authenticate", "Bearer"))
}

/// The reference that a list is asked for. A filter that the server does not know is refused: to ignore it would be
/// to list too much.
fn reference(parts: &Parts) -> Result<Option<String>, Answer> {
    let mut reference = None;
    for (name, value) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if name != "reference" || reference.is_some() {
            return Err(Answer::error(400, "invalid parameters"));
        }
        reference = Some(value.into_owned());
    }
    Ok(reference)
}

/// Refuses content that is not declared to be JSON.
fn expect_json(parts: &Parts) -> Result<(), Answer> {
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(Answer::error(415, "the content must be application/json"))
    }
}

/// A log line that is written when its request is answered, or when its client goes away before.
struct OpenLine {
    log: Option<Sender<RequestLine>>,
    line: RequestLine,
}

impl OpenLine {
    fn new(parts: &Parts, log: Option<Sender<RequestLine>>) -> Self {
        let line = RequestLine {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            status: None,
            note: "the client has gone".to_owned(),
            window: None,
        };
        Self { log, line }
    }

    fn close(mut self, reply: &Reply) {
        self.line.status = Some(reply.answer.status);
        self.line.note.clone_from(&reply.note);
        self.line.window = reply.window;
    }
}

impl Drop for OpenLine {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            // Nobody needs to listen: a closed log is no reason to stop serving.
            let _ = log.send(self.line.clone());
        }
    }
}
