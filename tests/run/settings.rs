//! Settings: the command line first, then the environment, then the nearest file.

use std::ffi::OsString;
use std::path::Path;

use idemspec::cli::{Arguments, Command, RunArguments};
use idemspec::settings::{self, SettingsError};

use crate::support::{program, write_file};

fn resolved(words: &[&str], variables: &[(&str, &str)], folder: &Path) -> Result<Arguments, SettingsError> {
    let words = std::iter::once("idemspec").chain(words.iter().copied()).map(OsString::from).collect();
    let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    settings::resolved(words, &find, folder)
}

fn run(words: &[&str], variables: &[(&str, &str)], folder: &Path) -> RunArguments {
    match resolved(&[&["run"], words].concat(), variables, folder).unwrap().command {
        Command::Run(run) => *run,
        other => panic!("{other:?} is no run"),
    }
}

fn problem(words: &[&str], variables: &[(&str, &str)], folder: &Path) -> String {
    resolved(words, variables, folder).unwrap_err().to_string()
}

#[test]
fn the_command_line_comes_first_then_the_environment_then_the_file() {
    let folder = tempfile::tempdir().unwrap();
    write_file(
        folder.path(),
        "idemspec.yaml",
        "jobs: 2\nmax_requests: 20\nmax_wait: 2m\nstrict: true\nonly: [key, replay]\n",
    );
    let below = folder.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    let variables = [("IDEMSPEC_JOBS", "3"), ("IDEMSPEC_MAX_REQUESTS", "30")];
    let arguments = run(&["--jobs", "4"], &variables, &below);
    assert_eq!((arguments.pacing.jobs, arguments.pacing.max_requests), (4, 30));
    assert_eq!(arguments.pacing.max_wait.to_string(), "2m");
    assert_eq!((arguments.verdict.strict, arguments.only.join(" ")), (true, "key replay".to_owned()));
    assert!(!run(&[], &[("IDEMSPEC_STRICT", "false")], &below).verdict.strict);
    assert_eq!(run(&[], &[("IDEMSPEC_ONLY", "scope\nkey")], &below).only, ["scope", "key"]);
    assert_eq!(run(&["--only", "conflict"], &variables, &below).only, ["conflict"]);
    // The nearest file counts, and it alone.
    write_file(&folder.path().join("a"), "idemspec.yaml", "# nothing but a remark\njobs: 7\n");
    let arguments = run(&[], &[], &below);
    assert_eq!((arguments.pacing.jobs, arguments.verdict.strict), (7, false));
    let file = folder.path().join("idemspec.yaml");
    assert_eq!(run(&["--config", file.to_str().unwrap()], &[], &below).pacing.jobs, 2);
}

#[test]
fn what_is_stronger_sends_away_what_it_rules_out() {
    let folder = tempfile::tempdir().unwrap();
    write_file(
        folder.path(),
        "idemspec.yaml",
        "base_url: http://staging.internal\nhttp2: true\nprofile: my-api.yaml\n",
    );
    let arguments = run(&["--mock", "--http1"], &[], folder.path());
    assert!(arguments.mock && arguments.target.connections.http1 && !arguments.target.connections.http2);
    assert_eq!(arguments.base_url, None);
    // The profile is beside the file, and its base URL is not that of another profile.
    assert_eq!(Path::new(&arguments.profiles[0]), folder.path().join("my-api.yaml"));
    assert_eq!(run(&[], &[], folder.path()).base_url.as_deref(), Some("http://staging.internal"));
    let other = run(&["stripe-v1"], &[], folder.path());
    assert_eq!((other.profiles.join(" ").as_str(), other.base_url), ("stripe-v1", None));
}

#[test]
fn settings_are_for_the_commands_that_probe_and_judge() {
    let folder = tempfile::tempdir().unwrap();
    write_file(folder.path(), "idemspec.yaml", "profile: stripe-v1\nlevel: should\nonly: replay\njobs: 2\n");
    let Command::Judge(judge) = resolved(&["judge", "run.jsonl"], &[], folder.path()).unwrap().command else {
        panic!("no judge")
    };
    assert_eq!((judge.profile, judge.verdict.level), (None, idemspec::cli::DecidingLevel::Should));
    let Command::Selftest(selftest) = resolved(&["selftest"], &[], folder.path()).unwrap().command else {
        panic!("no selftest")
    };
    assert!(selftest.only.is_empty());
}

#[test]
fn mistakes_are_told_with_their_place_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = "max_waits: 2m\njobs: 0\nlevel: most\nrate: often\n";
    let file = write_file(folder.path(), "idemspec.yaml", text);
    let said = problem(&["run"], &[], folder.path());
    assert!(said.contains(&format!("{file}:1:1: ")) && said.contains("did you mean `max_wait`?"), "{said}");
    assert!(said.contains(&format!("{file}:3:8: ")) && said.contains("must"), "{said}");
    write_file(folder.path(), "idemspec.yaml", "jobs: 0\nrate: often\n");
    let said = problem(&["run"], &[], folder.path());
    assert!(said.contains(&format!("{file}:1:7: `0` is no value for `jobs`: ")), "{said}");
    assert!(said.contains(&format!("{file}:2:7: `often` is no value for `rate`: ")), "{said}");
    write_file(folder.path(), "idemspec.yaml", "http1: true\nhttp2: true\n");
    assert!(problem(&["run"], &[], folder.path()).contains("cannot be used with"));
    write_file(folder.path(), "idemspec.yaml", "allow_production: true\n");
    assert!(problem(&["run"], &[], folder.path()).contains("allow_production"));
    std::fs::remove_file(&file).unwrap();
    let said = problem(&["run"], &[("IDEMSPEC_LEVEL", "most")], folder.path());
    assert!(said.contains("IDEMSPEC_LEVEL: `most` is no value for `level`") && said.contains("`should`"), "{said}");
    // Who asks for something else is not stopped by it.
    assert!(resolved(&["list"], &[("IDEMSPEC_LEVEL", "most")], folder.path()).is_ok());
}

#[test]
fn the_program_says_where_its_settings_are_from_and_is_silent_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_file(folder.path(), "idemspec.yaml", "only: no-such-scenario\n");
    let said = |arguments: &[&str]| {
        let output = program().arg("run").args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, talk) = said(&["--plan"]);
    assert_eq!(code, 2);
    assert!(talk.contains("settings from ") && talk.contains("no-such-scenario"), "{talk}");
    std::fs::write(&file, "only: validation-failure\nquiet: true\nkeep_effects: true\n").unwrap();
    let (code, talk) = said(&["--journal", "run.jsonl"]);
    assert_eq!((code, talk.as_str()), (0, ""));
}
