//! How a request meets the server.

use crate::contract::{Situation, Treatment};

/// How a request meets the server, and what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Disposition {
    /// How it meets the server.
    pub(super) situation: Situation,
    /// What it gets.
    pub(super) treatment: Treatment,
}

impl Disposition {
    /// The same after a wait for the first request. Whoever waited to be given its answer gets that, and not the current
    /// state of what it made, which is what those get who come later.
    pub(super) fn after(self, waited: Option<&Self>) -> Self {
        let for_a_replay = waited.is_some_and(|waited| waited.treatment == Treatment::Replays);
        match self.treatment {
            Treatment::Refreshes if for_a_replay => Self { treatment: Treatment::Replays, ..self },
            Treatment::Refreshes | Treatment::Replays | Treatment::Executes | Treatment::Rejects(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waited_for_a_replay_gets_one() {
        let found = |treatment| Disposition { situation: Situation::AfterSuccess, treatment };
        let waited = |treatment| Disposition { situation: Situation::InFlight, treatment };
        assert_eq!(found(Treatment::Refreshes).after(Some(&waited(Treatment::Replays))), found(Treatment::Replays));
        for unchanged in [None, Some(waited(Treatment::Refreshes)), Some(waited(Treatment::Executes))] {
            assert_eq!(found(Treatment::Refreshes).after(unchanged.as_ref()), found(Treatment::Refreshes));
        }
        assert_eq!(found(Treatment::Executes).after(Some(&waited(Treatment::Replays))), found(Treatment::Executes));
    }
}
