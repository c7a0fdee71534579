//! Values that are sent and never shown.
//!
//! Whatever came from the environment, a token command or a signature goes on the wire and nowhere else. A rendered
//! value is therefore always a [`Text`] with two forms, and only its shown form can be formatted or written down.
//! What a server sends back is searched by [`Secrets::redact`], because error pages like to echo credentials.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine;
use serde_json::Value;

/// Text in two forms: what goes on the wire, and what may be written down.
///
/// `Debug` and `Display` print the shown form, so that a careless log line cannot leak the sent one.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text {
    sent: String,
    shown: String,
}

impl Text {
    /// Text without a secret: both forms are the same.
    pub fn plain(text: impl Into<String>) -> Self {
        let sent = text.into();
        Self { shown: sent.clone(), sent }
    }

    /// Text whose sent form differs from what may be written down.
    pub fn new(sent: impl Into<String>, shown: impl Into<String>) -> Self {
        Self { sent: sent.into(), shown: shown.into() }
    }

    /// What goes on the wire. Never write this anywhere else.
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// What may be written down.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Appends another text to both forms.
    pub fn push(&mut self, other: &Text) {
        self.sent.push_str(&other.sent);
        self.shown.push_str(&other.shown);
    }

    /// Appends text without a secret to both forms.
    pub fn push_plain(&mut self, text: &str) {
        self.sent.push_str(text);
        self.shown.push_str(text);
    }

    /// Applies a function to both forms, for example an encoding.
    pub fn map(&self, convert: impl Fn(&str) -> String) -> Self {
        Self { sent: convert(&self.sent), shown: convert(&self.shown) }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown, formatter)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

/// Shorter values are not searched for: they would match by accident and blank out ordinary text.
const SHORTEST_SEARCHED: usize = 8;

/// How many digits a signature has: those of HMAC-SHA256 in hexadecimal.
const SIGNATURE_LENGTH: usize = 64;

/// What stands in the place of a signature.
pub const SIGNATURE: &str = "${signature}";

/// The secrets of one run, to be searched for in everything that comes back. Clones share them: a token that is fetched
/// while the run goes on is a secret everywhere at once.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    /// (what to look for, what to put in its place), longest first.
    searched: Vec<(String, String)>,
    /// Signatures, in lower case. There is one to every request, and they all look alike, so that one search finds all.
    signatures: BTreeSet<String>,
}

impl Secrets {
    /// No secrets yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret under the name that may be shown in its place (for example `${API_TOKEN}`), together with the
    /// spellings that it takes on the way: percent-encoded, escaped, in Base64, in hexadecimal digits.
    pub fn add(&self, value: &str, shown: &str) {
        if value.len() < SHORTEST_SEARCHED {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for spelling in spellings(value) {
            let spelling = spelling.to_ascii_lowercase();
            if spelling.len() >= SHORTEST_SEARCHED && !known.searched.iter().any(|(other, _)| *other == spelling) {
                known.searched.push((spelling, shown.to_owned()));
            }
        }
        known.searched.sort_by(|(left, _), (right, _)| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    }

    /// Adds the signature of a request: 64 hexadecimal digits. As long as its date counts, who has it can send the request
    /// again.
    pub fn add_signature(&self, signature: &str) {
        if signature.len() == SIGNATURE_LENGTH {
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            known.signatures.insert(signature.to_ascii_lowercase());
        }
    }

    /// Replaces every secret in a text by its name. Case is disregarded.
    pub fn redact(&self, text: &str) -> String {
        let redacted = self.replace(text.as_bytes().to_vec());
        // A spelling is whole characters, and so is what stands in its place.
        String::from_utf8(redacted).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// Replaces every secret in a content by its name; bytes that hold none are returned unchanged. JSON is also
    /// searched as its reader sees it, because any character of it can be written as an escape.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let redacted = self.replace(bytes.to_vec());
        if !redacted.contains(&b'\\') {
            return redacted;
        }
        let Ok(mut document) = serde_json::from_slice::<Value>(&redacted) else { return redacted };
        if self.redact_value(&mut document) { document.to_string().into_bytes() } else { redacted }
    }

    /// Replaces secrets in the strings and member names of a JSON value. Tells whether there were any.
    fn redact_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let redacted = self.redact(text);
                let found = redacted != *text;
                *text = redacted;
                found
            }
            Value::Array(values) => {
                let mut found = false;
                for value in values {
                    found |= self.redact_value(value);
                }
                found
            }
            Value::Object(members) => {
                let mut found = false;
                let taken = std::mem::take(members);
                for (name, mut value) in taken {
                    found |= self.redact_value(&mut value);
                    let redacted = self.redact(&name);
                    found |= redacted != name;
                    members.insert(redacted, value);
                }
                found
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn replace(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (secret, shown) in &known.searched {
            bytes = replace_bytes(bytes, secret.as_bytes(), shown.as_bytes());
        }
        if known.signatures.is_empty() { bytes } else { replace_signatures(bytes, &known.signatures) }
    }
}

/// Replaces every signature that is known. Digits of which more stand in a row are another thing.
fn replace_signatures(bytes: Vec<u8>, signatures: &BTreeSet<String>) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len());
    for run in bytes.chunk_by(|left, right| left.is_ascii_hexdigit() == right.is_ascii_hexdigit()) {
        let is_known = run.len() == SIGNATURE_LENGTH
            && signatures.contains(String::from_utf8_lossy(run).to_ascii_lowercase().as_str());
        replaced.extend_from_slice(if is_known { SIGNATURE.as_bytes() } else { run });
    }
    replaced
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        write!(formatter, "Secrets({} spellings)", known.searched.len())
    }
}

fn spellings(value: &str) -> Vec<String> {
    let percent = percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC).to_string();
    let every_byte: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let form: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let json = Value::from(value).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let hexadecimal: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let html = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut spellings = vec![
        value.to_owned(),
        json.replace('/', "\\/"),
        Value::from(json.as_str()).to_string().trim_matches('"').to_owned(),
        percent.replace('%', "%25"),
        percent,
        every_byte,
        form,
        json,
        hexadecimal,
        html.replace('\'', "&#39;"),
        html,
    ];
    spellings.extend((0..3).flat_map(|before| base64_within(value, before)));
    spellings
}

/// How a value reads in Base64 when this many bytes stand before it in the same text: the characters that no other
/// bytes have a part in, in both alphabets.
fn base64_within(value: &str, before: usize) -> Vec<String> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(value.as_bytes());
    let whole = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&bytes);
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    let own = whole.get(first..last).unwrap_or_default();
    vec![own.to_owned(), own.replace('+', "-").replace('/', "_")]
}

/// Replaces what reads the same but for the case of ASCII letters. `needle` is in lower case.
fn replace_bytes(haystack: Vec<u8>, needle: &[u8], replacement: &[u8]) -> Vec<u8> {
    let find = |bytes: &[u8]| bytes.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle));
    if needle.is_empty() || find(&haystack).is_none() {
        return haystack;
    }
    let mut replaced = Vec::with_capacity(haystack.len());
    let mut rest = haystack.as_slice();
    while let Some(position) = find(rest) {
        replaced.extend_from_slice(&rest[..position]);
        replaced.extend_from_slice(replacement);
        rest = &rest[position + needle.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_shows_the_shown_form_only() {
        let text = Text::new("Bearer hunter2-hunter2", "Bearer ${TOKEN}");
        assert_eq!(format!("{text} {text:?}"), "Bearer ${TOKEN} \"Bearer ${TOKEN}\"");
    }

    #[test]
    fn every_spelling_of_a_secret_is_redacted() {
        let secret = "pa\"ss w/ord+9&x";
        let secrets = Secrets::new();
        secrets.add(secret, "${TOKEN}");
        let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        for spelling in [
            secret.to_owned(),
            secret.to_uppercase(),
            r#"pa\"ss w/ord+9&x"#.into(),
            r#"pa\"ss w\/ord+9&x"#.into(),
            "pa%22ss%20w%2Ford%2B9%26x".into(),
            "pa%22ss%20w%2ford%2b9%26x".into(),
            "pa%22ss+w%2Ford%2B9%26x".into(),
            "pa%2522ss%2520w%252Ford%252B9%2526x".into(),
            "pa&quot;ss w/ord+9&amp;x".into(),
            "70612273732077".to_owned() + "2f6f72642b392678",
        ] {
            assert_eq!(secrets.redact(&format!("a {spelling} b")), "a ${TOKEN} b", "{spelling}");
            let bytes = format!("a {spelling} b").into_bytes();
            assert_eq!(secrets.redact_bytes(&bytes), b"a ${TOKEN} b", "{spelling}");
        }
        for before in ["", "u", "us", "use", "user:"] {
            let encoded = base64(&format!("{before}{secret}"));
            let redacted = secrets.redact(&encoded);
            assert!(redacted.contains("${TOKEN}") && redacted.len() < 8 + 12, "{encoded} became {redacted}");
        }
    }

    #[test]
    fn escapes_of_json_hide_nothing() {
        let secrets = Secrets::new();
        secrets.add("hunter2-hunter2", "${TOKEN}");
        let escaped: String = "hunter2-hunter2".chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
        let body = format!(r#"{{"id":"A{escaped}","{escaped}":1}}"#);
        assert_eq!(secrets.redact_bytes(body.as_bytes()), br#"{"id":"A${TOKEN}","${TOKEN}":1}"#);
        let other = br#"{"id" : "a\u0062"}"#;
        assert_eq!(secrets.redact_bytes(other), other, "what holds no secret keeps its bytes");
    }

    #[test]
    fn signatures_are_redacted_wherever_they_stand_alone() {
        let secrets = Secrets::new();
        let signature = "0123456789abcdef".repeat(4);
        secrets.add_signature(&signature);
        let said =
            format!("Signature={signature}, <s>{}</s> {signature}0 {}", signature.to_uppercase(), &signature[1..]);
        let expected = format!("Signature={SIGNATURE}, <s>{SIGNATURE}</s> {signature}0 {}", &signature[1..]);
        assert_eq!(secrets.redact(&said), expected);
    }

    #[test]
    fn what_is_added_to_a_clone_is_a_secret_everywhere() {
        let secrets = Secrets::new();
        secrets.clone().add("a-token-that-was-fetched", "${token}");
        assert_eq!(secrets.redact("Bearer a-token-that-was-fetched"), "Bearer ${token}");
    }

    #[test]
    fn short_values_do_not_blank_out_ordinary_text() {
        let secrets = Secrets::new();
        secrets.add("true", "${FLAG}");
        assert_eq!(secrets.redact("it is true"), "it is true");
    }
}
