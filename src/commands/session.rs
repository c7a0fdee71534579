//! Everything that a run needs before its first byte is sent: profile, target, scenarios, plan.

use anyhow::{Context as _, Result, bail};
use indexmap::IndexMap;

use super::units::Unit;
use super::{embedded, select, unset};
use crate::cli::{RaceRelease, RunArguments};
use crate::history::MockInfo;
use crate::plan::{Plan, PlanOptions, Shard};
use crate::profile::{BindOptions, Bound, Replica};
use crate::reference::RunningReference;
use crate::runner;
use crate::scenario::{self, Scenario};
use crate::wire::{Connector, Endpoint, Proxy};
use serde_json::Value;

/// A run that is ready to begin.
pub(super) struct Session {
    /// The profile, with its variables filled in.
    pub(super) bound: Bound,
    /// Where the requests go.
    pub(super) connector: Connector,
    /// Where requests to the profile's replicas go, by name.
    pub(super) replicas: IndexMap<String, Connector>,
    /// The profile as it was loaded.
    pub(super) document: Value,
    /// How the user named the profile, where it was loaded by a name.
    pub(super) reference: Option<String>,
    /// The further operation that is probed in the place of the profile's own, if one is.
    pub(super) operation: Option<String>,
    /// Which part of the run this is, and which part of the operation, if others do the rest.
    pub(super) shard: Option<(Shard, Shard)>,
    /// What will run.
    pub(super) plan: Plan,
    /// The names of the profile's replicas that `--base-url` leaves out.
    pub(super) left_out: Vec<String>,
    /// The embedded target, where the run has no other. It ends when this is dropped.
    pub(super) embedded: Option<RunningReference>,
    /// What the embedded target is a mock of, if it is one.
    pub(super) mock: Option<MockInfo>,
}

impl Session {
    /// Loads and checks everything. Nothing is sent.
    pub(super) fn prepare(arguments: &RunArguments, unit: &Unit) -> Result<Self> {
        Self::prepare_in(arguments, unit, &|name| std::env::var(name).ok())
    }

    /// The same with other variables than those of the process.
    pub(super) fn prepare_in(
        arguments: &RunArguments,
        unit: &Unit,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let loaded = unit.loaded()?;
        let (loaded, mock) = match arguments.mock {
            true => embedded::stage(&unit.reference, loaded).map(|(loaded, mock)| (loaded, Some(mock)))?,
            false => (loaded, None),
        };
        let made_up = mock.as_ref().map(|_| loaded.profile.made_up_values());
        // What is set in the environment is never shown to a mock.
        let environment = |name: &str| match &made_up {
            Some(values) => values.get(name).cloned(),
            None => environment(name),
        };
        let embedded = embedded::start(arguments, &unit.reference, &loaded.profile)?;
        let base_url = embedded.as_ref().map(RunningReference::base_url).or_else(|| arguments.base_url.clone());
        let allow_production = arguments.target.allow_production || mock.is_some();
        let options = BindOptions { base_url: base_url.as_deref(), replicas: None, allow_production };
        let mut settings = super::connections::settings(&arguments.target.connections)?;
        if let Some(running) = &embedded {
            settings = embedded::trust(running, settings)?;
        }
        let named: Vec<String> = loaded.profile.target.replicas.keys().cloned().collect();
        let from = loaded.profile.target.credentials_from.clone();
        let bound = Bound::new(loaded.profile, &environment, &options)
            .map_err(|error| unset::explained(error, &unit.reference, unit.further(), from.as_ref()))?;
        for secret in settings.proxy.iter().flat_map(Proxy::secrets) {
            bound.add_secret(&secret, "${PROXY_CREDENTIALS}");
        }
        let connector = Connector::with(Endpoint::parse(bound.base_url())?, settings);
        connector.check()?;
        check_release(arguments, &connector)?;
        let replicas = replicas(&bound, &connector)?;
        let is_left_out = |name: &String| base_url.is_some() && !replicas.contains_key(name);
        let left_out = named.into_iter().filter(is_left_out).collect();
        let scenarios = scenarios(arguments)?;
        let selection = select::selection(arguments, &scenarios)?;
        let plan = Plan::new(
            &bound,
            &scenarios,
            &PlanOptions {
                selection,
                max_wait: arguments.pacing.max_wait,
                may_speak_http2: connector.may_speak_http2(),
                suspends: embedded.is_none(),
                pressure: arguments.pressure,
            },
        );
        let plan = match unit.shard {
            Some((_, part)) => plan.part(part, &bound, arguments.pacing.max_wait),
            None => plan,
        };
        Ok(Self {
            bound,
            connector,
            replicas,
            document: loaded.document,
            reference: Some(unit.reference.clone()),
            operation: unit.further().map(str::to_owned),
            shard: unit.shard,
            plan,
            left_out,
            embedded,
            mock,
        })
    }
}

/// Where the replicas are, by the same settings as the target itself.
pub(super) fn replicas(bound: &Bound, connector: &Connector) -> Result<IndexMap<String, Connector>> {
    let connect =
        |(name, replica): (&String, &Replica)| Ok((name.clone(), connector.to(Endpoint::parse(replica.base_url())?)));
    bound.replicas().iter().map(connect).collect()
}

/// A release that the connections cannot have is said before anything is sent. No other takes its place.
fn check_release(arguments: &RunArguments, connector: &Connector) -> Result<()> {
    match arguments.sync {
        RaceRelease::LastByte if arguments.target.connections.http2 => {
            bail!("--sync last-byte is HTTP/1.1's, and --http2 rules that out: leave one of them out");
        }
        RaceRelease::SinglePacket if !connector.may_speak_http2() => {
            bail!(
                "--sync single-packet needs HTTP/2, which is not spoken here: use `https://`, or --http2 for a target \
                 that speaks it without TLS; --http1 rules it out"
            );
        }
        RaceRelease::LastByte | RaceRelease::SinglePacket | RaceRelease::Auto | RaceRelease::None => Ok(()),
    }
}

fn scenarios(arguments: &RunArguments) -> Result<Vec<Scenario>> {
    let mut scenarios = scenario::load_shipped();
    if let Some(folder) = &arguments.scenarios {
        scenarios.extend(scenario::load_directory(folder)?);
    }
    Ok(scenarios)
}

/// What a run leaves behind where nothing can be removed, said before anything is sent.
pub(super) fn announcement(session: &Session, max_requests: u64) -> String {
    let budget = session.plan.budget;
    let cases = session.plan.cases.len();
    let cleanup = if budget.cleanups > 0 { "removed at the end" } else { "left there: the profile has no `cleanup`" };
    let mut text = format!(
        "{cases} cases against {}: at most {} requests ({} attempts, {} counts, {} cleanups{}), {} actions; effects are {cleanup}",
        session.bound.base_url(),
        budget.requests(),
        budget.attempts,
        budget.counts,
        budget.cleanups,
        if budget.hooks > 0 { format!(", {} hooks", budget.hooks) } else { String::new() },
        budget.actions,
    );
    let tokens = session.bound.token_accounts().len();
    if tokens > 0 {
        let whose = if tokens == 1 { "the account".to_owned() } else { format!("each of {tokens} accounts") };
        text.push_str(&format!(
            "\nbeside these, a token is fetched for {whose}, and again when it expires or is refused; that counts as none of \
             the requests"
        ));
    }
    let left_out: Vec<&str> = session.left_out.iter().map(String::as_str).collect();
    if !left_out.is_empty() {
        text.push_str(&format!(
            "\nthe profile's replicas ({}) are left out, as they belong to the deployment that it names",
            left_out.join(", ")
        ));
    }
    if budget.requests() > max_requests {
        text.push_str(&format!(
            "\nthe cap of --max-requests is {max_requests}: if it is reached, what is left out is untested"
        ));
    }
    text
}

/// Renders every request of the plan once, so that a mistake in the profile shows before anything is sent.
pub(super) fn rehearse(bound: &Bound, plan: &Plan) -> Result<()> {
    runner::rehearse(bound, plan).context("the profile cannot be rendered; nothing was sent")
}
