//! Explanations of the requirements of the clause `scope`.

use super::Explanation;
use crate::contract::Requirement;

pub(super) const METHODS: Explanation = Explanation {
    arises: "A key is used with another method than before.",
    declared: "contract.scope.other_methods, with the methods that count under contract.scope.methods",
    needs: "A target that accepts another method at the same place.",
    breaks: "Keys are looked up without the method, so that a PATCH is answered with the result of a POST; or only POST was wired \
             up, and the documented PATCH runs unprotected.",
    remedy: "Make the method a part of the key's scope, and ignore keys where they have no meaning.",
    related: &[Requirement::ScopeOtherOperation, Requirement::ReplayAfterSuccess],
};

pub(super) const OTHER_ACCOUNT: Explanation = Explanation {
    arises: "A key that one account has used comes from another account.",
    declared: "contract.scope.other_account; that no foreign result is shown holds under every contract",
    needs: "A second principal under target.accounts, and an effect counter for each.",
    breaks: "Keys are global. One customer reads another's answer, or blocks it by using a key first: a leak and a weapon.",
    remedy: "Make the authenticated account a part of the primary key of every record, and check authority before replaying.",
    related: &[Requirement::ScopeOtherOperation, Requirement::ConflictNoLeak],
};

pub(super) const OTHER_OPERATION: Explanation = Explanation {
    arises: "A key that was used on one operation comes on another.",
    declared: "contract.scope.other_operation",
    needs: "A further operation under operation.operations, with its own effects.",
    breaks: "Keys are looked up without route or resource: a refund under the key of its payment is answered with the payment, \
             and never happens.",
    remedy: "Make the operation and the resource a part of the key's scope, or refuse the second use with a 4xx that says why.",
    related: &[Requirement::ScopeMethods, Requirement::ConflictChangedParameters],
};

pub(super) const REPLICAS: Explanation = Explanation {
    arises: "A request is repeated at another replica, region or host name than the first.",
    declared: "contract.scope.replicas",
    needs: "Replicas that the profile names.",
    breaks: "Records live in the memory of one process or in a store that is copied late. Behind a balancer every few retries are \
             executed again, which no test against a single instance shows.",
    remedy: "Keep the records where every replica reads its own writes, or route by key.",
    related: &[Requirement::ReplayAfterSuccess, Requirement::RetentionKept],
};

pub(super) const STORE_UNAVAILABLE: Explanation = Explanation {
    arises: "The store of the keys is down when a request comes.",
    declared: "contract.scope.store_unavailable",
    needs: "Hooks `store-down` and `store-up` in the profile.",
    breaks: "The look-up fails, the error is swallowed, and the request is executed without protection: exactly during an outage, \
             when clients retry the most.",
    remedy: "Fail closed with a 503 and no effect, unless the contract openly says otherwise.",
    related: &[Requirement::ReplayNoServerError, Requirement::ReplaySingleEffect],
};
