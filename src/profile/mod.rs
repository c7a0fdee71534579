//! A profile: a contract bound to a target, and how to speak to it.

mod model;
mod target;

pub use model::{
    BASE, Counter, DEFAULT, EffectSource, Hook, Operation, Profile, RequestTemplate, Source, Spelling, Template,
    Variant,
};
pub use target::{Auth, Environment, Target};
