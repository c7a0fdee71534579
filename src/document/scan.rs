//! The first pass over a YAML text: where every value stands, and what YAML would let pass in silence.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};

use super::{Problem, Spot, pointer};

/// Deeper nesting is nobody's profile.
const DEEPEST: usize = 100;

/// Aliases may not multiply a text beyond this many places.
const MOST_PLACES: usize = 100_000;

/// Where a value stands, and the key that it stands under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) key: Option<(usize, usize)>,
    pub(super) value: (usize, usize),
}

/// What the first pass found.
pub(super) struct Scanned {
    /// JSON pointer → place, lines and columns from 1.
    pub(super) places: HashMap<String, Place>,
    pub(super) problems: Vec<Problem>,
}

/// Goes through a text once. After a syntax error nothing more is read.
pub(super) fn scan(file: &str, text: &str) -> Scanned {
    let mut scan = Scan {
        file,
        text,
        events: Parser::new_from_str(text),
        anchors: HashMap::new(),
        places: HashMap::new(),
        problems: Vec::new(),
    };
    if scan.documents().is_none() && scan.problems.is_empty() {
        scan.problems.push(Problem::of_file(file, "the file cannot be read as YAML"));
    }
    Scanned { places: scan.places, problems: scan.problems }
}

/// The place of a line and a column in a text.
pub(super) fn spot(text: &str, (line, column): (usize, usize)) -> Spot {
    let excerpt = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
    Spot { line, column, excerpt }
}

struct Scan<'t> {
    file: &'t str,
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, String>,
    places: HashMap<String, Place>,
    problems: Vec<Problem>,
}

impl<'t> Scan<'t> {
    /// `None`, here and below: the text went wrong, and the problem is noted.
    fn documents(&mut self) -> Option<()> {
        let mut documents = 0;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Some(()),
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        self.problem(start(span), "a second YAML document begins here; a file holds one");
                        return None;
                    }
                }
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                node => self.node(node, span, "", None, 0)?,
            }
        }
    }

    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        match self.events.next()? {
            Ok(event) => Some(event),
            Err(error) => {
                let at = place(error.marker());
                let problem = self.located(at, format!("syntax error: {}", error.info()));
                let problem = match unquoted_template(self.text, at.0) {
                    Some((line, column)) => {
                        let message = "syntax error: a text that begins with `{{` must be quoted".to_owned();
                        self.located((line, column), message).hinting(QUOTE)
                    }
                    None => problem,
                };
                let problem = match error.info().contains("simple key") {
                    true => problem.hinting("a `:` is missing, here or in the line above"),
                    false => problem,
                };
                if !self.problems.iter().any(|known| known.spot == problem.spot) {
                    self.problems.push(problem);
                }
                None
            }
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, at: &str, key: Option<Span>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            self.problem(start(span), "nested too deeply");
            return None;
        }
        let value = start(span);
        self.places.entry(at.to_owned()).or_insert(Place { key: key.map(start), value });
        let (anchor, tag) = match &event {
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.as_ref()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.as_ref()),
            Event::Alias(id) => {
                self.alias(*id, at);
                return Some(());
            }
            _ => return Some(()),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, at.to_owned());
        }
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            let problem = self.located(value, format!("tag `{tag}` has no meaning here"));
            self.problems.push(problem.hinting(format!("write `{}:` as a key", tag.suffix)));
        }
        if let Event::Scalar(text, ScalarStyle::Plain, ..) = &event
            && NO_JSON.contains(&text.to_lowercase().as_str())
        {
            let problem = self.located(value, format!("`{text}` is no number that JSON knows"));
            self.problems.push(problem.hinting(format!("quote it: \"{text}\"")));
        }
        match event {
            Event::SequenceStart(..) => self.sequence(at, depth),
            Event::MappingStart(..) => self.mapping(at, value, depth),
            _ => Some(()),
        }
    }

    fn sequence(&mut self, at: &str, depth: usize) -> Option<()> {
        for index in 0.. {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                break;
            }
            self.node(event, span, &format!("{at}/{index}"), None, depth + 1)?;
        }
        Some(())
    }

    fn mapping(&mut self, at: &str, opened: (usize, usize), depth: usize) -> Option<()> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::MappingEnd => return Some(()),
                Event::Scalar(name, style, ..) => self.member(at, &name, style, span, depth)?,
                other => {
                    let value = self.complex_key(other, span, opened, depth)?;
                    self.node(value.0, value.1, UNREACHABLE, None, depth + 1)?;
                }
            }
        }
    }

    fn member(&mut self, at: &str, name: &str, style: ScalarStyle, span: Span, depth: usize) -> Option<()> {
        let inner = pointer(at, name);
        let first = self.places.get(&inner).and_then(|place| place.key);
        if let Some((line, _)) = first {
            let problem = self.located(start(span), format!("key `{name}` is given twice"));
            self.problems.push(problem.hinting(format!("it is given first in line {line}; keep one of them")));
        } else if name == "<<" && style == ScalarStyle::Plain {
            let problem = self.located(start(span), "merge keys (`<<`) are not understood");
            self.problems.push(problem.hinting("write the keys out, or use `extends`"));
        }
        let (event, value) = self.next()?;
        let inner = if first.is_some() { UNREACHABLE } else { inner.as_str() };
        self.node(event, value, inner, Some(span), depth + 1)
    }

    /// A key that is not a text: nearly always a template without quotes. Returns the value's first event.
    fn complex_key(
        &mut self,
        event: Event<'t>,
        span: Span,
        opened: (usize, usize),
        depth: usize,
    ) -> Option<(Event<'t>, Span)> {
        let is_template = line(self.text, opened.0).chars().skip(opened.1.saturating_sub(1)).take(2).eq("{{".chars());
        let problem = if is_template {
            self.located(opened, "a text that begins with `{{` must be quoted").hinting(QUOTE)
        } else {
            self.located(start(span), "a key must be a text")
        };
        self.problems.push(problem);
        self.node(event, span, UNREACHABLE, None, depth + 1)?;
        self.next()
    }

    /// What an alias repeats stands where its anchor stands.
    fn alias(&mut self, id: usize, at: &str) {
        let Some(anchor) = self.anchors.get(&id) else { return };
        let inside = format!("{anchor}/");
        let repeated: Vec<(String, Place)> = self
            .places
            .iter()
            .filter(|(known, _)| known.starts_with(&inside))
            .map(|(known, place)| (format!("{at}/{}", &known[inside.len()..]), *place))
            .collect();
        if self.places.len() + repeated.len() <= MOST_PLACES {
            self.places.extend(repeated);
        }
    }

    fn located(&self, at: (usize, usize), message: impl Into<String>) -> Problem {
        let mut problem = Problem::of_file(self.file, message);
        problem.spot = Some(spot(self.text, at));
        problem
    }

    fn problem(&mut self, at: (usize, usize), message: &str) {
        let problem = self.located(at, message);
        self.problems.push(problem);
    }
}

/// Numbers of YAML that would silently become nothing.
const NO_JSON: [&str; 4] = [".inf", "+.inf", "-.inf", ".nan"];

/// No JSON pointer: what stands there belongs to no value of the document.
const UNREACHABLE: &str = "unreachable";

const QUOTE: &str = "quote it: \"{{marker}}\"";

fn start(span: Span) -> (usize, usize) {
    place(&span.start)
}

fn place(marker: &Marker) -> (usize, usize) {
    (marker.line().max(1), marker.col() + 1)
}

fn line(text: &str, number: usize) -> &str {
    text.lines().nth(number.saturating_sub(1)).unwrap_or_default()
}

/// A value that begins with `{{` and has no quotes, in a line or the two before it.
fn unquoted_template(text: &str, number: usize) -> Option<(usize, usize)> {
    (number.saturating_sub(2).max(1)..=number).rev().find_map(|number| {
        let line = line(text, number);
        let byte = line
            .find(": {{")
            .map(|position| position + 2)
            .or_else(|| line.find("- {{").map(|position| position + 2))?;
        Some((number, line[..byte].chars().count() + 1))
    })
}
