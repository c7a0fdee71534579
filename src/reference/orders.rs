//! The business of the server: orders, and the effects that a test counts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

/// An order for this product is declined once its execution has begun, and leaves nothing behind: 422. By the time that
/// another order with the same reference is carried out, the product is in stock again: so a failure that is merely
/// repeated can be told from one that is remembered.
pub const FAILING_PRODUCT: &str = "out-of-stock";

/// An order for this product crashes once its execution has begun: 500. The order is there all the same, unless the
/// contract has repeats carried out after a server error.
pub const CRASHING_PRODUCT: &str = "broken";

/// An order for this product takes [`SLOW_FACTOR`] times as long as others.
pub const SLOW_PRODUCT: &str = "handmade";

/// How many times longer a slow order takes.
pub const SLOW_FACTOR: u32 = 8;

/// A kind of resource that can be made with a key. There are two, so that a key can be tried on another operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Collection {
    /// `/orders`
    Orders,
    /// `/reservations`
    Reservations,
}

impl Collection {
    /// The collection with this name in a path.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Orders, Self::Reservations].into_iter().find(|collection| collection.name() == name)
    }

    /// Its name, in paths and as the member of a list.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Reservations => "reservations",
        }
    }

    /// The member that holds the number of a resource.
    fn identity(self) -> &'static str {
        match self {
            Self::Orders => "order_id",
            Self::Reservations => "reservation_id",
        }
    }
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    product: String,
    quantity: u64,
    #[serde(default)]
    reference: Option<String>,
}

impl Request {
    /// Reads and validates the body of a request. `None` if it is not acceptable, for whatever reason.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let request: Self = serde_json::from_slice(body).ok()?;
        (!request.product.is_empty() && request.quantity > 0).then_some(request)
    }

    /// What becomes of it when it is carried out.
    pub(super) fn course(&self) -> Course {
        match self.product.as_str() {
            FAILING_PRODUCT => Course::Fails,
            CRASHING_PRODUCT => Course::Crashes,
            _ => Course::Succeeds,
        }
    }

    /// How many times longer than others it takes.
    pub(super) fn slowness(&self) -> u32 {
        if self.product == SLOW_PRODUCT { SLOW_FACTOR } else { 1 }
    }
}

/// What becomes of a valid request when it is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It makes a resource.
    Succeeds,
    /// It is declined.
    Fails,
    /// It ends in a server error.
    Crashes,
}

/// One resource that was made: an effect.
#[derive(Clone, Debug)]
struct Item {
    account: String,
    collection: Collection,
    request: Request,
    changed: bool,
}

impl Item {
    fn belongs_to(&self, account: &str, collection: Collection) -> bool {
        self.account == account && self.collection == collection
    }

    fn show(&self, number: u64) -> Value {
        let mut members = Map::new();
        members.insert(self.collection.identity().into(), number.into());
        members.insert("product".into(), self.request.product.clone().into());
        members.insert("quantity".into(), self.request.quantity.into());
        if let Some(reference) = &self.request.reference {
            members.insert("reference".into(), reference.clone().into());
        }
        Value::Object(members)
    }
}

/// All resources of all accounts. Numbers rise over the whole server and are never given twice.
#[derive(Debug, Default)]
pub(super) struct Book {
    items: BTreeMap<u64, Item>,
    latest: u64,
    declined: BTreeSet<(String, String)>,
}

impl Book {
    /// Makes a resource and says which number it got.
    pub(super) fn add(&mut self, account: &str, collection: Collection, request: &Request) -> u64 {
        self.latest += 1;
        let item = Item { account: account.to_owned(), collection, request: request.clone(), changed: false };
        self.items.insert(self.latest, item);
        self.latest
    }

    /// Declines a request for what is not in stock, the first time that its reference asks for it. Without a reference
    /// every time is the first.
    pub(super) fn declines(&mut self, account: &str, request: &Request) -> bool {
        match &request.reference {
            Some(reference) => self.declined.insert((account.to_owned(), reference.clone())),
            None => true,
        }
    }

    /// A resource as it is now.
    pub(super) fn show(&self, account: &str, collection: Collection, number: u64) -> Option<Value> {
        let item = self.items.get(&number).filter(|item| item.belongs_to(account, collection))?;
        Some(item.show(number))
    }

    /// The resources of an account, oldest first; with a reference, only those that bear it.
    pub(super) fn list(&self, account: &str, collection: Collection, reference: Option<&str>) -> Value {
        let listed = self
            .items
            .iter()
            .filter(|(_, item)| item.belongs_to(account, collection))
            .filter(|(_, item)| reference.is_none() || item.request.reference.as_deref() == reference)
            .map(|(number, item)| item.show(*number))
            .collect();
        Value::Object(Map::from_iter([(collection.name().to_owned(), Value::Array(listed))]))
    }

    /// Gives a resource another quantity, and shows it. `None` if there is no such resource.
    pub(super) fn change(
        &mut self,
        account: &str,
        collection: Collection,
        number: u64,
        quantity: u64,
    ) -> Option<Value> {
        let item = self.items.get_mut(&number).filter(|item| item.belongs_to(account, collection))?;
        item.request.quantity = quantity;
        item.changed = true;
        Some(item.show(number))
    }

    /// Deletes a resource. Says whether there was one.
    pub(super) fn delete(&mut self, account: &str, collection: Collection, number: u64) -> bool {
        let there = self.items.get(&number).is_some_and(|item| item.belongs_to(account, collection));
        there && self.items.remove(&number).is_some()
    }

    /// Whether a resource that was made is there no more.
    pub(super) fn deleted(&self, number: u64) -> bool {
        !self.items.contains_key(&number)
    }

    /// Whether a resource is no longer as it was made.
    pub(super) fn changed(&self, number: u64) -> bool {
        self.items.get(&number).is_none_or(|item| item.changed)
    }
}

/// The new quantity in the body of a change. `None` if the body is not acceptable.
pub(super) fn new_quantity(body: &[u8]) -> Option<u64> {
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
            assert!(Request::parse(body.as_bytes()).is_some(), "{body}");
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
            assert!(Request::parse(body.as_bytes()).is_none(), "{body}");
        }
    }

    #[test]
    fn accounts_and_collections_do_not_see_each_other() {
        let mut book = Book::default();
        let request = Request { product: "notebook".into(), quantity: 2, reference: Some("r".into()) };
        let number = book.add("ada", Collection::Orders, &request);
        assert!(book.show("ada", Collection::Orders, number).is_some());
        assert!(book.show("bob", Collection::Orders, number).is_none());
        assert!(book.show("ada", Collection::Reservations, number).is_none());
        assert!(!book.delete("bob", Collection::Orders, number));
        assert_eq!(book.list("bob", Collection::Orders, None).to_string(), r#"{"orders":[]}"#);
        assert_eq!(book.list("ada", Collection::Orders, Some("s")).to_string(), r#"{"orders":[]}"#);
        assert!(!book.changed(number));
        assert!(book.change("ada", Collection::Orders, number, 9).is_some());
        assert!(book.changed(number));
        assert!(book.delete("ada", Collection::Orders, number));
        assert!(!book.delete("ada", Collection::Orders, number));
        assert_eq!(book.add("ada", Collection::Orders, &request), number + 1);
    }
}
