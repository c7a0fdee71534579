//! Text on its way to a person: made harmless, cut, wrapped, coloured.

/// Makes text from elsewhere harmless for a terminal and for the lines of a report.
///
/// Whatever a server, a profile or the operating system says can hold escape sequences that move the cursor, or marks
/// that turn the order of the letters around. Such characters are spelled out instead.
pub fn escape(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => harmless.push_str("\\n"),
            '\r' => harmless.push_str("\\r"),
            '\t' => harmless.push_str("\\t"),
            _ if is_harmful(character) => harmless.extend(character.escape_unicode()),
            _ => harmless.push(character),
        }
    }
    harmless
}

/// Control characters, and those that are not seen but change how others are shown.
pub(super) fn is_harmful(character: char) -> bool {
    let unseen = matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    character.is_control() || unseen
}

/// [`escape`]s text and cuts it off after so many characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    let mut kept: String = escape(&text.chars().take(limit).collect::<String>());
    if text.chars().nth(limit).is_some() {
        kept.push('…');
    }
    kept
}

/// Breaks text into lines of at most `width` characters, each behind an indent, at spaces only.
pub(super) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(20);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// `1 case`, `2 cases`.
pub(super) fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// What a piece of text is about. Its colour follows from that, and never says anything that the words do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// As it should be.
    Good,
    /// A violation.
    Bad,
    /// Something that wants attention.
    Doubtful,
    /// Something beside the point.
    Quiet,
    /// A heading.
    Strong,
}

/// Colours text, or leaves it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paint {
    color: bool,
}

impl Paint {
    pub(super) fn new(color: bool) -> Self {
        Self { color }
    }

    /// The text in the colour of its tone.
    pub(super) fn apply(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Doubtful => "33",
            Tone::Quiet => "2",
            Tone::Strong => "1",
        };
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_server_can_steer_the_terminal() {
        let hostile = "a\u{1b}[2J\u{7}\r\n\tb\u{202e}c\u{9b}31m\u{2066}d\u{200b}\u{feff}e\u{7f}";
        let harmless = escape(hostile);
        assert!(!harmless.chars().any(is_harmful), "{harmless:?}");
        assert_eq!(escape("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\nb\\u{202e}");
        assert_eq!(escape("plain “text” – größer 注文 🙂"), "plain “text” – größer 注文 🙂");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(cut("größer", 4), "größ…");
        assert_eq!(cut("größ", 4), "größ");
        assert_eq!(cut("a\nbc", 2), "a\\n…");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three four five six", 22, "  "), "  one two three four\n  five six\n");
    }

    #[test]
    fn without_colour_text_stays_as_it_is() {
        assert_eq!(Paint::new(false).apply(Tone::Bad, "violated"), "violated");
        assert_eq!(Paint::new(true).apply(Tone::Bad, "violated"), "\u{1b}[1;31mviolated\u{1b}[0m");
    }
}
