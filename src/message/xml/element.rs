//! An XML document as a tree of elements.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};

/// Deeper trees are not read.
const DEEPEST: usize = 128;

/// Documents of more nodes than this are not read.
const MOST_NODES: u32 = 1 << 20;

/// What begins the name of an attribute where it stands beside elements.
const ATTRIBUTE: char = '@';

/// What the text of an element that has attributes or elements is called beside these.
const TEXT: &str = "#text";

/// An element: what it is called, what it says, and what stands in it. Two are equal if they mean the same: comments,
/// prefixes, the order of attributes and white space between elements do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Element {
    /// Its local name.
    pub name: String,
    /// The namespace of its name, if it has one.
    pub namespace: Option<String>,
    /// Its attributes, by their local names.
    pub attributes: BTreeMap<String, String>,
    /// The elements in it.
    pub elements: Vec<Element>,
    /// The text in it, without that of its elements.
    pub text: String,
}

/// Why something is no XML that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it could not be read as XML: {0}")]
pub struct XmlError(String);

impl Element {
    /// Reads a document. Its type definition, if it has one, is not read, and no entity that it declares: such a document
    /// is refused.
    ///
    /// # Errors
    /// Says what is wrong with it, and in which line.
    pub fn read(content: &[u8]) -> Result<Self, XmlError> {
        let text = std::str::from_utf8(content).map_err(|_| XmlError("it is not UTF-8".to_owned()))?;
        let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| XmlError(error.to_string()))?;
        of_node(document.root_element(), DEEPEST)
    }

    /// What stands here as JSON, for whoever compares values by their names: an element is the text in it, or an object
    /// of what stands in it; elements of one name are a list.
    pub fn to_value(&self) -> Value {
        if self.elements.is_empty() && self.attributes.is_empty() {
            return Value::from(self.text.trim());
        }
        let mut members = Map::new();
        for (name, value) in &self.attributes {
            members.insert(format!("{ATTRIBUTE}{name}"), Value::from(value.as_str()));
        }
        for element in &self.elements {
            let value = element.to_value();
            match members.get_mut(&element.name) {
                None => drop(members.insert(element.name.clone(), value)),
                Some(Value::Array(values)) => values.push(value),
                Some(single) => *single = Value::Array(vec![single.take(), value]),
            }
        }
        if !self.text.trim().is_empty() {
            members.insert(TEXT.to_owned(), Value::from(self.text.trim()));
        }
        members.into()
    }
}

fn of_node(node: Node<'_, '_>, depth: usize) -> Result<Element, XmlError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(XmlError(format!("its elements stand more than {DEEPEST} deep in one another")));
    };
    let name = node.tag_name();
    let attributes = node.attributes().map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()));
    let elements = node.children().filter(Node::is_element).map(|child| of_node(child, depth));
    let elements = elements.collect::<Result<Vec<_>, _>>()?;
    let text: String = node.children().filter(Node::is_text).filter_map(|child| child.text()).collect();
    // Between elements white space is a matter of layout.
    let is_layout = !elements.is_empty() && text.trim().is_empty();
    Ok(Element {
        name: name.name().to_owned(),
        namespace: name.namespace().map(str::to_owned),
        attributes: attributes.collect(),
        elements,
        text: if is_layout { String::new() } else { text },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Element {
        Element::read(text.as_bytes()).unwrap()
    }

    fn refused(text: &str) -> String {
        Element::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn layout_prefixes_and_comments_mean_nothing() {
        let plain = read(r#"<a xmlns="u" x="1" y="2"><b>one &amp; two</b><c/></a>"#);
        let other = "<?xml version=\"1.0\"?>\n<p:a y='2' x='1' xmlns:p='u'>\n  <!-- n --><p:b><![CDATA[one & two]]></p:b>\n  \
                     <p:c></p:c>\n</p:a>\n";
        assert_eq!(plain, read(other));
        for different in ["<a><b>one</b></a>", "<a><c/><b/></a>", "<a x='2'/>", "<a> </a>", "<b/>"] {
            assert_ne!(read("<a><b/><c/></a>"), read(different), "{different}");
        }
        assert_ne!(read("<a xmlns='u'/>"), read("<a xmlns='v'/>"));
    }

    #[test]
    fn what_is_no_xml_says_why() {
        assert!(refused("<a><b></a>").starts_with("it could not be read as XML: "));
        assert!(refused("<a><b></a>").contains("1:"), "{}", refused("<a><b></a>"));
        for broken in ["", "plain", "{}", "<a", "<a/><b/>", "<a>&nope;</a>", "<a x=1/>", "<!DOCTYPE html><p>x</p>"] {
            assert!(Element::read(broken.as_bytes()).is_err(), "{broken}");
        }
        assert!(Element::read(b"<a>\xff</a>").is_err());
    }

    #[test]
    fn nothing_that_is_built_to_do_harm_does_any() {
        let laughs = "<!DOCTYPE a [<!ENTITY b \"hahaha\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>";
        assert!(Element::read(laughs.as_bytes()).is_err());
        let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
        assert!(refused(&deep).contains("128 deep"), "{}", refused(&deep));
    }

    #[test]
    fn values_by_name() {
        let document = read("<r id='7'><item><n>1</n></item><item><n> 2 </n></item><e/>text</r>");
        let wanted = serde_json::json!({
            "@id": "7", "item": [{"n": "1"}, {"n": "2"}], "e": "", "#text": "text"
        });
        assert_eq!(document.to_value(), wanted);
    }
}
