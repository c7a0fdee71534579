//! Effects that are too many, that were named and never made, or that a refusal had: where the counts tell, and where they
//! leave it open.

use idemspec::contract::Requirement;

use super::charge::{Charge, Excluded};
use super::exercise::Bench;
use super::policy::{Break, Promise};

impl Bench<'_, '_> {
    /// More effects than the attempts can rightly have had.
    pub(super) fn surplus(&self) -> Vec<Charge> {
        if !self.is_surplus() {
            return self.doubtful_surplus();
        }
        let exercised = self.has_surplus();
        let about = exercised.clone().unwrap_or_else(|_| self.witness.group(self.attempt));
        let kinds = self.losses(&about);
        let single = self.charge_about(about.clone(), &[Requirement::ReplaySingleEffect], exercised.map(drop));
        let mut charges = vec![single.untrue_about(&self.action())];
        charges.extend(self.lost());
        charges.push(self.charge_about(about, &kinds, Err(Excluded::CountShared)));
        charges
    }

    /// An effect beside one of an execution that failed may be rightful, if the key was left free, and may not.
    fn doubtful_surplus(&self) -> Vec<Charge> {
        let mut made = self.truth.made.iter();
        if !made.any(|(attempt, key)| *attempt == self.attempt && key.is_some()) {
            return Vec::new();
        }
        // Even where the counts tell who had this effect, an earlier one may be anybody's.
        self.laid_at_the_door_of(self.witness.group(self.attempt))
    }

    fn laid_at_the_door_of(&self, about: Vec<usize>) -> Vec<Charge> {
        let mut wanted = self.losses(&about);
        wanted.push(Requirement::ReplaySingleEffect);
        vec![self.charge_about(about, &wanted, Err(Excluded::CountShared))]
    }

    /// Whether there really was an effect too many: two of one attempt, or one beside that of another success of the
    /// action. To a client that knows less than the server, a refusal belongs to the action whose key it had.
    fn is_surplus(&self) -> bool {
        let made = &self.truth.made;
        let mut own = made.iter().filter(|(attempt, _)| *attempt == self.attempt).map(|(_, key)| key);
        let Some(key) = own.next() else { return false };
        let mut others = made.iter().filter(|(attempt, _)| *attempt != self.attempt);
        match self.fired.what {
            Break::LeakyFailure => {
                let action = self.action();
                others.any(|(other, _)| action.contains(other) && !self.witness.is_refused(*other))
            }
            Break::Double => own.next().is_some(),
            _ => {
                let succeeded = |other: &usize| self.truth.answers.contains_key(other);
                key.is_some() && others.any(|(other, known)| known == key && succeeded(other))
            }
        }
    }

    /// The attempts at whose door the surplus lies.
    fn has_surplus(&self) -> Result<Vec<usize>, Excluded> {
        let witness = self.witness;
        let action = self.action();
        if witness.rise(self.attempt).is_some_and(|rise| rise > 1) {
            return Ok(action);
        }
        let repeatable = witness.policy.after_server_error == Promise::Repeatable;
        if repeatable && witness.group(self.attempt).iter().any(|other| witness.may_crash(*other)) {
            return Err(Excluded::Repeatable);
        }
        let listed = witness.listed(self.attempt);
        let mut named: Vec<&str> = action
            .iter()
            .filter(|other| witness.variant(**other) == witness.variant(self.attempt))
            .filter_map(|other| witness.named(*other))
            .filter(|name| listed.contains(name) && witness.is_named_first_for(name, self.attempt))
            .collect();
        named.sort_unstable();
        named.dedup();
        if named.len() > 1 {
            Ok(action)
        } else if listed.len() > witness.at_most(self.attempt) {
            Ok(witness.group(self.attempt))
        } else {
            Err(Excluded::CountShared)
        }
    }

    pub(super) fn phantom(&self) -> Vec<Charge> {
        let witness = self.witness;
        let action = self.action();
        let answer = self.truth.answers.get(&self.attempt).map(String::as_str);
        let told = action.iter().any(|other| witness.named(*other).is_some_and(|name| Some(name) == answer));
        if !told {
            return Vec::new();
        }
        let exercised = || {
            if !witness.is_confirmed(self.attempt) {
                return Err(Excluded::CountOpen);
            }
            let listed = witness.listed(self.attempt);
            let shown = action.iter().filter_map(|other| witness.named(*other)).any(|name| listed.contains(&name));
            if shown { Err(Excluded::CountShared) } else { Ok(()) }
        };
        // The effect is missed where an answer named it first, which may have been to another key.
        let names = |other: &usize| witness.named(*other).is_some_and(|name| Some(name) == answer);
        let namers = witness.group(self.attempt).into_iter().filter(names);
        let about = namers.flat_map(|namer| witness.action(namer)).chain(action.clone()).collect();
        let charge = self.charge_about(about, &[Requirement::ReplaySingleEffect], exercised());
        let mut charges = vec![charge.untrue_about(&action)];
        charges.extend(self.lost());
        charges
    }

    /// The effect of a refusal is one too many for its action, if anything else in that may have had one. Where the
    /// counts do not tell who had it, it may be laid at the door of all those that share them.
    pub(super) fn leaked_unseen(&self) -> Vec<Charge> {
        let attributed = self.witness.rise(self.attempt).is_some();
        self.laid_at_the_door_of(if attributed { self.action() } else { self.witness.group(self.attempt) })
    }

    pub(super) fn leaked(&self) -> Charge {
        let witness = self.witness;
        let harmless = |other: &usize| !witness.reached(*other) || witness.is_refused(*other);
        let group = witness.group(self.attempt);
        let all_refused = group.iter().all(harmless);
        let exercised = || {
            self.seen()?;
            if all_refused || witness.rise(self.attempt).is_some() { Ok(()) } else { Err(Excluded::CountShared) }
        };
        // Where nothing but refusals can have had the effect, each of them is suspected.
        let about = if all_refused { group.clone() } else { vec![self.attempt] };
        self.charge_about(about, &[Requirement::ReplayFailureEffect], exercised()).untrue_here(&[])
    }
}
