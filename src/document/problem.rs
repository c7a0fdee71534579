//! What is wrong with a document, where, and what to do about it.

use std::fmt;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the user named it.
    pub file: String,
    /// Where in the file; absent where the file as a whole is meant.
    pub spot: Option<Spot>,
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// What would have been right, for example `one of: a, b`.
    pub expected: Option<String>,
    /// What to do about it, for example ``did you mean `x`?``.
    pub hint: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The line as it stands in the file.
    pub excerpt: String,
}

impl Problem {
    /// A problem of a file as a whole.
    pub fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), spot: None, message: message.into(), expected: None, hint: None }
    }

    /// Says what would have been right.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds ``did you mean `x`?`` where one of the known names is near enough to what was written.
    #[must_use]
    pub fn suggesting<'n>(self, written: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        match nearest(written, known) {
            Some(name) => self.hinting(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = harmless(&self.message);
        match &self.spot {
            None => write!(formatter, "{}: {message}", self.file)?,
            Some(spot) => {
                let (excerpt, column) = spot.window();
                let margin = " ".repeat(spot.line.to_string().len().max(4));
                write!(formatter, "{}:{}:{}: {message}", self.file, spot.line, spot.column)?;
                write!(formatter, "\n{:>4} | {excerpt}\n{margin} | {}^", spot.line, " ".repeat(column))?;
            }
        }
        let expected = self.expected.as_ref().map(|expected| format!("expected {expected}"));
        expected.iter().chain(&self.hint).try_for_each(|note| write!(formatter, "\n   {}", harmless(note)))
    }
}

/// Of a longer line only the part around the place is printed.
const WIDEST: usize = 160;

impl Spot {
    /// The part of the line that is printed, and the number of characters in it before the place.
    fn window(&self) -> (String, usize) {
        let line: Vec<char> = self.excerpt.trim_end().chars().collect();
        let before = self.column.saturating_sub(1);
        let first = if line.len() > WIDEST { before.saturating_sub(WIDEST / 2) } else { 0 };
        let shown: String = line.iter().skip(first).take(WIDEST).collect();
        (harmless(&shown), before - first)
    }
}

/// Text from a file must not command the terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Everything that is wrong, in the order of the files' lines. Never empty where it is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// The problems in order: by file in the order of first mention, then by place.
    pub fn new(mut problems: Vec<Problem>) -> Self {
        let files: Vec<String> = problems.iter().map(|problem| problem.file.clone()).collect();
        let rank = |file: &str| files.iter().position(|known| known == file);
        problems.sort_by(|left, right| {
            (rank(&left.file), &left.spot, &left.message).cmp(&(rank(&right.file), &right.spot, &right.message))
        });
        problems.dedup();
        Self(problems)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The problems, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The problems of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(self.0.into_iter().chain(other.0).collect())
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            formatter.write_str(if index == 0 { "" } else { "\n\n" })?;
            fmt::Display::fmt(problem, formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The known name that is nearest to what was written, if one is near enough to be meant.
pub fn nearest<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    let wanted = plain(written);
    let allowed = (wanted.chars().count() / 3).clamp(1, 4);
    let distance = |name: &str| {
        let name = plain(name);
        let begins = wanted.len() >= 3 && name.starts_with(&wanted);
        if begins { allowed } else { strsim::damerau_levenshtein(&wanted, &name) }
    };
    known
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Whether a name is in kebab-case: lower-case letters and digits, in words joined by single dashes.
pub fn is_kebab_case(name: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    name.split('-').all(word)
}
