//! A running server, and the few requests that the tests are made of.

use std::io::Write;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use idemspec::contract::Contract;
use idemspec::reference::{Defect, ReferenceOptions, RequestLine, RunningReference, start};
use serde_json::Value;

use crate::client::{Answer, connect, connect_over_tls, exchange, read, request};

pub(crate) const ORDER: &str = r#"{"product":"notebook","quantity":2,"reference":"r"}"#;
pub(crate) const CHANGED: &str = r#"{"product":"notebook","quantity":3,"reference":"r"}"#;
pub(crate) const INVALID: &str = r#"{"product":"notebook","quantity":0,"reference":"r"}"#;
pub(crate) const SLOW: &str = r#"{"product":"handmade","quantity":2,"reference":"r"}"#;

/// How long a test waits for what is bound to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Longer than any test.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(3600);

/// The contract of the shipped profile.
pub(crate) fn contract() -> Contract {
    let profile: Value = serde_yaml::from_str(include_str!("../../profiles/reference.yaml")).unwrap();
    serde_json::from_value(profile["contract"].clone()).unwrap()
}

/// A contract, written in YAML.
pub(crate) fn parse(contract: &str) -> Contract {
    // By way of JSON, because YAML has tags of its own for what stands as a map with one member here.
    serde_json::from_value(serde_yaml::from_str(contract).unwrap()).unwrap()
}

pub(crate) struct Fixture {
    pub(crate) server: RunningReference,
    pub(crate) log: Receiver<RequestLine>,
}

impl Fixture {
    pub(crate) fn start(contract: Contract, latency: Duration, defects: &[Defect]) -> Self {
        Self::with(ReferenceOptions { latency, defects: defects.to_vec(), ..ReferenceOptions::new(contract) })
    }

    /// A server with these options, and a log.
    pub(crate) fn with(options: ReferenceOptions) -> Self {
        let (sender, log) = channel();
        Self { server: start(ReferenceOptions { log: Some(sender), ..options }).unwrap(), log }
    }

    pub(crate) fn sound() -> Self {
        Self::start(contract(), Duration::from_millis(5), &[])
    }

    pub(crate) fn broken(defect: Defect) -> Self {
        Self::start(contract(), Duration::from_millis(5), &[defect])
    }

    /// `POST /orders` with a key.
    pub(crate) fn order(&self, key: &str, body: &str) -> Answer {
        self.send("POST", "/orders", &[("Idempotency-Key", key)], Some(body))
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        let request = request(method, path, headers, body);
        match self.server.certificate() {
            None => exchange(self.server.address(), &request),
            Some(certificate) => {
                let mut stream = connect_over_tls(self.server.address(), certificate);
                stream.write_all(&request).unwrap();
                read(&mut stream)
            }
        }
    }

    /// How many orders of the default account bear the reference `r`.
    pub(crate) fn count(&self) -> usize {
        let list = self.send("GET", "/orders?reference=r", &[], None);
        assert_eq!(list.status, 200);
        list.json()["orders"].as_array().unwrap().len()
    }

    /// Sends an order and returns once the server is certainly carrying it out.
    pub(crate) fn begin(&self, key: &str, body: &str) -> TcpStream {
        let mut stream = connect(self.server.address());
        stream.write_all(&request("POST", "/orders", &[("Idempotency-Key", key)], Some(body))).unwrap();
        self.await_in_flight(key);
        stream
    }

    /// Waits until a request with this key is being carried out. What it sends for that purpose is refused as invalid
    /// as long as there is none, and leaves no trace.
    pub(crate) fn await_in_flight(&self, key: &str) {
        let started = Instant::now();
        while self.order(key, INVALID).status == 400 {
            assert!(started.elapsed() < PATIENCE, "{key} never began");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Lets a client begin an order and leave, with fresh keys until one has left in the middle of it.
    pub(crate) fn left(&self, leave: impl Fn(&str)) -> Left {
        for round in 0..20 {
            let key = format!("k{round}");
            let orders = self.count();
            leave(&key);
            let line = self.line(|line| line.method == "POST" && !matches!(line.status, Some(400 | 409)));
            if line.status.is_none() {
                return Left { key, line };
            }
            assert_eq!(self.count(), orders + 1, "too late by a moment: the order was finished");
        }
        panic!("the client never left in time");
    }

    /// Repeats an order until it is no longer in flight.
    pub(crate) fn settle(&self, key: &str) -> Answer {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            let answer = self.order(key, ORDER);
            if answer.status != 409 {
                return answer;
            }
            assert_eq!(answer.code(), "in-flight");
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("{key} stays in flight");
    }

    /// The next line of the log that fits.
    pub(crate) fn line(&self, fits: impl Fn(&RequestLine) -> bool) -> RequestLine {
        loop {
            let line = self.log.recv_timeout(PATIENCE).unwrap();
            if fits(&line) {
                return line;
            }
        }
    }
}

/// A client that left in the middle of its order.
pub(crate) struct Left {
    pub(crate) key: String,
    /// What the server noticed.
    pub(crate) line: RequestLine,
}

/// The number of the order in an answer.
pub(crate) fn number(answer: &Answer) -> u64 {
    answer.json()["order_id"].as_u64().unwrap_or_else(|| panic!("no order: {answer:?}"))
}
