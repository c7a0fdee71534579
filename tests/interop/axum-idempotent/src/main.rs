//! A small order API behind axum-idempotent, mounted as its README says. Prints the port that it listens on.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use axum_idempotent::{IdempotentLayer, IdempotentOptions};
use ruts::store::Ttl;
use ruts::store::moka::MokaStore;
use ruts::{CookieOptions, Session, SessionLayer};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_cookies::CookieManagerLayer;

const SLOW: Duration = Duration::from_secs(1);
const SESSION_SECONDS: i64 = 3600;

/// Orders, or refunds.
#[derive(Clone)]
struct Shelf {
    /// The name of the identity in an answer.
    identity: &'static str,
    numbers: Arc<AtomicU64>,
    made: Arc<Mutex<Vec<Entry>>>,
    declined: Arc<Mutex<HashSet<String>>>,
}

struct Entry {
    account: String,
    number: u64,
    reference: Value,
    order: Value,
}

#[derive(Deserialize)]
struct Wanted {
    reference: Option<Value>,
}

#[derive(Deserialize)]
struct Login {
    name: String,
}

fn refusal(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({"error": why}))).into_response()
}

/// Begins a session: without one, the middleware keeps nothing.
async fn log_in(session: Session<MokaStore>, Json(login): Json<Login>) -> StatusCode {
    let lifetime = Ttl::new(SESSION_SECONDS).expect("a lifetime");
    session.set("account", &login.name, lifetime, None).await.expect("a session");
    StatusCode::NO_CONTENT
}

async fn account_of(session: &Session<MokaStore>) -> String {
    session.get("account").await.ok().flatten().unwrap_or_default()
}

async fn make(State(shelf): State<Shelf>, session: Session<MokaStore>, Json(body): Json<Value>) -> Response {
    let product = body["product"].as_str().unwrap_or_default().to_owned();
    if product.is_empty() || body["quantity"].as_u64().is_none_or(|quantity| quantity == 0) {
        return refusal(StatusCode::BAD_REQUEST, "an order has a product and a quantity of one or more");
    }
    // Declined once: who tries again has money by then, so that a repeat which is carried out shows.
    if product == "unpayable" && shelf.declined.lock().expect("the declined").insert(body["reference"].to_string()) {
        return refusal(StatusCode::PAYMENT_REQUIRED, "the payment was declined");
    }
    if product == "handmade" {
        tokio::time::sleep(SLOW).await;
    }
    let number = shelf.numbers.fetch_add(1, Ordering::SeqCst) + 1;
    let mut order = body;
    order[shelf.identity] = json!(number);
    let entry =
        Entry { account: account_of(&session).await, number, reference: order["reference"].clone(), order: order.clone() };
    shelf.made.lock().expect("the orders").push(entry);
    if product == "broken" {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "broken after the order was made");
    }
    (StatusCode::CREATED, Json(order)).into_response()
}

async fn find(
    State(shelf): State<Shelf>,
    session: Session<MokaStore>,
    Query(wanted): Query<Wanted>,
) -> Json<Value> {
    let account = account_of(&session).await;
    let made = shelf.made.lock().expect("the orders");
    let mine = made.iter().filter(|entry| {
        entry.account == account && wanted.reference.as_ref().is_none_or(|reference| *reference == entry.reference)
    });
    Json(json!({"items": mine.map(|entry| &entry.order).collect::<Vec<_>>()}))
}

async fn remove(State(shelf): State<Shelf>, Path(number): Path<u64>) -> StatusCode {
    let mut made = shelf.made.lock().expect("the orders");
    let Some(place) = made.iter().position(|entry| entry.number == number) else {
        return StatusCode::NOT_FOUND;
    };
    made.remove(place);
    StatusCode::NO_CONTENT
}

/// Serves `POST /path` behind the layer; `GET /path?reference=…` and `DELETE /path/{number}` need no key and are beside it.
fn serve(path: &str, identity: &'static str, layer: &IdempotentLayer<MokaStore>) -> Router {
    let shelf = Shelf { identity, numbers: Arc::default(), made: Arc::default(), declined: Arc::default() };
    let guarded = Router::new().route(path, post(make)).layer(layer.clone());
    Router::new()
        .route(path, get(find))
        .route(&format!("{path}/{{number}}"), delete(remove))
        .merge(guarded)
        .with_state(shelf)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().and_then(|text| text.parse().ok()).expect("a port");
    let expire_after: i64 = arguments.next().and_then(|text| text.parse().ok()).expect("seconds");

    let options = IdempotentOptions::default()
        .use_idempotency_key_header(Some("Idempotency-Key"), true)
        .expire_after(expire_after);
    let layer = IdempotentLayer::<MokaStore>::new(options);
    let store = Arc::new(MokaStore::builder().build());
    let app = Router::new()
        .merge(serve("/orders", "order_id", &layer))
        .merge(serve("/refunds", "refund_id", &layer))
        .route("/login", post(log_in))
        .layer(SessionLayer::new(store).with_cookie_options(CookieOptions::build().name("session")))
        .layer(CookieManagerLayer::new());

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
    println!("{}", listener.local_addr().expect("an address").port());
    axum::serve(listener, app).await.expect("a server");
}
