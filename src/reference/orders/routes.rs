//! The paths of the order API.

use std::time::Duration;

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Book, list, new_quantity, number_of, parse, show};
use crate::contract::{Carrier, Period};
use crate::reference::answer::Answer;
use crate::reference::book::Collection;
use crate::reference::dated;
use crate::reference::interpreter::Interpreter;
use crate::reference::key;
use crate::reference::policy::{Submission, path_parameter};
use crate::reference::surface::{Asked, Routed};

/// Whose requests bear no credentials.
const DEFAULT_ACCOUNT: &str = "default";

/// What the head of a request tells of the request that is to come, if that is one that makes something.
pub(super) fn announced(interpreter: &Interpreter, asked: &Asked<'_>) -> Option<Submission> {
    if !matches!(asked.parts.method, Method::POST | Method::PUT) {
        return None;
    }
    let (branch, path) = branch(asked.parts.uri.path());
    let collection = number_of(path)?;
    let nothing = Asked { body: Bytes::new(), ..asked.clone() };
    Some(submission(interpreter, nothing, account(&asked.parts.headers).ok()?, branch, collection))
}

/// The branch that a path names, and the path within it: `/branches/north/orders` is `orders` at the branch `north`.
fn branch(path: &str) -> (Option<&str>, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    match path.strip_prefix("branches/").and_then(|path| path.split_once('/')) {
        Some((branch, path)) if !branch.is_empty() => (Some(branch), path),
        Some(_) | None => (None, path),
    }
}

fn submission(
    interpreter: &Interpreter,
    asked: Asked<'_>,
    account: String,
    branch: Option<&str>,
    collection: Collection,
) -> Submission {
    let (key, body) = key::take(&interpreter.contract, asked.parts, asked.body);
    let first_sent = key::first_sent(&interpreter.contract, asked.parts);
    let method = asked.parts.method.to_string();
    let request = parse(&body).ok_or_else(|| Answer::error(400, "invalid parameters"));
    let (replica, turned_away) = (asked.replica, turned_away(&asked.parts.headers));
    let target = dated::with_date(target(interpreter, asked.parts, branch), first_sent);
    let variant = None;
    Submission { replica, account, collection, method, key, first_sent, body, target, variant, turned_away, request }
}

/// The parameters in the request target: all of the query but the key, and the branch.
fn target(interpreter: &Interpreter, parts: &Parts, branch: Option<&str>) -> Vec<(String, String)> {
    let query = parts.uri.query().unwrap_or_default();
    let is_key = |name: &str| match interpreter.contract.key.as_ref().map(|clause| &clause.carrier) {
        Some(Carrier::Query(known)) => known == name,
        Some(Carrier::Header(_) | Carrier::Form(_) | Carrier::Json(_)) | None => false,
    };
    let in_query = form_urlencoded::parse(query.as_bytes()).into_owned().filter(|(name, _)| !is_key(name));
    let mut target: Vec<(String, String)> = in_query.collect();
    target.extend(branch.map(|branch| (path_parameter("branch"), branch.to_owned())));
    target.sort();
    target
}

/// The header field by which a request asks to be turned away before anybody looks at it, with the status for that: as by
/// an expired token (401), a rate limit (429) or a gateway without a server behind it (503).
const TURN_AWAY: &str = "turn-away";

fn turned_away(headers: &HeaderMap) -> Option<Answer> {
    match headers.get(TURN_AWAY)?.as_bytes() {
        b"401" => Some(Answer::error(401, "the token has expired").with_header("WWW-Authenticate", "Bearer")),
        b"429" => Some(Answer::busy(429, "too many requests; nothing was done")),
        b"503" => Some(Answer::busy(503, "not available; nothing was done")),
        _ => None,
    }
}

/// Finds what a request is about.
pub(super) fn route(interpreter: &Interpreter, asked: Asked<'_>) -> Result<Routed, Answer> {
    let (branch, path) = branch(asked.parts.uri.path());
    let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
    match (first, rest) {
        ("clock", None) => return clock(interpreter, asked.parts, &asked.body).map(Routed::Answered),
        ("limit", None) => return limit(interpreter, asked.parts, &asked.body).map(Routed::Answered),
        _ => {}
    }
    if let Some(happen) = incident(first, rest) {
        return incite(interpreter, asked.parts, happen).map(Routed::Answered);
    }
    let collection = number_of(first).ok_or_else(not_found)?;
    let account = account(&asked.parts.headers)?;
    match rest {
        None => many(interpreter, asked, account, branch, collection),
        Some(number) => {
            let number = number.parse().map_err(|_| not_found())?;
            one(interpreter, &asked, &account, collection, number).map(Routed::Answered)
        }
    }
}

/// `POST /orders`, `PUT /orders`, `GET /orders`. The two that make something differ in name alone, so that a key can be
/// tried with another method.
fn many(
    interpreter: &Interpreter,
    asked: Asked<'_>,
    account: String,
    branch: Option<&str>,
    collection: Collection,
) -> Result<Routed, Answer> {
    match asked.parts.method {
        Method::POST | Method::PUT => {
            expect_json(asked.parts)?;
            Ok(Routed::Submitted(Box::new(submission(interpreter, asked, account, branch, collection))))
        }
        Method::GET | Method::HEAD => {
            let reference = reference(asked.parts)?;
            let list =
                interpreter.with_book(|book| list(collection, &book.list(&account, collection, reference.as_deref())));
            Ok(Routed::Answered(Answer::json(200, &list)))
        }
        _ => Err(Answer::method_not_allowed("GET, HEAD, POST, PUT")),
    }
}

/// `GET /orders/{number}`, `PATCH /orders/{number}`, `DELETE /orders/{number}`
fn one(
    interpreter: &Interpreter,
    asked: &Asked<'_>,
    account: &str,
    collection: Collection,
    number: u64,
) -> Result<Answer, Answer> {
    let own = |book: &Book| book.own(account, collection, number).map(show);
    let now = interpreter.clock.now();
    match asked.parts.method {
        Method::GET | Method::HEAD => {
            let shown = interpreter.with_book(|book| own(book)).ok_or_else(not_found)?;
            Ok(Answer::json(200, &shown))
        }
        Method::PATCH => {
            expect_json(asked.parts)?;
            let quantity = new_quantity(&asked.body).ok_or_else(|| Answer::error(400, "invalid parameters"))?;
            let values = Map::from_iter([("quantity".to_owned(), Value::from(quantity))]);
            let changed = interpreter.with_book(|book| {
                own(book)?;
                book.change(number, values).map(show)
            });
            changed.map(|shown| Answer::json(200, &shown)).ok_or_else(not_found)
        }
        Method::DELETE if interpreter.with_book(|book| own(book).is_some() && book.delete(number, now)) => {
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
            interpreter.advance_clock(by);
        }
        _ => return Err(Answer::method_not_allowed("GET, HEAD, POST")),
    }
    let elapsed = u64::try_from(interpreter.clock.now().as_millis()).unwrap_or(u64::MAX);
    let now = humantime::format_rfc3339_seconds(interpreter.clock.date()).to_string();
    Ok(Answer::json(200, &json!({"now": now, "elapsed_ms": elapsed})))
}

/// `PUT /limit {"requests": 1}` leaves so many requests to be carried out, and `{"requests": null}` any number.
fn limit(interpreter: &Interpreter, parts: &Parts, body: &[u8]) -> Result<Answer, Answer> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Limit {
        requests: Option<u64>,
    }
    if parts.method != Method::PUT {
        return Err(Answer::method_not_allowed("PUT"));
    }
    expect_json(parts)?;
    let limit: Limit = serde_json::from_slice(body).map_err(|_| Answer::error(400, "invalid parameters"))?;
    interpreter.limit(limit.requests);
    Ok(Answer::no_content())
}

/// What a path lets happen to the server.
fn incident(first: &str, rest: Option<&str>) -> Option<fn(&Interpreter)> {
    match (first, rest) {
        ("store", Some("down")) => Some(Interpreter::take_store_down),
        ("store", Some("up")) => Some(Interpreter::bring_store_up),
        ("restart", None) => Some(Interpreter::restart),
        _ => None,
    }
}

/// `POST /store/down`, `POST /store/up` and `POST /restart`.
fn incite(interpreter: &Interpreter, parts: &Parts, happen: fn(&Interpreter)) -> Result<Answer, Answer> {
    if parts.method != Method::POST {
        return Err(Answer::method_not_allowed("POST"));
    }
    happen(interpreter);
    Ok(Answer::no_content())
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
