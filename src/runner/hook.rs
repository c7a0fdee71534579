//! The step `hook`: something is done to the target from outside.

use super::case::{CaseRun, Stop};
use crate::history::{EventKind, HookRun};
use crate::profile::BoundHook;
use crate::scenario::HookStep;

impl CaseRun<'_> {
    /// Runs a hook: a request or a command. Its failure is written down; the oracle draws the conclusions.
    pub(super) async fn hook(&mut self, step: &HookStep) -> Result<(), Stop> {
        self.context.pace.take_control()?;
        let intent = match &step.intent {
            Some(name) => Some(self.intent(name, None).await?),
            None => None,
        };
        let marker = intent.as_ref().map(|intent| intent.marker.clone());
        let identity = intent.as_ref().and_then(|intent| self.latest_identity(intent.id));
        let hook = self.context.bound.hook(&step.name, marker.as_deref(), identity.as_deref())?;
        let error = match hook {
            BoundHook::Request(request) => match self.context.send_control(&request).await {
                Ok(response) if (200..300).contains(&response.status) => None,
                Ok(response) => Some(format!("the hook was answered {}", response.status)),
                Err(error) => Some(error.to_string()),
            },
            BoundHook::Command(command) => run_command(&command).await.err(),
        };
        let run = HookRun { name: step.name.clone(), changed: marker, advanced: std::time::Duration::ZERO, error };
        self.context.recorder.record(Some(&self.case.id), EventKind::HookRan(run))?;
        Ok(())
    }

    /// The identity that the latest success of an action named.
    fn latest_identity(&self, id: crate::history::IntentId) -> Option<String> {
        let history = self.context.recorder.history();
        let case = history.cases.get(&self.case.id)?;
        let attempts = case.attempts.iter().rev().filter(|attempt| attempt.start.intent == id);
        attempts.filter_map(|attempt| attempt.end.as_ref()).find_map(|end| end.identity.clone())
    }
}

async fn run_command(command: &[crate::secret::Text]) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the hook's command is empty".into());
    };
    let status = tokio::process::Command::new(program.sent())
        .args(arguments.iter().map(crate::secret::Text::sent))
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .status()
        .await
        .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program}` ended with {status}")) }
}
