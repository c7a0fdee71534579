//! Values that know where they stand, also when several files were merged.

use std::collections::HashMap;

use serde_json::Value;

use super::scan::{Place, scan, spot};
use super::{Problem, Problems, pointer};

/// Which end of a member a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'p> {
    /// The key of the member that a JSON pointer names; the value where it has no key.
    Key(&'p str),
    /// The value that a JSON pointer names.
    Value(&'p str),
}

impl<'p> At<'p> {
    /// The JSON pointer.
    pub fn pointer(self) -> &'p str {
        match self {
            Self::Key(pointer) | Self::Value(pointer) => pointer,
        }
    }
}

/// A document: its value, and for everything in it the file, line and column where it stands.
#[derive(Clone, Debug)]
pub struct Located {
    value: Value,
    /// The files that it was merged from; the first one that has a place counts.
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    file: String,
    text: String,
    places: HashMap<String, Place>,
}

impl Located {
    /// Reads a YAML text. `file` is how problems name it.
    ///
    /// # Errors
    /// Syntax errors (the first one), and everything that YAML would let pass in silence: keys given twice, merge
    /// keys, tags, templates without quotes.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let scanned = scan(file, text);
        if !scanned.problems.is_empty() {
            return Err(Problems::new(scanned.problems));
        }
        let value: Value = serde_yaml::from_str(text).map_err(|error| syntax_problem(file, text, &error))?;
        if value.is_null() {
            return Err(Problem::of_file(file, "the file is empty").into());
        }
        let layer = Layer { file: file.to_owned(), text: text.to_owned(), places: scanned.places };
        Ok(Self { value, layers: vec![layer] })
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The same document with another value, whose parts stand where they stood before.
    #[must_use]
    pub fn with_value(mut self, value: Value) -> Self {
        self.value = value;
        self
    }

    /// How problems name the file.
    pub fn file(&self) -> &str {
        self.layers.first().map_or("", |layer| layer.file.as_str())
    }

    /// The document without one of its outermost members.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        if let Value::Object(members) = &mut self.value {
            members.shift_remove(name);
        }
        let outermost = pointer("", name);
        let inside = format!("{outermost}/");
        for layer in &mut self.layers {
            layer.places.retain(|known, _| *known != outermost && !known.starts_with(&inside));
        }
        self
    }

    /// Merges this document over another one: objects deeply, anything else as a whole; see [`merge`].
    #[must_use]
    pub fn merged_over(self, base: Self) -> Self {
        let mut value = base.value;
        merge(&mut value, self.value);
        let mut layers = self.layers;
        layers.extend(base.layers);
        Self { value, layers }
    }

    /// A problem at a place of the document. Where the place itself is not known, the nearest one around it counts.
    pub fn problem(&self, at: At<'_>, message: impl Into<String>) -> Problem {
        let mut problem = Problem::of_file(self.file(), message);
        let mut around = at.pointer();
        let mut exact = true;
        loop {
            let found = self.layers.iter().find_map(|layer| Some((layer, layer.places.get(around)?)));
            if let Some((layer, place)) = found {
                let key = match at {
                    At::Key(_) => place.key,
                    At::Value(_) => place.key.filter(|_| !exact),
                };
                problem.file.clone_from(&layer.file);
                problem.spot = Some(spot(&layer.text, key.unwrap_or(place.value)));
                return problem;
            }
            exact = false;
            match around.rfind('/') {
                Some(end) => around = &around[..end],
                None => return problem,
            }
        }
    }
}

/// Merges one value over another: objects deeply, anything else as a whole. `null` takes away what stands below it;
/// where nothing stands below it, it stays, because a merge patch may be what is merged.
pub fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(members), Value::Object(over)) => {
            for (name, value) in over {
                match members.get_mut(&name) {
                    Some(_) if value.is_null() => {
                        members.shift_remove(&name);
                    }
                    Some(member) => merge(member, value),
                    None => {
                        members.insert(name, value);
                    }
                }
            }
        }
        (base, over) => *base = over,
    }
}

fn syntax_problem(file: &str, text: &str, error: &serde_yaml::Error) -> Problem {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let mut problem = Problem::of_file(file, message);
    problem.spot = error.location().map(|location| spot(text, (location.line(), location.column())));
    problem
}
