//! The report for a job summary or a pull request: the checklist first, everything else folded.
//!
//! What a server says stands in code blocks only, or escaped: it can neither format, nor link, nor call anybody.

use super::Judged;
use super::evidence::{headline, observed, violations};
use super::text::escape;
use crate::checklist::{ClauseLine, ClauseVerdict, ExitStatus, RequirementLine};
use crate::contract::Verdict;

/// Writes the report.
pub(super) fn render(judged: &Judged<'_>) -> String {
    [
        heading(judged),
        notices(judged),
        checklist(judged),
        requirements(judged),
        violated(judged),
        pending(judged),
        left_behind(judged),
        footer(judged),
    ]
    .concat()
}

fn heading(judged: &Judged<'_>) -> String {
    let decision = judged.checklist.decision;
    let status = decision.status();
    let mark = match status {
        ExitStatus::Sound => "✅",
        ExitStatus::Violated => "❌",
        ExitStatus::Usage | ExitStatus::Inconclusive | ExitStatus::NothingSelected => "❔",
    };
    let at = judged.run().map(|run| format!(" at {}", plain(&run.base_url))).unwrap_or_default();
    let (title, word) = (plain(judged.title()), decision.word());
    format!("## {mark} Safe to retry? {title}\n\n**{word}**: {}{at}\n\n", decision.sentence())
}

fn notices(judged: &Judged<'_>) -> String {
    judged.notices().iter().map(|notice| format!("> ⚠️ {}\n\n", plain(notice))).collect()
}

fn checklist(judged: &Judged<'_>) -> String {
    let mut table = String::from("| clause | declared | observed | verdict |\n|---|---|---|---|\n");
    for line in &judged.checklist.clauses {
        let declared = judged.promises(line.clause).unwrap_or_else(|| "nothing".to_owned());
        let (clause, observed) = (line.clause, observed(line));
        let verdict = format!("{} {}", mark(line.verdict), line.verdict);
        table.push_str(&format!("| {clause} | {} | {observed} | {verdict} |\n", plain(&declared)));
    }
    table + "\n"
}

fn mark(verdict: ClauseVerdict) -> &'static str {
    match verdict {
        ClauseVerdict::Holds => "✅",
        ClauseVerdict::Violated => "❌",
        ClauseVerdict::Inconclusive => "❔",
        ClauseVerdict::Partial => "🟡",
        ClauseVerdict::Untested | ClauseVerdict::Undeclared | ClauseVerdict::Observed => "➖",
    }
}

fn requirements(judged: &Judged<'_>) -> String {
    let clauses: String = judged.checklist.clauses.iter().map(clause).collect();
    folded("All requirements", &clauses)
}

fn clause(line: &ClauseLine<'_>) -> String {
    let mut table = format!(
        "**{}**: {}\n\n| requirement | level | verdict |\n|---|---|---|\n",
        line.clause,
        line.clause.question()
    );
    for requirement in &line.requirements {
        let level = requirement.level.map(|level| level.to_string()).unwrap_or_default();
        let (id, word) = (requirement.requirement, word(&requirement.verdict));
        table.push_str(&format!("| `{id}` | {level} | {word} {} |\n", plain(&headline(requirement))));
    }
    table + "\n"
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "✅",
        Verdict::Violated => "❌",
        Verdict::Inconclusive(_) => "❔",
        Verdict::Untested(_) | Verdict::Observed => "➖",
    }
}

fn violated(judged: &Judged<'_>) -> String {
    let broken = judged.checklist.requirements().filter(|line| line.breach.is_some());
    let blocks: String = broken.map(|line| evidence(judged, line)).collect();
    if blocks.is_empty() { String::new() } else { format!("### Violations\n\n{blocks}") }
}

fn evidence(judged: &Judged<'_>, line: &RequirementLine<'_>) -> String {
    let blocks: Vec<String> = violations(line).iter().map(|violation| violation.evidence(judged)).collect();
    let summary = format!("<code>{}</code> {}", line.requirement, plain(line.requirement.sentence()));
    folded(&summary, &fenced(&blocks.join("\n")))
}

fn pending(judged: &Judged<'_>) -> String {
    let waits: String = judged
        .pending()
        .map(|waiting| format!("- `{}` waits until {}\n", waiting.subject(), plain(waiting.due)))
        .collect();
    if waits.is_empty() {
        return waits;
    }
    format!("### Waiting\n\n{waits}\nGo on then with:\n\n{}", fenced(&judged.resume_command()))
}

fn left_behind(judged: &Judged<'_>) -> String {
    let left = judged.leftovers();
    let rows: Vec<String> =
        left.iter().map(|one| format!("{} ({})\n", escape(one.identity), escape(one.operation))).collect();
    match rows.len() {
        0 => String::new(),
        number => folded(&format!("Left behind in the target: {number}"), &fenced(&rows.concat())),
    }
}

fn footer(judged: &Judged<'_>) -> String {
    let Some(run) = judged.run() else { return String::new() };
    let seed = judged.seed().map(|seed| format!(", seed {seed}")).unwrap_or_default();
    let (program, name, started) = (plain(&run.program), plain(&run.run), plain(&run.started));
    format!("<sub>idemspec {program}, run {name}, started {started}{seed}</sub>\n")
}

/// A part that is shown on demand. The blank lines have what is inside read as Markdown.
fn folded(summary: &str, inside: &str) -> String {
    format!("<details><summary>{summary}</summary>\n\n{inside}\n</details>\n\n")
}

/// A block of code, behind a fence that no line of it can close.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Text that says what it says: no mark-up, no link, no cell of a table, no name that is called.
fn plain(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in escape(text).chars() {
        match character {
            '&' => harmless.push_str("&amp;"),
            '<' => harmless.push_str("&lt;"),
            '>' => harmless.push_str("&gt;"),
            '@' => harmless.push_str("&#64;"),
            '|' => harmless.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => harmless.extend(['\\', character]),
            _ => harmless.push(character),
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_marks_nothing_up() {
        assert_eq!(plain("a|b\n<img> @me [x](y) `c`"), r"a&#124;b\\n&lt;img&gt; &#64;me \[x\](y) \`c\`");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("```\nx"), "````text\n```\nx\n````\n");
        assert_eq!(fenced("x\n"), "```text\nx\n```\n");
    }
}
