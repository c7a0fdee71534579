//! Measures what the program promises to be: how close together the copies of a race arrive, which holes it finds, and
//! what it costs. All ratios are taken in one run, on one machine.
//!
//! `cargo bench` prints one table and fails where a budget is missed; `cargo bench -- --quick` goes through everything
//! once, in seconds, and fails only where something does not work; `cargo bench -- arrival oracle` measures these alone.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod arrival;
mod attempt;
mod judging;
mod process;
mod relay;
mod requests;
mod server;
mod statistics;
mod suite;
mod table;
mod window;

use std::process::ExitCode;

use table::Table;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// As much as it takes to rely on the numbers.
    Full,
    /// Just enough to see that everything works.
    Quick,
}

impl Effort {
    /// How often something is done.
    fn times(self, full: usize, quick: usize) -> usize {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}

/// Measures something and puts it into the table.
type Measure = fn(Effort, &mut Table);

fn main() -> ExitCode {
    // cargo passes `--bench` to every benchmark.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let effort = if arguments.iter().any(|argument| argument == "--quick") { Effort::Quick } else { Effort::Full };
    let chosen: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let parts: [(&str, Measure); 6] = [
        ("arrival", arrival::measure),
        ("window", window::measure),
        ("suite", suite::measure),
        ("attempt", attempt::measure),
        ("oracle", judging::measure),
        ("process", process::measure),
    ];
    let mut table = Table::default();
    for (name, measure) in parts {
        if chosen.is_empty() || chosen.iter().any(|wanted| *wanted == name) {
            eprintln!("measuring {name} …");
            measure(effort, &mut table);
        }
    }
    println!("{table}");
    if effort == Effort::Full && table.is_over_budget() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
