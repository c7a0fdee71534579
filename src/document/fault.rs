//! What a JSON Schema finds wrong, in the words of a document: a few kinds of fault, each at one place.

use serde_json::Value;

use super::nearest;

/// One thing that does not have the form that the schema gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A key that has no meaning here.
    Unknown { object: String, key: String, known: Vec<String>, meant: Option<String> },
    /// A key that must be there; one of several will do.
    Missing { object: String, keys: Vec<String> },
    /// A key that excludes another one.
    Beside { object: String, key: String, other: String },
    /// A value of the wrong kind, or none of the known words.
    Value { at: String, found: Value, words: Vec<String>, kinds: Vec<String> },
    /// A text that cannot be read as what it should be.
    Unreadable { at: String, message: String, expected: Option<String> },
    /// A key that cannot be read as what it should be.
    UnreadableKey { object: String, key: String, message: String },
}

impl Fault {
    /// The JSON pointer of the value that a schema refused.
    pub(super) fn place(&self) -> &str {
        match self {
            Self::Unknown { object, .. }
            | Self::Missing { object, .. }
            | Self::Beside { object, .. }
            | Self::UnreadableKey { object, .. } => object,
            Self::Value { at, .. } | Self::Unreadable { at, .. } => at,
        }
    }

    fn depth(&self) -> usize {
        self.place().matches('/').count()
    }
}

/// What one alternative of a schema finds wrong.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    pub(super) faults: Vec<Fault>,
    /// The keys that the alternative knows, where it takes an object with certain keys.
    pub(super) keys: Vec<String>,
}

impl Branch {
    /// Whether the alternative takes this kind of value at all.
    fn takes(&self, at: &str) -> bool {
        !self.faults.iter().any(|fault| matches!(fault, Fault::Value { at: place, .. } if place == at))
    }

    /// How well an alternative fits: keys that it knows, or that are nearly spelled like ones that it knows; then few
    /// faults in the value itself; then faults deep inside; then few of them.
    fn rank(&self, at: &str, value: &Value) -> (usize, std::cmp::Reverse<usize>, usize, std::cmp::Reverse<usize>) {
        let keys = value.as_object().map(|members| members.keys().collect::<Vec<_>>()).unwrap_or_default();
        let known = keys.iter().filter(|key| self.keys.contains(key)).count();
        let meant = |fault: &&Fault| matches!(fault, Fault::Unknown { object, meant: Some(_), .. } if object == at);
        let meant = self.faults.iter().filter(meant).count();
        let shallow = self.faults.iter().filter(|fault| fault.place() == at).count();
        let deepest = self.faults.iter().map(Fault::depth).max().unwrap_or_default();
        (known + meant, std::cmp::Reverse(shallow), deepest, std::cmp::Reverse(self.faults.len()))
    }
}

/// A missing key beside an unknown one that is nearly spelled like it is one mistake.
pub(super) fn paired(faults: Vec<Fault>) -> Vec<Fault> {
    let mut paired: Vec<Fault> = Vec::new();
    let (missing, mut rest): (Vec<Fault>, Vec<Fault>) =
        faults.into_iter().partition(|fault| matches!(fault, Fault::Missing { .. }));
    for fault in missing {
        let Fault::Missing { object, keys } = &fault else { continue };
        let twin = rest.iter_mut().find_map(|other| match other {
            Fault::Unknown { object: place, key, meant, .. } if place == object => {
                nearest(key, keys.iter().map(String::as_str)).map(|name| (meant, name.to_owned()))
            }
            _ => None,
        });
        match twin {
            Some((meant, name)) => *meant = Some(name),
            None => paired.push(fault),
        }
    }
    rest.extend(paired);
    rest
}

/// Reduces alternatives of which none fits to the one that was meant.
pub(super) fn reduced(at: &str, value: &Value, branches: Vec<Branch>) -> Branch {
    let (taking, refusing): (Vec<Branch>, Vec<Branch>) = branches.into_iter().partition(|branch| branch.takes(at));
    if taking.is_empty() || is_nearly_a_word(at, value, &refusing) {
        return Branch { faults: vec![none_takes(at, value, refusing)], keys: Vec::new() };
    }
    let keys: Vec<String> = taking.iter().flat_map(|branch| branch.keys.clone()).collect();
    let Some(best) = taking.iter().map(|branch| branch.rank(at, value)).max() else { return Branch::default() };
    let best: Vec<&Branch> = taking.iter().filter(|branch| branch.rank(at, value) == best).collect();
    let faults = match best.as_slice() {
        [only] => only.faults.clone(),
        several => united(several),
    };
    let first = keys.iter().find(|name| value.get(name.as_str()).is_some());
    let faults = faults.into_iter().filter_map(|fault| beside(fault, &keys, first)).collect();
    Branch { faults, keys }
}

/// Whether a text is nearly one of the words that some alternative takes.
fn is_nearly_a_word(at: &str, value: &Value, refusing: &[Branch]) -> bool {
    let Some(text) = value.as_str() else { return false };
    refusing.iter().flat_map(|branch| &branch.faults).any(|fault| match fault {
        Fault::Value { at: place, words, .. } => {
            place == at && nearest(text, words.iter().map(String::as_str)).is_some()
        }
        _ => false,
    })
}

/// A key that another alternative knows is not unknown: it excludes the first one that is there, which is at fault in
/// no alternative.
fn beside(fault: Fault, keys: &[String], first: Option<&String>) -> Option<Fault> {
    match (fault, first) {
        (Fault::Unknown { object, key, .. }, Some(other)) if keys.contains(&key) => {
            (key != *other).then(|| Fault::Beside { object, key, other: other.clone() })
        }
        (fault, _) => Some(fault),
    }
}

/// Alternatives that fit equally badly: what any of them would take is expected.
fn united(branches: &[&Branch]) -> Vec<Fault> {
    let mut united: Vec<Fault> = Vec::new();
    let faults = branches.iter().flat_map(|branch| &branch.faults);
    for fault in faults {
        let same = united.iter_mut().find(|known| match (&**known, fault) {
            (Fault::Unknown { object, key, .. }, Fault::Unknown { object: other, key: other_key, .. }) => {
                object == other && key == other_key
            }
            (Fault::Missing { object, .. }, Fault::Missing { object: other, .. }) => object == other,
            (Fault::Value { at, .. }, Fault::Value { at: other, .. }) => at == other,
            (known, fault) => *known == *fault,
        });
        match (same, fault) {
            (Some(Fault::Unknown { known, .. }), Fault::Unknown { known: more, .. }) => add(known, more),
            (Some(Fault::Missing { keys, .. }), Fault::Missing { keys: more, .. }) => add(keys, more),
            (Some(Fault::Value { words, kinds, .. }), Fault::Value { words: more_words, kinds: more_kinds, .. }) => {
                add(words, more_words);
                add(kinds, more_kinds);
            }
            (Some(_), _) => {}
            (None, fault) => united.push(fault.clone()),
        }
    }
    let unknown = |object: &str| {
        united.iter().any(|fault| matches!(fault, Fault::Unknown { object: place, .. } if place == object))
    };
    // Where every alternative has its one key, naming the unknown key says it all.
    let redundant = |fault: &Fault| matches!(fault, Fault::Missing { object, .. } if unknown(object));
    united.iter().filter(|fault| !redundant(fault)).cloned().collect()
}

/// No alternative takes this kind of value: everything that would have been taken is expected.
fn none_takes(at: &str, value: &Value, branches: Vec<Branch>) -> Fault {
    let (mut words, mut kinds) = (Vec::new(), Vec::new());
    for fault in branches.iter().flat_map(|branch| &branch.faults) {
        if let Fault::Value { at: place, words: more_words, kinds: more_kinds, .. } = fault
            && place == at
        {
            add(&mut words, more_words);
            add(&mut kinds, more_kinds);
        }
    }
    Fault::Value { at: at.to_owned(), found: value.clone(), words, kinds }
}

fn add(names: &mut Vec<String>, more: &[String]) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}
