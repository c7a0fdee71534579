//! OpenAPI documents, 3.0 and 3.1: what one of them says about one operation, as far as a profile can use it.
//!
//! No schema of OpenAPI is checked. What is looked at must have the form that it is looked at in, and whatever has not is a
//! problem with its place; the rest of the document may be as it likes.

mod body;
mod description;
mod example;
mod free_text;
mod identity;
mod key;
mod node;
mod operation;
mod schema;
mod security;

pub use body::{Body, MediaKind};
pub use description::{Description, NamedOperation};
pub use free_text::FreeText;
pub use identity::Identity;
pub use key::{KeyGuess, KeyPlace};
pub use operation::{DocumentedStatus, ListGuess, Operation, Parameter, Server};
pub use security::Security;
