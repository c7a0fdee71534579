//! How much of the first answer comes again, and what tells that it does.

use super::{Fact, fact, relies_on_nothing, too_late};
use crate::comparison::compare::{KNOWN, MET};
use crate::comparison::line::{Consequence, Stated};
use crate::comparison::refusal::{missed, within};
use crate::contract::{BodyFidelity, Contract, Fidelity, FirstAnswer, Level, Marker, Period, StatusFidelity};
use crate::message::ContentPath;

pub(super) const FACTS: &[Fact] = &[
    fact("replay.settle", settle, other_settle),
    fact("replay.fidelity.status", |contract| of_fidelity(contract, status), other_status),
    fact("replay.fidelity.body", |contract| of_fidelity(contract, body), other_body),
    fact("replay.fidelity.volatile", |contract| of_fidelity(contract, volatile), other_volatile),
    fact("replay.fidelity.headers", |contract| of_fidelity(contract, headers), other_headers),
    fact("replay.fidelity.fresh", |contract| of_fidelity(contract, fresh), other_fresh),
    fact("replay.marker", marker, other_marker),
    fact("replay.marker.first_answer", first_answer, other_first_answer),
    fact("replay.not_executed", not_executed, other_sign),
    fact("replay.client_waits", client_waits, other_wait),
    fact("replay.client_retries_for", client_retries_for, other_horizon),
];

fn level(contract: &Contract) -> Level {
    contract.replay.as_ref().and_then(|clause| clause.level).unwrap_or_default()
}

fn settles(contract: &Contract) -> Option<Period> {
    contract.replay.as_ref()?.settle
}

fn settle(contract: &Contract) -> Option<Stated> {
    settles(contract).map(|period| Stated::exact(period.to_string()).at(level(contract)))
}

fn other_settle(known: &Contract, met: &Contract) -> Consequence {
    match (settles(known), settles(met)) {
        (Some(ours), Some(theirs)) if theirs > ours => Consequence::may_break(format!(
            "for {theirs} after a request is over, a retry may still be told that it runs: the client has to ask again"
        )),
        (Some(_), Some(_)) => Consequence::nothing(format!("{MET} knows sooner that a request is over")),
        (Some(_), None) => Consequence::may_break(format!(
            "{MET} does not say how soon it knows that a request is over; a client that asks right after it may be told that \
             it still runs"
        )),
        (None, Some(theirs)) => Consequence::may_break(format!(
            "{KNOWN} does not say; a client that was built for it may not expect to be told for {theirs} that a request runs \
             which is over"
        )),
        (None, None) => relies_on_nothing(),
    }
}

fn fidelity(contract: &Contract) -> Option<&Fidelity> {
    contract.fidelity().map(|(fidelity, ..)| fidelity)
}

fn of_fidelity(contract: &Contract, says: fn(&Fidelity) -> Option<Stated>) -> Option<Stated> {
    let (fidelity, level, _) = contract.fidelity()?;
    says(fidelity).map(|stated| stated.at(level))
}

fn status(fidelity: &Fidelity) -> Option<Stated> {
    Some(Stated::exact(match &fidelity.status {
        StatusFidelity::Same => "the same status".to_owned(),
        StatusFidelity::OneOf(set) => format!("status {set}"),
    }))
}

fn other_status(known: &Contract, met: &Contract) -> Consequence {
    let status = |contract| fidelity(contract).map(|fidelity: &Fidelity| &fidelity.status);
    match (status(known), status(met)) {
        (Some(StatusFidelity::Same), Some(StatusFidelity::OneOf(set))) => Consequence::breaks(format!(
            "a repeat is answered with {set}, whatever the first answer had: a client that waits for that very status takes \
             the repeat for something else"
        )),
        (Some(StatusFidelity::OneOf(ours)), Some(StatusFidelity::OneOf(theirs))) if !within(theirs, ours) => {
            Consequence::breaks(format!(
                "a repeat is answered with {theirs}: a client that knows repeats by {ours} takes it for something else"
            ))
        }
        (Some(StatusFidelity::OneOf(ours)), Some(StatusFidelity::Same)) => Consequence::may_break(format!(
            "a repeat has the status of the first answer: a client that knows repeats by {ours} takes it for a first answer"
        )),
        (Some(StatusFidelity::Same), None) => Consequence::may_break(format!(
            "{MET} does not say; a client that waits for the status of the first answer may find another one on a repeat"
        )),
        (Some(StatusFidelity::OneOf(ours)), None) => Consequence::may_break(format!(
            "{MET} does not say; a client that knows repeats by {ours} may find another status"
        )),
        (Some(_), Some(_)) => Consequence::nothing("the status of a repeat is one that the client knows"),
        (None, _) => relies_on_nothing(),
    }
}

fn body(fidelity: &Fidelity) -> Option<Stated> {
    Some(Stated::exact(match fidelity.body {
        BodyFidelity::Bytes => "the same bytes",
        BodyFidelity::Json => "the same JSON",
        BodyFidelity::Xml => "the same XML",
        BodyFidelity::Identity => "the same identity",
    }))
}

fn other_body(known: &Contract, met: &Contract) -> Consequence {
    let body = |contract| fidelity(contract).map(|fidelity: &Fidelity| fidelity.body);
    match (body(known), body(met)) {
        (Some(BodyFidelity::Bytes), Some(BodyFidelity::Json | BodyFidelity::Xml)) => Consequence::breaks(
            "a repeat says the same in other bytes: a client that compares contents, or checks a signature over them, takes it \
             for another answer",
        ),
        (Some(BodyFidelity::Bytes | BodyFidelity::Json | BodyFidelity::Xml), Some(BodyFidelity::Identity)) => {
            Consequence::breaks(
                "a repeat has the same identity and no more: a client that reads anything else from it need not find what the \
                 first answer said",
            )
        }
        (Some(BodyFidelity::Json), Some(BodyFidelity::Xml)) | (Some(BodyFidelity::Xml), Some(BodyFidelity::Json)) => {
            Consequence::breaks("answers have another form: the client cannot read them")
        }
        (Some(_), None) => Consequence::may_break(format!(
            "{MET} does not say how much of the first answer comes again; a client that reads a repeat may find that it says \
             something else"
        )),
        (Some(_), Some(_)) => Consequence::nothing("a repeat returns no less of the first answer"),
        (None, _) => relies_on_nothing(),
    }
}

/// The words of one list that are not in another, whatever their case.
fn beyond(list: &[String], other: &[String]) -> Vec<String> {
    let is_new = |name: &&String| !other.iter().any(|other| other.eq_ignore_ascii_case(name));
    list.iter().filter(is_new).cloned().collect()
}

fn listed(mut names: Vec<String>) -> Option<Stated> {
    names.sort();
    (!names.is_empty()).then(|| Stated::without_case(names.join(", ")))
}

fn paths(fidelity: &Fidelity) -> Vec<String> {
    let path = |path: &ContentPath| match path {
        ContentPath::Json(path) => path.to_string(),
        ContentPath::Xml(path) => path.to_string(),
    };
    fidelity.volatile.iter().map(path).collect()
}

fn volatile(fidelity: &Fidelity) -> Option<Stated> {
    let mut paths = paths(fidelity);
    paths.sort();
    (!paths.is_empty()).then(|| Stated::exact(format!("all but {}", paths.join(", "))))
}

fn other_volatile(known: &Contract, met: &Contract) -> Consequence {
    let paths = |contract| fidelity(contract).map(paths).unwrap_or_default();
    let (ours, theirs) = (paths(known), paths(met));
    let more: Vec<String> = theirs.into_iter().filter(|path| !ours.contains(path)).collect();
    if more.is_empty() {
        return Consequence::nothing(format!(
            "{MET} leaves nothing open in a repeat that {KNOWN} does not leave open as well"
        ));
    }
    Consequence::may_break(format!(
        "{} may have another value in a repeat than in the first answer",
        more.join(" and ")
    ))
}

fn headers(fidelity: &Fidelity) -> Option<Stated> {
    listed(fidelity.headers.clone())
}

fn other_headers(known: &Contract, met: &Contract) -> Consequence {
    let names = |contract| fidelity(contract).map(|fidelity: &Fidelity| fidelity.headers.clone()).unwrap_or_default();
    let missing = beyond(&names(known), &names(met));
    if missing.is_empty() {
        return Consequence::nothing("every header field that the client can rely on is repeated");
    }
    Consequence::may_break(format!(
        "{MET} does not say that a repeat has the first answer's {}; a client that reads it from there may not find it",
        missing.join(" and ")
    ))
}

fn fresh(fidelity: &Fidelity) -> Option<Stated> {
    listed(fidelity.fresh.clone())
}

fn other_fresh(known: &Contract, met: &Contract) -> Consequence {
    let names = |contract| fidelity(contract).map(|fidelity: &Fidelity| fidelity.fresh.clone()).unwrap_or_default();
    let missing = beyond(&names(known), &names(met));
    if missing.is_empty() {
        return Consequence::nothing("a header field that is made anew is as good as the first one");
    }
    Consequence::may_break(format!(
        "{MET} does not say that {} is made anew; a client may find the first answer's value again, and use it twice",
        missing.join(" and ")
    ))
}

fn marker(contract: &Contract) -> Option<Stated> {
    let (marker, level, _) = contract.marker()?;
    Some(Stated::without_case(shown(marker)).at(level))
}

fn shown(marker: &Marker) -> String {
    match marker.value(Some("the key")) {
        Some(value) => format!("header {}: {value}", marker.header),
        None => format!("header {}", marker.header),
    }
}

fn other_marker(known: &Contract, met: &Contract) -> Consequence {
    let Some((ours, ..)) = known.marker() else {
        return relies_on_nothing();
    };
    let loss = match ours.first_answer {
        FirstAnswer::Without => "takes every repeat for a first answer",
        FirstAnswer::With | FirstAnswer::Either => "cannot tell that its key is looked after",
    };
    match met.marker() {
        Some((theirs, ..)) if theirs.header.eq_ignore_ascii_case(&ours.header) && ours.equals.is_none() => {
            Consequence::nothing(format!("the client looks for header {} with any value", ours.header))
        }
        Some((theirs, ..)) => Consequence::breaks(format!(
            "{MET} marks by {}: a client that looks for {} {loss}",
            shown(theirs),
            shown(ours)
        )),
        None => Consequence::may_break(format!(
            "{MET} does not say that anything marks a repeat; a client that looks for {} may find that it {loss}",
            shown(ours)
        )),
    }
}

fn first_answer(contract: &Contract) -> Option<Stated> {
    let (marker, level, _) = contract.marker()?;
    let text = match marker.first_answer {
        FirstAnswer::Without => "not on a first answer",
        FirstAnswer::With => "on a first answer as well",
        FirstAnswer::Either => "perhaps on a first answer as well",
    };
    Some(Stated::exact(text).at(level))
}

fn other_first_answer(known: &Contract, met: &Contract) -> Consequence {
    let stands = |contract: &Contract| contract.marker().map(|(marker, ..)| marker.first_answer);
    match (stands(known), stands(met)) {
        (Some(FirstAnswer::Without), Some(FirstAnswer::With)) => Consequence::breaks(
            "the marker stands on every answer: a client that tells repeats by it takes its own first answers for repeats",
        ),
        (Some(FirstAnswer::Without), Some(FirstAnswer::Either)) => Consequence::may_break(
            "the marker may stand on first answers too: a client that tells repeats by it may take a first answer for one",
        ),
        (Some(FirstAnswer::With), Some(FirstAnswer::Without | FirstAnswer::Either)) => Consequence::breaks(
            "a first answer need not be marked: a client that knows by the marker that its key is looked after finds it missing",
        ),
        (Some(FirstAnswer::Either), Some(_)) => {
            Consequence::nothing("the client cannot rely on where the marker stands")
        }
        (Some(FirstAnswer::Without), None) => Consequence::may_break(format!(
            "{MET} does not say that anything marks a repeat; a client may not be able to tell one from a first answer"
        )),
        (Some(FirstAnswer::With | FirstAnswer::Either), None) => Consequence::may_break(format!(
            "{MET} does not say that anything marks an answer; a client may not be able to tell whether its key is looked after"
        )),
        (Some(_), Some(_)) | (None, _) => relies_on_nothing(),
    }
}

fn not_executed(contract: &Contract) -> Option<Stated> {
    contract.not_executed().map(|(matcher, level, _)| Stated::exact(matcher.to_string()).at(level))
}

fn other_sign(known: &Contract, met: &Contract) -> Consequence {
    let sign = |contract| Contract::not_executed(contract).map(|(matcher, ..)| matcher);
    match (sign(known), sign(met)) {
        (Some(ours), Some(theirs)) if missed(ours, theirs).is_empty() => {
            Consequence::nothing("what says that a request was not executed is known to the client")
        }
        (Some(ours), Some(theirs)) => Consequence::breaks(format!(
            "{MET} says by {theirs} that a request was not executed: a client that looks for {ours} has to take its errors for \
             unclear"
        )),
        (Some(ours), None) => Consequence::may_break(format!(
            "{MET} does not say that anything tells so; a client that looks for {ours} may find no error that says that \
             nothing was done"
        )),
        (None, _) => relies_on_nothing(),
    }
}

fn waits(contract: &Contract) -> Option<Period> {
    contract.replay.as_ref()?.client_waits
}

fn client_waits(contract: &Contract) -> Option<Stated> {
    waits(contract).map(|period| Stated::exact(format!("{period} before a repeat")))
}

fn other_wait(known: &Contract, met: &Contract) -> Consequence {
    match (waits(known), waits(met)) {
        (Some(ours), Some(theirs)) if theirs <= ours => {
            Consequence::nothing(format!("the client waits for longer than {MET} asks for"))
        }
        (_, Some(theirs)) => Consequence::breaks(format!(
            "a repeat that comes sooner than {theirs} after the last attempt is promised nothing: it may be done twice"
        )),
        (_, None) => Consequence::nothing(format!("{MET} does not ask a client to wait")),
    }
}

fn client_retries_for(contract: &Contract) -> Option<Stated> {
    contract.client_retries_for().map(|period| Stated::exact(period.to_string()))
}

/// A client goes on for as long as it was built to, whatever the API that it meets expects.
fn other_horizon(known: &Contract, met: &Contract) -> Consequence {
    let kept = met.retention.as_ref().and_then(|clause| clause.at_least);
    match (known.client_retries_for(), met.client_retries_for(), kept) {
        (Some(ours), _, Some(kept)) if ours > kept => Consequence::breaks(format!(
            "a client goes on for {ours}, and {MET} promises to keep a key for {kept} only: a retry that comes later than that {}",
            too_late(met)
        )),
        (Some(ours), _, Some(_)) => {
            Consequence::nothing(format!("{MET} keeps a key for as long as a client goes on, {ours}"))
        }
        (Some(ours), _, None) => Consequence::may_break(format!(
            "{MET} does not say how long it keeps a key at least; a client that goes on for {ours} may find that a late retry {}",
            too_late(met)
        )),
        (None, Some(theirs), _) => Consequence::may_break(format!(
            "{MET} counts on clients that give up after {theirs}, and one that was built for {KNOWN} may go on for longer"
        )),
        (None, None, _) => relies_on_nothing(),
    }
}
