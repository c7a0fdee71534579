//! Completions, manual pages and help: all of them know every command.

use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use idemspec::cli::Arguments;

use crate::support::program;

fn commands() -> Vec<String> {
    let command = Arguments::command();
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

fn printed(arguments: &[&str]) -> String {
    let output = program().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = printed(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell} does not know {command}");
        }
        assert!(script.contains("exit-code") && script.contains("max-wait"), "{shell}");
        if shell == "bash" && Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_ok() {
            let folder = tempfile::tempdir().unwrap();
            let file = crate::support::write_file(folder.path(), "idemspec.bash", &script);
            assert!(Command::new("bash").args(["-n", &file]).status().unwrap().success());
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    printed(&["man", pages.to_str().unwrap(), "--quiet"]);
    for command in commands() {
        let page = std::fs::read_to_string(pages.join(format!("idemspec-{command}.1"))).unwrap();
        assert!(page.starts_with(".ie") && page.contains(".SH NAME"), "{page}");
    }
    assert!(std::fs::read_to_string(pages.join("idemspec.1")).unwrap().contains("max_wait"));
}

#[test]
fn the_help_groups_its_examples_by_task_and_they_are_all_valid() {
    let help = printed(&["--help"]);
    for task in ["Try it", "Probe an API", "Read and compare contracts", "Settings", "Exit status"] {
        assert!(help.contains(task), "{task}\n{help}");
    }
    let examples = help.lines().filter_map(|line| line.strip_prefix("  idemspec "));
    let examples: Vec<&str> = examples.map(|line| line.split("   ").next().unwrap_or(line)).collect();
    assert!(examples.len() > 9, "{help}");
    for example in examples.iter().flat_map(|line| line.split("; idemspec ")) {
        let words = std::iter::once("idemspec").chain(example.split_whitespace());
        if let Err(error) = Arguments::command().try_get_matches_from(words) {
            panic!("{example}: {error}");
        }
    }
}

#[test]
fn the_action_hands_its_inputs_over_as_variables() {
    let action: serde_json::Value = serde_yaml::from_str(include_str!("../../action.yml")).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    for script in steps.iter().filter_map(|step| step["run"].as_str()) {
        assert!(!script.contains("${{"), "what is put into a script becomes a part of it: {script}");
    }
    let inputs = action["inputs"].as_object().unwrap();
    let documented = include_str!("../../docs/ci.md");
    for name in inputs.keys() {
        assert!(documented.contains(&format!("| `{name}` |")), "docs/ci.md does not know the input {name}");
        assert!(include_str!("../../action.yml").contains(&format!("inputs.{name}")), "{name} is of no use");
    }
}
