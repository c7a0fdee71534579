//! How answers read: where they name what was made, and what else the profile has them say.

use serde_json::{Map, Value};

use super::mock::{self, Names};
use super::pattern::Pattern;
use super::{Content, Markup, Place};
use crate::contract::{Contract, Matcher};
use crate::message::Extractor;
use crate::profile::{ClockUnit, Mock, MockAnswer, MockList, Template};
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
    Content(Markup, Place),
    Header(String),
}

impl Spot {
    fn of(extractor: &Extractor) -> Result<Self, String> {
        let spot = match extractor {
            Extractor::Header(name) => Some(Self::Header(name.clone())),
            Extractor::Pattern(_) => None,
            Extractor::Json(path) => Place::parse(&path.to_string()).map(|place| Self::Content(Markup::Json, place)),
            Extractor::Xml(path) => Place::of_xml(path).map(|place| Self::Content(Markup::Xml, place)),
        };
        spot.ok_or_else(|| format!("no answer can be made up in which {extractor} finds one value"))
    }

    /// An answer with a value here, and beside it what else is to be told.
    fn told(&self, status: u16, beside: Value, value: Value) -> Answer {
        match self {
            Self::Content(Markup::Xml, place) => {
                let mut content = Content::empty(Markup::Xml);
                if let Some(around) = place.around() {
                    around.put(&mut content.value, Some(beside));
                }
                place.put(&mut content.value, Some(value));
                content.put_into(Answer { status, ..Answer::no_content() })
            }
            Self::Content(Markup::Json, _) | Self::Header(_) => self.put(Answer::json(status, &beside), value),
        }
    }

    /// The same answer with a value here.
    fn put(&self, answer: Answer, value: Value) -> Answer {
        match self {
            Self::Content(_, place) => match Content::read(&answer) {
                Some(mut content) => {
                    place.put(&mut content.value, Some(value));
                    content.put_into(answer)
                }
                None => answer,
            },
            Self::Header(name) => {
                answer.with_header(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            }
        }
    }
}

/// How the answers of an operation read.
#[derive(Clone, Debug)]
pub(super) struct Telling {
    /// How what was made is found.
    named_by: Extractor,
    /// Where it is named, unless that is written out.
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
        let named_by = identity.clone();
        let identity = match (Spot::of(identity), &written) {
            (Ok(spot), _) => Some(spot),
            (Err(_), Some(_)) => None,
            (Err(reason), None) => return Err(format!("{reason}; `mock.success` would have to write it out")),
        };
        let success = success.cloned().unwrap_or_default();
        Ok(Self { named_by, identity, written, success, status, repeated, resource })
    }

    /// The answer to a request that has made a resource.
    pub(super) fn made(&self, item: &Item, draws: &Matcher) -> Answer {
        let name = identity(item.number);
        let told = Value::Object(item.request.content.clone());
        let mut answer = match &self.identity {
            Some(spot @ Spot::Content(..)) => spot.told(self.status, told, Value::from(name.as_str())),
            Some(Spot::Header(_)) | None => Answer::json(self.status, &told),
        };
        if let Some(written) = &self.written {
            answer = self.named(mock::answer(written, answer, names(&name, item)), &name);
        }
        let answer = answer.fitting(&self.success, Some(&name)).fitting(draws, Some(&name));
        self.headers(&name).iter().fold(answer, |answer, (name, value)| answer.with_header(name, value))
    }

    /// An answer that is written out, with the name where the profile looks for it in its content.
    fn named(&self, answer: Answer, name: &str) -> Answer {
        match &self.identity {
            Some(spot @ Spot::Content(..)) if self.named_by.extract(&answer.message()) != [name] => {
                spot.put(answer, Value::from(name))
            }
            Some(_) | None => answer,
        }
    }

    /// The header fields in which the profile looks for something.
    fn headers(&self, name: &str) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        if let Some(Spot::Header(field)) = &self.identity {
            headers.push((field.clone(), name.to_owned()));
        }
        let path = self.resource.as_ref().map(|resource| resource.filled("identity", name));
        for repeated in &self.repeated {
            if !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(repeated)) {
                let value = path.clone().filter(|_| repeated == "location");
                headers.push((repeated.clone(), value.unwrap_or_else(|| name.to_owned())));
            }
        }
        headers
    }
}

/// How a list of resources reads.
#[derive(Clone, Debug)]
pub(super) struct ListTelling {
    markup: Markup,
    /// Where the list stands, and where in an item its name; unless that is written out.
    places: Option<(Place, Place)>,
    written: MockList,
}

impl ListTelling {
    /// A list in which the extractor finds one name for each resource.
    pub(super) fn of(each: &Extractor, mock: Option<&Mock>) -> Result<Self, String> {
        let written = mock.and_then(|mock| mock.list.clone());
        let (markup, places) = match each {
            Extractor::Json(path) => (Markup::Json, Place::parse(&path.to_string()).and_then(|place| place.of_items())),
            Extractor::Xml(path) => (Markup::Xml, Place::of_xml(path).and_then(|place| place.of_elements())),
            Extractor::Header(_) | Extractor::Pattern(_) => (Markup::Json, None),
        };
        if places.is_none() && written.is_none() {
            return Err(format!(
                "no list can be made up in which {each} finds every item; `mock.list` would have to write one out"
            ));
        }
        Ok(Self { markup, places, written: written.unwrap_or_default() })
    }

    /// The list.
    pub(super) fn answer(&self, items: &[&Item]) -> Answer {
        match &self.written.body {
            Some(body) => self.text(body, items),
            None => self.content(items),
        }
    }

    /// A list that is written out as text.
    fn text(&self, body: &Template, items: &[&Item]) -> Answer {
        let item = |item: &&Item| {
            let name = identity(item.number);
            match &self.written.item {
                Some(Value::String(written)) => names(&name, item).text(&Template(written.clone())),
                Some(_) | None => name,
            }
        };
        let items: String = items.iter().map(item).collect();
        let written = MockAnswer { body: Some(body.clone()), ..MockAnswer::default() };
        mock::answer(&written, Answer::json(200, &Value::Null), Names { items: Some(&items), ..Names::default() })
    }

    /// A list that is made up as far as it is not written out.
    fn content(&self, items: &[&Item]) -> Answer {
        let shown = |item: &&Item| {
            let name = identity(item.number);
            let told = || Value::Object(item.request.content.clone());
            let mut shown = self.written.item.as_ref().map_or_else(told, |written| names(&name, item).json(written));
            if let Some((_, within)) = &self.places {
                within.put(&mut shown, Some(Value::from(name.as_str())));
            }
            shown
        };
        let shown: Value = items.iter().map(shown).collect();
        let mut content = Content::empty(self.markup);
        content.value = self.written.json.clone().unwrap_or(content.value);
        if !mock::put_items(&mut content.value, &shown)
            && let Some((list, _)) = &self.places
        {
            list.put(&mut content.value, Some(shown));
        }
        content.put_into(Answer { status: 200, ..Answer::no_content() })
    }
}

fn names<'n>(identity: &'n str, item: &'n Item) -> Names<'n> {
    Names { identity: Some(identity), marker: item.request.reference.as_deref(), ..Names::default() }
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
        self.spot.told(200, Value::Object(Map::new()), Value::from(number))
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
