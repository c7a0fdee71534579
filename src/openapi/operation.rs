//! What a document says about one operation.

use serde_json::Value;

use super::body::{Body, body};
use super::description::{Found, NamedOperation, Place};
use super::example::example;
use super::identity::{Identity, content_schema, identity, step};
use super::key::{KeyGuess, key};
use super::node::Node;
use super::schema::{given, kind, properties};
use super::security::{Security, security};
use crate::document::Problems;

/// What a document says about one operation, as far as a profile can use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// How it is called.
    pub name: NamedOperation,
    /// The title of the API.
    pub api: String,
    /// What the operation does, in a line.
    pub summary: Option<String>,
    /// Where it is served.
    pub servers: Vec<Server>,
    /// How a client shows who it is.
    pub security: Option<Security>,
    /// The parameters in its path.
    pub in_path: Vec<Parameter>,
    /// The query parameters that are required.
    pub in_query: Vec<Parameter>,
    /// The header fields that are required.
    pub in_header: Vec<Parameter>,
    /// Its body.
    pub body: Option<Body>,
    /// What looks like its key.
    pub key: Option<KeyGuess>,
    /// What names its effect in a success.
    pub identity: Option<Identity>,
    /// The answers that are no successes.
    pub refusals: Vec<DocumentedStatus>,
    /// A request that seems to list what it made.
    pub list: Option<ListGuess>,
    /// The path of a request that seems to remove what it made, with the parameter that names it.
    pub removal: Option<(String, String)>,
}

/// Where an API is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The URL, its variables replaced by their defaults.
    pub url: String,
    /// What it is.
    pub description: String,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// An example of its value; none where the document has none.
    pub example: Option<Value>,
}

/// An answer that is documented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentedStatus {
    /// The status, as it is written: `409`, `4XX`.
    pub status: String,
    /// What the document says about it.
    pub description: String,
}

/// A request that seems to list what an operation makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListGuess {
    /// The JSONPath of the identities in it.
    pub each: String,
    /// The query parameters that it takes.
    pub parameters: Vec<String>,
}

/// Works out what a document says about an operation.
pub(super) fn described(
    root: &Node<'_>,
    named: &NamedOperation,
    place: &Place<'_>,
    all: &[Found<'_>],
) -> Result<Operation, Problems> {
    let operation = &place.operation;
    let parameters = parameters(place)?;
    let body = body(operation)?;
    let key = key(&parameters, body.as_ref().and_then(|(_, schema)| schema.as_ref()))?;
    let is_key = |parameter: &Parameter| key.as_ref().is_some_and(|key| key.name.eq_ignore_ascii_case(&parameter.name));
    let of = |place: &str| -> Result<Vec<Parameter>, Problems> {
        let own = parameters.iter().filter(|node| node.text("in") == Some(place));
        let own: Result<Vec<Parameter>, Problems> = own.filter(|node| is_sent(node)).map(parameter).collect();
        Ok(own?.into_iter().filter(|parameter| !is_key(parameter)).collect())
    };
    let (in_path, in_query, in_header) = (of("path")?, of("query")?, of("header")?);
    let success = success(operation)?;
    let info = root.member("info")?;
    Ok(Operation {
        name: named.clone(),
        api: info.and_then(|info| info.text("title")).unwrap_or("an API").to_owned(),
        summary: operation.text("summary").map(str::to_owned),
        servers: servers(root, place)?,
        security: security(root, operation)?,
        in_path,
        in_query,
        in_header,
        identity: success.as_ref().map(|success| identity(success, &named.path)).transpose()?.flatten(),
        refusals: refusals(operation)?,
        list: list(named, all)?,
        removal: removal(named, all),
        body: body.map(|(body, _)| body),
        key,
    })
}

/// The parameters of the operation and those of its path item that it does not replace.
fn parameters<'d>(place: &Place<'d>) -> Result<Vec<Node<'d>>, Problems> {
    let mut parameters = place.operation.items_of("parameters")?;
    for shared in place.item.items_of("parameters")? {
        let same = |own: &Node<'_>| own.text("name") == shared.text("name") && own.text("in") == shared.text("in");
        if !parameters.iter().any(same) {
            parameters.push(shared);
        }
    }
    Ok(parameters)
}

/// Whether a parameter has to be sent, and is not something that is sent anyway.
fn is_sent(parameter: &Node<'_>) -> bool {
    let name = parameter.text("name").unwrap_or_default().to_lowercase();
    let is_usual = ["accept", "content-type", "authorization"].contains(&name.as_str());
    parameter.is_true("required") && !is_usual
}

fn parameter(node: &Node<'_>) -> Result<Parameter, Problems> {
    let own = given(node)?.cloned();
    let schema = node.member("schema")?;
    let states = |schema: &Node<'_>| {
        ["example", "examples", "default", "const", "enum"].iter().any(|name| schema.value.get(name).is_some())
    };
    let example = match (own, schema) {
        (Some(own), _) => Some(own),
        (None, Some(schema)) if states(&schema) => Some(example(&schema)?),
        (None, _) => None,
    };
    Ok(Parameter { name: node.text("name").unwrap_or_default().to_owned(), example })
}

fn servers(root: &Node<'_>, place: &Place<'_>) -> Result<Vec<Server>, Problems> {
    let nearest = [&place.operation, &place.item, root].into_iter().find_map(|node| node.written("servers"));
    let servers = nearest.map(|servers| servers.items()).transpose()?.unwrap_or_default();
    let server = |node: &Node<'_>| {
        let mut url = node.text("url")?.to_owned();
        for (name, variable) in node.written("variables").iter().flat_map(Node::members) {
            url = url.replace(&format!("{{{name}}}"), variable.text("default").unwrap_or(name));
        }
        Some(Server { url, description: node.text("description").unwrap_or_default().to_owned() })
    };
    Ok(servers.iter().filter_map(server).collect())
}

/// The first success that is documented: 201 before 200 before any other.
fn success<'d>(operation: &Node<'d>) -> Result<Option<Node<'d>>, Problems> {
    let Some(responses) = operation.member("responses")? else { return Ok(None) };
    let mut successes: Vec<(usize, Node<'_>)> = responses
        .members()
        .filter_map(|(status, node)| {
            let rank = match status {
                "201" => 0,
                "200" => 1,
                other if other.starts_with('2') => 2,
                "default" => 3,
                _ => return None,
            };
            Some((rank, node))
        })
        .collect();
    successes.sort_by_key(|(rank, _)| *rank);
    successes.into_iter().next().map(|(_, node)| node.resolved()).transpose()
}

fn refusals(operation: &Node<'_>) -> Result<Vec<DocumentedStatus>, Problems> {
    let Some(responses) = operation.member("responses")? else { return Ok(Vec::new()) };
    let refusals = responses.members().filter(|(status, _)| status.starts_with(['4', '5']));
    refusals
        .map(|(status, node)| {
            let description = node.resolved()?.text("description").unwrap_or_default().to_owned();
            Ok(DocumentedStatus { status: status.to_owned(), description })
        })
        .collect()
}

/// A GET on the same path whose answer holds a list of things with an id.
fn list(named: &NamedOperation, all: &[Found<'_>]) -> Result<Option<ListGuess>, Problems> {
    let reading = all.iter().find(|(other, _)| other.method == "GET" && other.path == named.path);
    let Some((_, place)) = reading else { return Ok(None) };
    let Some(success) = success(&place.operation)? else { return Ok(None) };
    let Some(schema) = content_schema(&success)? else { return Ok(None) };
    let names = parameters(place)?.into_iter().filter(|node| node.text("in") == Some("query"));
    let names = names.filter_map(|node| node.text("name").map(str::to_owned)).collect();
    let mut lists = vec![("$".to_owned(), schema.clone())];
    lists.extend(properties(&schema)?.into_iter().map(|(name, node)| (step("$", name), node)));
    for (at, node) in lists.into_iter().filter(|(_, node)| kind(node) == Some("array")) {
        let Some(items) = node.member("items")? else { continue };
        if let Some(id) = super::identity::of_item(&items, &named.path)? {
            return Ok(Some(ListGuess { each: format!("{at}[*]{id}"), parameters: names }));
        }
    }
    Ok(None)
}

/// A DELETE on what the path and one more parameter name.
fn removal(named: &NamedOperation, all: &[Found<'_>]) -> Option<(String, String)> {
    all.iter().filter(|(other, _)| other.method == "DELETE").find_map(|(other, _)| {
        let rest = other.path.strip_prefix(&named.path)?.strip_prefix("/{")?;
        let parameter = rest.strip_suffix('}').filter(|parameter| !parameter.contains('/'))?;
        Some((other.path.clone(), parameter.to_owned()))
    })
}
