//! Reports: a checklist for people to read, and the words that explain it. Every function here returns text; whoever
//! calls it writes it somewhere.

mod declared;
mod text;

pub use text::escape;
