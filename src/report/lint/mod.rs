//! The documentation checklist, for people and for programs.

mod json;
mod table;

pub use json::lint_json;
pub use table::lint_table;
