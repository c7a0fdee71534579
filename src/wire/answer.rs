//! Reading an answer in full.

use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;

use super::cookie;
use super::fault::Fault;
use super::transport::Transport;
use crate::message::{Body, Response};
use crate::secret::Secrets;

/// The largest head of an answer, in bytes.
pub(super) const HEAD_LIMIT: usize = 64 * 1024;

/// More fields than fit into a head: their number is not limited otherwise.
const MOST_FIELDS: usize = HEAD_LIMIT / 4;

/// An answer as it came, secrets and all. It leaves this module's callers only as a [`Response`].
pub(super) struct Answer {
    status: http::StatusCode,
    headers: http::HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    /// Puts an answer together that another client has read.
    pub(super) fn new(status: http::StatusCode, headers: http::HeaderMap, body: Vec<u8>) -> Self {
        Self { status, headers, body }
    }

    /// The answer as it may be shown and written down.
    pub(super) fn redacted(&self, secrets: &Secrets) -> Response {
        let headers = self.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            let shown = secrets.redact(&cookie::hidden(name.as_str(), value.into_owned()));
            (secrets.redact(name.as_str()), shown)
        });
        Response {
            status: self.status.as_u16(),
            headers: headers.collect(),
            body: Body::new(secrets.redact_bytes(&self.body)),
        }
    }
}

/// Why there is no answer.
enum Unread {
    Head(hyper::Error),
    Body(hyper::Error),
    TooLarge,
}

/// Sends the request and reads the answer to its end.
pub(super) async fn read(transport: &mut Transport, method: &http::Method, body_limit: usize) -> Result<Answer, Fault> {
    let unread = match converse(transport, method, body_limit).await {
        Ok(answer) => return Ok(answer),
        Err(unread) => unread,
    };
    let fault = match unread {
        Unread::TooLarge => Fault::too_large("the body", body_limit),
        Unread::Head(error) if error.is_parse() && transport.bytes_read() >= HEAD_LIMIT as u64 => {
            Fault::too_large("the head", HEAD_LIMIT)
        }
        Unread::Head(error) | Unread::Body(error) => Fault::from_hyper(&error),
    };
    Err(transport.explain(fault))
}

async fn converse(transport: &mut Transport, method: &http::Method, body_limit: usize) -> Result<Answer, Unread> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEAD_LIMIT).max_headers(MOST_FIELDS);
    let (mut sender, mut connection) = builder.handshake(transport).await.map_err(Unread::Head)?;
    // hyper needs a request to know which one it reads the answer to; its method decides whether a body follows.
    let mut request = http::Request::new(Empty::<Bytes>::new());
    *request.method_mut() = method.clone();
    let exchange = collect(sender.send_request(request), body_limit);
    let connection = async {
        // Whatever ends the connection reaches the exchange as well, and is told there.
        let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
        pending::<Infallible>().await
    };
    tokio::select! {
        answer = exchange => answer,
        never = connection => match never {},
    }
}

async fn collect(
    response: impl Future<Output = hyper::Result<http::Response<Incoming>>>,
    body_limit: usize,
) -> Result<Answer, Unread> {
    let (head, mut incoming) = response.await.map_err(Unread::Head)?.into_parts();
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(Unread::Body)?.into_data() else { continue };
        if body.len() + data.len() > body_limit {
            return Err(Unread::TooLarge);
        }
        body.extend_from_slice(&data);
    }
    Ok(Answer::new(head.status, head.headers, body))
}
