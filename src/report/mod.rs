//! Reports: a checklist for people to read, and the words that explain it. Every function here returns text; whoever
//! calls it writes it somewhere.

mod declared;
mod exchange;
mod leftovers;
mod requirements;
mod terminal;
mod text;
mod violations;

pub use terminal::{TerminalOptions, terminal};
pub use text::escape;
