//! Whether two descriptions of answers can fit one and the same answer.

use serde_json::Value;

use super::{Condition, Expected, Matcher, StatusPattern, StatusSet};
use crate::message::{JsonPath, XmlPath};

impl Matcher {
    /// Whether some answer could fit both. It could wherever nothing shows that it cannot: another status, or another value
    /// at the same place.
    pub fn overlaps(&self, other: &Self) -> bool {
        let status = match (&self.status, &other.status) {
            (Some(own), Some(others)) => own.overlaps(others),
            (None, _) | (_, None) => true,
        };
        let json = |path: &JsonPath| is_one_place(&path.to_string());
        let xml = |path: &XmlPath| is_one_place(&path.to_string());
        let field = |own: &str| other.header.iter().find(|(name, _)| name.eq_ignore_ascii_case(own)).map(|(_, it)| it);
        status
            && self.json.iter().filter(|(path, _)| json(path)).all(|(path, it)| agree(it, other.json.get(path)))
            && self.xml.iter().filter(|(path, _)| xml(path)).all(|(path, it)| agree(it, other.xml.get(path)))
            && self.header.iter().all(|(name, it)| agree(it, field(name)))
    }
}

impl StatusSet {
    /// Whether some status code belongs to both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().any(|own| other.0.iter().any(|others| own.overlaps(*others)))
    }
}

impl StatusPattern {
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Code(own), Self::Code(others)) => own == others,
            (Self::Class(own), Self::Class(others)) => own == others,
            (Self::Code(code), Self::Class(class)) | (Self::Class(class), Self::Code(code)) => code / 100 == class,
        }
    }
}

/// Whether a path names one place. Where it names several, an answer can have one value here and the other there.
fn is_one_place(path: &str) -> bool {
    !path.contains(['*', '?', ':', ',']) && !path.contains("..")
}

fn agree(own: &Expected, other: Option<&Expected>) -> bool {
    other.is_none_or(|other| own.agrees_with(other))
}

impl Expected {
    /// Whether some value, or nothing at all, could be what both expect.
    fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::OneOf(values), other) | (other, Self::OneOf(values)) => {
                values.iter().any(|value| Self::Equals(value.clone()).agrees_with(other))
            }
            (Self::Equals(own), Self::Equals(others)) => own == others || same_text(own, others),
            (Self::Equals(value), Self::Condition(condition)) | (Self::Condition(condition), Self::Equals(value)) => {
                condition.permits(value)
            }
            (Self::Condition(own), Self::Condition(others)) => match (own, others) {
                (Condition::Present(own), Condition::Present(others)) => own == others,
                (Condition::Present(present), Condition::Contains(_))
                | (Condition::Contains(_), Condition::Present(present)) => *present,
                (Condition::Contains(_), Condition::Contains(_)) => true,
            },
        }
    }
}

impl Condition {
    fn permits(&self, value: &Value) -> bool {
        match self {
            Self::Present(present) => value.is_null() != *present,
            Self::Contains(part) => is_open(value) || part.contains("{{") || text(value).contains(part.as_str()),
        }
    }
}

/// Values that read the same, or of which one is known only when a run knows the identity.
fn same_text(own: &Value, others: &Value) -> bool {
    is_open(own) || is_open(others) || text(own) == text(others)
}

fn is_open(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("{{"))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(left: &str, right: &str) -> bool {
        let matcher = |yaml: &str| -> Matcher { serde_yaml::from_str(yaml).unwrap() };
        let (left, right) = (matcher(left), matcher(right));
        assert_eq!(left.overlaps(&right), right.overlaps(&left), "{left} and {right}");
        left.overlaps(&right)
    }

    #[test]
    fn what_one_answer_can_fit_overlaps() {
        for (left, right) in [
            ("{status: 409}", "{status: 409}"),
            ("{status: [422, 409]}", "{status: 4xx}"),
            ("{}", "{status: 409}"),
            ("{status: 409}", r#"{status: 409, json: {"$.code": in-flight}}"#),
            (r#"{json: {"$.details[*].issue": A}}"#, r#"{json: {"$.details[*].issue": B}}"#),
            (r#"{json: {"$.code": [A, B]}}"#, r#"{json: {"$.code": B}}"#),
            (r#"{json: {"$.code": 704}}"#, r#"{json: {"$.code": "704"}}"#),
            (r#"{json: {"$.id": "{{identity}}"}}"#, r#"{json: {"$.id": x}}"#),
            (r#"{json: {"$.code": {contains: flight}}}"#, r#"{json: {"$.code": in-flight}}"#),
            (r#"{json: {"$.code": {present: true}}}"#, r#"{json: {"$.code": in-flight}}"#),
            (r#"{json: {"$.code": {contains: a}}}"#, r#"{json: {"$.code": {contains: b}}}"#),
        ] {
            assert!(overlap(left, right), "{left} and {right}");
        }
    }

    #[test]
    fn what_no_answer_can_fit_does_not_overlap() {
        for (left, right) in [
            ("{status: 409}", "{status: 422}"),
            ("{status: 4xx}", "{status: 503}"),
            ("{status: 4xx}", "{status: 5xx}"),
            (r#"{status: 409, json: {"$.code": A}}"#, r#"{status: 409, json: {"$.code": B}}"#),
            (r#"{json: {"$.code": [A, B]}}"#, r#"{json: {"$.code": C}}"#),
            (r#"{json: {"$.code": {present: false}}}"#, r#"{json: {"$.code": A}}"#),
            (r#"{json: {"$.code": {present: false}}}"#, r#"{json: {"$.code": {contains: A}}}"#),
            (r#"{json: {"$.code": {present: false}}}"#, r#"{json: {"$.code": {present: true}}}"#),
            (r#"{json: {"$.code": {contains: flight}}}"#, r#"{json: {"$.code": reused}}"#),
            ("{header: {Retry-After: {present: true}}}", "{header: {retry-after: {present: false}}}"),
            ("{xml: {/Response/Code: A}}", "{xml: {/Response/Code: B}}"),
        ] {
            assert!(!overlap(left, right), "{left} and {right}");
        }
    }
}
