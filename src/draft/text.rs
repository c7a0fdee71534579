//! Text with comments in it.

use serde_json::{Map, Value};

use crate::document::yaml;

/// Lines are broken before they are longer than this.
const WIDTH: usize = 118;

/// A text that grows line by line.
#[derive(Default)]
pub(super) struct Text(pub(super) String);

impl Text {
    /// A line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// A comment, broken into lines.
    pub(super) fn comment(&mut self, indent: usize, words: &str) {
        self.0.push_str(&comment(indent, words));
    }

    /// A comment at a place where a human must decide.
    pub(super) fn decide(&mut self, indent: usize, words: &str) {
        self.comment(indent, &format!("decide: {words}"));
    }

    /// A member with its value.
    pub(super) fn member(&mut self, indent: usize, name: &str, value: &Value) {
        self.0.push_str(&yaml(&Value::Object(Map::from_iter([(name.to_owned(), value.clone())])), indent));
    }

    /// A member that is proposed only: in a comment.
    pub(super) fn proposal(&mut self, indent: usize, lines: &[&str]) {
        let margin = " ".repeat(indent);
        lines.iter().for_each(|line| self.line(&format!("{margin}# {line}")));
    }
}

/// A comment, broken into lines.
pub(super) fn comment(indent: usize, words: &str) -> String {
    let margin = format!("{}#", " ".repeat(indent));
    let mut text = String::new();
    let mut line = margin.clone();
    for word in words.split_whitespace() {
        if line.len() > margin.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.clone_from(&margin);
        }
        line.push(' ');
        line.push_str(word);
    }
    text + &line + "\n"
}

/// Text that templates leave as it is.
pub(super) fn literal(text: &str) -> String {
    text.replace("{{", "{{ '{{' }}").replace("${", "$${")
}

/// The same for every text in a value.
pub(super) fn literals(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(literal(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(literals).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, literals(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}
