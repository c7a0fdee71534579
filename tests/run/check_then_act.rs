use std::sync::mpsc::channel;
use std::time::Duration;

use idemspec::profile;
use idemspec::reference::{self, Defect, ReferenceOptions};

use crate::support::run;

#[test]
fn measure() {
    for window in ["200us", "0us"] {
        let contract = profile::load("reference").unwrap().profile.contract;
        let (log, lines) = channel();
        let defect = Defect::parse(&format!("check-then-act={window}")).unwrap();
        let options = ReferenceOptions { defects: vec![defect], log: Some(log), ..ReferenceOptions::new(contract) };
        let server = reference::start(options).unwrap();
        for _ in 0..4 {
            let run = run(&["--base-url", &server.base_url(), "--only", "in-flight[first=base]"]);
            let mut kept: Vec<Duration> = lines.try_iter().filter_map(|line: reference::RequestLine| line.window).collect();
            kept.sort();
            eprintln!("{window}: exit {}, {} windows, {:?} {:?} {:?}", run.code, kept.len(), kept.first(), kept.get(kept.len()/2), kept.last());
        }
    }
}
