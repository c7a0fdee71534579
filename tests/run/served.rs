//! The program while it serves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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
        Self::of(command)
    }

    /// Serves by this command. Returns when it listens.
    pub(crate) fn of(mut command: Command) -> Self {
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

/// How long an answer is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The answer to a request: its status and its content.
pub(crate) type Answer = (u16, String);

/// Sends a request on a connection of its own, and reads its answer if all of it comes.
pub(crate) fn exchange(address: SocketAddr, line: &str, key: &str, body: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let length = body.len();
    let head = format!("{line} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/json\r\n");
    let rest = format!("Idempotency-Key: {key}\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all((head + &rest).as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, content) = text.split_once("\r\n\r\n")?;
    let declared = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    (declared.parse() == Ok(content.len())).then(|| (status, content.to_owned()))
}
