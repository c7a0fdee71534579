//! A document, and the operations in it.

use std::fmt;
use std::path::Path;

use super::node::Node;
use super::operation::{Operation, described};
use crate::document::{Located, Problem, Problems, read_file_up_to};

/// The size of the largest document that is read: programs write them, and some describe hundreds of operations.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Of more operations than this only so many are listed.
const MOST_LISTED: usize = 60;

/// The methods that an operation can have, in the order in which they are looked for.
const METHODS: [&str; 8] = ["post", "put", "patch", "delete", "get", "head", "options", "trace"];

/// An OpenAPI document.
#[derive(Debug)]
pub struct Description {
    located: Located,
}

/// An operation, as it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedOperation {
    /// Its `operationId`, if it has one.
    pub id: Option<String>,
    /// Its method, in capitals.
    pub method: String,
    /// Its path, with `{parameters}`.
    pub path: String,
}

impl NamedOperation {
    /// The name that every operation has: `POST /orders`.
    pub fn address(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn is(&self, wanted: &str) -> bool {
        self.id.as_deref() == Some(wanted) || self.address().eq_ignore_ascii_case(wanted)
    }
}

impl fmt::Display for NamedOperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            Some(id) => write!(formatter, "{id} ({})", self.address()),
            None => formatter.write_str(&self.address()),
        }
    }
}

impl Description {
    /// Reads a document, JSON or YAML.
    ///
    /// # Errors
    /// When it cannot be read, or is no OpenAPI document of version 3.
    pub fn read(path: &Path) -> Result<Self, Problems> {
        Self::parse(&path.display().to_string(), &read_file_up_to(path, LARGEST)?)
    }

    /// As [`Self::read`], from a text, as if it stood in a file of this name.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let located = Located::parse(file, text)?;
        let root = Node::root(&located);
        let version = |node: &Node<'_>| node.value.as_str().map_or_else(|| node.value.to_string(), str::to_owned);
        if let Some(swagger) = root.written("swagger") {
            let message = format!("this is Swagger {}, and OpenAPI 3 is read", version(&swagger));
            return Err(swagger.problem(message).hinting("convert it first").into());
        }
        match root.written("openapi") {
            None => {
                let problem = Problem::of_file(file, "this is no OpenAPI document: it has no `openapi`");
                Err(problem.expecting("a first line such as `openapi: 3.1.0`").into())
            }
            Some(node) if !version(&node).starts_with("3.") => {
                Err(node.problem(format!("this is OpenAPI {}, and version 3 is read", version(&node))).into())
            }
            Some(_) => Ok(Self { located }),
        }
    }

    /// How problems name the file.
    pub fn file(&self) -> &str {
        self.located.file()
    }

    /// Every operation, in the order of the document.
    ///
    /// # Errors
    /// When a `$ref` leads nowhere.
    pub fn operations(&self) -> Result<Vec<NamedOperation>, Problems> {
        let found = self.found()?;
        Ok(found.into_iter().map(|(named, _)| named).collect())
    }

    /// What the document says about an operation: by its `operationId`, or as `POST /orders`.
    ///
    /// # Errors
    /// When there is no such operation, or something in it is malformed.
    pub fn operation(&self, wanted: &str) -> Result<Operation, Problems> {
        let found = self.found()?;
        let Some((named, place)) = found.iter().find(|(named, _)| named.is(wanted)) else {
            let known: Vec<NamedOperation> = found.into_iter().map(|(named, _)| named).collect();
            return Err(self.unknown(wanted, &known).into());
        };
        described(&Node::root(&self.located), named, place, &found)
    }

    /// Says that no operation has this name, which there are, and which may be meant.
    fn unknown(&self, wanted: &str, known: &[NamedOperation]) -> Problem {
        let names: Vec<String> =
            known.iter().flat_map(|named| named.id.iter().cloned().chain([named.address()])).collect();
        let problem = Problem::of_file(self.file(), format!("no operation is called `{wanted}`"));
        problem.expecting(listed(known)).suggesting(wanted, names.iter().map(String::as_str))
    }

    fn found(&self) -> Result<Vec<Found<'_>>, Problems> {
        let mut found = Vec::new();
        let Some(paths) = Node::root(&self.located).member("paths")? else { return Ok(found) };
        for (path, item) in paths.members().filter(|(path, _)| path.starts_with('/')) {
            let item = item.resolved()?;
            for method in METHODS {
                let Some(operation) = item.written(method) else { continue };
                let id = operation.text("operationId").map(str::to_owned);
                let named = NamedOperation { id, method: method.to_uppercase(), path: path.to_owned() };
                found.push((named, Place { item: item.clone(), operation }));
            }
        }
        Ok(found)
    }
}

/// An operation and where it stands.
pub(super) type Found<'d> = (NamedOperation, Place<'d>);

/// Where an operation stands.
#[derive(Clone, Debug)]
pub(super) struct Place<'d> {
    /// The path item, which has parameters and servers of its own.
    pub(super) item: Node<'d>,
    pub(super) operation: Node<'d>,
}

/// The operations in a line, those first that make something.
fn listed(known: &[NamedOperation]) -> String {
    if known.is_empty() {
        return "an operation, and the document has none under `paths`".into();
    }
    let names: Vec<String> = known.iter().take(MOST_LISTED).map(NamedOperation::to_string).collect();
    let more = known.len().saturating_sub(MOST_LISTED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("one of: {}{more}", names.join(", "))
}
