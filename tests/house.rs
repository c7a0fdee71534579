//! The house rules that a machine can check: imports run one way, files stay readable.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For every room, the rooms that it may use.
fn permitted() -> BTreeMap<&'static str, Vec<&'static str>> {
    BTreeMap::from([
        ("secret", vec![]),
        ("message", vec!["secret"]),
        ("contract", vec!["message"]),
        ("history", vec!["message", "contract"]),
        ("document", vec![]),
        ("profile", vec!["secret", "message", "contract", "document"]),
        ("scenario", vec!["contract", "history", "document"]),
        ("plan", vec!["contract", "history", "profile", "scenario"]),
        ("wire", vec!["secret", "message", "history"]),
        ("journal", vec!["history"]),
        ("runner", vec!["secret", "message", "contract", "history", "profile", "scenario", "plan", "wire", "journal"]),
        ("oracle", vec!["message", "contract", "history"]),
        ("lint", vec!["contract", "document", "profile"]),
        ("openapi", vec!["document"]),
        ("draft", vec!["document", "openapi", "profile"]),
        ("waiver", vec!["contract", "document"]),
        ("checklist", vec!["contract", "history", "oracle", "waiver"]),
        ("report", vec!["message", "contract", "history", "oracle", "waiver", "checklist", "lint"]),
        ("reference", vec!["message", "contract", "profile"]),
        ("selftest", vec!["contract", "history", "oracle", "reference"]),
        ("cli", vec!["contract"]),
        (
            "commands",
            vec![
                "cli",
                "secret",
                "message",
                "contract",
                "history",
                "document",
                "profile",
                "scenario",
                "plan",
                "wire",
                "journal",
                "runner",
                "oracle",
                "waiver",
                "checklist",
                "lint",
                "openapi",
                "draft",
                "report",
                "reference",
                "selftest",
            ],
        ),
    ])
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The room of a file: the first part of its path below `src`.
fn room(file: &Path) -> String {
    let inside = file.strip_prefix(source()).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms that a line names with `crate::…`.
fn used_rooms(line: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    line.split("crate::").skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn imports_run_one_way() {
    let permitted = permitted();
    let mut upward = Vec::new();
    for file in source_files(&source()) {
        let room = room(&file);
        if room == "lib" || room == "main" {
            continue;
        }
        let allowed =
            permitted.get(room.as_str()).unwrap_or_else(|| panic!("the room `{room}` has no place in the house"));
        let text = std::fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for used in used_rooms(line) {
                if used != room && !allowed.contains(&used.as_str()) {
                    upward.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(upward.is_empty(), "imports that run the wrong way:\n{}", upward.join("\n"));
}

#[test]
fn the_import_check_can_fail() {
    assert_eq!(used_rooms("use crate::runner::{Context, Pace};"), ["runner"]);
    assert_eq!(used_rooms("    let x = crate::oracle::judge(crate::contract::X);"), ["oracle", "contract"]);
    assert!(!permitted()["oracle"].contains(&"runner"));
}

#[test]
fn no_file_has_more_than_five_hundred_lines() {
    let long: Vec<String> = source_files(&source())
        .into_iter()
        .map(|file| (std::fs::read_to_string(&file).unwrap().lines().count(), file))
        .filter(|(lines, _)| *lines > 500)
        .map(|(lines, file)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}
