//! How answers read: where they name what was made, and what else the profile has them say.

use serde_json::{Map, Value};

use super::Place;
use super::mock::{self, Names};
use super::pattern::Pattern;
use crate::contract::{Contract, Matcher};
use crate::message::Extractor;
use crate::profile::{ClockUnit, Mock, MockAnswer, MockList};
use crate::reference::answer::Answer;
use crate::reference::book::Item;
use crate::reference::clock::Moment;

/// What the name of a resource begins with.
const PREFIX: &str = "id_";

/// The header fields that answers have anyway, or that are made elsewhere.
const MADE_ELSEWHERE: [&str; 3] = ["content-type", "content-length", "date"];

/// How a resource is named.
pub(super) fn identity(number: u64) -> String {
    format!("{PREFIX}{number:08}")
}

/// The number of the resource that is so named.
pub(super) fn number(identity: &str) -> Option<u64> {
    identity.strip_prefix(PREFIX)?.parse().ok()
}

/// Where a value is put.
#[derive(Clone, Debug)]
enum Spot {
    Json(Place),
    Header(String),
}

impl Spot {
    fn of(extractor: &Extractor) -> Result<Self, String> {
        match extractor {
            Extractor::Header(name) => Ok(Self::Header(name.clone())),
            Extractor::Json(path) => Place::parse(&path.to_string())
                .map(Self::Json)
                .ok_or_else(|| format!("no answer can be made up in which {extractor} finds one value")),
        }
    }

    fn put(&self, content: &mut Value, headers: &mut Vec<(String, String)>, value: Value) {
        match self {
            Self::Json(place) => place.put(content, Some(value)),
            Self::Header(name) => {
                headers.push((name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
            }
        }
    }
}

/// How the answers of an operation read.
#[derive(Clone, Debug)]
pub(super) struct Telling {
    /// Where what was made is named, unless that is written out.
    identity: Option<Spot>,
    written: Option<MockAnswer>,
    success: Matcher,
    status: u16,
    /// Header fields that a replay repeats: so a first answer has them.
    repeated: Vec<String>,
    /// The path of one resource, if it has one of its own.
    resource: Option<Pattern>,
}

impl Telling {
    /// How the answers of an operation read that names what it made so, and tells its success so.
    pub(super) fn of(
        identity: &Extractor,
        success: Option<&Matcher>,
        status: u16,
        contract: &Contract,
        resource: Option<Pattern>,
        mock: Option<&Mock>,
    ) -> Result<Self, String> {
        let repeated = contract.fidelity().map(|(fidelity, _, _)| fidelity.headers.clone()).unwrap_or_default();
        let repeated = repeated.into_iter().map(|name| name.to_ascii_lowercase());
        let repeated = repeated.filter(|name| !MADE_ELSEWHERE.contains(&name.as_str())).collect();
        let written = mock.and_then(|mock| mock.success.clone());
        let identity = match (Spot::of(identity), &written) {
            (Ok(spot), _) => Some(spot),
            (Err(_), Some(_)) => None,
            (Err(reason), None) => return Err(format!("{reason}; `mock.success` would have to write it out")),
        };
        let success = success.cloned().unwrap_or_default();
        Ok(Self { identity, written, success, status, repeated, resource })
    }

    /// The answer to a request that has made a resource.
    pub(super) fn made(&self, item: &Item, draws: &Matcher) -> Answer {
        let name = identity(item.number);
        let content = Value::Object(item.request.content.clone());
        let mut answer = Answer::json(self.status, &content);
        if let Some(written) = &self.written {
            let names = Names { identity: Some(&name), marker: item.request.reference.as_deref() };
            answer = mock::answer(written, answer, names);
        }
        let mut headers = Vec::new();
        match (&self.identity, serde_json::from_slice(&answer.body)) {
            (Some(Spot::Json(place)), Ok(mut content)) => {
                place.put(&mut content, Some(Value::from(name.clone())));
                answer.body = content.to_string().into();
            }
            (Some(Spot::Header(field)), _) => headers.push((field.clone(), name.clone())),
            (Some(Spot::Json(_)), Err(_)) | (None, _) => {}
        }
        let path = self.resource.as_ref().map(|resource| resource.filled("identity", &name));
        for repeated in &self.repeated {
            if !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(repeated)) {
                let value = if repeated == "location" { path.as_ref().unwrap_or(&name) } else { &name };
                headers.push((repeated.clone(), value.clone()));
            }
        }
        let answer = answer.fitting(&self.success, Some(&name)).fitting(draws, Some(&name));
        headers.iter().fold(answer, |answer, (name, value)| answer.with_header(name, value))
    }
}

/// How a list of resources reads.
#[derive(Clone, Debug)]
pub(super) struct ListTelling {
    /// Where the list stands, and where in an item its name; unless that is written out.
    places: Option<(Place, Place)>,
    written: MockList,
}

impl ListTelling {
    /// A list in which the extractor finds one name for each resource.
    pub(super) fn of(each: &Extractor, mock: Option<&Mock>) -> Result<Self, String> {
        let written = mock.and_then(|mock| mock.list.clone());
        let places = match each {
            Extractor::Json(path) => Place::parse(&path.to_string()).and_then(|place| place.of_items()),
            Extractor::Header(_) => None,
        };
        if places.is_none() && written.is_none() {
            return Err(format!(
                "no list can be made up in which {each} finds every item; `mock.list` would have to write one out"
            ));
        }
        Ok(Self { places, written: written.unwrap_or_default() })
    }

    /// The list.
    pub(super) fn answer(&self, items: &[&Item]) -> Answer {
        let shown = |item: &&Item| {
            let name = identity(item.number);
            let names = Names { identity: Some(&name), marker: item.request.reference.as_deref() };
            let told = || Value::Object(item.request.content.clone());
            let mut shown = self.written.item.as_ref().map_or_else(told, |item| names.json(item));
            if let Some((_, within)) = &self.places {
                within.put(&mut shown, Some(Value::from(name.as_str())));
            }
            shown
        };
        let shown: Value = items.iter().map(shown).collect();
        let mut content = self.written.json.clone().unwrap_or_else(|| Value::Object(Map::new()));
        if !mock::put_items(&mut content, &shown)
            && let Some((list, _)) = &self.places
        {
            list.put(&mut content, Some(shown));
        }
        Answer::json(200, &content)
    }
}

/// How the time is told.
#[derive(Clone, Debug)]
pub(super) struct TimeTelling {
    spot: Spot,
    unit: ClockUnit,
}

impl TimeTelling {
    /// A number of this unit in the place of the extractor.
    pub(super) fn of(time: &Extractor, unit: ClockUnit) -> Result<Self, String> {
        Ok(Self { spot: Spot::of(time)?, unit })
    }

    /// The time.
    pub(super) fn answer(&self, now: Moment) -> Answer {
        let number = match self.unit {
            ClockUnit::Seconds => now.as_secs(),
            ClockUnit::Milliseconds => u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        };
        let (mut content, mut headers) = (Value::Object(Map::new()), Vec::new());
        self.spot.put(&mut content, &mut headers, Value::from(number));
        let answer = Answer::json(200, &content);
        headers.iter().fold(answer, |answer, (name, value)| answer.with_header(name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_belong_together() {
        assert_eq!(number(&identity(7)), Some(7));
        assert_eq!(number("7"), None);
    }
}
