//! What can be set: the options of `run`, and the profile.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

/// What the command line alone can say, because it is about one run, or is to be said each time.
const SAID_EACH_TIME: [&str; 9] =
    ["allow_production", "config", "defect", "help", "journal", "mock", "plan", "tls", "version"];

/// What kind of value a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `true` or `false`.
    Flag,
    /// How often a flag is given.
    Number,
    /// A value.
    One,
    /// A value, or a list.
    Many,
}

/// Something that can be set.
pub(super) struct Setting<'c> {
    /// Its name in a file.
    pub(super) name: String,
    /// The argument's name inside the program.
    pub(super) id: &'c str,
    /// The argument.
    pub(super) argument: &'c Arg,
    /// What it takes.
    pub(super) kind: Kind,
}

/// Everything that can be set. The command has been built.
pub(super) fn vocabulary(command: &Command) -> Vec<Setting<'_>> {
    let arguments = command.find_subcommand("run").into_iter().flat_map(Command::get_arguments);
    arguments.map(setting).filter(|setting| !SAID_EACH_TIME.contains(&setting.name.as_str())).collect()
}

fn setting(argument: &Arg) -> Setting<'_> {
    let kind = match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => Kind::Flag,
        ArgAction::Count => Kind::Number,
        ArgAction::Append => Kind::Many,
        _ => Kind::One,
    };
    Setting { name: name(argument), id: argument.get_id().as_str(), argument, kind }
}

/// `max_wait` for `--max-wait`, `profile` for `PROFILE`.
pub(super) fn name(argument: &Arg) -> String {
    let value = || argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let long = argument.get_long().map(str::to_owned).or_else(value);
    long.unwrap_or_else(|| argument.get_id().to_string()).replace('-', "_").to_lowercase()
}

impl Setting<'_> {
    /// Whether the argument takes such a value; if not, why.
    pub(super) fn check(&self, value: &str) -> Result<(), String> {
        let parser: ValueParser = match self.kind {
            Kind::Flag => clap::value_parser!(bool),
            Kind::Number => clap::value_parser!(u8).into(),
            Kind::One | Kind::Many => self.argument.get_value_parser().clone(),
        };
        let probe = Arg::new("value").long("value").action(ArgAction::Set).value_parser(parser);
        let command = Command::new("probe").no_binary_name(true).arg(probe);
        let Err(error) = command.try_get_matches_from([format!("--value={value}")]) else { return Ok(()) };
        let why = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        let possible: Vec<String> = self.possible().iter().map(|value| format!("`{value}`")).collect();
        let one_of =
            if possible.is_empty() { String::new() } else { format!(", expected one of: {}", possible.join(", ")) };
        Err(format!("`{value}` is no value for `{}`{why}{one_of}", self.name))
    }

    fn possible(&self) -> Vec<String> {
        match self.kind {
            Kind::Flag => vec!["true".into(), "false".into()],
            Kind::Number => Vec::new(),
            Kind::One | Kind::Many => {
                self.argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
            }
        }
    }

    /// A path in a file is meant from the file's folder on, as the file may be far above the working directory.
    pub(super) fn beside(&self, file: &Path, value: String) -> String {
        let is_path = self.argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let names_file =
            self.name == "profile" && (value.contains('/') || value.ends_with(".yaml") || value.ends_with(".yml"));
        match file.parent() {
            Some(folder) if is_path || names_file => folder.join(&value).to_string_lossy().into_owned(),
            Some(_) | None => value,
        }
    }

    /// The words of a command line that say it.
    pub(super) fn words(&self, value: &str) -> Vec<OsString> {
        match (self.argument.get_long(), self.kind) {
            (Some(long), Kind::Flag) if value == "true" => vec![format!("--{long}").into()],
            (Some(long), Kind::Number) => {
                vec![format!("--{long}").into(); value.parse().unwrap_or_default()]
            }
            (Some(long), Kind::One | Kind::Many) => vec![format!("--{long}={value}").into()],
            (None, _) => vec![value.into()],
            (Some(_), Kind::Flag) => Vec::new(),
        }
    }

    fn schema(&self) -> Value {
        let possible = self.possible();
        let one = match self.kind {
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Number => json!({"type": "integer", "minimum": 0}),
            Kind::One | Kind::Many if possible.is_empty() => json!({"type": ["string", "number"]}),
            Kind::One | Kind::Many => json!({"enum": possible}),
        };
        let mut schema = match self.kind {
            Kind::Many => json!({"anyOf": [one, {"type": "array", "items": one}]}),
            Kind::Flag | Kind::Number | Kind::One => one,
        };
        if let (Value::Object(members), Some(help)) = (&mut schema, self.argument.get_help()) {
            members.insert("description".into(), Value::from(help.to_string()));
        }
        schema
    }
}

/// The JSON Schema of a file of settings.
pub(super) fn schema(known: &[Setting<'_>]) -> schemars::Schema {
    let properties: Map<String, Value> = known.iter().map(|setting| (setting.name.clone(), setting.schema())).collect();
    schemars::json_schema!({
        "type": "object",
        "description": "What `idemspec run`, `resume`, `judge` and `report` are told where the command line and the environment say nothing.",
        "properties": properties,
        "additionalProperties": false
    })
}
