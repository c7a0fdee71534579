//! HTTP/2 by hand: frames are read and written here, and nothing decides what is done with them.

use crate::raw_server::Peer;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0x0;
pub(crate) const HEADERS: u8 = 0x1;
pub(crate) const RST_STREAM: u8 = 0x3;
pub(crate) const SETTINGS: u8 = 0x4;
pub(crate) const PING: u8 = 0x6;
pub(crate) const GOAWAY: u8 = 0x7;
pub(crate) const WINDOW_UPDATE: u8 = 0x8;
pub(crate) const CONTINUATION: u8 = 0x9;

pub(crate) const END_STREAM: u8 = 0x1;
pub(crate) const END_HEADERS: u8 = 0x4;
const ACK: u8 = 0x1;

/// The stream of the only request.
pub(crate) const STREAM: u32 = 1;

pub(crate) const CANCEL: u32 = 0x8;
pub(crate) const REFUSED_STREAM: u32 = 0x7;

/// A frame that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenFrame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl SeenFrame {
    pub(crate) fn ends_stream(&self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }

    /// Whether it belongs to a request rather than to the connection.
    pub(crate) fn carries_request(&self) -> bool {
        matches!(self.kind, DATA | HEADERS | CONTINUATION)
    }
}

/// The frames after the preface; one that is incomplete is left out.
pub(crate) fn parse(received: &[u8]) -> Vec<SeenFrame> {
    let mut frames = Vec::new();
    let mut rest = received.strip_prefix(PREFACE).unwrap_or_default();
    while let Some((head, after)) = rest.split_at_checked(9) {
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let Some((payload, after)) = after.split_at_checked(length) else { break };
        let stream = u32::from_be_bytes(head[5..9].try_into().unwrap());
        frames.push(SeenFrame { kind: head[3], flags: head[4], stream, payload: payload.to_vec() });
        rest = after;
    }
    frames
}

/// A frame as bytes.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A head with a status and nothing else. The name is the eighth of the static table (RFC 7541, appendix A).
pub(crate) fn head(status: u16, flags: u8) -> Vec<u8> {
    let mut block = vec![0x08, 3];
    block.extend(status.to_string().bytes());
    frame(HEADERS, END_HEADERS | flags, STREAM, &block)
}

/// A field with a new name (RFC 7541, section 6.2.2); both parts are shorter than 127 bytes.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let mut block = vec![0, u8::try_from(name.len()).unwrap()];
    block.extend(name.bytes());
    block.push(u8::try_from(value.len()).unwrap());
    block.extend(value.bytes());
    block
}

pub(crate) fn data(content: &[u8], flags: u8) -> Vec<u8> {
    frame(DATA, flags, STREAM, content)
}

pub(crate) fn reset_stream(code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, STREAM, &code.to_be_bytes())
}

pub(crate) fn go_away(last_stream: u32, code: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last_stream.to_be_bytes(), code.to_be_bytes()].concat())
}

/// What a server of HTTP/2 does besides.
impl Peer {
    /// Exchanges settings.
    pub(crate) fn greet(&mut self) -> &mut Self {
        self.write(frame(SETTINGS, 0, 0, &[]));
        self.read_frames(|frames| frames.iter().any(|frame| frame.kind == SETTINGS && frame.flags & ACK != 0))
    }

    /// Reads on and acknowledges what has to be, until the frames so far are enough or the client has gone.
    pub(crate) fn read_frames(&mut self, enough: impl Fn(&[SeenFrame]) -> bool) -> &mut Self {
        loop {
            let frames = self.saw.frames();
            for seen in &frames[self.acknowledged..] {
                if matches!(seen.kind, SETTINGS | PING) && seen.flags & ACK == 0 {
                    let payload = if seen.kind == PING { seen.payload.as_slice() } else { &[] };
                    self.write(frame(seen.kind, ACK, 0, payload));
                }
            }
            self.acknowledged = frames.len();
            if enough(&frames) || !self.read() {
                return self;
            }
        }
    }

    /// Reads until the request is complete.
    pub(crate) fn read_stream(&mut self) -> &mut Self {
        self.read_frames(|frames| frames.iter().any(SeenFrame::ends_stream))
    }

    /// Reads frames until the client is gone.
    pub(crate) fn read_frames_to_end(&mut self) -> &mut Self {
        self.read_frames(|_| false)
    }
}
