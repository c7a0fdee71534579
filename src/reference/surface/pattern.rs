//! Text with holes: a template, read backwards.

use std::collections::BTreeMap;

use crate::profile::{Template, TemplatePart};

/// What stood in the holes of a template, by the names that it has for them.
pub(super) type Captures = BTreeMap<String, String>;

/// The names that can be read back out of a request.
const NAMES: [&str; 5] = ["marker", "identity", "action", "key", "seconds"];

/// What a template names that is another each time.
const NOW: &str = "now_http_date";

/// A template that requests are recognised by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// What a template names.
    Named(String),
    /// A variable of the environment, which is nobody's business here.
    Anything,
}

impl Pattern {
    /// Takes a template apart.
    ///
    /// # Errors
    /// Names what cannot be read back: an expression that is more than a name.
    pub(super) fn read(template: &Template) -> Result<Self, String> {
        let parts = template.parts().map_err(|error| error.to_string())?;
        let part = |part| match part {
            TemplatePart::Literal(text) => Ok(Part::Literal(text)),
            TemplatePart::Variable(_) => Ok(Part::Anything),
            TemplatePart::Expression(written) if written == NOW => Ok(Part::Anything),
            TemplatePart::Expression(written) if NAMES.contains(&written.as_str()) => Ok(Part::Named(written)),
            TemplatePart::Expression(written) => {
                Err(format!("the expression `{{{{{written}}}}}` cannot be read back out of a request"))
            }
        };
        parts.into_iter().map(part).collect::<Result<_, _>>().map(Self)
    }

    /// Text that means itself.
    pub(super) fn literal(text: &str) -> Self {
        Self(vec![Part::Literal(text.to_owned())])
    }

    /// What stands in the holes of a text, if that fits.
    pub(super) fn capture(&self, text: &str) -> Option<Captures> {
        let mut captures = Captures::new();
        captured(&self.0, text, &mut captures, &|_| true).then_some(captures)
    }

    /// The same of a path, where what a template names is one segment, and may be encoded.
    pub(super) fn capture_path(&self, path: &str) -> Option<Captures> {
        let mut captures = Captures::new();
        if !captured(&self.0, path, &mut captures, &|segment| !segment.contains('/')) {
            return None;
        }
        for value in captures.values_mut() {
            *value = percent_encoding::percent_decode_str(value).decode_utf8_lossy().into_owned();
        }
        Some(captures)
    }

    /// How many characters it prescribes.
    pub(super) fn weight(&self) -> usize {
        let weight = |part: &Part| if let Part::Literal(text) = part { text.len() } else { 0 };
        self.0.iter().map(weight).sum()
    }

    /// Whether it has a hole of this name.
    pub(super) fn names(&self, name: &str) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Named(named) if named == name))
    }

    /// The text with a value in the hole of this name. Other holes stay empty.
    pub(super) fn filled(&self, name: &str, value: &str) -> String {
        let part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Named(named) if named == name => value.to_owned(),
            Part::Named(_) | Part::Anything => String::new(),
        };
        self.0.iter().map(part).collect()
    }
}

fn captured(parts: &[Part], text: &str, captures: &mut Captures, may_be: &dyn Fn(&str) -> bool) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return text.is_empty();
    };
    let name = match part {
        Part::Literal(literal) => {
            return text.strip_prefix(literal.as_str()).is_some_and(|text| captured(rest, text, captures, may_be));
        }
        Part::Named(name) => Some(name),
        Part::Anything => None,
    };
    let shortest = usize::from(name.is_some());
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).filter(|end| *end >= shortest);
    for end in ends {
        let (value, text) = text.split_at(end);
        if let Some(name) = name {
            let known = captures.get(name).is_some_and(|known| known != value);
            if known || !may_be(value) {
                continue;
            }
        }
        let mut tried = captures.clone();
        tried.extend(name.map(|name| (name.clone(), value.to_owned())));
        if captured(rest, text, &mut tried, may_be) {
            *captures = tried;
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(written: &str) -> Pattern {
        Pattern::read(&Template(written.to_owned())).unwrap()
    }

    #[test]
    fn holes_are_read_back() {
        let marker = |written: &str, text: &str| pattern(written).capture(text)?.get("marker").cloned();
        assert_eq!(marker("{{marker}}@example.com", "m-1@example.com").unwrap(), "m-1");
        assert_eq!(marker("{{ marker }}-{{marker}}", "a-b-a-b").unwrap(), "a-b");
        assert_eq!(marker("{{marker}}-{{marker}}", "a-b"), None);
        assert_eq!(marker("x{{marker}}", "x"), None);
        assert!(pattern("${NAME:-a} b").capture("whatever b").is_some());
        assert!(pattern("plain").capture("plain ").is_none());
    }

    #[test]
    fn a_name_in_a_path_is_one_segment() {
        let path = pattern("/v1/orders/{{identity}}/lines");
        assert_eq!(path.capture_path("/v1/orders/a%2Fb/lines").unwrap()["identity"], "a/b");
        assert!(path.capture_path("/v1/orders/a/b/lines").is_none());
        assert_eq!(path.filled("identity", "7"), "/v1/orders/7/lines");
        assert!(path.names("identity") && !path.names("marker"));
    }

    #[test]
    fn an_expression_that_is_more_than_a_name_is_refused() {
        let refused = Pattern::read(&Template("{{marker | upper}}".into())).unwrap_err();
        assert!(refused.contains("`{{marker | upper}}` cannot be read back"), "{refused}");
    }
}
