//! Where text goes: the report to stdout, talk to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::Color;

/// Prints text to stdout. A reader that went away (`| head`) is no error.
///
/// # Errors
/// When stdout cannot be written for another reason, for example a full disk.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// Whether nothing is to be said on stderr but errors. There is one stderr, and so one such wish.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing is said on stderr but errors.
pub(super) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether nothing is to be said on stderr but errors.
pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says a line on stderr, unless silence was asked for.
pub(super) fn say(line: &str) {
    if !is_quiet() {
        complain(line);
    }
}

/// Says a line on stderr that nobody must miss. Nothing can be done if even that is gone.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Whether stdout gets colour.
pub(super) fn colored(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb") && io::stdout().is_terminal()
        }
    }
}
