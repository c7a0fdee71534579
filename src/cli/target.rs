//! How a target is reached, and what is left there: the same for every command that sends something.

use clap::Args;

use super::ConnectionArguments;

/// How the target is reached, and what is left there.
#[derive(Args, Clone, Debug, Default)]
pub struct TargetArguments {
    /// Leave the effects of the run where they are.
    #[arg(long)]
    pub keep_effects: bool,

    /// Permit a profile whose `target.environment` is production.
    #[arg(long)]
    pub allow_production: bool,

    /// How connections are opened.
    #[command(flatten, next_help_heading = "Connections (as with curl)")]
    pub connections: ConnectionArguments,
}
