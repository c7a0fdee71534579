//! A profile: a contract bound to a target, and how to speak to it.

mod bind;
mod body;
mod check;
mod check_contract;
mod fields;
mod load;
mod made_up;
mod mock;
mod model;
mod operation;
mod render;
mod sites;
mod spelling;
mod staged;
mod target;
mod template;
mod variants;

pub use bind::{BindError, BindOptions, Bound, MissingVariable, Replica};
pub use load::{Loaded, digest, load, parse, places, recorded, shipped};
pub use mock::{Mock, MockAnswer, MockList};
pub use model::{
    BASE, Counter, DEFAULT, EffectSource, FurtherOperation, Hook, IdentityWord, Operation, Profile, RequestTemplate,
    Source, Spelling, Template, Variant,
};
pub use operation::ProbedOperation;
pub use render::{BoundHook, HookValues, RenderError, RenderRequest};
pub use staged::Staged;
pub use target::{Auth, ClockReading, ClockUnit, CredentialsFrom, Environment, RetentionOverride, Target};
pub use template::{TemplateError, TemplatePart};
pub use variants::DeclaredVariant;
