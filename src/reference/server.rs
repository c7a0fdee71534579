//! Starting and stopping the server.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::certificate::{self, Certificate, CertificateError};
use super::defect::Defect;
use super::http::{self, RequestLine};
use super::interpreter::Interpreter;
use super::listener::{self, TlsListener};
use super::orders::Orders;
use super::policy::{Policy, refusal};
use super::store::{Opened, StoreError};
use super::surface::{Derived, Surface};
use super::trouble::{Ahead, Trouble};
use crate::contract::{Carrier, Contract, Row, Situation};
use crate::profile::Profile;

/// How long an execution takes where nothing else is said.
pub const DEFAULT_LATENCY: Duration = Duration::from_millis(25);

/// How the reference server is to run.
#[derive(Clone, Debug)]
pub struct ReferenceOptions {
    /// The port on the loopback interface; 0 for any that is free. Further replicas listen on the ports that follow.
    pub port: u16,
    /// On how many ports it listens. Behind all of them is one store of keys, and one of orders.
    pub replicas: NonZeroU16,
    /// Whether it speaks TLS, by a certificate that is made when it starts.
    pub tls: bool,
    /// How long an execution takes. While it runs, its key is in flight.
    pub latency: Duration,
    /// The contract that is kept.
    pub contract: Contract,
    /// What is served: the API that a profile describes, or the order API.
    pub api: Api,
    /// The ways in which it is broken all the same.
    pub defects: Vec<Defect>,
    /// What clients are to meet beside that.
    pub trouble: Trouble,
    /// The file in which keys and effects are kept; in memory alone where there is none.
    pub data: Option<PathBuf>,
    /// The values of the variables that the credentials of a profile name. For others, values are made up.
    pub variables: BTreeMap<String, String>,
    /// Where every request is told of when it is over, if anywhere.
    pub log: Option<Sender<RequestLine>>,
}

impl ReferenceOptions {
    /// The order API with this contract, on any one free port, without TLS and without a log.
    pub fn new(contract: Contract) -> Self {
        Self {
            port: 0,
            replicas: NonZeroU16::MIN,
            tls: false,
            latency: DEFAULT_LATENCY,
            contract,
            api: Api::Orders,
            defects: Vec::new(),
            trouble: Trouble::default(),
            data: None,
            variables: BTreeMap::new(),
            log: None,
        }
    }

    /// The API that a profile describes, with its contract, on any one free port, without TLS and without a log.
    pub fn of(profile: Profile) -> Self {
        Self { api: Api::Of(Box::new(profile.clone())), ..Self::new(profile.contract) }
    }
}

/// What is served.
#[derive(Clone, Debug)]
pub enum Api {
    /// The order API.
    Orders,
    /// What a profile describes: its operations, and what it counts, cleans up and changes from outside.
    Of(Box<Profile>),
}

/// What the books of the order API are kept under.
const ORDERS: &str = "the order API";

impl Api {
    /// What its books are kept under.
    fn name(&self) -> &str {
        match self {
            Self::Orders => ORDERS,
            Self::Of(profile) => &profile.profile,
        }
    }

    fn surface(
        self,
        contract: &Contract,
        variables: &BTreeMap<String, String>,
    ) -> Result<Box<dyn Surface>, ReferenceError> {
        match (self, contract.key.as_ref().map(|key| &key.carrier)) {
            (Self::Orders, Some(carrier @ Carrier::Form(_))) => {
                Err(ReferenceError::Unservable(format!("its requests are JSON, so there is no {carrier}")))
            }
            (Self::Orders, _) => Ok(Box::new(Orders)),
            (Self::Of(profile), _) => {
                Ok(Box::new(Derived::of(&profile, variables).map_err(ReferenceError::Unservable)?))
            }
        }
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
    /// There is no certificate to speak TLS by.
    #[error("cannot speak TLS")]
    Certificate(#[from] CertificateError),
    /// There are no books to keep.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The contract promises something that this server cannot do.
    #[error("the reference target cannot serve this contract: {0}")]
    Unservable(String),
}

/// A running server. It stops when this value is dropped.
#[derive(Debug)]
pub struct RunningReference {
    address: SocketAddr,
    others: Vec<SocketAddr>,
    certificate: Option<Certificate>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningReference {
    /// Where it listens; of several replicas, the first.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as a URL without a path; of several replicas, the first.
    pub fn base_url(&self) -> String {
        self.url(self.address)
    }

    /// Where its replicas listen, the first included.
    pub fn replica_urls(&self) -> Vec<String> {
        std::iter::once(&self.address).chain(&self.others).map(|address| self.url(*address)).collect()
    }

    /// What a client has to trust, if it speaks TLS.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn url(&self, address: SocketAddr) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://{address}")
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
/// When a port is taken, when there is no thread to run on, or when the contract asks for what the server cannot do.
pub fn start(options: ReferenceOptions) -> Result<RunningReference, ReferenceError> {
    let ReferenceOptions { port, replicas, tls, latency, contract, api, defects, trouble, data, variables, log } =
        options;
    let name = api.name().to_owned();
    let surface = api.surface(&contract, &variables)?;
    check(&contract)?;
    let opened = Opened::of(&name, data.as_deref())?;
    let (certificate, acceptor) =
        if tls { certificate::make().map(|(made, by)| (Some(made), Some(by)))? } else { (None, None) };
    let mut policy = Policy::sound();
    for defect in defects {
        defect.apply(&mut policy);
    }
    let interpreter = Arc::new(Interpreter::new(contract, policy, latency, surface, opened));
    let trouble = Arc::new(Ahead::new(trouble));
    let mut addresses = Vec::new();
    let mut fronts = Vec::new();
    for replica in 0..replicas.get() {
        let (listener, address) = listen(port, replica)?;
        let router = http::router(Arc::clone(&interpreter), Arc::clone(&trouble), replica, log.clone());
        addresses.push(address);
        fronts.push(Front { listener, acceptor: acceptor.clone(), router });
    }
    let (stop, thread) = launch(fronts)?;
    let others = addresses.split_off(1);
    Ok(RunningReference { address: addresses.remove(0), others, certificate, stop: Some(stop), thread: Some(thread) })
}

/// One place where the server takes connections.
struct Front {
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    router: Router,
}

impl Front {
    /// Begins to serve on a task of its own, which ends with the runtime.
    fn open(self) -> io::Result<()> {
        let Self { listener, acceptor, router } = self;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        match acceptor {
            None => drop(tokio::spawn(axum::serve(listener::plain(listener), router).into_future())),
            Some(acceptor) => {
                drop(tokio::spawn(axum::serve(TlsListener::new(listener, acceptor)?, router).into_future()));
            }
        }
        Ok(())
    }
}

/// Listens for a replica: on the port itself, or as many ports behind it; on any where it is 0.
fn listen(first: u16, replica: u16) -> Result<(TcpListener, SocketAddr), ReferenceError> {
    let port = if first == 0 { Some(0) } else { first.checked_add(replica) };
    let listen = |source| ReferenceError::Listen { port: port.unwrap_or(u16::MAX), source };
    let port = port.ok_or_else(|| listen(io::Error::other("there are not that many ports")))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    Ok((listener, address))
}

/// Opens every front on a thread of its own, and returns what stops them.
fn launch(fronts: Vec<Front>) -> Result<(oneshot::Sender<()>, JoinHandle<()>), ReferenceError> {
    let (ready, readiness) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("reference".into())
        .spawn(move || run(fronts, &ready, stopped))
        .map_err(ReferenceError::Start)?;
    let started = readiness.recv().unwrap_or_else(|_| Err(io::Error::other("its thread ended at once")));
    started.map_err(ReferenceError::Start)?;
    Ok((stop, thread))
}

/// Serves until told to stop. Open connections and running executions end with the runtime.
///
/// The runtime is made, used and dropped on this thread alone: a caller may well be inside another one.
fn run(fronts: Vec<Front>, ready: &Sender<io::Result<()>>, stopped: oneshot::Receiver<()>) {
    // Whoever asked is waiting for the message; if it cannot be sent, there is nobody to serve either.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(ready.send(Err(error))),
    };
    runtime.block_on(async move {
        let opened = fronts.into_iter().try_for_each(Front::open);
        let open = opened.is_ok();
        if ready.send(opened).is_ok() && open {
            // Told to stop, or nobody is left who could tell: either way this is the end.
            let _ = stopped.await;
        }
    });
}

/// Finds promises that the server cannot keep, before anybody relies on them.
fn check(contract: &Contract) -> Result<(), ReferenceError> {
    // It interprets neither rate limits nor replicas, so it need not word them.
    let served = |row: &Row| !matches!(row, Row::RateLimited | Row::Replicas);
    for matcher in Row::ALL.into_iter().filter(served).flat_map(|row| contract.rejections(row)) {
        let answer = refusal(Situation::ChangedParameters).answer(matcher, Some("1"));
        if !matcher.fits(&answer.message(), Some("1")) {
            return Err(ReferenceError::Unservable(format!("it knows no answer that has {matcher}")));
        }
    }
    Ok(())
}
