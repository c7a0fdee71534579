//! What a key looks like, and where it travels.

use super::{Fact, fact, relies_on_nothing, treatment, without_a_key};
use crate::comparison::compare::{KNOWN, MET};
use crate::comparison::line::{Consequence, Stated};
use crate::comparison::rules::Kind;
use crate::contract::{Carrier, Contract, Encoding, GeneratedBy, KeyDifference, Row};

pub(super) const FACTS: &[Fact] = &[
    fact("key.carrier", carrier, other_carrier),
    fact("key.encoding", encoding, other_encoding),
    fact("key.first_sent.header", first_sent, other_date),
    fact("key.generated_by", generated_by, other_maker),
    fact("key.recommended", |contract| recommended(contract).map(Stated::without_case), other_recommendation),
    fact("key.min_length", |contract| min_length(contract).map(characters), other_shortest),
    fact("key.max_length", |contract| max_length(contract).map(characters), other_longest),
    fact("key.with", with, other_members),
    fact("key.ignores", ignores, other_differences),
];

/// The characters of a UUID as it is usually written.
const UUID_LENGTH: usize = 36;

fn carrier(contract: &Contract) -> Option<Stated> {
    let carrier = &contract.key.as_ref()?.carrier;
    Some(match carrier {
        Carrier::Header(_) => Stated::without_case(carrier.to_string()),
        Carrier::Query(_) | Carrier::Form(_) | Carrier::Json(_) => Stated::exact(carrier.to_string()),
    })
}

fn other_carrier(known: &Contract, met: &Contract) -> Consequence {
    match (known.key.as_ref(), met.key.as_ref()) {
        (Some(ours), Some(theirs)) => Consequence::breaks(format!(
            "{MET} looks for the key in {}, and does not see one in {}: {}",
            theirs.carrier,
            ours.carrier,
            without_a_key(met)
        )),
        (Some(ours), None) => Consequence::breaks(format!(
            "{MET} knows no key: what is sent in {} protects nothing, and a retry is as safe as the operation itself",
            ours.carrier
        )),
        (None, Some(theirs)) => Consequence::breaks(format!(
            "{MET} tells a retry by its key in {}, and the client sends none: {}",
            theirs.carrier,
            without_a_key(met)
        )),
        (None, None) => relies_on_nothing(),
    }
}

fn encoding(contract: &Contract) -> Option<Stated> {
    Some(Stated::exact(match contract.key.as_ref()?.encoding {
        Encoding::Bare => "bare",
        Encoding::Quoted => "quoted (RFC 8941)",
    }))
}

fn other_encoding(known: &Contract, met: &Contract) -> Consequence {
    let encoding = |contract: &Contract| contract.key.as_ref().map(|key| key.encoding);
    match (encoding(known), encoding(met)) {
        (Some(Encoding::Bare), Some(Encoding::Quoted)) => Consequence::breaks(format!(
            "a key without quotes is no Structured Field String: {MET} may refuse it, or not take it for a key"
        )),
        (Some(Encoding::Quoted), Some(Encoding::Bare)) => Consequence::may_break(
            "the quotes become part of the key: they count in its length, may be refused in it, and a retry without them has \
             another key",
        ),
        (Some(_), None) => Consequence::breaks(format!("{MET} knows no key, however it is spelled")),
        (None, Some(_)) => Consequence::breaks(format!("the client sends no key, and {MET} tells a retry by it")),
        (Some(_), Some(_)) | (None, None) => relies_on_nothing(),
    }
}

fn first_sent(contract: &Contract) -> Option<Stated> {
    contract.first_sent().map(|first_sent| Stated::without_case(format!("header {}", first_sent.header)))
}

fn other_date(known: &Contract, met: &Contract) -> Consequence {
    let refused = match treatment(met, Row::Incomplete) {
        Some(Kind::Rejects) => "a request without it is refused",
        Some(Kind::Executes) => "a request without it is carried out, perhaps without protection",
        Some(Kind::Replays | Kind::Refreshes) => "a request without it is known all the same",
        None => "what a request without it gets is not said",
    };
    match (known.first_sent(), met.first_sent()) {
        (Some(ours), Some(theirs)) => Consequence::breaks(format!(
            "{MET} looks for the date of the first attempt in header {}, and does not see the one in header {}: {refused}",
            theirs.header, ours.header
        )),
        (None, Some(theirs)) => Consequence::breaks(format!(
            "{MET} wants the date of the first attempt beside the key, in header {}: {refused}",
            theirs.header
        )),
        (Some(ours), None) => Consequence::may_break(format!(
            "{MET} does not look at the date in header {}: it cannot tell a key that it has forgotten from a new one",
            ours.header
        )),
        (None, None) => relies_on_nothing(),
    }
}

fn generated_by(contract: &Contract) -> Option<Stated> {
    Some(Stated::exact(match contract.key.as_ref()?.generated_by? {
        GeneratedBy::Client => "the client",
        GeneratedBy::Server => "the server",
    }))
}

fn other_maker(known: &Contract, met: &Contract) -> Consequence {
    let maker = |contract: &Contract| contract.key.as_ref().and_then(|key| key.generated_by);
    match (maker(known), maker(met)) {
        (Some(GeneratedBy::Client) | None, Some(GeneratedBy::Server)) => Consequence::breaks(format!(
            "{MET} makes the keys itself: the client has to fetch one before its first attempt, and not make it up"
        )),
        (Some(GeneratedBy::Server), Some(GeneratedBy::Client)) => Consequence::breaks(format!(
            "{MET} gives no keys: the client has to make one itself for each action, and keep it for its retries"
        )),
        (Some(maker), None) => Consequence::may_break(match maker {
            GeneratedBy::Client => {
                format!("{MET} does not say who makes the key: one that the client makes up may not be taken")
            }
            GeneratedBy::Server => {
                format!("{MET} does not say who makes the key: the client may have to make it up itself")
            }
        }),
        (None, Some(GeneratedBy::Client)) => Consequence::may_break(format!(
            "the client has to make a key for each action itself, and {KNOWN} does not ask for that"
        )),
        (Some(_), Some(_)) | (None, None) => relies_on_nothing(),
    }
}

fn recommended(contract: &Contract) -> Option<&str> {
    contract.key.as_ref()?.recommended.as_deref()
}

/// Whether keys of the one kind are keys of the other kind as well.
fn is_one_of(kind: &str, wanted: &str) -> bool {
    let (kind, wanted) = (kind.to_lowercase(), wanted.to_lowercase());
    kind == wanted || kind.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-'))
}

fn other_recommendation(known: &Contract, met: &Contract) -> Consequence {
    match (recommended(known), recommended(met)) {
        (_, None) => Consequence::nothing(format!("{MET} takes no one kind of key for better than another")),
        (Some(ours), Some(theirs)) if is_one_of(ours, theirs) => {
            Consequence::nothing(format!("a key that is {ours} is {theirs} as well"))
        }
        (_, Some(theirs)) if treatment(met, Row::Malformed) == Some(Kind::Rejects) => Consequence::may_break(format!(
            "{MET} refuses a key of the wrong format: one that is not {theirs} may be such a key"
        )),
        (_, Some(theirs)) => {
            Consequence::nothing(format!("{theirs} is what {MET} recommends, and not what it demands"))
        }
    }
}

fn min_length(contract: &Contract) -> Option<usize> {
    contract.key.as_ref()?.min_length
}

fn max_length(contract: &Contract) -> Option<usize> {
    contract.key.as_ref()?.max_length
}

fn characters(number: usize) -> Stated {
    Stated::exact(format!("{number} characters"))
}

/// Whether a client that does as it is recommended has keys of this length.
fn has_uuids(contract: &Contract) -> bool {
    recommended(contract).is_some_and(|kind| is_one_of(kind, "uuid"))
}

fn other_shortest(known: &Contract, met: &Contract) -> Consequence {
    match (min_length(known), min_length(met)) {
        (_, None) => Consequence::nothing(format!("{MET} names no shortest key")),
        (Some(ours), Some(theirs)) if theirs <= ours => {
            Consequence::nothing(format!("{MET} takes shorter keys as well"))
        }
        (_, Some(theirs)) => {
            let fits = if has_uuids(known) && theirs <= UUID_LENGTH { "; a UUID is long enough" } else { "" };
            let sentence = format!("a key of fewer than {theirs} characters is too short for {MET}{fits}");
            if fits.is_empty() { Consequence::breaks(sentence) } else { Consequence::may_break(sentence) }
        }
    }
}

fn other_longest(known: &Contract, met: &Contract) -> Consequence {
    let refused = match treatment(met, Row::Overlong) {
        Some(Kind::Rejects) => "it is refused",
        Some(Kind::Executes | Kind::Replays | Kind::Refreshes) => "it is taken all the same",
        None => "it may be refused, or cut off and taken for another one",
    };
    let fits = |longest: usize| if has_uuids(known) && longest >= UUID_LENGTH { "; a UUID fits" } else { "" };
    match (max_length(known), max_length(met)) {
        (Some(ours), Some(theirs)) if theirs >= ours => {
            Consequence::nothing(format!("every key that {KNOWN} takes is short enough"))
        }
        (Some(ours), Some(theirs)) => {
            let sentence = format!(
                "a key of {} to {ours} characters is too long for {MET}: {refused}{}",
                theirs + 1,
                fits(theirs)
            );
            if fits(theirs).is_empty() { Consequence::breaks(sentence) } else { Consequence::may_break(sentence) }
        }
        (None, Some(theirs)) => Consequence::may_break(format!(
            "{KNOWN} names no longest key, and one of more than {theirs} characters is too long for {MET}: {refused}{}",
            fits(theirs)
        )),
        (Some(ours), None) => Consequence::may_break(format!(
            "{MET} does not say how long a key may be; a client with keys of up to {ours} characters may find that {MET} \
             refuses one, or cuts it off and takes it for another"
        )),
        (None, None) => relies_on_nothing(),
    }
}

fn members(contract: &Contract) -> &[String] {
    contract.key.as_ref().map(|key| key.with.as_slice()).unwrap_or_default()
}

fn with(contract: &Contract) -> Option<Stated> {
    let mut sorted = members(contract).to_vec();
    sorted.sort();
    (!sorted.is_empty()).then(|| Stated::exact(format!("counts together with {}", sorted.join(", "))))
}

/// The members of one list that are not in another.
pub(super) fn beyond<'l, T: PartialEq>(list: &'l [T], other: &[T]) -> Vec<&'l T> {
    list.iter().filter(|member| !other.contains(member)).collect()
}

fn joined(names: &[&String]) -> String {
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" or ")
}

fn other_members(known: &Contract, met: &Contract) -> Consequence {
    let (more, fewer) = (beyond(members(met), members(known)), beyond(members(known), members(met)));
    if !more.is_empty() {
        return Consequence::breaks(format!(
            "the same key with another {} is another action: it is carried out, and nothing warns the client",
            joined(&more)
        ));
    }
    Consequence::breaks(format!(
        "the same key with another {} is not another action: it is taken for a retry, or refused as one with other parameters",
        joined(&fewer)
    ))
}

fn differences(contract: &Contract) -> &[KeyDifference] {
    contract.key.as_ref().map(|key| key.ignores.as_slice()).unwrap_or_default()
}

fn name(difference: &KeyDifference) -> &'static str {
    match difference {
        KeyDifference::Case => "case",
        KeyDifference::Quotes => "quotes",
        KeyDifference::WhiteSpace => "white space",
    }
}

fn ignores(contract: &Contract) -> Option<Stated> {
    let mut names: Vec<&str> = differences(contract).iter().map(name).collect();
    names.sort_unstable();
    (!names.is_empty()).then(|| Stated::exact(format!("compared without regard to {}", names.join(", "))))
}

fn other_differences(known: &Contract, met: &Contract) -> Consequence {
    let names = |list: Vec<&KeyDifference>| list.into_iter().map(name).collect::<Vec<_>>().join(" or ");
    let more = names(beyond(differences(met), differences(known)));
    if !more.is_empty() {
        return Consequence::breaks(format!(
            "two keys that differ in {more} alone may be one: the second action is not carried out"
        ));
    }
    Consequence::breaks(format!(
        "a retry whose key differs in {} alone has another key: it is carried out again",
        names(beyond(differences(known), differences(met)))
    ))
}
