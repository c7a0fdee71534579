//! The reference target: an API that interprets a contract, and can be told to break it.
//!
//! The API is the one that a profile describes, as far as it can be derived from that; or a small order API, whose rules
//! are its own, and which is told of below.
//!
//! It is the inverse of the oracle and shares no code with it, so that the two cannot make the same mistake; and it
//! runs on a thread and a runtime of its own, so that it does not share the scheduling of the client that probes it.
//!
//! A request goes through the decision points of a policy, each a function that takes what it needs from the
//! contract. A [`Defect`] replaces some of these functions; the rest of the server does not know that there are any.
//!
//! | request | answer |
//! |---|---|
//! | `POST /orders` `{"product": "notebook", "quantity": 2, "reference": "r"}` | 201, the order |
//! | `PUT /orders` | the same; the shipped contract has keys count with `POST` only |
//! | `GET /orders?reference=r` | 200, `{"orders": […]}` |
//! | `GET`, `PATCH`, `DELETE /orders/{number}` | 200, 200, 204; 404 |
//! | the same under `/reservations` | another operation |
//! | the same under `/branches/{branch}` | the same operation; the branch is a parameter, like `?channel=…` |
//! | `GET /clock`, `POST /clock` `{"advance": "25h"}` or `{"advance_seconds": 90000}` | 200, `{"now": …, "elapsed_ms": …}` |
//! | `PUT /limit` `{"requests": 1}` or `{"requests": null}` | 204; so many more requests are carried out, and the others get 429 |
//! | `POST /store/down`, `POST /store/up` | 204; in between the key store is down |
//! | `POST /restart` | 204; what was in memory alone is gone, and requests that were under way get no answer |
//!
//! A request to `POST /orders` with `Turn-Away: 401`, `429` or `503` gets that before anybody looks at it.
//!
//! The `Date` of every answer is what the clock shows. `Authorization: Bearer NAME` names the account; without it the account is `default`.

mod answer;
mod book;
mod certificate;
mod clock;
mod conflict;
mod dated;
mod defect;
mod disposition;
mod execution;
mod http;
mod interpreter;
mod key;
mod limits;
mod listener;
mod orders;
mod policy;
mod record;
mod recovery;
mod sameness;
mod server;
mod state;
mod store;
mod submission;
mod surface;
mod trouble;
mod window;

pub use book::SLOW_FACTOR;
pub use certificate::{Certificate, CertificateError};
pub use defect::{Defect, DefectError, FailureClass};
pub use http::RequestLine;
pub use orders::{CRASHING_PRODUCT, FAILING_PRODUCT, SLOW_PRODUCT};
pub use server::{Api, DEFAULT_LATENCY, ReferenceError, ReferenceOptions, RunningReference, start};
pub use store::StoreError;
pub use trouble::Trouble;
