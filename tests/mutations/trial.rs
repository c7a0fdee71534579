//! Running the tests under a mutation.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A mutation that has the tests run on for so long is noticed, too.
const LIMIT: Duration = Duration::from_secs(120);

/// The tests, compiled.
pub(crate) struct Tests {
    pub(crate) executables: Vec<PathBuf>,
}

/// What became of a mutation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A test of this name failed.
    Killed(String),
    /// Every test passed.
    Survived,
}

impl Tests {
    /// Runs one after the other until one notices.
    pub(crate) fn run(&self, mutation: Option<&str>) -> Fate {
        self.executables
            .iter()
            .find(|executable| !passes(executable, mutation))
            .map_or(Fate::Survived, |executable| Fate::Killed(name(executable)))
    }
}

fn passes(executable: &PathBuf, mutation: Option<&str>) -> bool {
    let mut command = Command::new(executable);
    command.env_remove("MUTATION").envs(mutation.map(|name| ("MUTATION", name)));
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    loop {
        if let Some(status) = running.try_wait().unwrap() {
            return status.success();
        }
        if began.elapsed() > LIMIT {
            running.kill().unwrap();
            running.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The name of a test target, without what cargo puts behind it.
fn name(executable: &std::path::Path) -> String {
    let file = executable.file_stem().unwrap_or_default().to_string_lossy();
    file.rsplit_once('-').map_or(file.to_string(), |(name, _)| name.to_owned())
}

impl fmt::Display for Fate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Killed(by) => formatter.pad(&format!("killed by {by}")),
            Self::Survived => formatter.pad("SURVIVED"),
        }
    }
}
