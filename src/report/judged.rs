//! One run, judged: the value from which every report is made, so that no two of them can disagree.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::exchange::Exchange;
use super::leftovers::Effects;
use super::text::escape;
use super::{command, declared, headers, mocked};
use crate::checklist::{Bar, Checklist};
use crate::contract::{Clause, Contract, Reason, Requirement, Standing};
use crate::history::{AttemptId, CaseHistory, CaseId, Declaration, History, RunInfo};
use crate::message::Response;
use crate::oracle::Finding;

/// A run and everything that is to be said of it. Reports only put it into a form.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// The contract that it was judged by.
    pub contract: &'a Contract,
    /// What happened.
    pub history: &'a History,
    /// What the oracle found, in its order.
    pub findings: &'a [Finding],
    /// Why each requirement is untested where there is no finding about it, as far as the plan knows.
    pub untested: &'a BTreeMap<Requirement, Reason>,
    /// The verdicts, and what they come to.
    pub checklist: Checklist<'a>,
    /// The bar that the exit status was decided by.
    pub bar: Bar,
    /// Where the contract's files declare each requirement, as far as that is known.
    pub declared: &'a BTreeMap<Requirement, Declaration>,
    /// The journal, as a command names it.
    pub journal: &'a str,
    /// The longest content of a request or an answer that a report holds, in bytes.
    pub max_evidence: usize,
}

/// A case whose time has not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending<'a> {
    /// The case.
    pub case: &'a CaseHistory,
    /// When it can go on, as RFC 3339 in UTC.
    pub due: &'a str,
}

impl Pending<'_> {
    /// The clause that it is about; its own name where it is about none.
    pub fn subject(&self) -> &str {
        match self.case.info.clause {
            Some(clause) => clause.id(),
            None => &self.case.id.0,
        }
    }

    /// When it is due, and what is to be done about it then.
    pub fn sentence(&self, resume: &str) -> String {
        let reason = Reason::Pending(self.due.to_owned()).to_string();
        let (subject, reason) = (escape(self.subject()), escape(&reason));
        format!("{subject}: {reason}, resume with `{resume}` ({})", escape(&self.case.id.0))
    }
}

/// An effect that is still in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leftover<'a> {
    /// Its identity.
    pub identity: &'a str,
    /// The operation that made it; `default` for the profile's own.
    pub operation: &'a str,
    /// Why it could not be removed, if that was tried.
    pub error: Option<&'a str>,
}

/// A content as a report may hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Its text, as far as it is shown. What is no text has other characters in the place of its bytes.
    pub text: String,
    /// How many bytes it has as a whole.
    pub bytes: usize,
    /// Whether a part of it is left out.
    pub cut: bool,
}

impl<'a> Judged<'a> {
    /// What the recording says about its run.
    pub fn run(&self) -> Option<&'a RunInfo> {
        self.history.run.as_ref()
    }

    /// The title of the profile; its name where it has none.
    pub fn title(&self) -> &'a str {
        let run = self.run();
        let title = run.and_then(|run| run.document.get("title")?.as_str());
        title.or(run.map(|run| run.profile.as_str())).unwrap_or_default()
    }

    /// What the pauses of the run were drawn from.
    pub fn seed(&self) -> Option<u64> {
        self.history.plan.as_ref().map(|plan| plan.seed)
    }

    /// Whether the target was a mock of the profile.
    pub fn is_mock(&self) -> bool {
        self.history.plan.as_ref().is_some_and(|plan| plan.mock.is_some())
    }

    /// What the contract promises in a clause, in a line; `None` where it is silent.
    pub fn promises(&self, clause: Clause) -> Option<String> {
        declared::summary(self.contract, clause)
    }

    /// What a reader has to know before anything else, a sentence or two each.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if let Some(mock) = self.history.plan.as_ref().and_then(|plan| plan.mock.as_ref()) {
            notices.push(format!(
                "This was a mock, not the real API. {}",
                mocked::sentences(self.history, mock).join(" ")
            ));
        }
        if let Some(sentence) = self.checklist.instrument {
            notices.push(format!("The control failed: {sentence}. What rests on it was not judged."));
        }
        if self.checklist.interrupted {
            notices.push("The run was interrupted. What had not run by then is untested.".to_owned());
        }
        let connections = self.run().map(|run| run.connections.sentences()).unwrap_or_default();
        if !connections.is_empty() {
            notices.push(format!("Connections: {}.", connections.join(", ")));
        }
        notices
    }

    /// The cases that wait for their time.
    pub fn pending(&self) -> impl Iterator<Item = Pending<'a>> {
        let cases = self.history.cases.values();
        cases.filter_map(|case| Some(Pending { case, due: &case.course.suspended.as_ref()?.due }))
    }

    /// The effects that are still in the target, for somebody to remove by hand.
    pub fn leftovers(&self) -> Vec<Leftover<'a>> {
        let left = Effects::of(self.history).left.into_iter();
        left.map(|((identity, operation), error)| Leftover { identity, operation, error }).collect()
    }

    /// The command that goes on with the run.
    pub fn resume_command(&self) -> String {
        command::resume(self.journal)
    }

    /// The command that runs one case again with the same seed, if the run can be repeated by one.
    pub fn again_command(&self, case: &CaseId) -> Option<String> {
        let plan = self.history.plan.as_ref().filter(|plan| !plan.words.is_empty())?;
        Some(command::again(&plan.words, case, plan.seed))
    }

    /// A source by its title and address, as far as the profile gives them.
    pub fn source(&self, finding: &Finding) -> String {
        let Some(name) = finding.source.as_deref() else {
            return match finding.requirement.standing(self.contract) {
                Standing::Universal => "none needed: this holds under every contract".into(),
                Standing::Declared { .. } | Standing::Undeclared => "the profile names none".into(),
            };
        };
        match self.named_source(name) {
            (Some(title), Some(url)) => format!("{title}, {url}"),
            (Some(only), None) | (None, Some(only)) => format!("{name}, {only}"),
            (None, None) => name.to_owned(),
        }
    }

    /// Title and address of a source, as far as the profile gives them.
    pub fn named_source(&self, name: &str) -> (Option<&'a str>, Option<&'a str>) {
        let entry = self.run().and_then(|run| run.document.get("sources")?.get(name));
        let part = |part: &str| entry.and_then(|entry| entry.get(part)?.as_str());
        (part("title"), part("url").or_else(|| entry.and_then(|entry| entry.as_str())))
    }

    /// The exchange that shows a finding, a line for each thing that happened; whole contents where `verbose`.
    pub fn exchange(&self, finding: &Finding, verbose: bool) -> Vec<String> {
        let case = self.history.cases.get(&finding.case);
        case.map(|case| Exchange { judged: self, case, finding, verbose }.lines()).unwrap_or_default()
    }

    /// For how long at least one of these attempts was under way. Copies of a race that ran side by side took one time.
    pub fn time_of(&self, attempts: &BTreeSet<(&CaseId, AttemptId)>) -> Duration {
        let span = |(case, id): &(&CaseId, AttemptId)| {
            let timing = &self.history.cases.get(*case)?.attempt(*id)?.end.as_ref()?.timing;
            Some((timing.began, timing.ended))
        };
        let mut spans: Vec<(Duration, Duration)> = attempts.iter().filter_map(span).collect();
        spans.sort_unstable();
        let mut until = Duration::ZERO;
        let mut sum = Duration::ZERO;
        for (began, ended) in spans {
            sum += ended.saturating_sub(began.max(until));
            until = until.max(ended);
        }
        sum
    }

    /// The header fields of an answer that reports show: those that are known to be no credentials, and those that the
    /// contract speaks of.
    pub fn fields<'r>(&self, response: &'r Response) -> impl Iterator<Item = &'r (String, String)> {
        let own: Vec<String> = headers::of_contract(self.contract).map(str::to_owned).collect();
        response
            .headers
            .iter()
            .filter(move |(name, _)| headers::is_shown(name) || own.iter().any(|own| own.eq_ignore_ascii_case(name)))
    }

    /// A content, as far as a report may hold it.
    pub fn excerpt(&self, content: &[u8]) -> Excerpt {
        let text = String::from_utf8_lossy(content);
        let mut end = self.max_evidence.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Excerpt { text: text[..end].to_owned(), bytes: content.len(), cut: end < text.len() }
    }
}
