//! A hook that is a program: it is run in a process group of its own, and no longer than it may.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::interrupt::Interrupt;
use crate::contract::Period;
use crate::secret::Text;

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

fn start(program: &Text, arguments: &[Text]) -> std::io::Result<Child> {
    let mut command = Command::new(program.sent());
    command
        .args(arguments.iter().map(Text::sent))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn()
}

fn judge(program: &Text, ended: std::io::Result<ExitStatus>) -> Result<(), String> {
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` ended with {status}")),
        Err(error) => Err(format!("`{program}` cannot be waited for: {error}")),
    }
}

/// Kills a process and its group. The standard library can kill the process alone; the shell can kill groups everywhere.
async fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = child.id() {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("kill -9 -{group}")]).stdin(Stdio::null()).stdout(Stdio::null());
        // Without a shell the process itself still ends, below.
        let _ = shell.stderr(Stdio::null()).status().await;
    }
    let _ = child.kill().await;
}
