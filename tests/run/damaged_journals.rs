//! Journals that no run wrote: cut off, shuffled, with lines and values that contradict each other. Whatever is read of
//! one can be judged, and what cannot be read is named with its line. Nothing panics.

use std::fs;
use std::path::Path;

use idemspec::checklist::{Bar, Checklist};
use idemspec::contract::Contract;
use idemspec::journal::{self, JournalError};
use idemspec::oracle::{self, Instrument};
use idemspec::profile;

use crate::support::run;

/// How many journals are damaged.
const JOURNALS: u64 = 1_000;

/// Numbers, the same in every run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit.max(1) as u64).unwrap()
    }
}

/// Does one harmful thing to a journal. The first line stays where it is, or there would be nothing to judge.
fn damage(text: &mut String, noise: &mut Noise) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let last = lines.len() - 1;
    let (one, other) = (1 + noise.below(last), 1 + noise.below(last));
    match noise.below(8) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(one, lines[other].clone()),
        2 => lines.swap(one, other),
        3 => lines[1..].reverse(),
        4 => lines.truncate(one + 1),
        5 => lines[one] = with_another_number(&lines[one], noise),
        6 => lines[one] = with_anothers_value(&lines[one], &lines[other], noise),
        _ => {
            let cut = noise.below(lines[one].len());
            let cut = (0..=cut).rev().find(|cut| lines[one].is_char_boundary(*cut)).unwrap();
            lines[one].truncate(cut);
            // A torn line in the middle is damage; at the end it is what a killed run leaves behind.
            lines.truncate(if noise.below(4) > 0 { one + 1 } else { lines.len() });
            *text = lines.join("\n");
            return;
        }
    }
    *text = lines.join("\n") + "\n";
}

/// Puts another number where one stands.
fn with_another_number(line: &str, noise: &mut Noise) -> String {
    let starts: Vec<usize> = line
        .char_indices()
        .filter(|(at, one)| one.is_ascii_digit() && !line[..*at].ends_with(|before: char| before.is_ascii_digit()))
        .map(|(at, _)| at)
        .collect();
    let Some(start) = starts.get(noise.below(starts.len())) else { return line.to_owned() };
    let rest = line[*start..].trim_start_matches(|one: char| one.is_ascii_digit());
    let number = ["0", "1", "2", "7", "999", "4294967295", "18446744073709551615"][noise.below(7)];
    format!("{}{number}{rest}", &line[..*start])
}

/// Puts a value of another line where one of the same name stands.
fn with_anothers_value(line: &str, other: &str, noise: &mut Noise) -> String {
    let (Ok(mut one), Ok(other)) =
        (serde_json::from_str::<serde_json::Value>(line), serde_json::from_str::<serde_json::Value>(other))
    else {
        return line.to_owned();
    };
    let names: Vec<String> = one.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect();
    let Some(name) = names.get(noise.below(names.len())) else { return line.to_owned() };
    if let Some(value) = other.get(name) {
        one[name.as_str()] = value.clone();
    }
    one.to_string()
}

/// The same lines with numbers as if none of them were missing.
fn numbered(text: &str) -> String {
    let line = |(index, line): (usize, &str)| {
        let Ok(mut content) = serde_json::from_str::<serde_json::Value>(line) else { return format!("{line}\n") };
        if let Some(number) = content.get_mut("line") {
            *number = (index + 1).into();
        }
        format!("{content}\n")
    };
    text.lines().enumerate().map(line).collect()
}

/// Reads a journal, and judges it if that goes. Says whether it did.
fn judged(contract: &Contract, path: &Path) -> bool {
    let recording = match journal::read(path) {
        Ok(recording) => recording,
        Err(JournalError::Damaged { line, problem, .. }) => {
            assert!(line > 0 && !problem.is_empty());
            return false;
        }
        Err(JournalError::OtherVersion { .. } | JournalError::NoBeginning { .. }) => return false,
        Err(
            error @ (JournalError::Unreadable { .. } | JournalError::Unwritable { .. } | JournalError::InUse { .. }),
        ) => panic!("{error}"),
    };
    let findings = oracle::judge(contract, &recording.history);
    let instrument = match oracle::examine(&recording.history) {
        Instrument::Sound => None,
        Instrument::Failed(sentence) => Some(sentence),
    };
    let unreached = Default::default();
    Checklist::new(contract, &recording.history, &findings, &unreached, instrument.as_deref(), Bar::default());
    true
}

#[test]
fn damaged_journals_are_judged_or_refused() {
    let run = run(&["--only", "key-reuse[reuse=changed],lost-response[lose=request],in-flight-inside"]);
    run.assert_code(0);
    let whole = fs::read_to_string(&run.journal).unwrap();
    let contract = profile::load("reference").unwrap().profile.contract;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.jsonl");
    let mut read = 0;
    for seed in 0..JOURNALS {
        let (mut noise, mut text) = (Noise(seed), whole.clone());
        for _ in 0..=noise.below(5) {
            damage(&mut text, &mut noise);
            if text.lines().count() < 3 {
                break;
            }
        }
        // The reader tells by its numbers that a line is missing; half of the time the oracle is to see what is left.
        let text = if noise.below(2) == 0 { numbered(&text) } else { text };
        fs::write(&path, text).unwrap();
        read += u64::from(judged(&contract, &path));
    }
    // Damage that is all refused would show nothing about the oracle, and damage that is all read nothing about the reader.
    assert!(read > JOURNALS / 4 && read < JOURNALS, "{read} of {JOURNALS} could be read");
}
