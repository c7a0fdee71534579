//! Writing a file as a whole: it is there with everything in it, or not at all.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Refuses to replace a file that nobody said may be replaced.
///
/// # Errors
/// When the file exists, and `replace` is not set.
pub(super) fn permit(file: &Path, replace: bool) -> Result<()> {
    if !replace && file.symlink_metadata().is_ok() {
        bail!("{} exists already\n  --force replaces it", file.display());
    }
    Ok(())
}

/// Writes a file beside its place, and then moves it there.
///
/// # Errors
/// When it cannot be written, or is there by now and `replace` is not set.
pub(super) fn write(file: &Path, text: &str, replace: bool) -> Result<()> {
    let failed = || format!("cannot write {}", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = builder().tempfile_in(folder).with_context(failed)?;
    beside.write_all(text.as_bytes()).and_then(|()| beside.as_file().sync_all()).with_context(failed)?;
    let moved = if replace { beside.persist(file) } else { beside.persist_noclobber(file) };
    moved.map(|_| ()).map_err(|error| error.error).with_context(failed)
}

/// What is written is for everybody whom the user's own settings let read it.
#[cfg(unix)]
fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn builder() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}
