//! Which targets are probed.

use super::Target;
use crate::reference::{Defect, FailureClass};

/// The word for all targets that keep their contract.
const SOUND: &str = "sound";

/// What was selected by name: nothing for everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    targets: Vec<Target>,
}

/// Nothing can be probed by this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// Nothing is called so.
    #[error("`{written}` is neither a defect, nor a class of failure, nor a sound target")]
    Unknown {
        /// What was written.
        written: String,
        /// Everything that could have been written.
        known: Vec<String>,
    },
    /// It is a class of failure, and no server can show it.
    #[error("{0} is a failure of clients ({title}): no server shows it, so there is nothing to probe", title = .0.title())]
    OfClients(FailureClass),
}

impl Selection {
    /// Picks from all targets those that are named: by a defect, with its value if it takes one; by the code of a class;
    /// by a sound target; or all of these by `sound`. Without any name, all are picked.
    ///
    /// # Errors
    /// When a name is unknown, with everything that is known; or when it is that of a class which no server shows.
    pub fn of(names: &[String], all: Vec<Target>) -> Result<Self, SelectionError> {
        if names.is_empty() {
            return Ok(Self { targets: all });
        }
        let mut targets: Vec<Target> = Vec::new();
        for name in names {
            if let Some(class) = FailureClass::of_clients().find(|class| class.code().eq_ignore_ascii_case(name)) {
                return Err(SelectionError::OfClients(class));
            }
            let named = named(name, &all);
            if named.is_empty() {
                return Err(SelectionError::Unknown { written: name.clone(), known: known(&all) });
            }
            targets.extend(named.into_iter().filter(|target| !targets.contains(target)).collect::<Vec<_>>());
        }
        Ok(Self { targets })
    }

    /// The targets, in the order in which they are told of.
    pub fn targets(self) -> Vec<Target> {
        self.targets
    }
}

fn named(name: &str, all: &[Target]) -> Vec<Target> {
    let is_named = |target: &Target| match target {
        Target::Sound(sound) => name == SOUND || sound.to_string() == name,
        Target::Broken(defect) => defect.id() == name || defect.class().code().eq_ignore_ascii_case(name),
    };
    let found: Vec<Target> = all.iter().filter(|target| is_named(target)).cloned().collect();
    match Defect::parse(name) {
        Ok(defect) if found.is_empty() => vec![Target::Broken(defect)],
        Ok(_) | Err(_) => found,
    }
}

fn known(all: &[Target]) -> Vec<String> {
    let mut known = vec![SOUND.to_owned()];
    for target in all {
        let (id, class) = match target {
            Target::Sound(sound) => (sound.to_string(), None),
            Target::Broken(defect) => (defect.id().to_owned(), Some(defect.class().code().to_owned())),
        };
        known.push(id);
        known.extend(class.filter(|class| !known.contains(class)));
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(names: &[&str]) -> Result<Vec<String>, SelectionError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection::of(&names, Target::all(["shop"]))?;
        Ok(selection.targets().iter().map(Target::to_string).collect())
    }

    #[test]
    fn targets_are_named_by_defect_class_or_sound() {
        assert_eq!(picked(&[]).unwrap().len(), Target::all(["shop"]).len());
        assert_eq!(picked(&["no-dedup", "no-dedup"]).unwrap(), ["no-dedup"]);
        assert_eq!(picked(&["check-then-act=5ms"]).unwrap(), ["check-then-act=5ms"]);
        assert!(picked(&["c01", "embedded"]).unwrap().contains(&"no-dedup".to_owned()));
        let sound = picked(&["sound"]).unwrap();
        assert_eq!(sound, ["embedded", "embedded-http2", "embedded-tls", "serve-shop"]);
        let Err(SelectionError::Unknown { known, .. }) = picked(&["no-dedupe"]) else { panic!("it was found") };
        assert!(["sound", "serve-shop", "no-dedup", "C05"].iter().all(|name| known.contains(&(*name).into())));
        assert_eq!(picked(&["c04"]), Err(SelectionError::OfClients(FailureClass::ClientKeys)));
    }
}
