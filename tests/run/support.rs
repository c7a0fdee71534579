//! Running the program, and targets to run it against.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use idemspec::contract::Requirement;
use idemspec::history::History;
use idemspec::journal;
use idemspec::oracle::{self, Judgement};
use idemspec::profile;

/// A run of the program that is over.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) journal: PathBuf,
    _folder: tempfile::TempDir,
}

/// The program, in a folder of its own.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemspec"));
    command.env_remove("NO_COLOR").env_remove("HTTP_PROXY").env_remove("http_proxy");
    command
}

/// Runs `idemspec run` with these arguments and a journal of its own.
pub(crate) fn run(arguments: &[&str]) -> Run {
    run_with(arguments, |_| {})
}

pub(crate) fn run_with(arguments: &[&str], adjust: impl Fn(&mut Command)) -> Run {
    let mut command = program();
    command.arg("run");
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Run::of(command, |command| {
        command.args(&arguments);
        adjust(command);
    })
}

impl Run {
    /// Runs a command in a folder of its own, with a journal there.
    pub(crate) fn of(mut command: Command, adjust: impl Fn(&mut Command)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("run.jsonl");
        command.current_dir(folder.path());
        adjust(&mut command);
        let Output { status, stdout, stderr } = command.arg("--journal").arg(&journal).output().unwrap();
        Self {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
            journal,
            _folder: folder,
        }
    }
}

/// What a whole run against the embedded target came to.
pub(crate) struct Sound {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) history: History,
    pub(crate) held: BTreeSet<Requirement>,
    pub(crate) violated: BTreeSet<Requirement>,
    journal: PathBuf,
    _run: Run,
}

/// The journal of [`sound`].
pub(crate) fn sound_journal() -> &'static Path {
    &sound().journal
}

/// One run without any arguments, for all tests that only look at what it came to.
pub(crate) fn sound() -> &'static Sound {
    static SOUND: LazyLock<Sound> = LazyLock::new(|| {
        let run = run(&[]);
        let history = journal::read(&run.journal).unwrap().history;
        let (held, violated) = (run.held(), run.violated());
        let (code, stdout, stderr, journal) = (run.code, run.stdout.clone(), run.stderr.clone(), run.journal.clone());
        Sound { code, stdout, stderr, history, held, violated, journal, _run: run }
    });
    &SOUND
}

impl Run {
    /// The requirements that the recording violates.
    pub(crate) fn violated(&self) -> BTreeSet<Requirement> {
        self.judged(|judgement| judgement == Judgement::Violated)
    }

    /// The requirements of which something was seen to hold.
    pub(crate) fn held(&self) -> BTreeSet<Requirement> {
        self.judged(|judgement| judgement == Judgement::Holds)
    }

    fn judged(&self, wanted: impl Fn(Judgement) -> bool) -> BTreeSet<Requirement> {
        let recording = journal::read(&self.journal).unwrap();
        let of = recording.history.run.as_ref().unwrap();
        let contract = profile::recorded(&of.profile, &of.document).unwrap().profile.contract;
        let findings = oracle::judge(&contract, &recording.history);
        findings.iter().filter(|finding| wanted(finding.judgement)).map(|finding| finding.requirement).collect()
    }

    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// A request as a stub target sees it.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What a stub target answers: status, content type, body.
pub(crate) type Answer = (u16, &'static str, String);

/// A target that answers as a function says.
pub(crate) struct Stub {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
}

impl Stub {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let stopped = Arc::new(AtomicBool::new(false));
        let (counted, stop, answer) = (Arc::clone(&requests), Arc::clone(&stopped), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let (counted, answer) = (Arc::clone(&counted), Arc::clone(&answer));
                std::thread::spawn(move || {
                    // A client that goes away early is what this program does for a living.
                    let _ = serve(&stream.unwrap(), &counted, answer.as_ref());
                });
            }
        });
        Self { address, requests, stopped }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Whole requests that it has seen.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener, so that its thread ends.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(stream: &TcpStream, counted: &AtomicUsize, answer: &dyn Fn(&Asked) -> Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let Some(asked) = read_request(&mut reader)? else { return Ok(()) };
    counted.fetch_add(1, Ordering::SeqCst);
    let (status, content_type, body) = answer(&asked);
    let mut writer = stream;
    write!(
        writer,
        "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Asked>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => break,
        }
    }
    let mut asked = Asked { method, target, headers, body: String::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    asked.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(asked))
}

/// A port that nobody listens on.
pub(crate) fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Writes a file and returns its path as text.
pub(crate) fn write_file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// The verdicts of a report by requirement, without how often each was exercised.
pub(crate) fn verdicts(report: &str) -> BTreeMap<String, String> {
    let levels = [" must ", " should ", " may "];
    let line = |line: &str| {
        let (name, rest) = levels.iter().find_map(|level| line.split_once(level))?;
        let name = name.trim().trim_start_matches(['✓', '✗', '?', '-', 'o']).trim();
        let verdict = rest.split(',').next()?.trim();
        name.contains('.').then(|| (name.to_owned(), verdict.to_owned()))
    };
    report.lines().filter_map(line).collect()
}

/// What the reference target lists, as its own account.
pub(crate) fn orders(base_url: &str) -> String {
    let address = base_url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /orders HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}
