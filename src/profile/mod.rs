//! A profile: a contract bound to a target, and how to speak to it.

mod bind;
mod body;
mod check;
mod check_contract;
mod load;
mod model;
mod render;
mod sites;
mod target;
mod template;
mod variants;

pub use bind::{BindError, BindOptions, Bound};
pub use load::{Loaded, load, parse, shipped};
pub use model::{
    BASE, Counter, DEFAULT, EffectSource, Hook, IdentityWord, Operation, Profile, RequestTemplate, Source, Spelling,
    Template, Variant,
};
pub use render::{BoundHook, RenderError, RenderRequest};
pub use target::{Auth, Environment, Target};
pub use template::TemplateError;
