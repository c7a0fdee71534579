//! The review of a profile: every question with its answer, and what the rules found.

use super::question::{Answer, Question};
use super::rule::{Finding, Rule, Severity};
use super::subject::Subject;
use crate::contract::{Clause, Contract};
use crate::document::{At, Located};
use crate::profile::Profile;

/// What a clause is, taken as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every question is answered that no client can do without.
    Declared,
    /// It says something, and not all that a client has to know, or nothing that it can rely on.
    Vague,
    /// It says nothing.
    Silent,
    /// It contradicts itself, or another clause.
    Contradictory,
}

impl Standing {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Vague => "vague",
            Self::Silent => "silent",
            Self::Contradictory => "contradictory",
        }
    }
}

/// A question with what the contract answers.
#[derive(Clone)]
pub struct AnsweredQuestion {
    /// The question.
    pub question: &'static Question,
    /// The answer.
    pub answer: Answer,
    /// A sentence that would answer it, for the documentation of the API.
    pub sentence: String,
}

/// A clause under review.
#[derive(Clone)]
pub struct ClauseReview {
    /// The clause.
    pub clause: Clause,
    /// What it is, taken as a whole.
    pub standing: Standing,
    /// Every question that arises, in the order of the checklist.
    pub questions: Vec<AnsweredQuestion>,
}

impl ClauseReview {
    /// The questions that a client cannot rely on an answer to.
    pub fn open(&self) -> impl Iterator<Item = &AnsweredQuestion> {
        self.questions.iter().filter(|question| question.answer != Answer::Declared)
    }
}

/// The review of a profile.
pub struct Review<'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// The five clauses, in the order of the checklist.
    pub clauses: Vec<ClauseReview>,
    /// What the rules found: by clause, and then in the order of the lines.
    pub findings: Vec<Finding>,
}

/// What a review may be refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// A question is not answered that no client can do without.
    Undeclared,
    /// A clause is vague.
    Vague,
    /// A clause contradicts itself, or another one.
    Contradictory,
    /// A rule found anything at all.
    Warnings,
}

impl Review<'_> {
    /// How often something occurs for which a review may be refused.
    pub fn occurrences(&self, denial: Denial) -> usize {
        let standing = |wanted: Standing| self.clauses.iter().filter(|clause| clause.standing == wanted).count();
        match denial {
            Denial::Undeclared => {
                let questions = self.clauses.iter().flat_map(|clause| &clause.questions);
                questions.filter(|asked| asked.question.essential && asked.answer == Answer::Silent).count()
            }
            Denial::Vague => standing(Standing::Vague),
            Denial::Contradictory => standing(Standing::Contradictory),
            Denial::Warnings => self.findings.len(),
        }
    }
}

/// Reviews a profile as it is written; `located` knows where everything in it stands.
pub fn review<'p>(profile: &'p Profile, located: &Located) -> Review<'p> {
    let subject = Subject { profile };
    let findings = findings(&subject, located);
    let clauses = Clause::ALL.into_iter().map(|clause| of_clause(&subject, clause, &findings)).collect();
    Review { profile, clauses, findings }
}

fn findings(subject: &Subject<'_>, located: &Located) -> Vec<Finding> {
    let of_rule = |rule: &'static Rule| {
        (rule.check)(subject).into_iter().map(move |trouble| {
            let place = located.problem(At::Key(&trouble.at), "");
            let (file, spot) = (place.file, place.spot);
            Finding { rule, clause: trouble.clause, file, spot, says: trouble.says, fix: trouble.fix }
        })
    };
    let mut findings: Vec<Finding> = Rule::all().flat_map(of_rule).collect();
    findings.sort_by_key(|finding| (finding.clause, finding.spot.as_ref().map(|spot| (spot.line, spot.column))));
    findings
}

fn of_clause(subject: &Subject<'_>, clause: Clause, findings: &[Finding]) -> ClauseReview {
    let own = Question::all().filter(|question| question.clause == clause && (question.arises)(subject));
    let ask = |question: &'static Question| AnsweredQuestion {
        question,
        answer: question.answer(subject),
        sentence: question.sentence(subject),
    };
    let questions: Vec<AnsweredQuestion> = own.map(ask).collect();
    let contradicts = |finding: &Finding| finding.clause == clause && finding.rule.severity == Severity::Contradictory;
    let standing = match findings.iter().any(contradicts) {
        true => Standing::Contradictory,
        false => standing(subject.contract(), clause, &questions),
    };
    ClauseReview { clause, standing, questions }
}

fn standing(contract: &Contract, clause: Clause, questions: &[AnsweredQuestion]) -> Standing {
    let silent = |asked: &AnsweredQuestion| asked.answer == Answer::Silent;
    let vague = |asked: &AnsweredQuestion| matches!(asked.answer, Answer::Vague(_));
    if !questions.is_empty() && questions.iter().all(silent) && !is_written(contract, clause) {
        return Standing::Silent;
    }
    match questions.iter().any(|asked| vague(asked) || (silent(asked) && asked.question.essential)) {
        true => Standing::Vague,
        false => Standing::Declared,
    }
}

/// Whether there is a clause at all, be it without any promise in it.
fn is_written(contract: &Contract, clause: Clause) -> bool {
    match clause {
        Clause::Key => contract.key.is_some(),
        Clause::Retention => contract.retention.is_some(),
        Clause::Replay => contract.replay.is_some(),
        Clause::Conflict => contract.conflict.is_some(),
        Clause::Scope => contract.scope.is_some(),
    }
}
