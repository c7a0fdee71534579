//! The program while it serves.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Stdio};

use crate::support::program;

/// A program that serves, until this is dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) base_url: String,
}

impl Served {
    /// Serves on any one free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at(0, arguments)
    }

    /// Serves on this port. Returns when it listens.
    pub(crate) fn start_at(port: u16, arguments: &[&str]) -> Self {
        let mut command = program();
        command.arg("serve").args(arguments).args(["--port", &port.to_string()]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap_or_default().to_owned();
        if base_url.is_empty() {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("it serves nothing: {said}");
        }
        Self { child, base_url }
    }

    /// Lets what it says from now on go to nobody, so that it can say as much as it likes.
    pub(crate) fn ignored(mut self) -> Self {
        let mut stderr = self.child.stderr.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        self
    }

    /// Stops it by SIGKILL, and returns what it has said.
    pub(crate) fn stop(mut self) -> String {
        self.child.kill().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

/// By SIGKILL, if it was not stopped already.
impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that stays this test's own while nobody listens on it: none of those that the system gives away, of which a
/// connection or another test may take it in the meantime.
pub(crate) fn port_of_its_own() -> u16 {
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(|| rand::random_range(10_000..30_000)).take(100).find(free).unwrap()
}
