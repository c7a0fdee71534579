//! The targets of the selftest.

use std::fmt;

use crate::reference::{Defect, FailureClass};

/// A target that is probed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// It keeps its contract.
    Sound(SoundTarget),
    /// The embedded target with one defect.
    Broken(Defect),
}

/// A target that keeps its contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SoundTarget {
    /// The embedded target, probed over HTTP/1.1.
    Embedded,
    /// The same over HTTP/2 without TLS.
    EmbeddedHttp2,
    /// The same over TLS.
    EmbeddedTls,
    /// What `idemspec serve` makes of a profile.
    Served(String),
}

impl Target {
    /// Every target: the sound ones first, among them one for each of these profiles, and then every defect by its class.
    pub fn all<'p>(profiles: impl IntoIterator<Item = &'p str>) -> Vec<Self> {
        let embedded = [SoundTarget::Embedded, SoundTarget::EmbeddedHttp2, SoundTarget::EmbeddedTls];
        let served = profiles.into_iter().map(|name| SoundTarget::Served(name.to_owned()));
        let mut defects = Defect::ALL.to_vec();
        defects.sort_by_key(|defect| defect.class());
        embedded.into_iter().chain(served).map(Self::Sound).chain(defects.into_iter().map(Self::Broken)).collect()
    }

    /// Its defect, if it has one.
    pub fn defect(&self) -> Option<Defect> {
        match self {
            Self::Sound(_) => None,
            Self::Broken(defect) => Some(*defect),
        }
    }

    /// The class of failure of its defect, if it has one.
    pub fn class(&self) -> Option<FailureClass> {
        self.defect().map(Defect::class)
    }
}

/// As `--only` names it.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound(sound) => sound.fmt(formatter),
            Self::Broken(defect) => defect.fmt(formatter),
        }
    }
}

impl fmt::Display for SoundTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => formatter.write_str("embedded"),
            Self::EmbeddedHttp2 => formatter.write_str("embedded-http2"),
            Self::EmbeddedTls => formatter.write_str("embedded-tls"),
            Self::Served(profile) => write!(formatter, "serve-{profile}"),
        }
    }
}
