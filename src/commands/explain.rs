//! `idemspec explain`: a requirement, a clause or a scenario in words.

use anyhow::{Result, bail};

use super::output::print;
use super::plan::stimulus;
use crate::cli::ExplainArguments;
use crate::lint::{Question, Rule};
use crate::reference::Defect;
use crate::report::{Topic, suggestions};
use crate::scenario::{self, Scenario};

pub(super) fn execute(arguments: &ExplainArguments) -> Result<u8> {
    let name = arguments.name.as_str();
    let scenarios = scenario::load_shipped();
    let found = Topic::find(name)
        .map(Topic::explain)
        .or_else(|| scenarios.iter().find(|scenario| scenario.name == name).map(explain_scenario))
        .or_else(|| Rule::from_id(name).map(explain_rule))
        .or_else(|| Question::all().find(|question| question.id == name).map(explain_question))
        .or_else(|| Defect::ALL.iter().find(|defect| defect.id() == name).map(explain_defect));
    let Some(text) = found else {
        let topics = Topic::names().into_iter().map(str::to_owned);
        let defects = Defect::ALL.iter().map(|defect| defect.id().to_owned());
        let scenarios = scenarios.into_iter().map(|scenario| scenario.name);
        let rules = Rule::all().map(|rule| rule.id.to_owned());
        bail!("{}", unknown(name, &topics.chain(scenarios).chain(defects).chain(rules).collect::<Vec<_>>()));
    };
    print(&text)?;
    Ok(0)
}

fn explain_defect(defect: &Defect) -> String {
    let violates = match defect.expected() {
        [] => "nothing that a scenario looks at: not yet caught".to_owned(),
        expected => expected.iter().map(|requirement| requirement.id()).collect::<Vec<_>>().join(", "),
    };
    let under = defect.shown_under().map(|profile| format!("{profile} ")).unwrap_or_default();
    format!(
        "{}\n  {} (failure class {}: {})\n\n  {}\n\n  violates  {violates}\n  try it    idemspec run {under}--defect {defect}\n",
        defect.id(),
        defect.title(),
        defect.class().code(),
        defect.class().title(),
        defect.explanation(),
    )
}

fn explain_rule(rule: &Rule) -> String {
    let severity = rule.severity.word();
    format!("{} ({severity}, found by `idemspec lint`)\n  {}\n\n  {}\n", rule.id, rule.finds, rule.matters)
}

fn explain_question(question: &Question) -> String {
    let essential = match question.essential {
        true => "no client can do without the answer",
        false => "good to know",
    };
    format!(
        "{} (clause {}, asked by `idemspec lint`)\n  {}\n  {essential}\n",
        question.id, question.clause, question.about
    )
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
