//! Deriving a surface from a profile, and making sure that what it will say is what the profile expects.

use std::collections::BTreeMap;

use super::account::Credentials;
use super::answers::{ListTelling, Telling, TimeTelling, identity};
use super::derived::Derived;
use super::operation::{Operation, Variant};
use super::pattern::Pattern;
use super::routes::{Deed, Route, Shape};
use crate::contract::{Drawn, Matcher, StatusPattern};
use crate::message::Extractor;
use crate::profile::{
    Counter, DeclaredVariant, EffectSource, Hook, Mock, Profile, RequestTemplate, Template, TemplatePart,
};
use crate::reference::answer::Answer;
use crate::reference::book::{Book, Collection, Course, Request};

/// What the main operation and the further ones have in common.
struct Source<'p> {
    pointer: String,
    request: &'p RequestTemplate,
    identity: &'p Extractor,
    success: Option<&'p Matcher>,
    effects: Option<&'p EffectSource>,
    cleanup: Option<&'p RequestTemplate>,
    variants: Vec<DeclaredVariant<'p>>,
    mock: Option<&'p Mock>,
}

impl Derived {
    /// The surface of a profile, in which the variables that credentials name have these values.
    ///
    /// # Errors
    /// Names the place in the profile that nothing can be derived from.
    pub(in crate::reference) fn of(profile: &Profile, variables: &BTreeMap<String, String>) -> Result<Self, String> {
        let sources = sources(profile);
        let base_path = base_path(&profile.target.base_url);
        let mut derived = Self {
            credentials: Credentials::of(profile, variables, &base_path),
            base_path,
            operations: Vec::new(),
            routes: Vec::new(),
            errors: profile.mock.as_ref().and_then(|mock| mock.errors.clone()),
        };
        for source in &sources {
            derived.operations.push(operation(profile, source)?);
        }
        derived.routes = routes(profile, &sources)?;
        for (operation, source) in derived.operations.iter().zip(&sources) {
            check(operation, source)?;
        }
        Ok(derived)
    }
}

fn sources(profile: &Profile) -> Vec<Source<'_>> {
    let own = &profile.operation;
    let main = Source {
        pointer: "operation".into(),
        request: &own.request,
        identity: &own.identity,
        success: own.success.as_ref(),
        effects: own.effects.as_ref(),
        cleanup: own.cleanup.as_ref(),
        variants: own.declared_variants(),
        mock: profile.mock.as_ref(),
    };
    let further = profile.operations.iter().map(|(name, further)| Source {
        pointer: format!("operations.{name}"),
        request: &further.request,
        identity: &further.identity,
        success: further.success.as_ref(),
        effects: further.effects.as_ref(),
        cleanup: further.cleanup.as_ref(),
        variants: vec![Operation::base(further)],
        mock: None,
    });
    std::iter::once(main).chain(further).collect()
}

/// Says where something stands that nothing can be made of.
fn at(pointer: impl std::fmt::Display) -> impl Fn(String) -> String {
    move |reason| format!("{pointer}: {reason}")
}

fn operation(profile: &Profile, source: &Source<'_>) -> Result<Operation, String> {
    let at = at(&source.pointer);
    let shape = Shape::read(source.request).map_err(&at)?;
    let resource =
        source.cleanup.map(|cleanup| Shape::read(cleanup).map(|shape| shape.path)).transpose().map_err(&at)?;
    let resource = resource.filter(|path| path.names("identity") && !path.names("marker"));
    let resource = resource.or_else(|| Some(Pattern::literal(source.request.path.0.as_str())));
    let status = status(source);
    let telling = Telling::of(source.identity, source.success, status, &profile.contract, resource, source.mock);
    Operation::of(shape, telling.map_err(&at)?, &source.variants, source.mock).map_err(&at)
}

/// The status of a success: one that the profile names for any success, or the usual one of the method.
fn status(source: &Source<'_>) -> u16 {
    let of_variants = source.variants.iter().filter(|variant| variant.outcome == Drawn::Success);
    let matchers = source.success.into_iter().chain(of_variants.filter_map(|variant| variant.draws));
    let named = matchers.flat_map(|matcher| &matcher.status).find_map(|set| match set.0.first()? {
        StatusPattern::Code(code) => Some(*code),
        StatusPattern::Class(_) => None,
    });
    named.unwrap_or(if source.request.method.eq_ignore_ascii_case("POST") { 201 } else { 200 })
}

fn routes(profile: &Profile, sources: &[Source<'_>]) -> Result<Vec<Route>, String> {
    let mut routes = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let collection = Collection(index);
        routes.push(route(&source.pointer, source.request, Deed::Operate(collection))?);
        for variant in source.variants.iter().filter(|variant| variant.request.path != source.request.path) {
            let pointer = format!("{}.parameters.{}", source.pointer, variant.name);
            let known = route(&pointer, &variant.request, Deed::Operate(collection))?;
            routes.push(Route { other_path: Some(variant.request.path.0.clone()), ..known });
        }
        let counters = match source.effects {
            Some(EffectSource::Counters(counters)) => counters.as_slice(),
            Some(EffectSource::Identity(_)) | None => &[],
        };
        for (number, counter) in counters.iter().enumerate() {
            routes.push(list(&format!("{}.effects.{number}", source.pointer), collection, counter, source.mock)?);
        }
        if let Some(cleanup) = source.cleanup {
            let pointer = format!("{}.cleanup", source.pointer);
            let removal = route(&pointer, cleanup, Deed::Remove(collection))?;
            let mut showing = removal.clone();
            routes.push(removal);
            if showing.shape.path.names("identity") {
                showing.shape.method = "GET".to_owned();
                showing.deed = Deed::Show(collection);
                routes.push(showing);
            }
        }
    }
    for (name, hook) in &profile.hooks {
        let Hook::Request(request) = hook else { continue };
        let deed = match name.as_str() {
            "advance-clock" => Deed::AdvanceClock,
            "change" => Deed::Change,
            "delete" => Deed::Delete,
            "last-token" => Deed::Limit(Some(1)),
            "lift-limit" => Deed::Limit(None),
            "store-down" => Deed::StoreDown,
            "store-up" => Deed::StoreUp,
            "restart" => Deed::Restart,
            other => Deed::Unknown(other.to_owned()),
        };
        routes.push(route(&format!("hooks.{name}"), request, deed)?);
    }
    if let Some(clock) = &profile.target.clock {
        let telling = TimeTelling::of(&clock.time, clock.unit).map_err(at("target.clock"))?;
        routes.push(route("target.clock", &clock.request, Deed::Time(telling))?);
    }
    Ok(routes)
}

fn route(pointer: &str, template: &RequestTemplate, deed: Deed) -> Result<Route, String> {
    Ok(Route { shape: Shape::read(template).map_err(at(pointer))?, deed, other_path: None })
}

/// The list that a counter asks for.
fn list(pointer: &str, collection: Collection, counter: &Counter, mock: Option<&Mock>) -> Result<Route, String> {
    let at = at(pointer);
    let telling = ListTelling::of(&counter.each, mock).map_err(&at)?;
    let mut book = Book::default();
    let names: Vec<String> = (0..2).map(|_| identity(book.add("", collection, &sample(None)))).collect();
    let answer = telling.answer(&book.list("", collection, None)).message();
    if counter.each.extract(&answer) != names {
        return Err(at(format!(
            "no list can be made up in which {} finds every item; `mock.list` would have to write one out",
            counter.each
        )));
    }
    if counter.paged.as_ref().is_some_and(|paged| paged.fits(&answer, None)) {
        return Err(at("every list that is made up reads like a part of one, by `paged`".to_owned()));
    }
    route(pointer, &counter.request, Deed::List(collection, telling))
}

fn sample(template: Option<&RequestTemplate>) -> Request {
    let content = template.and_then(|template| template.json.as_ref()?.as_object().cloned()).unwrap_or_default();
    Request { content, reference: None, course: Course::Succeeds, slowness: 1, variant: None }
}

/// Makes sure that the answers of an operation are what the profile takes them for.
fn check(operation: &Operation, source: &Source<'_>) -> Result<(), String> {
    let at = at(&source.pointer);
    let mut book = Book::default();
    let number = book.add("", Collection::MAIN, &sample(Some(source.request)));
    let Some(item) = book.item(number) else { return Ok(()) };
    let name = identity(number);
    let is_success = |answer: &Answer| match source.success {
        Some(success) => success.fits(&answer.message(), Some(&name)),
        None => (200..300).contains(&answer.status),
    };
    for variant in operation.variants() {
        let pointer = |reason: &str| at(format!("parameters {}: {reason}", variant.name));
        let answer = answer(operation, variant, item);
        if !variant.draws.fits(&answer.message(), Some(&name)) {
            return Err(pointer(&format!("no answer can be made up that has {}", variant.draws)));
        }
        match (variant.drawn, is_success(&answer)) {
            (Drawn::Success, true) if source.identity.extract(&answer.message()) == [name.as_str()] => {}
            (Drawn::Success, true) => {
                return Err(pointer(&format!("no answer can be made up in which {} finds one value", source.identity)));
            }
            (Drawn::Success, false) => return Err(pointer("no answer can be made up that is a success")),
            (Drawn::ValidationFailure | Drawn::Failure | Drawn::ServerError | Drawn::TurnedAway, false) => {}
            (Drawn::ValidationFailure | Drawn::Failure | Drawn::ServerError | Drawn::TurnedAway, true) => {
                return Err(pointer("what it draws reads like a success"));
            }
        }
    }
    Ok(())
}

fn answer(operation: &Operation, variant: &Variant, item: &crate::reference::book::Item) -> Answer {
    match variant.drawn {
        Drawn::Success => operation.telling.made(item, &variant.draws),
        Drawn::ValidationFailure | Drawn::Failure | Drawn::ServerError | Drawn::TurnedAway => variant.failure(),
    }
}

/// The path of the base URL, as far as it can be known: without variables, without a slash at its end.
fn base_path(base_url: &Template) -> String {
    let parts = base_url.parts().unwrap_or_default();
    let text: String = parts
        .iter()
        .map(|part| match part {
            TemplatePart::Literal(text) => text.as_str(),
            TemplatePart::Variable(_) | TemplatePart::Expression(_) => "x",
        })
        .collect();
    let after_scheme = text.split_once("://").map_or("", |(_, rest)| rest);
    after_scheme.find('/').map_or("", |at| after_scheme.get(at..).unwrap_or("")).trim_end_matches('/').to_owned()
}
