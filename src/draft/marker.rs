//! Where the marker goes in a request.

use serde_json::Value;

use crate::openapi::{Body, FreeText};

/// What the marker looks like as the address of a mailbox.
const ADDRESS: &str = "{{marker}}@example.com";

/// The marker.
pub(super) const MARKER: &str = "{{marker}}";

/// Names of members that are made for the caller's own words, the best first.
const NAMES: [&str; 16] = [
    "reference",
    "referenceid",
    "externalreference",
    "externalid",
    "clientreference",
    "merchantreference",
    "customid",
    "description",
    "note",
    "notes",
    "memo",
    "comment",
    "subject",
    "title",
    "name",
    "email",
];

/// Puts the marker into a body, where some free text can be; says where.
pub(super) fn mark(body: &mut Body) -> Option<FreeText> {
    let mut places: Vec<FreeText> =
        body.free_texts.iter().filter(|place| can_stand(&body.example, place)).cloned().collect();
    places.sort_by_key(rank);
    let place = places.into_iter().next()?;
    let text = Value::from(value(&place));
    let (around, name) = place.pointer.rsplit_once('/')?;
    let members = body.example.pointer_mut(around)?.as_object_mut()?;
    members.insert(name.replace("~1", "/").replace("~0", "~"), text);
    Some(place)
}

/// The marker as it stands at a place.
pub(super) fn value(place: &FreeText) -> &'static str {
    if place.is_address { ADDRESS } else { MARKER }
}

/// A place can be filled if the object around it is there, and not something else than text stands there.
fn can_stand(example: &Value, place: &FreeText) -> bool {
    let around = place.pointer.rsplit_once('/').map(|(around, _)| around).and_then(|around| example.pointer(around));
    around.is_some_and(Value::is_object) && example.pointer(&place.pointer).is_none_or(Value::is_string)
}

/// A name that is made for it, then what stands further outside, then what is required anyway.
fn rank(place: &FreeText) -> (usize, usize, bool) {
    let name = place.name.to_lowercase().replace(['_', '-'], "");
    let named = NAMES.iter().position(|known| *known == name);
    let address = place.is_address.then_some(NAMES.len() - 1);
    (named.or(address).unwrap_or(NAMES.len()), place.pointer.matches('/').count(), !place.is_required)
}
