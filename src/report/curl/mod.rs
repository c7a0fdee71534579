//! An attempt as a command: the same request by curl, with secrets as the names of their variables.

mod shell;
mod signing;

use self::shell::{Secrets, is_copied_well};
use self::signing::Signing;
use super::text::escape;
use crate::history::{Attempt, CaseHistory, History, Outcome, Protocol, RunInfo};

/// What ends a line that goes on.
const NEXT: &str = " \\\n  ";

/// Options of a run that curl has by the same name, with a value each.
const SHARED: [&str; 4] = ["--connect-to", "--cacert", "--cert", "--key"];

/// Fields that curl would add by itself.
const UNASKED: [&str; 2] = ["Accept", "Content-Type"];

/// The commands that send an attempt again, with a remark on each of what they cannot know.
pub fn curl(history: &History, case: &CaseHistory, attempt: &Attempt) -> String {
    let Some(run) = &history.run else { return String::new() };
    let signing = Signing::of(&run.document, attempt);
    let command = Command { history, run, attempt, secrets: Secrets::of(&run.document), signing };
    let what = format!("# {}{}: {}\n", escape(&case.id.0), attempt.start.id, escape(&told(attempt)));
    format!("{what}{}{}\n", command.remarks(), command.text())
}

/// What was meant by an attempt, and what became of it.
fn told(attempt: &Attempt) -> String {
    let start = &attempt.start;
    let lose = start.lose.map(|loss| format!(", lost on purpose ({loss})")).unwrap_or_default();
    let became = match attempt.end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Answered(response) | Outcome::Hidden(response)) => format!("answered {}", response.status),
        Some(Outcome::Lost { .. }) => "no answer".to_owned(),
        Some(Outcome::Failed { error, .. }) => error.words().to_owned(),
        Some(Outcome::Swallowed) | None => "what became of it is not known".to_owned(),
    };
    format!("parameters {}{lose}, {became}", start.parameters)
}

struct Command<'h> {
    history: &'h History,
    run: &'h RunInfo,
    attempt: &'h Attempt,
    secrets: Secrets,
    signing: Option<Signing>,
}

impl Command<'_> {
    fn text(&self) -> String {
        let request = &self.attempt.start.request;
        let mut words = vec!["curl".to_owned(), "--globoff --path-as-is".to_owned()];
        words.extend(self.connection());
        words.push(match request.method.as_str() {
            "HEAD" => "--head".to_owned(),
            method => format!("--request {}", self.secrets.word(method)),
        });
        words.push(self.secrets.word(&format!("{}{}", self.base_url(), request.target)));
        words.extend(self.signing.iter().map(|signing| signing.options(&self.secrets)));
        words.extend(self.fields());
        let (printer, content) = self.content();
        words.extend(content);
        printer + &words.join(NEXT)
    }

    /// Where the request went, without its path: the target has all of that.
    fn base_url(&self) -> String {
        let plan = self.history.plan.as_ref();
        let replica = self.attempt.start.replica.as_ref().and_then(|name| plan?.replicas.get(name));
        let whole = replica.unwrap_or(&self.run.base_url);
        let (scheme, rest) = whole.split_once("://").unwrap_or(("http", whole));
        format!("{scheme}://{}", rest.split('/').next().unwrap_or_default())
    }

    fn connection(&self) -> Vec<String> {
        let mut options = Vec::new();
        let is_secure = self.run.base_url.starts_with("https:");
        match self.attempt.end.as_ref().and_then(|end| end.protocol) {
            Some(Protocol::Http1) => options.push("--http1.1".to_owned()),
            Some(Protocol::Http2) if is_secure => options.push("--http2".to_owned()),
            Some(Protocol::Http2) => options.push("--http2-prior-knowledge".to_owned()),
            None => {}
        }
        options.extend(self.run.connections.insecure.then(|| "--insecure".to_owned()));
        options.extend(self.run.connections.proxy.iter().map(|proxy| format!("--proxy {}", self.secrets.word(proxy))));
        let shared = |pair: &[String]| {
            let [name, value] = pair else { return None };
            SHARED.contains(&name.as_str()).then(|| format!("{name} {}", self.secrets.word(value)))
        };
        options.extend(self.words().windows(2).filter_map(shared));
        options
    }

    fn words(&self) -> &[String] {
        self.history.plan.as_ref().map(|plan| plan.words.as_slice()).unwrap_or_default()
    }

    /// The header fields; those that curl would add by itself are taken away.
    fn fields(&self) -> Vec<String> {
        let headers = &self.attempt.start.request.headers;
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut fields = Vec::new();
        for (name, value) in headers {
            if self.signing.as_ref().is_some_and(|signing| signing.makes(name)) {
                continue;
            }
            fields.push(match basic(name, value) {
                Some(pair) => format!("--user {}", self.secrets.word(pair)),
                None if value.is_empty() => format!("--header {}", self.secrets.word(&format!("{name};"))),
                None => format!("--header {}", self.secrets.word(&format!("{name}: {value}"))),
            });
        }
        if !is_given("User-Agent") {
            fields.push(format!("--user-agent {}", self.secrets.word(&self.user_agent())));
        }
        let protocol = self.attempt.end.as_ref().and_then(|end| end.protocol);
        if protocol == Some(Protocol::Http1) && !is_given("Connection") {
            // There is one connection to an attempt.
            fields.push("--header 'Connection: close'".to_owned());
        }
        fields.extend(UNASKED.iter().filter(|name| !is_given(name)).map(|name| format!("--header {name}:")));
        fields
    }

    /// The agent that the wire named.
    fn user_agent(&self) -> String {
        let given = self.words().windows(2).find(|pair| pair[0] == "--user-agent").map(|pair| pair[1].clone());
        given.unwrap_or_else(|| format!("idemspec/{}", self.run.program))
    }

    /// What prints the content, if it cannot be an argument, and the argument.
    fn content(&self) -> (String, Option<String>) {
        let request = &self.attempt.start.request;
        match &request.body {
            None if ["POST", "PUT", "PATCH"].contains(&request.method.as_str()) => {
                (String::new(), Some("--data-binary ''".to_owned()))
            }
            None => (String::new(), None),
            // An argument that begins with `@` names a file.
            Some(body) if is_copied_well(body) && !body.starts_with('@') => {
                (String::new(), Some(format!("--data-binary {}", self.secrets.word(body))))
            }
            Some(body) => (format!("{} | ", self.secrets.printed(body)), Some("--data-binary @-".to_owned())),
        }
    }

    /// What the command cannot know.
    fn remarks(&self) -> String {
        let request = &self.attempt.start.request;
        let mut remarks = Vec::new();
        let mut encoded = self.secrets.variables(&request.target);
        let is_form = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("content-type") && value.contains("x-www-form-urlencoded")
        };
        let body = request.body.as_deref().unwrap_or_default();
        if request.headers.iter().any(is_form) {
            encoded.extend(self.secrets.variables(body));
        }
        for name in encoded {
            remarks.push(format!("# ${name} stands in a URL or a form: its value must be percent-encoded\n"));
        }
        let in_headers = request.headers.iter().flat_map(|(_, value)| self.secrets.variables(value));
        for name in in_headers.filter(|name| name.starts_with("TOKEN_OF_")) {
            remarks.push(format!("# ${name} is a token that was fetched: it must be fetched again\n"));
        }
        remarks.dedup();
        remarks.concat()
    }
}

/// Name and password of `Authorization: Basic`, as they are shown.
fn basic<'v>(name: &str, value: &'v str) -> Option<&'v str> {
    if !name.eq_ignore_ascii_case("authorization") {
        return None;
    }
    value.strip_prefix("Basic base64(")?.strip_suffix(')')
}
