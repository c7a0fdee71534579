//! What is done without sending anything: reviewing a contract, and beginning a profile.

#![allow(clippy::unwrap_used)]

mod init;
mod lint;
mod openapi;

use std::path::Path;
use std::process::{Command, Output};

/// The program in a folder, with nothing of the environment that it could need.
fn idemspec(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_idemspec"));
    let Output { status, stdout, stderr } =
        program.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The documents beside these tests.
fn documents() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openapi")
}
