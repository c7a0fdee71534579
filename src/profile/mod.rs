//! A profile: a contract bound to a target, and how to speak to it.

mod auth;
mod bind;
mod body;
mod check;
mod check_auth;
mod check_contract;
mod credentials;
mod fields;
mod load;
mod made_up;
mod mock;
mod model;
mod multipart;
mod operation;
mod probing;
mod render;
mod sites;
mod spelling;
mod staged;
mod staged_credentials;
mod target;
mod template;
mod variants;

pub use auth::{Auth, AwsSignature, ClientAuthentication, OAuth2, TokenCommand};
pub use bind::{BindError, BindOptions, Bound, MissingVariable, Replica};
pub use credentials::TokenSource;
pub use load::{
    Loaded, declarations, digest, load, parse, place_of, places, recorded, shipped, shipped_titles, written,
    written_text,
};
pub use mock::{Mock, MockAnswer, MockError, MockList};
pub use model::{
    BASE, Counter, DEFAULT, EffectSource, FurtherOperation, Hook, IdentityWord, Operation, Profile, RawBody,
    RequestTemplate, Source, Spelling, Template, Variant,
};
pub use operation::ProbedOperation;
pub use render::{BoundHook, HookValues, RenderError, RenderRequest};
pub use staged::Staged;
pub use target::{ClockReading, ClockUnit, CredentialsFrom, Environment, RetentionOverride, Target};
pub use template::{TemplateError, TemplatePart};
pub use variants::DeclaredVariant;
