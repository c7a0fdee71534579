//! The documentation checklist as JSON.

use serde::Serialize;

use crate::lint::{Answer, AnsweredQuestion, ClauseReview, Finding, Review};
use crate::report::declared;

/// The version of the form. It changes when something is taken away or gets another meaning.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct ReviewForm<'r> {
    lint: u32,
    profile: &'r str,
    title: &'r str,
    clauses: Vec<ClauseForm<'r>>,
    findings: Vec<FindingForm<'r>>,
    /// For what the review was refused; empty where it was not.
    denied: &'r [&'r str],
}

#[derive(Serialize)]
struct ClauseForm<'r> {
    clause: &'static str,
    standing: &'static str,
    promises: Vec<String>,
    questions: Vec<QuestionForm<'r>>,
}

#[derive(Serialize)]
struct QuestionForm<'r> {
    id: &'static str,
    about: &'static str,
    essential: bool,
    answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    /// A sentence for the documentation, where nothing can be relied on.
    #[serde(skip_serializing_if = "Option::is_none")]
    add: Option<&'r str>,
}

#[derive(Serialize)]
struct FindingForm<'r> {
    id: &'static str,
    severity: &'static str,
    clause: &'static str,
    file: &'r str,
    line: Option<usize>,
    column: Option<usize>,
    says: &'r str,
    fix: &'r str,
}

/// Renders a review as JSON. `denied` names what it was refused for.
///
/// # Errors
/// When it cannot be serialised, which no review should cause.
pub fn lint_json(review: &Review<'_>, denied: &[&str]) -> Result<String, serde_json::Error> {
    let form = ReviewForm {
        lint: VERSION,
        profile: &review.profile.profile,
        title: &review.profile.title,
        clauses: review.clauses.iter().map(|clause| of_clause(review, clause)).collect(),
        findings: review.findings.iter().map(of_finding).collect(),
        denied,
    };
    serde_json::to_string_pretty(&form).map(|text| text + "\n")
}

fn of_clause<'r>(review: &'r Review<'_>, clause: &'r ClauseReview) -> ClauseForm<'r> {
    ClauseForm {
        clause: clause.clause.id(),
        standing: clause.standing.word(),
        promises: declared::parts(&review.profile.contract, clause.clause),
        questions: clause.questions.iter().map(of_question).collect(),
    }
}

fn of_question(asked: &AnsweredQuestion) -> QuestionForm<'_> {
    let because = match asked.answer {
        Answer::Vague(because) => Some(because),
        Answer::Declared | Answer::Silent => None,
    };
    QuestionForm {
        id: asked.question.id,
        about: asked.question.about,
        essential: asked.question.essential,
        answer: asked.answer.word(),
        because,
        add: (asked.answer != Answer::Declared).then_some(asked.sentence.as_str()),
    }
}

fn of_finding(finding: &Finding) -> FindingForm<'_> {
    FindingForm {
        id: finding.rule.id,
        severity: finding.rule.severity.word(),
        clause: finding.clause.id(),
        file: &finding.file,
        line: finding.spot.as_ref().map(|spot| spot.line),
        column: finding.spot.as_ref().map(|spot| spot.column),
        says: &finding.says,
        fix: &finding.fix,
    }
}
