//! What is said alike in every part of the page.

use serde::Serialize;

use crate::report::Judged;
use crate::report::text::{Tone, escape};

/// A verdict as the page shows it: a mark and a word, and the class that gives both their colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Badge {
    pub(super) class: &'static str,
    pub(super) mark: String,
    pub(super) word: String,
}

impl Badge {
    pub(super) fn new(tone: Tone, mark: impl Into<String>, word: impl AsRef<str>) -> Self {
        Self { class: class(tone), mark: mark.into(), word: escape(word.as_ref()) }
    }
}

/// The class of a tone in the style sheet.
pub(super) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Doubtful => "doubtful",
        Tone::Quiet | Tone::Strong => "quiet",
    }
}

/// [`escape`] for text that may have several lines.
pub(super) fn block(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(escape).collect::<Vec<String>>().join("\t");
    text.split('\n').map(line).collect::<Vec<String>>().join("\n")
}

/// A content as far as a report may hold it, and how much of it is left out.
pub(super) fn content(judged: &Judged<'_>, content: &[u8]) -> String {
    let excerpt = judged.excerpt(content);
    let rest = if excerpt.cut { format!("\n… cut off here; it has {} bytes", excerpt.bytes) } else { String::new() };
    block(&excerpt.text) + &rest
}

/// An address that a browser may be led to. Whatever else a profile names as an address stays text.
pub(super) fn address(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    matches!(parsed.scheme(), "http" | "https").then(|| parsed.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines_and_nothing_turns_letters_around() {
        assert_eq!(block("a\tb\r\nc\u{202e}d"), "a\tb\\r\nc\\u{202e}d");
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        assert_eq!(address("https://orders.example/a?b=1").as_deref(), Some("https://orders.example/a?b=1"));
        for other in
            ["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "orders", ""]
        {
            assert_eq!(address(other), None, "{other}");
        }
    }
}
