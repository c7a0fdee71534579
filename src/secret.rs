//! Values that are sent and never shown.
//!
//! Whatever came from the environment, a token command or a signature goes on the wire and nowhere else. A rendered
//! value is therefore always a [`Text`] with two forms, and only its shown form can be formatted or written down.
//! What a server sends back is searched by [`Secrets::redact`], because error pages like to echo credentials.

use std::fmt;

use base64::Engine;

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

/// The secrets of one run, to be searched for in everything that comes back.
#[derive(Clone, Default)]
pub struct Secrets {
    /// (what to look for, what to put in its place), longest first.
    searched: Vec<(String, String)>,
}

impl Secrets {
    /// No secrets yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret under the name that may be shown in its place (for example `${API_TOKEN}`), together with the
    /// spellings that it takes on the way: percent-encoded, JSON-escaped, Base64.
    pub fn add(&mut self, value: &str, shown: &str) {
        if value.len() < SHORTEST_SEARCHED {
            return;
        }
        for spelling in spellings(value) {
            if spelling.len() >= SHORTEST_SEARCHED && !self.searched.iter().any(|(known, _)| *known == spelling) {
                self.searched.push((spelling, shown.to_owned()));
            }
        }
        self.searched.sort_by(|(left, _), (right, _)| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    }

    /// Replaces every secret in a text by its name.
    pub fn redact(&self, text: &str) -> String {
        let mut redacted = text.to_owned();
        for (secret, shown) in &self.searched {
            if redacted.contains(secret.as_str()) {
                redacted = redacted.replace(secret.as_str(), shown);
            }
        }
        redacted
    }

    /// Replaces every secret in a sequence of bytes by its name; bytes that hold none are returned unchanged.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut redacted = bytes.to_vec();
        for (secret, shown) in &self.searched {
            redacted = replace_bytes(redacted, secret.as_bytes(), shown.as_bytes());
        }
        redacted
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secrets({} spellings)", self.searched.len())
    }
}

fn spellings(value: &str) -> Vec<String> {
    let percent = percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC).to_string();
    let form = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let json = serde_json::Value::from(value).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let base64 = base64::engine::general_purpose::STANDARD.encode(value);
    vec![value.to_owned(), percent, form, json, base64]
}

fn replace_bytes(haystack: Vec<u8>, needle: &[u8], replacement: &[u8]) -> Vec<u8> {
    if needle.is_empty() || !haystack.windows(needle.len()).any(|window| window == needle) {
        return haystack;
    }
    let mut replaced = Vec::with_capacity(haystack.len());
    let mut rest = haystack.as_slice();
    while let Some(position) = rest.windows(needle.len()).position(|window| window == needle) {
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
        let mut secrets = Secrets::new();
        secrets.add("pa\"ss w/ord+9", "${TOKEN}");
        let page = r#"a pa"ss w/ord+9 b pa\"ss w/ord+9 c pa%22ss%20w%2Ford%2B9 d pa%22ss+w%2Ford%2B9 e cGEic3Mgdy9vcmQrOQ== f"#;
        assert_eq!(secrets.redact(page), "a ${TOKEN} b ${TOKEN} c ${TOKEN} d ${TOKEN} e ${TOKEN} f");
        assert_eq!(secrets.redact_bytes(page.as_bytes()), secrets.redact(page).into_bytes());
    }

    #[test]
    fn short_values_do_not_blank_out_ordinary_text() {
        let mut secrets = Secrets::new();
        secrets.add("true", "${FLAG}");
        assert_eq!(secrets.redact("it is true"), "it is true");
    }
}
