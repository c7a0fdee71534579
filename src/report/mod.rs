//! Reports: a checklist for people to read, and the words that explain it. Every function here returns text; whoever
//! calls it writes it somewhere.

pub mod comparison;
mod declared;
mod exchange;
mod explain;
mod leftovers;
mod mocked;
mod progress;
mod races;
mod requirements;
mod retention;
mod terminal;
mod text;
mod violations;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

pub use declared::promises;
pub use explain::{Topic, suggestions};
pub use progress::progress;
pub use terminal::{TerminalOptions, terminal};
pub use text::escape;
