//! A refusal that looks like a success.

use crate::contract::{Matcher, Row, StatusPattern};
use crate::lint::row;
use crate::lint::rule::{Rule, Severity, Trouble};
use crate::lint::subject::Subject;

pub(super) const RULE: Rule = Rule {
    id: "rejection-like-success",
    severity: Severity::Warning,
    finds: "A refusal is described so that a success fits it as well.",
    matters: "Where a refusal has the status of a success and nothing else is said of it, a client takes it for one.",
    check,
};

fn check(subject: &Subject<'_>) -> Vec<Trouble> {
    let like_success = |row: &Row| subject.contract().rejections(*row).any(fits_success);
    let trouble = |row: Row| {
        let says = format!("what `{}` rejects with fits a success as well", row::name(row));
        Trouble::with_row(row, says, "name the status of the refusal, or what stands in its content")
    };
    Row::ALL.into_iter().filter(like_success).map(trouble).collect()
}

fn fits_success(matcher: &Matcher) -> bool {
    let success = |pattern: &StatusPattern| match pattern {
        StatusPattern::Code(code) => code / 100 == 2,
        StatusPattern::Class(class) => *class == 2,
    };
    let status = matcher.status.as_ref().is_none_or(|set| set.0.iter().any(success));
    status && matcher.json.is_empty() && matcher.xml.is_empty() && matcher.header.is_empty()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::lint::fixtures::{finds, finds_nothing};

    const STORE: &str = "store_unavailable: {rejects: {status: 503}}";

    #[test]
    fn a_refusal_that_fits_any_success_is_found() {
        for matcher in ["{}", "{status: [503, 2xx]}"] {
            let change = (STORE, format!("store_unavailable: {{rejects: {matcher}}}"));
            finds(RULE.id, &[(change.0, &change.1)], "store_unavailable:", "`scope.store_unavailable`");
        }
    }

    #[test]
    fn an_error_inside_a_success_is_not() {
        finds_nothing(&[(STORE, r#"store_unavailable: {rejects: {status: 200, json: {"$.errors[0].code": DOWN}}}"#)]);
    }
}
