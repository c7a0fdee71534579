//! Two contracts side by side, as Markdown: for a pull request, or for a page about a migration.

use super::{of_clause, outcome, sentences, sign, subject};
use crate::comparison::{Comparison, Line, Stated};
use crate::contract::Clause;
use crate::report::text::escape;

/// Renders a comparison as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let (known, met) = (&comparison.known, &comparison.met);
    let mut text = format!(
        "# A client built for {} that talks to {}\n\n{} → {}\n\n{}\n",
        plain(&known.profile),
        plain(&met.profile),
        plain(&known.title),
        plain(&met.title),
        plain(&outcome(comparison))
    );
    for clause in Clause::ALL {
        text.push_str(&section(comparison, clause));
    }
    text
}

fn section(comparison: &Comparison, clause: Clause) -> String {
    let (said, silent) = of_clause(comparison, clause);
    let mut text = format!("\n## {}\n\n{}\n", clause.id(), clause.question());
    if !said.is_empty() {
        let (known, met) = (plain(&comparison.known.profile), plain(&comparison.met.profile));
        text.push_str(&format!("\n| | | {known} | {met} | what breaks |\n|---|---|---|---|---|\n"));
        text.extend(said.into_iter().map(row));
    }
    if !silent.is_empty() {
        let silent: Vec<String> = silent.into_iter().map(|item| format!("`{item}`")).collect();
        text.push_str(&format!("\nNeither says: {}.\n", silent.join(", ")));
    }
    text
}

fn row(line: &Line) -> String {
    let (item, parts) = subject(line);
    let parts: String = parts.iter().map(|part| format!("<br>{}", plain(part))).collect();
    let said =
        |stated: Option<&Stated>| stated.map_or_else(|| "*does not say*".into(), |stated| plain(&stated.shown()));
    let sentences: Vec<String> = sentences(line).iter().map(|sentence| plain(sentence)).collect();
    let (known, met) = (said(line.known.as_ref()), said(line.met.as_ref()));
    format!("| {} | `{item}`{parts} | {known} | {met} | {} |\n", sign(line), sentences.join("<br>"))
}

/// Text that Markdown shows as it is.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in escape(text).chars() {
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' | '!' => shown.extend(['\\', character]),
            _ => shown.push(character),
        }
    }
    shown
}
