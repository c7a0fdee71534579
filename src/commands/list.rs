//! `idemspec list`: what there is.

use anyhow::Result;

use super::output::print;
use crate::cli::{ListArguments, Listed};
use crate::contract::Requirement;
use crate::lint::Rule;
use crate::reference::{Defect, FailureClass};
use crate::{profile, scenario};

pub(super) fn execute(arguments: &ListArguments) -> Result<u8> {
    let what = if arguments.defects { Some(Listed::Defects) } else { arguments.what };
    let all = [Listed::Profiles, Listed::Scenarios, Listed::Requirements, Listed::Defects, Listed::Lints];
    let sections: Vec<Listed> = what.map_or_else(|| all.to_vec(), |one| vec![one]);
    let mut text = Vec::new();
    for section in &sections {
        let (title, content) = match section {
            Listed::Profiles => ("Profiles", table(&profiles())),
            Listed::Scenarios => ("Scenarios", table(&scenarios())),
            Listed::Requirements => ("Requirements", table(&requirements())),
            Listed::Defects => ("Defects of the reference API, by class of failure", defects()),
            Listed::Lints => ("What `lint` finds", table(&lints())),
        };
        text.push(format!("{title}\n{content}"));
    }
    print(&text.join("\n"))?;
    Ok(0)
}

/// A name, and what it is.
type Row = (String, Vec<String>);

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, lines) in rows {
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            text.push_str(&format!("  {name:width$}  {line}\n"));
        }
    }
    text
}

fn profiles() -> Vec<Row> {
    profile::shipped_titles().map(|(name, title)| (name.to_owned(), vec![title])).collect()
}

fn scenarios() -> Vec<Row> {
    let row = |scenario: scenario::Scenario| {
        let cases = match scenario.cases.len() {
            1 => String::new(),
            many => format!(" ({many} cases)"),
        };
        (scenario.name, vec![format!("{}{cases}", scenario.title)])
    };
    scenario::load_shipped().into_iter().map(row).collect()
}

fn requirements() -> Vec<Row> {
    let row = |requirement: &Requirement| (requirement.id().to_owned(), vec![requirement.sentence().to_owned()]);
    Requirement::ALL.iter().map(row).collect()
}

fn defects() -> String {
    let row = |defect: &Defect| {
        let violates = match defect.expected() {
            [] => "not yet caught by any scenario".to_owned(),
            expected => {
                let ids: Vec<&str> = expected.iter().map(|requirement| requirement.id()).collect();
                format!("violates {}{}", ids.join(", "), under(*defect))
            }
        };
        (defect.to_string(), vec![defect.title().to_owned(), violates])
    };
    let group = |class: FailureClass| {
        let of_class = Defect::ALL.iter().filter(|defect| defect.class() == class);
        let rows: Vec<Row> = of_class.map(row).collect();
        format!("  {} {}\n{}", class.code(), class.title(), table(&rows))
    };
    let of_clients = |class: FailureClass| {
        format!("  {} {}\n  only a client can show this: no server is broken like that\n", class.code(), class.title())
    };
    FailureClass::of_servers()
        .map(group)
        .chain(FailureClass::of_clients().map(of_clients))
        .collect::<Vec<_>>()
        .join("\n")
}

fn lints() -> Vec<Row> {
    Rule::all().map(|rule| (rule.id.to_owned(), vec![rule.finds.to_owned()])).collect()
}

/// Where a defect is shown, if that is not under the usual contract.
fn under(defect: Defect) -> String {
    defect.shown_under().map(|profile| format!(", under the profile {profile}")).unwrap_or_default()
}
