//! Drafts of profiles: texts that load as they are, with a comment at every place where a human must decide.
//!
//! What is written is text and not a value, because the comments are the point of it.

mod from_openapi;
mod like;
mod marker;
mod outline;
mod text;

pub use from_openapi::of_operation;
pub use like::like;
pub use outline::blank;

/// A name for a profile, in kebab-case: `create-order` for `createOrder` or `Create order`. Nothing where no letter is left.
pub fn profile_name(written: &str) -> Option<String> {
    let mut name = String::new();
    let mut before = ' ';
    for letter in written.chars() {
        let begins_word = letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if (begins_word || !letter.is_ascii_alphanumeric()) && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    let name = name.trim_end_matches('-').to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_whatever_is_written() {
        for (written, name) in [
            ("createOrder", Some("create-order")),
            ("POST /v1/orders", Some("post-v1-orders")),
            ("orders_create-v2", Some("orders-create-v2")),
            ("  Überweisung ", Some("berweisung")),
            ("{}", None),
        ] {
            assert_eq!(profile_name(written).as_deref(), name, "{written}");
        }
    }
}
