//! The table of a selftest, and what is wrong in it.

use comfy_table::{Cell, Color, ContentArrangement, Table, presets};

use super::{Deviation, Evidence, Probed, Showing, Summary};
use crate::contract::Requirement;

/// How many scenarios are named before the rest is only counted.
const SCENARIOS_NAMED: usize = 2;

/// How many requirements are named before the rest is only counted.
const REQUIREMENTS_NAMED: usize = 1;

/// How the table is to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether ANSI colours are used. They never say anything that the words do not.
    pub color: bool,
    /// From 1 on every name is written out, and below the table what was seen.
    pub verbose: u8,
}

/// Renders what was shown, a line for each target, and the counts.
pub fn table(probed: &[Probed], options: TableOptions) -> String {
    let mut table = headed(&["class", "target", "caught by", "violated", "as expected?"], options);
    for one in probed {
        table.add_row(row(one, options));
    }
    let mut text = format!("{table}\n");
    if options.verbose > 0 {
        text.extend(probed.iter().map(witnesses));
    }
    text + &format!("\n{}\n", Summary::of(probed))
}

/// A table without rows.
pub(super) fn headed(header: &[&str], options: TableOptions) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    if options.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn row(one: &Probed, options: TableOptions) -> [Cell; 5] {
    let showing = one.showing();
    let evidence = one.evidence.as_ref().ok();
    let scenarios = evidence.map(Evidence::scenarios).unwrap_or_default();
    let violated: Vec<&str> =
        evidence.iter().flat_map(|evidence| evidence.violated.keys()).map(|one| one.id()).collect();
    let color = match showing.is_as_expected() {
        false => Color::Red,
        true if showing == Showing::NotYetCaught => Color::Yellow,
        true => Color::Green,
    };
    [
        Cell::new(one.target.class().map_or("", |class| class.code())),
        Cell::new(&one.target),
        Cell::new(names(&scenarios, SCENARIOS_NAMED, options)),
        Cell::new(match &showing {
            Showing::Sound => nothing(evidence),
            _ => names(&violated, REQUIREMENTS_NAMED, options),
        }),
        Cell::new(verdict(&showing, one.looks)).fg(color),
    ]
}

/// The first few names, and how many there are beside them.
fn names(names: &[&str], limit: usize, options: TableOptions) -> String {
    if options.verbose > 0 || names.len() <= limit {
        return names.join(", ");
    }
    format!("{} +{}", names[..limit].join(", "), names.len() - limit)
}

fn verdict(showing: &Showing, looks: u32) -> String {
    let words = match showing {
        Showing::Sound => "✓".to_owned(),
        Showing::Caught => "✓ exactly".to_owned(),
        Showing::CaughtByChance => "✓ not for certain".to_owned(),
        Showing::NotYetCaught => "○ not yet caught".to_owned(),
        Showing::Blamed(_) => "✗ BLAMED although it is sound".to_owned(),
        Showing::Deviates(deviation) => format!("✗ {}", deviating(deviation)),
        Showing::Nothing(reason) => format!("✗ {reason}"),
    };
    match looks {
        0 | 1 => words,
        looks => format!("{words} (look {looks})"),
    }
}

fn nothing(evidence: Option<&Evidence>) -> String {
    let (held, undecided) = evidence.map_or((0, 0), |evidence| (evidence.held.len(), evidence.undecided.len()));
    match undecided {
        0 => format!("nothing; {held} hold"),
        _ => format!("nothing; {held} hold, {undecided} undecided"),
    }
}

pub(super) fn deviating(deviation: &Deviation) -> String {
    let ids = |requirements: &[Requirement]| {
        requirements.iter().map(|requirement| requirement.id()).collect::<Vec<_>>().join(", ")
    };
    let missing = Some(format!("missing: {}", ids(&deviation.missing))).filter(|_| !deviation.missing.is_empty());
    let surplus = Some(format!("unexpected: {}", ids(&deviation.surplus))).filter(|_| !deviation.surplus.is_empty());
    missing.into_iter().chain(surplus).collect::<Vec<_>>().join("; ")
}

/// What was seen of every violated requirement, by its first witness.
fn witnesses(one: &Probed) -> String {
    let Ok(evidence) = &one.evidence else {
        return String::new();
    };
    let mut text = String::new();
    for (requirement, witnesses) in &evidence.violated {
        if text.is_empty() {
            text.push_str(&format!("\n{}\n", one.target));
        }
        if let Some(first) = witnesses.first() {
            text.push_str(&format!("  {requirement}  {}: {}\n", first.case, first.seen));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Defect;
    use crate::selftest::{SoundTarget, Target};

    fn probed(target: Target, violated: &[Requirement], looks: u32) -> Probed {
        let violated = violated.iter().map(|requirement| (*requirement, Vec::new())).collect();
        let held = [Requirement::KeyFresh].into();
        Probed { target, evidence: Ok(Evidence { violated, held, ..Evidence::default() }), looks }
    }

    #[test]
    fn whatever_deviates_is_named_and_counted() {
        let sound = || Target::Sound(SoundTarget::Embedded);
        let all = [
            probed(sound(), &[], 1),
            probed(sound(), &[Requirement::KeyFresh], 1),
            probed(Target::Broken(Defect::NoDedup), &[Requirement::KeyDistinct], 1),
            probed(Target::Broken(Defect::StripQuotes), Defect::StripQuotes.expected(), 2),
            Probed { evidence: Err("nobody there".into()), ..probed(sound(), &[], 4) },
        ];
        let text = table(&all, TableOptions::default());
        for said in [
            "nothing; 1 hold",
            "✗ BLAMED although it is sound",
            "✗ missing: key.longest, ",
            "; unexpected: key.distinct",
            "✓ exactly (look 2)",
            "✗ nobody there (look 4)",
            "1 of 2 defects caught, 1 of 21 classes that a server can show (C04 is for clients alone), 1 of 3 sound targets blamed: 3 are not as expected",
        ] {
            assert!(text.contains(said), "{said}\n{text}");
        }
        assert!(!Summary::of(&all).is_as_expected());
    }
}
