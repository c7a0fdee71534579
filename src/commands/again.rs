//! What a journal keeps for its readers: the words by which the run can be repeated, and where the profile declares what.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Parser as _, ValueEnum as _};

use super::connections::recorded;
use super::session::Session;
use crate::cli::{Arguments, Command, PacingArguments, RaceRelease, RunArguments};
use crate::contract::Requirement;
use crate::history::Declaration;
use crate::profile;

/// What a journal keeps for its readers.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// The words by which the run can be repeated.
    pub(super) words: Vec<String>,
    /// Where the profile's files declare each requirement.
    pub(super) declared: BTreeMap<Requirement, Declaration>,
}

impl Told {
    /// As the arguments of `run` have it.
    pub(super) fn of(arguments: &RunArguments, session: &Session) -> Self {
        let declared = session.reference.as_deref().map(declared).unwrap_or_default();
        Self { words: words(arguments, session), declared }
    }
}

/// Where the files of a profile declare each requirement. Paths below the working directory are relative to it.
pub(super) fn declared(reference: &str) -> BTreeMap<Requirement, Declaration> {
    let here = std::env::current_dir().unwrap_or_default();
    // A profile that was loaded can be read once more; if not, reports name no lines.
    let found = profile::declarations(reference).unwrap_or_default().into_iter();
    let relative =
        |file: &str| Path::new(file).strip_prefix(&here).map_or(file.to_owned(), |path| path.display().to_string());
    found
        .map(|(requirement, file, spot)| {
            (requirement, Declaration { file: relative(&file), line: spot.line, column: spot.column })
        })
        .collect()
}

/// The words that choose target, profile and scenarios. No selection, and no secret: a URL stands without its user.
fn words(arguments: &RunArguments, session: &Session) -> Vec<String> {
    let mut words = Words(session.reference.iter().cloned().collect());
    words.option("--operation", session.operation.clone());
    let base_url = arguments.base_url.as_ref().map(|_| session.bound.base_url().to_owned());
    words.option("--base-url", base_url);
    words.option("--scenarios", arguments.scenarios.as_deref().map(shown));
    words.flag("--mock", arguments.mock);
    words.options("--defect", &arguments.defect);
    words.flag("--tls", arguments.tls);
    let sync = (arguments.sync != RaceRelease::Auto).then(|| arguments.sync.to_possible_value()).flatten();
    words.option("--sync", sync.map(|sync| sync.get_name().to_owned()));
    words.option("--pressure", arguments.pressure.map(|keys| keys.to_string()));
    words.option("--rate", arguments.pacing.rate.map(|rate| rate.to_string()));
    words.extend(limits(&arguments.pacing));
    words.flag("--allow-production", arguments.target.allow_production);
    let connections = &arguments.target.connections;
    words.option("--proxy", recorded(session.connector.settings()).proxy);
    words.options("--connect-to", &connections.connect_to);
    words.option("--cacert", connections.cacert.as_deref().map(shown));
    words.flag("--insecure", connections.insecure);
    words.option("--cert", connections.cert.as_deref().map(shown));
    words.option("--key", connections.key.as_deref().map(shown));
    words.flag("--http1", connections.http1);
    words.flag("--http2", connections.http2);
    words.option("--user-agent", connections.user_agent.clone());
    words.0
}

/// How long is waited and how much is sent at most, where that is not the usual: a case that needs more would be left out.
fn limits(pacing: &PacingArguments) -> Vec<String> {
    let usual = match Arguments::try_parse_from(["idemspec", "run"]).map(|usual| usual.command) {
        Ok(Command::Run(usual)) => Some(usual.pacing),
        Ok(_) | Err(_) => None,
    };
    let mut words = Words(Vec::new());
    let other_wait = usual.as_ref().is_none_or(|usual| usual.max_wait != pacing.max_wait);
    words.option("--max-wait", other_wait.then(|| pacing.max_wait.to_string()));
    let other_number = usual.as_ref().is_none_or(|usual| usual.max_requests != pacing.max_requests);
    words.option("--max-requests", other_number.then(|| pacing.max_requests.to_string()));
    words.0
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

struct Words(Vec<String>);

impl Words {
    fn extend(&mut self, words: Vec<String>) {
        self.0.extend(words);
    }

    fn flag(&mut self, name: &str, given: bool) {
        self.0.extend(given.then(|| name.to_owned()));
    }

    fn option(&mut self, name: &str, value: Option<String>) {
        self.0.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    }

    fn options(&mut self, name: &str, values: &[String]) {
        self.0.extend(values.iter().flat_map(|value| [name.to_owned(), value.clone()]));
    }
}
