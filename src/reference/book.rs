//! What the server keeps its books of: the resources that requests make. They are the effects that a test counts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::clock::Moment;
use super::store::Touched;

/// How many times longer than others a request takes that is known to be slow.
pub const SLOW_FACTOR: u32 = 8;

/// A kind of resource that can be made with a key: one for every operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Collection(pub(super) usize);

impl Collection {
    /// What the main operation makes.
    pub(super) const MAIN: Self = Self(0);
}

/// A request that is acceptable: what is asked for, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Request {
    /// The parameters that the answer tells again.
    pub(super) content: Map<String, Value>,
    /// What a list can be asked for by.
    pub(super) reference: Option<String>,
    /// What becomes of it when it is carried out.
    pub(super) course: Course,
    /// How many times longer than others it takes.
    pub(super) slowness: u32,
    /// The name of the parameter variant that it is, where it is known to be one.
    pub(super) variant: Option<String>,
}

/// What becomes of an acceptable request when it is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Course {
    /// It makes a resource.
    Succeeds,
    /// It is declined.
    Fails,
    /// It ends in a server error.
    Crashes,
}

/// One resource that was made: an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Item {
    /// Its number.
    pub(super) number: u64,
    /// What it was made by, apart from what was changed since.
    pub(super) request: Request,
    /// Which kind of resource it is.
    pub(super) collection: Collection,
    account: String,
    changed: bool,
}

impl Item {
    fn belongs_to(&self, account: &str, collection: Collection) -> bool {
        self.account == account && self.collection == collection
    }
}

/// All resources of all accounts. Numbers rise over the whole server and are never given twice.
#[derive(Debug, Default)]
pub(super) struct Book {
    items: BTreeMap<u64, Item>,
    latest: u64,
    declined: BTreeSet<(String, String)>,
    /// When the life of those resources ended that are there no more.
    ended: BTreeMap<u64, Moment>,
    /// The numbers of what was changed; 0 for what there is beside items.
    pub(super) touched: Touched<u64>,
}

impl Book {
    /// Makes a resource and says which number it got.
    pub(super) fn add(&mut self, account: &str, collection: Collection, request: &Request) -> u64 {
        self.latest += 1;
        let number = self.latest;
        let item = Item { number, account: account.to_owned(), collection, request: request.clone(), changed: false };
        self.items.insert(number, item);
        self.touched.note(&number);
        number
    }

    /// Declines a request that is to fail, the first time that its reference asks for it. Without a reference every
    /// time is the first.
    pub(super) fn declines(&mut self, account: &str, request: &Request) -> bool {
        match &request.reference {
            Some(reference) => {
                self.touched.note(&0);
                self.declined.insert((account.to_owned(), reference.clone()))
            }
            None => true,
        }
    }

    /// A resource as it is now, whosever it is.
    pub(super) fn item(&self, number: u64) -> Option<&Item> {
        self.items.get(&number)
    }

    /// A resource as it is now, if it is the account's own and of this kind.
    pub(super) fn own(&self, account: &str, collection: Collection, number: u64) -> Option<&Item> {
        self.item(number).filter(|item| item.belongs_to(account, collection))
    }

    /// The resources of an account, oldest first; with a reference, only those that bear it.
    pub(super) fn list(&self, account: &str, collection: Collection, reference: Option<&str>) -> Vec<&Item> {
        self.items
            .values()
            .filter(|item| item.belongs_to(account, collection))
            .filter(|item| reference.is_none() || item.request.reference.as_deref() == reference)
            .collect()
    }

    /// Gives parameters of a resource other values, and shows it. `None` if there is no such resource.
    pub(super) fn change(&mut self, number: u64, values: Map<String, Value>) -> Option<&Item> {
        let item = self.items.get_mut(&number)?;
        item.request.content.extend(values);
        item.changed = true;
        self.touched.note(&number);
        Some(item)
    }

    /// Deletes a resource. Says whether there was one.
    pub(super) fn delete(&mut self, number: u64, now: Moment) -> bool {
        self.touched.note(&number);
        let was_there = self.items.remove(&number).is_some();
        if was_there {
            self.ended.insert(number, now);
        }
        was_there
    }

    /// When the life of a resource ended; nothing for one that is there.
    pub(super) fn end(&self, number: u64) -> Option<Moment> {
        self.ended.get(&number).copied()
    }

    /// Whether a resource that was made is there no more.
    pub(super) fn deleted(&self, number: u64) -> bool {
        !self.items.contains_key(&number)
    }

    /// The number that was given last.
    pub(super) fn latest(&self) -> u64 {
        self.latest
    }

    /// Accounts and references that were declined once.
    pub(super) fn declined(&self) -> impl Iterator<Item = &(String, String)> {
        self.declined.iter()
    }

    /// Puts a resource where it was in another process.
    pub(super) fn put(&mut self, item: Item) {
        self.items.insert(item.number, item);
    }

    /// Takes up when the life of a resource ended in another process.
    pub(super) fn put_end(&mut self, number: u64, end: Moment) {
        self.ended.insert(number, end);
    }

    /// Takes up what another process left beside items.
    pub(super) fn restore(&mut self, latest: u64, declined: impl IntoIterator<Item = (String, String)>) {
        self.latest = latest;
        self.declined = declined.into_iter().collect();
    }

    /// Whether a resource is no longer as it was made.
    pub(super) fn changed(&self, number: u64) -> bool {
        self.items.get(&number).is_none_or(|item| item.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_collections_do_not_see_each_other() {
        let mut book = Book::default();
        let request = Request {
            content: Map::new(),
            reference: Some("r".into()),
            course: Course::Succeeds,
            slowness: 1,
            variant: None,
        };
        let other = Collection(1);
        let number = book.add("ada", Collection::MAIN, &request);
        assert!(book.own("ada", Collection::MAIN, number).is_some());
        assert!(book.own("bob", Collection::MAIN, number).is_none());
        assert!(book.own("ada", other, number).is_none());
        assert!(book.list("bob", Collection::MAIN, None).is_empty());
        assert!(book.list("ada", Collection::MAIN, Some("s")).is_empty());
        assert_eq!(book.list("ada", Collection::MAIN, Some("r")).len(), 1);
        assert!(!book.changed(number));
        assert!(book.change(number, Map::from_iter([("quantity".to_owned(), 9.into())])).is_some());
        assert!(book.changed(number));
        let now = Moment::from_secs(7);
        assert_eq!(book.end(number), None);
        assert!(book.delete(number, now));
        assert!(!book.delete(number, now * 2));
        assert_eq!(book.end(number), Some(now));
        assert_eq!(book.add("ada", Collection::MAIN, &request), number + 1);
    }
}
