//! Starting and stopping the server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::sync::oneshot;

use super::defect::Defect;
use super::http::{self, RequestLine};
use super::interpreter::Interpreter;
use super::policy::{Policy, refusal};
use crate::contract::{Carrier, Contract, Row, Situation};

/// How long an execution takes where nothing else is said.
pub const DEFAULT_LATENCY: Duration = Duration::from_millis(25);

/// How the reference server is to run.
#[derive(Clone, Debug)]
pub struct ReferenceOptions {
    /// The port on the loopback interface; 0 for any that is free.
    pub port: u16,
    /// How long an execution takes. While it runs, its key is in flight.
    pub latency: Duration,
    /// The contract that is kept.
    pub contract: Contract,
    /// The ways in which it is broken all the same.
    pub defects: Vec<Defect>,
    /// Where every request is told of when it is over, if anywhere.
    pub log: Option<Sender<RequestLine>>,
}

impl ReferenceOptions {
    /// A server that keeps this contract, on any free port, without a log.
    pub fn new(contract: Contract) -> Self {
        Self { port: 0, latency: DEFAULT_LATENCY, contract, defects: Vec::new(), log: None }
    }
}

/// Why the reference server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// The port cannot be had.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// There is no thread or runtime to run on.
    #[error("cannot start the reference target")]
    Start(#[source] io::Error),
    /// The contract promises something that this server cannot do.
    #[error("the reference target cannot serve this contract: {0}")]
    Unservable(String),
}

/// A running server. It stops when this value is dropped.
#[derive(Debug)]
pub struct RunningReference {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningReference {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as a URL without a path.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for RunningReference {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has stopped as well.
            let _ = thread.join();
        }
    }
}

/// Starts a server on a thread and a runtime of its own. It listens as soon as this returns.
///
/// # Errors
/// When the port is taken, when there is no thread to run on, or when the contract asks for what the server cannot do.
pub fn start(options: ReferenceOptions) -> Result<RunningReference, ReferenceError> {
    let ReferenceOptions { port, latency, contract, defects, log } = options;
    check(&contract)?;
    let listen = |source| ReferenceError::Listen { port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;

    let mut policy = Policy::sound();
    for defect in defects {
        defect.apply(&mut policy);
    }
    let router = http::router(Arc::new(Interpreter::new(contract, policy, latency)), log);
    let (ready, readiness) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("reference".into())
        .spawn(move || run(listener, router, &ready, stopped))
        .map_err(ReferenceError::Start)?;
    let started = readiness.recv().unwrap_or_else(|_| Err(io::Error::other("its thread ended at once")));
    started.map_err(ReferenceError::Start)?;
    Ok(RunningReference { address, stop: Some(stop), thread: Some(thread) })
}

/// Serves until told to stop. Open connections and running executions end with the runtime.
///
/// The runtime is made, used and dropped on this thread alone: a caller may well be inside another one.
fn run(listener: TcpListener, router: axum::Router, ready: &Sender<io::Result<()>>, stopped: oneshot::Receiver<()>) {
    // Whoever asked is waiting for the message; if it cannot be sent, there is nobody to serve either.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(ready.send(Err(error))),
    };
    runtime.block_on(async move {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return drop(ready.send(Err(error))),
        };
        // An answer is small and complete: there is nothing to wait for before it is sent.
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        if ready.send(Ok(())).is_ok() {
            tokio::select! {
                _ = axum::serve(listener, router) => {}
                _ = stopped => {}
            }
        }
    });
}

/// Finds promises that the server cannot keep, before anybody relies on them.
fn check(contract: &Contract) -> Result<(), ReferenceError> {
    if let Some(carrier @ Carrier::Form(_)) = contract.key.as_ref().map(|key| &key.carrier) {
        return Err(ReferenceError::Unservable(format!("its requests are JSON, so there is no {carrier}")));
    }
    // It interprets neither rate limits nor replicas nor an outage of its key store, so it need not word them.
    let served = |row: &Row| !matches!(row, Row::RateLimited | Row::Replicas | Row::StoreUnavailable);
    for matcher in Row::ALL.into_iter().filter(served).flat_map(|row| contract.rejections(row)) {
        let answer = refusal(Situation::ChangedParameters).answer(matcher, Some(1));
        if !matcher.fits(&answer.message(), Some("1")) {
            return Err(ReferenceError::Unservable(format!("it knows no answer that has {matcher}")));
        }
    }
    Ok(())
}
