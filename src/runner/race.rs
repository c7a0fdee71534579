//! The step `race`: attempts that meet at the server, in rounds, each with actions of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use super::case::{CaseRun, Stop};
use crate::contract::Reason;
use crate::history::{AttemptId, AttemptStart, EventKind, Intent, Race as RaceRecord};
use crate::message::Request;
use crate::plan::SLOW;
use crate::scenario::{Moment, Percent, Race, Send};
use crate::wire::{self, NoHttp2, RaceCopy, Start};

/// A copy that is about to be sent.
struct Entrant {
    intent: Intent,
    send: Send,
    start: AttemptStart,
    request: Request,
    begins: Start,
}

impl CaseRun<'_> {
    /// Runs all rounds of a race, and counts after each of them.
    pub(super) async fn race(&mut self, race: &Race) -> Result<(), Stop> {
        for round in 1..=race.rounds() {
            self.race_until_whole(race, round).await?;
            for name in race.intents(round) {
                self.count_intent(&name).await?;
            }
        }
        Ok(())
    }

    /// Whether a race is not possible with this profile, and says that this is no loss.
    pub(super) fn passes_over_race(&self, race: &Race) -> bool {
        let offered = |name: &Option<String>| name.as_deref().is_none_or(|name| self.context.bound.has_variant(name));
        race.if_offered && !race.copies().all(|copy| offered(&copy.parameters))
    }

    /// One round; where an earlier process ran it, what came of it. One that was cut short says nothing, as nobody knows
    /// what met what: it is void, and run again with fresh actions.
    async fn race_until_whole(&mut self, race: &Race, round: u32) -> Result<(), Stop> {
        loop {
            let names = race.intents(round);
            let all_fresh = names.iter().all(|name| !self.intents.contains_key(name));
            for name in &names {
                self.intent(name, None).await?;
            }
            if self.past.is_over() {
                return self.race_once(race, round).await;
            }
            if self.past.race_is_whole() {
                return self.take_round(&names);
            }
            // What came before the race is needed for it, and would be missing from a race with fresh actions.
            if !all_fresh {
                return Err(Stop::Restart);
            }
            self.take_copies(&names);
            for name in &names {
                self.void(name)?;
            }
        }
    }

    /// Takes a round that was run.
    fn take_round(&mut self, names: &[String]) -> Result<(), Stop> {
        self.take_copies(names);
        if self.past.take_race() { Ok(()) } else { Err(Stop::Restart) }
    }

    /// Takes the copies of a round that were begun, each with its end if it has one.
    fn take_copies(&mut self, names: &[String]) {
        let intents: Vec<Intent> = names.iter().filter_map(|name| self.intents.get(name).cloned()).collect();
        let mut begun = BTreeMap::new();
        while let Some((start, intent)) = self.take_copy(&intents) {
            self.note_start(&intent.name, start.id);
            begun.insert(start.id, intent);
        }
        while let Some(end) = self.past.take_end() {
            if let Some(intent) = begun.get(&end.id) {
                self.note_end(intent, &end);
            }
        }
    }

    fn take_copy(&mut self, intents: &[Intent]) -> Option<(AttemptStart, Intent)> {
        intents.iter().find_map(|intent| self.past.take_start(intent.id).map(|(start, _)| (start, intent.clone())))
    }

    /// One round: every copy is on disk before the first of them has a byte on the wire.
    async fn race_once(&mut self, race: &Race, round: u32) -> Result<(), Stop> {
        self.check_interrupt()?;
        self.context.pace.take_attempts(race.copies().count() as u64)?;
        self.turn(u32::try_from(race.copies().count()).unwrap_or(u32::MAX)).await?;
        let token = self.token(&Send::default()).await?;
        let entrants = self.entrants(race, round).await?;
        self.announce(&entrants).await?;
        let copies: Vec<RaceCopy<'_>> =
            entrants.iter().map(|entrant| RaceCopy { request: &entrant.request, start: entrant.begins }).collect();
        let options = self.options(&Send::default());
        let raced = wire::race(&self.context.connector, &copies, self.context.synchronisation, &options).await;
        let (raced, records) = match raced {
            Ok(mut raced) => {
                let records = std::mem::take(&mut raced.copies);
                (Some(raced), records)
            }
            Err(NoHttp2 { copies }) => (None, copies),
        };
        for (entrant, attempted) in entrants.iter().zip(records) {
            let token = token.filter(|_| self.shows_token(&entrant.send));
            self.conclude(&entrant.intent, entrant.start.id, &entrant.send, attempted, token).await?;
        }
        let Some(raced) = raced else { return Err(Stop::Because(Reason::NoHttp2)) };
        let attempts: Vec<AttemptId> = entrants.iter().map(|entrant| entrant.start.id).collect();
        let record =
            RaceRecord { attempts, overlapped: raced.overlapped, release: raced.release, spread: raced.spread };
        self.context.recorder.record(Some(&self.case.id), EventKind::Raced(record))?;
        Ok(())
    }

    async fn entrants(&mut self, race: &Race, round: u32) -> Result<Vec<Entrant>, Stop> {
        let latency = self.latency_of(race);
        let mut entrants = Vec::new();
        for copy in race.copies() {
            let name = copy.intent_in(round);
            let begins = begins(copy.at, latency);
            let intent = self.intent(&name, None).await?;
            let send = Send { intent: name, parameters: copy.parameters, ..Send::default() };
            let (start, request) = self.prepare(&intent, &send)?;
            entrants.push(Entrant { intent, send, start, request, begins });
        }
        Ok(entrants)
    }

    async fn announce(&self, entrants: &[Entrant]) -> Result<(), Stop> {
        let started = |entrant: &Entrant| EventKind::AttemptStarted(entrant.start.clone());
        let Some((last, others)) = entrants.split_last() else { return Ok(()) };
        for entrant in others {
            self.context.recorder.record(Some(&self.case.id), started(entrant))?;
        }
        // Syncing the last syncs everything before it.
        Ok(self.context.recorder.record_synced(Some(&self.case.id), started(last)).await?)
    }

    /// The latency of which the delays of a race are parts.
    fn latency_of(&self, race: &Race) -> Duration {
        let is_slow = race.copies().any(|copy| copy.parameters.as_deref() == Some(SLOW));
        self.calibration.slow_latency.filter(|_| is_slow).unwrap_or(self.calibration.latency)
    }
}

/// Copies that are sent later than this may well find the first request answered: the learned latency is no promise.
const MEETS_WITHIN: Percent = Percent(80);

/// When a copy is sent on the wire.
fn begins(moment: Moment, latency: Duration) -> Start {
    match moment {
        Moment::Answered => Start::Answered,
        Moment::After(part) if part > MEETS_WITHIN => Start::Late(part.of(latency)),
        Moment::After(_) if moment.is_at_once() => Start::Together,
        Moment::After(part) => Start::After(part.of(latency)),
    }
}
