//! The counts that a selftest comes to.

use std::collections::BTreeSet;
use std::fmt;

use super::{Probed, Showing};
use crate::reference::FailureClass;

/// The counts that a selftest comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Defects that were caught.
    pub caught: usize,
    /// Defects that are declared as not yet caught, and were not.
    pub not_yet_caught: usize,
    /// All defects that were probed.
    pub defects: usize,
    /// The classes of failure of which a defect was caught.
    pub classes: BTreeSet<FailureClass>,
    /// Sound targets that were blamed.
    pub blamed: usize,
    /// All sound targets that were probed.
    pub sound: usize,
    /// Targets that showed something else than what was to be expected.
    pub unexpected: usize,
}

impl Summary {
    /// Counts.
    pub fn of(probed: &[Probed]) -> Self {
        let mut summary = Self::default();
        for one in probed {
            let showing = one.showing();
            match one.target.class() {
                None => summary.sound += 1,
                Some(_) => summary.defects += 1,
            }
            summary.unexpected += usize::from(!showing.is_as_expected());
            match showing {
                Showing::Caught | Showing::CaughtByChance => {
                    summary.caught += 1;
                    summary.classes.extend(one.target.class());
                }
                Showing::NotYetCaught => summary.not_yet_caught += 1,
                Showing::Blamed(_) => summary.blamed += 1,
                Showing::Sound | Showing::Deviates(_) | Showing::Nothing(_) => {}
            }
        }
        summary
    }

    /// Whether every target showed what was to be expected.
    pub fn is_as_expected(&self) -> bool {
        self.unexpected == 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { caught, defects, classes, blamed, sound, not_yet_caught, unexpected } = self;
        write!(formatter, "{caught} of {defects} defects caught")?;
        if *not_yet_caught > 0 {
            write!(formatter, " ({not_yet_caught} known as not yet caught)")?;
        }
        let of_clients: Vec<&str> = FailureClass::of_clients().map(FailureClass::code).collect();
        let (caught, all) = (classes.len(), FailureClass::of_servers().count());
        write!(
            formatter,
            ", {caught} of {all} classes that a server can show ({} is for clients alone), ",
            of_clients.join(", ")
        )?;
        match sound {
            0 => write!(formatter, "no sound target probed")?,
            _ => write!(formatter, "{blamed} of {sound} sound targets blamed")?,
        }
        match unexpected {
            0 => write!(formatter, ": all as expected"),
            1 => write!(formatter, ": 1 is not as expected"),
            many => write!(formatter, ": {many} are not as expected"),
        }
    }
}
