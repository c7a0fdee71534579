//! What a step has changed.

use std::collections::BTreeSet;

/// The names of what was changed since this was asked last; of nothing, where nobody will ask.
#[derive(Debug)]
pub(in crate::reference) struct Touched<N> {
    names: Option<BTreeSet<N>>,
}

/// Nobody will ask.
impl<N> Default for Touched<N> {
    fn default() -> Self {
        Self { names: None }
    }
}

impl<N: Ord> Touched<N> {
    /// From now on somebody will ask.
    pub(in crate::reference) fn watch(&mut self) {
        self.names.get_or_insert_default();
    }

    /// Something is about to be changed, or was.
    pub(in crate::reference) fn note<T: ?Sized + ToOwned<Owned = N>>(&mut self, name: &T) {
        if let Some(names) = &mut self.names {
            names.insert(name.to_owned());
        }
    }

    /// What was changed since this was asked last.
    pub(in crate::reference) fn take(&mut self) -> BTreeSet<N> {
        self.names.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asks_for_is_not_noted() {
        let mut touched = Touched::<String>::default();
        touched.note("a");
        assert!(touched.take().is_empty());
        touched.watch();
        touched.note("b");
        touched.note("b");
        assert_eq!(touched.take().into_iter().collect::<Vec<_>>(), ["b"]);
        assert!(touched.take().is_empty());
    }
}
