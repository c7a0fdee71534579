//! What an attempt costs over a plain call of reqwest: same server, same request, a connection each.

use std::time::{Duration, Instant};

use idemspec::secret::Secrets;
use idemspec::wire::{AttemptOptions, Connector, Endpoint, attempt};

use crate::Effort;
use crate::requests::{order, runtime};
use crate::server::Server;
use crate::statistics::Sample;
use crate::table::Table;

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    let server = Server::start();
    let base_url = format!("http://{}", server.address);
    let connector = Connector::new(Endpoint::parse(&base_url).unwrap());
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).tls_certs_only([]).build().unwrap();
    let runtime = runtime();
    let mut attempts = Vec::new();
    let mut calls = Vec::new();
    // One of each in turn, so that whatever else the machine does falls on both.
    for _ in 0..effort.times(2_000, 20) {
        attempts.push(runtime.block_on(attempted(&connector)));
        calls.push(runtime.block_on(called(&client, &base_url)));
    }
    let (attempt, call) = (Sample::new(attempts).median(), Sample::new(calls).median());
    let ratio = attempt.as_secs_f64() / call.as_secs_f64();
    let measured = format!("× {ratio:.2} ({} µs ÷ {} µs)", attempt.as_micros(), call.as_micros());
    table.note("cost of an attempt ÷ a plain reqwest call, HTTP/1.1, a connection each, median", measured);
}

async fn attempted(connector: &Connector) -> Duration {
    let (secrets, order) = (Secrets::new(), order());
    let began = Instant::now();
    let attempted = attempt(connector, &order, &AttemptOptions::new(began, &secrets)).await;
    assert!(attempted.outcome.answer().is_some(), "{attempted:?}");
    began.elapsed()
}

async fn called(client: &reqwest::Client, base_url: &str) -> Duration {
    let order = order();
    let began = Instant::now();
    let mut call = client.post(format!("{base_url}/orders"));
    for (name, value) in &order.headers {
        call = call.header(name, value.sent());
    }
    let answer = call.body(order.body.unwrap().sent().to_owned()).send().await.unwrap();
    assert_eq!(answer.bytes().await.unwrap(), "ok");
    began.elapsed()
}
