//! How far apart the copies of a race arrive, over a way on which every piece is delayed by 0–10 ms.

use std::time::Duration;

use crate::requests::{COPIES, MODES, Mode, runtime};
use crate::server::Server;
use crate::statistics::{Sample, milliseconds};
use crate::table::Table;
use crate::{Effort, relay};

const MEDIAN: Duration = Duration::from_micros(300);
const PERCENTILE_95: Duration = Duration::from_millis(1);

pub(crate) fn measure(effort: Effort, table: &mut Table) {
    for mode in MODES {
        let spreads = spreads(mode, effort.times(200, 3));
        let (median, rare) = (spreads.median(), spreads.percentile(95));
        let what = format!("arrival spread of {COPIES} copies, 0–10 ms random delay per piece, {}", mode.name);
        let measured = format!("median {}, 95th percentile {}", milliseconds(median), milliseconds(rare));
        if mode.name == "single packet" {
            table.judge(what, measured, "≤ 0.3 ms, ≤ 1 ms", median <= MEDIAN && rare <= PERCENTILE_95);
        } else {
            table.note(what, measured);
        }
    }
}

fn spreads(mode: Mode, rounds: usize) -> Sample {
    let server = Server::start();
    let connector = mode.connector(&format!("http://{}", relay::start(server.address)));
    let runtime = runtime();
    let spread = |_| {
        runtime.block_on(mode.burst(&connector));
        let arrivals = server.arrivals();
        assert_eq!(arrivals.len(), COPIES, "every copy arrives once");
        *arrivals.iter().max().unwrap() - *arrivals.iter().min().unwrap()
    };
    Sample::new((0..rounds).map(spread).collect())
}
