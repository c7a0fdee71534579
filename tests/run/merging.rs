//! Shards of one run, each with a report, and the reports joined and compared.

use std::path::Path;
use std::process::Output;

use idemspec::report::json::{Report, RunReport, Word};

use crate::support::{program, run};

const ONLY: [&str; 2] = ["--only", "key-reuse,validation-failure,other-account,other-method"];

fn reported(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let path = folder.join(name).to_string_lossy().into_owned();
    let run = run(&[arguments, &["--report", &format!("json={path}")]].concat());
    assert!([0, 1].contains(&run.code), "{}\n{}", run.stdout, run.stderr);
    path
}

fn with(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// The words for all requirements that anything is known about.
fn words(run: &RunReport) -> Vec<(String, Word)> {
    let all = run.clauses.iter().flat_map(|clause| &clause.requirements);
    all.map(|one| (one.id.clone(), one.verdict)).collect()
}

fn read(path: &str) -> Report {
    Report::read(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn shards_come_to_what_the_whole_comes_to() {
    let folder = tempfile::tempdir().unwrap();
    for (name, defect, code) in [("sound", &[][..], 0), ("broken", &["--defect", "no-dedup"][..], 1)] {
        let arguments = |more: &[&'static str]| [&ONLY[..], defect, more].concat();
        let of = |file: &str, more: &[&'static str]| {
            reported(folder.path(), &format!("{name}-{file}.json"), &arguments(more))
        };
        let whole = of("whole", &["--seed", "7"]);
        let (first, second) = (of("1", &["--shard", "1/2"]), of("2", &["--shard", "2/2"]));
        let out = folder.path().join(format!("{name}.json")).to_string_lossy().into_owned();
        let (status, stdout, stderr) = with(&["merge", &first, &second, "--output", &out]);
        assert_eq!(status, code, "{stdout}{stderr}");
        let (joined, whole) = (read(&out), read(&whole));
        assert_eq!(words(&joined.runs[0]), words(&whole.runs[0]));
        assert_eq!(joined.runs[0].result.exit_status, whole.runs[0].result.exit_status);

        let (status, _, stderr) = with(&["merge", &first]);
        assert_eq!(status, 2);
        assert!(stderr.contains("these are missing: 2/2"), "{stderr}");
    }
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (sound, broken) = (path("sound.json"), path("broken.json"));
    let (status, stdout, _) = with(&["compare", &sound, &broken]);
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("replay.single-effect") && stdout.contains("holds → violated"), "{stdout}");
    assert_eq!(with(&["compare", &broken, &sound]).0, 0);
    assert_eq!(with(&["compare", &sound, &sound]).0, 0);
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.json").to_string_lossy().into_owned();
    std::fs::write(&path, "{\"version\": 99}").unwrap();
    for arguments in [&["compare", &path, &path][..], &["merge", &path], &["merge", "nothing-there.json"]] {
        let (status, _, stderr) = with(arguments);
        assert_eq!(status, 2, "{stderr}");
        assert!(stderr.contains("version 99") || stderr.contains("cannot read `nothing-there.json`"), "{stderr}");
    }
}
