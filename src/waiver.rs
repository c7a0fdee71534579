//! Waivers: known deviations, written down with a reason and a last day.
//!
//! A waiver changes no verdict. What is violated stays violated in every report, marked with the waiver; only the exit
//! status forgives it, and only until its day has passed.

mod day;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use day::Day;

use crate::contract::Requirement;
use crate::document::{self, At, Form, Format, Located, Problems};

/// The name of the file that is looked for where none is named.
pub const FILE: &str = "idemspec.waivers.yaml";

/// The kinds of text that the file's schema names.
const FORMATS: &[Format] = &[("date", |text| text.parse::<Day>().map(|_| ()))];

/// A file of known deviations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waivers {
    /// The known deviations.
    pub waivers: Vec<Waiver>,
}

/// A known deviation: a requirement whose violation is forgiven until a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// The requirement, by its id, for example `replay.fidelity`.
    #[schemars(schema_with = "requirement_ids")]
    pub requirement: Requirement,
    /// The only profile for which it is forgiven, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The only operation for which it is forgiven: a name under `operations`, or `default` for the profile's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The only scenario, or the only case of one, in which it is forgiven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Why it is forgiven.
    #[schemars(length(min = 1))]
    pub reason: String,
    /// The last day on which it is forgiven, in UTC, for example `2027-03-31`.
    #[schemars(with = "String", extend("format" = "date"))]
    pub until: Day,
    /// Where its repair is followed up, for example the address of an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Where it stands, as `file:line`.
    #[serde(skip)]
    pub place: String,
}

/// What was probed, as waivers can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed<'p> {
    /// The profile, by its name.
    pub profile: &'p str,
    /// The operation, by its name.
    pub operation: &'p str,
}

impl Waiver {
    /// Whether it is about what was probed at all.
    pub fn is_about(&self, probed: Probed<'_>) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        fits(&self.profile, probed.profile) && fits(&self.operation, probed.operation)
    }

    /// Whether it is about a requirement as a case exercised it.
    pub fn covers(&self, requirement: Requirement, scenario: &str, case: &str) -> bool {
        let is_named = |named: &str| named == scenario || named == case;
        self.requirement == requirement && self.scenario.as_deref().is_none_or(is_named)
    }

    /// Whether its last day has passed.
    pub fn is_expired(&self, today: &Day) -> bool {
        self.until < *today
    }
}

impl Waivers {
    /// Reads a text, as if it stood in a file of this name.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let located = Located::parse(file, text)?;
        let mut read: Self = Form::new(FORMATS).read(&located)?;
        for (index, waiver) in read.waivers.iter_mut().enumerate() {
            let found = located.problem(At::Value(&format!("/waivers/{index}")), "");
            waiver.place = match found.spot {
                Some(spot) => format!("{file}:{}", spot.line),
                None => file.to_owned(),
            };
        }
        Ok(read)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not as it should be.
    pub fn read(path: &Path) -> Result<Self, Problems> {
        Self::parse(&path.display().to_string(), &document::read_file(path)?)
    }
}

/// The file of known deviations in a folder, or in the nearest one around it that has one.
pub fn find(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}

/// The schema of a requirement: one of all ids.
fn requirement_ids(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let ids: Vec<&str> = Requirement::ALL.iter().map(|requirement| requirement.id()).collect();
    schemars::json_schema!({"type": "string", "enum": ids})
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "waivers:\n  - requirement: replay.fidelity\n    operation: refunds\n    reason: the gateway drops \
                         Location\n    until: 2027-03-31\n  - requirement: key.fresh\n    scenario: key-reuse\n    reason: \
                         old\n    until: 2020-01-01\n    issue: https://tracker.example/7\n";

    fn said(from: &str, to: &str) -> String {
        assert!(SOUND.contains(from), "{from}");
        Waivers::parse("w.yaml", &SOUND.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn a_waiver_knows_where_it_stands_and_what_it_is_about() {
        let waivers = Waivers::parse("w.yaml", SOUND).unwrap().waivers;
        assert_eq!(waivers.iter().map(|waiver| waiver.place.as_str()).collect::<Vec<_>>(), ["w.yaml:2", "w.yaml:6"]);
        let probed = |operation| Probed { profile: "mine", operation };
        assert!(waivers[0].is_about(probed("refunds")) && !waivers[0].is_about(probed("default")));
        assert!(waivers[1].is_about(probed("default")));
        let fresh = Requirement::KeyFresh;
        assert!(waivers[1].covers(fresh, "key-reuse", "key-reuse[a=b]"));
        assert!(!waivers[1].covers(fresh, "fan-out", "fan-out"));
        assert!(!waivers[1].covers(Requirement::KeyDistinct, "key-reuse", "key-reuse"));
        let day = |written: &str| written.parse::<Day>().unwrap();
        assert!(!waivers[0].is_expired(&day("2027-03-31")) && waivers[0].is_expired(&day("2027-04-01")));
    }

    #[test]
    fn a_mistake_is_told_where_it_stands() {
        for (from, to, place, says) in [
            ("replay.fidelity", "replay.fidelty", "w.yaml:2:18", "did you mean `replay.fidelity`?"),
            ("replay.fidelity", "replay", "w.yaml:2:18", "replay"),
            ("    until: 2027-03-31\n", "", "w.yaml:2:", "missing key `until`"),
            ("2027-03-31", "next week", "w.yaml:5:12", "a day is written like `2027-03-31`"),
            ("2027-03-31", "2027-02-30", "w.yaml:5:12", "a day is written like `2027-03-31`"),
            ("operation:", "operaton:", "w.yaml:3:5", "did you mean `operation`?"),
            ("waivers:", "waiver:", "w.yaml:1:1", "did you mean `waivers`?"),
        ] {
            let said = said(from, to);
            assert!(said.starts_with(place) && said.contains(says), "{from} → {to}: {said}");
        }
    }

    #[test]
    fn the_nearest_file_around_a_folder_counts() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let write = |folder: &Path| std::fs::write(folder.join(FILE), SOUND).unwrap();
        write(outer.path());
        assert_eq!(find(&inner), Some(outer.path().join(FILE)));
        write(&inner);
        assert_eq!(find(&inner), Some(inner.join(FILE)));
    }
}
