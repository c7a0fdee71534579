//! How long a key is kept, and how exactly that is said.

use super::{Fact, fact, relies_on_nothing, too_late};
use crate::comparison::compare::{KNOWN, MET};
use crate::comparison::line::{Consequence, Stated};
use crate::contract::{Anchor, Contract, Level, Period, Retention, Row};

pub(super) const FACTS: &[Fact] = &[
    fact("retention.precision", precision, less_exact),
    fact("retention.at_least", |contract| period(contract, |clause| clause.at_least), other_least),
    fact("retention.at_most", |contract| period(contract, |clause| clause.at_most), other_most),
    fact("retention.anchor", anchor, other_anchor),
];

fn level(contract: &Contract) -> Level {
    contract.retention.as_ref().and_then(|clause| clause.level).unwrap_or_default()
}

fn period(contract: &Contract, of: fn(&Retention) -> Option<Period>) -> Option<Stated> {
    let period = of(contract.retention.as_ref()?)?;
    Some(Stated::exact(period.to_string()).at(level(contract)))
}

/// What a contract says of its retention, and what not.
#[derive(Clone, Copy)]
struct Precision {
    least: Option<Period>,
    most: Option<Period>,
    anchor: bool,
    afterwards: bool,
}

impl Precision {
    fn of(contract: &Contract) -> Self {
        let clause = contract.retention.as_ref();
        Self {
            least: clause.and_then(|clause| clause.at_least),
            most: clause.and_then(|clause| clause.at_most),
            anchor: clause.is_some_and(|clause| clause.anchor.is_some()),
            afterwards: contract.promise(Row::Expired, "").is_some(),
        }
    }

    fn sentence(self) -> String {
        let time = match (self.least, self.most) {
            (None, None) => "no time",
            (Some(_), None) => "a least time, and no longest",
            (None, Some(_)) => "a longest time, and no least",
            (Some(least), Some(most)) if least == most => "one exact time",
            (Some(_), Some(_)) => "a least and a longest time",
        };
        let said = |is_said: bool| if is_said { "said" } else { "not said" };
        format!("{time}; from when: {}; what comes after: {}", said(self.anchor), said(self.afterwards))
    }

    /// What is left open that another contract says, and what a client then cannot know.
    fn lacks(self, other: Self) -> Vec<(&'static str, &'static str)> {
        let questions = [
            (other.least.is_some() && self.least.is_none(), "a least time", "until when a retry is safe"),
            (other.most.is_some() && self.most.is_none(), "a longest time", "when a key is free again"),
            (other.anchor && !self.anchor, "from when it counts", "how much of the time is left"),
            (other.afterwards && !self.afterwards, "what comes after it", "whether a late retry is carried out again"),
        ];
        questions.into_iter().filter(|(open, ..)| *open).map(|(_, what, unknown)| (what, unknown)).collect()
    }
}

fn precision(contract: &Contract) -> Option<Stated> {
    let precision = Precision::of(contract);
    let says = precision.least.is_some() || precision.most.is_some() || precision.anchor || precision.afterwards;
    says.then(|| Stated::exact(precision.sentence()))
}

fn less_exact(known: &Contract, met: &Contract) -> Consequence {
    let lacks = Precision::of(met).lacks(Precision::of(known));
    if lacks.is_empty() {
        return Consequence::nothing(format!("{MET} says no less exactly how long a key is kept"));
    }
    let (open, unknown): (Vec<&str>, Vec<&str>) = lacks.into_iter().unzip();
    Consequence::may_break(format!(
        "{MET} leaves open {}: a client that plans its retries by what {KNOWN} says cannot know {}",
        open.join(", "),
        unknown.join(", nor ")
    ))
}

fn other_least(known: &Contract, met: &Contract) -> Consequence {
    let least = |contract: &Contract| contract.retention.as_ref().and_then(|clause| clause.at_least);
    match (least(known), least(met)) {
        (Some(ours), Some(theirs)) if theirs < ours => Consequence::breaks(format!(
            "{MET} promises to keep a key for {theirs} only: a retry that comes later than that, and sooner than {ours}, {}",
            too_late(met)
        )),
        (Some(_), Some(_)) => Consequence::nothing(format!("{MET} keeps a key for longer")),
        (Some(ours), None) => Consequence::may_break(format!(
            "{MET} does not say how long it keeps a key at least; a client that retries for up to {ours} may find that a \
             retry {}",
            too_late(met)
        )),
        (None, _) => relies_on_nothing(),
    }
}

fn other_most(known: &Contract, met: &Contract) -> Consequence {
    let clause = |contract: &Contract| contract.retention.clone().unwrap_or_default();
    let (ours, theirs) = (clause(known), clause(met));
    match (ours.at_most, theirs.at_most) {
        (Some(most), None) => Consequence::may_break(format!(
            "{MET} does not say when it forgets a key; a client that uses one for a new action after {most} may find that it \
             gets the old result"
        )),
        (Some(most), Some(longer)) if longer > most => Consequence::may_break(format!(
            "{MET} may know a key for {longer}: one that is used for a new action after {most} may get the old result"
        )),
        (_, Some(most)) => match ours.at_least {
            Some(least) if least > most => Consequence::breaks(format!(
                "{MET} has forgotten a key after {most}: a retry that comes later than that, and sooner than {least}, {}",
                too_late(met)
            )),
            Some(_) => Consequence::nothing(format!("{KNOWN} does not promise to keep a key for longer than that")),
            None => Consequence::may_break(format!(
                "{KNOWN} does not say how long a retry may take; one that comes later than {most} {}",
                too_late(met)
            )),
        },
        (None, None) => relies_on_nothing(),
    }
}

fn moment(contract: &Contract) -> Option<Anchor> {
    contract.retention.as_ref()?.anchor
}

fn words(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::First => "the first use",
        Anchor::Completion => "the completion of the first request",
        Anchor::LastUse => "the last use",
        Anchor::ResourceEnd => "the end of the resource",
    }
}

fn anchor(contract: &Contract) -> Option<Stated> {
    moment(contract).map(|anchor| Stated::exact(format!("from {}", words(anchor))))
}

fn other_anchor(known: &Contract, met: &Contract) -> Consequence {
    use Anchor::{Completion, First, LastUse, ResourceEnd};
    match (moment(known), moment(met)) {
        (Some(ours @ (Completion | LastUse | ResourceEnd)), None) => Consequence::may_break(format!(
            "{MET} does not say from when it counts; a client that counts from {} may find that a key is forgotten sooner, and \
             that a late retry {}",
            words(ours),
            too_late(met)
        )),
        (Some(First), None) => Consequence::nothing("no time can begin before the first use of a key"),
        (Some(Completion), Some(First)) => Consequence::may_break(
            "the time begins with the first attempt and not with its end: as long as that takes, so much sooner is a key \
             forgotten",
        ),
        (Some(LastUse), Some(First | Completion)) => Consequence::breaks(format!(
            "using a key again does not prolong its time: a client that keeps one alive by that finds that a retry {}",
            too_late(met)
        )),
        (Some(ResourceEnd), Some(First | Completion | LastUse)) => Consequence::breaks(format!(
            "a key may be forgotten while what it made still exists: a late retry {}",
            too_late(met)
        )),
        (Some(First | Completion | LastUse) | None, Some(ResourceEnd)) => Consequence::may_break(format!(
            "the time of a key hangs on what it made: once that has gone, a retry {}",
            too_late(met)
        )),
        (Some(First | Completion) | None, Some(First | Completion | LastUse)) | (Some(LastUse), Some(LastUse)) => {
            Consequence::nothing("the time of a key begins no sooner")
        }
        (Some(ResourceEnd), Some(ResourceEnd)) | (None, None) => relies_on_nothing(),
    }
}
