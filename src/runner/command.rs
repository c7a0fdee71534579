//! A program that is run: in a process group of its own, and no longer than it may.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::interrupt::Interrupt;
use crate::contract::Period;
use crate::secret::Text;

/// How many of the last lines on stderr are repeated.
const MOST_LINES: usize = 10;

/// Runs a program until it ends, has run for so long, or the user interrupts it. What still runs then is killed with
/// everything that it has started in its process group. An interruption that came before does not count: this is to undo
/// something then.
pub(super) async fn run(command: &[Text], limit: Duration, interrupt: &Interrupt) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the hook's command is empty".into());
    };
    let interrupted = interrupt.is_set();
    let mut child = start(program, arguments).map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    let trouble = tokio::select! {
        ended = child.wait() => return judge(program, ended),
        () = tokio::time::sleep(limit) => format!(
            "`{program}` was still running after {} and was killed; `target.hook_time_limit` gives it longer",
            Period(limit)
        ),
        () = interrupt.wait(), if !interrupted => "the command was interrupted".to_owned(),
    };
    kill(&mut child).await;
    Err(trouble)
}

/// Runs a program in the same way, and returns what it prints. What it says on stderr is part of the reason where it fails.
/// `limited_by` is the setting that gives it longer.
pub(super) async fn print(
    command: &[Text],
    limit: Duration,
    limited_by: &str,
    interrupt: &Interrupt,
) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the command is empty".into());
    };
    let interrupted = interrupt.is_set();
    let child = prepare(program, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    let group = child.id();
    let trouble = tokio::select! {
        ended = child.wait_with_output() => return printed(program, ended),
        () = tokio::time::sleep(limit) => format!(
            "`{program}` was still running after {} and was killed; `{limited_by}` gives it longer",
            Period(limit)
        ),
        () = interrupt.wait(), if !interrupted => "the command was interrupted".to_owned(),
    };
    kill_group(group).await;
    Err(trouble)
}

fn printed(program: &Text, ended: std::io::Result<std::process::Output>) -> Result<String, String> {
    let output = ended.map_err(|error| format!("`{program}` cannot be waited for: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = said.get(said.len().saturating_sub(MOST_LINES)..).unwrap_or_default().join("\n   ");
    let words = if last.is_empty() { "and said nothing".to_owned() } else { format!("and said:\n   {last}") };
    Err(format!("`{program}` ended with {}, {words}", output.status))
}

fn start(program: &Text, arguments: &[Text]) -> std::io::Result<Child> {
    prepare(program, arguments).spawn()
}

fn prepare(program: &Text, arguments: &[Text]) -> Command {
    let mut command = Command::new(program.sent());
    command
        .args(arguments.iter().map(Text::sent))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command
}

fn judge(program: &Text, ended: std::io::Result<ExitStatus>) -> Result<(), String> {
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` ended with {status}")),
        Err(error) => Err(format!("`{program}` cannot be waited for: {error}")),
    }
}

/// Kills a process and its group.
async fn kill(child: &mut Child) {
    kill_group(child.id()).await;
    let _ = child.kill().await;
}

/// The standard library can kill a process alone; the shell can kill groups everywhere.
async fn kill_group(group: Option<u32>) {
    #[cfg(unix)]
    if let Some(group) = group {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("kill -9 -{group}")]).stdin(Stdio::null()).stdout(Stdio::null());
        // Without a shell the process itself still ends: it is killed, or dropped.
        let _ = shell.stderr(Stdio::null()).status().await;
    }
}
