//! Values as YAML text.

use serde_json::Value;

/// A value as YAML, every line of it behind so many spaces.
pub fn yaml(value: &Value, indent: usize) -> String {
    // What YAML cannot write, which no JSON value is known to be, is written as JSON, which YAML can read.
    let text = serde_yaml::to_string(value).unwrap_or_else(|_| value.to_string());
    let margin = " ".repeat(indent);
    let line = |line: &str| if line.is_empty() { "\n".into() } else { format!("{margin}{line}\n") };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let value = serde_json::json!({
            "a": {"b": ["{{marker}}", "no", "1.10", 7, null, true], "c": "two\nlines\n", "d": ""},
            "e": [], "f": {}, "200": "x: y", "g": "  blanks around  \n more", "h": "#", "i": "${A}"
        });
        let text = format!("top:\n{}", yaml(&value, 4));
        let read = super::super::Located::parse("a.yaml", &text).unwrap();
        assert_eq!(read.value()["top"], value, "{text}");
        assert!(text.lines().skip(1).all(|line| line.is_empty() || line.starts_with("    ")), "{text}");
    }
}
