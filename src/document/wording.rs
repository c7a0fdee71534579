//! What a fault is called, and what is said about it.

use serde_json::Value;

/// A text that is longer than this is not quoted.
const LONGEST_QUOTE: usize = 80;

use super::fault::Fault;
use super::{At, Located, Problem, nearest, pointer};

impl Fault {
    /// The problem that a fault is in a document.
    pub(super) fn problem(self, located: &Located) -> Problem {
        match self {
            Fault::Unknown { object, key, known, meant } => {
                let problem = located.problem(At::Key(&pointer(&object, &key)), format!("unknown key `{key}`"));
                let problem = if known.is_empty() { problem } else { problem.expecting(one_of(&known)) };
                match meant.or_else(|| nearest(&key, known.iter().map(String::as_str)).map(str::to_owned)) {
                    Some(name) => problem.hinting(format!("did you mean `{name}`?")),
                    None => problem,
                }
            }
            Fault::Missing { object, keys } => match keys.as_slice() {
                [key] => located.problem(At::Key(&object), format!("missing key `{key}`")),
                several => located.problem(At::Key(&object), "a key is missing").expecting(one_of(several)),
            },
            Fault::Beside { object, key, other } => located
                .problem(At::Key(&pointer(&object, &key)), format!("`{key}` cannot stand beside `{other}`"))
                .hinting("keep one of them"),
            Fault::Value { at, found, words, kinds } => value_problem(located, &at, &found, &words, &kinds),
            Fault::Unreadable { at, message, expected } => {
                let problem = located.problem(At::Value(&at), message);
                match expected {
                    Some(expected) => problem.expecting(expected),
                    None => problem,
                }
            }
            Fault::UnreadableKey { object, key, message } => located.problem(At::Key(&pointer(&object, &key)), message),
        }
    }
}

fn one_of(names: &[String]) -> String {
    match names {
        [only] => format!("`{only}`"),
        several => format!("one of: {}", several.join(", ")),
    }
}

fn value_problem(located: &Located, at: &str, found: &Value, words: &[String], kinds: &[String]) -> Problem {
    let message = match found {
        Value::String(text) if !words.is_empty() => format!("unknown value `{text}`"),
        // A file that is no document at all may hold what must not be shown, such as a private key.
        Value::String(text) if text.chars().count() > LONGEST_QUOTE => "a long text cannot stand here".into(),
        Value::String(text) => format!("text `{text}` cannot stand here"),
        Value::Number(number) => format!("number `{number}` cannot stand here"),
        Value::Bool(truth) => format!("`{truth}` cannot stand here"),
        Value::Null => "nothing stands here".to_owned(),
        Value::Array(_) => "a list cannot stand here".to_owned(),
        Value::Object(_) => "a map cannot stand here".to_owned(),
    };
    let place = if found.is_null() { At::Key(at) } else { At::Value(at) };
    let mut expected: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    expected.extend(kinds.iter().filter(|kind| words.is_empty() || kind.as_str() != "a text").cloned());
    let problem = located.problem(place, message);
    let problem = if expected.is_empty() { problem } else { problem.expecting(expected.join(", or ")) };
    let wants_text = words.is_empty() && kinds.iter().any(|kind| kind == "a text");
    match found {
        Value::String(text) => problem.suggesting(text, words.iter().map(String::as_str)),
        Value::Number(_) | Value::Bool(_) if wants_text => problem.hinting(format!("quote it: \"{found}\"")),
        _ => problem,
    }
}
