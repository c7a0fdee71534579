//! A client that takes one provider's contract for another's steps on a rake: exactly where the two differ.
//!
//! Every shipped profile is played by a mock of it, and the recording judged by the contract of every other. What is to come of
//! that is worked out from a table in words (`pairs.yaml`), and neither from the profiles nor by the oracle.

use std::collections::{BTreeMap, BTreeSet};

use idemspec::history::History;
use idemspec::oracle::{self, Judgement};
use idemspec::{journal, profile};
use serde::Deserialize;

use crate::support::run;

/// What a contract promises, in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Promises {
    first: u16,
    missing: Option<Vec<String>>,
    repeat: Vec<String>,
    changed: Option<Vec<String>>,
    #[serde(default)]
    in_flight: Vec<String>,
    status: Option<String>,
    marker: Option<String>,
    #[serde(default)]
    may: Vec<String>,
    #[serde(default)]
    xml: bool,
    #[serde(default)]
    waits: bool,
}

/// What a mock does.
#[derive(Clone, Debug, PartialEq)]
enum Deed<'p> {
    Executes,
    /// The first answer, or the current state, under this status.
    Repeats(u16),
    Refuses(u16, Vec<&'p str>),
}

/// A refusal that is allowed: its statuses, and what else it has.
fn refusal(allowed: &str) -> Option<(Vec<&str>, Option<&str>)> {
    let mut words = allowed.strip_prefix("refuses ")?.split(' ');
    Some((words.next()?.split('|').collect(), words.next()))
}

fn is_among(status: u16, statuses: &[&str]) -> bool {
    statuses.iter().any(|one| *one == status.to_string() || one.strip_suffix("xx") == Some(&status.to_string()[..1]))
}

/// The first of some statuses, and for a class the one that is usual.
fn played(statuses: &[&str], usual: u16) -> u16 {
    if is_among(usual, statuses) { usual } else { statuses[0].parse().unwrap() }
}

impl Promises {
    fn deed<'p>(&'p self, allowed: &'p str, usual: u16, word: &'p str) -> Deed<'p> {
        match (allowed, refusal(allowed)) {
            ("executes", _) => Deed::Executes,
            (_, Some((statuses, more))) => {
                let word = Some(word).filter(|_| !self.xml);
                Deed::Refuses(played(&statuses, usual), word.into_iter().chain(more).collect())
            }
            _ => Deed::Repeats(match self.status.as_deref() {
                None | Some("same") => self.first,
                Some(statuses) => played(&statuses.split('|').collect::<Vec<_>>(), self.first),
            }),
        }
    }

    fn without_key(&self) -> Deed<'_> {
        self.missing.as_ref().map_or(Deed::Executes, |allowed| self.deed(&allowed[0], 400, "key-missing"))
    }

    fn repeated(&self) -> Deed<'_> {
        self.deed(&self.repeat[0], 409, "key-used")
    }

    fn with_other_parameters(&self) -> Deed<'_> {
        let usual = || Deed::Refuses(409, vec!["key-reused"]);
        self.changed.as_ref().map_or_else(usual, |allowed| self.deed(&allowed[0], 409, "key-reused"))
    }

    /// The marker that a repeat of this mock has, if it has one.
    fn marks(&self) -> Option<&str> {
        let (name, on) = self.marker.as_deref()?.split_once(' ')?;
        (self.repeat[0] == "replays" || on == "all").then_some(name)
    }
}

fn allows(allowed: &[String], deed: &Deed<'_>) -> bool {
    allowed.iter().any(|allowed| match deed {
        Deed::Executes => allowed == "executes",
        Deed::Repeats(_) => allowed == "replays" || allowed == "refreshes",
        Deed::Refuses(status, said) => refusal(allowed).is_some_and(|(statuses, word)| {
            is_among(*status, &statuses) && word.is_none_or(|word| said.contains(&word))
        }),
    })
}

/// What is filed where a deed is not allowed: a refusal that reads like that of a copy in flight is one in the wrong place.
fn fault<'f>(judge: &Promises, deed: &Deed<'_>, row: &'f str) -> &'f str {
    if allows(&judge.in_flight, deed) && matches!(deed, Deed::Refuses(..)) { "replay.settles" } else { row }
}

/// Where a server that keeps one contract breaks another.
fn differences(shown: &Promises, judge: &Promises) -> BTreeSet<&'static str> {
    let mut broken = BTreeSet::new();
    let without_key = shown.without_key();
    if judge.missing.as_ref().is_some_and(|allowed| !allows(allowed, &without_key)) {
        broken.insert(fault(judge, &without_key, "key.missing"));
    }
    let marker = judge.marker.as_deref().and_then(|marker| marker.split_once(' '));
    if marker.is_some_and(|(name, on)| on == "all" && shown.marks() != Some(name)) {
        broken.insert("replay.marker");
    }
    if judge.waits {
        // The mock was not waited for, so what it gave to repeats is only observed.
        return broken;
    }
    let repeated = shown.repeated();
    let changed = shown.with_other_parameters();
    let conflicts = judge.changed.as_ref().is_some_and(|allowed| !allows(allowed, &changed));
    if conflicts && !judge.may.iter().any(|may| may == "changed") {
        broken.insert(fault(judge, &changed, "conflict.changed-parameters"));
    }
    if !allows(&judge.repeat, &repeated) {
        broken.insert(fault(judge, &repeated, "replay.after-success"));
        // After a conflict that is not allowed nothing more is judged, binding or not.
        broken.extend((!conflicts).then(|| fault(judge, &repeated, "conflict.original-survives")));
        return broken;
    }
    if let Deed::Repeats(status) = repeated {
        let replays_alone = judge.repeat.iter().all(|allowed| allowed == "replays");
        let kept = judge.status.as_deref().is_none_or(|wanted| match wanted {
            // The current state may have a status of its own.
            "same" => status == shown.first || !replays_alone,
            statuses => is_among(status, &statuses.split('|').collect::<Vec<_>>()),
        });
        broken.extend((!kept).then_some("replay.fidelity"));
        if marker.is_some_and(|(name, _)| replays_alone && shown.marks() != Some(name)) {
            broken.insert("replay.marker");
        }
    }
    broken
}

fn recorded(name: &str) -> History {
    let run = run(&[name, "--mock", "--only", "key-reuse[reuse=base],key-reuse[reuse=changed],key-format[key=none]"]);
    run.assert_code(0);
    journal::read(&run.journal).unwrap().history
}

/// One profile after the other takes long, and all at once is more than a small machine can do.
fn recordings(names: &[&str]) -> BTreeMap<String, History> {
    let record = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), recorded(name))).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            names.chunks(names.len().div_ceil(4)).map(|part| scope.spawn(move || record(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

#[test]
fn every_recording_is_blamed_by_every_other_contract_exactly_where_the_two_differ() {
    let table: BTreeMap<String, Promises> = serde_yaml::from_str(include_str!("pairs.yaml")).unwrap();
    let names: Vec<&str> = table.keys().map(String::as_str).collect();
    let (mut wrong, mut pairs) = (String::new(), 0);
    for (played, history) in recordings(&names) {
        for (judge, promises) in &table {
            let contract = profile::load(judge).unwrap().profile.contract;
            let findings = oracle::judge(&contract, &history);
            let violated = findings.iter().filter(|finding| finding.judgement == Judgement::Violated);
            let violated: BTreeSet<&str> = violated.map(|finding| finding.requirement.id()).collect();
            let expected = differences(&table[&played], promises);
            if violated != expected {
                wrong.push_str(&format!("{played} by {judge}: {violated:?}, and not {expected:?}\n"));
            }
            pairs += 1;
        }
    }
    assert_eq!(wrong, "");
    assert_eq!(pairs, table.len() * table.len());
}
