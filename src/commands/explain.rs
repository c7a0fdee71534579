//! `idemspec explain`: a requirement, a clause or a scenario in words.

use anyhow::{Result, bail};

use super::output::print;
use super::plan::stimulus;
use crate::cli::ExplainArguments;
use crate::report::{Topic, suggestions};
use crate::scenario::{self, Scenario};

pub(super) fn execute(arguments: &ExplainArguments) -> Result<u8> {
    let scenarios = scenario::load_shipped();
    let text = match Topic::find(&arguments.name) {
        Some(topic) => topic.explain(),
        None => match scenarios.iter().find(|scenario| scenario.name == arguments.name) {
            Some(scenario) => explain_scenario(scenario),
            None => {
                let names = Topic::names().into_iter().map(str::to_owned);
                let names: Vec<String> = names.chain(scenarios.into_iter().map(|scenario| scenario.name)).collect();
                bail!("{}", unknown(&arguments.name, &names));
            }
        },
    };
    print(&text)?;
    Ok(0)
}

/// Says that nothing has this name, and what may have been meant.
pub(super) fn unknown(name: &str, known: &[String]) -> String {
    let suggested = suggestions(name, known.iter().map(String::as_str));
    let guesses: Vec<String> = suggested.into_iter().map(|guess| format!("`{guess}`")).collect();
    let guess = match guesses.as_slice() {
        [] => "`idemspec list` shows what there is".to_owned(),
        some => format!("did you mean {}?", some.join(" or ")),
    };
    format!("nothing is called `{name}`\n  {guess}")
}

fn explain_scenario(scenario: &Scenario) -> String {
    let mut text = format!("{}\n  {}\n", scenario.name, scenario.title);
    if let Some(clause) = scenario.clause {
        text.push_str(&format!("  clause: {clause}\n"));
    }
    for case in &scenario.cases {
        text.push_str(&format!("\n  {}\n", case.id));
        for step in &case.steps {
            text.push_str(&format!("    - {}\n", stimulus(step)));
        }
    }
    text.push_str(
        "\nEffects are counted after every step. A scenario holds no expectation: the contract alone judges.\n",
    );
    text
}
