//! What becomes of a key after a request that was not carried out.

use super::parameters::conflict_leaves;
use super::{Entry, FailureClass};
use crate::contract::Requirement;
use crate::reference::policy::Survivor;

pub(super) const CONFLICT_BREAKS_KEY: Entry = Entry {
    id: "conflict-breaks-key",
    title: "a refused conflict breaks the key",
    explanation: "The conflict is refused as it should be, and the lock on the record that it was compared with is never \
                  given back. Whoever repeats the original request is told to come back later, for ever.",
    class: FailureClass::WrongAnswer,
    breaks: |policy| conflict_leaves(policy, Survivor::Broken),
    expected: &[Requirement::ReplayNoServerError],
};
