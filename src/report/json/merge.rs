//! Joining the reports of shards: by the rules of a single run, from all that was found.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::parts::Parts;
use super::{Report, RunReport, VERSION};
use crate::checklist::Bar;
use crate::report::MatrixRow;
use crate::waiver::{Day, Waivers};

/// A report, and how the user names its file.
pub type Named = (String, Report);

/// What several reports come to together.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The report of the whole.
    pub report: Report,
    /// The same, a line for each operation.
    pub rows: Vec<MatrixRow>,
}

/// Why reports cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Two of them are of different profiles that have one name.
    #[error("{probed}: its profile is another one in {second} than in {first}, so what they show is not of one contract")]
    Profile {
        /// What was probed.
        probed: String,
        /// A file.
        first: String,
        /// Another file.
        second: String,
    },
    /// Two of them are of different versions of the program.
    #[error("{probed}: {first} and {second} were run by different versions of idemspec; run all shards by one")]
    Program {
        /// What was probed.
        probed: String,
        /// A file, with the version.
        first: String,
        /// Another file, with the version.
        second: String,
    },
    /// Two of them were run with different seeds, so that they are no parts of one run.
    #[error("{probed}: {first} and {second} have different seeds, so they are no parts of one run; give all shards the same --seed")]
    Seed {
        /// What was probed.
        probed: String,
        /// A file.
        first: String,
        /// Another file.
        second: String,
    },
    /// Two of them are the same part.
    #[error("{probed}: {first} and {second} are the same part of it")]
    Twice {
        /// What was probed.
        probed: String,
        /// A file.
        first: String,
        /// Another file.
        second: String,
    },
    /// They are parts of different divisions: of three shards, and of four.
    #[error("{probed}: {first} and {second} belong to runs with different numbers of shards")]
    Divisions {
        /// What was probed.
        probed: String,
        /// A file, with its part.
        first: String,
        /// Another file, with its part.
        second: String,
    },
    /// A part is missing, so what they show together is not the whole.
    #[error("{probed}: of its {of} parts these are missing: {missing}")]
    Missing {
        /// What was probed, or the run as a whole.
        probed: String,
        /// How many parts there are.
        of: usize,
        /// Those that are missing.
        missing: String,
    },
    /// A requirement is not known to this version.
    #[error("{file}: `{id}` is no requirement that this version knows")]
    Requirement {
        /// The file.
        file: String,
        /// The id.
        id: String,
    },
}

/// Joins reports. All of one operation must be of one profile, one version of the program and one seed, and every shard
/// must be there.
///
/// # Errors
/// When they are no parts of one run, or a part is missing.
pub fn merge(reports: &[Named], bar: Bar, waivers: &Waivers, today: &Day) -> Result<Merged, MergeError> {
    let mut probed: IndexMap<String, Vec<(&str, &RunReport)>> = IndexMap::new();
    for (file, report) in reports {
        for run in &report.runs {
            probed.entry(run.name()).or_default().push((file.as_str(), run));
        }
    }
    check_shards(reports)?;
    let (mut runs, mut rows) = (Vec::new(), Vec::new());
    for (name, parts) in &probed {
        check(name, parts)?;
        let Some(parts) = Parts::of(parts)? else { continue };
        let checklist = parts.checklist(bar, waivers, today);
        runs.push(parts.report(&checklist, bar));
        rows.push(MatrixRow::of(name.clone(), &checklist));
    }
    let report = Report { version: VERSION, program: env!("CARGO_PKG_VERSION").to_owned(), runs };
    Ok(Merged { report, rows })
}

/// Whether all shards of the run are there. Each has something to do, so each has a report.
fn check_shards(reports: &[Named]) -> Result<(), MergeError> {
    let runs = reports.iter().flat_map(|(_, report)| &report.runs);
    let shards: Vec<(usize, usize)> = runs.filter_map(|run| numbers(run.shard.as_deref()?)).collect();
    complete("the run", &shards)
}

/// Whether reports of one operation are parts of one run, and all of them.
fn check(probed: &str, parts: &[(&str, &RunReport)]) -> Result<(), MergeError> {
    let Some(((first, one), rest)) = parts.split_first() else { return Ok(()) };
    let (probed, first) = (probed.to_owned(), (*first).to_owned());
    for (second, other) in rest {
        let second = (*second).to_owned();
        if one.digest != other.digest {
            return Err(MergeError::Profile { probed, first, second });
        }
        if one.program != other.program {
            let (first, second) = (format!("{first} ({})", one.program), format!("{second} ({})", other.program));
            return Err(MergeError::Program { probed, first, second });
        }
        if one.seed != other.seed {
            return Err(MergeError::Seed { probed, first, second });
        }
    }
    check_parts(&probed, parts)
}

fn check_parts(probed: &str, parts: &[(&str, &RunReport)]) -> Result<(), MergeError> {
    let mut known: Vec<(&str, &str, (usize, usize))> = Vec::new();
    for (file, run) in parts {
        let Some((part, numbers)) = run.part.as_deref().and_then(|part| Some((part, numbers(part)?))) else { continue };
        let (probed, second) = (probed.to_owned(), (*file).to_owned());
        if let Some((first, _, _)) = known.iter().find(|(_, _, other)| *other == numbers) {
            return Err(MergeError::Twice { probed, first: (*first).to_owned(), second });
        }
        if let Some((first, other, _)) = known.iter().find(|(_, _, other)| other.1 != numbers.1) {
            let (first, second) = (format!("{first} ({other})"), format!("{second} ({part})"));
            return Err(MergeError::Divisions { probed, first, second });
        }
        known.push((file, part, numbers));
    }
    complete(probed, &known.iter().map(|(_, _, numbers)| *numbers).collect::<Vec<_>>())
}

fn complete(probed: &str, shards: &[(usize, usize)]) -> Result<(), MergeError> {
    let Some((_, of)) = shards.first().copied() else { return Ok(()) };
    let there: BTreeSet<usize> = shards.iter().map(|(number, _)| *number).collect();
    let missing: Vec<String> =
        (1..=of).filter(|number| !there.contains(number)).map(|number| format!("{number}/{of}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(MergeError::Missing { probed: probed.to_owned(), of, missing: missing.join(", ") })
}

/// The numbers of `2/4`.
fn numbers(shard: &str) -> Option<(usize, usize)> {
    let (number, of) = shard.split_once('/')?;
    number.parse().ok().zip(of.parse().ok())
}
