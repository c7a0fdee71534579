//! A draft that begins as a copy of a shipped profile.

use serde_json::Value;

use super::text::comment;
use crate::document::{At, Located, yaml};
use crate::profile;

/// What there is to decide at each place of a profile, where it has that place.
const DECISIONS: &[(&str, &str)] = &[
    (
        "/sources",
        "these are the pages of another provider. Put your own in their place, with the day on which you read them.",
    ),
    ("/target/environment", "what kind of deployment yours is: local, sandbox or staging. Production is refused."),
    ("/target/base_url", "where your API is served."),
    ("/target/auth", "how a client of yours shows who it is."),
    ("/target/accounts", "credentials of a second account, with which the same key is tried there; or take it away."),
    (
        "/operation/request",
        "the request of yours that makes something, with `{{marker}}` in a text that your list can be searched for.",
    ),
    ("/operation/identity", "what names in your answers what was made."),
    ("/operation/success", "how a success is told from a failure, where a 2xx alone does not."),
    ("/operation/parameters", "other parameters of yours: acceptable, refused, declined, slow."),
    (
        "/operation/effects",
        "the request by which your API lists what was made; `effects: identity` where there is none.",
    ),
    ("/operation/cleanup", "the request that removes what was made."),
    ("/operations", "another operation of yours, on which the same key is tried; or take it away."),
    ("/hooks", "what can be done to your deployment from outside; or take it away."),
    ("/mock", "what your answers look like to whom `idemspec serve` serves this profile; or take it away."),
    (
        "/contract/key",
        "whether your documentation says the same of keys. What it does not say, take away: it is observed then.",
    ),
    ("/contract/retention", "how long you remember a key, and what a request gets whose key is older."),
    ("/contract/replay", "what a repeat gets from you."),
    ("/contract/conflict", "what the same key gets from you with other parameters, and in flight."),
    ("/contract/scope", "with which methods, in which accounts and on which operations your keys count."),
];

/// A draft of a profile of this name that begins as a copy of a shipped one. Nothing where there is no such profile.
///
/// It is a copy and does not extend the other: what another provider promises is no promise of this API, and must not change
/// here when it changes there.
pub fn like(name: &str, shipped: &str) -> Option<String> {
    let (_, text) = profile::shipped().iter().find(|(known, _)| *known == shipped)?;
    let located = Located::parse(shipped, text).ok()?;
    let mut remarks: Vec<(usize, String)> =
        DECISIONS.iter().filter_map(|(at, words)| remark(&located, at, words)).collect();
    remarks.dedup_by_key(|(line, _)| *line);
    let head = [
        format!("A draft that begins as a copy of the profile `{shipped}`."),
        "Wherever it says `decide`, something is another provider's that only somebody who knows your API can say."
            .into(),
        "Then: `idemspec lint FILE`, `idemspec run FILE --mock`, `idemspec run FILE --plan`, `idemspec run FILE`."
            .into(),
    ];
    let mut draft: String = head.iter().map(|words| comment(0, words)).collect();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        draft.extend(remarks.iter().filter(|(at, _)| *at == number).map(|(_, words)| words.as_str()));
        draft.push_str(&rewritten(&located, line, name));
    }
    Some(draft)
}

/// The number of the line above which a remark stands, and the remark.
fn remark(located: &Located, at: &str, words: &str) -> Option<(usize, String)> {
    located.value().pointer(at)?;
    let spot = located.problem(At::Key(at), "").spot?;
    let indent = spot.excerpt.chars().take_while(|letter| *letter == ' ').count();
    Some((spot.line, comment(indent, &format!("decide: {words}"))))
}

/// Name and title are those of the new profile; the first line is for the place where the other one lies.
fn rewritten(located: &Located, line: &str, name: &str) -> String {
    let title = located.value().get("title").and_then(Value::as_str).unwrap_or_default();
    if line.starts_with("profile: ") {
        return yaml(&serde_json::json!({"profile": name}), 0);
    }
    if line.starts_with("title: ") {
        return yaml(&serde_json::json!({"title": format!("My API, like {title}")}), 0);
    }
    if line.starts_with("# yaml-language-server:") { String::new() } else { format!("{line}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_every_shipped_profile_loads_and_promises_the_same() {
        for (shipped, _) in profile::shipped() {
            let draft = like("my-api", shipped).unwrap();
            let copy = profile::parse("my-api.yaml", &draft).unwrap_or_else(|problems| panic!("{shipped}: {problems}"));
            let original = profile::load(shipped).unwrap();
            assert_eq!(copy.profile.profile, "my-api");
            assert_eq!(copy.profile.contract, original.profile.contract, "{shipped}");
            // A profile that extends another one says little itself.
            let least = if draft.contains("\nextends:") { 1 } else { 2 };
            assert!(draft.matches("decide: ").count() >= least, "{shipped}: {draft}");
            assert!(!draft.contains("../schema"), "{shipped}");
        }
        assert_eq!(like("my-api", "no-such-profile"), None);
    }

    #[test]
    fn every_decision_has_a_place_in_some_profile() {
        let drafts: String = profile::shipped().iter().filter_map(|(name, _)| like("my-api", name)).collect();
        let drafts: String = drafts.replace('#', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for (at, words) in DECISIONS {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(drafts.contains(&words), "{at}");
        }
    }
}
