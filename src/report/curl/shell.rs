//! Words for a POSIX shell in which secrets stand as variables.

use crate::report::text::is_harmful;

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<'t> {
    Literal(&'t str),
    /// The name of a variable of the environment.
    Variable(String),
}

/// How secrets are shown in what was written down: `${NAME}`, where the profile has such a variable, and the names that
/// fetched tokens have.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    names: Vec<String>,
}

/// How the place of a fetched token is shown.
const TOKEN: &str = "token of ";

impl Secrets {
    /// The variables that a profile names anywhere.
    pub(super) fn of(document: &serde_json::Value) -> Self {
        let text = document.to_string();
        let ends = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        let names = text.split("${").skip(1).filter_map(|rest| rest.find(ends).map(|end| rest[..end].to_owned()));
        Self { names: names.collect() }
    }

    /// A text as one word.
    pub(super) fn word(&self, text: &str) -> String {
        let parts: Vec<String> = self
            .parts(text)
            .into_iter()
            .map(|part| match part {
                Part::Literal(text) if is_copied_well(text) => crate::report::quoted(text),
                Part::Literal(text) => format!("\"$({})\"", Self::default().printed(text)),
                Part::Variable(name) => format!("\"${name}\""),
            })
            .collect();
        if parts.is_empty() { "''".to_owned() } else { parts.concat() }
    }

    /// The command that prints a text to the last byte, whatever stands in it.
    pub(super) fn printed(&self, text: &str) -> String {
        let mut format = String::new();
        let mut values = String::new();
        for part in self.parts(text) {
            match part {
                Part::Literal(text) => format.push_str(&in_format(text)),
                Part::Variable(name) => {
                    format.push_str("%s");
                    values.push_str(&format!(" \"${name}\""));
                }
            }
        }
        // What begins with a hyphen would be taken for an option.
        let format = format.strip_prefix('-').map_or_else(|| format.clone(), |rest| format!("\\055{rest}"));
        format!("printf '{format}'{values}")
    }

    /// The variables that stand in a text.
    pub(super) fn variables(&self, text: &str) -> Vec<String> {
        let variables = self.parts(text).into_iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name),
            Part::Literal(_) => None,
        });
        variables.collect()
    }

    fn parts<'t>(&self, text: &'t str) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let (mut from, mut searched) = (0, 0);
        while let Some(found) = text[searched..].find("${").map(|at| searched + at) {
            let end = text[found..].find('}').map(|length| found + length);
            let variable = end.and_then(|end| self.variable(&text[found + 2..end]));
            match (end, variable) {
                (Some(end), Some(name)) => {
                    if from < found {
                        parts.push(Part::Literal(&text[from..found]));
                    }
                    parts.push(Part::Variable(name));
                    (from, searched) = (end + 1, end + 1);
                }
                _ => searched = found + 2,
            }
        }
        if from < text.len() {
            parts.push(Part::Literal(&text[from..]));
        }
        parts
    }

    /// The variable that stands for a secret.
    fn variable(&self, shown: &str) -> Option<String> {
        if let Some(account) = shown.strip_prefix(TOKEN) {
            let letter = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
            let account: String = account.chars().map(letter).collect();
            return Some(format!("TOKEN_OF_{}", account.to_ascii_uppercase()));
        }
        self.names.iter().any(|name| name == shown).then(|| shown.to_owned())
    }
}

/// Whether a text can stand between quotes on a terminal and be copied from there.
pub(super) fn is_copied_well(text: &str) -> bool {
    !text.chars().any(|character| is_harmful(character) && character != '\n')
}

/// A text in the format of `printf`, between single quotes.
fn in_format(text: &str) -> String {
    let mut format = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => format.push_str("%%"),
            '\\' => format.push_str("\\\\"),
            '\'' => format.push_str("'\\''"),
            '\n' => format.push_str("\\n"),
            '\r' => format.push_str("\\r"),
            _ if is_harmful(character) => {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).bytes();
                format.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
            _ => format.push(character),
        }
    }
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        Secrets::of(&serde_json::json!({"a": "Bearer ${API_KEY}", "b": ["${OTHER:-x}"]}))
    }

    #[test]
    fn secrets_stand_as_variables_and_nothing_else_is_expanded() {
        let secrets = secrets();
        assert_eq!(secrets.word("Bearer ${API_KEY}"), r#"'Bearer '"$API_KEY""#);
        assert_eq!(secrets.word("${OTHER}"), r#""$OTHER""#);
        assert_eq!(secrets.word("${token of my-account}"), r#""$TOKEN_OF_MY_ACCOUNT""#);
        assert_eq!(secrets.word("costs ${PRICE} and `x` $(y)"), "'costs ${PRICE} and `x` $(y)'");
        assert_eq!(secrets.word("open ${API_KEY"), "'open ${API_KEY'");
        assert_eq!(secrets.word(""), "''");
        assert_eq!(secrets.variables("${API_KEY}${NONE}${OTHER}"), ["API_KEY", "OTHER"]);
    }

    #[test]
    fn whatever_bytes_a_text_has_are_printed() {
        assert_eq!(secrets().printed("50%\r\n'\\\0ü${API_KEY}"), r#"printf '50%%\r\n'\''\\\000ü%s' "$API_KEY""#);
        assert_eq!(secrets().printed("--a\r\n"), r"printf '\055-a\r\n'");
        assert_eq!(secrets().printed("\u{202e}"), r"printf '\342\200\256'");
        assert_eq!(secrets().word("a\u{7}b${API_KEY}"), r#""$(printf 'a\007b')""$API_KEY""#);
        assert!(is_copied_well("a\nb") && !is_copied_well("a\r\nb") && !is_copied_well("\0"));
    }
}
