//! Bodies and fields: JSON with templates in its texts, forms and queries with nested names.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::multipart::{self, Part};
use super::render::{RenderError, at};
use super::template::{Place, Values, render};
use super::{RequestTemplate, Spelling, spelling};
use crate::secret::Text;

/// The content of a request, rendered but not yet written out.
pub(super) enum Content {
    None,
    /// The same JSON in both forms.
    Json {
        sent: Value,
        shown: Value,
    },
    /// Encoded names and values.
    Form(Vec<(String, Text)>),
    Multipart(Vec<Part>),
    /// Text and its media type.
    Raw(Text, String),
}

impl Content {
    pub(super) fn of(template: &RequestTemplate, values: &Values<'_>) -> Result<Self, RenderError> {
        if let Some(json) = &template.json {
            let (sent, shown) = both_forms(json, values)?;
            return Ok(Self::Json { sent, shown });
        }
        if let Some(raw) = &template.raw {
            let text = at("raw body", render(&raw.content.0, values, Place::Plain))?;
            return Ok(Self::Raw(text, raw.content_type.clone()));
        }
        match (&template.form, &template.multipart) {
            (Some(form), _) => fields(form, values, Place::Form).map(Self::Form),
            (None, Some(parts)) => multipart::parts(parts, values).map(Self::Multipart),
            (None, None) => Ok(Self::None),
        }
    }

    /// The media type of the content as it is written.
    pub(super) fn media_type(&self, spelling: Option<Spelling>) -> Option<String> {
        match self {
            Self::None => None,
            Self::Json { .. } => Some("application/json".to_owned()),
            Self::Form(_) => Some("application/x-www-form-urlencoded".to_owned()),
            Self::Multipart(parts) => {
                Some(format!("multipart/form-data; boundary={}", multipart::boundary(parts, spelling)))
            }
            Self::Raw(_, media_type) => Some(media_type.clone()),
        }
    }

    /// Writes the content out. The order of members is the order in which they were written.
    pub(super) fn text(&self, spelling: Option<Spelling>) -> Option<Text> {
        match self {
            Self::None => None,
            Self::Raw(text, _) => Some(text.clone()),
            Self::Multipart(parts) => Some(multipart::written(parts, spelling)),
            Self::Json { sent, shown } => {
                Some(Text::new(spelling::written(sent, spelling), spelling::written(shown, spelling)))
            }
            Self::Form(fields) => {
                let mut text = Text::default();
                for (index, (name, value)) in fields.iter().enumerate() {
                    text.push_plain(if index == 0 { "" } else { "&" });
                    let escapes = spelling == Some(Spelling::Escaped);
                    let name = if escapes { spelling::escaped_name(name) } else { name.clone() };
                    text.push_plain(&format!("{name}="));
                    text.push(value);
                }
                Some(text)
            }
        }
    }
}

fn both_forms(value: &Value, values: &Values<'_>) -> Result<(Value, Value), RenderError> {
    Ok(match value {
        Value::String(written) => {
            let text = at("JSON body", render(written, values, Place::Plain))?;
            (Value::from(text.sent()), Value::from(text.shown()))
        }
        Value::Array(items) => {
            let forms = items.iter().map(|item| both_forms(item, values)).collect::<Result<Vec<_>, _>>()?;
            let (sent, shown): (Vec<_>, Vec<_>) = forms.into_iter().unzip();
            (Value::Array(sent), Value::Array(shown))
        }
        Value::Object(members) => {
            let (mut sent, mut shown) = (Map::new(), Map::new());
            for (name, member) in members {
                let (member_sent, member_shown) = both_forms(member, values)?;
                sent.insert(name.clone(), member_sent);
                shown.insert(name.clone(), member_shown);
            }
            (Value::Object(sent), Value::Object(shown))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => (value.clone(), value.clone()),
    })
}

/// Renders named values as encoded fields: `a: {b: c}` is `a[b]=c`, the items of a list are `a[0]`, `a[1]`, …, and the
/// items of a list under a name that ends in `[]` all have that name.
pub(super) fn fields(
    members: &IndexMap<String, Value>,
    values: &Values<'_>,
    place: Place,
) -> Result<Vec<(String, Text)>, RenderError> {
    let mut fields = Vec::new();
    for (name, value) in members {
        add_fields(&mut fields, name.clone(), value, values, place)?;
    }
    Ok(fields)
}

fn add_fields(
    fields: &mut Vec<(String, Text)>,
    name: String,
    value: &Value,
    values: &Values<'_>,
    place: Place,
) -> Result<(), RenderError> {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                add_fields(fields, format!("{name}[{member}]"), value, values, place)?;
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let item_name = if name.ends_with("[]") { name.clone() } else { format!("{name}[{index}]") };
                add_fields(fields, item_name, item, values, place)?;
            }
        }
        Value::String(written) => {
            let text = at(&format!("field {name}"), render(written, values, place))?;
            fields.push((place.encode(&name), text));
        }
        Value::Null => fields.push((place.encode(&name), Text::default())),
        Value::Bool(_) | Value::Number(_) => {
            fields.push((place.encode(&name), Text::plain(place.encode(&value.to_string()))));
        }
    }
    Ok(())
}

/// Sets a field to a value without a secret, replacing what stood there.
pub(super) fn set_field(fields: &mut Vec<(String, Text)>, name: &str, value: &str, place: Place) {
    let name = place.encode(name);
    fields.retain(|(known, _)| *known != name);
    fields.push((name, Text::plain(place.encode(value))));
}

/// Sets the member at a JSON pointer (RFC 6901), creating the objects that are missing on the way.
pub(super) fn set_member(value: &mut Value, pointer: &str, text: &str) -> Result<(), String> {
    let Some(path) = pointer.strip_prefix('/') else {
        return Err(format!("`{pointer}` is not a JSON pointer such as `/idempotency_key`"));
    };
    let mut place = value;
    for token in path.split('/') {
        let name = token.replace("~1", "/").replace("~0", "~");
        let Value::Object(members) = place else {
            return Err(format!("`{name}` cannot stand in something that is not an object"));
        };
        place = members.entry(name).or_insert_with(|| Value::Object(Map::new()));
    }
    *place = Value::from(text);
    Ok(())
}

/// The same JSON with the members of every object in reverse order.
pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(name, member)| (name.clone(), reversed(member))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Whether any object in a value has an order to reverse.
pub(super) fn has_order(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.len() > 1 || members.values().any(has_order),
        Value::Array(items) => items.iter().any(has_order),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
