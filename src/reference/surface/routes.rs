//! Which request is which: by its method and path, and where these are shared, by the fields that it has.

use super::answers::{ListTelling, TimeTelling};
use super::fields::{self, Format, Found, Spot, Wanted};
use super::pattern::{Captures, Pattern};
use crate::profile::{RequestTemplate, Template};
use crate::reference::book::Collection;

/// A request that is known, by what a template says.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Its method.
    pub(super) method: String,
    /// Its path.
    pub(super) path: Pattern,
    /// Everything else.
    pub(super) wanted: Vec<Wanted>,
    /// How its content is written.
    pub(super) format: Format,
    /// Whether the template says itself what its content is.
    pub(super) own_media_type: bool,
}

impl Shape {
    /// Reads a template backwards.
    ///
    /// # Errors
    /// Names what cannot be read back.
    pub(super) fn read(template: &RequestTemplate) -> Result<Self, String> {
        let (path, query) = match template.path.0.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (template.path.0.as_str(), None),
        };
        let mut whole = template.clone();
        for pair in query.into_iter().flat_map(|query| query.split('&')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            whole.query.insert(name.to_owned(), value.into());
        }
        Ok(Self {
            method: template.method.clone(),
            path: Pattern::read(&Template(path.to_owned()))?,
            wanted: fields::wanted(&whole)?,
            format: Format::of(template),
            own_media_type: template.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")),
        })
    }

    /// What the fields of a request have in the holes of the template, and how many of the fields are there.
    pub(super) fn meet(&self, found: &[Found]) -> (Captures, usize) {
        meet(&self.wanted, found)
    }
}

/// What the fields of a request have in the holes of those that are wanted, and how many of these are there.
pub(super) fn meet(wanted: &[Wanted], found: &[Found]) -> (Captures, usize) {
    let mut captures = Captures::new();
    let mut fitting = 0;
    for wanted in wanted {
        if let Some(captured) = found.iter().find_map(|found| wanted.capture(found)) {
            fitting += 1;
            for (name, value) in captured {
                captures.entry(name).or_insert(value);
            }
        }
    }
    (captures, fitting)
}

/// What is done by a request.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// It is an attempt at an operation.
    Operate(Collection),
    /// It lists what an operation has made.
    List(Collection, ListTelling),
    /// It removes what an operation has made.
    Remove(Collection),
    /// It shows one thing that an operation has made.
    Show(Collection),
    /// It tells the time.
    Time(TimeTelling),
    /// It moves the clock.
    AdvanceClock,
    /// It changes a resource from outside.
    Change,
    /// It deletes a resource from outside.
    Delete,
    /// It says how many more requests are carried out.
    Limit(Option<u64>),
    /// It takes the key store down.
    StoreDown,
    /// It brings the key store up again.
    StoreUp,
    /// It restarts the server.
    Restart,
    /// It is a hook that nothing stands behind.
    Unknown(String),
}

/// A known request, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// How it is recognised.
    pub(super) shape: Shape,
    /// What it does.
    pub(super) deed: Deed,
    /// The path of a variant, where that is not the operation's own.
    pub(super) other_path: Option<String>,
}

/// The route of a request, with what stands in the holes of its path.
pub(super) fn find<'r>(
    routes: &'r [Route],
    method: &str,
    path: &str,
    found: &[Found],
) -> Result<(&'r Route, Captures), Missed> {
    let on_path: Vec<(&Route, Captures)> =
        routes.iter().filter_map(|route| Some((route, route.shape.path.capture_path(path)?))).collect();
    let method = if method == "HEAD" { "GET" } else { method };
    let best = |fits: &dyn Fn(&Route) -> bool| {
        let candidates = on_path.iter().filter(|(route, _)| fits(route));
        // Of equals the first counts, and `max_by_key` takes the last.
        candidates.rev().max_by_key(|(route, _)| {
            let (_, fitting) = route.shape.meet(found);
            (fitting == route.shape.wanted.len(), fitting, route.shape.path.weight())
        })
    };
    let named = best(&|route| route.shape.method.eq_ignore_ascii_case(method));
    // A key can be tried with another method: an operation takes every one that makes something.
    let another = || {
        let makes = ["POST", "PUT", "PATCH"].contains(&method);
        best(&|route| makes && matches!(route.deed, Deed::Operate(_)))
    };
    match named.or_else(another) {
        Some((route, captures)) => Ok((*route, captures.clone())),
        None if on_path.is_empty() => Err(Missed::Path),
        None => Err(Missed::Method(on_path.iter().map(|(route, _)| route.shape.method.clone()).collect())),
    }
}

/// Why a request has no route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// Nothing is served there.
    Path,
    /// Only these methods are served there.
    Method(Vec<String>),
}

/// Whether a field is a parameter: header fields are none.
pub(super) fn is_parameter(spot: &Spot) -> bool {
    !matches!(spot, Spot::Header(_))
}
