//! Two reports side by side: what got better, what got worse, what is new and what is gone.

use indexmap::IndexMap;

use super::{Report, RequirementReport, RunReport, Word};
use crate::contract::Level;
use crate::report::TerminalOptions;
use crate::report::text::{Paint, Tone, escape, plural};

/// What became of a requirement between two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Less is known to hold, or more is known to be broken.
    Worse,
    /// More is known to hold, or less is known to be broken.
    Better,
    /// Something else is known, and neither is worse.
    Other,
}

/// A requirement of which the two reports say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What was probed: `orders`, `orders.refunds`.
    pub probed: String,
    /// The requirement.
    pub requirement: String,
    /// What was known.
    pub before: String,
    /// What is known.
    pub after: String,
    /// What that means.
    pub change: Change,
}

/// Two reports side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Where they differ: what got worse first.
    pub differences: Vec<Difference>,
    /// What only the newer report is about.
    pub new: Vec<String>,
    /// What only the older report is about.
    pub gone: Vec<String>,
    /// How many requirements they say the same of.
    pub same: usize,
}

impl Comparison {
    /// Compares two reports. What one of them is not about is untested there: so a new operation that is broken is worse,
    /// and so is one that held and is gone.
    pub fn of(older: &Report, newer: &Report) -> Self {
        let (before, after) = (by_name(older), by_name(newer));
        let only = |these: &Runs<'_>, those: &Runs<'_>| -> Vec<String> {
            these.keys().filter(|name| !those.contains_key(*name)).cloned().collect()
        };
        let mut comparison =
            Self { new: only(&after, &before), gone: only(&before, &after), ..Self::default() };
        let names = before.keys().chain(comparison.new.iter()).cloned().collect::<Vec<_>>();
        for name in &names {
            comparison.add(name, before.get(name).copied(), after.get(name).copied());
        }
        comparison.differences.sort_by_key(|difference| difference.change);
        comparison
    }

    fn add(&mut self, probed: &str, older: Option<&RunReport>, newer: Option<&RunReport>) {
        let (before, after) = (requirements(older), requirements(newer));
        let ids = before.keys().chain(after.keys().filter(|id| !before.contains_key(*id)));
        for id in ids {
            let (was, is) = (before.get(id).copied(), after.get(id).copied());
            let (was_words, is_words) = (words(was), words(is));
            if words_apart(was, is) {
                self.differences.push(Difference {
                    probed: probed.to_owned(),
                    requirement: (*id).to_owned(),
                    change: change(rank(was), rank(is)),
                    before: was_words,
                    after: is_words,
                });
            } else {
                self.same += 1;
            }
        }
    }

    /// Whether anything got worse.
    pub fn is_worse(&self) -> bool {
        self.differences.iter().any(|difference| difference.change == Change::Worse)
    }

    /// The comparison as text.
    pub fn text(&self, options: &TerminalOptions) -> String {
        let paint = Paint::new(options.color);
        let mut text = String::new();
        for (change, title, mark, tone) in [
            (Change::Worse, "Worse", "✗", Tone::Bad),
            (Change::Better, "Better", "✓", Tone::Good),
            (Change::Other, "Different, and neither better nor worse", "~", Tone::Quiet),
        ] {
            let those: Vec<&Difference> = self.differences.iter().filter(|one| one.change == change).collect();
            if !those.is_empty() {
                text.push_str(&format!("{}\n{}\n", paint.apply(Tone::Strong, title), lines(&those, mark, tone, paint)));
            }
        }
        for (title, names) in [("New", &self.new), ("Gone", &self.gone)] {
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
                text.push_str(&format!("{}: {}\n", paint.apply(Tone::Strong, title), names.join(", ")));
            }
        }
        let count = |change| self.differences.iter().filter(|one| one.change == change).count();
        let (worse, better, other) = (count(Change::Worse), count(Change::Better), count(Change::Other));
        let same = plural(self.same, "requirement");
        text + &format!("{worse} worse, {better} better, {other} different; {same} as before\n")
    }
}

fn lines(differences: &[&Difference], mark: &str, tone: Tone, paint: Paint) -> String {
    let width = |of: fn(&Difference) -> &String| {
        differences.iter().map(|one| escape(of(one)).chars().count()).max().unwrap_or_default()
    };
    let (probed, requirement) = (width(|one| &one.probed), width(|one| &one.requirement));
    let line = |one: &&Difference| {
        let (name, id) = (escape(&one.probed), escape(&one.requirement));
        let (before, after) = (escape(&one.before), paint.apply(tone, &escape(&one.after)));
        format!("  {mark} {name:probed$}  {id:requirement$}  {before} → {after}\n")
    };
    differences.iter().map(line).collect()
}

type Runs<'r> = IndexMap<String, &'r RunReport>;

fn by_name(report: &Report) -> Runs<'_> {
    report.runs.iter().map(|run| (run.name(), run)).collect()
}

fn requirements(run: Option<&RunReport>) -> IndexMap<&str, &RequirementReport> {
    let clauses = run.into_iter().flat_map(|run| &run.clauses);
    clauses.flat_map(|clause| &clause.requirements).map(|one| (one.id.as_str(), one)).collect()
}

/// Whether two reports say different things: another verdict, or one that binds more or less. Why something is untested or
/// inconclusive may differ from one run to the next.
fn words_apart(was: Option<&RequirementReport>, is: Option<&RequirementReport>) -> bool {
    let word = |one: Option<&RequirementReport>| one.map_or(Word::Untested, |one| one.verdict);
    word(was) != word(is) || rank(was) != rank(is)
}

/// How good what is known is: the less, the worse.
fn rank(one: Option<&RequirementReport>) -> u8 {
    match one.map(|one| (one.verdict, one.violated_level)) {
        Some((Word::Violated, Some(Level::Must) | None)) => 0,
        Some((Word::Violated, Some(Level::Should | Level::May))) => 1,
        Some((Word::Inconclusive | Word::Untested | Word::Observed, _)) | None => 2,
        Some((Word::Holds, _)) => 3,
    }
}

fn change(was: u8, is: u8) -> Change {
    match is.cmp(&was) {
        std::cmp::Ordering::Less => Change::Worse,
        std::cmp::Ordering::Greater => Change::Better,
        std::cmp::Ordering::Equal => Change::Other,
    }
}

fn words(one: Option<&RequirementReport>) -> String {
    let Some(one) = one else { return "not there".to_owned() };
    let waived = if one.waived.is_some() { ", waived" } else { "" };
    match (one.verdict, one.violated_level) {
        (Word::Violated, Some(Level::Should)) => format!("violated (should){waived}"),
        (Word::Violated, _) => format!("violated{waived}"),
        (Word::Inconclusive, _) => one.cause.map_or("inconclusive".into(), |cause| format!("inconclusive ({cause})")),
        (Word::Untested, _) => one.reason.as_ref().map_or("untested".into(), |reason| format!("untested ({reason})")),
        (Word::Holds, _) => "holds".to_owned(),
        (Word::Observed, _) => "observed".to_owned(),
    }
}
