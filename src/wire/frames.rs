//! What of each stream has passed a point of an HTTP/2 connection, and when: read off the frames themselves (RFC 9113,
//! section 4.1), because everything above the socket knows it later or not at all.

use std::collections::BTreeMap;
use std::time::Instant;

/// What a client sends before its first frame.
pub(super) const PREFACE_LENGTH: usize = 24;

const HEAD_LENGTH: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// Watches the bytes of one direction.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Bytes that still come before the first frame.
    preface: usize,
    /// The head of the frame that is passing, as far as it has passed.
    head: Vec<u8>,
    /// When its first byte passed.
    began: Option<Instant>,
    /// How many bytes of its payload are still to come.
    rest: usize,
    streams: BTreeMap<u32, Trace>,
}

/// What of one stream has passed: its message, and perhaps its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    /// Bytes of the frames that make up the message.
    pub(super) bytes: u64,
    /// Bytes of content, frame heads not counted.
    pub(super) content: usize,
    /// When the first byte of the message passed.
    pub(super) first: Option<Instant>,
    /// When the last byte of it so far passed.
    pub(super) last: Option<Instant>,
    /// Whether the fields of the message have passed in full.
    pub(super) fields: bool,
    /// Whether the message is complete.
    pub(super) ended: bool,
    /// Whether the message has no content, and so ends with its fields.
    ends_with_fields: bool,
    /// When the stream was reset.
    pub(super) reset: Option<Instant>,
}

impl Frames {
    /// Watches what a client sends.
    pub(super) fn of_client() -> Self {
        Self { preface: PREFACE_LENGTH, ..Self::default() }
    }

    /// Watches what a server sends.
    pub(super) fn of_server() -> Self {
        Self::default()
    }

    /// What has passed of a stream.
    pub(super) fn stream(&self, stream: u32) -> Trace {
        self.streams.get(&stream).copied().unwrap_or_default()
    }

    /// Takes bytes that passed at a certain moment.
    pub(super) fn feed(&mut self, bytes: &[u8], at: Instant) {
        let preface = self.preface.min(bytes.len());
        self.preface -= preface;
        let mut bytes = &bytes[preface..];
        while !bytes.is_empty() {
            let missing = HEAD_LENGTH - self.head.len();
            let wanted = if missing > 0 { missing } else { self.rest };
            let taken = wanted.min(bytes.len());
            if missing > 0 {
                self.took_head(&bytes[..taken], at);
            } else {
                self.rest -= taken;
                self.took(taken, taken, at);
            }
            if self.head.len() == HEAD_LENGTH && self.rest == 0 {
                self.complete();
            }
            bytes = &bytes[taken..];
        }
    }

    fn took_head(&mut self, bytes: &[u8], at: Instant) {
        if self.head.is_empty() {
            self.began = Some(at);
        }
        self.head.extend_from_slice(bytes);
        if let [high, middle, low, ..] = self.head[..]
            && self.head.len() == HEAD_LENGTH
        {
            self.rest = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
            self.took(HEAD_LENGTH, 0, at);
        }
    }

    /// Notes a part of the frame that is passing, if it belongs to a message.
    fn took(&mut self, bytes: usize, content: usize, at: Instant) {
        let (kind, began) = (self.head[3], self.began.unwrap_or(at));
        if ![DATA, HEADERS, CONTINUATION].contains(&kind) {
            return;
        }
        let trace = self.streams.entry(stream(&self.head)).or_default();
        trace.bytes += bytes as u64;
        trace.first = trace.first.or(Some(began));
        trace.last = Some(at);
        if kind == DATA {
            trace.content += content;
        }
    }

    /// The frame has passed as a whole.
    fn complete(&mut self) {
        let (kind, flags, began) = (self.head[3], self.head[4], self.began);
        if [DATA, HEADERS, CONTINUATION, RESET].contains(&kind) {
            let trace = self.streams.entry(stream(&self.head)).or_default();
            match kind {
                DATA => trace.ended |= flags & END_STREAM != 0,
                HEADERS => {
                    trace.ends_with_fields = flags & END_STREAM != 0;
                    trace.fields |= flags & END_HEADERS != 0;
                }
                CONTINUATION => trace.fields |= flags & END_HEADERS != 0,
                _ => trace.reset = trace.reset.or(began),
            }
            trace.ended |= trace.ends_with_fields && trace.fields;
        }
        self.head.clear();
    }
}

fn stream(head: &[u8]) -> u32 {
    head[5..HEAD_LENGTH].iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) & 0x7fff_ffff
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![0, 0, u8::try_from(payload.len()).unwrap(), kind, flags, 0, 0, 0, stream];
        frame.extend_from_slice(payload);
        frame
    }

    #[test]
    fn streams_are_told_apart_however_their_bytes_are_cut() {
        let mut sent = vec![b'P'; PREFACE_LENGTH];
        sent.extend(frame(4, 0, 0, b"settings"));
        sent.extend(frame(HEADERS, 0, 1, b"fields"));
        sent.extend(frame(CONTINUATION, END_HEADERS, 1, b"more"));
        sent.extend(frame(HEADERS, END_HEADERS | END_STREAM, 3, b"fields"));
        sent.extend(frame(DATA, 0, 1, b"content"));
        sent.extend(frame(DATA, END_STREAM, 1, b""));
        sent.extend(frame(RESET, 0, 5, b"code"));
        for size in [1, 2, 7, 9, 10, sent.len()] {
            let began = Instant::now();
            let mut frames = Frames::of_client();
            for (number, piece) in (0..).zip(sent.chunks(size)) {
                frames.feed(piece, began + Duration::from_secs(number));
            }
            let (first, second, third) = (frames.stream(1), frames.stream(3), frames.stream(5));
            assert_eq!((first.bytes, first.content, first.fields, first.ended), (4 * 9 + 10 + 7, 7, true, true));
            assert_eq!((second.bytes, second.content, second.fields, second.ended), (9 + 6, 0, true, true));
            assert!(first.first < second.first || size == sent.len());
            assert!(first.last > second.last || size == sent.len());
            assert_eq!((third.bytes, third.reset.is_some(), first.reset), (0, true, None), "a reset is no message");
        }
    }

    #[test]
    fn a_message_is_not_over_before_its_last_byte() {
        let mut frames = Frames::of_server();
        let data = frame(DATA, END_STREAM, 1, b"content");
        frames.feed(&data[..data.len() - 1], Instant::now());
        assert_eq!((frames.stream(1).content, frames.stream(1).ended), (6, false));
        frames.feed(&data[data.len() - 1..], Instant::now());
        assert_eq!((frames.stream(1).content, frames.stream(1).ended), (7, true));
    }
}
