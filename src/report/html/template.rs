//! The templates, which are part of the program, and the policy that belongs to them.

use std::sync::OnceLock;

use base64::Engine;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::page::HtmlError;

pub(super) const STYLE: &str = include_str!("style.css");
pub(super) const SCRIPT: &str = include_str!("script.js");

const TEMPLATES: [(&str, &str); 3] = [
    ("page.html", include_str!("page.html")),
    ("sheet.html", include_str!("sheet.html")),
    ("case.html", include_str!("case.html")),
];

/// Fills a template in. What is returned is markup, and may stand in another template as it is.
pub(super) fn render(name: &str, values: &impl Serialize) -> Result<Value, HtmlError> {
    static TEMPLATES_READ: OnceLock<Result<Environment<'static>, String>> = OnceLock::new();
    let environment = TEMPLATES_READ.get_or_init(|| environment().map_err(|error| error.to_string()));
    let environment = environment.as_ref().map_err(|error| HtmlError(error.clone()))?;
    let filled = environment.get_template(name).and_then(|template| template.render(Serde(values)));
    filled.map(Value::from_safe_string).map_err(|error| HtmlError(error.to_string()))
}

fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// What a browser may let in: this very style and this very script, and nothing from anywhere.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

fn digest(text: &str) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(digest))
}
