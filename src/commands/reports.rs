//! Reports that are written to files: what was asked for is checked before anything is sent, and written in one go.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};

use super::output::{print, say};
use crate::cli::WrittenArguments;
use crate::report::{self, Format, Judged};

/// What stands for stdout.
const STDOUT: &str = "-";

/// The reports that are to be written.
#[derive(Clone, Debug)]
pub(super) struct Reports {
    wanted: Vec<(Format, Destination)>,
    max_evidence: usize,
}

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Destination {
    Stdout,
    /// A file that takes the place of the one before it when it is whole.
    File(PathBuf),
    /// Something else with a name, such as a pipe.
    Device(PathBuf),
}

impl Reports {
    /// Takes what the command line asks for, and checks that it can be written. The journal is no place for a report.
    pub(super) fn prepare<'p>(
        written: &WrittenArguments,
        journals: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<Self> {
        let mut wanted: Vec<(Format, Destination)> = Vec::new();
        let journals: Vec<PathBuf> = journals.into_iter().map(|journal| whole(journal)).collect();
        for asked in &written.reports {
            let (format, destination) = parse(asked)?;
            if wanted.iter().any(|(_, known)| *known == destination) {
                bail!("--report {asked}: another report goes to the same place");
            }
            if matches!(&destination, Destination::File(path) if journals.contains(path)) {
                bail!("--report {asked}: the journal of the run is there, and nothing may overwrite it");
            }
            destination.check().with_context(|| format!("--report {asked}"))?;
            wanted.push((format, destination));
        }
        Ok(Self { wanted, max_evidence: written.max_evidence.0 })
    }

    /// The same of one operation among several: its name stands before the ending of every file.
    pub(super) fn named(&self, name: &str) -> Self {
        let mut own = self.clone();
        for (_, destination) in &mut own.wanted {
            if let Destination::File(path) = destination {
                *path = super::run::named(path, name);
            }
        }
        own
    }

    /// Whether none is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether one of them goes to stdout, so that nothing else may.
    pub(super) fn take_stdout(&self) -> bool {
        self.wanted.iter().any(|(_, destination)| *destination == Destination::Stdout)
    }

    /// The longest content that they hold.
    pub(super) fn max_evidence(&self) -> usize {
        self.max_evidence
    }

    /// Makes and writes all of them. One that fails keeps no other from being written.
    pub(super) fn write(&self, judged: &Judged<'_>) -> Result<()> {
        let mut failure = None;
        for (format, destination) in &self.wanted {
            let text = report::render(*format, judged).map_err(anyhow::Error::from);
            if let Err(error) = text.and_then(|text| destination.write(&text)) {
                failure = failure.or(Some(error.context(format!("cannot write the {} report", format.name()))));
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Checks that each of them can hold several runs: a page can.
    pub(super) fn check_several(&self) -> Result<()> {
        match self.wanted.iter().find(|(format, _)| *format != Format::Html) {
            Some((format, _)) => bail!(
                "--report {}: several journals go together on an html page only; give every other format one journal, and \
                 join json reports with `idemspec merge`",
                format.name()
            ),
            None => Ok(()),
        }
    }

    /// Writes a page of several runs.
    pub(super) fn write_page(&self, page: &str) -> Result<()> {
        self.wanted.iter().try_for_each(|(_, destination)| destination.write(page))
    }
}

fn parse(asked: &str) -> Result<(Format, Destination)> {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    let listed = names.join(", ");
    let (name, path) = asked.split_once('=').unwrap_or((asked, ""));
    let Some(format) = Format::find(name) else {
        let guess =
            report::suggestions(name, names.iter().copied()).first().map(|name| format!("did you mean `{name}`? "));
        bail!("--report {asked}: there is no format `{name}`\n   {}formats are {listed}", guess.unwrap_or_default());
    };
    match path {
        "" => bail!("--report {asked}: where to? Write {name}=PATH, or {name}=- for stdout"),
        STDOUT => Ok((format, Destination::Stdout)),
        path => Ok((format, Destination::named(Path::new(path)))),
    }
}

/// Writes a report to a file in one go.
pub(super) fn written(path: &Path, text: &str) -> Result<()> {
    let destination = Destination::named(path);
    destination.check()?;
    destination.write(text)
}

/// A path without links and detours, as far as it exists, so that one file has one name.
fn whole(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = folder(path).canonicalize().ok();
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Destination {
    fn named(path: &Path) -> Self {
        let path = whole(path);
        match std::fs::metadata(&path) {
            Ok(about) if !about.is_file() && !about.is_dir() => Self::Device(path),
            Ok(_) | Err(_) => Self::File(path),
        }
    }

    /// Whether it can be written, as far as that can be told without leaving anything there.
    fn check(&self) -> Result<()> {
        match self {
            Self::Stdout => Ok(()),
            Self::Device(path) => File::options().write(true).open(path).map(drop).with_context(|| cannot_write(path)),
            Self::File(path) if path.is_dir() => Err(anyhow!("`{}` is a directory; name a file in it", path.display())),
            Self::File(path) if path.file_name().is_none() => Err(anyhow!("`{}` names no file", path.display())),
            Self::File(path) => {
                let folder = folder(path);
                if !folder.is_dir() {
                    bail!("there is no directory `{}`; make it first", folder.display());
                }
                temporary(folder).map(drop).with_context(|| cannot_write(path))
            }
        }
    }

    fn write(&self, text: &str) -> Result<()> {
        match self {
            Self::Stdout => print(text).context("stdout"),
            Self::Device(path) => {
                let opened = File::options().write(true).open(path);
                opened.and_then(|mut file| file.write_all(text.as_bytes())).with_context(|| cannot_write(path))
            }
            Self::File(path) => {
                let whole = || {
                    let mut file = temporary(folder(path))?;
                    file.write_all(text.as_bytes())?;
                    file.as_file().sync_all()?;
                    file.persist(path).map_err(|error| error.error)
                };
                whole().map(drop).with_context(|| cannot_write(path))
            }
        }?;
        if let Self::File(path) | Self::Device(path) = self {
            say(&format!("a report is in {}", path.display()));
        }
        Ok(())
    }
}

/// A file beside the one that is to be, with the permissions that any new file has.
fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".idemspec-report-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}
