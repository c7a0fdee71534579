//! Keys that are odd on purpose, made from the key of their action, so that no two actions share one.

use crate::contract::{Encoding, Key};
use crate::history::KeyKind;

/// A key as it is to be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CarriedKey {
    /// The key.
    pub(super) text: String,
    /// Whether it stands on the wire as it is, whatever the contract says about its encoding.
    pub(super) encoded: bool,
}

/// Makes the odd key of an action.
pub(super) fn odd_key(kind: KeyKind, own: &str, clause: Option<&Key>) -> CarriedKey {
    let longest = clause.and_then(|clause| clause.max_length).unwrap_or(own.len());
    let plain = |text: String| CarriedKey { text, encoded: false };
    match kind {
        KeyKind::Empty => plain(String::new()),
        KeyKind::Malformed => malformed(own, clause.map(|clause| clause.encoding).unwrap_or_default()),
        KeyKind::Longest => plain(stretched(own, longest)),
        KeyKind::LongestSibling => plain(with_another_end(&stretched(own, longest))),
        KeyKind::Overlong => plain(stretched(own, longest.saturating_add(1))),
        KeyKind::OtherCase => plain(own.chars().map(in_other_case).collect()),
        KeyKind::Quoted => CarriedKey { text: format!("\"{own}\""), encoded: true },
    }
}

/// A tab is no part of any key, but may stand within a header field (RFC 9110 section 5.5). Where keys are quoted, a
/// string that never ends is none.
fn malformed(own: &str, encoding: Encoding) -> CarriedKey {
    match encoding {
        Encoding::Bare => CarriedKey { text: format!("not a\tkey, {own}"), encoded: false },
        Encoding::Quoted => CarriedKey { text: format!("\"not a key, {own}"), encoded: true },
    }
}

/// The letters and digits of a key, over and over, up to a length.
fn stretched(own: &str, length: usize) -> String {
    own.chars().filter(char::is_ascii_alphanumeric).cycle().take(length).collect()
}

/// The same but for the last character.
fn with_another_end(key: &str) -> String {
    let mut other = key.to_owned();
    let last = other.pop();
    other.push(if last == Some('0') { '1' } else { '0' });
    other
}

fn in_other_case(letter: char) -> char {
    if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "8e03978e-40d5-43e8-bc93-6894a57f9324";

    fn key(kind: KeyKind, clause: &str) -> CarriedKey {
        let clause: Key = serde_json::from_value(serde_yaml::from_str(clause).unwrap()).unwrap();
        odd_key(kind, OWN, Some(&clause))
    }

    #[test]
    fn lengths_are_exact_and_siblings_differ_in_the_last_character_only() {
        let clause = "{carrier: {header: K}, max_length: 100}";
        let text = |kind| key(kind, clause).text;
        let (longest, sibling) = (text(KeyKind::Longest), text(KeyKind::LongestSibling));
        assert_eq!((longest.len(), sibling.len(), text(KeyKind::Overlong).len()), (100, 100, 101));
        assert_eq!(longest[..99], sibling[..99]);
        assert_ne!(longest, sibling);
        assert_ne!(longest, odd_key(KeyKind::Longest, &OWN.replace('8', "9"), None).text);
    }

    #[test]
    fn keys_that_are_nearly_the_own_one() {
        let clause = "{carrier: {header: K}}";
        assert_eq!(key(KeyKind::OtherCase, clause).text, OWN.to_uppercase());
        assert_eq!(key(KeyKind::Quoted, clause), CarriedKey { text: format!("\"{OWN}\""), encoded: true });
        assert_eq!(key(KeyKind::Empty, clause).text, "");
    }

    #[test]
    fn a_malformed_key_is_malformed_in_its_own_encoding() {
        assert!(key(KeyKind::Malformed, "{carrier: {header: K}}").text.contains('\t'));
        let quoted = key(KeyKind::Malformed, "{carrier: {header: K}, encoding: quoted}");
        assert!(quoted.encoded && quoted.text.starts_with('"') && !quoted.text.ends_with('"'));
    }
}
