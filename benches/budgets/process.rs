//! The program as a whole: how long `list` takes, how much memory a run needs, how large the binary is.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Effort;
use crate::statistics::{Sample, milliseconds};
use crate::table::Table;

const PROGRAM: &str = env!("CARGO_BIN_EXE_idemspec");
const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    let list = Sample::new((0..effort.times(50, 3)).map(|_| list()).collect()).median();
    table.judge(
        "`idemspec list`, whole process, median",
        milliseconds(list),
        "≤ 5 ms",
        list <= Duration::from_millis(5),
    );
    if let Some(peak) = peak_memory() {
        table.judge(
            "peak memory of a full run, its target included",
            format!("{peak:.1} MiB"),
            "≤ 40 MiB",
            peak <= 40.0,
        );
    }
    let size = std::fs::metadata(PROGRAM).unwrap().len() as f64 / MIB;
    table.judge("size of the binary", format!("{size:.1} MiB"), "≤ 20 MiB", size <= 20.0);
}

fn list() -> Duration {
    let began = Instant::now();
    assert!(Command::new(PROGRAM).arg("list").stdout(Stdio::null()).status().unwrap().success());
    began.elapsed()
}

/// The highest resident memory of a run against the embedded target, where the system tells it (Linux).
fn peak_memory() -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Command::new(PROGRAM)
        .args(["run", "--journal"])
        .arg(folder.path().join("run.jsonl"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = None;
    while run.try_wait().unwrap().is_none() {
        peak = high_water_mark(run.id()).or(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    peak
}

fn high_water_mark(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes / 1024.0)
}
