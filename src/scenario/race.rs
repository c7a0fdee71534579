//! The step `race`: attempts that meet at the server.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Moment;

/// Fewer copies are no race.
const FEWEST_COPIES: usize = 2;
/// More copies are no longer a race, but a load test.
const MOST_COPIES: usize = 200;

/// Sends several attempts of one action that meet at the server, in one round or in several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// The action that is meant. Every further round has an action of its own: `order 2`, `order 3`, ….
    pub intent: String,
    /// How many copies there are, or a list of them.
    pub copies: Copies,
    /// The parameter variant of the copies that name none; `base` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// How many rounds there are; one where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: Option<u32>,
    /// The race is passed over where the profile does not offer the parameters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub if_offered: bool,
}

/// The copies of a race: a number of equal ones (`20`), or a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Copies(Vec<RaceCopy>);

/// One copy of a race.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaceCopy {
    /// When it is sent after the first release, as a part or a multiple of the latency that was learned (of the slow
    /// variant, if the race sends that, and else of an ordinary request); or `answered`: as soon as the answer to
    /// the first copy has been read, over a connection that stands by then. At once where it is not given.
    #[serde(default)]
    #[schemars(with = "Option<Moment>")]
    pub at: Moment,
    /// Another parameter variant than the race's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// Another action than the race's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
}

impl Race {
    /// The copies, each with everything that it takes from the race.
    pub fn copies(&self) -> impl Iterator<Item = RaceCopy> + '_ {
        self.copies.0.iter().map(|copy| RaceCopy {
            at: copy.at,
            parameters: copy.parameters.clone().or_else(|| self.parameters.clone()),
            intent: Some(copy.intent.clone().unwrap_or_else(|| self.intent.clone())),
        })
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(1)
    }

    /// The actions of a round, in the order of their first copies.
    pub fn intents(&self, round: u32) -> Vec<String> {
        let mut intents = Vec::new();
        for name in self.copies().map(|copy| copy.intent_in(round)) {
            if !intents.contains(&name) {
                intents.push(name);
            }
        }
        intents
    }
}

impl Copies {
    /// The copies as they are written.
    pub fn written(&self) -> &[RaceCopy] {
        &self.0
    }
}

impl RaceCopy {
    /// The action that this copy means in a round, from 1. The first round has the name itself.
    pub fn intent_in(&self, round: u32) -> String {
        let name = self.intent.as_deref().unwrap_or_default();
        if round <= 1 { name.to_owned() } else { format!("{name} {round}") }
    }
}

impl<'de> Deserialize<'de> for Copies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CopiesVisitor)
    }
}

struct CopiesVisitor;

impl<'de> Visitor<'de> for CopiesVisitor {
    type Value = Copies;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number of copies such as `20`, or a list of copies such as `{at: 50%}`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Copies, E> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        within_bounds(number)?;
        Ok(Copies(vec![RaceCopy::default(); number]))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Copies, E> {
        self.visit_u64(u64::try_from(number).unwrap_or_default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Copies, A::Error> {
        let mut copies = Vec::new();
        while let Some(copy) = list.next_element::<RaceCopy>()? {
            copies.push(copy);
        }
        within_bounds(copies.len())?;
        Ok(Copies(copies))
    }
}

fn within_bounds<E: Error>(number: usize) -> Result<(), E> {
    if (FEWEST_COPIES..=MOST_COPIES).contains(&number) {
        return Ok(());
    }
    Err(E::custom(format!("a race has {FEWEST_COPIES} to {MOST_COPIES} copies, and this one {number}")))
}

impl JsonSchema for Copies {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Copies".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<RaceCopy>();
        schemars::json_schema!({
            "description": format!(
                "A number of copies such as `20`, or a list of copies such as `{{at: 50%}}`: {FEWEST_COPIES} to {MOST_COPIES}."
            ),
            "anyOf": [
                {"type": "integer", "minimum": FEWEST_COPIES, "maximum": MOST_COPIES},
                {"type": "array", "items": one, "minItems": FEWEST_COPIES, "maxItems": MOST_COPIES}
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Moment, Race, Step, parse};

    fn scenario(race: &str) -> String {
        format!("scenario: mine\ntitle: Mine\nsteps:\n  - race: {race}\n")
    }

    fn race(written: &str) -> Race {
        match parse("mine.yaml", &scenario(written)).unwrap().cases.remove(0).steps.remove(0) {
            Step::Race(race) => race,
            other => panic!("{other:?}"),
        }
    }

    fn problems(written: &str) -> String {
        parse("mine.yaml", &scenario(written)).unwrap_err().to_string()
    }

    #[test]
    fn a_number_stands_for_so_many_equal_copies_at_once() {
        let race = race("{intent: order, copies: 3, parameters: slow, rounds: 2}");
        let copies: Vec<_> = race.copies().collect();
        assert_eq!(copies.len(), 3);
        assert!(copies.iter().all(|copy| copy.at == Moment::default() && copy.parameters.as_deref() == Some("slow")));
        assert_eq!(
            (race.rounds(), race.intents(1), race.intents(2)),
            (2, vec!["order".into()], vec!["order 2".into()])
        );
    }

    #[test]
    fn a_copy_may_differ_from_its_race() {
        let written = "{intent: a, copies: [{at: 0%}, {at: 50%, parameters: changed}, {intent: b}], parameters: slow}";
        let race = race(written);
        let copies: Vec<_> =
            race.copies().map(|copy| (copy.at.to_string(), copy.parameters.unwrap(), copy.intent.unwrap())).collect();
        let expected = [("0%", "slow", "a"), ("50%", "changed", "a"), ("0%", "slow", "b")];
        assert_eq!(
            copies,
            expected.map(|(at, parameters, intent)| (at.to_owned(), parameters.to_owned(), intent.to_owned()))
        );
        assert_eq!(race.intents(3), ["a 3", "b 3"]);
    }

    #[test]
    fn mistakes_are_located_and_say_what_is_expected() {
        let catalogue = [
            ("{intent: a, copies: 1}", 31, "2 to 200"),
            ("{intent: a, copies: [{at: 0%}]}", 31, "2 to 200"),
            ("{intent: a, copies: many}", 31, "expected a whole number, or a list"),
            ("{intent: a, copies: [{at: 10%}, {at: 20%}]}", 31, "no copy is sent at `0%`"),
            ("{intent: a, copies: [{at: 0%}, {at: 450%}]}", 47, "from 0% to 400%"),
            ("{intent: a, copies: 2, rounds: 0}", 42, "rounds"),
            ("{intent: a, copies: 2, round: 2}", 34, "did you mean `rounds`?"),
        ];
        for (written, column, says) in catalogue {
            let found = problems(written);
            assert!(found.starts_with(&format!("mine.yaml:4:{column}:")) && found.contains(says), "{found}");
        }
    }

    #[test]
    fn later_steps_may_name_the_actions_of_later_rounds() {
        let text = format!(
            "{}  - hook: {{name: change, intent: order 2}}\n",
            scenario("{intent: order, copies: 2, rounds: 2}")
        );
        assert!(parse("mine.yaml", &text).is_ok(), "{:?}", parse("mine.yaml", &text));
        assert!(parse("mine.yaml", &text.replace("order 2", "order 3")).is_err());
    }
}
