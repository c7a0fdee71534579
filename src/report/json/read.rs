//! Reading a report back.

use serde_json::Value;

use super::{Report, VERSION};

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON.
    #[error("is no JSON: {0}")]
    Json(serde_json::Error),
    /// It says of no version that it is one.
    #[error("is no JSON report of idemspec: it has no `version`")]
    NoReport,
    /// It is of another version.
    #[error("is of version {found}, and this program reads version {VERSION}: make it anew by `idemspec report JOURNAL --report json=…`")]
    Version {
        /// The version that it says.
        found: u64,
    },
    /// It says that it is one, and is none.
    #[error("is no JSON report of version {VERSION}: {0}")]
    Form(serde_path_to_error::Error<serde_json::Error>),
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// When the text is no report, or one of another version.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let value: Value = serde_json::from_str(text).map_err(ReadError::Json)?;
        match value.get("version").and_then(Value::as_u64) {
            None => Err(ReadError::NoReport),
            Some(found) if found != u64::from(VERSION) => Err(ReadError::Version { found }),
            Some(_) => serde_path_to_error::deserialize(value).map_err(ReadError::Form),
        }
    }

    /// Writes it down.
    ///
    /// # Errors
    /// Never, as everything in it can be written.
    pub fn write(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_told_for_what_it_is() {
        let said = |text: &str| Report::read(text).unwrap_err().to_string();
        assert!(said("not json").starts_with("is no JSON:"));
        assert!(said("{}").contains("no `version`") && said("[1]").contains("no `version`"));
        assert!(said("{\"version\": 99}").contains("is of version 99, and this program reads version 1"));
        assert!(said("{\"version\": 1, \"program\": \"0\", \"runs\": [{}]}").contains("runs[0]"));
        let empty = Report { version: VERSION, program: "0".into(), runs: Vec::new() };
        assert_eq!(Report::read(&empty.write().unwrap()).unwrap(), empty);
    }
}
