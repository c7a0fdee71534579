//! The report as one HTML file: for people, on a desk, a phone or paper.
//!
//! The file needs nothing but itself: style and script stand in it, and its policy (CSP) lets nothing else in. Whatever a
//! target or a profile said is text here; the templates escape it, and what could turn letters around is spelled out.
//! `page` puts everything together, `sheet` is what one run shows, `clauses` and `violations` are its parts, `case` and
//! `step` are the evidence, `timeline` draws it.

mod case;
mod clauses;
mod page;
mod sheet;
mod sources;
mod step;
mod template;
mod timeline;
mod violations;
mod words;

#[cfg(test)]
mod tests;

pub(super) use page::html;
pub use page::{HtmlError, HtmlPage};
