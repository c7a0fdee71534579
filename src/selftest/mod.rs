//! The tool tested by itself: would it notice?
//!
//! Targets that keep their contract are to be blamed for nothing, and targets with a known defect for exactly what the
//! defect declares. The probing is done elsewhere; here stand the targets, what a probe of one showed, how that compares
//! with what is declared, and the table that is made of it. Pure.

mod evidence;
mod proof;
mod proofs_table;
mod selection;
mod showing;
mod summary;
mod table;
mod target;

pub use evidence::{Evidence, Witness};
pub use proof::{Breach, Broken, Lack, Proof, visible_defects, wanted};
pub use proofs_table::proofs_table;
pub use selection::{Selection, SelectionError};
pub use showing::{Deviation, Probed, Showing};
pub use summary::Summary;
pub use table::{TableOptions, table};
pub use target::{SoundTarget, Target};
