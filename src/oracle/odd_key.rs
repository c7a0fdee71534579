//! Odd keys: empty, malformed, overlong, or of exactly the maximum length. They run through the same lines as any
//! other key, under their own requirement.

use crate::contract::{Contract, Requirement, Row};

/// What is odd about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OddKey {
    Empty,
    Malformed,
    Overlong,
    Longest,
}

impl OddKey {
    /// What is odd about this key under this contract, if anything.
    pub(super) fn of(contract: &Contract, key: Option<&str>) -> Option<Self> {
        let (key, clause) = (key?, contract.key.as_ref()?);
        if key.is_empty() {
            return Some(Self::Empty);
        }
        let is_uuid_wanted = clause.recommended.as_deref().is_some_and(|kind| kind.starts_with("uuid"));
        if clause.max_length.is_none() && clause.min_length.is_none() && !is_uuid_wanted {
            return None;
        }
        let length = key.chars().count();
        if clause.max_length.is_some_and(|longest| length > longest) {
            Some(Self::Overlong)
        } else if clause.max_length == Some(length) {
            Some(Self::Longest)
        } else if clause.min_length.is_some_and(|shortest| length < shortest)
            || (is_uuid_wanted && uuid::Uuid::try_parse(key).is_err())
        {
            Some(Self::Malformed)
        } else {
            None
        }
    }

    /// The requirement under which its findings are filed.
    pub(super) fn requirement(self) -> Requirement {
        match self {
            Self::Empty => Requirement::KeyEmpty,
            Self::Malformed => Requirement::KeyMalformed,
            Self::Overlong => Requirement::KeyOverlong,
            Self::Longest => Requirement::KeyLongest,
        }
    }

    /// The row of the contract about the first request with it. A key of exactly the maximum length has none: it
    /// works like any other.
    pub(super) fn row(self) -> Option<Row> {
        match self {
            Self::Empty => Some(Row::Empty),
            Self::Malformed => Some(Row::Malformed),
            Self::Overlong => Some(Row::Overlong),
            Self::Longest => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oddity_follows_from_the_key_clause() {
        let contract: Contract = serde_json::from_value(serde_json::json!({
            "key": {"carrier": {"header": "Key"}, "recommended": "uuid-v4", "max_length": 40}
        }))
        .unwrap();
        let odd = |key: &str| OddKey::of(&contract, Some(key));
        assert_eq!(odd(""), Some(OddKey::Empty));
        assert_eq!(odd("not a uuid"), Some(OddKey::Malformed));
        assert_eq!(odd(&"x".repeat(41)), Some(OddKey::Overlong));
        assert_eq!(odd(&"x".repeat(40)), Some(OddKey::Longest));
        assert_eq!(odd("8e03978e-40d5-43e8-bc93-6894a57f9324"), None);
        assert_eq!(OddKey::of(&contract, None), None);
        assert_eq!(OddKey::of(&Contract::default(), Some("x")), None);
    }
}
