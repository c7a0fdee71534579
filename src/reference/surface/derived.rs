//! The surface that is derived from a profile: its operations, lists, cleanups and hooks, as a mock of them.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::account::Credentials;
use super::answers::{self, identity};
use super::fields::{self, Format, Found, Spot};
use super::mock;
use super::operation::{Operation, Variant};
use super::pattern::Captures;
use super::routes::{self, Deed, Missed, Route};
use super::{Asked, Routed, Surface};
use crate::contract::{Carrier, Contract, Drawn, Matcher};
use crate::profile::MockError;
use crate::reference::answer::Answer;
use crate::reference::book::{Collection, Item, Request};
use crate::reference::dated;
use crate::reference::interpreter::Interpreter;
use crate::reference::key::{self, PresentedKey};
use crate::reference::multipart;
use crate::reference::policy::{Submission, path_parameter};

/// The surface of a profile.
#[derive(Clone, Debug)]
pub(in crate::reference) struct Derived {
    /// The path of the profile's base URL. Requests may come with it or without.
    pub(super) base_path: String,
    pub(super) credentials: Credentials,
    /// The main operation, and the further ones.
    pub(super) operations: Vec<Operation>,
    pub(super) routes: Vec<Route>,
    /// How errors read that are made here.
    pub(super) errors: Option<MockError>,
}

impl Surface for Derived {
    fn route(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Result<Routed, Answer> {
        self.routed(interpreter, asked).map_err(|error| self.written(error))
    }

    fn announced(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Option<Submission> {
        let (route, captures, _) = self.find(&asked).ok()?;
        let Deed::Operate(collection) = route.deed else {
            return None;
        };
        let account = self.credentials.account(&asked, false).ok()?;
        let operation = self.operation(collection).ok()?;
        Some(submission(interpreter, asked, account, collection, operation, &captures))
    }

    fn made(&self, item: &Item) -> Answer {
        let Ok(operation) = self.operation(item.collection) else {
            return not_found();
        };
        let variant = item.request.variant.as_ref().and_then(|name| operation.variant(name));
        let success = variant.filter(|variant| variant.drawn == Drawn::Success);
        match success {
            Some(variant) => operation.telling.made(item, &variant.draws),
            None => operation.telling.made(item, &Matcher::default()),
        }
    }

    fn shown(&self, item: &Item) -> Bytes {
        self.made(item).body
    }

    fn declined(&self, submission: &Submission) -> Answer {
        self.failure(submission).unwrap_or_else(|| Answer::error(422, "declined"))
    }

    fn crashed(&self, submission: &Submission) -> Answer {
        self.failure(submission).unwrap_or_else(|| Answer::error(500, "internal error"))
    }

    fn identity(&self, number: u64) -> String {
        identity(number)
    }
}

impl Derived {
    fn routed(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Result<Routed, Answer> {
        if let Some(token) = self.credentials.issued(&asked) {
            return Ok(Routed::Answered(token));
        }
        let (route, captures, found) = self.find(&asked)?;
        let Deed::Operate(collection) = route.deed else {
            return self.answer(interpreter, &asked, route, captures, &found).map(Routed::Answered);
        };
        let operation = self.operation(collection)?;
        let declared = Format::declared(asked.parts);
        if !matches!(operation.shape.format, Format::None | Format::Raw)
            && !operation.shape.own_media_type
            && declared != operation.shape.format
        {
            return Err(Answer::error(415, "the content must be of the declared type"));
        }
        let meant = || {
            Some(operation.recognise(&found, route.other_path.as_deref())?.0)
                .filter(|variant| variant.drawn == Drawn::TurnedAway)
        };
        let account = match (self.credentials.account(&asked, true), meant()) {
            (Ok(account), _) => account,
            (Err(_), Some(meant)) => return Ok(Routed::Answered(meant.failure())),
            (Err(refused), None) => return Err(refused),
        };
        let mut submission = submission(interpreter, asked, account, collection, operation, &captures);
        if submission.variant.is_none() {
            // No variant of the profile says how this reads.
            submission.request = submission.request.map_err(|error| self.written(error));
        }
        Ok(Routed::Submitted(Box::new(submission)))
    }

    /// An error that is made here, as the profile has such errors read.
    fn written(&self, error: Answer) -> Answer {
        match &self.errors {
            Some(written) => mock::error(written, error),
            None => error,
        }
    }

    fn find(&self, asked: &Asked<'_>) -> Result<(&Route, Captures, Vec<Found>), Answer> {
        let mut found = fields::of_head(asked.parts);
        found.extend(fields::of_content(Format::declared(asked.parts), &asked.body).unwrap_or_default());
        let path = asked.parts.uri.path();
        let below = path.strip_prefix(self.base_path.as_str()).filter(|below| below.starts_with('/'));
        let find = |path| routes::find(&self.routes, asked.parts.method.as_str(), path, &found);
        let route = match (find(path), below) {
            (Err(Missed::Path), Some(below)) => find(below),
            (route, _) => route,
        };
        match route {
            Ok((route, mut captures)) => {
                captures.extend(route.other_path.iter().map(|path| (OTHER_PATH.to_owned(), path.clone())));
                Ok((route, captures, found))
            }
            Err(Missed::Path) => Err(not_found()),
            Err(Missed::Method(allowed)) => Err(Answer::method_not_allowed(&allowed.join(", "))),
        }
    }

    fn operation(&self, collection: Collection) -> Result<&Operation, Answer> {
        self.operations.get(collection.0).ok_or_else(not_found)
    }

    fn failure(&self, submission: &Submission) -> Option<Answer> {
        let operation = self.operation(submission.collection).ok()?;
        Some(operation.variant(submission.variant.as_deref()?)?.failure())
    }

    /// Answers what no key plays a part in.
    fn answer(
        &self,
        interpreter: &Interpreter,
        asked: &Asked<'_>,
        route: &Route,
        mut captures: Captures,
        found: &[Found],
    ) -> Result<Answer, Answer> {
        for (name, value) in route.shape.meet(found).0 {
            captures.entry(name).or_insert(value);
        }
        let account = || self.credentials.account(asked, true);
        let marker = captures.get("marker").map(String::as_str);
        let number = captures.get("identity").map(|name| answers::number(name).ok_or_else(not_found)).transpose()?;
        match &route.deed {
            Deed::List(collection, telling) => {
                let account = account()?;
                Ok(interpreter.with_book(|book| telling.answer(&book.list(&account, *collection, marker))))
            }
            Deed::Show(collection) => {
                let (account, number) = (account()?, number.ok_or_else(not_found)?);
                let shown =
                    interpreter.with_book(|book| book.own(&account, *collection, number).map(|item| self.made(item)));
                shown.map(|answer| Answer { status: 200, ..answer }).ok_or_else(not_found)
            }
            Deed::Remove(collection) => remove(interpreter, &account()?, *collection, number, marker),
            Deed::Time(telling) => Ok(telling.answer(interpreter.clock.now())),
            Deed::AdvanceClock => advance(interpreter, &captures),
            Deed::Change => {
                let values = content(route.shape.format, &asked.body);
                let changed = |number| {
                    interpreter.with_book(|book| book.change(number, values.clone()).map(|item| self.made(item)))
                };
                let shown = number.and_then(changed).ok_or_else(not_found)?;
                Ok(Answer { status: 200, ..shown })
            }
            Deed::Delete => {
                let now = interpreter.clock.now();
                match number.is_some_and(|number| interpreter.with_book(|book| book.delete(number, now))) {
                    true => Ok(Answer::no_content()),
                    false => Err(not_found()),
                }
            }
            Deed::Limit(requests) => {
                interpreter.limit(*requests);
                Ok(Answer::no_content())
            }
            Deed::StoreDown => Ok(happened(interpreter, Interpreter::take_store_down)),
            Deed::StoreUp => Ok(happened(interpreter, Interpreter::bring_store_up)),
            Deed::Restart => Ok(happened(interpreter, Interpreter::restart)),
            Deed::Unknown(hook) => Err(Answer::error(501, &format!("nothing stands behind the hook {hook}"))),
            Deed::Operate(_) => Err(not_found()),
        }
    }
}

/// Under this name the path of a variant is a parameter.
const OTHER_PATH: &str = "path";

fn not_found() -> Answer {
    Answer::error(404, "not found")
}

/// Removes one resource of an account, or all that bear a marker.
fn remove(
    interpreter: &Interpreter,
    account: &str,
    collection: Collection,
    number: Option<u64>,
    marker: Option<&str>,
) -> Result<Answer, Answer> {
    let now = interpreter.clock.now();
    let removed = interpreter.with_book(|book| {
        let numbers: Vec<u64> = match (number, marker) {
            (Some(number), _) => book.own(account, collection, number).map(|item| item.number).into_iter().collect(),
            (None, Some(marker)) => {
                book.list(account, collection, Some(marker)).into_iter().map(|item| item.number).collect()
            }
            (None, None) => Vec::new(),
        };
        numbers.into_iter().filter(|number| book.delete(*number, now)).count()
    });
    if removed == 0 { Err(not_found()) } else { Ok(Answer::no_content()) }
}

fn happened(interpreter: &Interpreter, happen: fn(&Interpreter)) -> Answer {
    happen(interpreter);
    Answer::no_content()
}

fn advance(interpreter: &Interpreter, captures: &Captures) -> Result<Answer, Answer> {
    let seconds = captures.get("seconds").and_then(|seconds| seconds.parse().ok());
    let by = seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok());
    interpreter.advance_clock(by.ok_or_else(|| Answer::error(400, "invalid parameters"))?);
    Ok(Answer::no_content())
}

/// What a request to an operation asks for.
fn submission(
    interpreter: &Interpreter,
    asked: Asked<'_>,
    account: String,
    collection: Collection,
    operation: &Operation,
    in_path: &Captures,
) -> Submission {
    let contract = &interpreter.contract;
    let (key, body) = match in_path.get("key") {
        // Whoever names the resource needs no other key.
        Some(name) if contract.key.is_none() => (PresentedKey::One(name.clone().into_bytes()), asked.body),
        Some(_) | None => key::take(contract, asked.parts, asked.body),
    };
    let first_sent = key::first_sent(contract, asked.parts);
    let format = operation.shape.format;
    let mut found = fields::of_head(asked.parts);
    found.retain(|found| !carries_key(contract, &found.spot));
    let target = dated::with_date(target(&found, in_path), first_sent);
    let (variant, request) = match fields::of_content(format, &body) {
        None => (None, Err(Answer::coded(400, "invalid parameters", "invalid"))),
        Some(fields) => {
            found.extend(fields);
            read(operation, &found, in_path, content(format, &body))
        }
    };
    let (replica, method) = (asked.replica, asked.parts.method.to_string());
    let named = variant.as_deref().and_then(|name| operation.variant(name));
    let turned_away = named.filter(|variant| variant.drawn == Drawn::TurnedAway).map(Variant::failure);
    Submission { replica, account, collection, method, key, first_sent, body, target, variant, turned_away, request }
}

fn read(
    operation: &Operation,
    found: &[Found],
    in_path: &Captures,
    content: Map<String, Value>,
) -> (Option<String>, Result<Request, Answer>) {
    let Some((variant, captures)) = operation.recognise(found, in_path.get(OTHER_PATH).map(String::as_str)) else {
        return (None, Err(Answer::coded(400, "invalid parameters", "invalid")));
    };
    let name = Some(variant.name.clone());
    let reference = captures.get("marker").or_else(|| in_path.get("marker")).cloned();
    let slowness = variant.slowness();
    let request =
        variant.course().map(|course| Request { content, reference, course, slowness, variant: name.clone() });
    (name, request)
}

fn carries_key(contract: &Contract, spot: &Spot) -> bool {
    match (contract.key.as_ref().map(|key| &key.carrier), spot) {
        (Some(Carrier::Query(name)), Spot::Query(found)) => name == found,
        _ => false,
    }
}

/// The parameters in the request target: those of the query, and what stands in the holes of the path.
fn target(found: &[Found], in_path: &Captures) -> Vec<(String, String)> {
    let in_query = found.iter().filter_map(|found| match (&found.spot, &found.value) {
        (Spot::Query(name), Value::String(value)) => Some((name.clone(), value.clone())),
        _ => None,
    });
    let in_path = in_path.iter().map(|(name, value)| (path_parameter(name), value.clone()));
    let mut target: Vec<(String, String)> = in_query.chain(in_path).collect();
    target.sort();
    target
}

/// The parameters that an answer tells again: the members of a JSON object, the fields of a form without nested names.
fn content(format: Format, body: &[u8]) -> Map<String, Value> {
    match format {
        Format::None | Format::Raw => Map::new(),
        Format::Multipart => multipart::parts(body)
            .unwrap_or_default()
            .into_iter()
            .filter(|part| part.filename.is_none())
            .map(|part| (part.name, Value::from(part.content)))
            .collect(),
        Format::Json => serde_json::from_slice(body).unwrap_or_default(),
        Format::Form => form_urlencoded::parse(body)
            .filter(|(name, _)| !name.contains('['))
            .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
            .collect(),
    }
}
