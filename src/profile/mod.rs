//! A profile: a contract bound to a target, and how to speak to it.

mod bind;
mod body;
mod check;
mod check_contract;
mod fields;
mod load;
mod mock;
mod model;
mod operation;
mod render;
mod sites;
mod spelling;
mod target;
mod template;
mod variants;

pub use bind::{BindError, BindOptions, Bound, Replica};
pub use load::{Loaded, digest, load, parse, recorded, shipped};
pub use mock::{Mock, MockAnswer, MockList};
pub use model::{
    BASE, Counter, DEFAULT, EffectSource, FurtherOperation, Hook, IdentityWord, Operation, Profile, RequestTemplate,
    Source, Spelling, Template, Variant,
};
pub use operation::ProbedOperation;
pub use render::{BoundHook, HookValues, RenderError, RenderRequest};
pub use target::{Auth, ClockReading, ClockUnit, Environment, RetentionOverride, Target};
pub use template::{TemplateError, TemplatePart};
pub use variants::DeclaredVariant;
