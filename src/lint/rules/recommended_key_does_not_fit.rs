//! A recommended key that is refused for its length.

use crate::contract::{Clause, Key};
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "recommended-key-does-not-fit",
    severity: Severity::Contradictory,
    finds: "A key of the recommended form is longer or shorter than keys may be.",
    matters: "A client that follows the documentation is refused, or its keys are cut off and two actions become one.",
    check,
};

/// The length of a UUID as it is written.
const UUID: usize = 36;

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let Some(key) = &subject.contract().key else { return Vec::new() };
    let recommends_uuid = key.recommended.as_ref().is_some_and(|form| form.to_lowercase().starts_with("uuid"));
    let trouble = |(member, limit)| {
        let says = format!("a UUID has {UUID} characters, and `{member}` is {limit}");
        Trouble::at(Clause::Key, "/contract/key/recommended", says, "permit keys of 36 characters, or recommend others")
    };
    misfit(key).filter(|_| recommends_uuid).map(trouble).into_iter().collect()
}

fn misfit(key: &Key) -> Option<(&'static str, usize)> {
    let long = key.max_length.filter(|longest| *longest < UUID).map(|longest| ("max_length", longest));
    long.or(key.min_length.filter(|shortest| *shortest > UUID).map(|shortest| ("min_length", shortest)))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    #[test]
    fn a_uuid_that_is_too_long_or_too_short_is_found() {
        finds(RULE.id, &[("max_length: 255", "max_length: 32")], "recommended:", "`max_length` is 32");
        finds(RULE.id, &[("max_length: 255", "max_length: 255, min_length: 40")], "recommended:", "`min_length` is 40");
    }

    #[test]
    fn a_uuid_that_fits_is_not() {
        finds_nothing(&[("max_length: 255", "max_length: 36")]);
        finds_nothing(&[("max_length: 255", "max_length: 26"), ("recommended: uuid-v4", "recommended: ulid")]);
    }
}
