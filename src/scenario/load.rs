//! The scenarios that come with the program, and the user's own.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::document::{ScenarioDocument, cells, filled_in, scenario, unknown_names};
use super::{Advance, KeyChoice, Moment, Percent, Scenario, Wait, check};
use crate::contract::Period;
use crate::document::{self, At, Form, Format, Located, Problem, Problems};
use crate::history::Loss;

/// The scenarios that come with the program, by name. The control runs first.
const SHIPPED: &[(&str, &str)] = &[
    ("control", include_str!("../../scenarios/control.yaml")),
    ("lost-response", include_str!("../../scenarios/lost-response.yaml")),
    ("lost-in-execution", include_str!("../../scenarios/lost-in-execution.yaml")),
    ("mistaken-retry", include_str!("../../scenarios/mistaken-retry.yaml")),
    ("key-reuse", include_str!("../../scenarios/key-reuse.yaml")),
    ("field-sweep", include_str!("../../scenarios/field-sweep.yaml")),
    ("other-spelling", include_str!("../../scenarios/other-spelling.yaml")),
    ("other-resource", include_str!("../../scenarios/other-resource.yaml")),
    ("in-flight", include_str!("../../scenarios/in-flight.yaml")),
    ("in-flight-inside", include_str!("../../scenarios/in-flight-inside.yaml")),
    ("lease-walk", include_str!("../../scenarios/lease-walk.yaml")),
    ("back-to-back", include_str!("../../scenarios/back-to-back.yaml")),
    ("validation-failure", include_str!("../../scenarios/validation-failure.yaml")),
    ("replay-of-failures", include_str!("../../scenarios/replay-of-failures.yaml")),
    ("status-table", include_str!("../../scenarios/status-table.yaml")),
    ("turned-away", include_str!("../../scenarios/turned-away.yaml")),
    ("after-change", include_str!("../../scenarios/after-change.yaml")),
    ("last-token", include_str!("../../scenarios/last-token.yaml")),
    ("pressure", include_str!("../../scenarios/pressure.yaml")),
    ("retention-expiry", include_str!("../../scenarios/retention-expiry.yaml")),
    ("retention-least", include_str!("../../scenarios/retention-least.yaml")),
    ("retention-edges", include_str!("../../scenarios/retention-edges.yaml")),
    ("retention-resource-end", include_str!("../../scenarios/retention-resource-end.yaml")),
    ("retention-resource-end-wait", include_str!("../../scenarios/retention-resource-end-wait.yaml")),
    ("retention-expired-keys", include_str!("../../scenarios/retention-expired-keys.yaml")),
    ("retention-wait", include_str!("../../scenarios/retention-wait.yaml")),
    ("key-format", include_str!("../../scenarios/key-format.yaml")),
    ("first-sent", include_str!("../../scenarios/first-sent.yaml")),
    ("longest-key", include_str!("../../scenarios/longest-key.yaml")),
    ("long-keys", include_str!("../../scenarios/long-keys.yaml")),
    ("key-distinct", include_str!("../../scenarios/key-distinct.yaml")),
    ("other-operation", include_str!("../../scenarios/other-operation.yaml")),
    ("other-account", include_str!("../../scenarios/other-account.yaml")),
    ("other-account-first", include_str!("../../scenarios/other-account-first.yaml")),
    ("read-with-key", include_str!("../../scenarios/read-with-key.yaml")),
    ("other-method", include_str!("../../scenarios/other-method.yaml")),
    ("fan-out", include_str!("../../scenarios/fan-out.yaml")),
    ("replicas", include_str!("../../scenarios/replicas.yaml")),
    ("store-outage", include_str!("../../scenarios/store-outage.yaml")),
    ("restart", include_str!("../../scenarios/restart.yaml")),
    ("restart-inside", include_str!("../../scenarios/restart-inside.yaml")),
];

/// The kinds of text that a scenario's schema names.
const FORMATS: &[Format] = &[
    ("period", |text| text.parse::<Period>().map(|_| ())),
    ("loss", |text| text.parse::<Loss>().map(|_| ())),
    ("part", |text| text.parse::<Percent>().map(|_| ())),
    ("moment", |text| text.parse::<Moment>().map(|_| ())),
    ("wait", reads_as::<Wait>),
    ("key", |text| text.parse::<KeyChoice>().map(|_| ())),
    ("advance", |text| text.parse::<Advance>().map(|_| ())),
];

fn reads_as<T: serde::de::DeserializeOwned>(text: &str) -> Result<(), String> {
    serde_json::from_value::<T>(text.into()).map(|_| ()).map_err(|error| error.to_string())
}

/// The scenarios that come with the program: name and text.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}

/// Loads the scenarios that come with the program. Tests hold that every one of them loads.
pub fn load_shipped() -> Vec<Scenario> {
    SHIPPED.iter().filter_map(|(name, text)| trusted(name, text)).collect()
}

fn trusted(name: &str, text: &str) -> Option<Scenario> {
    let value = document::trusted(name, text).ok()?;
    let cases = cells(&value)?.into_iter().map(|cell| {
        let (filled, _) = filled_in(&value, &cell);
        Some((cell, document::trusted_as::<ScenarioDocument>(name, &filled).ok()?))
    });
    scenario(cases.collect::<Option<_>>()?)
}

/// Loads every scenario of a folder (`*.yaml`, `*.yml`), in the order of the files' names.
///
/// # Errors
/// Everything that is wrong with any of the files; also a scenario whose name is taken.
pub fn load_directory(folder: &Path) -> Result<Vec<Scenario>, Problems> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut problems = Problems::default();
    for path in files(folder)? {
        match load_file(&path, &scenarios) {
            Ok(scenario) => scenarios.push(scenario),
            Err(more) => problems = problems.and(more),
        }
    }
    if problems.is_empty() { Ok(scenarios) } else { Err(problems) }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Problems> {
    let unreadable = |error: std::io::Error| {
        Problems::from(Problem::of_file(&folder.display().to_string(), format!("cannot be read: {error}")))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let problem = Problem::of_file(&folder.display().to_string(), "holds no scenario (*.yaml or *.yml)");
        return Err(problem.into());
    }
    Ok(files)
}

fn load_file(path: &Path, earlier: &[Scenario]) -> Result<Scenario, Problems> {
    let file = path.display().to_string();
    let text = document::read_file(path)?;
    let (scenario, located) = located(&file, &text)?;
    let taken = |why: &str| {
        let message = format!("scenario `{}` {why}", scenario.name);
        Problems::from(located.problem(At::Value("/scenario"), message).hinting("give it a name of its own"))
    };
    if SHIPPED.iter().any(|(name, _)| *name == scenario.name) {
        return Err(taken("comes with the program already"));
    }
    if earlier.iter().any(|known| known.name == scenario.name) {
        return Err(taken("is in another file of the folder already"));
    }
    Ok(scenario)
}

/// Reads a scenario from a text, as if it stood in a file of this name.
///
/// # Errors
/// Everything that is wrong with it, in any of its cases.
pub fn parse(file: &str, text: &str) -> Result<Scenario, Problems> {
    located(file, text).map(|(scenario, _)| scenario)
}

fn form() -> &'static Form<ScenarioDocument> {
    static FORM: OnceLock<Form<ScenarioDocument>> = OnceLock::new();
    FORM.get_or_init(|| Form::new(FORMATS))
}

fn located(file: &str, text: &str) -> Result<(Scenario, Located), Problems> {
    let located = Located::parse(file, text)?;
    let Some(cells) = cells(located.value()) else {
        let malformed = || Problems::from(located.problem(At::Key("/matrix"), "`matrix` takes lists of texts by name"));
        return Err(Form::<ScenarioDocument>::new(&[]).read(&located).err().unwrap_or_else(malformed));
    };
    if cells.is_empty() {
        return Err(located.problem(At::Key("/matrix"), "the matrix has an empty list, so there is no case").into());
    }
    let mut cases = Vec::new();
    let mut problems = Problems::default();
    for cell in cells {
        let (filled, unknown) = filled_in(located.value(), &cell);
        let unknown = unknown_names(&located, &cell, unknown);
        let is_new = |problem: &&Problem| !unknown.iter().any(|known| known.spot == problem.spot);
        let filled = located.clone().with_value(filled);
        match form().read(&filled) {
            Ok(document) => {
                problems = problems.and(Problems::new(check::problems(&filled, &document)));
                cases.push((cell, document));
            }
            Err(more) => problems = problems.and(Problems::new(more.iter().filter(is_new).cloned().collect())),
        }
        problems = problems.and(Problems::new(unknown));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let nothing = || Problems::from(Problem::of_file(file, "the scenario has no case"));
    Ok((scenario(cases).ok_or_else(nothing)?, located))
}
