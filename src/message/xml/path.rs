//! Simple paths into XML: a part of XPath, by local names.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Element;

/// The step that fits every element.
const ANY: &str = "*";

/// A path into XML, such as `/RunInstancesResponse/instancesSet/item/instanceId` or `/order/@number`: the names of the
/// elements from the root on, without prefixes, and at its end perhaps an attribute. `*` stands for any element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XmlPath {
    elements: Vec<String>,
    attribute: Option<String>,
}

/// What a path selects: the value, and the element in which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selected<'e> {
    value: &'e str,
    within: Option<&'e Element>,
}

impl XmlPath {
    /// Parses a path.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(written: &str) -> Result<Self, String> {
        let fault = |what: &str| Err(format!("`{written}` is not a path into XML: {what}"));
        let Some(relative) = written.strip_prefix('/') else {
            return fault(&format!("it begins with `/` and the name of the root, as in `/{written}`"));
        };
        let mut elements: Vec<String> = relative.split('/').map(str::to_owned).collect();
        let attribute = elements.pop_if(|last| last.starts_with('@')).map(|last| last[1..].to_owned());
        if elements.is_empty() {
            return fault("it names no element");
        }
        for name in elements.iter().chain(&attribute) {
            if name.contains(':') {
                return fault(&format!("names are written without a prefix, and `{name}` has one"));
            }
            let whole = name == ANY && attribute.as_ref() != Some(name);
            if !whole && !is_name(name) {
                return fault(&format!(
                    "`{name}` is no name of an element, and `*`, or `@name` at the end, is all else"
                ));
            }
        }
        Ok(Self { elements, attribute })
    }

    /// The names of the elements on the way, and of the attribute at its end if there is one.
    pub fn names(&self) -> (&[String], Option<&str>) {
        (&self.elements, self.attribute.as_deref())
    }

    /// Every value that stands there, without white space around it, in the order of the document. A value that is empty
    /// is one.
    pub fn select<'e>(&self, root: &'e Element) -> Vec<&'e str> {
        self.selected(root).into_iter().map(|selected| selected.value).collect()
    }

    /// Every value that stands there and is not empty, each with the element that it stands in.
    pub fn with_parents<'e>(&self, root: &'e Element) -> Vec<(&'e str, Option<&'e Element>)> {
        let selected = self.selected(root).into_iter().filter(|selected| !selected.value.is_empty());
        selected.map(|selected| (selected.value, selected.within)).collect()
    }

    fn selected<'e>(&self, root: &'e Element) -> Vec<Selected<'e>> {
        let mut found: Vec<(&Element, Option<&Element>)> = Vec::new();
        for (depth, name) in self.elements.iter().enumerate() {
            let next: Vec<(&Element, Option<&Element>)> = match depth {
                0 => vec![(root, None)],
                _ => found
                    .iter()
                    .flat_map(|(parent, _)| parent.elements.iter().map(move |one| (one, Some(*parent))))
                    .collect(),
            };
            found = next.into_iter().filter(|(element, _)| fits(name, element)).collect();
        }
        let selected = |(element, parent): (&'e Element, Option<&'e Element>)| match &self.attribute {
            Some(name) => {
                element.attributes.get(name).map(|value| Selected { value: value.trim(), within: Some(element) })
            }
            None => Some(Selected { value: element.text.trim(), within: parent }),
        };
        found.into_iter().filter_map(selected).collect()
    }

    /// Empties what stands there. It stays where it is, so that whether there is any still counts.
    pub fn blank(&self, root: &mut Element) {
        if let Some((first, rest)) = self.elements.split_first()
            && fits(first, root)
        {
            blank(root, rest, self.attribute.as_deref());
        }
    }
}

fn fits(name: &str, element: &Element) -> bool {
    name == ANY || element.name == name
}

fn blank(element: &mut Element, rest: &[String], attribute: Option<&str>) {
    match (rest.split_first(), attribute) {
        (Some((next, rest)), _) => {
            let fitting = element.elements.iter_mut().filter(|child| fits(next, child));
            fitting.for_each(|child| blank(child, rest, attribute));
        }
        (None, Some(name)) => element.attributes.get_mut(name).into_iter().for_each(String::clear),
        (None, None) => {
            element.elements.clear();
            element.attributes.clear();
            element.text.clear();
        }
    }
}

fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    begins && name.chars().all(|one| one.is_alphanumeric() || "_-.".contains(one))
}

impl fmt::Display for XmlPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "/{}", self.elements.join("/"))?;
        match &self.attribute {
            Some(name) => write!(formatter, "/@{name}"),
            None => Ok(()),
        }
    }
}

impl Serialize for XmlPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for XmlPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for XmlPath {
    fn schema_name() -> Cow<'static, str> {
        "XmlPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "xml-path",
            "pattern": "^/",
            "description": "A path into XML by local names, for example `/orders/order/id` or `/order/@number`."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "<e:r xmlns:e='urn:e'><e:set><e:item n='1'><e:id> a </e:id></e:item><e:item n='2'><e:id>b</e:id>\
                            </e:item><e:item><e:id/></e:item></e:set></e:r>";

    fn selected(path: &str) -> Vec<String> {
        let root = Element::read(DOCUMENT.as_bytes()).unwrap();
        XmlPath::parse(path).unwrap().select(&root).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn values_come_out_in_their_order_whatever_the_prefix() {
        assert_eq!(selected("/r/set/item/id"), ["a", "b", ""]);
        assert_eq!(selected("/r/set/item/@n"), ["1", "2"]);
        assert_eq!(selected("/*/*/item/*"), ["a", "b", ""]);
        assert!(selected("/other/set/item/id").is_empty());
        assert!(selected("/r/item").is_empty());
    }

    #[test]
    fn an_item_is_what_stands_around_its_name() {
        let root = Element::read(DOCUMENT.as_bytes()).unwrap();
        let parents = |path: &str| {
            let path = XmlPath::parse(path).unwrap();
            let found = path.with_parents(&root);
            found
                .into_iter()
                .map(|(value, parent)| (value.to_owned(), parent.unwrap().name.clone()))
                .collect::<Vec<_>>()
        };
        let wanted = |first: &str, second: &str| {
            vec![(first.to_owned(), "item".to_owned()), (second.to_owned(), "item".to_owned())]
        };
        assert_eq!(parents("/r/set/item/id"), wanted("a", "b"));
        assert_eq!(parents("/r/set/item/@n"), wanted("1", "2"));
    }

    #[test]
    fn what_may_differ_can_be_emptied() {
        let without = |path: &str, text: &str| {
            let mut root = Element::read(text.as_bytes()).unwrap();
            XmlPath::parse(path).unwrap().blank(&mut root);
            root
        };
        let read = |text: &str| Element::read(text.as_bytes()).unwrap();
        assert_eq!(without("/r/t", "<r><t>1</t><a/><t x='2'>2</t></r>"), read("<r><t/><a/><t/></r>"));
        assert_eq!(without("/r/a/@t", "<r><a t='1'/><b t='1'/></r>"), read("<r><a t=''/><b t='1'/></r>"));
        assert_eq!(without("/r/*/t", "<r><a><t>1</t></a><b><t>2</t></b></r>"), read("<r><a><t/></a><b><t/></b></r>"));
        assert_eq!(without("/x/t", "<r><t>1</t></r>"), read("<r><t>1</t></r>"));
        assert_eq!(without("/r", "<r><t>1</t></r>"), read("<r/>"));
    }

    #[test]
    fn a_path_is_read_and_written_or_refused_with_a_reason() {
        for written in ["/a", "/a/b.c/d-e_1", "/*/b/@c", "/a/@b"] {
            assert_eq!(XmlPath::parse(written).unwrap().to_string(), written);
        }
        for (written, said) in [
            ("a/b", "as in `/a/b`"),
            ("/", "`` is no name"),
            ("/@a", "it names no element"),
            ("/a//b", "`` is no name"),
            ("/a/@b/c", "`@b` is no name"),
            ("/p:a", "without a prefix"),
            ("/a[1]", "`a[1]` is no name"),
            ("/a/@*", "`*` is no name"),
        ] {
            let refused = XmlPath::parse(written).unwrap_err();
            assert!(refused.contains(said), "{written}: {refused}");
        }
    }
}
