//! Several operations in one run: each is a run of its own, one after the other, and a line in one table. What one of them
//! needs is given back before the next begins.

use anyhow::{Context as _, Result};

use super::conduct::{Ended, INTERRUPTED, Shown};
use super::output::{colored, print, say};
use super::run::{Order, begin};
use super::session::{Session, announcement, rehearse};
use super::units::Unit;
use crate::checklist::ExitStatus;
use crate::cli::RunArguments;
use crate::report::{self, MatrixRow, TerminalOptions};

/// Probes them all, prints the table, and returns the exit status: the worst of all.
pub(super) fn execute(arguments: &RunArguments, units: &[Unit], shown: Shown) -> Result<u8> {
    let options = TerminalOptions { color: colored(shown.color), width: None, verbose: shown.verdict.verbose };
    let order = Order::of(arguments, shown.within(units.len()))?;
    check(arguments, units)?;
    let mut rows = Vec::new();
    let ending = probe_all(units, &order, &mut rows);
    print(&report::matrix(&rows, &options)).context("cannot write the table")?;
    say(&format!("the journals of these runs are {}", order.journals()));
    let interrupted = ending?;
    Ok(if interrupted { INTERRUPTED } else { report::worst(&rows).code() })
}

/// Says what would be sent to each of them, and sends nothing.
pub(super) fn plan(arguments: &RunArguments, units: &[Unit]) -> Result<u8> {
    for unit in units {
        let session = Session::prepare(arguments, unit).with_context(|| unit.name())?;
        let announcement = announcement(&session, arguments.pacing.max_requests);
        print(&format!("{}\n{}\n", unit.name(), super::plan::text(&session.plan, &announcement)))?;
    }
    Ok(ExitStatus::Sound.code())
}

/// Finds every mistake of every operation before anything is sent, and says how much that will be.
fn check(arguments: &RunArguments, units: &[Unit]) -> Result<()> {
    let (mut cases, mut requests) = (0, 0);
    for unit in units {
        let session = Session::prepare(arguments, unit).with_context(|| unit.name())?;
        rehearse(&session.bound, &session.plan).with_context(|| unit.name())?;
        cases += session.plan.cases.len();
        requests += session.plan.budget.requests();
    }
    say(&format!("{} operations, {cases} cases: at most {requests} requests", units.len()));
    Ok(())
}

/// Probes one after the other until all are done, or the user interrupts; tells whether that happened.
fn probe_all(units: &[Unit], order: &Order<'_>, rows: &mut Vec<MatrixRow>) -> Result<bool> {
    for (number, unit) in units.iter().enumerate() {
        let session = Session::prepare(order.arguments, unit).with_context(|| unit.name())?;
        let cases = session.plan.cases.len();
        say(&format!(
            "{}/{} {}: {cases} cases against {}",
            number + 1,
            units.len(),
            unit.name(),
            session.bound.base_url()
        ));
        if session.plan.is_empty() {
            rows.push(MatrixRow::idle(unit.name()));
            continue;
        }
        let Ended { code, row } = begin(session, order, Some(&unit.name())).with_context(|| unit.name())?;
        rows.extend(row);
        if code == INTERRUPTED {
            say(&format!("{} operations were not begun", units.len() - number - 1));
            return Ok(true);
        }
    }
    Ok(false)
}
