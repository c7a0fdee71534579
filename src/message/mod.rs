//! HTTP messages as values: what is sent, what came back, and how facts are taken out of an answer. Pure.

mod extract;
mod pattern;
mod request;
mod response;
mod signature;
mod xml;

pub use extract::{ContentPath, Extractor, JsonPath};
pub use pattern::{PatternExtractor, Regex};
pub use request::{Request, ShownRequest};
pub use response::{Body, Response};
pub use signature::{ALGORITHM, Signable, SigningScope};
pub use xml::{Element, XmlError, XmlPath};
