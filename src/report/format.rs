//! The forms in which a report is written to a file, and the one place where it is made.

use super::{Judged, html, json, junit, markdown, sarif, tap};

/// A form in which a report is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON for programs.
    Json,
    /// JUnit's XML, as CI systems read it.
    Junit,
    /// Markdown for a job summary or a pull request.
    Markdown,
    /// One page for people.
    Html,
    /// SARIF 2.1.0, as code hosts read it.
    Sarif,
    /// The Test Anything Protocol, version 14.
    Tap,
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the {} report cannot be made: {problem}", format.name())]
pub struct RenderError {
    format: Format,
    problem: String,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [Self::Json, Self::Junit, Self::Markdown, Self::Html, Self::Sarif, Self::Tap];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Sarif => "sarif",
            Self::Tap => "tap",
        }
    }

    /// Finds a format by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Makes a report.
///
/// # Errors
/// When it cannot be written down, which nothing in a history should bring about.
pub fn render(format: Format, judged: &Judged<'_>) -> Result<String, RenderError> {
    let failed = |problem: String| RenderError { format, problem };
    match format {
        Format::Json => json::render(judged).map_err(|error| failed(error.to_string())),
        Format::Junit => junit::render(judged).map_err(|error| failed(error.to_string())),
        Format::Markdown => Ok(markdown::render(judged)),
        Format::Html => html::html(&[judged]).map_err(|error| failed(error.to_string())),
        Format::Sarif => sarif::render(judged).map_err(|error| failed(error.to_string())),
        Format::Tap => Ok(tap::render(judged)),
    }
}
