//! The content of an answer as values in their places, whether it is written as JSON or as XML.

use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::message::{Element, XmlPath};
use crate::reference::answer::Answer;

/// How content is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reference) enum Markup {
    /// As JSON.
    Json,
    /// As XML: an object is an element with its members in it, a list is its items one after the other, and a member
    /// whose name begins with `@` is an attribute.
    Xml,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::reference) struct Content {
    /// How it is written.
    pub(in crate::reference) markup: Markup,
    /// The values. Those of XML are an object with one member, which is the root.
    pub(in crate::reference) value: Value,
}

/// The declaration of a namespace that holds for everything without a prefix.
const NAMESPACE: &str = "@xmlns";

/// Text beside attributes and elements.
const TEXT: &str = "#text";

impl Content {
    /// Nothing yet.
    pub(in crate::reference) fn empty(markup: Markup) -> Self {
        Self { markup, value: Value::Object(Map::new()) }
    }

    /// Reads what an answer says. `None` if it is neither JSON nor XML.
    pub(in crate::reference) fn read(answer: &Answer) -> Option<Self> {
        if let Ok(value) = serde_json::from_slice(&answer.body) {
            return Some(Self { markup: Markup::Json, value });
        }
        let root = Element::read(&answer.body).ok()?;
        let mut value = match root.to_value() {
            Value::Object(members) => members,
            text => Map::from_iter([(TEXT.to_owned(), text)]),
        };
        value.extend(root.namespace.map(|namespace| (NAMESPACE.to_owned(), Value::from(namespace))));
        Some(Self { markup: Markup::Xml, value: Value::Object(Map::from_iter([(root.name, value.into())])) })
    }

    /// The same answer, saying this.
    pub(in crate::reference) fn put_into(&self, answer: Answer) -> Answer {
        let (text, media_type) = match self.markup {
            Markup::Json => (self.value.to_string(), "application/json"),
            Markup::Xml => (written(&self.value), "text/xml"),
        };
        let answer = Answer { body: Bytes::from(text), ..answer };
        let is_declared = answer.headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case(CONTENT_TYPE.as_str()) && (self.markup == Markup::Json || value.contains("xml"))
        });
        if is_declared {
            return answer;
        }
        answer.without_header(CONTENT_TYPE.as_str()).with_header(CONTENT_TYPE.as_str(), media_type)
    }
}

/// A document with this root, in one line.
fn written(value: &Value) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    for (name, root) in value.as_object().into_iter().flatten().take(1) {
        write(&mut text, name, root);
    }
    text
}

fn write(text: &mut String, name: &str, value: &Value) {
    if XmlPath::parse(&format!("/{name}")).is_err() {
        // What cannot be told as an element is not told.
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| write(text, name, item)),
        Value::Object(members) => {
            text.push_str(&format!("<{name}"));
            for (name, value) in members {
                if let Some(attribute) = name.strip_prefix('@') {
                    text.push_str(&format!(" {attribute}=\"{}\"", escaped(&plain(value))));
                }
            }
            text.push('>');
            for (name, value) in members {
                match name.as_str() {
                    TEXT => text.push_str(&escaped(&plain(value))),
                    name => write(text, name, value),
                }
            }
            text.push_str(&format!("</{name}>"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&format!("<{name}>{}</{name}>", escaped(&plain(value))));
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Text that is nothing but text in XML, without the characters that XML cannot have.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(one))),
            '\u{fffe}' | '\u{ffff}' => {}
            control if control < ' ' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content(body: &str) -> Content {
        Content::read(&Answer { body: body.to_owned().into(), ..Answer::no_content() }).unwrap()
    }

    #[test]
    fn xml_is_read_and_written() {
        let told = Content {
            markup: Markup::Xml,
            value: json!({"r": {"@n": "1\"2", "item": [{"id": "a&b"}, {"id": 7}], "none": [], "a b": 1, "e": null}}),
        };
        let answer = told.put_into(Answer::json(200, &Value::Null));
        let body = String::from_utf8(answer.body.to_vec()).unwrap();
        let root = "<r n=\"1&quot;2\"><item><id>a&amp;b</id></item><item><id>7</id></item><e></e></r>";
        assert_eq!(body, format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{root}"));
        assert_eq!(answer.headers, [("content-type".to_owned(), "text/xml".to_owned())]);
        assert_eq!(content(&body).value, json!({"r": {"@n": "1\"2", "item": [{"id": "a&b"}, {"id": "7"}], "e": ""}}));
    }

    #[test]
    fn a_namespace_is_kept_and_what_xml_cannot_have_is_not() {
        let again = |body: &str| content(body).put_into(Answer::no_content());
        assert!(again("<r xmlns='urn:r'>text</r>").body.ends_with(b"<r xmlns=\"urn:r\">text</r>"));
        let odd = Content { markup: Markup::Xml, value: json!({"r": "a\u{0}\u{ffff}b\n"}) };
        assert!(odd.put_into(Answer::no_content()).body.ends_with(b"<r>ab&#10;</r>"));
    }

    #[test]
    fn json_stays_json() {
        assert_eq!(content("{\"a\": 1}").markup, Markup::Json);
        let plain = Answer { body: "plain".into(), ..Answer::no_content() };
        assert_eq!(Content::read(&plain), None);
    }
}
