//! Keys that are odd on purpose, made from the key of their action, so that no two actions share one.

use crate::contract::{Encoding, Key};
use crate::history::KeyKind;

/// What stands where a date belongs, and is none.
const NO_DATE: &str = "yesterday";

/// A date that is older than any key that is kept.
const LONG_AGO: &str = "Sat, 01 Jan 2000 00:00:00 GMT";

/// The date that travels beside a key, if one does.
pub(super) fn odd_date(kind: Option<KeyKind>, own: Option<&str>) -> Option<&str> {
    match kind {
        Some(KeyKind::Undated) => None,
        Some(KeyKind::Misdated) => own.map(|_| NO_DATE),
        Some(KeyKind::Outdated) => own.map(|_| LONG_AGO),
        _ => own,
    }
}

/// A key as it is to be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CarriedKey {
    /// The key.
    pub(super) text: String,
    /// Whether it stands on the wire as it is, whatever the contract says about its encoding.
    pub(super) encoded: bool,
}

/// Makes the odd key of an action; none where its date comes alone.
pub(super) fn odd_key(kind: KeyKind, own: &str, clause: Option<&Key>) -> Option<CarriedKey> {
    let longest = clause.and_then(|clause| clause.max_length).unwrap_or(own.len());
    let plain = |text: String| CarriedKey { text, encoded: false };
    Some(match kind {
        KeyKind::DateAlone => return None,
        KeyKind::Undated | KeyKind::Misdated | KeyKind::Outdated => plain(own.to_owned()),
        KeyKind::Empty => plain(String::new()),
        KeyKind::Malformed => malformed(own, clause.map(|clause| clause.encoding).unwrap_or_default()),
        KeyKind::Longest => plain(stretched(own, longest)),
        KeyKind::LongestSibling => plain(with_another_end(&stretched(own, longest))),
        KeyKind::Overlong => plain(stretched(own, longest.saturating_add(1))),
        KeyKind::OtherCase => plain(own.chars().map(in_other_case).collect()),
        KeyKind::Quoted => CarriedKey { text: format!("\"{own}\""), encoded: true },
        KeyKind::LongestOtherCase => plain(stretched(own, longest).chars().map(in_other_case).collect()),
        KeyKind::OverlongSibling => plain(with_another_end(&stretched(own, longest.saturating_add(1)))),
        KeyKind::Padded => plain(format!(" {own} ")),
        KeyKind::Spaced => plain(with_a_space(own)),
        KeyKind::Accented => plain(format!("{own}é")),
        KeyKind::Long(length) => plain(stretched(own, usize::from(length))),
        KeyKind::LongSibling(length) => plain(with_another_end(&stretched(own, usize::from(length)))),
    })
}

/// A tab is no part of any key, but may stand within a header field (RFC 9110 section 5.5). Where keys are quoted, a
/// string that never ends is none.
fn malformed(own: &str, encoding: Encoding) -> CarriedKey {
    match encoding {
        Encoding::Bare => CarriedKey { text: format!("not a\tkey, {own}"), encoded: false },
        Encoding::Quoted => CarriedKey { text: format!("\"not a key, {own}"), encoded: true },
    }
}

/// The letters and digits of a key, over and over, up to a length. A key that has the length already stays as it is:
/// where no other fits, keys may have to be UUIDs.
fn stretched(own: &str, length: usize) -> String {
    if own.chars().count() == length {
        return own.to_owned();
    }
    own.chars().filter(char::is_ascii_alphanumeric).cycle().take(length).collect()
}

/// The same but for the last character.
fn with_another_end(key: &str) -> String {
    let mut other = key.to_owned();
    let last = other.pop();
    other.push(if last == Some('0') { '1' } else { '0' });
    other
}

/// With a space after the first few characters.
fn with_a_space(key: &str) -> String {
    const BEFORE: usize = 8;
    key.chars().take(BEFORE).chain([' ']).chain(key.chars().skip(BEFORE)).collect()
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
        odd_key(kind, OWN, Some(&clause)).unwrap()
    }

    #[test]
    fn lengths_are_exact_and_siblings_differ_in_the_last_character_only() {
        let clause = "{carrier: {header: K}, max_length: 100}";
        let text = |kind| key(kind, clause).text;
        let (longest, sibling) = (text(KeyKind::Longest), text(KeyKind::LongestSibling));
        assert_eq!((longest.len(), sibling.len(), text(KeyKind::Overlong).len()), (100, 100, 101));
        assert_eq!(longest[..99], sibling[..99]);
        assert_ne!(longest, sibling);
        assert_ne!(longest, odd_key(KeyKind::Longest, &OWN.replace('8', "9"), None).unwrap().text);
    }

    #[test]
    fn keys_that_are_nearly_the_own_one() {
        let clause = "{carrier: {header: K}}";
        assert_eq!(key(KeyKind::OtherCase, clause).text, OWN.to_uppercase());
        assert_eq!(key(KeyKind::Quoted, clause), CarriedKey { text: format!("\"{OWN}\""), encoded: true });
        assert_eq!(key(KeyKind::Empty, clause).text, "");
        assert_eq!(key(KeyKind::Padded, clause).text, format!(" {OWN} "));
        assert_eq!(key(KeyKind::Spaced, clause).text, "8e03978e -40d5-43e8-bc93-6894a57f9324");
        assert_eq!(key(KeyKind::Accented, clause).text, format!("{OWN}é"));
    }

    #[test]
    fn twins_have_all_but_their_last_character_in_common() {
        let text = |kind| key(kind, "{carrier: {header: K}, max_length: 36}").text;
        for (one, twin, length) in [
            (KeyKind::Long(65), KeyKind::LongSibling(65), 65),
            (KeyKind::Overlong, KeyKind::OverlongSibling, 37),
            (KeyKind::Longest, KeyKind::LongestSibling, 36),
        ] {
            let (one, twin) = (text(one), text(twin));
            assert_eq!((one.len(), twin.len()), (length, length));
            assert_eq!(one[..length - 1], twin[..length - 1]);
            assert_ne!(one, twin);
        }
        assert_eq!(text(KeyKind::Longest), OWN);
        assert_eq!(text(KeyKind::LongestOtherCase), OWN.to_uppercase());
    }

    #[test]
    fn a_malformed_key_is_malformed_in_its_own_encoding() {
        assert!(key(KeyKind::Malformed, "{carrier: {header: K}}").text.contains('\t'));
        let quoted = key(KeyKind::Malformed, "{carrier: {header: K}, encoding: quoted}");
        assert!(quoted.encoded && quoted.text.starts_with('"') && !quoted.text.ends_with('"'));
    }

    #[test]
    fn a_date_stands_beside_every_key_but_one_that_is_to_be_without() {
        let date = |kind| odd_date(kind, Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        assert_eq!((date(None), date(Some(KeyKind::DateAlone))), (date(Some(KeyKind::Quoted)), date(None)));
        assert_eq!(date(Some(KeyKind::Undated)), None);
        assert!(httpdate::parse_http_date(date(Some(KeyKind::Misdated)).unwrap()).is_err());
        assert!(httpdate::parse_http_date(date(Some(KeyKind::Outdated)).unwrap()).is_ok());
        assert_eq!(odd_date(Some(KeyKind::Outdated), None), None, "where the contract has no date, none is sent");
        assert_eq!(odd_key(KeyKind::DateAlone, OWN, None), None);
    }
}
