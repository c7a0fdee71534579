//! Answers that a profile writes out itself, under `mock`.

use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use serde_json::Value;

use crate::profile::{MockAnswer, MockError, Template, TemplatePart};
use crate::reference::answer::Answer;

/// The text that stands for the items of a list.
const ITEMS: &str = "{{items}}";

/// What templates name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names<'n> {
    /// What was made.
    pub(super) identity: Option<&'n str>,
    /// The action.
    pub(super) marker: Option<&'n str>,
    /// The items of a list, as text.
    pub(super) items: Option<&'n str>,
    /// What is wrong, in a word for programs.
    pub(super) code: Option<&'n str>,
    /// What is wrong, in a sentence for people.
    pub(super) message: Option<&'n str>,
}

impl Names<'_> {
    /// Text with what it names filled in.
    pub(super) fn text(&self, template: &Template) -> String {
        let named = |name: &str| match name {
            "identity" => self.identity,
            "marker" => self.marker,
            "items" => self.items,
            "code" => self.code,
            "message" => self.message,
            _ => None,
        };
        let part = |part| match part {
            TemplatePart::Literal(text) => text,
            TemplatePart::Expression(name) => named(&name).unwrap_or_default().to_owned(),
            TemplatePart::Variable(_) => String::new(),
        };
        template.parts().unwrap_or_default().into_iter().map(part).collect()
    }

    /// JSON with every template in it filled in.
    pub(super) fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(written) => self.text(&Template(written.clone())).into(),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| (name.clone(), self.json(member)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// An answer as it is written out, over the one that would be given without that.
pub(super) fn answer(written: &MockAnswer, usual: Answer, names: Names<'_>) -> Answer {
    let mut answer = Answer { status: written.status.unwrap_or(usual.status), ..usual };
    if let Some(json) = &written.json {
        answer.body = Bytes::from(names.json(json).to_string());
    }
    if let Some(body) = &written.body {
        answer.body = Bytes::from(names.text(body));
        let media_type = if answer.message().is_marked_up() { "text/xml" } else { "text/plain" };
        answer = answer.without_header(CONTENT_TYPE.as_str()).with_header(CONTENT_TYPE.as_str(), media_type);
    }
    written
        .headers
        .iter()
        .fold(answer, |answer, (name, value)| answer.without_header(name).with_header(name, &names.text(value)))
}

/// An error of the mock's own as the profile writes such errors out.
pub(super) fn error(written: &MockError, usual: Answer) -> Answer {
    let told = usual.told();
    let names = Names { code: Some(&told.code), message: Some(&told.sentence), ..Names::default() };
    let written = match written {
        MockError::Json(json) => MockAnswer { json: Some(json.clone()), ..MockAnswer::default() },
        MockError::Body(body) => MockAnswer { body: Some(body.clone()), ..MockAnswer::default() },
    };
    answer(&written, usual, names)
}

/// Puts the items of a list where the text for them stands. Says whether there was such a place.
pub(super) fn put_items(content: &mut Value, items: &Value) -> bool {
    match content {
        Value::String(text) if text == ITEMS => {
            *content = items.clone();
            true
        }
        Value::Array(members) => members.iter_mut().any(|member| put_items(member, items)),
        Value::Object(members) => members.values_mut().any(|member| put_items(member, items)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
