//! The order API: what an order is, and what becomes of one.

mod routes;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::book::{Book, Collection, Course, Item, Request, SLOW_FACTOR};
use super::interpreter::Interpreter;
use super::policy::Submission;
use super::surface::{Asked, Routed, Surface};

/// An order for this product is declined once its execution has begun, and leaves nothing behind: 422. By the time that
/// another order with the same reference is carried out, the product is in stock again: so a failure that is merely
/// repeated can be told from one that is remembered.
pub const FAILING_PRODUCT: &str = "out-of-stock";

/// An order for this product crashes once its execution has begun: 500. The order is there all the same, unless the
/// contract has repeats carried out after a server error.
pub const CRASHING_PRODUCT: &str = "broken";

/// An order for this product takes [`SLOW_FACTOR`] times as long as others.
pub const SLOW_PRODUCT: &str = "handmade";

/// The names of the two operations, in paths and as the members of a list. There are two, so that a key can be tried on
/// another operation.
const COLLECTIONS: [&str; 2] = ["orders", "reservations"];

/// The members that hold the number of a resource.
const IDENTITIES: [&str; 2] = ["order_id", "reservation_id"];

/// The order API.
pub(super) struct Orders;

impl Surface for Orders {
    fn route(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Result<Routed, Answer> {
        routes::route(interpreter, asked)
    }

    fn announced(&self, interpreter: &Interpreter, asked: Asked<'_>) -> Option<Submission> {
        routes::announced(interpreter, &asked)
    }

    fn made(&self, item: &Item) -> Answer {
        let location = format!("/{}/{}", name(&COLLECTIONS, item.collection), item.number);
        // The session of whoever sent the request: nobody else is to get it.
        let session = format!("session={:08x}; HttpOnly", item.number.wrapping_mul(0x9e37_79b9) & 0xffff_ffff);
        Answer::json(201, &show(item)).with_header("location", &location).with_header("set-cookie", &session)
    }

    fn shown(&self, item: &Item) -> Bytes {
        show(item).to_string().into()
    }

    fn declined(&self, _: &Submission) -> Answer {
        Answer::error(422, "out of stock")
    }

    fn crashed(&self, _: &Submission) -> Answer {
        Answer::error(500, "internal error")
    }

    fn identity(&self, number: u64) -> String {
        number.to_string()
    }
}

/// The collection with this name in a path.
fn number_of(name: &str) -> Option<Collection> {
    COLLECTIONS.iter().position(|known| *known == name).map(Collection)
}

fn name(names: &[&'static str; 2], collection: Collection) -> &'static str {
    names.get(collection.0).copied().unwrap_or_default()
}

/// Reads and validates the body of a request. `None` if it is not acceptable, for whatever reason.
fn parse(body: &[u8]) -> Option<Request> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        product: String,
        quantity: u64,
        #[serde(default)]
        reference: Option<String>,
        #[serde(default)]
        delivery: Option<Delivery>,
    }
    let Order { product, quantity, reference, delivery } = serde_json::from_slice(body).ok()?;
    if product.is_empty() || quantity == 0 {
        return None;
    }
    let course = match product.as_str() {
        FAILING_PRODUCT => Course::Fails,
        CRASHING_PRODUCT => Course::Crashes,
        _ => Course::Succeeds,
    };
    let slowness = if product == SLOW_PRODUCT { SLOW_FACTOR } else { 1 };
    let mut content = Map::new();
    content.insert("product".into(), product.into());
    content.insert("quantity".into(), quantity.into());
    content.extend(reference.clone().map(|reference| ("reference".to_owned(), Value::from(reference))));
    content.extend(delivery.map(|delivery| ("delivery".to_owned(), delivery.show())));
    Some(Request { content, reference, course, slowness, variant: None })
}

/// Where an order goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delivery {
    city: String,
    #[serde(default)]
    note: Option<String>,
}

impl Delivery {
    fn show(self) -> Value {
        let mut members = Map::new();
        members.insert("city".into(), self.city.into());
        members.extend(self.note.map(|note| ("note".to_owned(), Value::from(note))));
        Value::Object(members)
    }
}

fn show(item: &Item) -> Value {
    let mut members = Map::new();
    members.insert(name(&IDENTITIES, item.collection).into(), item.number.into());
    members.extend(item.request.content.clone());
    Value::Object(members)
}

fn list(collection: Collection, items: &[&Item]) -> Value {
    let listed = items.iter().map(|item| show(item)).collect();
    Value::Object(Map::from_iter([(name(&COLLECTIONS, collection).to_owned(), Value::Array(listed))]))
}

/// The new quantity in the body of a change. `None` if the body is not acceptable.
fn new_quantity(body: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Change {
        quantity: u64,
    }
    let change: Change = serde_json::from_slice(body).ok()?;
    (change.quantity > 0).then_some(change.quantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sensible_orders_are_accepted() {
        for body in
            [r#"{"product":"notebook","quantity":2}"#, r#" { "quantity": 1, "product": "n", "reference": "r" } "#]
        {
            assert!(parse(body.as_bytes()).is_some(), "{body}");
        }
        for body in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"product":"","quantity":1}"#,
            r#"{"product":"n","quantity":0}"#,
            r#"{"product":"n","quantity":-1}"#,
            r#"{"product":"n","quantity":1.5}"#,
            r#"{"product":"n","quantity":"1"}"#,
            r#"{"product":"n","quantity":true}"#,
            r#"{"product":1,"quantity":1}"#,
            r#"{"product":"n","quantity":1,"colour":"red"}"#,
            r#"{"product":"n","quantity":1,"reference":7}"#,
            r#"{"product":"n","quantity":1} {}"#,
        ] {
            assert!(parse(body.as_bytes()).is_none(), "{body}");
        }
    }
}
