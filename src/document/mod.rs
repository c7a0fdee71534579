//! YAML documents: text becomes values with positions, and mistakes become problems that say where and what to do.
//! Nothing else in the program knows YAML.

mod fault;
mod file;
mod located;
mod problem;
mod read;
mod scan;
mod structure;
mod wording;
mod write;

pub use file::{read_file, read_file_up_to};
pub use located::{At, Located, merge};
pub use problem::{Problem, Problems, Spot, is_kebab_case, nearest};
pub use read::{read, trusted, trusted_as};
pub use structure::{Form, Format};
pub use write::yaml;

/// A JSON pointer (RFC 6901) to a member of what another pointer names.
pub fn pointer(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}
