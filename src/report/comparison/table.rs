//! Two contracts side by side, for a terminal.

use comfy_table::{Cell, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::{of_clause, outcome, sentences, sign, subject};
use crate::comparison::{Comparison, Harm, Line, Stated};
use crate::contract::Clause;
use crate::report::text::{Paint, Tone, escape, wrap};

/// The width in columns.
const WIDTH: u16 = 118;
/// The widths of the columns, in percent: the subject, the two contracts, what breaks.
const SHARES: [u16; 4] = [25, 18, 18, 39];

/// Renders a comparison for a terminal.
pub fn table(comparison: &Comparison, color: bool) -> String {
    let paint = Paint::new(color);
    let (known, met) = (&comparison.known, &comparison.met);
    let heading = format!("A client built for {} that talks to {}", escape(&known.profile), escape(&met.profile));
    let titles = wrap(&format!("{} → {}", escape(&known.title), escape(&met.title)), usize::from(WIDTH), "");
    let mut text = format!("{}\n{titles}", paint.apply(Tone::Strong, &heading));
    for clause in Clause::ALL {
        text.push_str(&section(comparison, clause, color));
    }
    text.push_str(&format!("\n{}", wrap(&escape(&outcome(comparison)), usize::from(WIDTH), "")));
    text
}

fn section(comparison: &Comparison, clause: Clause, color: bool) -> String {
    let (said, silent) = of_clause(comparison, clause);
    let id = Paint::new(color).apply(Tone::Strong, clause.id());
    let question = wrap(&format!("{}: {}", clause.id(), clause.question()), usize::from(WIDTH), "");
    let mut text = format!("\n{}", question.replacen(clause.id(), &id, 1));
    if !said.is_empty() {
        text.push_str(&format!("{}\n", rows(comparison, &said, color)));
    }
    if !silent.is_empty() {
        text.push_str(&wrap(&format!("neither says: {}", silent.join(", ")), usize::from(WIDTH), "  "));
    }
    text
}

fn rows(comparison: &Comparison, lines: &[&Line], color: bool) -> Table {
    let mut table = Table::new();
    let (known, met) = (escape(&comparison.known.profile), escape(&comparison.met.profile));
    table
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header(["", &known, &met, "what breaks"]);
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    for line in lines {
        let what = Cell::new(sentences(line).iter().map(|sentence| escape(sentence)).collect::<Vec<_>>().join("\n"));
        table.add_row([
            Cell::new(label(line)),
            Cell::new(said(line.known.as_ref())),
            Cell::new(said(line.met.as_ref())),
            what.fg(tone(line)),
        ]);
    }
    for (column, share) in table.column_iter_mut().zip(SHARES) {
        column.set_constraint(ColumnConstraint::Absolute(Width::Percentage(share)));
    }
    table
}

fn label(line: &Line) -> String {
    let (item, parts) = subject(line);
    let parts: String = parts.iter().map(|part| format!("\n{}", escape(part))).collect();
    // The clause stands above the table.
    let inside = item.split_once('.').map_or(item.as_str(), |(_, inside)| inside);
    format!("{} {}{parts}", sign(line), escape(inside))
}

fn said(stated: Option<&Stated>) -> String {
    stated.map_or_else(|| "does not say".to_owned(), |stated| escape(&stated.shown()))
}

fn tone(line: &Line) -> Color {
    match line.harm() {
        Some(Harm::Breaks) => Color::Red,
        Some(Harm::MayBreak) => Color::Yellow,
        Some(Harm::Nothing) => Color::Green,
        None => Color::DarkGrey,
    }
}
