//! Reports: a checklist for people to read, and the words that explain it. Every function here returns text; whoever
//! calls it writes it somewhere. All of them are made from one value, [`Judged`].

mod command;
pub mod comparison;
mod curl;
mod declared;
mod evidence;
mod exchange;
mod explain;
mod format;
mod headers;
mod html;
pub mod json;
mod judged;
mod junit;
mod leftovers;
mod lint;
mod markdown;
mod matrix;
mod mocked;
mod progress;
mod races;
mod requirements;
mod retention;
mod sarif;
mod tap;
mod terminal;
mod text;
mod violations;
mod waivers;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

pub use command::quoted;
pub use curl::curl;
pub use declared::promises;
pub use explain::{Topic, suggestions};
pub use format::{Format, RenderError, render};
pub use html::{HtmlError, HtmlPage};
pub use judged::{Excerpt, Judged, Leftover, Pending};
pub use lint::{lint_json, lint_table};
pub use matrix::{MatrixRow, matrix, worst};
pub use progress::progress;
pub use terminal::{TerminalOptions, terminal};
pub use text::escape;
