//! The probed operation has a method with which keys do not count.

use crate::contract::Clause;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "method-out-of-scope",
    severity: Severity::Contradictory,
    finds: "The operation has a method that is not among those with which a key counts.",
    matters: "Either the contract says nothing about this operation, or its list of methods is not complete.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let methods = subject.contract().scope.as_ref().map(|scope| scope.methods.as_slice()).unwrap_or_default();
    let own = &subject.operation().request.method;
    if methods.is_empty() || methods.contains(own) {
        return Vec::new();
    }
    let says = format!("keys count with {}, and the operation is a {own}", methods.join(", "));
    vec![Trouble::at(Clause::Scope, "/contract/scope/methods", says, format!("add {own}, or probe another operation"))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    #[test]
    fn a_method_that_is_not_named_is_found() {
        finds(
            RULE.id,
            &[("methods: [POST]", "methods: [PUT, PATCH]")],
            "methods:",
            "PUT, PATCH, and the operation is a POST",
        );
    }

    #[test]
    fn a_method_that_is_named_is_not() {
        finds_nothing(&[("methods: [POST]", "methods: [PATCH, POST]")]);
        finds_nothing(&[("    methods: [POST]\n", "")]);
    }
}
