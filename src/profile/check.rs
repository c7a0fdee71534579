//! What the form of a profile cannot say about target, operation and hooks.

use serde_json::Value;

use super::sites::{Purpose, of_request, sites};
use super::template::{NOW, Parsed};
use super::{
    BASE, Counter, DEFAULT, EffectSource, Hook, Operation, Profile, RequestTemplate, Variant, check_auth,
    check_contract, variants,
};
use crate::contract::Drawn;
use crate::document::{At, Located, Problem, is_kebab_case, pointer};
use crate::message::{Extractor, PatternExtractor};

/// Everything that is wrong with a profile whose form is right.
pub(super) fn problems(located: &Located, profile: &Profile) -> Vec<Problem> {
    let mut check = Check { located, profile, problems: Vec::new() };
    if !is_kebab_case(&profile.profile) {
        check.value("/profile", "a profile's name is in kebab-case, for example `my-api`");
    }
    check.templates();
    check.target();
    check.operation();
    check.further_operations();
    check.hooks();
    check.mock();
    check_auth::check(&mut check);
    check_contract::check(&mut check);
    check.problems
}

pub(super) struct Check<'p> {
    pub(super) located: &'p Located,
    pub(super) profile: &'p Profile,
    problems: Vec<Problem>,
}

impl Check<'_> {
    /// A problem of a value.
    pub(super) fn value(&mut self, at: &str, message: impl Into<String>) {
        self.problems.push(self.located.problem(At::Value(at), message));
    }

    /// A problem of a whole member.
    pub(super) fn member(&mut self, at: &str, message: impl Into<String>) {
        self.problems.push(self.located.problem(At::Key(at), message));
    }

    /// A problem with more to say.
    pub(super) fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn templates(&mut self) {
        for site in sites(self.profile) {
            match Parsed::parse(site.text) {
                Err(error) => self.value(&site.pointer, error.to_string()),
                Ok(parsed) => {
                    let allowed = site.purpose.names();
                    let may_stand = |name: &String| {
                        allowed.contains(&name.as_str()) || (name == NOW && self.may_tell_time(&site.pointer))
                    };
                    let misplaced: Vec<String> = parsed.names().into_iter().filter(|name| !may_stand(name)).collect();
                    for name in &misplaced {
                        self.unknown_name(&site.pointer, name, site.purpose);
                    }
                }
            }
        }
    }

    /// Whether the moment can stand at a place: in a header field, and in that of an attempt only if it is to be fresh.
    fn may_tell_time(&self, pointer: &str) -> bool {
        let Some((request, field)) = pointer.rsplit_once("/headers/") else { return false };
        let is_fresh = |request: &RequestTemplate| request.fresh.iter().any(|name| name.eq_ignore_ascii_case(field));
        if request == "/operation/request" || request.starts_with("/operation/parameters/") {
            return is_fresh(&self.profile.operation.request);
        }
        let further = |name: &str| self.profile.operations.get(name).is_some_and(|further| is_fresh(&further.request));
        match request.strip_prefix("/operations/").and_then(|rest| rest.split_once('/')) {
            Some((name, place)) if place == "request" || place.starts_with("parameters/") => further(name),
            Some(_) | None => !request.starts_with("/mock"),
        }
    }

    fn unknown_name(&mut self, at: &str, name: &str, purpose: Purpose<'_>) {
        let message = match name {
            NOW => format!("`{{{{{name}}}}}` stands in a header field that `fresh` names, and nowhere else"),
            "identity" | "marker" | "key" | "seconds" => format!("`{{{{{name}}}}}` has no value here"),
            _ => format!("`{{{{{name}}}}}` is not a name that templates have"),
        };
        let allowed = purpose.names();
        let problem = self.located.problem(At::Value(at), message);
        let problem = match allowed {
            [] => problem.expecting("variables of the environment only: `${NAME}`"),
            names => {
                let listed: Vec<String> = names.iter().map(|name| format!("{{{{{name}}}}}")).collect();
                problem.expecting(format!("one of: {}", listed.join(", ")))
            }
        };
        self.problem(problem.suggesting(name, allowed.iter().copied()));
    }

    fn target(&mut self) {
        let target = &self.profile.target;
        self.url("/target/base_url", "`base_url`", &target.base_url.0);
        for (name, url) in target.replicas.iter().filter(|(_, url)| !super::bind::is_below(&url.0)) {
            self.url(&pointer("/target/replicas", name), "a replica's URL", &url.0);
        }
        if target.accounts.contains_key(DEFAULT) {
            self.member(
                "/target/accounts/default",
                "`default` is the profile's own account: its credentials stand under `auth`",
            );
        }
        if let Some(clock) = &target.clock {
            self.request("/target/clock/request", &clock.request);
            self.extractor("/target/clock/time", &clock.time);
        }
    }

    /// A URL that holds no variable must be one.
    pub(super) fn url(&mut self, at: &str, what: &str, url: &str) {
        let fixed = Parsed::parse(url).is_ok_and(|parsed| parsed.variables().next().is_none());
        if fixed
            && !url.contains("{{")
            && let Err(problem) = super::bind::split_url(url)
        {
            let mut lines = problem.reason.lines().map(str::trim);
            let message = format!("{what} {}", lines.next().unwrap_or_default());
            let mut found = self.located.problem(At::Value(at), message);
            if let (true, Some(spot)) = (problem.hides, found.spot.as_mut()) {
                spot.excerpt = "(not shown)".into();
                spot.column = 1;
            }
            self.problem(lines.next().map_or(found.clone(), |hint| found.hinting(hint)));
        }
    }

    fn operation(&mut self) {
        let operation = &self.profile.operation;
        self.request("/operation/request", &operation.request);
        self.extractor("/operation/identity", &operation.identity);
        for (name, variant) in &operation.parameters {
            self.variant(&pointer("/operation/parameters", name), name, variant, operation);
        }
        let authorised =
            self.profile.target.auth.as_ref().is_some_and(|auth| !matches!(auth, super::Auth::Header { .. }));
        for name in operation.request.headers.keys() {
            if authorised && name.eq_ignore_ascii_case("authorization") {
                let at = pointer("/operation/request/headers", name);
                self.member(&at, "`target.auth` sends this header field already");
            }
        }
        if let Some(EffectSource::Counters(counters)) = &operation.effects {
            self.counters("/operation", &operation.request, counters);
        }
        self.cleanup("/operation", operation.cleanup.as_ref());
    }

    /// Operations on which the key of the first is tried.
    fn further_operations(&mut self) {
        for (name, operation) in &self.profile.operations {
            let at = pointer("/operations", name);
            if name == DEFAULT {
                self.member(&at, "`default` is the profile's own operation: it stands under `operation`");
            }
            self.request(&format!("{at}/request"), &operation.request);
            self.extractor(&format!("{at}/identity"), &operation.identity);
            for (name, variant) in &operation.parameters {
                self.variant(&pointer(&format!("{at}/parameters"), name), name, variant, &operation.probed());
            }
            if let Some(EffectSource::Counters(counters)) = &operation.effects {
                self.counters(&at, &operation.request, counters);
            }
            self.cleanup(&at, operation.cleanup.as_ref());
        }
    }

    /// A mock answers what the profile has.
    fn mock(&mut self) {
        let Some(mock) = &self.profile.mock else { return };
        for name in mock.failures.keys() {
            if !self.profile.operation.parameters.contains_key(name) {
                let at = pointer("/mock/failures", name);
                let known = self.profile.operation.parameters.keys().map(String::as_str);
                let problem = self.located.problem(At::Key(&at), format!("there are no parameters `{name}`"));
                self.problem(problem.suggesting(name, known));
            }
        }
        if let Some(list) = &mock.list
            && list.body.is_some()
        {
            if list.json.is_some() {
                self.member("/mock/list/body", "the content stands under `json` already");
            }
            if list.item.as_ref().is_some_and(|item| !item.is_string()) {
                self.value("/mock/list/item", "an item of a list that is written as text is text");
            }
        }
        let answers = mock.success.iter().map(|answer| ("/mock/success".to_owned(), answer));
        let failures = mock.failures.iter().map(|(name, answer)| (pointer("/mock/failures", name), answer));
        for (at, answer) in answers.chain(failures) {
            if answer.json.is_some() && answer.body.is_some() {
                self.member(&format!("{at}/body"), "the content stands under `json` already");
            }
        }
    }

    fn cleanup(&mut self, operation: &str, cleanup: Option<&RequestTemplate>) {
        let Some(cleanup) = cleanup else { return };
        let at = format!("{operation}/cleanup");
        self.request(&at, cleanup);
        if !uses(cleanup, "identity") && !uses(cleanup, "marker") {
            self.member(
                &at,
                "the cleanup names neither `{{identity}}` nor `{{marker}}`, so it cannot tell which effect to remove",
            );
        }
    }

    fn counters(&mut self, operation: &str, request: &RequestTemplate, counters: &[Counter]) {
        if counters.is_empty() {
            self.value(&format!("{operation}/effects"), "the list holds no counter");
        }
        if !uses(request, "marker") {
            let problem = self.located.problem(
                At::Key(&format!("{operation}/request")),
                "the request does not contain `{{marker}}`, so its effects cannot be told from others",
            );
            self.problem(problem.hinting("put \"{{marker}}\" into a parameter that the counter can search for"));
        }
        for (index, counter) in counters.iter().enumerate() {
            let at = format!("{operation}/effects/{index}");
            self.request(&format!("{at}/request"), &counter.request);
            self.extractor(&format!("{at}/each"), &counter.each);
            if !uses(&counter.request, "marker") && !counter.picked_by_marker {
                let message = "the counter does not contain `{{marker}}`, so it would count effects of others";
                let problem = self.located.problem(At::Key(&format!("{at}/request")), message);
                let hint = "`picked_by_marker: true` picks them out of a list that cannot be searched";
                self.problem(problem.hinting(hint));
            }
            if counter.picked_by_marker && matches!(counter.each, Extractor::Header(_) | Extractor::Pattern(_)) {
                let message = "only items of JSON and XML hold something beside their identity";
                self.value(&format!("{at}/picked_by_marker"), message);
            }
        }
    }

    fn variant(&mut self, at: &str, name: &str, variant: &Variant, operation: &Operation) {
        if name == BASE {
            self.member(at, "`base` is the request as it stands, and cannot be given as a variant");
        }
        self.patches(at, variant, operation);
        if variant.path.as_ref().is_some_and(|path| !path.0.starts_with(['/', '$', '{'])) {
            self.value(&format!("{at}/path"), PATH);
        }
        let has_patch = variant.patches_parameters() || !variant.headers.is_empty();
        if let Some(spelling) = variant.spelling {
            if has_patch {
                self.member(at, "a variant with a `spelling` has the parameters of the request, and no patch");
            } else if !super::spelling::can_spell(&operation.request, spelling) {
                self.value(&format!("{at}/spelling"), "the request has no body that can be spelled like this");
            }
            return;
        }
        let patched = variants::request(operation, variant);
        if uses(&operation.request, "marker") && !uses(&patched, "marker") {
            let message = format!("variant `{name}` drops `{{{{marker}}}}`, so its effects cannot be told from others");
            self.member(at, message);
        }
        let request = &operation.request;
        let fits = (variant.json.is_none() || request.json.is_some())
            && (variant.form.is_none() || request.form.is_some())
            && (variant.multipart.is_none() || request.multipart.is_some())
            && (variant.raw.is_none() || request.raw.is_some());
        let must_differ = fits && (name == "changed" || variants::outcome(name, variant) != Drawn::Success);
        if must_differ && patched == operation.request {
            self.member(at, format!("variant `{name}` changes nothing, so it cannot get another answer"));
        }
    }

    fn patches(&mut self, at: &str, variant: &Variant, operation: &Operation) {
        let request = &operation.request;
        if variant.json.is_some() && request.json.is_none() {
            self.member(&format!("{at}/json"), "the request has no `json` to patch");
        }
        if variant.form.is_some() && request.form.is_none() {
            self.member(&format!("{at}/form"), "the request has no `form` to patch");
        }
        if variant.multipart.is_some() && request.multipart.is_none() {
            self.member(&format!("{at}/multipart"), "the request has no `multipart` to patch");
        }
        if variant.raw.is_some() && request.raw.is_none() {
            self.member(&format!("{at}/raw"), "the request has no `raw` to replace");
        }
        for (name, value) in variants::request(operation, variant).multipart.iter().flatten() {
            self.part(&pointer(&format!("{at}/multipart"), name), value);
        }
        let patches = [("form", &variant.form), ("multipart", &variant.multipart), ("query", &variant.query)];
        for (part, patch) in patches {
            if patch.as_ref().is_some_and(|patch| !patch.is_object()) {
                self.value(&format!("{at}/{part}"), format!("a patch over `{part}` is a map"));
            }
        }
        for (part, patch) in [("json", &variant.json), ("form", &variant.form), ("query", &variant.query)] {
            patch.iter().for_each(|patch| self.member_names(&format!("{at}/{part}"), patch));
        }
    }

    pub(super) fn request(&mut self, at: &str, request: &RequestTemplate) {
        self.method(&format!("{at}/method"), &request.method);
        if !request.path.0.starts_with(['/', '$', '{']) {
            self.value(&format!("{at}/path"), PATH);
        }
        let bodies = [
            ("json", request.json.is_some()),
            ("form", request.form.is_some()),
            ("multipart", request.multipart.is_some()),
            ("raw", request.raw.is_some()),
        ];
        for (second, _) in bodies.into_iter().filter(|(_, is_there)| *is_there).skip(1) {
            let message = "a request has one body: `json`, `form`, `multipart` or `raw`";
            self.member(&format!("{at}/{second}"), message);
        }
        for (name, value) in request.multipart.iter().flatten() {
            self.part(&pointer(&format!("{at}/multipart"), name), value);
        }
        for name in request.headers.keys() {
            self.header_name(At::Key(&pointer(&format!("{at}/headers"), name)), name);
        }
        for (index, name) in request.fresh.iter().enumerate() {
            if !request.headers.keys().any(|known| known.eq_ignore_ascii_case(name)) {
                let message = format!("`{name}` is not among the `headers` of the request");
                let problem = self.located.problem(At::Value(&format!("{at}/fresh/{index}")), message);
                self.problem(problem.suggesting(name, request.headers.keys().map(String::as_str)));
            }
        }
        if let Some(json) = &request.json {
            self.member_names(&format!("{at}/json"), json);
        }
        let fields = [
            ("query", Some(&request.query)),
            ("form", request.form.as_ref()),
            ("multipart", request.multipart.as_ref()),
        ];
        for (part, fields) in fields {
            for (name, value) in fields.into_iter().flatten() {
                let at = pointer(&format!("{at}/{part}"), name);
                self.member_name(&at, name);
                self.member_names(&at, value);
            }
        }
    }

    /// A part of a multipart body.
    fn part(&mut self, at: &str, value: &Value) {
        if let Some((below, message)) = super::multipart::fault(value) {
            self.value(&format!("{at}{below}"), message);
        }
    }

    /// Templates stand in values. In a name they would be sent as they are written.
    fn member_names(&mut self, at: &str, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let at = pointer(at, name);
                    self.member_name(&at, name);
                    self.member_names(&at, member);
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| self.member_names(&format!("{at}/{index}"), item));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn member_name(&mut self, at: &str, name: &str) {
        if name.contains("{{") || name.contains("${") {
            self.member(at, format!("a template cannot stand in a name: `{name}`"));
        }
    }

    pub(super) fn method(&mut self, at: &str, method: &str) {
        const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
        let upper = method.to_uppercase();
        if http::Method::from_bytes(method.as_bytes()).is_err() {
            self.value(at, format!("`{method}` is not a request method"));
        } else if method != upper && KNOWN.contains(&upper.as_str()) {
            let problem = self.located.problem(At::Value(at), format!("`{method}` is not a request method"));
            self.problem(problem.hinting(format!("did you mean `{upper}`?")));
        }
    }

    pub(super) fn header_name(&mut self, at: At<'_>, name: &str) {
        if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
            let problem = self.located.problem(at, format!("`{name}` is not the name of a header field"));
            self.problem(problem);
        }
    }

    fn extractor(&mut self, at: &str, extractor: &Extractor) {
        if let Extractor::Header(name) = extractor {
            self.header_name(At::Value(&format!("{at}/header")), name);
        }
        if let Extractor::Pattern(PatternExtractor { within: Some(name), .. }) = extractor {
            self.header_name(At::Value(&format!("{at}/pattern/in")), name);
        }
    }

    fn hooks(&mut self) {
        for (name, hook) in &self.profile.hooks {
            let at = pointer("/hooks", name);
            match hook {
                Hook::Request(request) => self.request(&format!("{at}/request"), request),
                Hook::Command(words) if words.is_empty() => {
                    self.value(&format!("{at}/command"), "the command is empty")
                }
                Hook::Command(_) => {}
            }
            self.hook_use(&at, name, hook);
        }
    }

    /// A clock must be told how far to move; other hooks are not told.
    fn hook_use(&mut self, at: &str, name: &str, hook: &Hook) {
        let told = |name| match hook {
            Hook::Request(request) => uses(request, name),
            Hook::Command(words) => words.iter().any(|word| names(&word.0, name)),
        };
        match (name == ADVANCE_CLOCK, told("seconds")) {
            (true, false) => {
                self.member(at, "the hook does not contain `{{seconds}}`, so it cannot tell how far to move")
            }
            (false, true) => self.member(at, "`{{seconds}}` has a value in the hook `advance-clock` only"),
            (true, true) | (false, false) => {}
        }
    }
}

/// What a path is.
const PATH: &str = "a path begins with `/`; it is appended to `base_url`";

/// The hook that moves the target's clock.
const ADVANCE_CLOCK: &str = "advance-clock";

/// Whether a request contains a name.
fn uses(request: &RequestTemplate, name: &str) -> bool {
    of_request("", request, Purpose::Cleanup).iter().any(|site| names(site.text, name))
}

fn names(text: &str, name: &str) -> bool {
    Parsed::parse(text).is_ok_and(|parsed| parsed.names().iter().any(|known| known == name))
}
