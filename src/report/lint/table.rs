//! The documentation checklist for a terminal: the table of the five clauses, what a reader is left to guess, and what the
//! rules found.

use comfy_table::{Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};

use crate::lint::{Answer, AnsweredQuestion, ClauseReview, Finding, Review, Severity, Standing};
use crate::report::declared;
use crate::report::text::{Paint, Tone, escape, plural, wrap};

/// The width of the report. It is prose for the most part.
const WIDTH: u16 = 100;

/// Renders a review for a terminal. `denied` names what it was refused for.
pub fn lint_table(review: &Review<'_>, denied: &[&str], color: bool) -> String {
    let view = View { review, color, paint: Paint::new(color) };
    [view.header(), view.table(), view.guesses(), view.findings(), view.footer(denied)].concat()
}

struct View<'r> {
    review: &'r Review<'r>,
    color: bool,
    paint: Paint,
}

impl View<'_> {
    fn heading(&self, title: &str) -> String {
        self.paint.apply(Tone::Strong, title)
    }

    fn header(&self) -> String {
        let profile = self.review.profile;
        format!("{} ({})\n\n", self.heading(&escape(&profile.profile)), escape(&profile.title))
    }

    fn table(&self) -> String {
        let mut table = Table::new();
        table
            .load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(WIDTH)
            .set_header(["clause", "documentation", "answers", "what it promises"]);
        if self.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        for clause in &self.review.clauses {
            let promises = declared::summary(&self.review.profile.contract, clause.clause);
            let standing = match clause.standing {
                Standing::Declared => Cell::new(clause.standing.word()).fg(Color::Green),
                Standing::Vague | Standing::Silent => Cell::new(clause.standing.word()).fg(Color::Yellow),
                Standing::Contradictory => Cell::new(clause.standing.word()).fg(Color::Red),
            };
            let promises = Cell::new(escape(&promises.unwrap_or_else(|| "nothing".into())));
            table.add_row([Cell::new(clause.clause.id()), standing, Cell::new(answers(clause)), promises]);
        }
        for whole in [0, 1, 2] {
            if let Some(column) = table.column_mut(whole) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        format!("{table}\n\n")
    }

    /// What a reader is left to guess, by clause.
    fn guesses(&self) -> String {
        let open: Vec<&ClauseReview> =
            self.review.clauses.iter().filter(|clause| clause.open().next().is_some()).collect();
        if open.is_empty() {
            return String::new();
        }
        let mut section = format!("{}\n", self.heading("What a reader is left to guess, and what to add"));
        section.push_str(&wrap(LEGEND, usize::from(WIDTH), ""));
        for clause in open {
            section.push_str(&format!("\n{}\n", self.heading(clause.clause.id())));
            clause.open().for_each(|asked| section.push_str(&self.guess(asked)));
        }
        section + "\n"
    }

    fn guess(&self, asked: &AnsweredQuestion) -> String {
        let (mark, tone) = match asked.question.essential {
            true => ("!", Tone::Doubtful),
            false => ("-", Tone::Quiet),
        };
        let because = match asked.answer {
            Answer::Vague(because) => format!(" ({because})"),
            Answer::Declared | Answer::Silent => String::new(),
        };
        let about = wrap(&format!("{}{because}", asked.question.about), usize::from(WIDTH), "    ");
        let id = self.paint.apply(tone, asked.question.id);
        let sentence = wrap(&escape(&format!("“{}”", asked.sentence)), usize::from(WIDTH), "      ");
        format!("  {mark} {id}: {}{sentence}", about.trim_start())
    }

    fn findings(&self) -> String {
        if self.review.findings.is_empty() {
            return String::new();
        }
        let findings: Vec<String> = self.review.findings.iter().map(|finding| self.finding(finding)).collect();
        format!("{}\n\n{}\n", self.heading("Findings"), findings.join("\n"))
    }

    fn finding(&self, finding: &Finding) -> String {
        let tone = match finding.rule.severity {
            Severity::Contradictory => Tone::Bad,
            Severity::Warning => Tone::Doubtful,
        };
        let label = self.paint.apply(tone, &format!("{}: {}", finding.rule.severity.word(), finding.rule.id));
        let says = wrap(&escape(&finding.says), usize::from(WIDTH), "  ");
        let fix = wrap(&escape(&format!("fix: {}", finding.fix)), usize::from(WIDTH), "  ");
        format!("{label}\n  {}\n{says}{fix}", escape(&finding.place()))
    }

    fn footer(&self, denied: &[&str]) -> String {
        let questions = self.review.clauses.iter().flat_map(|clause| &clause.questions);
        let essential = questions.filter(|asked| asked.question.essential && asked.answer != Answer::Declared).count();
        let contradictions =
            self.review.findings.iter().filter(|finding| finding.rule.severity == Severity::Contradictory).count();
        let found = format!(
            "{} that no client can do without {} open; {}, {}",
            plural(essential, "question"),
            if essential == 1 { "is" } else { "are" },
            plural(contradictions, "contradiction"),
            plural(self.review.findings.len() - contradictions, "warning"),
        );
        match denied {
            [] => format!("{found}\n"),
            denied => {
                let result = self.paint.apply(Tone::Bad, &format!("denied: {}", denied.join(", ")));
                format!("{found}\nResult: {result} (exit 1)\n")
            }
        }
    }
}

const LEGEND: &str = "`!` is a question that no client can do without. The sentences are drafts for the documentation of the \
                      API; what is to be chosen stands in brackets. `idemspec explain ID` says more.";

/// `3 of 7`.
fn answers(clause: &ClauseReview) -> String {
    match clause.questions.len() {
        0 => "-".into(),
        all => format!("{} of {all}", all - clause.open().count()),
    }
}
