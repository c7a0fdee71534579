//! The surface that is derived from a profile: what a request is taken for, what is answered, and what cannot be served;
//! and the trouble that clients can be tested by.

use std::io::{Read, Write};
use std::time::Duration;

use idemspec::profile::{self, Profile};
use idemspec::reference::{ReferenceError, ReferenceOptions, Trouble, start};

use crate::client::{connect, request};
use crate::fixture::{Fixture, ORDER, contract};

const SHOP: &str = r#"
profile: shop
title: A shop
target: {environment: local, base_url: "https://shop.example/api/v2", auth: {bearer: "${SHOP_TOKEN}"}}
operation:
  request:
    method: POST
    path: /orders
    json: {product: notebook, reference: "{{marker}}", options: {gift: false}}
  identity: {json: "$.order.id"}
  parameters:
    changed: {json: {options: {gift: true}}}
    failing: {json: {product: sold-out}, draws: {status: 402, json: {"$.error.code": sold_out}}}
    invalid: {json: {product: null}, draws: {status: 400}}
  effects:
    - request: {method: GET, path: /orders, query: {reference: "{{marker}}"}}
      each: {json: "$.page.orders[*].id"}
  cleanup: {method: DELETE, path: "/orders/{{identity}}"}
hooks:
  restart: {request: {method: POST, path: /restart}}
  defragment: {request: {method: POST, path: /defragment}}
contract:
  key: {carrier: {header: Idempotency-Key}, missing: {rejects: {status: 400, json: {"$.errors[0].code": key}}}}
  replay: {after_success: replays, after_failure: replays}
  conflict: {changed_parameters: {rejects: {status: 409}}}
"#;

fn profile(text: &str) -> Profile {
    profile::parse("shop.yaml", text).unwrap_or_else(|problems| panic!("{problems}")).profile
}

fn shop() -> Fixture {
    let options = ReferenceOptions { latency: Duration::from_millis(5), ..ReferenceOptions::of(profile(SHOP)) };
    Fixture::with(options)
}

const ADA: (&str, &str) = ("Authorization", "Bearer ada");
const BOB: (&str, &str) = ("Authorization", "Bearer bob");

#[test]
fn a_profile_is_served_to_clients_that_send_what_they_like() {
    let shop = shop();
    let order = |key: &str, body: &str| shop.send("POST", "/orders", &[ADA, ("Idempotency-Key", key)], Some(body));
    let made = order("a", r#"{"product":"pen","reference":"r-1","colour":"red"}"#);
    let expected = r#"{"product":"pen","reference":"r-1","colour":"red","order":{"id":"id_00000001"}}"#;
    assert_eq!((made.status, made.body.as_str()), (201, expected));
    let declined = order("b", r#"{"product":"sold-out","quantity":9,"reference":"r-2"}"#);
    assert_eq!((declined.status, declined.json()["error"]["code"].as_str()), (402, Some("sold_out")));
    assert_eq!(order("c", r#"{"reference":"r-3","options":{"gift":false}}"#).status, 400);
    assert_eq!(order("d", "{").status, 400);
    assert_eq!(order("a", r#"{"colour":"red","product":"pen","reference":"r-1"}"#).body, made.body);
    assert_eq!(order("a", r#"{"colour":"blue","product":"pen","reference":"r-1"}"#).status, 409);
    let keyless = shop.send("POST", "/orders", &[ADA], Some(r#"{"product":"pen"}"#));
    assert_eq!((keyless.status, keyless.json()["errors"][0]["code"].as_str()), (400, Some("key")));
}

#[test]
fn lists_removals_and_accounts_are_those_of_the_profile() {
    let shop = shop();
    let body = r#"{"product":"pen","reference":"r-1"}"#;
    shop.send("POST", "/api/v2/orders", &[ADA, ("Idempotency-Key", "a")], Some(body));
    let list = |account, query: &str| {
        let list = shop.send("GET", &format!("/orders{query}"), &[account], None);
        list.json()["page"]["orders"].as_array().unwrap().len()
    };
    assert_eq!([list(ADA, "?reference=r-1"), list(ADA, ""), list(ADA, "?reference=x"), list(BOB, "")], [1, 1, 0, 0]);
    assert_eq!(shop.send("GET", "/orders/id_00000001", &[ADA], None).status, 200);
    assert_eq!(shop.send("GET", "/orders/id_00000001", &[BOB], None).status, 404);
    assert_eq!(shop.send("DELETE", "/orders/id_00000001", &[BOB], None).status, 404);
    assert_eq!(shop.send("DELETE", "/orders/id_00000001", &[ADA], None).status, 204);
    assert_eq!(list(ADA, ""), 0);
    assert_eq!(shop.send("GET", "/orders", &[], None).status, 401);
    assert_eq!(shop.send("GET", "/elsewhere", &[ADA], None).status, 404);
    assert_eq!(shop.send("DELETE", "/orders", &[ADA], None).header("allow"), Some("POST, GET"));
    assert_eq!(shop.send("POST", "/restart", &[ADA], None).status, 204);
    assert_eq!(shop.send("POST", "/defragment", &[ADA], None).status, 501);
    assert_eq!(shop.send("POST", "/orders", &[ADA, ("Content-Type", "text/plain")], Some(body)).status, 415);
}

#[test]
fn a_profile_can_write_its_answers_out() {
    let mock = r#"
mock:
  success: {status: 200, headers: {X-Order: "/o/{{identity}}"}, json: {kind: order, reference: "{{marker}}"}}
  list: {json: {page: {size: 10}}, item: {kind: order}}
  failures: {failing: {json: {error: {message: "nothing left"}}}}
"#;
    let shop = Fixture::with(ReferenceOptions::of(profile(&format!("{SHOP}{mock}"))));
    let order = |body: &str| shop.send("POST", "/orders", &[ADA, ("Idempotency-Key", body)], Some(body));
    let made = order(r#"{"product":"pen","reference":"r-1"}"#);
    let expected = r#"{"kind":"order","reference":"r-1","order":{"id":"id_00000001"}}"#;
    assert_eq!((made.status, made.body.as_str(), made.header("x-order")), (200, expected, Some("/o/id_00000001")));
    let list = shop.send("GET", "/orders?reference=r-1", &[ADA], None);
    assert_eq!(list.body, r#"{"page":{"size":10,"orders":[{"kind":"order","id":"id_00000001"}]}}"#);
    let declined = order(r#"{"product":"sold-out"}"#);
    assert_eq!(declined.body, r#"{"error":{"message":"nothing left","code":"sold_out"}}"#);
}

/// The same in XML, with errors as its provider writes them.
fn xml_shop(mock: &str) -> Fixture {
    let text = SHOP
        .replace(r#"{json: "$.order.id"}"#, "{xml: /shop/order/id}")
        .replace(r#"{json: "$.page.orders[*].id"}"#, "{xml: /shop/orders/order/id}")
        .replace(r#"json: {"$.error.code": sold_out}"#, r#"xml: {/shop/error/@code: sold_out}"#)
        .replace("rejects: {status: 409}", r#"rejects: {status: 409, xml: {/shop/error/order: "{{identity}}"}}"#);
    Fixture::with(ReferenceOptions::of(profile(&format!("{text}{mock}"))))
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

#[test]
fn a_profile_whose_answers_are_xml_is_served_in_xml() {
    let shop = xml_shop("");
    let order = |key: &str, body: &str| shop.send("POST", "/orders", &[ADA, ("Idempotency-Key", key)], Some(body));
    let made = order("a", r#"{"product":"a < b","reference":"r-1","no name":1}"#);
    let told = "<shop><order><product>a &lt; b</product><reference>r-1</reference><id>id_00000001</id></order></shop>";
    assert_eq!((made.status, made.header("content-type")), (201, Some("text/xml")));
    assert_eq!(made.body, format!("{DECLARATION}{told}"));
    assert_eq!(order("a", r#"{"product":"a < b","reference":"r-1","no name":1}"#).body, made.body);
    let declined = order("b", r#"{"product":"sold-out"}"#);
    assert_eq!(
        (declined.status, declined.body),
        (402, format!("{DECLARATION}<shop><error code=\"sold_out\"></error></shop>"))
    );
    let conflict = order("a", r#"{"product":"pen"}"#);
    let told = "<shop><error><order>id_00000001</order></error></shop>";
    assert_eq!((conflict.status, conflict.body), (409, format!("{DECLARATION}{told}")));
    let list = shop.send("GET", "/orders?reference=x", &[ADA], None);
    assert_eq!(list.body, format!("{DECLARATION}<shop><orders></orders></shop>"));
    order("c", r#"{"product":"pen","reference":"r-1"}"#);
    let list = shop.send("GET", "/orders?reference=r-1", &[ADA], None).body;
    assert!(list.contains("</order><order><product>pen</product>"), "{list}");
}

#[test]
fn a_profile_can_write_xml_out() {
    let mock = r#"
mock:
  success: {body: "<s:shop xmlns:s='urn:s'><s:order><s:id>{{identity}}</s:id></s:order></s:shop>"}
  list: {body: "<shop><orders>{{items}}</orders></shop>", item: "<order><id>{{identity}}</id><of>{{marker}}</of></order>"}
  failures: {failing: {body: "<shop><error code='?'><message>nothing left</message></error></shop>"}}
"#;
    let shop = xml_shop(mock);
    let order = |body: &str| shop.send("POST", "/orders", &[ADA, ("Idempotency-Key", body)], Some(body));
    let made = order(r#"{"product":"pen","reference":"r-1"}"#);
    assert_eq!(made.body, "<s:shop xmlns:s='urn:s'><s:order><s:id>id_00000001</s:id></s:order></s:shop>");
    assert_eq!(made.header("content-type"), Some("text/xml"));
    order(r#"{"product":"ink","reference":"r-1"}"#);
    let list = shop.send("GET", "/orders?reference=r-1", &[ADA], None).body;
    let item = |number| format!("<order><id>id_0000000{number}</id><of>r-1</of></order>");
    assert_eq!(list, format!("<shop><orders>{}{}</orders></shop>", item(1), item(2)));
    let declined = order(r#"{"product":"sold-out"}"#);
    let told = "<shop><error code=\"sold_out\"><message>nothing left</message></error></shop>";
    assert_eq!(declined.body, format!("{DECLARATION}{told}"));
}

#[test]
fn what_cannot_be_served_is_named_with_what_would_help() {
    for (from, to, named) in [
        (
            r#""$.order.id""#,
            r#""$..id""#,
            "operation: no answer can be made up in which $..id finds one value; `mock.success`",
        ),
        (r#""$.page.orders[*].id""#, r#""$.page.*.id""#, "operation.effects.0: no list can be made up"),
        (
            r#"{json: "$.order.id"}"#,
            "{xml: /shop/*/id}",
            "no answer can be made up in which /shop/*/id finds one value",
        ),
        (r#"{json: "$.page.orders[*].id"}"#, "{xml: /shop}", "operation.effects.0: no list can be made up"),
        (r#"reference: "{{marker}}", options"#, r#"reference: "{{marker | upper}}", options"#, "cannot be read back"),
        ("draws: {status: 400}", "draws: {status: 201}", "parameters invalid: what it draws reads like a success"),
    ] {
        assert!(SHOP.contains(from), "{from}");
        let error = start(ReferenceOptions::of(profile(&SHOP.replace(from, to)))).unwrap_err();
        assert!(matches!(error, ReferenceError::Unservable(_)), "{error}");
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[test]
fn answers_can_be_lost_after_the_fact() {
    let trouble = Trouble { lose_first: 2, ..Trouble::default() };
    let target = Fixture::with(ReferenceOptions { trouble, ..ReferenceOptions::new(contract()) });
    for _ in 0..2 {
        let mut stream = connect(target.server.address());
        stream.write_all(&request("POST", "/orders", &[("Idempotency-Key", "k")], Some(ORDER))).unwrap();
        let mut answer = Vec::new();
        // The connection may be closed or reset: either way nothing was answered.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(String::from_utf8_lossy(&answer), "");
        let line = target.line(|line| line.method == "POST");
        assert_eq!(line.status, None);
        assert!(line.note.ends_with("; the answer is lost"), "{line}");
    }
    assert!(target.order("k", ORDER).replayed());
    assert_eq!(target.count(), 1);
}

#[test]
fn errors_come_before_anything_is_done() {
    let trouble = Trouble { error_rate: 1.0, seed: 7, ..Trouble::default() };
    let target = Fixture::with(ReferenceOptions { trouble, ..ReferenceOptions::new(contract()) });
    for _ in 0..5 {
        assert!(matches!(target.order("k", ORDER).status, 500 | 503));
    }
    assert_eq!(target.count(), 0);
}
