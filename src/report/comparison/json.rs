//! Two contracts side by side, for a program: `schema/comparison.schema.json` says what is in it.

use crate::comparison::Comparison;

/// Renders a comparison as JSON.
///
/// # Errors
/// Never, as long as the form of a comparison has text for its names.
pub fn json(comparison: &Comparison) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(comparison).map(|text| text + "\n")
}
