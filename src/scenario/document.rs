//! A scenario as it stands in its file, and its expansion into cases.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Scenario, ScenarioCase, Step};
use crate::contract::Clause;
use crate::document::{At, Located, Problem, pointer};

/// A scenario as it stands in its file: stimuli, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioDocument {
    /// The scenario's name, in kebab-case.
    pub scenario: String,
    /// The clause that it is mainly about.
    #[serde(default)]
    pub clause: Option<Clause>,
    /// What it does, in a line.
    pub title: String,
    /// Values by name. There is one case for every combination; `{{name}}` stands for the value in `steps` and `needs`.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Vec<String>>")]
    pub matrix: IndexMap<String, Vec<String>>,
    /// What the profile must offer beyond what the steps show: `effects`, `cleanup`, `clock`, `parameters.invalid`,
    /// `accounts.other`, `operations.other`, `hooks.restart`, `key.max_length`, ….
    #[serde(default)]
    pub needs: Vec<String>,
    /// The stimuli, in order.
    pub steps: Vec<Step>,
}

/// One combination of the matrix.
pub(super) type Cell = IndexMap<String, String>;

/// The combinations of a matrix: the last name varies fastest. A single empty one without a matrix; `None` if the
/// matrix does not have the form of one.
pub(super) fn cells(document: &Value) -> Option<Vec<Cell>> {
    let mut cells = vec![Cell::new()];
    let Some(matrix) = document.get("matrix") else { return Some(cells) };
    for (name, values) in matrix.as_object()? {
        let mut longer = Vec::new();
        for cell in &cells {
            for value in values.as_array()? {
                let mut cell = cell.clone();
                cell.insert(name.clone(), value.as_str()?.to_owned());
                longer.push(cell);
            }
        }
        cells = longer;
    }
    Some(cells)
}

/// The document with the values of a cell in place of their names. Names that the matrix does not have are left, and
/// returned with the JSON pointer of the text that they stand in.
pub(super) fn filled_in(document: &Value, cell: &Cell) -> (Value, Vec<(String, String)>) {
    let mut unknown = Vec::new();
    let mut filled = document.clone();
    for part in ["steps", "needs"] {
        if let Some(value) = filled.get_mut(part) {
            fill_in(value, &pointer("", part), cell, &mut unknown);
        }
    }
    (filled, unknown)
}

fn fill_in(value: &mut Value, at: &str, cell: &Cell, unknown: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => match substitute(text, cell) {
            Ok(filled) => *text = filled,
            Err(name) => unknown.push((at.to_owned(), name)),
        },
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                fill_in(item, &format!("{at}/{index}"), cell, unknown);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                fill_in(member, &pointer(at, name), cell, unknown);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Puts values in place of `{{name}}`. Fails with the first name that has none.
fn substitute(text: &str, cell: &Cell) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{{") {
        let (name, after) = from.split_once("}}").ok_or_else(|| from.trim().to_owned())?;
        let value = cell.get(name.trim()).ok_or_else(|| name.trim().to_owned())?;
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A problem for each name that the matrix does not have.
pub(super) fn unknown_names(located: &Located, cell: &Cell, unknown: Vec<(String, String)>) -> Vec<Problem> {
    let known: Vec<&str> = cell.keys().map(String::as_str).collect();
    unknown
        .into_iter()
        .map(|(at, name)| {
            let problem = located.problem(At::Value(&at), format!("`{name}` is not a name of the matrix"));
            let problem = match known.is_empty() {
                true => problem.hinting("the scenario has no `matrix`"),
                false => problem.expecting(format!("one of: {}", known.join(", "))),
            };
            problem.suggesting(&name, known.iter().copied())
        })
        .collect()
}

/// Puts the cases of a scenario together.
pub(super) fn scenario(cases: Vec<(Cell, ScenarioDocument)>) -> Option<Scenario> {
    let (_, first) = cases.first()?;
    let (name, clause, title) = (first.scenario.clone(), first.clause, first.title.clone());
    let cases = cases
        .into_iter()
        .map(|(values, document)| {
            let listed: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let id = if listed.is_empty() { name.clone() } else { format!("{name}[{}]", listed.join(",")) };
            ScenarioCase { id, values, needs: document.needs, steps: document.steps }
        })
        .collect();
    Some(Scenario { name, clause, title, cases })
}
