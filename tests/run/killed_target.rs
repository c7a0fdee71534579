//! `serve --data` is killed by SIGKILL at random moments under load and started again with the same file, and keeps its
//! promises: no action has two effects, nothing that was answered is lost, and a replay is the first answer.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::served::{Answer, PATIENCE, Served, exchange, port_of_its_own};

/// How many clients there are.
const CLIENTS: u64 = 6;

/// What is ordered, and how many orders come of it: one that succeeds, one that takes long, one that is declined, and one
/// that crashes after its effect.
const PRODUCTS: [(&str, usize); 4] = [("notebook", 1), ("handmade", 1), ("out-of-stock", 0), ("broken", 1)];

/// A server that comes and goes.
struct Target {
    port: u16,
    /// Whether it is worth a try. A client that tries while nobody listens may be connected to itself.
    up: AtomicBool,
    over: AtomicBool,
    /// The number of the latest action.
    latest: AtomicU64,
    /// How many answers there were.
    answered: AtomicU64,
}

impl Target {
    /// Sends a request, and reads its answer if all of it comes.
    fn exchange(&self, line: &str, number: u64, body: &str) -> Option<Answer> {
        if !self.up.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
            return None;
        }
        exchange((Ipv4Addr::LOCALHOST, self.port).into(), line, &format!("key-{number}"), body)
    }

    /// Sends an order until it is answered. "In flight" is no answer yet.
    fn order(&self, number: u64) -> Answer {
        let (product, _) = PRODUCTS[usize::try_from(number).unwrap() % PRODUCTS.len()];
        let body = format!(r#"{{"product":"{product}","quantity":1,"reference":"r{number}"}}"#);
        let started = Instant::now();
        loop {
            match self.exchange("POST /orders", number, &body) {
                Some((409, content)) if content.contains("in-flight") => std::thread::sleep(Duration::from_millis(3)),
                Some(answer) => return answer,
                None => {}
            }
            assert!(started.elapsed() < PATIENCE, "order {number} was never answered");
        }
    }

    /// Waits until every client is likely to have been answered, however busy the machine is.
    fn await_load(&self) {
        let (before, started) = (self.answered.load(Ordering::SeqCst), Instant::now());
        while self.answered.load(Ordering::SeqCst) < before + 2 * CLIENTS {
            assert!(started.elapsed() < PATIENCE, "nothing is answered any more");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The numbers of the orders with a reference.
    fn listed(&self, number: u64) -> Vec<u64> {
        let (_, content) = self.exchange(&format!("GET /orders?reference=r{number}"), number, "").unwrap();
        let content: serde_json::Value = serde_json::from_str(&content).unwrap();
        let orders = content["orders"].as_array().unwrap().iter();
        orders.map(|order| order["order_id"].as_u64().unwrap()).collect()
    }

    /// Orders one thing after the other, and now and then something again. Returns all answers to each action.
    fn load(&self, seed: u64) -> BTreeMap<u64, Vec<Answer>> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut answers: BTreeMap<u64, Vec<Answer>> = BTreeMap::new();
        while !self.over.load(Ordering::SeqCst) {
            let number = self.latest.fetch_add(1, Ordering::SeqCst) + 1;
            let again = answers.keys().copied().nth(random.random_range(0..=answers.len()));
            for number in [Some(number), again].into_iter().flatten() {
                let answer = self.order(number);
                self.answered.fetch_add(1, Ordering::SeqCst);
                answers.entry(number).or_default().push(answer);
            }
        }
        answers
    }
}

/// Kills a server so many times under load, and says which promises it has not kept.
#[expect(clippy::print_stdout, reason = "whoever repeats a failure needs the seed")]
fn broken_promises(kills: u32, defects: &[&str]) -> Vec<String> {
    let seed: u64 = std::env::var("IDEMSPEC_TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    println!("IDEMSPEC_TEST_SEED={seed}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("books").to_string_lossy().into_owned();
    let arguments = [&["--data", &file, "--latency", "8ms"], defects].concat();
    let port = port_of_its_own();
    let target = Target { port, up: true.into(), over: false.into(), latest: 0.into(), answered: 0.into() };
    let mut served = Some(Served::start_at(port, &arguments).ignored());
    let answers: Vec<BTreeMap<u64, Vec<Answer>>> = std::thread::scope(|scope| {
        let target = &target;
        let clients: Vec<_> = (1..=CLIENTS).map(|client| scope.spawn(move || target.load(seed ^ client))).collect();
        let mut random = StdRng::seed_from_u64(seed);
        for _ in 0..kills {
            target.await_load();
            std::thread::sleep(Duration::from_micros(random.random_range(0..100_000)));
            target.up.store(false, Ordering::SeqCst);
            drop(served.take());
            served = Some(Served::start_at(port, &arguments).ignored());
            target.up.store(true, Ordering::SeqCst);
        }
        target.over.store(true, Ordering::SeqCst);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    answers.iter().flatten().filter_map(|(number, answers)| broken_promise(&target, *number, answers)).collect()
}

/// What is wrong with an action, by all answers to it and what is there now.
fn broken_promise(target: &Target, number: u64, answers: &[Answer]) -> Option<String> {
    let (product, effects) = PRODUCTS[usize::try_from(number).unwrap() % PRODUCTS.len()];
    let (listed, replayed) = (target.listed(number), target.order(number));
    let first = answers.first()?;
    let named: Option<u64> = serde_json::from_str::<serde_json::Value>(&first.1).unwrap()["order_id"].as_u64();
    let kept = listed.len() == effects
        && answers.iter().all(|answer| answer == first)
        && replayed == *first
        && target.listed(number) == listed
        && (first.0 != 201 || listed == named.into_iter().collect::<Vec<u64>>());
    (!kept).then(|| format!("{number}, {product}: {listed:?} are there; {answers:?}; then {replayed:?}"))
}

#[test]
fn a_server_that_is_killed_at_any_moment_keeps_its_promises() {
    let broken = broken_promises(24, &[]);
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_server_that_does_not_is_found_out() {
    for defect in ["effect-before-record", "forgets-on-restart"] {
        let broken = broken_promises(5, &["--defect", defect]);
        assert!(!broken.is_empty(), "{defect}");
    }
}
