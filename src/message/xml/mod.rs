//! XML, as far as the content of an answer needs it: a tree of elements, and simple paths into it.
//!
//! Names are local names: a prefix is a choice of whoever writes, and a namespace tells nothing that a profile asks for.

mod element;
mod path;

pub use element::{Element, XmlError};
pub use path::XmlPath;
