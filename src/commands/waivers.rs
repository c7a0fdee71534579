//! Known deviations: which file counts, and what is said about it.

use anyhow::{Context as _, Result};

use super::output::say;
use crate::cli::BarArguments;
use crate::waiver::{self, Waivers};

/// The known deviations: of the file that is named, or of the nearest one from the working directory up. Which file that
/// is, is said, because it changes how the program ends.
pub(super) fn known(arguments: &BarArguments) -> Result<Waivers> {
    if arguments.no_waivers {
        return Ok(Waivers::default());
    }
    let path = match &arguments.waivers {
        Some(path) => path.clone(),
        None => {
            let here = std::env::current_dir().context("the working directory is not known")?;
            let Some(found) = waiver::find(&here) else { return Ok(Waivers::default()) };
            found.strip_prefix(&here).map(|path| path.to_owned()).unwrap_or(found)
        }
    };
    let waivers = Waivers::read(&path)?;
    let number = waivers.waivers.len();
    let deviations = if number == 1 { "deviation" } else { "deviations" };
    say(&format!("{number} known {deviations}, by {}", path.display()));
    Ok(waivers)
}
