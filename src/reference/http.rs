//! HTTP on the outside of the interpreter. Every answer is empty, or JSON, or XML where a profile says so; an error that no
//! profile describes is JSON.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::DATE;
use axum::http::request::Parts;
use axum::http::{Method, Response};
use bytes::Bytes;
use http_body_util::BodyExt;

use super::answer::Answer;
use super::interpreter::{Interpreter, Reply};
use super::policy::Submission;
use super::surface::{Asked, Routed, SECOND_REPLICA};
use super::trouble::{self, Ahead};

/// Longer bodies are refused.
const LONGEST_BODY: usize = 64 * 1024;

/// And no more than this of them is read.
const LONGEST_PATIENCE: usize = 16 * LONGEST_BODY;

/// One request, as the log of the server tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLine {
    /// The request method.
    pub method: String,
    /// The path, without query.
    pub path: String,
    /// The status that was answered; `None` if the client had gone before, or the answer was to be lost.
    pub status: Option<u16>,
    /// How the request met the server, and what it got. Empty where no key plays a part.
    pub note: String,
    /// How long after the first request with its key this one was looked up, as measured, on a server where look-up and
    /// claim are not one step. It shows how long the window between them really was.
    pub looked_up_after: Option<Duration>,
}

impl fmt::Display for RequestLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ", self.method, self.path)?;
        match self.status {
            Some(status) => write!(formatter, "{status}")?,
            None => formatter.write_str("-")?,
        }
        if !self.note.is_empty() {
            write!(formatter, " {}", self.note)?;
        }
        match self.looked_up_after {
            Some(time) => write!(formatter, ", looked up {} µs after the first with its key", time.as_micros()),
            None => Ok(()),
        }
    }
}

#[derive(Clone)]
struct Service {
    interpreter: Arc<Interpreter>,
    replica: u16,
    trouble: Arc<Ahead>,
    log: Option<Sender<RequestLine>>,
}

/// The number of the second replica.
const SECOND: u16 = 1;

/// The routes of one replica of the server, and of the second one below a path of their own.
pub(super) fn router(
    interpreter: Arc<Interpreter>,
    trouble: Arc<Ahead>,
    replica: u16,
    log: Option<Sender<RequestLine>>,
) -> Router {
    let of = |replica| {
        let (interpreter, trouble, log) = (Arc::clone(&interpreter), Arc::clone(&trouble), log.clone());
        Router::new().fallback(serve).with_state(Service { interpreter, replica, trouble, log })
    };
    of(replica).nest(SECOND_REPLICA, of(SECOND))
}

async fn serve(State(service): State<Service>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let line = OpenLine::new(&parts, service.log.clone());
    let reading = Reading { service: &service, parts: &parts, over: false };
    let reply = match reading.read(body).await {
        Ok(content) => answer(&service, &parts, content).await,
        Err(refused) => plain(refused),
    };
    // Nobody is told anything that a crash could make untrue.
    let reply = match service.interpreter.kept().await {
        Ok(()) => reply,
        Err(not_kept) => plain(Answer::error(503, &not_kept.to_string())),
    };
    line.close(&reply);
    if reply.lost {
        return trouble::lost();
    }
    let date = httpdate::fmt_http_date(service.interpreter.clock.date());
    reply.answer.with_header(DATE.as_str(), &date).into_http()
}

fn plain(answer: Answer) -> Reply {
    Reply { answer, note: String::new(), looked_up_after: None, lost: false }
}

/// The reading of a body. A body that breaks off, or whose client goes away before its end, is told to the interpreter.
struct Reading<'s> {
    service: &'s Service,
    parts: &'s Parts,
    over: bool,
}

impl Reading<'_> {
    /// Reads a whole body. One that breaks off is an error, so half a request never gets any further. One that is too
    /// long is read on for a while: a client that is still sending would not see the answer.
    async fn read(mut self, mut body: Body) -> Result<Bytes, Answer> {
        let mut content = Vec::new();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Answer::error(400, "the content broke off"))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            length += data.len();
            if length <= LONGEST_BODY {
                content.extend_from_slice(&data);
            } else if length > LONGEST_PATIENCE {
                break;
            }
        }
        self.over = true;
        if length > LONGEST_BODY { Err(Answer::error(413, "the content is too long")) } else { Ok(content.into()) }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if !self.over
            && let Some(announced) = announced(self.service, self.parts)
        {
            self.service.interpreter.break_off(&announced);
        }
    }
}

/// What the head of a request tells of the request that is to come, if that is one that makes something.
fn announced(service: &Service, parts: &Parts) -> Option<Submission> {
    let asked = Asked { parts, body: Bytes::new(), replica: service.replica };
    service.interpreter.surface.announced(&service.interpreter, asked)
}

/// Finds what a whole request is about, and answers it.
async fn answer(service: &Service, parts: &Parts, body: Bytes) -> Reply {
    let interpreter = &service.interpreter;
    if interpreter.policy.reads_from_record
        && parts.method == Method::GET
        && let Some(reply) = read_from_record(service, parts)
    {
        return reply;
    }
    match interpreter.surface.route(interpreter, Asked { parts, body, replica: service.replica }) {
        Ok(Routed::Submitted(submission)) => match service.trouble.error() {
            Some(error) => Reply { note: "an error before anything is done".to_owned(), ..plain(error) },
            None => {
                let reply = interpreter.submit(*submission).await;
                Reply { lost: reply.lost || service.trouble.loses(), ..reply }
            }
        },
        Ok(Routed::Answered(answer)) | Err(answer) => plain(answer),
    }
}

/// The answer that the key of a request which only reads was first used for, if there is one.
fn read_from_record(service: &Service, parts: &Parts) -> Option<Reply> {
    let mut parts = parts.clone();
    parts.method = Method::POST;
    service.interpreter.recorded(&announced(service, &parts)?)
}

/// A log line that is written when its request is answered, or when its client goes away before.
struct OpenLine {
    log: Option<Sender<RequestLine>>,
    line: RequestLine,
}

impl OpenLine {
    fn new(parts: &Parts, log: Option<Sender<RequestLine>>) -> Self {
        let line = RequestLine {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            status: None,
            note: "the client has gone".to_owned(),
            looked_up_after: None,
        };
        Self { log, line }
    }

    fn close(mut self, reply: &Reply) {
        self.line.status = Some(reply.answer.status).filter(|_| !reply.lost);
        self.line.note = if reply.lost { format!("{}; the answer is lost", reply.note) } else { reply.note.clone() };
        self.line.looked_up_after = reply.looked_up_after;
    }
}

impl Drop for OpenLine {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            // Nobody needs to listen: a closed log is no reason to stop serving.
            let _ = log.send(self.line.clone());
        }
    }
}
