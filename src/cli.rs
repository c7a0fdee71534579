//! The command line: definitions only.

mod bar;
mod compare;
mod curl;
mod help;
mod init;
mod lint;
mod report;
mod shard;
mod target;

use std::num::NonZeroU16;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::bar::{BarArguments, LeastFailing};
pub use self::compare::{CompareArguments, MergeArguments};
pub use self::curl::CurlArguments;
pub use self::report::{ReportArguments, WrittenArguments};
use self::help::{AFTER_HELP, JUDGE_HELP, LONG_ABOUT, RESUME_HELP, RUN_HELP, SELFTEST_HELP, SERVE_HELP};
pub use self::init::InitArguments;
pub use self::lint::{Denied, LintArguments, LintFormat};
pub use self::shard::ShardNumber;
pub use self::target::TargetArguments;
use crate::contract::{PRESSURE, Period, Rate};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "idemspec", version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(propagate_version = true, max_term_width = 110)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colour; NO_COLOR is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Probe an API and report which clauses of its contract hold.
    Run(Box<RunArguments>),
    /// Go on with a run that was killed, interrupted, or suspended until a key's time has come.
    Resume(Box<ResumeArguments>),
    /// Judge a recorded run again, offline, by its own contract or by another one.
    Judge(JudgeArguments),
    /// Write reports of a recorded run: json, junit, markdown, html, sarif, tap.
    Report(ReportArguments),
    /// Compare two JSON reports: what got better, what got worse.
    Compare(CompareArguments),
    /// Join the JSON reports of several shards.
    Merge(MergeArguments),
    /// Print an attempt of a recorded run as a curl command.
    Curl(CurlArguments),
    /// Serve a profile: a target that keeps its contract, or breaks it by defects.
    Serve(ServeArguments),
    /// Test this tool: would it notice? Sound targets must not be blamed, and broken ones must be.
    Selftest(SelftestArguments),
    /// Review the documentation of a contract, offline: what it says, what it leaves open, what contradicts itself.
    Lint(LintArguments),
    /// Begin a profile: from nothing, like another one, or from an OpenAPI document.
    Init(InitArguments),
    /// List what there is: profiles, scenarios, requirements, defects.
    List(ListArguments),
    /// Explain a requirement, a clause, a scenario or a defect.
    Explain(ExplainArguments),
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Which broken promises decide the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DecidingLevel {
    /// Musts only.
    Must,
    /// Musts and shoulds.
    Should,
}

/// How the copies of a race are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RaceRelease {
    /// As the connection permits.
    Auto,
    /// The last bytes of all requests in one loop, over HTTP/1.1.
    LastByte,
    /// The ends of all requests in one write, over HTTP/2.
    SinglePacket,
    /// Each as it comes.
    None,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArguments {
    /// The profile: the name of a shipped one (see `idemspec list profiles`) or a path. Of several, and of one that has
    /// several operations, each operation is a row of one table.
    #[arg(value_name = "PROFILE", default_value = "reference")]
    pub profiles: Vec<String>,

    /// Probe these operations of the profiles: names under `operations`, or `default` for a profile's own; where none is
    /// named, its own and those with `probe: true`.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub operation: Vec<String>,

    /// Do one of so many parts of the run, for example 2/4, and leave the others to other jobs: `idemspec merge` joins
    /// their reports.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<ShardNumber>,

    /// Where to send the requests, instead of the profile's `target.base_url`.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Also run the scenarios in this directory.
    #[arg(long, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,

    /// Run only what exercises these: clauses, requirements, scenarios, cases, or how the names of some begin
    /// (`replay.after-lost`). Can be repeated, and takes lists.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,

    /// Leave out these scenarios and cases, the scenarios about these clauses, and all that can exercise these
    /// requirements. Names as for --only.
    #[arg(long, value_name = "NAME")]
    pub skip: Vec<String>,

    /// How the copies of a race are released: by their last bytes (HTTP/1.1), in a single packet (HTTP/2), or not at
    /// all; `auto` is a single packet where the target speaks HTTP/2.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub sync: RaceRelease,

    /// How many fresh keys are used between a request and its repeat, to see whether a key store that fills up keeps its
    /// promise; what the scenarios say where this is not given (24).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(i64::from(PRESSURE)..=1_000_000))]
    pub pressure: Option<u32>,

    /// Print what would be sent, and send nothing.
    #[arg(long)]
    pub plan: bool,

    /// Run against a mock of this very profile, served on a loopback port, and not against the real API. No credentials are
    /// needed, and none are used: variables of the environment get made-up values.
    #[arg(long, conflicts_with_all = ["base_url", "proxy", "connect_to"])]
    pub mock: bool,

    /// Break the embedded reference API, or the mock, in this way (see `idemspec list defects`); can be repeated.
    #[arg(long, value_name = "NAME[=VALUE]", conflicts_with = "base_url")]
    pub defect: Vec<String>,

    /// Probe the embedded reference API, or the mock, over TLS, by a certificate that is made for the run and trusted by it.
    #[arg(long, conflicts_with = "base_url")]
    pub tls: bool,

    /// What the pauses are drawn from where the target turns requests away; a random one where this is not given.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// How much is sent, how fast, and how long it is waited.
    #[command(flatten)]
    pub pacing: PacingArguments,

    /// What decides the exit status, and how much is shown.
    #[command(flatten)]
    pub verdict: VerdictArguments,

    /// Which reports are written.
    #[command(flatten)]
    pub written: WrittenArguments,

    /// Where to write the journal; a new file under `.idemspec/` where this is not given. Where several operations are
    /// probed, each has a file of its own, with its name before the ending.
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// How the target is reached, and what is left there.
    #[command(flatten)]
    pub target: TargetArguments,
}

/// How much is sent, how fast, and how long it is waited.
#[derive(Args, Clone, Debug)]
pub struct PacingArguments {
    /// How many cases run at the same time. One that only waits does not count.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// Never send more requests than this, cleanup included; all processes of a run together.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub max_requests: u64,

    /// Send no more requests than this in a time, for example 10/s or 90/m; all cases, counts and cleanup together.
    #[arg(long, value_name = "N/s")]
    pub rate: Option<Rate>,

    /// The longest time that one wait may take. What waits longer for the age of a key is suspended: `idemspec resume`
    /// goes on with it when its time has come.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub max_wait: Period,
}

/// What decides the exit status, and how much is shown.
#[derive(Args, Clone, Debug)]
pub struct VerdictArguments {
    /// Which broken promises decide the exit status.
    #[arg(long, value_name = "LEVEL", default_value = "must")]
    pub level: DecidingLevel,

    /// Fail also where a declared must was not exercised, and where a waiver has expired or is of no use.
    #[arg(long)]
    pub strict: bool,

    /// What makes the program fail, and what is forgiven.
    #[command(flatten)]
    pub bar: BarArguments,

    /// Show more: undeclared requirements, every violation in full, bodies up to --max-evidence.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// Arguments of `resume`.
#[derive(Args, Debug)]
#[command(after_help = RESUME_HELP)]
pub struct ResumeArguments {
    /// The journal of the run. It is continued.
    pub journal: PathBuf,

    /// How much is sent, how fast, and how long it is waited.
    #[command(flatten)]
    pub pacing: PacingArguments,

    /// What decides the exit status, and how much is shown.
    #[command(flatten)]
    pub verdict: VerdictArguments,

    /// Which reports are written.
    #[command(flatten)]
    pub written: WrittenArguments,

    /// How the target is reached, and what is left there.
    #[command(flatten)]
    pub target: TargetArguments,
}

/// Arguments of `judge`.
#[derive(Args, Debug)]
#[command(after_help = JUDGE_HELP)]
pub struct JudgeArguments {
    /// The journal of the run. It is read, and not changed.
    pub journal: PathBuf,

    /// Judge by the contract of this profile, a name or a path, instead of the one that was run.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,

    /// What decides the exit status, and how much is shown.
    #[command(flatten)]
    pub verdict: VerdictArguments,

    /// Which reports are written.
    #[command(flatten)]
    pub written: WrittenArguments,
}

/// How connections to the target are opened: for probes, counts, hooks and cleanup alike.
#[derive(Args, Clone, Debug, Default)]
pub struct ConnectionArguments {
    /// Go through this HTTP proxy. Variables such as HTTP_PROXY are ignored.
    #[arg(short = 'x', long, value_name = "URL")]
    pub proxy: Option<String>,

    /// Connect to ADDRESS where HOST and PORT are meant; or HOST1:PORT1:HOST2:PORT2. Can be repeated.
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub connect_to: Vec<String>,

    /// Trust the certificates in this PEM file instead of the system's.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Accept any certificate. The report says so.
    #[arg(short = 'k', long)]
    pub insecure: bool,

    /// The client's certificate, as PEM; its private key too, unless --key names it.
    #[arg(short = 'E', long, value_name = "FILE")]
    pub cert: Option<PathBuf>,

    /// The private key to --cert, as PEM.
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Speak HTTP/1.1 only.
    #[arg(long, visible_alias = "http1.1", conflicts_with = "http2")]
    pub http1: bool,

    /// Speak HTTP/2 only; without TLS by prior knowledge.
    #[arg(long, visible_alias = "http2-prior-knowledge")]
    pub http2: bool,

    /// The value of the User-Agent field; the field is left out if this is empty.
    #[arg(short = 'A', long, value_name = "TEXT")]
    pub user_agent: Option<String>,

    /// The largest content of an answer that is read.
    #[arg(long, value_name = "SIZE", default_value = "4MiB")]
    pub max_response: Size,
}

/// A number of bytes, written like `4MiB`, `500kB` or `65536`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let digits = written.find(|character: char| !character.is_ascii_digit()).unwrap_or(written.len());
        let (number, unit) = written.split_at(digits);
        let factor: Option<usize> = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => Some(1),
            "kb" => Some(1000),
            "k" | "kib" => Some(1 << 10),
            "mb" => Some(1_000_000),
            "m" | "mib" => Some(1 << 20),
            "gb" => Some(1_000_000_000),
            "g" | "gib" => Some(1 << 30),
            _ => None,
        };
        let bytes = number.parse::<usize>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        bytes
            .filter(|bytes| *bytes > 0)
            .map(Self)
            .ok_or_else(|| "write a size such as `4MiB`, `500kB` or `65536`".into())
    }
}

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArguments {
    /// The profile whose API is served: a name (see `idemspec list profiles`) or a path. Its variables need no value, and
    /// any credentials will do: each is an account of its own.
    #[arg(value_name = "PROFILE", default_value = "reference")]
    pub profile: String,

    /// The port on 127.0.0.1; 0 for any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    pub port: u16,

    /// Break the API in this way (see `idemspec list defects`); can be repeated.
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub defect: Vec<String>,

    /// How long an execution takes.
    #[arg(long, value_name = "TIME", default_value = "25ms")]
    pub latency: Period,

    /// Carry out the first N requests to an operation, and close the connection instead of answering them: for a client
    /// that is to be tested.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub lose_first: u64,

    /// Answer this share of the requests to an operation with a 500 or a 503, before anything is done: for a client that
    /// is to be tested.
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = share)]
    pub error_rate: f64,

    /// What decides which requests these are; drawn where it is not given.
    #[arg(long, value_name = "N", requires = "error_rate")]
    pub seed: Option<u64>,

    /// Speak TLS, by a certificate for 127.0.0.1 and localhost that is made at the start.
    #[arg(long)]
    pub tls: bool,

    /// Write that certificate to a PEM file, so that clients can trust it.
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub write_cert: Option<PathBuf>,

    /// Keep keys and effects in this file, and not in memory alone: killed at any moment and started again with the same
    /// file, it keeps the contract. The file is made where there is none.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// Listen on this many ports, the given one and those that follow, all over one store.
    #[arg(long, value_name = "N", default_value = "1")]
    pub replicas: NonZeroU16,
}

/// Arguments of `selftest`.
#[derive(Args, Debug)]
#[command(after_help = SELFTEST_HELP)]
pub struct SelftestArguments {
    /// Probe these alone: a defect, a class of failure (C05), a sound target, or `sound` for all of those. Can be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Have the shipped profiles prove themselves instead: a mock of each is blamed for nothing, and with each of five defects
    /// for what that declares and nothing else. `--only` names profiles then.
    #[arg(long)]
    pub profiles: bool,

    /// How many targets are probed at the same time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,

    /// Write every scenario and requirement out, and what was seen.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// What to list; everything where this is not given.
    pub what: Option<Listed>,

    /// List the defects (the same as `idemspec list defects`).
    #[arg(long, hide = true, conflicts_with = "what")]
    pub defects: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// Contracts that come with the program.
    Profiles,
    /// Probes that come with the program.
    Scenarios,
    /// Everything that can be checked.
    Requirements,
    /// Ways to break the reference API.
    Defects,
    /// What `lint` finds in a contract.
    Lints,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  idemspec explain replay.after-success\n  idemspec explain conflict\n  idemspec explain lost-response"
)]
pub struct ExplainArguments {
    /// A requirement, a clause, a scenario, a defect, or something that `lint` finds or asks.
    pub name: String,
}

/// A share of a whole.
fn share(written: &str) -> Result<f64, String> {
    match written.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1, for example 0.1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_with_a_unit_or_without() {
        let bytes = |written: &str| written.parse::<Size>().map(|size| size.0).ok();
        assert_eq!(
            [bytes("4MiB"), bytes("500kB"), bytes("65536"), bytes("2 G")],
            [Some(4 << 20), Some(500_000), Some(65536), Some(2 << 30)]
        );
        assert_eq!(
            [bytes(""), bytes("MiB"), bytes("0"), bytes("4 apples"), bytes("-1"), bytes("99999999999999999999")],
            [None; 6]
        );
    }
}
