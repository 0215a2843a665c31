//! Whose a run is: all that decides its bits, and neither the names of its files nor the day.
//!
//! Checkpoints, recordings and datasets carry it.
//! Two runs of one identity have equal bits. A command that goes on with a run, or shows it, compares
//! identities, and names the part that differs.

use std::path::{Path, PathBuf};

use least_action::advanced::inputs::Input;
use least_action::drive::SystemIdentity;
use least_action::system::State;
use least_action_methods::{Given, Options};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twox_hash::XxHash64;

use crate::places;
use crate::registry::Instance;

/// Whose a run is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The program with its version: another one may round differently.
    pub(crate) program: String,
    pub(crate) model: String,
    /// The units that its author states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    units: Option<String>,
    /// All parameters, with defaults that nobody has set.
    pub(crate) parameters: Map<String, Value>,
    /// The files that parameters are read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Read>,
    pub(crate) system: SystemIdentity,
    pub(crate) method: String,
    pub(crate) options: Map<String, Value>,
    pub(crate) step: f64,
    pub(crate) seed: u64,
    /// A checksum of the initial state.
    start: String,
}

/// A file that a parameter is read from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Read {
    /// The parameter; none where the author's code reads the file.
    pub(crate) parameter: String,
    pub(crate) checksum: String,
    /// Its name, where the value of the parameter is nothing but that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
}

/// The program of this version.
pub(crate) const PROGRAM: &str = concat!("least-action ", env!("CARGO_PKG_VERSION"));
/// The longest value of a parameter that formats without room have, in characters.
const LONGEST: usize = 400;

/// The checksum of bytes, as files have it.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    written(XxHash64::oneshot(0, bytes))
}

/// A checksum as files have it.
pub(crate) fn written(checksum: u64) -> String {
    format!("{checksum:016x}")
}

/// The units that a documentation states in a sentence.
fn units(documentation: &str) -> Option<String> {
    let (_, stated) = documentation.split_once("Units: ")?;
    let end = [". ", ".\n"].into_iter().filter_map(|end| stated.find(end)).min().unwrap_or(stated.len());
    Some(stated[..end].trim().trim_end_matches('.').to_owned())
}

fn of_state(State { t, q, v }: &State) -> String {
    let numbers = std::iter::once(t).chain(q).chain(v);
    checksum(&numbers.flat_map(|number| number.to_bits().to_le_bytes()).collect::<Vec<u8>>())
}

/// The options of a method as plain data.
fn plain(options: &Options) -> Map<String, Value> {
    let value = |given: &Given| match given {
        Given::Word(word) => Value::from(*word),
        Given::Numbers(numbers) if numbers.len() == 1 => Value::from(numbers[0]),
        Given::Numbers(numbers) => Value::from(&**numbers),
    };
    options.given().map(|(name, given)| (name.to_owned(), value(given))).collect()
}

impl Identity {
    /// The identity of a run that begins with this state.
    pub(crate) fn of(
        instance: &Instance,
        (method, options): (&str, &Options),
        (step, seed): (f64, u64),
        start: &State,
    ) -> Self {
        let parameters = instance.system.parameters();
        let read = |(parameter, input): &(String, Input)| {
            let value = parameters.get(parameter.split('[').next().unwrap_or_default());
            let is_name = value.is_some_and(|value| places::mentions(value, &input.path.to_string_lossy()));
            let checksum = written(input.checksum);
            Read { parameter: parameter.clone(), checksum, file: is_name.then(|| input.path.clone()) }
        };
        let inputs = instance.inputs.iter().map(read).collect();
        Self {
            program: PROGRAM.to_owned(),
            model: instance.name.clone(),
            units: units(&instance.system.description().documentation),
            inputs,
            system: SystemIdentity::of(instance.system.lagrangian(), start),
            parameters,
            method: method.to_owned(),
            options: plain(options),
            step,
            seed,
            start: of_state(start),
        }
    }

    /// The same with names of files as they are from a folder.
    pub(crate) fn seen_from(mut self, folder: &Path) -> Self {
        self.rename(|file| places::seen_from(folder, file));
        self
    }

    fn rename(&mut self, name: impl Fn(&Path) -> PathBuf) {
        for Read { file, .. } in &mut self.inputs {
            let Some(file) = file else { continue };
            let other = name(file);
            let (own, by) = (file.to_string_lossy(), other.to_string_lossy());
            self.parameters.values_mut().for_each(|value| {
                places::replace(value, &own, &by);
            });
            *file = other;
        }
    }

    /// True of a run that does not begin at the model's own start.
    pub(crate) fn begins_elsewhere(&self, instance: &Instance) -> bool {
        self.start != of_state(&instance.start)
    }

    /// As a line of JSON.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The identity in a text, if it is one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// As a line of JSON in which long values are told by their checksums.
    pub(crate) fn short(&self) -> String {
        let mut short = self.clone();
        for value in short.parameters.values_mut() {
            let text = value.to_string();
            if text.len() > LONGEST {
                let (length, sum) = (text.len(), checksum(text.as_bytes()));
                *value = Value::from(format!("{length} characters with the checksum {sum}"));
            }
        }
        short.text()
    }

    /// The parameters, with the names of their files seen from here, where the identity has them seen
    /// from a folder.
    pub(crate) fn settings(&self, folder: &Path) -> Vec<(String, Value)> {
        let mut own = self.clone();
        own.rename(|file| folder.join(file));
        own.parameters.into_iter().collect()
    }

    /// The part in which a model differs from the one that ran, in words, wherever its runs begin.
    pub(crate) fn difference_to(&self, instance: &Instance, folder: &Path) -> Option<String> {
        let other =
            Self::of(instance, ("", &Options::default()), (0.0, 0), &instance.start).seen_from(folder);
        self.of_model(&other).or_else(|| self.system.difference_of_model(&other.system))
    }

    /// The part of the model in which another run differs.
    fn of_model(&self, other: &Self) -> Option<String> {
        if self.model != other.model {
            return Some(format!("its model, which was `{}` and is `{}`", self.model, other.model));
        }
        // A recording has the numbers of a file that became numbers, and is shown without it.
        let has_changed = |read: &&Read| {
            other.inputs.iter().any(|other| other.parameter == read.parameter)
                && !other.inputs.iter().any(|other| other.checksum == read.checksum)
        };
        if let Some(Read { parameter, .. }) = self.inputs.iter().find(has_changed) {
            return Some(match &**parameter {
                "" => "a file that it reads, whose content has changed".to_owned(),
                name => format!("the file of the parameter `{name}`, whose content has changed"),
            });
        }
        let names = self.parameters.keys().chain(other.parameters.keys());
        let mut differ = names.filter(|name| self.parameters.get(*name) != other.parameters.get(*name));
        differ.next().map(|name| {
            let shown = |parameters: &Map<String, Value>| match parameters.get(name) {
                None => "not there".to_owned(),
                Some(value) if value.to_string().len() > LONGEST => "another one".to_owned(),
                Some(value) => value.to_string(),
            };
            let (was, is) = (shown(&self.parameters), shown(&other.parameters));
            format!("the parameter `{name}`, which was {was} and is {is}")
        })
    }

    /// The part in which another run differs, in words; the declaration last but its consequences.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let of_model = || self.of_model(other);
        let of_system = || self.system.difference(&other.system);
        let named = [
            ("method", self.method != other.method),
            ("options of the method", self.options != other.options),
            ("step", self.step.to_bits() != other.step.to_bits()),
            ("seed", self.seed != other.seed),
            ("start", self.start != other.start),
            ("version of the program", self.program != other.program),
        ];
        let of_run = || named.iter().find(|(_, differs)| *differs).map(|(name, _)| format!("its {name}"));
        of_model().or_else(of_system).or_else(of_run)
    }
}
