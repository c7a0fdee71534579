//! The frames that pass by, told apart by their heads (RFC 9113, section 4.1). Nothing is decoded.

/// The length of a frame's head.
const HEAD: usize = 9;

/// How much of a payload is kept: enough for what RST_STREAM and GOAWAY say.
const KEPT: usize = 8;

/// The flag END_STREAM of DATA and HEADERS, and ACK of SETTINGS and PING.
const END_STREAM_OR_ACK: u8 = 0x1;

/// The flag END_HEADERS of HEADERS and CONTINUATION.
const END_HEADERS: u8 = 0x4;

/// The kinds of frames that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Headers,
    RstStream,
    Settings,
    GoAway,
    Continuation,
    Other,
}

/// A frame, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) stream: u32,
    flags: u8,
    kept: [u8; KEPT],
}

impl Frame {
    fn parse(head: &[u8; HEAD]) -> Self {
        let kind = match head[3] {
            0x0 => Kind::Data,
            0x1 => Kind::Headers,
            0x3 => Kind::RstStream,
            0x4 => Kind::Settings,
            0x7 => Kind::GoAway,
            0x9 => Kind::Continuation,
            _ => Kind::Other,
        };
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]) & 0x7fff_ffff;
        Self { kind, stream, flags: head[4], kept: [0; KEPT] }
    }

    /// Whether it ends its side of the stream.
    pub(super) fn ends_stream(&self) -> bool {
        matches!(self.kind, Kind::Data | Kind::Headers) && self.flags & END_STREAM_OR_ACK != 0
    }

    /// Whether it ends a block of header fields.
    pub(super) fn ends_headers(&self) -> bool {
        matches!(self.kind, Kind::Headers | Kind::Continuation) && self.flags & END_HEADERS != 0
    }

    /// Whether it acknowledges settings.
    pub(super) fn acknowledges(&self) -> bool {
        self.kind == Kind::Settings && self.flags & END_STREAM_OR_ACK != 0
    }

    /// The first number in the payload: the error code of RST_STREAM, the last stream of GOAWAY.
    pub(super) fn first_number(&self) -> u32 {
        u32::from_be_bytes([self.kept[0], self.kept[1], self.kept[2], self.kept[3]])
    }

    /// The second number in the payload: the error code of GOAWAY.
    pub(super) fn second_number(&self) -> u32 {
        u32::from_be_bytes([self.kept[4], self.kept[5], self.kept[6], self.kept[7]])
    }
}

/// A part of a frame that has just passed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) frame: Frame,
    /// How many bytes of the payload.
    pub(super) payload: usize,
    /// How many bytes in all; the head counts once it is complete.
    pub(super) bytes: usize,
    /// Whether it is the last of its frame.
    pub(super) complete: bool,
}

/// Follows the frames in one direction of a connection.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// What still comes before the first frame.
    preface: usize,
    head: Vec<u8>,
    frame: Option<Frame>,
    payload: usize,
    seen: usize,
}

impl Frames {
    /// The direction in which something comes before the first frame.
    pub(super) fn after_preface(length: usize) -> Self {
        Self { preface: length, ..Self::default() }
    }

    /// Whether nothing of a frame is still to come.
    pub(super) fn between_frames(&self) -> bool {
        self.preface == 0 && self.head.is_empty()
    }

    /// Takes bytes, and tells which pieces of frames they are.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(Piece)) {
        let skipped = self.preface.min(bytes.len());
        self.preface -= skipped;
        bytes = &bytes[skipped..];
        while !bytes.is_empty() {
            let mut passed = 0;
            if self.frame.is_none() {
                let wanted = (HEAD - self.head.len()).min(bytes.len());
                self.head.extend_from_slice(&bytes[..wanted]);
                bytes = &bytes[wanted..];
                let Ok(head) = <&[u8; HEAD]>::try_from(self.head.as_slice()) else { return };
                self.frame = Some(Frame::parse(head));
                self.payload = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
                self.seen = 0;
                passed = HEAD;
            }
            let Some(frame) = &mut self.frame else { return };
            let payload = (self.payload - self.seen).min(bytes.len());
            for (place, byte) in frame.kept.iter_mut().skip(self.seen).zip(&bytes[..payload]) {
                *place = *byte;
            }
            self.seen += payload;
            bytes = &bytes[payload..];
            let complete = self.seen == self.payload;
            each(Piece { frame: *frame, payload, bytes: passed + payload, complete });
            if complete {
                self.frame = None;
                self.head.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    const HEADERS: &[u8] = &[0, 0, 2, 1, 4, 0, 0, 0, 1, 0x82, 0x84];
    const DATA: &[u8] = &[0, 0, 3, 0, 1, 0, 0, 0, 1, b'a', b'b', b'c'];
    const GO_AWAY: &[u8] = &[0, 0, 9, 7, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 11, b'!'];

    #[test]
    fn frames_are_told_apart_however_they_are_cut() {
        let whole = [PREFACE, SETTINGS, HEADERS, DATA, GO_AWAY].concat();
        for size in 1..=whole.len() {
            let mut frames = Frames::after_preface(PREFACE.len());
            let (mut complete, mut bytes, mut payload) = (Vec::new(), 0, 0);
            for chunk in whole.chunks(size) {
                frames.feed(chunk, |piece| {
                    bytes += piece.bytes;
                    payload += piece.payload;
                    complete.extend(piece.complete.then_some(piece.frame));
                });
            }
            assert!(frames.between_frames());
            assert_eq!((bytes, payload), (whole.len() - PREFACE.len(), 14));
            let kinds: Vec<Kind> = complete.iter().map(|frame| frame.kind).collect();
            assert_eq!(kinds, [Kind::Settings, Kind::Headers, Kind::Data, Kind::GoAway]);
            assert!(!complete[0].acknowledges() && complete[1].ends_headers() && !complete[1].ends_stream());
            assert!(complete[2].ends_stream() && complete[2].stream == 1);
            assert_eq!((complete[3].first_number(), complete[3].second_number()), (5, 11));
        }
    }

    #[test]
    fn an_unfinished_frame_is_no_place_to_put_another() {
        let mut frames = Frames::after_preface(0);
        frames.feed(&DATA[..4], |_| {});
        assert!(!frames.between_frames());
        frames.feed(&DATA[4..11], |_| {});
        assert!(!frames.between_frames());
        frames.feed(&DATA[11..], |_| {});
        assert!(frames.between_frames());
    }
}
