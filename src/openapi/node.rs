//! A value inside a document, which knows where it stands, and where its `$ref` leads.

use serde_json::Value;

use crate::document::{At, Located, Problem, Problems, pointer};

/// A value inside a document.
#[derive(Clone, Debug)]
pub(super) struct Node<'d> {
    located: &'d Located,
    /// Its JSON pointer.
    pub(super) at: String,
    pub(super) value: &'d Value,
}

impl<'d> Node<'d> {
    /// The whole document.
    pub(super) fn root(located: &'d Located) -> Self {
        Self { located, at: String::new(), value: located.value() }
    }

    /// The member of this name as it is written.
    pub(super) fn written(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        Some(Self { located: self.located, at: pointer(&self.at, name), value })
    }

    /// The member of this name, behind its `$ref` if it is one.
    pub(super) fn member(&self, name: &str) -> Result<Option<Self>, Problems> {
        self.written(name).map(Self::resolved).transpose()
    }

    /// The members of a map by name, as they are written; none where it is no map.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'d str, Self)> + use<'d> {
        let (located, at) = (self.located, self.at.clone());
        let members = self.value.as_object().into_iter().flatten();
        members.map(move |(name, value)| (name.as_str(), Self { located, at: pointer(&at, name), value }))
    }

    /// The items of a list, each behind its `$ref`; none where it is no list.
    pub(super) fn items(&self) -> Result<Vec<Self>, Problems> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items
            .map(|(index, value)| Self { located: self.located, at: format!("{}/{index}", self.at), value }.resolved())
            .collect()
    }

    /// The items of a list that is a member, each behind its `$ref`.
    pub(super) fn items_of(&self, name: &str) -> Result<Vec<Self>, Problems> {
        self.member(name)?.map_or_else(|| Ok(Vec::new()), |list| list.items())
    }

    /// A member that is text.
    pub(super) fn text(&self, name: &str) -> Option<&'d str> {
        self.value.get(name)?.as_str()
    }

    /// Whether a member is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }

    /// A problem with this value.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        self.located.problem(At::Key(&self.at), message)
    }

    /// What is meant: where there is a `$ref`, what it leads to.
    pub(super) fn resolved(self) -> Result<Self, Problems> {
        let mut visited = vec![self.at.clone()];
        let mut node = self;
        while let Some(reference) = node.text("$ref") {
            node = node.follow(reference)?;
            if visited.contains(&node.at) {
                let trail: Vec<String> = visited.iter().chain([&node.at]).map(|at| format!("#{at}")).collect();
                return Err(node.problem(format!("this `$ref` leads back to itself: {}", trail.join(" → "))).into());
            }
            visited.push(node.at.clone());
        }
        Ok(node)
    }

    fn follow(&self, reference: &str) -> Result<Self, Problems> {
        let at = format!("{}/$ref", self.at);
        let problem = |message: String| self.located.problem(At::Value(&at), message);
        let Some(fragment) = reference.strip_prefix('#') else {
            let message = format!("`{reference}` points into another document, and one is read");
            return Err(problem(message).hinting("bundle the documents into one first").into());
        };
        let target = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned();
        if let Some(value) = self.located.value().pointer(&target) {
            return Ok(Self { located: self.located, at: target, value });
        }
        let (around, name) = target.rsplit_once('/').unwrap_or_default();
        let siblings = self.located.value().pointer(around).and_then(Value::as_object);
        let names = siblings.into_iter().flatten().map(|(known, _)| known.as_str());
        Err(problem(format!("`{reference}` leads nowhere")).suggesting(name, names).into())
    }
}
