//! Counting effects, independently of the answers.

use super::Context;
use super::case::{CaseRun, Stop};
use super::control::ControlRequest;
use crate::history::{Count, CountFailure, EventKind, Item, Listing};
use crate::message::{Element, Extractor, Response};
use crate::plan::{Place, READS_PER_COUNT};
use crate::profile::Counter;

impl CaseRun<'_> {
    /// Counts the effects of an action, so often that a count can be closed.
    pub(super) async fn count_intent(&mut self, name: &str) -> Result<(), Stop> {
        match self.intents.get(name).map(|intent| intent.marker.clone()) {
            Some(marker) => self.count_marker(&marker).await,
            None => Ok(()),
        }
    }

    /// Counts the effects of every action of the case.
    pub(super) async fn count_all(&mut self) -> Result<(), Stop> {
        let mut markers: Vec<String> = self.intents.values().map(|intent| intent.marker.clone()).collect();
        markers.dedup();
        for marker in markers {
            self.count_marker(&marker).await?;
        }
        Ok(())
    }

    async fn count_marker(&mut self, marker: &str) -> Result<(), Stop> {
        let settle = self.longest_settle();
        for read in 0..READS_PER_COUNT {
            if read > 0 {
                self.pause(settle).await?;
            }
            self.read_counters(marker).await?;
        }
        Ok(())
    }

    /// Reads every counter of every account and operation that the case uses, once.
    pub(super) async fn read_counters(&mut self, marker: &str) -> Result<(), Stop> {
        for place in self.places.clone() {
            self.read_counters_of(&place, marker).await?;
        }
        Ok(())
    }

    async fn read_counters_of(&mut self, place: &Place, marker: &str) -> Result<(), Stop> {
        for (index, counter) in self.context.bound.counters(&place.operation).iter().enumerate() {
            let count = match self.past.take_count(marker, index) {
                Some(count) => count,
                None => self.read_counter(place, (index, counter), marker).await?,
            };
            match &count.listing {
                Listing::Items(items) if place.is_own() => {
                    self.listed.entry(marker.to_owned()).or_default().insert(index, items.len());
                }
                Listing::Failed(_) if place.is_own() => self.uncounted = true,
                Listing::Items(_) | Listing::Failed(_) => {}
            }
        }
        Ok(())
    }

    async fn read_counter(
        &self,
        place: &Place,
        (index, counter): (usize, &Counter),
        marker: &str,
    ) -> Result<Count, Stop> {
        self.go_live()?;
        self.context.pace.take_control()?;
        let began = self.context.recorder.elapsed();
        let listing = list(self.context, place, (index, counter), marker).await?;
        let count = Count {
            marker: marker.to_owned(),
            counter: index,
            account: place.account.clone(),
            operation: place.operation.clone(),
            after: self.attempts,
            began,
            ended: self.context.recorder.elapsed(),
            listing,
        };
        self.context.recorder.record(Some(&self.case.id), EventKind::Counted(count.clone()))?;
        Ok(count)
    }
}

/// Asks one counter of a place for the effects of a marker.
pub(super) async fn list(
    context: &Context,
    place: &Place,
    (index, counter): (usize, &Counter),
    marker: &str,
) -> Result<Listing, Stop> {
    let render = || context.bound.count_request(&place.operation, index, marker, &place.account);
    let request = ControlRequest { account: &place.account, replica: None, render: &render };
    Ok(match context.send_patiently(request).await? {
        Ok(response) => listing(counter, &response, marker),
        Err(error) => Listing::Failed(CountFailure::NoAnswer(error.to_string())),
    })
}

/// What an answer lists of a marker.
fn listing(counter: &Counter, response: &Response, marker: &str) -> Listing {
    match listed(counter, response) {
        Listing::Items(items) if counter.picked_by_marker => {
            let holds = |item: &Item| item.content.as_ref().is_some_and(|content| content.contains(marker));
            Listing::Items(items.into_iter().filter(holds).collect())
        }
        listing => listing,
    }
}

fn listed(counter: &Counter, response: &Response) -> Listing {
    if !(200..300).contains(&response.status) {
        return Listing::Failed(CountFailure::Status(response.status));
    }
    if counter.paged.as_ref().is_some_and(|paged| paged.fits(response, None)) {
        return Listing::Failed(CountFailure::Paged);
    }
    match &counter.each {
        Extractor::Header(_) | Extractor::Pattern(_) => {
            let plain = |identity| Item { identity, content: None };
            Listing::Items(counter.each.extract(response).into_iter().map(plain).collect())
        }
        Extractor::Xml(path) => match response.xml() {
            Err(error) => Listing::Failed(CountFailure::Unreadable(error.to_string())),
            Ok(root) => {
                let content = |parent: Option<&Element>| parent.map(|parent| parent.to_value().to_string());
                let item =
                    |(identity, parent): (&str, _)| Item { identity: identity.to_owned(), content: content(parent) };
                Listing::Items(path.with_parents(&root).into_iter().map(item).collect())
            }
        },
        Extractor::Json(path) => match response.json() {
            None => Listing::Failed(CountFailure::Unreadable("it is not JSON".into())),
            Some(document) => Listing::Items(
                path.with_parents(&document)
                    .into_iter()
                    .map(|(identity, parent)| Item { identity, content: parent.map(ToString::to_string) })
                    .collect(),
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Period;
    use crate::message::{JsonPath, XmlPath};
    use crate::profile::{RequestTemplate, Template};

    fn counter() -> Counter {
        Counter {
            request: RequestTemplate {
                method: "GET".into(),
                path: Template("/orders".into()),
                query: Default::default(),
                headers: Default::default(),
                json: None,
                form: None,
                multipart: None,
                raw: None,
                fresh: Vec::new(),
            },
            each: Extractor::Json(JsonPath::parse("$.orders[*].id").unwrap()),
            settle: Period::default(),
            picked_by_marker: false,
            paged: Some(serde_yaml::from_str(r#"json: {"$.has_more": true}"#).unwrap()),
        }
    }

    fn answer(status: u16, body: &str) -> Response {
        Response { status, headers: Vec::new(), body: body.into() }
    }

    #[test]
    fn items_carry_what_the_list_shows_beside_the_identity() {
        let listing = listing(&counter(), &answer(200, r#"{"orders":[{"id":7,"quantity":2}]}"#), "m-1");
        let item = Item { identity: "7".into(), content: Some(r#"{"id":7,"quantity":2}"#.into()) };
        assert_eq!(listing, Listing::Items(vec![item]));
    }

    #[test]
    fn items_of_xml_are_told_by_their_names_and_broken_xml_is_no_count() {
        let path = XmlPath::parse("/orders/order/id").unwrap();
        let counter = Counter { each: Extractor::Xml(path), paged: None, ..counter() };
        let read =
            listing(&counter, &answer(200, "<orders><order><id>7</id><quantity>2</quantity></order></orders>"), "m-1");
        let item = Item { identity: "7".into(), content: Some(r#"{"id":"7","quantity":"2"}"#.into()) };
        assert_eq!(read, Listing::Items(vec![item]));
        assert_eq!(listing(&counter, &answer(200, "<orders/>"), "m-1"), Listing::Items(Vec::new()));
        let Listing::Failed(CountFailure::Unreadable(reason)) = listing(&counter, &answer(200, "<orders>"), "m-1")
        else {
            panic!("broken XML was read");
        };
        assert!(reason.starts_with("it could not be read as XML"), "{reason}");
    }

    #[test]
    fn of_a_list_that_cannot_be_searched_those_count_that_hold_the_marker() {
        let body = r#"{"orders":[{"id":7,"reference":"m-1"},{"id":8,"reference":"m-2"}]}"#;
        let counter = Counter { picked_by_marker: true, ..counter() };
        let Listing::Items(items) = listing(&counter, &answer(200, body), "m-1") else { panic!("no list") };
        assert_eq!(items.into_iter().map(|item| item.identity).collect::<Vec<_>>(), ["7"]);
        assert_eq!(listing(&counter, &answer(200, body), "m-3"), Listing::Items(Vec::new()));
    }

    #[test]
    fn a_list_that_cannot_be_trusted_is_no_count() {
        let failed = |status, body| match listing(&counter(), &answer(status, body), "m-1") {
            Listing::Failed(failure) => failure,
            Listing::Items(items) => panic!("{items:?}"),
        };
        assert_eq!(failed(500, "{}"), CountFailure::Status(500));
        assert_eq!(failed(200, r#"{"orders":[],"has_more":true}"#), CountFailure::Paged);
        assert!(matches!(failed(200, "<html>"), CountFailure::Unreadable(_)));
    }
}
