//! Spellings: the same JSON, or what may be taken for the same, in other bytes.

use std::borrow::Cow;

use icu_normalizer::DecomposingNormalizerBorrowed;
use serde_json::{Map, Number, Value};

use super::{RequestTemplate, Spelling, body};

/// Writes JSON out in a spelling. The order of members is the order in which they were written, unless that is the
/// spelling.
pub(super) fn written(value: &Value, spelling: Option<Spelling>) -> String {
    match spelling {
        None => value.to_string(),
        Some(Spelling::Spaced) => format!("{value:#}"),
        Some(Spelling::Reordered) => body::reversed(value).to_string(),
        Some(Spelling::Escaped) => write(value, &escaped, &Number::to_string),
        Some(Spelling::Decimal) => write(value, &quoted, &decimal),
        Some(Spelling::WithoutNulls) => without_nulls(value).to_string(),
        Some(Spelling::Decomposed) => {
            write(value, &|text| quoted(&DecomposingNormalizerBorrowed::new_nfd().normalize(text)), &Number::to_string)
        }
    }
}

/// Whether a request has a body that a spelling makes other bytes of.
pub(super) fn can_spell(request: &RequestTemplate, spelling: Spelling) -> bool {
    let form = request.form.as_ref().map(|form| Cow::Owned(Value::Object(form.clone().into_iter().collect())));
    let json = request.json.as_ref().map(Cow::Borrowed);
    let differs = |value: &Value| written(value, Some(spelling)) != written(value, None);
    match spelling {
        Spelling::Reordered => json.or(form).is_some_and(|value| body::has_order(&value)),
        Spelling::Escaped => json.or(form).is_some_and(|value| differs(&value)),
        Spelling::Spaced if request.multipart.is_some() => true,
        Spelling::Spaced | Spelling::Decimal | Spelling::WithoutNulls | Spelling::Decomposed => {
            json.is_some_and(|value| differs(&value))
        }
    }
}

/// The name of a form field with its first character encoded, although that is not necessary.
pub(super) fn escaped_name(name: &str) -> String {
    let mut rest = name.chars();
    match rest.next().filter(char::is_ascii_alphanumeric) {
        Some(first) => format!("%{:02X}{}", u32::from(first), rest.as_str()),
        None => name.to_owned(),
    }
}

fn write(value: &Value, text: &dyn Fn(&str) -> String, number: &dyn Fn(&Number) -> String) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{}:{}", text(name), write(member, text, number)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write(item, text, number)).collect();
            format!("[{}]", items.join(","))
        }
        Value::String(written) => text(written),
        Value::Number(written) => number(written),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A JSON text whose first character is written as an escape (RFC 8259 section 7).
fn escaped(text: &str) -> String {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return quoted(text) };
    let escapes: String = first.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let tail = quoted(rest.as_str());
    format!("\"{escapes}{}", tail.strip_prefix('"').unwrap_or(&tail))
}

/// A number with one digit more behind its point. One with an exponent stays as it is.
fn decimal(number: &Number) -> String {
    let plain = number.to_string();
    match (plain.contains(['e', 'E']), plain.contains('.')) {
        (true, _) => plain,
        (false, true) => format!("{plain}0"),
        (false, false) => format!("{plain}.0"),
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null());
            Value::Object(kept.map(|(name, member)| (name.clone(), without_nulls(member))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(json: &str, spelling: Spelling) -> String {
        written(&serde_json::from_str(json).unwrap(), Some(spelling))
    }

    #[test]
    fn spellings_differ_in_their_bytes_and_in_nothing_else() {
        let json = r#"{"a":"\u00dcx","b":[1,-2.5,1e3],"c":{"d":null,"e":[null]},"f":""}"#;
        let same = |spelling| serde_json::from_str::<Value>(&spelled(json, spelling)).unwrap();
        let value: Value = serde_json::from_str(json).unwrap();
        for spelling in [Spelling::Reordered, Spelling::Spaced, Spelling::Escaped] {
            assert_eq!(same(spelling), value, "{spelling:?}");
            assert_ne!(spelled(json, spelling), value.to_string(), "{spelling:?}");
            assert!(!spelling.is_loose());
        }
        assert_eq!(spelled(r#"["A\n","😀b",""]"#, Spelling::Escaped), r#"["\u0041\n","\ud83d\ude00b",""]"#);
        assert_eq!(spelled(r#"{"a":[1,-2.5,0]}"#, Spelling::Decimal), r#"{"a":[1.0,-2.50,0.0]}"#);
        assert_eq!(spelled(json, Spelling::WithoutNulls), r#"{"a":"Üx","b":[1,-2.5,1000.0],"c":{"e":[null]},"f":""}"#);
        assert_eq!(spelled(r#"{"ü":"ü"}"#, Spelling::Decomposed), "{\"u\u{308}\":\"u\u{308}\"}");
    }

    #[test]
    fn a_name_of_a_form_can_be_written_with_an_escape() {
        assert_eq!(escaped_name("amount"), "%61mount");
        assert_eq!(escaped_name("%5B"), "%5B");
    }
}
