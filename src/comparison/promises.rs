//! Promises, row by row: by parameter variant and by first answer where one of the contracts makes that difference.

use super::compare::{KNOWN, MET};
use super::line::{Agreement, Consequence, Harm, Line, Stated};
use super::refusal::{missed, unnoticed};
use super::rules::{self, Kind};
use crate::contract::{Case, Clause, Contract, Effects, Level, Matcher, Promise, Row, Treatment, VariantPromise};

/// What stands for the variants that a contract does not name.
const ANY_OTHER: &str = "any other";

/// What two contracts promise in a row, a line for each variant and each first answer that one of them tells apart.
pub(super) fn lines(row: Row, known: &Contract, met: &Contract) -> Vec<Line> {
    let mut lines = Vec::new();
    for (variant, ours, theirs) in by_variant(row, known, met) {
        for when in conditions(ours, theirs) {
            let side = |promise: Option<&Promise>, contract: &Contract| -> Option<Side> {
                let case = case(promise?, when)?;
                Some(Side { case: case.clone(), level: case.level.unwrap_or_else(|| contract.usual_level(row)) })
            };
            let line = line(row, side(ours, known), side(theirs, met));
            lines.push(Line { variant: variant.clone(), when: when.map(Matcher::to_string), ..line });
        }
    }
    lines
}

/// A part of a row: the names of the variants, and what either contract promises for them.
type Part<'c> = (Option<String>, Option<&'c Promise>, Option<&'c Promise>);

/// The parts of a row. Neighbours that both contracts treat alike are one.
fn by_variant<'c>(row: Row, known: &'c Contract, met: &'c Contract) -> Vec<Part<'c>> {
    let (ours, theirs) = (variants(row, known), variants(row, met));
    let mut names: Vec<&str> = Vec::new();
    for promise in [ours, theirs].into_iter().flatten() {
        if let VariantPromise::ByVariant(promises) = promise {
            names.extend(promises.keys().map(String::as_str));
        }
    }
    if names.is_empty() {
        return vec![(None, known.promise(row, ""), met.promise(row, ""))];
    }
    let mut seen: Vec<&str> = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name);
            true
        }
    });
    let covers_all = |promise: Option<&VariantPromise>| matches!(promise, Some(VariantPromise::Every(_)));
    if covers_all(ours) || covers_all(theirs) {
        names.push(ANY_OTHER);
    }
    let mut parts: Vec<Part<'c>> = Vec::new();
    for name in names {
        let (mine, yours) = (known.promise(row, name), met.promise(row, name));
        match parts.last_mut() {
            Some((Some(names), same, other)) if *same == mine && *other == yours => *names = format!("{names}, {name}"),
            _ => parts.push((Some(name.to_owned()), mine, yours)),
        }
    }
    parts
}

fn variants(row: Row, contract: &Contract) -> Option<&VariantPromise> {
    let conflict = contract.conflict.as_ref()?;
    match row {
        Row::ChangedParameters => conflict.changed_parameters.as_ref(),
        Row::EquivalentParameters => conflict.equivalent_parameters.as_ref(),
        _ => None,
    }
}

/// The first answers that one of the promises tells apart, and then every other one.
fn conditions<'c>(ours: Option<&'c Promise>, theirs: Option<&'c Promise>) -> Vec<Option<&'c Matcher>> {
    let cases = [ours, theirs].into_iter().flatten().flat_map(|promise| &promise.cases);
    let mut conditions: Vec<Option<&Matcher>> = Vec::new();
    for when in cases.clone().filter_map(|case| case.when.as_ref()) {
        if !conditions.contains(&Some(when)) {
            conditions.push(Some(when));
        }
    }
    if conditions.is_empty() || cases.into_iter().any(|case| case.when.is_none()) {
        conditions.push(None);
    }
    conditions
}

/// The case that counts after a first answer of this kind.
fn case<'p>(promise: &'p Promise, when: Option<&Matcher>) -> Option<&'p Case> {
    let own = promise.cases.iter().find(|case| case.when.as_ref() == when);
    own.or_else(|| promise.cases.iter().find(|case| case.when.is_none()))
}

/// A case of a promise, as it counts in one contract.
struct Side {
    case: Case,
    level: Level,
}

impl Side {
    fn stated(&self) -> Stated {
        let allowed: Vec<String> = self.case.allow.iter().map(Treatment::to_string).collect();
        let effects = match self.case.effects {
            Effects::Once => "",
            Effects::Repeatable => ", each execution with an effect of its own",
        };
        // In whatever order the treatments are named, any of them will do.
        let mut sorted = allowed.clone();
        sorted.sort();
        let text = format!("{}{effects}", allowed.join(", or "));
        Stated { text, compared: format!("{}{effects}", sorted.join(", or ")), level: self.level }
    }

    /// The kinds of treatments that are allowed, each once.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in self.case.allow.iter().map(Kind::from) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    fn refusals(&self) -> Vec<&Matcher> {
        let refusals = self.case.allow.iter().filter_map(|treatment| match treatment {
            Treatment::Rejects(matcher) => Some(matcher),
            Treatment::Executes | Treatment::Replays | Treatment::Refreshes => None,
        });
        refusals.collect()
    }
}

fn line(row: Row, known: Option<Side>, met: Option<Side>) -> Line {
    let (stated, other) = (known.as_ref().map(Side::stated), met.as_ref().map(Side::stated));
    let agreement = match (&stated, &other) {
        (Some(ours), Some(theirs)) if ours.says_the_same(theirs) && ours.level == theirs.level => Agreement::Same,
        (Some(_), Some(_)) => Agreement::Different,
        (None, _) | (_, None) => Agreement::Undeclared,
    };
    let consequences = match (&known, &met) {
        (Some(_), Some(_)) if agreement == Agreement::Same => Vec::new(),
        (Some(known), Some(met)) => of_difference(row, known, met),
        (Some(known), None) => vec![of_silence(row, known)],
        (None, Some(met)) => of_surprise(row, met),
        (None, None) => Vec::new(),
    };
    Line {
        clause: row.clause(),
        item: row.member().to_owned(),
        variant: None,
        when: None,
        known: stated,
        met: other,
        agreement,
        consequences,
    }
}

/// Both say something, and not the same.
fn of_difference(row: Row, known: &Side, met: &Side) -> Vec<Consequence> {
    let allowed = known.kinds();
    let unexpected: Vec<Kind> = met.kinds().into_iter().filter(|kind| !allowed.contains(kind)).collect();
    let certain = met.kinds().len() == 1 && met.level == Level::Must;
    let mut found: Vec<Consequence> = Vec::new();
    for kind in unexpected {
        let meets = worst(allowed.iter().filter_map(|relied| rules::consequence(row, Some(*relied), kind)));
        found.extend(meets.map(|consequence| if certain { consequence } else { possible(consequence) }));
    }
    found.extend(of_refusals(row, known, met));
    found.extend(of_effects(known, met));
    if found.is_empty() && met.level < known.level {
        found.push(of_a_weaker_word(row, known, met.level));
    }
    let mut found: Vec<Consequence> =
        found.into_iter().map(|consequence| consequence.relied_on_at(known.level)).collect();
    // One reason why nothing breaks is worth nothing beside something that does.
    if found.iter().any(|consequence| consequence.harm != Harm::Nothing) {
        found.retain(|consequence| consequence.harm != Harm::Nothing);
    }
    if found.is_empty() {
        found.push(Consequence::nothing(if met.level > known.level {
            format!("{MET} promises no less, and more firmly")
        } else {
            format!("{MET} does nothing here that {KNOWN} does not allow as well")
        }));
    }
    found
}

/// What is not certain, because something else is allowed as well, or because it is not binding.
fn possible(consequence: Consequence) -> Consequence {
    match consequence.harm {
        Harm::Nothing => consequence,
        Harm::MayBreak | Harm::Breaks => {
            Consequence { sentence: format!("it can be that {}", consequence.sentence), harm: consequence.harm }
        }
    }
}

fn worst(found: impl Iterator<Item = Consequence>) -> Option<Consequence> {
    // The first of the worst ones.
    found.reduce(|worst, next| if next.harm > worst.harm { next } else { worst })
}

/// The refusals that a client does not know which was built for others.
fn of_refusals(row: Row, known: &Side, met: &Side) -> Vec<Consequence> {
    let ours = known.refusals();
    if ours.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for refusal in met.refusals() {
        let missing = ours.iter().map(|ours| missed(ours, refusal)).min_by_key(Vec::len).unwrap_or_default();
        if !missing.is_empty() {
            found.push(Consequence::breaks(format!(
                "the refusal has {refusal}: a client that looks for {} takes it for another error, and {}",
                missing.join(" and "),
                unnoticed(row)
            )));
        }
    }
    found
}

fn of_effects(known: &Side, met: &Side) -> Option<Consequence> {
    match (known.case.effects, met.case.effects) {
        (Effects::Once, Effects::Repeatable) => {
            Some(Consequence::breaks("each execution may have an effect of its own: a retry may be done twice"))
        }
        (Effects::Once | Effects::Repeatable, Effects::Once) | (Effects::Repeatable, Effects::Repeatable) => None,
    }
}

/// The worst that a client may meet which it does not count on.
fn feared(row: Row, known: &Side) -> Option<Consequence> {
    let allowed = known.kinds();
    // What is more to be expected comes first: of two that are as bad, the first one counts.
    let order = match row.clause() {
        Clause::Key => [Kind::Executes, Kind::Rejects, Kind::Replays, Kind::Refreshes],
        Clause::Retention | Clause::Replay | Clause::Conflict | Clause::Scope => {
            [Kind::Executes, Kind::Replays, Kind::Rejects, Kind::Refreshes]
        }
    };
    let others = order.into_iter().filter(|kind| !allowed.contains(kind));
    let meets = others
        .filter_map(|kind| worst(allowed.iter().filter_map(|relied| rules::consequence(row, Some(*relied), kind))));
    worst(meets).filter(|consequence| consequence.harm != Harm::Nothing)
}

fn relied_on(known: &Side) -> String {
    known.kinds().into_iter().map(Kind::noun).collect::<Vec<_>>().join(" or ")
}

/// The same is promised, and less firmly.
fn of_a_weaker_word(row: Row, known: &Side, level: Level) -> Consequence {
    let word = format!("{MET} says so as a {level} only, and {KNOWN} as a {}", known.level);
    Consequence::may_break(match feared(row, known) {
        Some(feared) => {
            format!("{word}; a client that relies on {} may find that {}", relied_on(known), feared.sentence)
        }
        None => word,
    })
}

/// The known contract says something, and the met one nothing.
fn of_silence(row: Row, known: &Side) -> Consequence {
    match feared(row, known) {
        Some(feared) => Consequence::may_break(format!(
            "{MET} does not say; a client that relies on {} may find that {}",
            relied_on(known),
            feared.sentence
        )),
        None => Consequence::nothing(format!(
            "{MET} does not say, and whatever it does, {KNOWN} allows it or it does no harm"
        )),
    }
}

/// The known contract says nothing, and the met one something.
fn of_surprise(row: Row, met: &Side) -> Vec<Consequence> {
    let meets = || met.kinds().into_iter().filter_map(|kind| rules::consequence(row, None, kind));
    let harmful: Vec<Consequence> = meets()
        .filter(|consequence| consequence.harm != Harm::Nothing)
        .map(|consequence| {
            Consequence::may_break(format!(
                "{KNOWN} does not say; a client that was built for it may not expect that {}",
                consequence.sentence
            ))
        })
        .collect();
    if harmful.is_empty() { meets().take(1).collect() } else { harmful }
}
