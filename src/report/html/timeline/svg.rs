//! Shapes as markup. Everything across is a share of the width, so the drawing needs no scaling and its words keep their
//! size. Marks (heads, crosses) are defined once on the page.

use std::fmt::Write;

use minijinja::HtmlEscape;

use super::layout::{Arrow, Bar, CLIENT, Drawing, SERVER, Shape};
use super::scene::{Band, Effects, Message, Tone};
use crate::report::exchange::time;

/// How far apart bars beside each other stand, and how many places there are: what comes later stands on the last.
const SLOT: usize = 6;
const SLOTS: usize = 8;
/// Where the column of the effects begins, in hundredths of the width.
const EFFECTS: f64 = 87.0;
/// The room between a lane and the words beside it.
const BESIDE: i32 = 8;

/// Writes a drawing. The names of exchanges on the page begin with `anchor`.
pub(super) fn write(drawing: &Drawing, anchor: &str, case: &str) -> String {
    let mut svg = Svg { text: String::new(), anchor };
    let height = drawing.height;
    svg.add(format_args!(
        r#"<svg class="timeline" width="100%" height="{height}" role="group" aria-label="Timeline of {}; the steps below say the same in words">"#,
        HtmlEscape(&crate::report::escape(case))
    ));
    svg.lanes(height);
    for shape in &drawing.shapes {
        svg.shape(shape);
    }
    svg.add(format_args!("</svg>"));
    svg.text
}

struct Svg<'a> {
    text: String,
    anchor: &'a str,
}

impl Svg<'_> {
    fn add(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(markup);
    }

    fn lanes(&mut self, height: i32) {
        for (x, name) in [(CLIENT, "client"), (SERVER, "server")] {
            self.add(format_args!(
                r#"<line class="lane" x1="{x}%" y1="20" x2="{x}%" y2="{height}"/><text class="head" x="{x}%" y="13">{name}</text>"#
            ));
        }
        self.add(format_args!(r#"<text class="head" x="93%" y="13">effects</text>"#));
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Arrow(arrow) => self.arrow(arrow),
            Shape::Bar(bar) => self.bar(*bar),
            Shape::Gone { y, message } => self.gone(*y, message),
            Shape::Release { y, label } => self.release(*y, label),
            Shape::Effects { y, effects } => self.effects(*y, effects),
            Shape::Band { y, band, label } => self.band(*y, *band, label),
        }
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let message = &arrow.message;
        let broken = message.reach < 1.0;
        self.add(format_args!(r#"<g class="{}"><title>{}</title>"#, class(message.tone), HtmlEscape(&message.title)));
        if broken {
            self.line("ghost", arrow.end, arrow.to);
        }
        self.line("", arrow.from, arrow.end);
        let mark = match (broken, arrow.to_server) {
            (true, _) => "cross",
            (false, true) => "to-server",
            (false, false) => "to-client",
        };
        self.mark(mark, arrow.end);
        if arrow.to_server {
            self.request_words(arrow);
        } else {
            self.words(SERVER, -BESIDE, arrow.from.1 - 4, "answer", message.label.as_deref());
            self.words(arrow.end.0, BESIDE, arrow.end.1 + 13, "loss", message.loss.as_deref());
        }
        self.add(format_args!("</g>"));
    }

    /// The label of a request, which leads to the exchange; and when it left.
    fn request_words(&mut self, arrow: &Arrow) {
        let message = &arrow.message;
        // Where hardly anything was sent, the arrow ends right under its own label.
        let below = (arrow.end.1 + 4).max(arrow.from.1 + 8);
        self.words(arrow.end.0, BESIDE + 2, below, "loss", message.loss.as_deref());
        let Some(label) = &message.label else { return };
        let (y, anchor, attempt) = (arrow.from.1 - 5, self.anchor, message.attempt);
        self.add(format_args!(r##"<a href="#{anchor}-{attempt}">"##));
        self.words(CLIENT, BESIDE, y, "label", Some(label));
        self.add(format_args!("</a>"));
        self.words(CLIENT, -BESIDE, y + 9, "time", Some(&time(arrow.at)));
        if message.wrong {
            self.words(CLIENT, -BESIDE, y + 23, "wrong", Some("✗ judged"));
        }
    }

    fn bar(&mut self, bar: Bar) {
        let Bar { top, bottom, slot, certain } = bar;
        let (across, height) = (slot.min(SLOTS - 1) * SLOT, (bottom - top).max(4));
        let kind = if certain { "bar" } else { "bar unknown" };
        self.add(format_args!(
            r#"<rect class="{kind}" x="{SERVER}%" y="{top}" width="5" height="{height}" transform="translate({across})"/>"#
        ));
        if !certain {
            self.words(SERVER, across as i32 + BESIDE, bottom, "doubt", Some("?"));
        }
    }

    fn gone(&mut self, y: i32, message: &Message) {
        self.add(format_args!(r#"<g class="lost"><title>{}</title>"#, HtmlEscape(&message.title)));
        self.mark("cross", (CLIENT, y));
        let words = [message.loss.as_deref(), message.label.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        self.words(CLIENT, BESIDE + 2, y + 4, "loss", Some(&words.join(" · ")));
        self.add(format_args!("</g>"));
    }

    fn release(&mut self, y: i32, label: &str) {
        self.add(format_args!(r#"<line class="release" x1="{}%" y1="{y}" x2="{SERVER}%" y2="{y}"/>"#, CLIENT - 3.0));
        self.words(CLIENT, BESIDE, y - 4, "note", Some(label));
    }

    fn effects(&mut self, y: i32, effects: &Effects) {
        let kind = if effects.rose { "effects rose" } else { "effects" };
        let number = effects.number.map_or_else(|| "!".to_owned(), |number| number.to_string());
        let note = if effects.rose { format!("▲ {}", effects.note) } else { effects.note.clone() };
        let (title, note) = (HtmlEscape(&effects.title), HtmlEscape(&note));
        let top = y - 9;
        self.add(format_args!(
            r#"<svg class="{kind}" x="{EFFECTS}%" y="{top}" width="{}%" height="19"><title>{title}</title><rect x="1" y="1" width="26" height="17" rx="8"/><text x="14" y="14">{number}</text><text class="which" x="32" y="13">{note}</text></svg>"#,
            100.0 - EFFECTS
        ));
    }

    fn band(&mut self, y: i32, band: Band, label: &str) {
        let kind = match band {
            Band::Wait => "wait",
            Band::Clock => "clock",
            Band::Hook => "hook",
            Band::Resumed => "resumed",
            Band::LeftOut => "left-out",
        };
        let width = SERVER - CLIENT;
        self.add(format_args!(
            r#"<g class="band {kind}"><rect x="{CLIENT}%" y="{}" width="{width}%" height="17"/>"#,
            y - 9
        ));
        self.words((CLIENT + SERVER) / 2.0, 0, y + 4, "note", Some(label));
        self.add(format_args!("</g>"));
    }

    fn line(&mut self, kind: &str, from: (f64, i32), to: (f64, i32)) {
        let kind = if kind.is_empty() { String::new() } else { format!(r#" class="{kind}""#) };
        self.add(format_args!(r#"<line{kind} x1="{:.1}%" y1="{}" x2="{:.1}%" y2="{}"/>"#, from.0, from.1, to.0, to.1));
    }

    fn mark(&mut self, name: &str, (x, y): (f64, i32)) {
        self.add(format_args!(r##"<use href="#{name}" x="{x:.1}%" y="{y}"/>"##));
    }

    fn words(&mut self, x: f64, beside: i32, y: i32, kind: &str, words: Option<&str>) {
        let Some(words) = words.filter(|words| !words.is_empty()) else { return };
        let words = HtmlEscape(words);
        self.add(format_args!(r#"<text class="{kind}" x="{x:.1}%" dx="{beside}" y="{y}">{words}</text>"#));
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "sent",
        Tone::Good => "good",
        Tone::Refused => "refused",
        Tone::Failed => "failed",
        Tone::Lost => "lost",
    }
}
