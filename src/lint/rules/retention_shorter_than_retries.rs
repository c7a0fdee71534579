//! Keys are forgotten while clients still retry.

use crate::contract::{Clause, Period};
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "retention-shorter-than-retries",
    severity: Severity::Contradictory,
    finds: "A client may retry for longer than its key is sure to be remembered.",
    matters: "The last of its retries meets a server that knows nothing of the first attempt. Where an expired key counts as new, \
              it is carried out a second time.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let Some((member, horizon)) = horizon(subject) else { return Vec::new() };
    let retention = subject.contract().retention.as_ref();
    let kept = subject.kept_for().or(retention.and_then(|clause| clause.at_most));
    let Some(kept) = kept.filter(|kept| *kept < horizon) else { return Vec::new() };
    let says = format!("a client may retry for {horizon}, and a key is sure to be remembered for {kept} only");
    let fix = format!("remember keys for at least {horizon}, or have clients give up before {kept} are over");
    vec![Trouble::at(Clause::Retention, &format!("/contract/replay/{member}"), says, fix)]
}

/// How long a client goes on retrying, and the member that says so: at least as long as it has to wait.
fn horizon(subject: &Subject<'_>) -> Option<(&'static str, Period)> {
    let contract = subject.contract();
    let retries = contract.client_retries_for().map(|time| ("client_retries_for", time));
    let waits = contract.client_waits().map(|time| ("client_waits", Period(time)));
    retries.into_iter().chain(waits).max_by_key(|(_, time)| *time)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const RETRIES: &str = "client_retries_for: 12h";

    #[test]
    fn retries_beyond_the_least_time_are_found() {
        let later = [(RETRIES, "client_retries_for: 36h")];
        finds(
            RULE.id,
            &later,
            "client_retries_for:",
            "retry for 1day 12h, and a key is sure to be remembered for 1day",
        );
        let waits = [(RETRIES, "client_waits: 3d")];
        finds(RULE.id, &waits, "client_waits:", "for 3days");
        let no_least = [(RETRIES, "client_retries_for: 3d"), ("at_least: 24h, ", "")];
        finds(RULE.id, &no_least, "client_retries_for:", "remembered for 2days");
    }

    #[test]
    fn retries_that_end_in_time_are_not() {
        finds_nothing(&[(RETRIES, "client_retries_for: 24h")]);
        finds_nothing(&[(RETRIES, "client_waits: 1s")]);
    }
}
