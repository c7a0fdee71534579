//! The table of what profiles have proven.

use comfy_table::{Cell, Color};

use super::table::{deviating, headed};
use super::{Lack, Proof, TableOptions};

/// Renders what was proven, a line for each profile, and the count.
pub fn proofs_table(proofs: &[Proof], options: TableOptions) -> String {
    let mut table = headed(&["profile", "sound mock", "caught", "as expected?"], options);
    for proof in proofs {
        let lacks = proof.lacks();
        let words = if lacks.is_empty() {
            "✓".to_owned()
        } else {
            lacks.iter().map(|lack| format!("✗ {}", told(lack))).collect::<Vec<_>>().join("\n")
        };
        let color = if lacks.is_empty() { Color::Green } else { Color::Red };
        table.add_row([
            Cell::new(&proof.profile),
            Cell::new(sound(proof)),
            Cell::new(broken(proof)),
            Cell::new(words).fg(color),
        ]);
    }
    let proven = proofs.iter().filter(|proof| proof.lacks().is_empty()).count();
    let mocks: usize = proofs.iter().map(|proof| proof.broken.len()).sum();
    format!("{table}\n\n{proven} of {} profiles prove themselves, by {mocks} broken mocks\n", proofs.len())
}

fn sound(proof: &Proof) -> String {
    match &proof.sound {
        Ok((evidence, _)) => format!("{} hold, nothing violated", evidence.held.len()),
        Err(_) => String::new(),
    }
}

fn broken(proof: &Proof) -> String {
    proof.broken.iter().map(|broken| broken.breach.defect.id()).collect::<Vec<_>>().join("\n")
}

fn told(lack: &Lack) -> String {
    match lack {
        Lack::Nothing(reason) => reason.clone(),
        Lack::Unsound(requirements) => {
            let ids: Vec<&str> = requirements.iter().map(|requirement| requirement.id()).collect();
            format!("the sound mock is blamed, or leaves undecided: {}", ids.join(", "))
        }
        Lack::TooFew(number) => format!("only {number} defects are visible under its contract"),
        Lack::Deviates(defect, deviation) => format!("{defect}: {}", deviating(deviation)),
    }
}
