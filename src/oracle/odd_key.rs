//! Odd keys: empty, malformed, overlong, or of exactly the maximum length. They run through the same lines as any
//! other key, under their own requirement.

use crate::contract::{Contract, Requirement, Row};
use crate::history::KeyKind;

/// What is odd about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OddKey {
    Empty,
    Malformed,
    Overlong,
    Longest,
    /// It resembles another key of the same action, or is longer than keys usually are.
    Distinct,
    /// It has a letter that is not ASCII, of which the contract need not say anything.
    Accented,
}

impl OddKey {
    /// What is odd about this key under this contract, if anything. Where it was chosen to be odd, that is known;
    /// how its length stands to the longest one depends on the contract in any case.
    pub(super) fn of(contract: &Contract, key: Option<&str>, kind: Option<KeyKind>) -> Option<Self> {
        let (key, clause) = (key?, contract.key.as_ref()?);
        match kind {
            _ if key.is_empty() => return Some(Self::Empty),
            Some(KeyKind::Malformed) => return Some(Self::Malformed),
            Some(KeyKind::Accented) => return Some(Self::Accented),
            Some(KeyKind::OtherCase | KeyKind::Quoted | KeyKind::Padded | KeyKind::Spaced) => {
                return Some(Self::Distinct);
            }
            Some(
                KeyKind::Empty
                | KeyKind::Longest
                | KeyKind::LongestSibling
                | KeyKind::LongestOtherCase
                | KeyKind::Overlong
                | KeyKind::OverlongSibling
                | KeyKind::Long(_)
                | KeyKind::LongSibling(_),
            )
            | None => {}
            // It is what stands beside the key that is odd.
            Some(KeyKind::Undated | KeyKind::DateAlone | KeyKind::Misdated | KeyKind::Outdated) => return None,
        }
        let length = key.chars().count();
        let fits = clause.max_length.is_none_or(|longest| length <= longest);
        if matches!(kind, Some(KeyKind::LongestOtherCase | KeyKind::Long(_) | KeyKind::LongSibling(_))) && fits {
            return Some(Self::Distinct);
        }
        let is_uuid_wanted = clause.recommended.as_deref().is_some_and(|kind| kind.starts_with("uuid"));
        if clause.max_length.is_none() && clause.min_length.is_none() && !is_uuid_wanted {
            return None;
        }
        if clause.max_length.is_some_and(|longest| length > longest) {
            Some(Self::Overlong)
        } else if clause.max_length == Some(length) && (kind.is_some() || !is_uuid(key)) {
            Some(Self::Longest)
        } else if clause.min_length.is_some_and(|shortest| length < shortest) || (is_uuid_wanted && !is_uuid(key)) {
            Some(Self::Malformed)
        } else {
            None
        }
    }

    /// The requirement under which its findings are filed. One that only resembles another key is filed like any.
    pub(super) fn requirement(self) -> Option<Requirement> {
        match self {
            Self::Empty => Some(Requirement::KeyEmpty),
            Self::Malformed | Self::Accented => Some(Requirement::KeyMalformed),
            Self::Overlong => Some(Requirement::KeyOverlong),
            Self::Longest => Some(Requirement::KeyLongest),
            Self::Distinct => None,
        }
    }

    /// The row of the contract about the first request with it. A key of exactly the maximum length has none: it works like
    /// any other. One that only resembles another, or of which nothing is said, is refused or works like any other.
    pub(super) fn row(self) -> Option<Row> {
        match self {
            Self::Empty => Some(Row::Empty),
            Self::Malformed => Some(Row::Malformed),
            Self::Overlong => Some(Row::Overlong),
            Self::Longest | Self::Distinct | Self::Accented => None,
        }
    }
}

/// A key without case, quotes and spaces. One that is made to differ in its end only stands for its sibling.
pub(super) fn folded(key: &str, kind: Option<KeyKind>) -> String {
    let mut folded: String = key.trim_matches('"').to_lowercase().split_whitespace().collect();
    if matches!(kind, Some(KeyKind::Long(_) | KeyKind::LongSibling(_))) {
        folded.pop();
    }
    folded
}

/// Whether a key is a UUID, in whatever spelling.
pub(super) fn is_uuid(key: &str) -> bool {
    uuid::Uuid::try_parse(key).is_ok()
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
        let odd = |key: &str| OddKey::of(&contract, Some(key), None);
        assert_eq!(odd(""), Some(OddKey::Empty));
        assert_eq!(odd("not a uuid"), Some(OddKey::Malformed));
        assert_eq!(odd(&"x".repeat(41)), Some(OddKey::Overlong));
        assert_eq!(odd(&"x".repeat(40)), Some(OddKey::Longest));
        assert_eq!(odd("8e03978e-40d5-43e8-bc93-6894a57f9324"), None);
        assert_eq!(OddKey::of(&contract, None, None), None);
        assert_eq!(OddKey::of(&Contract::default(), Some("x"), None), None);
    }
}
