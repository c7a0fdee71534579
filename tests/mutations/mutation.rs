//! What is mutated, and whether it still fits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

/// An expression of the oracle, and what is put in its place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutation {
    /// By which it is chosen.
    pub(crate) name: String,
    /// The file below `src/oracle`.
    pub(crate) file: String,
    /// A text that stands in the file exactly once, where the expression alone does not.
    within: Option<String>,
    /// The expression. It stands exactly once in the file, or in `within`.
    replace: String,
    /// What takes its place.
    by: String,
}

impl Mutation {
    /// Where the expression stands in the text of its file.
    fn place(&self, text: &str) -> Result<Range<usize>, String> {
        let within = match &self.within {
            Some(within) => only(text, within).map_err(|fault| format!("`within` {fault}"))?,
            None => 0..text.len(),
        };
        let inner = only(&text[within.clone()], &self.replace).map_err(|fault| format!("`replace` {fault}"))?;
        Ok(within.start + inner.start..within.start + inner.end)
    }
}

/// Where a text stands that must be there exactly once.
fn only(text: &str, wanted: &str) -> Result<Range<usize>, String> {
    let mut found = text.match_indices(wanted);
    match (found.next(), found.next()) {
        (Some((start, _)), None) => Ok(start..start + wanted.len()),
        (None, _) => Err("is not there any more".to_owned()),
        (Some(_), Some(_)) => Err("is there more than once".to_owned()),
    }
}

pub(crate) fn read(path: &Path) -> Vec<Mutation> {
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What is wrong with the mutations: that one no longer applies, that a rule has none, that two have one name.
pub(crate) fn faults(root: &Path, all: &[Mutation]) -> Vec<String> {
    let text = |file: &str| std::fs::read_to_string(root.join("src/oracle").join(file)).unwrap_or_default();
    let mut faults: Vec<String> = all
        .iter()
        .filter_map(|mutation| {
            let fault = mutation.place(&text(&mutation.file)).err()?;
            Some(format!("  {}: {fault} in {}", mutation.name, mutation.file))
        })
        .collect();
    for (number, one) in all.iter().enumerate() {
        for other in all[..number].iter().filter(|other| other.file == one.file) {
            let text = text(&one.file);
            let (Ok(left), Ok(right)) = (one.place(&text), other.place(&text)) else { continue };
            if left.start < right.end && right.start < left.end {
                faults.push(format!("  {} and {} overlap", other.name, one.name));
            }
        }
    }
    let names: BTreeSet<&str> = all.iter().map(|mutation| mutation.name.as_str()).collect();
    if names.len() < all.len() {
        faults.push("  two mutations have the same name".to_owned());
    }
    for file in files(root, "rules") {
        if file != "rules/mod.rs" && !all.iter().any(|mutation| mutation.file == file) {
            faults.push(format!("  {file} has no mutation"));
        }
    }
    faults
}

/// The files of a folder below `src/oracle`, and of those in it.
fn files(root: &Path, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join("src/oracle").join(folder)).unwrap().map(|entry| entry.unwrap());
    let inside = |entry: std::fs::DirEntry| {
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() { files(root, &name) } else { vec![name] }
    };
    entries.flat_map(inside).collect()
}

/// The text of a file with every mutation of it beside what it replaces.
pub(crate) fn mutated(text: &str, file: &str, all: &[Mutation]) -> String {
    let of_file = all.iter().filter(|mutation| mutation.file == file);
    let mut edits: Vec<(Range<usize>, String)> = of_file
        .map(|mutation| {
            let Mutation { name, replace, by, .. } = mutation;
            let both = format!("(if crate::mutated({name:?}) {{ {by} }} else {{ {replace} }})");
            (mutation.place(text).unwrap(), both)
        })
        .collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, both) in edits.into_iter().rev() {
        text.replace_range(range, &both);
    }
    text
}
