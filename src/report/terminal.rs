//! The report for a terminal: the table of the five clauses, every requirement, and the evidence for what is wrong.
//!
//! Whatever differs from one run to the next without meaning anything (names, times, identities) stands in the
//! header, in the evidence and in the footer only, so that the checklists of two runs can be compared.

use comfy_table::{Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};
use indexmap::IndexMap;

use super::evidence::observed;
use super::leftovers::Effects;
use super::text::{Paint, Tone, cut, escape, plural, wrap};
use super::Judged;
use crate::checklist::{Checklist, ClauseVerdict, ExitStatus};
use crate::contract::{Contract, Reason};
use crate::history::{CaseId, History};

/// The width that is assumed where there is no terminal.
const DEFAULT_WIDTH: u16 = 100;
/// Narrower terminals are not catered for.
const NARROWEST: u16 = 60;

/// How the report is to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Whether ANSI colours are used. They never say anything that the words do not.
    pub color: bool,
    /// The width in columns; a fixed one where this is not given.
    pub width: Option<u16>,
    /// 0 for what matters; from 1 on also whole contents, header fields, and what nobody declared.
    pub verbose: u8,
}

/// Renders a checklist with its evidence for a terminal.
pub fn terminal(judged: &Judged<'_>, options: &TerminalOptions) -> String {
    let (checklist, contract, history) = (&judged.checklist, judged.contract, judged.history);
    let view = View { judged, checklist, contract, history, options, paint: Paint::new(options.color) };
    let effects = Effects::of(history);
    let sections = [
        view.header(),
        view.mocked(),
        view.warnings(),
        view.table(),
        view.requirements(),
        view.violations(),
        view.waivers(),
        view.inconclusive(),
        view.observed(),
        view.untested(),
        view.leftovers(&effects),
        view.races(),
        view.retention(),
        view.footer(&effects),
        view.pending(),
    ];
    sections.concat()
}

/// Everything that the sections of the report look at.
pub(super) struct View<'a> {
    pub(super) judged: &'a Judged<'a>,
    pub(super) checklist: &'a Checklist<'a>,
    pub(super) contract: &'a Contract,
    pub(super) history: &'a History,
    pub(super) options: &'a TerminalOptions,
    pub(super) paint: Paint,
}

impl View<'_> {
    pub(super) fn width(&self) -> usize {
        usize::from(self.columns())
    }

    fn columns(&self) -> u16 {
        self.options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST)
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.options.verbose > 0
    }

    pub(super) fn heading(&self, title: &str) -> String {
        self.paint.apply(Tone::Strong, title)
    }

    fn header(&self) -> String {
        let Some(run) = &self.history.run else {
            return String::new();
        };
        let title = run.document.get("title").and_then(|title| title.as_str());
        let title = title.map(|title| format!(" ({})", escape(title))).unwrap_or_default();
        let profile = self.heading(&format!("{}{title}", escape(&run.profile)));
        let (program, base_url) = (escape(&run.program), escape(&run.base_url));
        let (name, started) = (escape(&run.run), escape(&run.started));
        let mut header = format!("{profile} at {base_url}\nidemspec {program}, run {name}, started {started}\n");
        if !run.connections.is_usual() {
            let connections = escape(&run.connections.sentences().join(", "));
            let tone = if run.connections.insecure { Tone::Doubtful } else { Tone::Quiet };
            header.push_str(&format!("connections: {}\n", self.paint.apply(tone, &connections)));
        }
        header + "\n"
    }

    /// What a reader has to know before anything else.
    fn warnings(&self) -> String {
        let mut warnings = String::new();
        if let Some(sentence) = self.checklist.instrument {
            warnings.push_str(&self.paint.apply(Tone::Bad, "THE CONTROL FAILED"));
            warnings.push('\n');
            warnings.push_str(&wrap(&escape(sentence), self.width(), "  "));
            warnings.push_str("  What rests on it reads inconclusive or untested below, whatever was seen.\n\n");
        }
        if self.checklist.interrupted {
            warnings.push_str(&self.paint.apply(Tone::Doubtful, "THE RUN WAS INTERRUPTED"));
            warnings.push_str("\n  What had not run by then reads untested below.\n\n");
        }
        warnings
    }

    fn table(&self) -> String {
        let mut table = Table::new();
        table
            .load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.columns())
            .set_header(["clause", "declared", "observed", "verdict"]);
        if self.options.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        for line in &self.checklist.clauses {
            let declared = self.judged.promises(line.clause).unwrap_or_else(|| "nothing".into());
            let verdict = format!("{} {}", mark(line.verdict), line.verdict);
            let verdict = Cell::new(verdict).fg(color(clause_tone(line.verdict)));
            table.add_row([Cell::new(line.clause), Cell::new(escape(&declared)), Cell::new(observed(line)), verdict]);
        }
        for whole in [0, 3] {
            if let Some(column) = table.column_mut(whole) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        format!("{table}\n\n")
    }

    /// A line for each case that is suspended, with what to do about it.
    fn pending(&self) -> String {
        let resume = self.judged.resume_command();
        self.judged.pending().map(|waiting| waiting.sentence(&resume) + "\n").collect()
    }

    fn footer(&self, effects: &Effects<'_>) -> String {
        let status = self.checklist.exit_status();
        let result = format!("Result: {} (exit {})", self.checklist.decision.word(), status.code());
        let result = self.paint.apply(status_tone(status), &result);
        let why = self.checklist.decision.sentence();
        let (tally, not_run, hooks) = (tally(self.history, effects), not_run(self.history), failed_hooks(self.history));
        format!("{tally}\n{not_run}{hooks}{result}: {why}\n")
    }
}

/// How much was run, sent and made.
pub(super) fn tally(history: &History, effects: &Effects<'_>) -> String {
    let attempts: usize = history.cases.values().map(|case| case.attempts.len()).sum();
    let void: usize = history.cases.values().map(|case| case.voided.len()).sum();
    let repeated = match void {
        0 => String::new(),
        1 => " (and 1 that came to nothing and was repeated)".to_owned(),
        _ => format!(" (and {void} that came to nothing and were repeated)"),
    };
    let cases = plural(history.cases.len(), "case");
    let requests = match history.requests {
        Some(1) => format!("1 request, {attempts} of them attempts"),
        Some(requests) => format!("{requests} requests, {attempts} of them attempts{repeated}"),
        None => plural(attempts, "attempt"),
    };
    let (skipped, made, left) = (history.skipped.len(), plural(effects.made, "effect"), effects.left.len());
    format!("{cases} run, {skipped} not run; {requests}; {made} made, {left} left behind")
}

/// The cases that this profile and these options do not make possible, each with its reason; several of one scenario
/// in one line. What the user left out, and what a run that was cut short did not come to, is said elsewhere.
pub(super) fn not_run(history: &History) -> String {
    let impossible = |reason: &Reason| {
        matches!(reason, Reason::Needs(_) | Reason::LongerThanMaxWait | Reason::NeedsHttp2 | Reason::ClientsWait)
    };
    let mut groups: IndexMap<(&str, &Reason), Vec<&CaseId>> = IndexMap::new();
    for (id, skipped) in history.skipped.iter().filter(|(_, skipped)| impossible(&skipped.reason)) {
        groups.entry((&skipped.scenario, &skipped.reason)).or_default().push(id);
    }
    let line = |((scenario, reason), cases): (&(&str, &Reason), &Vec<&CaseId>)| {
        let what = match cases.as_slice() {
            [only] => escape(&only.0),
            several => format!("{} cases of {}", several.len(), escape(scenario)),
        };
        format!("not run: {what} ({})\n", escape(&reason.to_string()))
    };
    groups.iter().map(line).collect()
}

/// The hooks that failed, each with its error: what they were to bring about was not seen.
pub(super) fn failed_hooks(history: &History) -> String {
    let failed = history.cases.values().filter_map(|case| case.failed_hook().map(|hook| (&case.id, hook)));
    failed
        .map(|(id, (hook, error))| format!("hook {} failed in {}: {}\n", escape(hook), escape(&id.0), cut(error, 300)))
        .collect()
}

pub(super) fn mark(verdict: ClauseVerdict) -> char {
    match verdict {
        ClauseVerdict::Holds => '✓',
        ClauseVerdict::Violated => '✗',
        ClauseVerdict::Inconclusive => '?',
        ClauseVerdict::Partial => '~',
        ClauseVerdict::Untested | ClauseVerdict::Undeclared => '-',
        ClauseVerdict::Observed => 'o',
    }
}

pub(super) fn clause_tone(verdict: ClauseVerdict) -> Tone {
    match verdict {
        ClauseVerdict::Holds => Tone::Good,
        ClauseVerdict::Violated => Tone::Bad,
        ClauseVerdict::Inconclusive | ClauseVerdict::Partial => Tone::Doubtful,
        ClauseVerdict::Untested | ClauseVerdict::Undeclared | ClauseVerdict::Observed => Tone::Quiet,
    }
}

pub(super) fn status_tone(status: ExitStatus) -> Tone {
    match status {
        ExitStatus::Sound => Tone::Good,
        ExitStatus::Violated => Tone::Bad,
        ExitStatus::Usage | ExitStatus::Inconclusive | ExitStatus::NothingSelected => Tone::Doubtful,
    }
}

fn color(tone: Tone) -> Color {
    match tone {
        Tone::Good => Color::Green,
        Tone::Bad => Color::Red,
        Tone::Doubtful => Color::Yellow,
        Tone::Quiet => Color::DarkGrey,
        Tone::Strong => Color::Reset,
    }
}
