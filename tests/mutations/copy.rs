//! A copy of the oracle in a crate of its own, with every mutation compiled in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::mutation::{Mutation, mutated};
use crate::trial::Tests;

/// What the oracle rests on: the rooms that are not mutated.
const FOUNDATION: [&str; 4] = ["secret", "message", "contract", "history"];

/// The crate of the oracle: the names of its rooms are those of the project, so that the tests fit.
const ORACLE: &str = r#"pub use foundation::{contract, history, message};
pub mod oracle;
/// Whether a mutation was chosen.
pub(crate) fn mutated(name: &str) -> bool {
    static CHOSEN: std::sync::LazyLock<Option<String>> = std::sync::LazyLock::new(|| std::env::var("MUTATION").ok());
    CHOSEN.as_deref() == Some(name)
}
"#;

/// Copies and compiles the oracle with all mutations, and returns its tests.
pub(crate) fn compile(root: &Path, all: &[Mutation]) -> Tests {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    write(
        &folder.join("Cargo.toml"),
        "[workspace]\nmembers = [\"foundation\", \"oracle\"]\nresolver = \"3\"\n\n[profile.dev]\ndebug = 0\n",
    );
    write(&folder.join("Cargo.lock"), &fs::read_to_string(root.join("Cargo.lock")).unwrap());
    write_foundation(root, &folder.join("foundation"));
    write_oracle(root, &folder.join("oracle"), all);
    build(&folder)
}

fn write_foundation(root: &Path, folder: &Path) {
    write(
        &folder.join("Cargo.toml"),
        &format!("{}[dependencies]\n{}", package("foundation"), libraries(root, &FOUNDATION)),
    );
    let module = |room: &&str| {
        let source = root.join("src");
        let file = Some(source.join(format!("{room}.rs"))).filter(|file| file.exists());
        let file = file.unwrap_or_else(|| source.join(room).join("mod.rs"));
        format!("#[path = {:?}]\npub mod {room};\n", file.display().to_string())
    };
    write(&folder.join("src/lib.rs"), &FOUNDATION.iter().map(module).collect::<String>());
}

fn write_oracle(root: &Path, folder: &Path, all: &[Mutation]) {
    let manifest = format!(
        "{}[lib]\nname = \"idemspec\"\n\n[dependencies]\nfoundation = {{ path = \"../foundation\" }}\n{}",
        package("oracle"),
        libraries(root, &["oracle", "../tests/oracle_examples", "../tests/oracle"])
    );
    write(&folder.join("Cargo.toml"), &manifest);
    write(&folder.join("src/lib.rs"), ORACLE);
    copy_tree(&root.join("src/oracle"), &folder.join("src/oracle"), "", &|name, text| mutated(&text, name, all));
    copy_tree(&root.join("tests/oracle"), &folder.join("tests/oracle"), "", &|_, text| text);
    let examples = fs::read_to_string(root.join("tests/oracle_examples.rs")).unwrap();
    write(&folder.join("tests/oracle_examples.rs"), &examples);
}

fn package(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lints.rust]\nwarnings = \"allow\"\n\n"
    )
}

/// The lines of the project's manifest for the libraries that these rooms name, so that none is compiled in vain.
fn libraries(root: &Path, rooms: &[&str]) -> String {
    let source: String = rooms.iter().map(|room| sources(&root.join("src").join(room))).collect();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]\n").nth(1).unwrap();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let named = |line: &&str| {
        line.split_once(" = ").is_some_and(|(name, _)| source.contains(&format!("{}::", name.replace('-', "_"))))
    };
    lines.filter(named).map(|line| format!("{line}\n")).collect()
}

/// All source text of a room, which is a file, or a folder, or both.
fn sources(room: &Path) -> String {
    let file = fs::read_to_string(room.with_extension("rs")).unwrap_or_default();
    let entries = fs::read_dir(room).into_iter().flatten().map(|entry| entry.unwrap().path());
    file + &entries.map(|path| sources(&path.with_extension(""))).collect::<String>()
}

fn copy_tree(from: &Path, to: &Path, prefix: &str, change: &dyn Fn(&str, String) -> String) {
    // A file that is gone from the project must not stay in the copy.
    for stale in fs::read_dir(to).into_iter().flatten().map(|entry| entry.unwrap()) {
        if !from.join(stale.file_name()).exists() && stale.path().is_file() {
            fs::remove_file(stale.path()).unwrap();
        }
    }
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = format!("{prefix}{name}");
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &to.join(&name), &format!("{inside}/"), change);
        } else {
            write(&to.join(&name), &change(&inside, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// Writes a file, unless it says the same already: then nothing need be compiled again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn build(folder: &Path) -> Tests {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["test", "--no-run", "--offline", "--message-format=json", "--package", "oracle", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    let messages: Vec<Value> = messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() {
        let said = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
        panic!("a mutation does not compile:\n{}", said.collect::<String>());
    }
    let executables: Vec<PathBuf> =
        messages.iter().filter_map(|message| message["executable"].as_str()).map(PathBuf::from).collect();
    assert_eq!(executables.len(), 2, "the worked examples, and the oracle's own tests: {executables:?}");
    Tests { executables }
}
