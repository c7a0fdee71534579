//! Commands for the reader to run, quoted for a POSIX shell.

use crate::history::CaseId;

/// A word as a POSIX shell takes it for one.
pub fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%,=".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// How to go on with a run.
pub(super) fn resume(journal: &str) -> String {
    format!("idemspec resume {}", quoted(journal))
}

/// How to run one case again, with the same seed. The words are those of the run.
pub(super) fn again(words: &[String], case: &CaseId, seed: u64) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("idemspec run {} --only {} --seed {seed}", words.join(" "), quoted(&case.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        assert_eq!(quoted("profiles/stripe-v1.yaml"), "profiles/stripe-v1.yaml");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        let words = ["my api.yaml".to_owned(), "--base-url".to_owned(), "http://127.0.0.1:1".to_owned()];
        assert_eq!(
            again(&words, &CaseId("lost-response[lose=connection]".into()), 7),
            "idemspec run 'my api.yaml' --base-url http://127.0.0.1:1 --only 'lost-response[lose=connection]' --seed 7"
        );
    }
}
