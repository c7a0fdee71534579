//! Settings: what is given on the command line, else what the environment says, else what a file says.
//!
//! The options of `idemspec run` are the vocabulary: `--max-wait` is `IDEMSPEC_MAX_WAIT` in the environment and `max_wait` in
//! [`FILE`], which is looked for from the working directory upwards. Both become options that stand behind those of the
//! command line, so that they are parsed, checked and refused like any other.

mod vocabulary;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser as _};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::vocabulary::{Kind, Setting, vocabulary};
use crate::cli::Arguments;
use crate::document::{self, At, Form, Located, Problem, Problems, pointer};

/// The name of the file.
pub const FILE: &str = "idemspec.yaml";

/// How the names of variables begin.
const PREFIX: &str = "IDEMSPEC_";

/// The commands that settings are for.
const COMMANDS: [&str; 4] = ["run", "resume", "judge", "report"];

/// Why there are no arguments.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The command line is wrong, or it asks for help.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// The file or a variable is wrong.
    #[error("the settings are wrong\n{0}")]
    Settings(#[from] Problems),
    /// The working directory cannot be read.
    #[error("the working directory cannot be read: {0}")]
    Folder(#[from] std::io::Error),
}

/// The settings in a file, by name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct SettingsDocument(IndexMap<String, Value>);

impl JsonSchema for SettingsDocument {
    fn schema_name() -> Cow<'static, str> {
        "Settings".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut command = Arguments::command();
        command.build();
        vocabulary::schema(&vocabulary(&command))
    }
}

/// The arguments of this process, with its settings.
///
/// # Errors
/// When the command line, the file or a variable is wrong, or help was asked for.
pub fn arguments() -> Result<Arguments, SettingsError> {
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    resolved(std::env::args_os().collect(), &environment, &std::env::current_dir()?)
}

/// The arguments that a command line, an environment and the files above a folder come to.
///
/// # Errors
/// As [`arguments`].
pub fn resolved(
    mut words: Vec<OsString>,
    environment: &dyn Fn(&str) -> Option<String>,
    folder: &Path,
) -> Result<Arguments, SettingsError> {
    let mut command = Arguments::command();
    command.build();
    let matches = command.try_get_matches_from_mut(&words)?;
    let Some((name, given)) = matches.subcommand().filter(|(name, _)| COMMANDS.contains(name)) else {
        return Ok(Arguments::from_arg_matches(&matches)?);
    };
    let known = vocabulary(&command);
    let mut chosen = Chosen::new(&command, name, given);
    for setting in &known {
        if let Some(value) = environment(&variable(setting)) {
            chosen.take_variable(setting, &value)?;
        }
    }
    let path = match given.get_one::<PathBuf>("config") {
        Some(path) => Some(path.clone()),
        None => folder.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file()),
    };
    if let Some(path) = &path {
        chosen.take_file(&known, path)?;
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, chosen.words);
    let mut arguments = Arguments::try_parse_from(words)?;
    arguments.settings = path;
    Ok(arguments)
}

/// The variable of a setting.
fn variable(setting: &Setting<'_>) -> String {
    format!("{PREFIX}{}", setting.name.to_uppercase())
}

/// The settings that count, as words of a command line.
struct Chosen<'c> {
    /// The command that was asked for.
    asked: &'c Command,
    given: &'c ArgMatches,
    /// The arguments that something stronger gave a value.
    stronger: Vec<String>,
    /// The arguments that got a value as strong as what is read now.
    taken: Vec<String>,
    words: Vec<OsString>,
}

impl<'c> Chosen<'c> {
    fn new(command: &'c Command, name: &str, given: &'c ArgMatches) -> Self {
        let asked = command.find_subcommand(name).unwrap_or(command);
        let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
        let ids = asked.get_arguments().map(|argument| argument.get_id().as_str());
        let stronger = ids.filter(|id| given.try_contains_id(id).is_ok() && is_given(id)).map(str::to_owned).collect();
        Self { asked, given, stronger, taken: Vec::new(), words: Vec::new() }
    }

    /// Whether something stronger has decided: the same argument, one that rules it out, or one that it goes with.
    fn is_decided(&self, setting: &Setting<'_>) -> bool {
        let rules_out = |one: &str, other: &str| {
            let find = |id: &str| self.asked.get_arguments().find(|argument| argument.get_id() == id);
            let conflicts = |argument| self.asked.get_arg_conflicts_with(argument);
            find(one).is_some_and(|argument| conflicts(argument).iter().any(|found| found.get_id() == other))
        };
        let is_stronger =
            |taken: &String| taken == setting.id || rules_out(taken, setting.id) || rules_out(setting.id, taken);
        // A base URL belongs to a profile: another profile is not sent there.
        let belongs = setting.name == "base_url" && self.was_given("PROFILE");
        belongs || self.stronger.iter().any(is_stronger)
    }

    fn was_given(&self, value_name: &str) -> bool {
        let mut positionals = self.asked.get_positionals();
        positionals.any(|argument| {
            let id = argument.get_id().as_str();
            vocabulary::name(argument).eq_ignore_ascii_case(value_name)
                && self.given.value_source(id) == Some(ValueSource::CommandLine)
        })
    }

    /// Whether the command that was asked for has such an argument.
    fn applies(&self, setting: &Setting<'_>) -> bool {
        self.asked.get_arguments().any(|argument| {
            argument.get_id() == setting.id && argument.is_positional() == setting.argument.is_positional()
        })
    }

    fn take_variable(&mut self, setting: &Setting<'_>, value: &str) -> Result<(), Problems> {
        let values: Vec<String> = match setting.kind {
            Kind::Many => value.lines().map(str::to_owned).collect(),
            Kind::One | Kind::Number | Kind::Flag => vec![value.to_owned()],
        };
        for value in &values {
            setting.check(value).map_err(|why| Problem::of_file(&variable(setting), why))?;
        }
        if self.applies(setting) && !self.is_decided(setting) {
            self.take(setting, values);
        }
        Ok(())
    }

    fn take_file(&mut self, known: &[Setting<'_>], path: &Path) -> Result<(), Problems> {
        let file = path.display().to_string();
        let located = Located::parse(&file, &document::read_file(path)?)?;
        if located.value().is_null() {
            return Ok(());
        }
        let SettingsDocument(written) = Form::new(&[]).read(&located)?;
        let mut problems = Vec::new();
        self.stronger.append(&mut self.taken);
        for (name, value) in &written {
            let Some(setting) = known.iter().find(|setting| setting.name == *name) else { continue };
            let at = pointer("", name);
            let values: Vec<String> = texts(value).into_iter().map(|text| setting.beside(path, text)).collect();
            for why in values.iter().filter_map(|value| setting.check(value).err()) {
                problems.push(located.problem(At::Value(&at), why));
            }
            if self.applies(setting) && !self.is_decided(setting) {
                self.take(setting, values);
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Problems::new(problems)) }
    }

    fn take(&mut self, setting: &Setting<'_>, values: Vec<String>) {
        self.taken.push(setting.id.to_owned());
        for value in values {
            self.words.extend(setting.words(&value));
        }
    }
}

/// The texts in a value: one, or each of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}
