//! Where everything stands: from the items of a scene to shapes with a place. Pure.
//!
//! Time runs downwards. The axis is compressed: a part of the drawing has the room that its words need, and a little more
//! the more time passed; where much time passed, the drawing says how much. What happened earlier never stands lower.
//! Across, everything is a share of the width, so that one drawing fits a phone and a desk.

use std::collections::BTreeMap;
use std::time::Duration;

use super::label::spoken;
use super::scene::{Band, Effects, Item, Message, Timed};

/// The lane of the client, in hundredths of the width.
pub(super) const CLIENT: f64 = 19.0;
/// The lane of the server.
pub(super) const SERVER: f64 = 76.0;

/// The room above the first item.
const TOP: i32 = 46;
const BOTTOM: i32 = 14;
/// How much lower a message arrives than it left.
pub(super) const SLANT: i32 = 10;
/// From this time on, between two items, the drawing says that time passes.
const WAIT: Duration = Duration::from_millis(500);
/// How far apart the copies of a race stand that share a label.
const COPY: i32 = 5;
const LINE: i32 = 18;

/// A drawing: its height, and what is in it, in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawing {
    pub(super) height: i32,
    pub(super) shapes: Vec<Shape>,
}

/// A part of a drawing with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A message on its way.
    Arrow(Arrow),
    /// The server has a request, as far as our socket can tell.
    Bar(Bar),
    /// The client went away.
    Gone { y: i32, message: Message },
    /// The copies of a race were let go.
    Release { y: i32, label: String },
    /// Effects were counted.
    Effects { y: i32, effects: Effects },
    /// Something that concerns both sides.
    Band { y: i32, band: Band, label: String },
}

/// A message on its way from one lane to the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arrow {
    pub(super) to_server: bool,
    /// Where it leaves, and where it would arrive.
    pub(super) from: (f64, i32),
    pub(super) to: (f64, i32),
    /// Where it ends: its destination, or the place where it broke off.
    pub(super) end: (f64, i32),
    /// When it left, or arrived: the time that stands beside the client's lane.
    pub(super) at: Duration,
    pub(super) message: Message,
}

/// From the arrival of a request to what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub(super) top: i32,
    pub(super) bottom: i32,
    /// Which of the places beside each other it has; 0 is on the lane.
    pub(super) slot: usize,
    /// Whether an answer ends it. Otherwise nobody knows how long the server worked on it.
    pub(super) certain: bool,
}

/// Gives every item its place.
pub(super) fn layout(items: &[Timed]) -> Drawing {
    let mut drafting = Drafting::default();
    for item in items {
        drafting.place(item);
    }
    drafting.finish()
}

/// A drawing that is being made.
#[derive(Default)]
struct Drafting {
    shapes: Vec<Shape>,
    /// The item that was placed last: when it happened, where it stands, and what kind it is.
    last: Option<(Duration, i32, Kind)>,
    /// The requests that are under way: where each arrived, and its slot.
    open: BTreeMap<u32, (i32, usize)>,
}

/// What matters about an item for the room around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Request,
    Answer,
    Gone,
    Release,
    Effects,
    Band,
}

impl Drafting {
    fn place(&mut self, Timed { at, what }: &Timed) {
        self.passing(*at, what);
        let (kind, labelled) = kind(what);
        let y = match self.last {
            None => TOP,
            Some((before, y, last)) => y + room(last, kind, labelled) + stretch(at.saturating_sub(before)),
        };
        match what {
            Item::Request(message) => self.request(*at, y, message),
            Item::Answer(message) => self.answer(*at, y, message),
            Item::Gone(message) => self.gone(y, message),
            Item::Release(label) => self.shapes.push(Shape::Release { y, label: label.clone() }),
            Item::Effects(effects) => self.shapes.push(Shape::Effects { y, effects: effects.clone() }),
            Item::Band(band, label) => self.shapes.push(Shape::Band { y, band: *band, label: label.clone() }),
        }
        self.last = Some((*at, y, kind));
    }

    /// Says that much time passes before an item, unless it says so itself.
    fn passing(&mut self, at: Duration, next: &Item) {
        let Some((before, y, last)) = self.last else { return };
        let passed = at.saturating_sub(before);
        if passed < WAIT || matches!(next, Item::Band(..)) {
            return;
        }
        let y = y + room(last, Kind::Band, true);
        self.shapes.push(Shape::Band { y, band: Band::Wait, label: format!("{} pass", spoken(passed)) });
        self.last = Some((at, y, Kind::Band));
    }

    fn request(&mut self, at: Duration, y: i32, message: &Message) {
        let (from, to) = ((CLIENT, y), (SERVER, y + SLANT));
        let end = along(from, to, message.reach);
        if message.reach >= 1.0 {
            let slot = (0..).find(|slot| self.open.values().all(|(_, taken)| taken != slot)).unwrap_or_default();
            self.open.insert(message.attempt, (y + SLANT, slot));
        }
        let arrow = Arrow { to_server: true, from, to, end, at, message: message.clone() };
        self.shapes.push(Shape::Arrow(arrow));
    }

    fn answer(&mut self, at: Duration, y: i32, message: &Message) {
        let (from, to) = ((SERVER, y - SLANT), (CLIENT, y));
        let end = along(from, to, message.reach);
        self.close(message.attempt, y - SLANT, true);
        let arrow = Arrow { to_server: false, from, to, end, at, message: message.clone() };
        self.shapes.push(Shape::Arrow(arrow));
    }

    fn gone(&mut self, y: i32, message: &Message) {
        self.close(message.attempt, y, false);
        self.shapes.push(Shape::Gone { y, message: message.clone() });
    }

    /// Ends the bar of a request.
    fn close(&mut self, attempt: u32, bottom: i32, certain: bool) {
        if let Some((top, slot)) = self.open.remove(&attempt) {
            self.shapes.push(Shape::Bar(Bar { top, bottom: bottom.max(top), slot, certain }));
        }
    }

    fn finish(mut self) -> Drawing {
        let height = self.last.map_or(TOP, |(_, y, _)| y + SLANT) + BOTTOM;
        for attempt in self.open.keys().copied().collect::<Vec<u32>>() {
            self.close(attempt, height - BOTTOM, false);
        }
        Drawing { height, shapes: self.shapes }
    }
}

fn kind(item: &Item) -> (Kind, bool) {
    match item {
        Item::Request(message) => (Kind::Request, message.label.is_some()),
        Item::Answer(message) => (Kind::Answer, message.label.is_some()),
        Item::Gone(message) => (Kind::Gone, message.label.is_some()),
        Item::Release(_) => (Kind::Release, true),
        Item::Effects(_) => (Kind::Effects, true),
        Item::Band(..) => (Kind::Band, true),
    }
}

/// The least distance between two items, so that no words stand on others.
fn room(last: Kind, next: Kind, labelled: bool) -> i32 {
    if !labelled {
        return COPY;
    }
    match (last, next) {
        // A label stands above the end at which its arrow is higher, and the arrow before comes down on the other side.
        (Kind::Request, Kind::Request) | (Kind::Answer, Kind::Gone) => SLANT + LINE,
        (Kind::Request | Kind::Gone, Kind::Answer) => 2 * SLANT + LINE,
        (Kind::Release, Kind::Request) => LINE + 4,
        (Kind::Release, Kind::Answer) => 2 * SLANT + LINE,
        (_, Kind::Effects) => match last {
            Kind::Effects => LINE + 2,
            Kind::Band => LINE,
            _ => 4,
        },
        (Kind::Effects, Kind::Answer) => 2 * SLANT + LINE,
        (Kind::Request, Kind::Gone | Kind::Band | Kind::Release) => SLANT + LINE,
        (Kind::Band, Kind::Answer) => 3 * SLANT + LINE,
        (Kind::Band, _) | (_, Kind::Band) => LINE + 6,
        _ => LINE + 2,
    }
}

/// Some more room the more time passed: nothing up to a millisecond, a line or so for a second.
fn stretch(passed: Duration) -> i32 {
    let milliseconds = passed.min(WAIT).as_secs_f64() * 1000.0;
    if milliseconds <= 1.0 { 0 } else { (milliseconds.log10() * 7.0).round() as i32 }
}

/// The place at which a message is that came so far on its way.
fn along(from: (f64, i32), to: (f64, i32), reach: f64) -> (f64, i32) {
    let down = f64::from(to.1 - from.1) * reach;
    (from.0 + (to.0 - from.0) * reach, from.1 + down.round() as i32)
}
