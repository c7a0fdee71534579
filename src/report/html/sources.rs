//! Where a promise stands: the sources that a profile names.

use serde::Serialize;

use super::words::address;
use crate::oracle::Finding;
use crate::report::Judged;
use crate::report::text::escape;

/// A source, with its address where it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Source {
    pub(super) title: String,
    pub(super) href: Option<String>,
    /// When somebody last looked whether it still says so.
    pub(super) verified: Option<String>,
}

impl Source {
    /// The source of this name. A profile gives it an address alone, or a title and an address.
    pub(super) fn named(judged: &Judged<'_>, name: &str) -> Self {
        let (title, url) = judged.named_source(name);
        let title = title.unwrap_or(name);
        let href = url.and_then(address);
        let title = match (url, &href) {
            (Some(url), None) => format!("{title}, {url}"),
            (Some(_), Some(_)) | (None, _) => title.to_owned(),
        };
        let entry = judged.run().and_then(|run| run.document.get("sources")?.get(name));
        let verified = entry.and_then(|entry| entry.get("verified")?.as_str()).map(escape);
        Self { title: escape(&title), href, verified }
    }

    /// The source of the promise that a finding is about.
    pub(super) fn of(judged: &Judged<'_>, finding: &Finding) -> Self {
        match finding.source.as_deref() {
            Some(name) => Self::named(judged, name),
            None => Self { title: judged.source(finding), href: None, verified: None },
        }
    }
}
