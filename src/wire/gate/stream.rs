//! The answer to one of several requests on an HTTP/2 connection.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use h2::RecvStream;
use h2::client::ResponseFuture;
use tokio::time::timeout;

use crate::wire::answer::{Answer, HEAD_LIMIT};
use crate::wire::attempt::AttemptOptions;
use crate::wire::fault::Fault;
use crate::wire::http2::{Line, explain};

/// What became of a copy, before it is put on record.
pub(super) struct Run {
    /// Its stream, if it had one.
    pub(super) stream: Option<u32>,
    /// Its answer, or why there is none.
    pub(super) result: Result<Answer, Fault>,
    /// When it was over.
    pub(super) ended: Instant,
}

impl Run {
    /// A copy that is over now.
    pub(super) fn over(stream: Option<u32>, result: Result<Answer, Fault>) -> Self {
        Self { stream, result, ended: Instant::now() }
    }
}

/// Reads an answer in full, within the time limit. The connection must be driven meanwhile.
pub(super) async fn read(
    response: ResponseFuture,
    stream: u32,
    line: &Line,
    options: &AttemptOptions<'_>,
) -> Result<Answer, Fault> {
    let late = |_| Err(Fault::timed_out(options.time_limit, "no complete answer"));
    timeout(options.time_limit, collect(response, stream, line, options.body_limit)).await.unwrap_or_else(late)
}

async fn collect(mut response: ResponseFuture, stream: u32, line: &Line, body_limit: usize) -> Result<Answer, Fault> {
    let broken = |error: h2::Error| explain(&line.tapped(), stream, &error);
    let answer = poll_fn(|context| {
        while let Poll::Ready(Some(Ok(_))) = response.poll_informational(context) {
            line.tapped().forget_interim(stream);
        }
        Pin::new(&mut response).poll(context)
    });
    let (head, mut incoming) = answer.await.map_err(broken)?.into_parts();
    let size: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > HEAD_LIMIT {
        return Err(Fault::too_large("the head", HEAD_LIMIT));
    }
    let body = content(&mut incoming, body_limit).await.map_err(|unread| match unread {
        Some(error) => broken(error),
        None => Fault::too_large("the body", body_limit),
    })?;
    Ok(Answer::new(head.status, head.headers, body))
}

/// Reads content to its end. No error means that there was too much of it.
async fn content(incoming: &mut RecvStream, limit: usize) -> Result<Vec<u8>, Option<h2::Error>> {
    let mut content = Vec::new();
    while let Some(data) = incoming.data().await {
        let data = data?;
        if content.len() + data.len() > limit {
            return Err(None);
        }
        content.extend_from_slice(&data);
        // The peer may send as much again.
        incoming.flow_control().release_capacity(data.len())?;
    }
    Ok(content)
}
