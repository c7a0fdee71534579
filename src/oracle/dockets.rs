//! From a history to its findings, in steps that can be taken one by one.

use super::docket::Docket;
use super::sink::Record;
use super::{Finding, Instrument, control, telling, trial};
use crate::contract::Contract;
use crate::history::History;

/// A history with everything taken out of it that the rules ask about: what each answer says, and what the counts say.
#[derive(Debug)]
pub struct Dockets<'c, 'h> {
    cases: Vec<Docket<'c, 'h>>,
    /// The control shows that the instrument does not work.
    failed: bool,
    /// The counts of the control are such that its answers explain them.
    counts_explained: bool,
}

/// What was found about every case. It is in numbers; [`findings`](Self::findings) tells it.
#[derive(Debug)]
pub struct Judged<'d> {
    cases: Vec<(&'d Docket<'d, 'd>, Vec<Record<'d>>)>,
}

/// Takes everything out of a history that the rules ask about. The events of every case must be in order, as they are in
/// a recording; [`in_order`](super::in_order) sees to that.
pub fn extract<'c: 'h, 'h>(contract: &'c Contract, history: &'h History) -> Dockets<'c, 'h> {
    let calibration = history.calibration.unwrap_or_default();
    let dockets = history
        .run
        .as_ref()
        .map(|run| history.cases.values().map(|case| Docket::new(contract, &run.subject, calibration, case)).collect());
    let cases = dockets.unwrap_or_default();
    let (failed, counts_explained) = match control::examine_ordered(history) {
        Instrument::Sound => (false, true),
        Instrument::Failed(_) => (true, control::counts_explained(history)),
    };
    Dockets { cases, failed, counts_explained }
}

impl Dockets<'_, '_> {
    /// Judges every case, in the order of the cases.
    pub fn judge(&self) -> Judged<'_> {
        let judged = self.cases.iter().map(|docket| {
            let mut records = trial::hold(docket);
            if self.failed {
                control::temper(self.counts_explained, docket, &mut records);
            }
            (docket, records)
        });
        Judged { cases: judged.collect() }
    }
}

impl Judged<'_> {
    /// The findings of every case, in the order of the cases and of their attempts.
    pub fn findings(&self) -> Vec<Finding> {
        let told = |(docket, records): &(&Docket<'_, '_>, Vec<Record<'_>>)| -> Vec<Finding> {
            records.iter().map(|record| telling::tell(docket, record)).collect()
        };
        self.cases.iter().flat_map(told).collect()
    }
}
