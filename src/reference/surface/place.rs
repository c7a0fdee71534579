//! A place in the content of an answer, so that a value can be put there.

use serde_json::{Map, Value};

use crate::message::XmlPath;

/// A place in content that a JSONPath or a path into XML names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::reference) struct Place(Vec<Step>);

/// One step on the way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The member of an object.
    Member(String),
    /// An element of XML; of several with one name, the first.
    Element(String),
    /// The item of a list.
    Item(usize),
    /// Every item of a list.
    Every,
}

/// Longer lists are not made up for the sake of one item.
const LAST_ITEM: usize = 20;

impl Place {
    /// The place that a path such as `$.error.type`, `$['errors'][0].code` or `$.data[*].id` names. `None` for paths that
    /// search or filter: they name no one place.
    pub(in crate::reference) fn parse(path: &str) -> Option<Self> {
        let mut rest = path.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, remainder) = step(rest)?;
            steps.push(step);
            rest = remainder;
        }
        Some(Self(steps))
    }

    /// The place that a path into XML names. `None` where it does not name every element on its way.
    pub(in crate::reference) fn of_xml(path: &XmlPath) -> Option<Self> {
        let (elements, attribute) = path.names();
        let attribute = attribute.map(|name| format!("@{name}"));
        let steps = elements.iter().chain(&attribute).map(|name| (name != "*").then(|| Step::Element(name.clone())));
        steps.collect::<Option<_>>().map(Self)
    }

    /// The place around this one. A root has none.
    pub(super) fn around(&self) -> Option<Self> {
        let (_, around) = self.0.split_last()?;
        (!around.is_empty()).then(|| Self(around.to_vec()))
    }

    /// Takes the place of a name in XML apart: the place of the elements of which there is one for each item, and the place
    /// within one. An item is what stands around its name; right below the root it is nothing but that.
    pub(super) fn of_elements(&self) -> Option<(Self, Self)> {
        let around = self.0.len().checked_sub(1).filter(|around| *around > 0)?;
        let list = around.max(2);
        Some((Self(self.0[..list].to_vec()), Self(self.0[list..].to_vec())))
    }

    /// Puts a value here, making what is missing on the way, or takes away what stands here. Every item of a list is its
    /// first: a value in one is a value in one of them.
    pub(in crate::reference) fn put(&self, content: &mut Value, value: Option<Value>) {
        put(&self.0, content, value);
    }

    /// Takes the place apart where it says *every item*: the place of the list, and the place within an item. `None` if it
    /// does not say that, or says it twice.
    pub(super) fn of_items(&self) -> Option<(Self, Self)> {
        let at = self.0.iter().position(|step| *step == Step::Every)?;
        let (list, within) = self.0.split_at(at);
        let within = within.get(1..)?;
        (!within.contains(&Step::Every)).then(|| (Self(list.to_vec()), Self(within.to_vec())))
    }
}

fn step(rest: &str) -> Option<(Step, &str)> {
    if let Some(quoted) =
        rest.strip_prefix("['").map(|quoted| (quoted, "']")).or(rest.strip_prefix("[\"").map(|quoted| (quoted, "\"]")))
    {
        let (name, remainder) = quoted.0.split_once(quoted.1)?;
        return Some((Step::Member(name.to_owned()), remainder));
    }
    if let Some(bracketed) = rest.strip_prefix('[') {
        let (inner, remainder) = bracketed.split_once(']')?;
        let step = match inner.trim() {
            "*" => Step::Every,
            index => Step::Item(index.parse().ok().filter(|index| *index <= LAST_ITEM)?),
        };
        return Some((step, remainder));
    }
    let dotted = rest.strip_prefix('.')?;
    let (name, remainder) = dotted.split_at(dotted.find(['.', '[']).unwrap_or(dotted.len()));
    (!name.is_empty() && name != "*").then(|| (Step::Member(name.to_owned()), remainder))
}

fn put(steps: &[Step], content: &mut Value, value: Option<Value>) {
    let Some((step, rest)) = steps.split_first() else {
        *content = value.unwrap_or_default();
        return;
    };
    match step {
        Step::Member(name) => put_member(name, rest, content, value),
        Step::Element(name) => match content {
            Value::Array(same) if !same.is_empty() => put_member(name, rest, &mut same[0], value),
            single => put_member(name, rest, single, value),
        },
        Step::Item(_) | Step::Every => {
            let index = if let Step::Item(index) = step { *index } else { 0 };
            if !content.is_array() {
                *content = Value::Array(Vec::new());
            }
            if let Value::Array(items) = content {
                if items.len() <= index {
                    items.resize(index + 1, Value::Null);
                }
                if let Some(item) = items.get_mut(index) {
                    put(rest, item, value);
                }
            }
        }
    }
}

fn put_member(name: &str, rest: &[Step], content: &mut Value, value: Option<Value>) {
    if !content.is_object() {
        *content = Value::Object(Map::new());
    }
    if let Value::Object(members) = content {
        if value.is_none() && (rest.is_empty() || !members.contains_key(name)) {
            members.shift_remove(name);
        } else {
            put(rest, members.entry(name.to_owned()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(path: &str) -> Option<String> {
        let mut content = Value::Null;
        Place::parse(path)?.put(&mut content, Some(Value::from(7)));
        Some(content.to_string())
    }

    #[test]
    fn only_paths_to_one_place_can_be_built() {
        assert_eq!(built("$.a['b.c'].d").unwrap(), r#"{"a":{"b.c":{"d":7}}}"#);
        assert_eq!(built("$.errors[1].code").unwrap(), r#"{"errors":[null,{"code":7}]}"#);
        assert_eq!(built("$[*][\"a\"]").unwrap(), r#"[{"a":7}]"#);
        assert_eq!(built("$").unwrap(), "7");
        for path in ["$..a", "$.*", "$.a[?@.b]", "$.a[1:2]", "$.a[999999999]", "a"] {
            assert_eq!(Place::parse(path), None, "{path}");
        }
    }

    #[test]
    fn what_must_not_stand_anywhere_is_taken_away_and_nothing_is_made_for_it() {
        let mut content = serde_json::json!({"a": {"b": 1, "c": 2}});
        Place::parse("$.a.b").unwrap().put(&mut content, None);
        Place::parse("$.x.y").unwrap().put(&mut content, None);
        assert_eq!(content.to_string(), r#"{"a":{"c":2}}"#);
    }

    #[test]
    fn a_list_is_taken_apart_at_its_items() {
        let (list, within) = Place::parse("$.data[*].links.id").unwrap().of_items().unwrap();
        assert_eq!((list, within), (Place::parse("$.data").unwrap(), Place::parse("$.links.id").unwrap()));
        assert!(Place::parse("$.data.id").unwrap().of_items().is_none());
        assert!(Place::parse("$[*].a[*]").unwrap().of_items().is_none());
    }

    #[test]
    fn a_place_in_xml_is_the_first_of_its_name() {
        let place = |path: &str| Place::of_xml(&XmlPath::parse(path).unwrap());
        let mut content = serde_json::json!({"r": {"item": [{"id": 1}, {"id": 2}]}});
        place("/r/item/id").unwrap().put(&mut content, Some(Value::from(7)));
        place("/r/item/@n").unwrap().put(&mut content, Some(Value::from("x")));
        assert_eq!(content.to_string(), r#"{"r":{"item":[{"id":7,"@n":"x"},{"id":2}]}}"#);
        assert_eq!(place("/r/*/id"), None);
    }

    #[test]
    fn an_item_of_a_list_in_xml_is_what_stands_around_its_name() {
        let apart = |path: &str| Place::of_xml(&XmlPath::parse(path).unwrap()).unwrap().of_elements();
        let place = |names: &[&str]| Place(names.iter().map(|name| Step::Element((*name).to_owned())).collect());
        assert_eq!(apart("/r/set/item/id"), Some((place(&["r", "set", "item"]), place(&["id"]))));
        assert_eq!(apart("/r/item/@n"), Some((place(&["r", "item"]), place(&["@n"]))));
        assert_eq!(apart("/r/id"), Some((place(&["r", "id"]), place(&[]))));
        assert_eq!(apart("/r"), None);
    }
}
