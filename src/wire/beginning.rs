//! Finding the beginning of an answer in a stream of bytes: interim responses (1xx) are not answers.

use std::time::Instant;

/// As much of a status line as is needed: `HTTP/1.1 200`.
const STATUS_LINE_START: usize = 12;

/// Watches the bytes that come back and knows when the answer began, and with which status.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    state: State,
    begun: Option<Instant>,
    status: Option<u16>,
}

#[derive(Debug)]
enum State {
    /// In the first bytes of a head.
    StatusLine(Vec<u8>),
    /// In the rest of an interim head; the last bytes of it.
    Interim([u8; 4]),
    /// The beginning of the answer has been seen (or of something that is not HTTP).
    Seen,
}

impl Default for State {
    fn default() -> Self {
        Self::StatusLine(Vec::with_capacity(STATUS_LINE_START))
    }
}

impl Beginning {
    /// Takes bytes that were read at a certain moment.
    pub(super) fn feed(&mut self, bytes: &[u8], at: Instant) {
        for byte in bytes {
            if self.seen() {
                return;
            }
            self.take(*byte, at);
        }
    }

    /// When the first byte of the answer was read.
    pub(super) fn begun(&self) -> Option<Instant> {
        self.begun
    }

    /// The status of the answer, once it is known.
    pub(super) fn status(&self) -> Option<u16> {
        self.status
    }

    /// Whether the beginning has been read: the status is known, or it is clear that there is none.
    pub(super) fn seen(&self) -> bool {
        matches!(self.state, State::Seen)
    }

    /// How many bytes can be read without reading further into the answer than its status.
    pub(super) fn wanted(&self) -> usize {
        match &self.state {
            State::StatusLine(line) => STATUS_LINE_START - line.len(),
            State::Interim(_) => 1,
            State::Seen => 0,
        }
    }

    fn take(&mut self, byte: u8, at: Instant) {
        match &mut self.state {
            State::StatusLine(line) => {
                if line.is_empty() && matches!(byte, b'\r' | b'\n') {
                    return;
                }
                self.begun = self.begun.or(Some(at));
                line.push(byte);
                if line.len() == STATUS_LINE_START {
                    let status = status(line);
                    self.decide(status);
                }
            }
            State::Interim(last) => {
                last.rotate_left(1);
                last[3] = byte;
                if last.ends_with(b"\n\r\n") || last.ends_with(b"\n\n") {
                    self.state = State::default();
                }
            }
            State::Seen => {}
        }
    }

    fn decide(&mut self, status: Option<u16>) {
        let interim = status.is_some_and(|status| (100..200).contains(&status) && status != 101);
        if interim {
            self.begun = None;
            self.state = State::Interim([0; 4]);
        } else {
            self.status = status;
            self.state = State::Seen;
        }
    }
}

fn status(line: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(line).ok()?;
    let digits = line.strip_prefix("HTTP/1.")?.get(2..)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_begins_with_its_first_byte() {
        let (first, second) = (Instant::now(), Instant::now());
        let mut beginning = Beginning::default();
        beginning.feed(b"HTTP/1.1 2", first);
        assert_eq!((beginning.status(), beginning.seen(), beginning.wanted()), (None, false, 2));
        beginning.feed(b"01 Created\r\n", second);
        assert_eq!((beginning.begun(), beginning.status(), beginning.wanted()), (Some(first), Some(201), 0));
    }

    #[test]
    fn interim_responses_are_no_beginning() {
        let (first, second) = (Instant::now(), Instant::now());
        let mut beginning = Beginning::default();
        beginning.feed(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n", first);
        assert_eq!((beginning.begun(), beginning.status(), beginning.wanted()), (None, None, 1));
        beginning.feed(b"\r\nHTTP/1.1 404 Not Found\r\n\r\n", second);
        assert_eq!((beginning.begun(), beginning.status()), (Some(second), Some(404)));
    }

    #[test]
    fn garbage_begins_too_and_has_no_status() {
        for garbage in ["SSH-2.0-OpenSSH_9.6", "HTTP/1.1 2x0 OK", "HTTP/2.0 200 OK"] {
            let mut beginning = Beginning::default();
            beginning.feed(garbage.as_bytes(), Instant::now());
            assert_eq!((beginning.seen(), beginning.begun().is_some(), beginning.status()), (true, true, None));
        }
    }
}
