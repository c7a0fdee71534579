//! The exchange that shows a finding: who sent what when, and what was counted in between.

use std::collections::BTreeSet;
use std::time::Duration;

use super::text::{cut, escape, plural};
use super::{Judged, headers};
use crate::contract::Carrier;
use crate::history::{
    Attempt, AttemptId, AttemptStart, CaseHistory, Count, HookRun, Listing, Outcome, RaceRound, RunInfo,
};
use crate::message::Response;
use crate::oracle::Finding;

/// Contents are cut after so many characters, unless everything is asked for.
const CONTENT_LIMIT: usize = 160;
/// Keys up to this length are shown whole: a UUID is one that people search their logs for.
const KEY_LIMIT: usize = 40;
/// Where a case has more attempts than this, the middle ones are left out.
const ATTEMPT_LIMIT: usize = 12;
/// Identities listed behind a count.
const IDENTITY_LIMIT: usize = 10;

const DEFAULT: &str = "default";

/// One case, as evidence for one finding.
pub(super) struct Exchange<'a> {
    pub(super) judged: &'a Judged<'a>,
    pub(super) case: &'a CaseHistory,
    pub(super) finding: &'a Finding,
    pub(super) verbose: bool,
}

/// Something that happened in a case.
pub(super) enum Entry<'a> {
    Race(&'a RaceRound),
    Attempt(&'a Attempt),
    Hook(&'a HookRun),
    /// A count, and how often it was read with the same result.
    Count(&'a Count, usize),
    LeftOut(usize),
}

impl Exchange<'_> {
    /// The lines of the exchange up to the attempt that is judged.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut contents: Vec<(AttemptId, &AttemptStart)> = Vec::new();
        let mut lines = Vec::new();
        for (at, entry) in self.entries() {
            match entry {
                Entry::Race(race) => lines.push(race_line(self.case, race)),
                Entry::Attempt(attempt) => {
                    lines.extend(self.attempt_lines(attempt, &contents));
                    contents.push((attempt.start.id, &attempt.start));
                }
                Entry::Hook(run) => lines.push(hook_line(at, run)),
                Entry::Count(count, times) => lines.push(count_line(self.judged.run(), self.case, count, times)),
                Entry::LeftOut(number) => {
                    lines.push(format!("…   {} (-v shows all)", plural(number, "further attempt")))
                }
            }
        }
        lines
    }

    fn entries(&self) -> Vec<(Duration, Entry<'_>)> {
        let relevant = self.relevant();
        entries(self.case, &relevant, &self.shown(&relevant))
    }

    /// The attempts up to the last that the finding names, and the copies that were released together with them.
    fn relevant(&self) -> Vec<&Attempt> {
        let last = self.finding.attempts.iter().max().copied();
        let together: BTreeSet<AttemptId> = self
            .case
            .races
            .iter()
            .filter(|race| race.attempts.iter().any(|copy| self.finding.attempts.contains(copy)))
            .flat_map(|race| race.attempts.iter().copied())
            .collect();
        let belongs = |id: AttemptId| last.is_none_or(|last| id <= last) || together.contains(&id);
        self.case.attempts.iter().filter(|attempt| belongs(attempt.start.id)).collect()
    }

    /// Which of the attempts are shown: all, or the first, the last and those that the finding names.
    fn shown(&self, relevant: &[&Attempt]) -> BTreeSet<AttemptId> {
        let ids = relevant.iter().map(|attempt| attempt.start.id);
        if self.verbose || relevant.len() <= ATTEMPT_LIMIT {
            return ids.collect();
        }
        let edge = ATTEMPT_LIMIT / 4;
        let edges = ids.enumerate().filter(|(position, _)| *position < edge || position + edge >= relevant.len());
        let named = self.finding.attempts.iter().rev().take(ATTEMPT_LIMIT / 2).copied();
        edges.map(|(_, id)| id).chain(named).collect()
    }

    fn attempt_lines(&self, attempt: &Attempt, earlier: &[(AttemptId, &AttemptStart)]) -> Vec<String> {
        let start = &attempt.start;
        let judged = self.finding.attempts.last() == Some(&start.id);
        let mut head =
            format!("{}  {}  {} {}", id(start.id), time(began(attempt)), escape(&start.method), self.target(start));
        for note in self.notes(start) {
            head.push_str("  ");
            head.push_str(&note);
        }
        if judged {
            head.push_str("  ← judged");
        }
        let mut lines = vec![head];
        lines.extend(self.content_lines(start, earlier));
        lines.extend(self.outcome_lines(attempt));
        lines
    }

    fn target(&self, start: &AttemptStart) -> String {
        if self.verbose { escape(&start.request.target) } else { cut(&start.request.target, CONTENT_LIMIT) }
    }

    fn notes(&self, start: &AttemptStart) -> Vec<String> {
        let mut notes = vec![self.key(start.key.as_deref())];
        let named = [
            ("parameters", start.parameters.as_str(), "base"),
            ("account", start.account.as_str(), DEFAULT),
            ("operation", start.operation.as_str(), DEFAULT),
            ("replica", start.replica.as_deref().unwrap_or(DEFAULT), DEFAULT),
        ];
        notes.extend(
            named
                .into_iter()
                .filter(|(_, name, usual)| name != usual)
                .map(|(what, name, _)| format!("{what} {}", escape(name))),
        );
        notes.extend(start.lose.map(|loss| format!("to be lost: {loss}")));
        notes
    }

    fn key(&self, key: Option<&str>) -> String {
        let Some(key) = key else {
            return "no key".into();
        };
        let key = shortened_key(key, self.verbose);
        match self.judged.contract.key.as_ref().map(|clause| &clause.carrier) {
            Some(Carrier::Header(name)) => format!("{}: {key}", escape(name)),
            Some(Carrier::Query(_) | Carrier::Form(_) | Carrier::Json(_)) | None => format!("key {key}"),
        }
    }

    fn content_lines(&self, start: &AttemptStart, earlier: &[(AttemptId, &AttemptStart)]) -> Vec<String> {
        let mut lines = Vec::new();
        if self.verbose {
            lines.extend(start.request.headers.iter().map(header_line));
        }
        if let Some(body) = &start.request.body {
            let same = earlier.iter().find(|(_, other)| other.request.body.as_ref() == Some(body));
            lines.push(match same {
                Some((other, _)) if !self.verbose => format!("{INDENT}the same content as {other}"),
                Some(_) | None => format!("{INDENT}{}", self.content(body.as_bytes())),
            });
        }
        lines
    }

    fn content(&self, content: &[u8]) -> String {
        let excerpt = self.judged.excerpt(content);
        let text = if self.verbose { escape(&excerpt.text) } else { cut(&excerpt.text, CONTENT_LIMIT) };
        let is_marked = text.ends_with('…');
        if excerpt.cut && !is_marked { format!("{text}… ({} bytes)", excerpt.bytes) } else { text }
    }

    fn outcome_lines(&self, attempt: &Attempt) -> Vec<String> {
        let Some(end) = &attempt.end else {
            return vec![format!("{INDENT}✗ no end on record: the run was killed")];
        };
        let at = time(end.timing.ended);
        match &end.outcome {
            Outcome::Answered(response) => self.answer_lines(&at, response, ""),
            Outcome::Hidden(response) => self.answer_lines(&at, response, "  (read, and treated as lost)"),
            Outcome::Lost { at: point, bytes_written, status } => {
                let status = status.map(|status| format!("; the answer had begun with {status}")).unwrap_or_default();
                let by = attempt.start.lose.map(|loss| loss.by.id()).unwrap_or_default();
                let point = point.id();
                vec![format!("{INDENT}✗ {at}  lost on purpose ({point}), {by} after {bytes_written} bytes{status}")]
            }
            Outcome::Failed { error, bytes_written, request_written, detail } => {
                let part = if *request_written { "the whole request" } else { "not the whole request" };
                let (words, detail) = (error.words(), cut(detail, CONTENT_LIMIT));
                vec![format!("{INDENT}✗ {at}  {words} after {bytes_written} bytes, {part}: {detail}")]
            }
            Outcome::Swallowed => {
                vec![format!("{INDENT}✗ what became of it is not known: idemspec was killed, and went on at {at}")]
            }
        }
    }

    fn answer_lines(&self, at: &str, response: &Response, note: &str) -> Vec<String> {
        let body = self.content(response.body.bytes());
        let body = if body.is_empty() { "(no content)".to_owned() } else { body };
        let mut lines = vec![format!("{INDENT}→ {at}  {} {body}{note}", response.status)];
        let telling = self.telling_headers();
        let is_telling = |name: &str| telling.iter().any(|telling| telling.eq_ignore_ascii_case(name));
        let fields = self.judged.fields(response).filter(|(name, _)| self.verbose || is_telling(name));
        lines.extend(fields.map(header_line));
        lines
    }

    /// The header fields of an answer that the contract speaks of, and those that say what to do next.
    fn telling_headers(&self) -> Vec<&str> {
        headers::of_contract(self.judged.contract).chain(["location", "retry-after"]).collect()
    }
}

/// What happened in a case up to the last of these attempts, in the order of time: those of them that are shown, and
/// everything between them.
pub(super) fn entries<'a>(
    case: &'a CaseHistory,
    relevant: &[&'a Attempt],
    shown: &BTreeSet<AttemptId>,
) -> Vec<(Duration, Entry<'a>)> {
    let last = relevant.iter().map(|attempt| attempt.start.id).max();
    let mut entries: Vec<(Duration, u8, Entry<'_>)> = Vec::new();
    for race in case.races.iter().filter(|race| race.attempts.iter().any(|copy| shown.contains(copy))) {
        let copies = race.attempts.iter().filter_map(|copy| case.attempt(*copy)).map(began);
        entries.push((copies.min().unwrap_or_default(), 0, Entry::Race(race)));
    }
    for (position, attempt) in relevant.iter().copied().enumerate() {
        if shown.contains(&attempt.start.id) {
            entries.push((began(attempt), 1, Entry::Attempt(attempt)));
        } else if position == 0 || shown.contains(&relevant[position - 1].start.id) {
            let gap = relevant[position..].iter().take_while(|other| !shown.contains(&other.start.id)).count();
            entries.push((began(attempt), 1, Entry::LeftOut(gap)));
        }
    }
    let within = |after: u32| last.is_none_or(|last| after <= last.0);
    for (at, _, run) in case.hooks.iter().filter(|(_, after, _)| within(*after)) {
        entries.push((*at, 2, Entry::Hook(run)));
    }
    for count in case.counts.iter().filter(|count| within(count.after)) {
        entries.push((count.began, 3, Entry::Count(count, 1)));
    }
    entries.sort_by_key(|(at, rank, _)| (*at, *rank));
    merge_counts(entries.into_iter().map(|(at, _, entry)| (at, entry)))
}

/// Which actions were raced, within what time they left, and whether they met.
pub(super) fn race_line(case: &CaseHistory, race: &RaceRound) -> String {
    let mut names: Vec<String> = Vec::new();
    for copy in race.attempts.iter().filter_map(|copy| case.attempt(*copy)) {
        names.extend(case.intent(copy.start.intent).map(|intent| escape(&intent.name)));
    }
    names.dedup();
    let of = if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
    let overlap = if race.overlapped { "overlapping" } else { "not shown to overlap" };
    let copies = plural(race.attempts.len(), "attempt");
    let spread = race.spread.as_secs_f64() * 1000.0;
    format!("race   {copies}{of} released within {spread:.3} ms, {overlap}")
}

/// What a counter showed, and how often it was read with that result.
pub(super) fn count_line(run: Option<&RunInfo>, case: &CaseHistory, count: &Count, times: usize) -> String {
    let counters = run.map(|run| run.subject.counters_of(&count.operation)).unwrap_or_default();
    let title = counters.get(count.counter).map_or("effects", |counter| counter.title.as_str());
    let mut what = escape(title);
    for (name, value) in [("account", &count.account), ("operation", &count.operation)] {
        if value != DEFAULT {
            what.push_str(&format!(", {name} {}", escape(value)));
        }
    }
    if case.counts.iter().any(|other| other.marker != count.marker) {
        what.push_str(&format!(", marker {}", cut(&count.marker, KEY_LIMIT)));
    }
    let again = if times > 1 { format!("; read {times} times") } else { String::new() };
    format!("count  {}  {what} → {}{again}", time(count.began), listing(&count.listing))
}

const INDENT: &str = "    ";

/// The moment at which an attempt began at our socket.
pub(super) fn began(attempt: &Attempt) -> Duration {
    attempt.end.as_ref().map_or(attempt.recorded, |end| end.timing.began)
}

/// Counts that follow each other with the same result become one.
fn merge_counts<'a>(entries: impl Iterator<Item = (Duration, Entry<'a>)>) -> Vec<(Duration, Entry<'a>)> {
    let mut merged: Vec<(Duration, Entry<'a>)> = Vec::new();
    for (at, entry) in entries {
        if let Entry::Count(count, _) = entry {
            let run = merged.iter_mut().rev().map_while(|(_, earlier)| match earlier {
                Entry::Count(known, times) => Some((known, times)),
                Entry::Race(_) | Entry::Attempt(_) | Entry::Hook(_) | Entry::LeftOut(_) => None,
            });
            let mut of_this_counter = run.filter(|(known, _)| same_counter(known, count));
            if let Some((_, times)) = of_this_counter.next().filter(|(known, _)| known.listing == count.listing) {
                *times += 1;
                continue;
            }
        }
        merged.push((at, entry));
    }
    merged
}

fn same_counter(left: &Count, right: &Count) -> bool {
    (&left.marker, left.counter, &left.account, &left.operation)
        == (&right.marker, right.counter, &right.account, &right.operation)
}

pub(super) fn listing(listing: &Listing) -> String {
    match listing {
        Listing::Failed(failure) => format!("failed: {}", escape(&failure.to_string())),
        Listing::Items(items) if items.is_empty() => "0".into(),
        Listing::Items(items) => {
            let mut names: Vec<String> =
                items.iter().take(IDENTITY_LIMIT).map(|item| cut(&item.identity, KEY_LIMIT)).collect();
            if items.len() > IDENTITY_LIMIT {
                names.push("…".into());
            }
            format!("{} ({})", items.len(), names.join(", "))
        }
    }
}

pub(super) fn hook_line(at: Duration, run: &HookRun) -> String {
    let clock = if run.advanced.is_zero() {
        String::new()
    } else {
        format!(", moved the clock by {}", humantime::format_duration(run.advanced))
    };
    let error = run.error.as_ref().map(|error| format!(", failed: {}", cut(error, CONTENT_LIMIT))).unwrap_or_default();
    format!("hook   {}  {}{clock}{error}", time(at), escape(&run.name))
}

fn header_line((name, value): &(String, String)) -> String {
    format!("{INDENT}  {}: {}", escape(name), escape(value))
}

/// A key that is too long to be shown keeps its end, because keys may differ there alone.
pub(super) fn shortened_key(key: &str, whole: bool) -> String {
    let length = key.chars().count();
    if whole || length <= KEY_LIMIT {
        return if key.is_empty() { "(empty)".into() } else { escape(key) };
    }
    let head: String = key.chars().take(8).collect();
    let tail: String = key.chars().skip(length - 8).collect();
    format!("{}…{} ({length} characters)", escape(&head), escape(&tail))
}

fn id(attempt: AttemptId) -> String {
    format!("{:<3}", attempt.to_string())
}

/// A moment of the run.
pub(super) fn time(at: Duration) -> String {
    format!("+{:.3} s", at.as_secs_f64())
}
